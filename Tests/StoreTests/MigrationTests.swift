// A ring that an earlier bridge wrote: it is taken over with all its rows, and says the same of them as before.
import Foundation
import Ports
@testable import Store
import Testing

@Suite struct MigrationTests {
    /// A folder with the ring that a bridge of schema 1 wrote, shortened afterwards.
    static func schema1() throws -> Folder {
        let folder = try Folder()
        let gunzip = Process()
        gunzip.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        gunzip.arguments = ["gunzip", "-c", vectorFolder().appendingPathComponent("ring-schema-1.db.gz").path]
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

    @Test func schema1KeepsItsRowsAndGainsConfidence() throws {
        let folder = try Self.schema1()
        let before = try Self.read(folder)
        try #require(before.version == 1 && before.seconds.utf8.count > 1000)
        let bench = try Bench(folder: folder)
        bench.put(.moment(Stamp(bench.clock), .command, ticket: 1))
        #expect(bench.witness.stored == [1] && bench.witness.troubles.isEmpty)
        #expect(try bench.rows("PRAGMA user_version") == ["2"])
        #expect(try Self.read(folder).seconds == before.seconds)
        #expect(try bench.count("SELECT count(*) FROM record") == 184)
        #expect(try bench.count("SELECT count(*) FROM record WHERE derived IS NOT NULL") == 0)
        // What schema 1 knew by the version is said by the new columns.
        #expect(try bench.count("SELECT count(*) FROM second WHERE steps IS NOT NULL AND steps_derived = 1 AND sleep_state_derived = 1") == 150)
        #expect(try bench.count("SELECT count(*) FROM second WHERE steps IS NULL AND steps_derived IS NOT NULL") == 0)
        // Once is enough.
        bench.restart()
        bench.put(.moment(Stamp(bench.clock), .command, ticket: 2))
        #expect(bench.witness.stored == [1, 2] && bench.witness.troubles.isEmpty)
    }

    private static func read(_ folder: Folder) throws -> (version: Int64?, seconds: String) {
        let database = try Database(path: folder.ring, .reading)
        return (try database.integer("PRAGMA user_version"), try database.text(seconds) ?? "")
    }
}
