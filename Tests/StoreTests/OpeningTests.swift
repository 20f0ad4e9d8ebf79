// Whatever lies at the ring's path, the ring opens, and what lay there is still there under another name.
import Foundation
import Ports
@testable import Store
import Testing
import Wire

@Suite struct OpeningTests {
    /// Opens a ring over what `prepare` has left at its path, writes a moment and gives back the bench.
    private func open(_ prepare: (Folder) throws -> Void) throws -> Bench {
        let folder = try Folder()
        try prepare(folder)
        let bench = try Bench(folder: folder)
        bench.put(.moment(Stamp(bench.clock), .command, ticket: 1))
        return bench
    }

    private func expectReplaced(_ bench: Bench, as word: String, because why: String) throws {
        #expect(bench.witness.troubles == [.replaced])
        #expect(bench.witness.stored == [1])
        let aside = bench.folder.names.filter { $0.hasPrefix("nightstand.db.\(word)-") && !$0.hasSuffix("-wal") }
        #expect(aside == ["nightstand.db.\(word)-1790769600"])
        #expect(try bench.count("SELECT count(*) FROM moment") == 1)
        let sentence = try #require(try bench.rows("SELECT sentence FROM reason").first)
        #expect(sentence.contains(why), "\(sentence)")
        // A second start finds everything in order.
        bench.witness.troubles = []
        bench.restart()
        bench.put(.moment(Stamp(bench.clock), .command, ticket: 2))
        #expect(bench.witness.troubles.isEmpty && bench.witness.stored == [1, 2])
        #expect(try bench.count("SELECT count(*) FROM moment") == 2)
    }

    @Test func aFreshRingIsBegun() throws {
        let bench = try open { _ in }
        #expect(bench.witness.troubles.isEmpty && bench.witness.stored == [1])
        #expect(try bench.rows("PRAGMA application_id") == ["\(0x4e73_5267)"])
        #expect(try bench.rows("PRAGMA user_version") == ["3"])
        #expect(try bench.rows("PRAGMA journal_mode") == ["wal"])
        #expect(try bench.ring.file?.database.integer("PRAGMA synchronous") == 2)
        #expect(bench.folder.names == ["nightstand.db", "nightstand.db-shm", "nightstand.db-wal"])
    }

    @Test func aTextFileIsMovedAside() throws {
        let bench = try open { try Data("my notes, very dear to me\n".utf8).write(to: URL(fileURLWithPath: $0.ring)) }
        try expectReplaced(bench, as: "foreign", because: "no database")
        let notes = try String(contentsOfFile: bench.folder.ring + ".foreign-1790769600", encoding: .utf8)
        #expect(notes == "my notes, very dear to me\n")
    }

    @Test func anEmptyFileIsMovedAside() throws {
        let bench = try open { try Data().write(to: URL(fileURLWithPath: $0.ring)) }
        try expectReplaced(bench, as: "broken", because: "empty")
    }

    @Test func anotherProgramsDatabaseIsMovedAsideWhole() throws {
        let bench = try open {
            let other = try Database(path: $0.ring, .creating)
            try other.run("PRAGMA journal_mode=WAL; CREATE TABLE notes(text); INSERT INTO notes VALUES('dear')")
        }
        try expectReplaced(bench, as: "foreign", because: "not a ring")
        let other = try Database(path: bench.folder.ring + ".foreign-1790769600", .reading)
        #expect(try other.text("SELECT text FROM notes") == "dear")
    }

    @Test func aNewerSchemaIsMovedAside() throws {
        let bench = try open {
            let newer = try Database(path: $0.ring, .creating)
            try newer.run("PRAGMA application_id=\(Schema.application); PRAGMA user_version=99; CREATE TABLE t(a)")
        }
        try expectReplaced(bench, as: "foreign", because: "schema 99")
    }

    @Test func aRingWithoutItsTablesIsMovedAside() throws {
        let bench = try open {
            let hollow = try Database(path: $0.ring, .creating)
            try hollow.run("PRAGMA application_id=\(Schema.application); PRAGMA user_version=1; CREATE TABLE t(a)")
        }
        // The first attempt learns it, the next one acts on it.
        #expect(bench.witness.stored.isEmpty)
        bench.witness.troubles = []
        bench.witness.refused = []
        bench.put(.moment(Stamp(bench.clock), .command, ticket: 1))
        #expect(bench.witness.troubles == [.replaced, nil])
        bench.witness.troubles = [.replaced]
        try expectReplaced(bench, as: "broken", because: "contradict")
    }

