// The simulated card is as bad as a real one: a program that is careless with it loses data, one that is careful does not.
import CSQLite
import Ports
@testable import Simulator
import Testing

private let path = SimulatedDisk.directory + "/plain.db"

/// A database as plain programs use it.
private final class Plain {
    private var handle: OpaquePointer?
    private(set) var code: Int32

    init(_ disk: SimulatedDisk) {
        code = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, disk.fileLayer)
    }

    deinit { sqlite3_close(handle) }

    /// Extended result code.
    @discardableResult
    func run(_ sql: String) -> Int32 {
        sqlite3_extended_result_codes(handle, 1)
        code = sqlite3_exec(handle, sql, nil, nil, nil)
        return code
    }

    /// First column of the first row; nil for trouble.
    func text(_ sql: String) -> String? {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { return nil }
        defer { sqlite3_finalize(statement) }
        guard sqlite3_step(statement) == SQLITE_ROW, let text = sqlite3_column_text(statement, 0) else { return nil }
        return String(cString: text)
    }
}

/// 60 rows over many pages, in transactions of one row.
private func fill(_ disk: SimulatedDisk, journal: String, synchronous: String) -> Plain {
    let plain = Plain(disk)
    plain.run("PRAGMA journal_mode=\(journal); PRAGMA synchronous=\(synchronous); CREATE TABLE t(i INTEGER PRIMARY KEY, b BLOB)")
    for i in 0..<60 { plain.run("INSERT INTO t VALUES(\(i), randomblob(900))") }
    return plain
}

/// Every place of a log, several times: how many cuts left fewer rows than were committed, how many a broken file.
private func cutEverywhere(_ log: [DiskChange], from start: [DiskFile], rows: Int) -> (short: Int, broken: Int, points: Int) {
    var platter = Platter(start), chance = Chance(seed: 7)
    var short = 0, broken = 0, points = 0
    for change in log {
        platter.apply(change)
        for _ in 0..<6 {
            points += 1
            let plain = Plain(SimulatedDisk(platter.afterPowerCut(nil, &chance)))
            if plain.text("PRAGMA integrity_check") != "ok" { broken += 1 }
            else if (plain.text("SELECT count(*) FROM t").flatMap { Int($0) } ?? 0) < rows { short += 1 }
        }
    }
    return (short, broken, points)
}

@Suite struct DiskTests {
    @Test(arguments: ["WAL", "DELETE", "TRUNCATE"]) func aProgramThatSyncsLosesNothing(_ journal: String) {
        let disk = SimulatedDisk()
        let plain = fill(disk, journal: journal, synchronous: journal == "WAL" ? "FULL" : "EXTRA")
        #expect(plain.text("SELECT count(*) FROM t") == "60")
        var chance = Chance(seed: 1)
        for _ in 0..<50 {
            let left = Plain(SimulatedDisk(disk.afterPowerCut(nil, &chance)))
            #expect(left.text("SELECT count(*) FROM t") == "60")
            #expect(left.text("PRAGMA integrity_check") == "ok")
        }
    }

    @Test func aProgramThatDoesNotSyncLosesRows() {
        let disk = SimulatedDisk()
        let plain = fill(disk, journal: "WAL", synchronous: "OFF")
        #expect(plain.text("SELECT count(*) FROM t") == "60")
        disk.sync(directory: SimulatedDisk.directory)
        var chance = Chance(seed: 1)
        #expect(Plain(SimulatedDisk(disk.afterPowerCut(.all, &chance))).text("SELECT count(*) FROM t") == "60")
        #expect(Plain(SimulatedDisk(disk.afterPowerCut(.nothing, &chance))).text("SELECT count(*) FROM t") == nil)
    }

    /// WAL with NORMAL keeps the file whole and forgets the last commits: the very thing that must not happen to a burst.
    @Test func aProgramThatSyncsAtCheckpointsOnlyForgetsItsLastRowsAndBreaksNothing() {
        let disk = SimulatedDisk()
        let plain = fill(disk, journal: "WAL", synchronous: "NORMAL")
        plain.run("PRAGMA wal_checkpoint")
        let start = disk.files.filter { !$0.name.hasSuffix("-shm") }
        var log: [DiskChange] = []
        // Of a card of its own, so that files are numbered from the beginning.
        let second = SimulatedDisk(start)
        second.onChange = { log.append($0) }
        let more = Plain(second)
        more.run("PRAGMA synchronous=NORMAL")
        for i in 60..<70 { more.run("INSERT INTO t VALUES(\(i), randomblob(900))") }
        #expect(more.text("SELECT count(*) FROM t") == "70")
        let all = cutEverywhere(log, from: start, rows: 60)
        #expect(all.broken == 0 && all.short == 0)
        var chance = Chance(seed: 3), least = 70
        for _ in 0..<50 {
            let rows = Plain(SimulatedDisk(second.afterPowerCut(nil, &chance))).text("SELECT count(*) FROM t").flatMap { Int($0) } ?? -1
            least = min(least, rows)
        }
        #expect(least >= 60 && least < 70)
        withExtendedLifetime(plain) {}
    }

