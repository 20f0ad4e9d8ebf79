// Owns proof that a bridge killed at any place of an offload loses nothing and keeps nothing twice: a real process, the
// shipping bridge and ring, SIGKILL from within at seeded places, the same database and the same strap again and again.
import Foundation
import Ports
import Simulator
import Store
import Testing
import Whoop
import Wire

@Suite struct KillTests {
    /// Records that a strap holds at first: full pages, bursts of fifty.
    static let records = 3_000
    static let firstCounter = 1_000
    static let burstRecords = 50

    /// Where the victim is killed, in its own words.
    enum Place: String, CaseIterable {
        case inBurst = "in-burst", inCommit = "in-commit", inCheckpoint = "in-checkpoint", afterCommit = "after-commit"
        case afterAcknowledgement = "after-ack", anytime
    }

    @Test func `two hundred kills leave every record of the strap in the ring once`() throws {
        var kills: [Place: Int] = [:], betweens = 0, withLog = 0, straps = 0, stored = 0
        var seed: UInt64 = 0
        while kills.values.reduce(0, +) < 200 || kills[.afterCommit, default: 0] < 60 {
            seed += 1
            try #require(seed <= 12, "too few kills: \(kills)")
            for family in bothFamilies {
                let bed = try Bed(family, seed: seed)
                try bed.offload()
                for (place, count) in bed.kills { kills[place, default: 0] += count }
                betweens += bed.betweens
                withLog += bed.withLog
                straps += 1
                stored += Self.records
                if !bed.isWhole { return }
            }
        }
        let each = Place.allCases.map { "\($0.rawValue) \(kills[$0, default: 0])" }.joined(separator: ", ")
        print("""
            kills during offloads: \(kills.values.reduce(0, +)) (\(each)); between commit and acknowledgement \(betweens), \
            with a log left to read \(withLog); \(straps) straps, seeds 1 to \(seed), \(stored) records, each stored once
            """)
        #expect(betweens >= 60)
        for place in Place.allCases { #expect(kills[place, default: 0] >= 5, "\(place)") }
    }
}

/// One database, one strap, and the processes that come and go between them.
private final class Bed {
    let family: Family
    let seed: UInt64
    private(set) var kills: [KillTests.Place: Int] = [:]
    /// Kills that came between a commit and its acknowledgement, whatever the place was meant to be.
    private(set) var betweens = 0
    /// Kills that left a write-ahead log for the next process.
    private(set) var withLog = 0
    private(set) var isWhole = true

    private let disk = RingTests.Disk()
    private let program: URL
    private var chance: Chance
    /// Commits of bursts, repeated ones too, and acknowledgements, after the last kill.
    private var commits = 0, acknowledgements = 0

    init(_ family: Family, seed: UInt64) throws {
        self.family = family
        self.seed = seed
        program = try #require(Self.victim, "OffloadVictim was not built")
        chance = Chance(seed: seed << 8 | UInt64(family.rawValue))
    }

    /// Kills one process after the other, until one finds that the strap holds nothing any more.
    func offload() throws {
        while isWhole {
            let (place, numbers) = choose()
            let process = Process()
            process.executableURL = program
            process.arguments = ["\(family.rawValue)", "\(seed)", "\(KillTests.records)", disk.path, disk.path + "-strap", place.rawValue]
                + numbers.map { "\($0)" }
            let errors = Pipe()
            process.standardError = errors
            try process.run()
            let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            let died = process.terminationReason == .uncaughtSignal
            let what = "strap \(family), seed \(seed), kill \(kills.values.reduce(0, +) + 1), \(place.rawValue) \(numbers)"
            expect(process.terminationStatus == (died ? SIGKILL : 0), "\(what): ended with \(process.terminationStatus), \(said)")
            if died { kills[place, default: 0] += 1 }
            try look(after: died ? place : nil, what)
            if !died { return try lookAtTheEnd(what) }
        }
    }

    private func choose() -> (KillTests.Place, [UInt64]) {
        let burst = 1 + chance.below(3)
        switch chance.below(20) {
        case 0, 1: return (.inBurst, [burst, chance.below(51)])
        case 2...5: return (.inCommit, [chance.below(4), 1 + chance.below(40)])
        case 6: return (.inCheckpoint, [1 + chance.below(40)])
        case 7...14: return (.afterCommit, [burst])
        case 15, 16: return (.afterAcknowledgement, [burst])
        default: return (.anytime, [1 + chance.below(60_000)])
        }
    }

