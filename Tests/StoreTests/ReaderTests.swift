// Reading beside the bridge.
import Foundation
import Ports
@testable import Store
import Testing
import Wire

@Suite struct ReaderTests {
    private let t: UInt32 = 1_767_225_600

    private func bench() throws -> Bench {
        let bench = try Bench()
        bench.burst((0..<20).map { record(counter: $0, unix: t + $0, rr: [900, 900]) }, token: 1)
        bench.put(.moment(Stamp(bench.clock), .button, ticket: 9), "one")
        bench.pass(1500)
        bench.put(.moment(Stamp(bench.clock), .strapTap, ticket: 10))
        return bench
    }

    @Test func countsNewestAndMoments() throws {
        let bench = try bench()
        let reader = try RingReader(path: bench.folder.ring, clock: bench.clock)
        var expected = Counts()
        (expected.records, expected.seconds, expected.beats, expected.moments, expected.bursts) = (20, 20, 40, 2, 1)
        #expect(try reader.counts() == expected)
        #expect(try reader.newestRecord() == WallTime(seconds: Int64(t) + 19))
        #expect(try reader.lastMoments(1) == [Moment(at: WallTime(milliseconds: 1_790_769_601_500), trusted: true, source: "strap tap", note: "")])
    }

    @Test func aQueryGivesItsRowsAsTextAndMayEndEarly() throws {
        let bench = try bench()
        let reader = try RingReader(path: bench.folder.ring, clock: bench.clock)
        var lines: [String] = []
        let rows = try reader.query("SELECT counter AS c, heart_rate_bpm, NULL FROM record ORDER BY counter") { row in
            lines.append("\(row.name(0))=\(row[0] ?? "") \(row[1] ?? "") \(row[2] ?? "nothing") \(row[3] ?? "")")
            return lines.count < 2
        }
        #expect(lines == ["c=0 60 nothing ", "c=1 60 nothing "] && rows == 2)
    }

    @Test(arguments: ["DELETE FROM record", "ATTACH '/tmp/other.db' AS o", "VACUUM INTO '/tmp/copy.db'", "PRAGMA user_version=7", "CREATE TEMP TABLE x(a)"])
    func nothingButReadingIsPossible(_ sql: String) throws {
        let bench = try bench()
        let reader = try RingReader(path: bench.folder.ring, clock: bench.clock)
        #expect(throws: SQLError.self) { try reader.query(sql) { _ in true } }
        #expect(try reader.counts().records == 20)
        #expect(try reader.database.integer("PRAGMA user_version") == Schema.version)
    }

    /// A clock that runs a second with every look.
    private final class HurriedClock: Ports.Clock {
        private var looks: Int64 = 0
        var now: Instant { looks += 1; return Instant(milliseconds: looks * 1000) }
        var wall = WallTime(seconds: 1_790_769_600)
        var trusted = true
        var utcOffset_s = 0
    }

    @Test func anEndlessQueryIsEndedByItsDeadline() throws {
        let bench = try bench()
        let reader = try RingReader(path: bench.folder.ring, clock: HurriedClock())
        let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
        #expect(throws: SQLError(code: 9, text: "interrupted")) { try reader.query(endless) { _ in true } }
    }

    @Test func aRingThatNobodyWritesIsReadWithoutItsLog() throws {
        let bench = try bench()
        bench.ring.close()
        let odd = bench.folder.path + "/nacht ü 50%?#.db"
        try FileManager.default.moveItem(atPath: bench.folder.ring, toPath: odd)
        #expect(try Database(path: odd, .immutable).integer("SELECT count(*) FROM record") == 20)
    }

    @Test func aForeignFileIsNotReadAsARing() throws {
        let folder = try Folder()
        try Database(path: folder.ring, .creating).run("CREATE TABLE t(a)")
        #expect(throws: SQLError(code: 26, text: "the file is not a ring of this bridge")) { try RingReader(path: folder.ring, clock: ManualClock()) }
        #expect(throws: SQLError(code: 14, text: "there is no ring at \(folder.path)/none")) { try RingReader(path: folder.path + "/none", clock: ManualClock()) }
    }
}