    /// Pages written in place, without a journal or a checksum.
    @Test func aTornPageThatNothingGuardsIsSeen() {
        let disk = SimulatedDisk()
        let plain = fill(disk, journal: "OFF", synchronous: "FULL")
        let start = disk.files
        var log: [DiskChange] = []
        let second = SimulatedDisk(start)
        second.onChange = { log.append($0) }
        let more = Plain(second)
        more.run("PRAGMA journal_mode=OFF; DELETE FROM t WHERE i % 2; UPDATE t SET b = randomblob(2000)")
        let (_, broken, points) = cutEverywhere(log, from: start, rows: 0)
        #expect(broken > points / 20, "\(broken) of \(points)")
        withExtendedLifetime(plain) {}
    }

    @Test func aNewNameMayBeMissingUntilItsDirectoryIsSynced() {
        let disk = SimulatedDisk([DiskFile(name: "/card/book", bytes: [1])])
        let body = disk.create("/card/book.new")
        #expect([UInt8(2)].withUnsafeBytes { disk.write(body, at: 0, $0) } == SQLITE_OK)
        #expect(disk.sync(body) == SQLITE_OK)
        disk.remove("/card/book")
        #expect(disk.move("/card/book.new", to: "/card/book") == 0)
        var chance = Chance(seed: 1), found: Set<String> = []
        func look() {
            found.removeAll()
            for _ in 0..<400 {
                let files = disk.afterPowerCut(nil, &chance).sorted { $0.name < $1.name }
                found.insert(files.map { "\($0.name.dropFirst(6)) \($0.bytes)" }.joined(separator: ", "))
            }
        }
        look()
        // Old, both, neither name, or new: with a careless program each of them happens.
        #expect(found.isSuperset(of: ["book [1]", "book [1], book.new [2]", "", "book [2]"]), "\(found)")
        disk.sync(directory: SimulatedDisk.directory)
        look()
        #expect(found == ["book [2]"])
    }