    @Test func aRingWithTornPagesIsMovedAside() throws {
        let bench = try open { folder in
            let first = try Bench(folder: folder)
            for i in 0..<40 as Range<UInt32> {
                first.burst((0..<50).map { record(counter: i * 50 + $0, unix: 1_767_225_600 + i * 50 + $0) }, token: UInt64(i))
            }
            first.ring.close()
            let handle = try FileHandle(forUpdating: URL(fileURLWithPath: folder.ring))
            let size = try handle.seekToEnd()
            for page in stride(from: 2 * 4096, to: size, by: 4096) {
                try handle.seek(toOffset: page)
                try handle.write(contentsOf: Data(repeating: 0x5a, count: 64))
            }
            try handle.close()
        }
        try expectReplaced(bench, as: "broken", because: "could not be used")
    }

    @Test func corruptionMetWhileRunningBeginsANewRing() throws {
        let bench = try Bench()
        for i in 0..<40 as Range<UInt32> {
            bench.burst((0..<50).map { record(counter: i * 50 + $0, unix: 1_767_225_600 + i * 50 + $0) }, token: UInt64(i))
        }
        sqlite3Checkpoint(bench)
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: bench.folder.ring))
        let size = try handle.seekToEnd()
        for page in stride(from: 2 * 4096, to: size, by: 4096) {
            try handle.seek(toOffset: page)
            try handle.write(contentsOf: Data(repeating: 0x5a, count: 64))
        }
        try handle.close()
        // Pages that SQLite still holds are right; sooner or later it reads one from the card.
        var ticket: UInt32 = 1000
        bench.witness.stored = []
        for i in 100..<200 as Range<UInt32> where bench.witness.refused.isEmpty {
            ticket = bench.burst((0..<50).map { record(counter: i * 50 + $0, unix: 1_700_000_001 + i * 5000 + $0 * 90) }, token: UInt64(i))
        }
        #expect(bench.witness.refused.map(\.ticket) == [ticket])
        let again = bench.burst([record(counter: 1, unix: 1_767_225_600)], token: 1)
        #expect(bench.witness.stored.last == again)
        #expect(bench.witness.troubles.contains(.replaced) && bench.witness.troubles.last == .some(nil))
        #expect(bench.folder.names.contains { $0.hasPrefix("nightstand.db.broken-") })
        #expect(try bench.rows("PRAGMA integrity_check") == ["ok"])
    }

    private func sqlite3Checkpoint(_ bench: Bench) {
        try? bench.ring.file?.database.run("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    @Test func ofBrokenCopiesTheNewestStaysAndForeignOnesAllDo() throws {
        let folder = try Folder()
        for name in ["broken-5", "broken-60", "broken-60-wal", "foreign-1", "foreign-2"] {
            try Data("x".utf8).write(to: URL(fileURLWithPath: folder.ring + "." + name))
        }
        let bench = try Bench(folder: folder)
        bench.put(.moment(Stamp(bench.clock), .command, ticket: 1))
        #expect(folder.names.filter { $0.contains("broken") || $0.contains("foreign") }
            == ["nightstand.db.broken-60", "nightstand.db.broken-60-wal", "nightstand.db.foreign-1", "nightstand.db.foreign-2"])
    }

    @Test func aWALWithoutItsDatabaseIsNotReadIntoTheNewOne() throws {
        let bench = try open { folder in
            let first = try Bench(folder: folder)
            first.put(.moment(Stamp(first.clock), .command, ticket: 7), "old")
            try FileManager.default.copyItem(atPath: folder.ring + "-wal", toPath: folder.path + "/kept")
            first.ring.close()
            for name in folder.names where name != "kept" { try FileManager.default.removeItem(atPath: folder.path + "/" + name) }
            try FileManager.default.moveItem(atPath: folder.path + "/kept", toPath: folder.ring + "-wal")
        }
        #expect(bench.witness.troubles == [.replaced])
        #expect(try bench.rows("SELECT note FROM moment") == [""])
        #expect(bench.folder.names.contains("nightstand.db.broken-1790769600-wal"))
    }

    @Test func aMissingDirectoryIsNamedAndTheRingHealsWhenItAppears() throws {
        let folder = try Folder()
        let clock = ManualClock()
        let witness = Witness()
        let ring = Ring(path: folder.path + "/not/there.db", limit: 64 << 20, clock: clock, listener: witness)
        let next = ring.tick(now: clock.now)
        #expect(witness.troubles == [.failed(14)])
        #expect(ring.sentence == "the directory \(folder.path)/not does not exist")
        try FileManager.default.createDirectory(atPath: folder.path + "/not", withIntermediateDirectories: false)
        clock.now = next
        _ = ring.tick(now: clock.now)
        #expect(witness.troubles == [.failed(14), nil])
        #expect(ring.trouble == nil)
    }
}
