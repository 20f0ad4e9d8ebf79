// A ring that an earlier bridge wrote: it is taken over with all its rows, and says the same of them as before.
import Foundation
import Ports
@testable import Store
import Testing

@Suite struct MigrationTests {
    /// A folder with the ring that a bridge of schema 1 wrote, shortened afterwards.
    static func schema(_ version: Int) throws -> Folder {
        let folder = try Folder()
        let gunzip = Process()
        gunzip.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        gunzip.arguments = ["gunzip", "-c", vectorFolder().appendingPathComponent("ring-schema-\(version).db.gz").path]
        FileManager.default.createFile(atPath: folder.ring, contents: nil)
        gunzip.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.ring))
        try gunzip.run()
        gunzip.waitUntilExit()
        try #require(gunzip.terminationStatus == 0)
        return folder
    }

    /// Every second as one line.
    static let seconds = "SELECT group_concat(t, char(10)) FROM (SELECT "
        + ["unix", "lane", "heart_rate_bpm", "rr_ms", "skin_temperature_c", "skin_temperature_derived", "steps", "sleep_state", "worn"]
            .map { "quote(\($0))" }.joined(separator: "||' '||") + " AS t FROM second ORDER BY unix, lane)"

    @Test(arguments: [1, 2])
    func anOlderRingKeepsItsRowsAndGainsConfidence(version: Int) throws {
        let folder = try Self.schema(version)
        let before = try Self.read(folder)
        try #require(before.version == Int64(version) && before.seconds.utf8.count > 1000)
        let bench = try Bench(folder: folder)
        bench.put(.moment(Stamp(bench.clock), .command, ticket: 1))
        #expect(bench.witness.stored == [1] && bench.witness.troubles.isEmpty)
        #expect(try bench.rows("PRAGMA user_version") == ["3"])
        #expect(try Self.read(folder).seconds == before.seconds)
        #expect(try bench.count("SELECT count(*) FROM record") == 184)
        // What schema 1 knew by the version is said by the new columns.
        #expect(try bench.count("SELECT count(*) FROM second WHERE steps IS NOT NULL AND steps_derived = 1 AND sleep_state_derived = 1") == 150)
        #expect(try bench.count("SELECT count(*) FROM second WHERE steps IS NULL AND steps_derived IS NOT NULL") == 0)
        // Once is enough.
        bench.restart()
        bench.put(.moment(Stamp(bench.clock), .command, ticket: 2))
        #expect(bench.witness.stored == [1, 2] && bench.witness.troubles.isEmpty)
    }

    /// Pages of four kibibytes stay what they are.
    @Test(arguments: [1, 2]) func anOlderRingHasTheSameBound(version: Int) throws {
        let bench = try Bench(folder: Self.schema(version), limit: 4 << 20)
        bench.put(.moment(Stamp(bench.clock), .command, ticket: 1))
        let file = try #require(bench.ring.file)
        #expect(try file.database.integer("PRAGMA page_size") == 4096)
        #expect(file.pagesMost * 4096 <= 4 << 20)
    }

    /// Two programs that open an old ring at once: together they take it over, and neither holds it for broken.
    @Test func schema1IsTakenOverOnceByTwo() async throws {
        let folder = try Self.schema(1)
        let ring = folder.ring
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    let database = try Database(path: ring, .existing)
                    try database.run("PRAGMA busy_timeout=5000")
                    try Migration.run(database)
                }
            }
            try await group.waitForAll()
        }
        #expect(try Self.read(folder).version == 3)
        #expect(try Database(path: ring, .reading).integer("SELECT count(*) FROM record") == 184)
    }

    /// Cut after any of its transactions, the next start goes on.
    @Test func schema1HalfTakenOverIsFinished() throws {
        let folder = try Self.schema(1)
        let before = try Self.read(folder)
        do {
            let database = try Database(path: folder.ring, .existing)
            try database.run("DROP VIEW second; DROP VIEW rr; DROP VIEW raw; \(Schema.history)")
            try database.run(Migration.moveRows.replacingOccurrences(of: "LIMIT \(Migration.rowsAtOnce)", with: "LIMIT 77"))
        }
        try Migration.run(try Database(path: folder.ring, .existing))
        let after = try Self.read(folder)
        #expect(after.version == 3 && after.seconds == before.seconds)
    }

    /// A view that somebody dropped, or one of their own, does not cost the ring.
    @Test func schema1WithoutOneOfItsViewsIsTakenOver() throws {
        let folder = try Self.schema(1)
        do {
            let database = try Database(path: folder.ring, .existing)
            try database.run("DROP VIEW raw; CREATE VIEW mine AS SELECT steps FROM second")
        }
        try Migration.run(try Database(path: folder.ring, .existing))
        #expect(try Self.read(folder).version == 3)
        #expect(try Database(path: folder.ring, .reading).integer("SELECT count(*) FROM raw") != nil)
    }

    /// Each of the four values says by itself whether its meaning is derived, and stays so in the views.
    @Test func newRowsSayWhatIsDerived() throws {
        let bench = try Bench()
        // Of 4.0: v24 with all four, v12 with a skin temperature and an oxygen value outside their gates.
        func second(_ version: UInt8, _ unix: UInt32, _ changes: [(Int, UInt8)]) -> [UInt8] {
            var inner = Array(record(counter: unix, unix: unix)[4...].dropLast(4)) + [UInt8](repeating: 0, count: 8)
            inner[1] = version
            for (at, byte) in changes { inner[at] = byte }
            return frame4(inner)
        }
        bench.burst([second(24, 1_780_000_000, [(72, 0x4a), (73, 1), (80, 0x20), (82, 96), (88, 7)]), second(12, 1_780_000_001, [(82, 16)])], token: 1)
        #expect(try bench.rows("SELECT version, derived FROM record ORDER BY unix") == ["24|15", "12|2"])
        #expect(try bench.rows("SELECT skin_temperature_derived, steps_derived, sleep_state_derived, spo2_derived FROM second ORDER BY unix")
            == ["1|1|1|1", "||1|"])
    }

    private static func read(_ folder: Folder) throws -> (version: Int64?, seconds: String) {
        let database = try Database(path: folder.ring, .reading)
        return (try database.integer("PRAGMA user_version"), try database.text(seconds) ?? "")
    }
}