    @Test func aWriteTearsAtSectorsAndNowhereElse() {
        let disk = SimulatedDisk([DiskFile(name: "/card/a", bytes: [UInt8](repeating: 0, count: 4096))])
        guard let body = disk.body("/card/a") else { return #expect(Bool(false)) }
        // From the middle of one sector to the middle of another.
        let new = [UInt8](repeating: 1, count: 2048)
        #expect(new.withUnsafeBytes { disk.write(body, at: 256, $0) } == SQLITE_OK)
        var chance = Chance(seed: 1), shapes: Set<String> = []
        for _ in 0..<2000 {
            let bytes = disk.afterPowerCut(nil, &chance)[0].bytes
            #expect(bytes.count == 4096 && bytes[..<256].allSatisfy { $0 == 0 } && bytes[2304...].allSatisfy { $0 == 0 })
            var shape = "", isWhole = true
            for sector in 0..<5 {
                let part = bytes[max(256, sector * 512)..<min(2304, (sector + 1) * 512)]
                isWhole = isWhole && part.allSatisfy { $0 == part.first }
                shape += part.first == 1 ? "x" : "."
            }
            shapes.insert(isWhole ? shape : "a torn sector")
        }
        #expect(!shapes.contains("a torn sector"))
        #expect(shapes.isSuperset(of: [".....", "xxxxx", "xx...", "...xx", "x.x.x"]), "\(shapes)")
        #expect(disk.sync(body) == SQLITE_OK)
        for _ in 0..<50 { #expect(disk.afterPowerCut(nil, &chance)[0].bytes == disk.files[0].bytes) }
    }

    @Test func theOlderOfTwoWritesMayComeLast() {
        let disk = SimulatedDisk([DiskFile(name: "/card/a", bytes: [0, 0, 0])])
        guard let body = disk.body("/card/a") else { return #expect(Bool(false)) }
        _ = [UInt8(1), 1].withUnsafeBytes { disk.write(body, at: 0, $0) }
        _ = [UInt8(2), 2].withUnsafeBytes { disk.write(body, at: 1, $0) }
        var chance = Chance(seed: 1), found: [[UInt8]: Int] = [:]
        for _ in 0..<500 { found[disk.afterPowerCut(.shuffled, &chance)[0].bytes, default: 0] += 1 }
        // Both are there in either order.
        #expect((found[[1, 2, 2]] ?? 0) > 20 && (found[[1, 1, 2]] ?? 0) > 20, "\(found)")
    }

    /// What Linux does: the second sync says yes to pages that the first has given up.
    @Test func aSecondSyncDoesNotMendAFailedOne() {
        let disk = SimulatedDisk([DiskFile(name: "/card/a", bytes: [UInt8](repeating: 0, count: 2048))])
        guard let body = disk.body("/card/a") else { return #expect(Bool(false)) }
        let new = [UInt8](repeating: 1, count: 2048)
        _ = new.withUnsafeBytes { disk.write(body, at: 0, $0) }
        disk.trouble.sync = Turn()
        #expect(disk.sync(body) == SQLITE_IOERR | 4 << 8)
        #expect(disk.sync(body) == SQLITE_OK)
        #expect(disk.files[0].bytes == new)
        var chance = Chance(seed: 1)
        #expect((0..<100).contains { _ in disk.afterPowerCut(nil, &chance)[0].bytes != new })
        // Only writing it again helps, and only where it was written.
        _ = new[..<1024].withUnsafeBytes { disk.write(body, at: 512, $0) }
        #expect(disk.sync(body) == SQLITE_OK)
        var edges: Set<UInt8> = []
        for _ in 0..<200 {
            let left = disk.afterPowerCut(nil, &chance)[0].bytes
            #expect(left[512..<1536].allSatisfy { $0 == 1 })
            edges.formUnion([left[0], left[2047]])
        }
        #expect(edges == [0, 1])
    }

    @Test func troublesComeWhenTheyAreDueAndChangeNothing() {
        let disk = SimulatedDisk()
        let plain = fill(disk, journal: "WAL", synchronous: "FULL")
        let before = disk.files.map(\.bytes.count)
        disk.trouble.write = Turn(after: 1)
        #expect(plain.run("INSERT INTO t VALUES(100, randomblob(900))") == SQLITE_IOERR | 3 << 8)
        disk.trouble.room = 0
        #expect(plain.run("INSERT INTO t VALUES(100, randomblob(20000))") == SQLITE_FULL)
        disk.trouble.room = .max
        disk.trouble.sync = Turn()
        #expect(plain.run("INSERT INTO t VALUES(100, randomblob(900))") == SQLITE_IOERR | 4 << 8)
        #expect(disk.files[0].bytes.count == before[0])
        #expect(plain.run("INSERT INTO t VALUES(100, randomblob(900))") == SQLITE_OK)
        disk.trouble.read = Turn(times: .max)
        #expect(Plain(disk).code == SQLITE_IOERR)
        disk.trouble.read = Turn(times: 0)
        disk.trouble.readOnly = Turn(after: 1)
        #expect(disk.canWrite(in: SimulatedDisk.directory))
        #expect(plain.run("INSERT INTO t VALUES(101, randomblob(900))") == SQLITE_IOERR | 3 << 8)
        #expect(!disk.canWrite(in: SimulatedDisk.directory) && disk.move(path, to: path + "2") == EROFS)
        #expect(plain.text("SELECT count(*) FROM t") == "61")
    }

    @Test func aStallIsToldAndThenTheSyncHappens() {
        let disk = SimulatedDisk()
        var stalls: [Int64] = []
        disk.onStall = { stalls.append($0) }
        disk.trouble.stall = Turn(after: 3)
        let plain = fill(disk, journal: "WAL", synchronous: "FULL")
        #expect(stalls == [7_000] && plain.text("SELECT count(*) FROM t") == "60")
    }

    @Test func whatIsAskedIsCountedByFile() {
        let disk = SimulatedDisk()
        let plain = fill(disk, journal: "WAL", synchronous: "FULL")
        let before = disk.tallies.first { $0.name == path + "-wal" }
        plain.run("INSERT INTO t VALUES(100, zeroblob(100))")
        let after = disk.tallies.first { $0.name == path + "-wal" }
        guard let before, let after else { return #expect(Bool(false)) }
        let pages = (after.writes - before.writes) / 2
        #expect(pages > 0 && after.bytesWritten - before.bytesWritten == pages * (4096 + 24) && after.syncs == before.syncs + 1)
    }

    @Test func oneWriterAtATimeAndAReaderPinsTheLog() {
        let disk = SimulatedDisk()
        let first = fill(disk, journal: "WAL", synchronous: "FULL"), second = Plain(disk)
        #expect(first.run("BEGIN IMMEDIATE") == SQLITE_OK)
        #expect(second.run("BEGIN IMMEDIATE") == SQLITE_BUSY)
        #expect(first.run("INSERT INTO t VALUES(100, NULL); COMMIT") == SQLITE_OK)
        #expect(second.run("BEGIN; SELECT count(*) FROM t") == SQLITE_OK)
        first.run("INSERT INTO t VALUES(101, NULL)")
        #expect(first.text("PRAGMA wal_checkpoint(TRUNCATE)") == "1")
        #expect(second.text("SELECT count(*) FROM t") == "61")
        second.run("COMMIT")
        #expect(first.text("PRAGMA wal_checkpoint(TRUNCATE)") == "0")
        #expect(disk.size(path + "-wal") == 0 && second.text("SELECT count(*) FROM t") == "62")
    }
}
