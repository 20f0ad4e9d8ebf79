// A card that is full, broken, read-only or pinned by a reader: nothing is told to be stored that is not, and all of it
// heals by itself.
import Foundation
import Ports
@testable import Store
import Testing
import Wire

@Suite struct TroubleTests {
    private static let t: UInt32 = 1_767_225_600

    private func burst(_ i: UInt32) -> [[UInt8]] {
        (0..<50).map { record(counter: i * 50 + $0, unix: Self.t + i * 50 + $0) }
    }

    private func faultyBench(_ key: Int, limit: Int64 = 64 << 20) throws -> Bench {
        #expect(FaultyFiles.installed)
        let folder = try Folder()
        let inner = folder.path + "/faulty-\(key)-"
        try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: false)
        return try Bench(folder: Folder(inside: inner, of: folder), limit: limit)
    }

    // 778 is SQLITE_IOERR_WRITE, 1034 SQLITE_IOERR_FSYNC.
    @Test(arguments: [(Fault.full, StoreTrouble.full), (.writeFails, .failed(778)),
                      (.syncFails, .failed(1034)), (.readOnly, .readOnly)])
    func nothingIsStoredWhileTheCardFailsAndAllIsAfterwards(_ fault: Fault, _ trouble: StoreTrouble) throws {
        let bench = try faultyBench(fault.rawValue)
        let first = bench.burst(burst(0), token: 1)
        #expect(bench.witness.stored == [first])

        FaultyFiles.set(fault, key: fault.rawValue)
        bench.put(.gap(Stamp(bench.clock), from: 1, to: 2), "waits")
        let second = bench.burst(burst(1), token: 2)
        bench.put(.moment(Stamp(bench.clock), .button, ticket: 77))
        #expect(bench.witness.stored == [first])
        #expect(bench.witness.refused.map(\.ticket) == [second, 77])
        #expect(bench.witness.refused.allSatisfy { $0.trouble == trouble })
        #expect(bench.witness.troubles == [trouble])
        // Again and again, and it stays one trouble.
        for _ in 0..<5 {
            bench.pass(20_000)
            _ = bench.ring.tick(now: bench.clock.now)
        }
        #expect(bench.witness.troubles == [trouble])

        FaultyFiles.set(.none, key: fault.rawValue)
        let next = bench.ring.tick(now: bench.clock.now)
        #expect(next > bench.clock.now && next - bench.clock.now <= 15_000)
        bench.pass(next - bench.clock.now)
        _ = bench.ring.tick(now: bench.clock.now)
        #expect(bench.witness.troubles == [trouble, nil])
        let again = bench.burst(burst(1), token: 2)
        #expect(bench.witness.stored == [first, again])
        bench.ring.close()
        #expect(try bench.rows("SELECT count(*), count(DISTINCT counter) FROM record") == ["100|100"])
        #expect(try bench.rows("SELECT cause FROM gap") == ["waits"])
        #expect(try bench.count("SELECT count(*) FROM moment") == 0)
        #expect(try bench.count("SELECT count(*) FROM reason WHERE sentence LIKE 'Storage could not be written: %'") == 1)
        #expect(try bench.rows("PRAGMA integrity_check") == ["ok"])
    }

    @Test func liveRowsThatDoNotFitAreCountedNotForgotten() throws {
        let bench = try faultyBench(11)
        _ = bench.ring.tick(now: bench.clock.now)
        FaultyFiles.set(.full, key: 11)
        for _ in 0..<2000 {
            bench.put(.heartRate(Stamp(bench.clock)), [0, 61])
            bench.pass(1000)
            _ = bench.ring.tick(now: bench.clock.now)
        }
        bench.put(.gap(Stamp(bench.clock), from: 1, to: 2), "fits all the same")
        FaultyFiles.set(.none, key: 11)
        bench.pass(15_000)
        _ = bench.ring.tick(now: bench.clock.now)
        let kept = try bench.count("SELECT count(*) FROM live")
        #expect(kept > 240 && kept < 2000)
        #expect(try bench.rows("SELECT sentence FROM reason WHERE sentence LIKE '%not kept%'")
            == ["\(2000 - kept) entries were not kept while storage could not be written."])
        #expect(try bench.count("SELECT count(*) FROM gap") == 1)
    }

    @Test func aReaderThatPinsTheLogStopsBurstsAtItsShareAndNotLonger() throws {
        let bench = try Bench(limit: 4 << 20)
        bench.burst(burst(0), token: 0)
        let pin = try Database(path: bench.folder.ring, .reading)
        try pin.run("BEGIN")
        #expect(try pin.integer("SELECT count(*) FROM record") == 50)
        var i: UInt32 = 1
        while bench.witness.refused.isEmpty, i < 200 {
            bench.burst(burst(i), token: UInt64(i))
            #expect(bench.folder.bytes <= 4 << 20)
            i += 1
        }
        #expect(bench.witness.refused.map(\.trouble) == [.full])
        #expect(bench.ring.sentence.contains("another program has been reading nightstand.db"))
        #expect(Files().size(bench.folder.ring + "-wal")! <= bench.ring.share.wal)
        #expect(try pin.integer("SELECT count(*) FROM record") == 50)

        try pin.run("COMMIT")
        bench.pass(15_000)
        let last = bench.burst(burst(i - 1), token: UInt64(i - 1))
        #expect(bench.witness.stored.last == last)
        #expect(bench.witness.troubles == [.full, nil])
        bench.ring.close()
        #expect(try bench.count("SELECT count(*) FROM record") == Int(i) * 50)
        #expect(try bench.count("SELECT count(*) FROM reason WHERE sentence LIKE '%another program%'") == 1)
    }

    @Test func theBoundHoldsAtEveryInstantAndTheNewestStay() throws {
        let limit: Int64 = 2 << 20
        let bench = try Bench(limit: limit)
        var most: Int64 = 0
        let rounds: UInt32 = 800
        for i in 0..<rounds {
            bench.put(.heartRate(Stamp(bench.clock)), [0, 61])
            bench.burst(burst(i), token: UInt64(i))
            most = max(most, bench.folder.bytes)
        }
        #expect(most <= limit, "\(most)")
        #expect(most > limit / 2, "the bound was never near: \(most)")
        #expect(bench.witness.stored.count == Int(rounds) && bench.witness.refused.isEmpty)
        bench.ring.close()
        let (first, last, count) = try (bench.count("SELECT min(counter) FROM record"), bench.count("SELECT max(counter) FROM record"),
                                        bench.count("SELECT count(*) FROM record"))
        #expect(last == Int(rounds) * 50 - 1 && first > 0 && count == last - first + 1)
        #expect(try bench.rows("PRAGMA integrity_check") == ["ok"])
        print("bound: at most \(most) of \(limit) bytes, \(count) newest records kept, raw of \(try bench.count("SELECT count(*) FROM raw")) bursts")
    }

    @Test func rawGoesBeforeRecords() throws {
        let bench = try Bench(limit: 2 << 20)
        var i: UInt32 = 0
        while true {
            bench.burst(burst(i), token: UInt64(i))
            i += 1
            let raw = try bench.count("SELECT count(*) FROM raw")
            if raw < Int(i) { break }
            #expect(i < 1000)
            if i >= 1000 { break }
        }
        #expect(try bench.count("SELECT min(burst) FROM raw") > 1)
        #expect(try bench.count("SELECT count(*) FROM record") == Int(i) * 50)
    }

    @Test func aLimitBelowTheLeastIsRaisedToIt() throws {
        let folder = try Folder()
        #expect(Ring(path: folder.ring, limit: 1, clock: ManualClock(), listener: Witness()).share.limit == 64 << 20)
    }
}