    /// What holds after every kill: the strap let go, in order and once, of nothing that is not in the ring.
    private func look(after place: KillTests.Place?, _ what: String) throws {
        let released = (try? String(contentsOfFile: disk.path + "-strap", encoding: .utf8))?.split(separator: "\n").compactMap { Int($0) } ?? []
        let firstPage = KillTests.firstCounter / 10, pages = KillTests.burstRecords / 10
        expect(released == released.indices.map { firstPage + ($0 + 1) * pages }, "\(what): the strap released \(released)")
        guard FileManager.default.fileExists(atPath: disk.path) else {
            return expect(released.isEmpty, "\(what): no database, but the strap released \(released)")
        }
        if size(disk.path + "-wal") > 0, place != nil { withLog += 1 }
        let database = try Database(path: disk.path, .reading)
        expect(try database.text("PRAGMA integrity_check") == "ok", "\(what): the database is damaged")
        func count(_ sql: String) throws -> Int { Int(try database.integer(sql) ?? -1) }

        let inRing = Set(try disk.numbers("SELECT token_page FROM burst"))
        expect(inRing.isSuperset(of: released), "\(what): released, but not in the ring: \(Set(released).subtracting(inRing).sorted())")
        let through = KillTests.firstCounter + released.count * KillTests.burstRecords
        expect(try count("SELECT count(DISTINCT counter) FROM record WHERE counter < \(through)") == through - KillTests.firstCounter,
            "\(what): the strap released records before \(through), not all are in the ring")
        expect(try count("SELECT count(*) FROM record") == count("SELECT count(*) FROM burst") * KillTests.burstRecords,
            "\(what): part of a burst is in the ring")
        expect(try count("SELECT count(*) FROM burst") <= released.count + 1, "\(what): more than the burst under way is ahead of the strap")

        // A burst served again because nobody acknowledged it is counted in `repeats`.
        let committed = try count("SELECT count(*) + total(repeats) FROM burst")
        let ahead = (committed - commits) - (released.count - acknowledgements)
        (commits, acknowledgements) = (committed, released.count)
        switch place {
        case .afterCommit: expect(ahead == 1, "\(what): \(ahead) commits without acknowledgement")
        case .inBurst, .afterAcknowledgement, nil: expect(ahead == 0, "\(what): \(ahead) commits without acknowledgement")
        case .inCommit, .inCheckpoint, .anytime: expect(ahead == 0 || ahead == 1, "\(what): \(ahead) commits without acknowledgement")
        }
        betweens += ahead
    }

    /// What the strap ever held against what the ring has.
    private func lookAtTheEnd(_ what: String) throws {
        let unix = 1_780_000_000 - KillTests.records, version = family == .whoop4 ? 24 : 18
        let held = Set((0..<KillTests.records).map { [version, KillTests.firstCounter + $0, unix + $0] })
        let numbers = try disk.numbers("SELECT version, counter, unix FROM record")
        let found = stride(from: 0, to: numbers.count, by: 3).map { Array(numbers[$0..<($0 + 3)]) }
        expect(found.count == Set(found).count, "\(what): \(found.count - Set(found).count) records are there twice")
        expect(held.subtracting(found).isEmpty, "\(what): missing \(held.subtracting(found).count), such as \(held.subtracting(found).first ?? [])")
        expect(Set(found).subtracting(held).isEmpty, "\(what): \(Set(found).subtracting(held).count) were never on the strap")
        expect(acknowledgements == KillTests.records / KillTests.burstRecords, "\(what): \(acknowledgements) bursts were released")
        expect(try disk.numbers("SELECT (SELECT count(*) FROM gap), (SELECT count(*) FROM undecoded), (SELECT count(*) FROM strap)") == [0, 0, 1],
            "\(what): gaps, unread frames or a second strap")
        let names = try FileManager.default.contentsOfDirectory(atPath: disk.folder.path)
        expect(names.allSatisfy { !$0.contains("broken") && !$0.contains("foreign") }, "\(what): \(names)")
    }

    /// The first thing that does not hold ends the test: what follows from it says nothing.
    private func expect(_ holds: Bool, _ sentence: @autoclosure () -> String) {
        guard isWhole, !holds else { return }
        isWhole = false
        Issue.record(Comment(rawValue: sentence()))
    }

    private func size(_ path: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int ?? 0
    }

    /// The victim lies where the tests were built.
    private static var victim: URL? {
        CommandLine.arguments.filter { $0 == CommandLine.arguments[0] || $0.contains(".xctest") }
            .map { URL(fileURLWithPath: $0).deletingLastPathComponent().appendingPathComponent("OffloadVictim") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }
}
