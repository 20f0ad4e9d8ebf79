// The tiers that give way: seconds become chunks and nothing of them is lost, frames go first or last as their share says,
// and what went is noted.
import Foundation
import Ports
@testable import Store
import Testing
import Whoop
import Wire

@Suite struct TierTests {
    /// Heart rate, beats and motion of a record, as a line.
    static func line(_ unix: UInt32, _ bpm: Int?, _ rr: [Int]?, _ motion: Int?) -> String {
        "\(unix) \(bpm.map { "\($0)" } ?? "-") \(rr.map { $0.map { "\($0)" }.joined(separator: ",") } ?? "-") \(motion.map { "\($0)" } ?? "-")"
    }

    /// What the frames of the night say, without the ring.
    static let night: [String] = Night.frames.compactMap { bytes -> (UInt32, UInt32, String)? in
        guard let frame = Frame(bytes.span.bytes, family: .whoop4), let record = Record(frame), let second = record.summary else { return nil }
        var rr: [Int] = []
        second.rr.forEach { rr.append(Int($0)) }
        let motion = second.dynamicAcceleration.map { Int(($0 * 1000).rounded()) }
        return (record.unix, record.counter, line(record.unix, second.heartRate.map { Int($0) }, second.rr.isAbsent ? nil : rr, motion))
    }.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map(\.2)

    /// What the ring holds: chunks, then seconds.
    static func held(_ bench: Bench) throws -> [String] {
        let database = try #require(bench.ring.file).database
        var lines: [String] = []
        let chunks = try Statement(database, "SELECT hex(chunk) FROM packed ORDER BY id", keep: false)
        while try chunks.step() {
            let bytes = Wire.bytes(hex: chunks.text(0) ?? "") ?? []
            var reader = try ChunkReader(bytes.span.bytes)
            while try reader.next() {
                var rr: [Int]?
                if let beats = reader.rr_ms { rr = (0..<beats.count).map { Int(beats[$0]) } }
                lines.append(line(reader.unix, reader.heartRate_bpm.map { Int($0) }, rr, reader.motion_mg.map { Int($0) }))
            }
        }
        let seconds = try Statement(database, "SELECT unix, heart_rate_bpm, rr_ms, motion_mg FROM record ORDER BY unix, counter", keep: false)
        while try seconds.step() {
            let rr = seconds.isNull(2) ? [] : (seconds.text(2) ?? "").split(separator: ",").compactMap { Int($0) }
            lines.append(line(UInt32(seconds.integer(0)), seconds.isNull(1) ? nil : Int(seconds.integer(1)), rr, seconds.isNull(3) ? nil : Int(seconds.integer(3))))
        }
        return lines
    }

    @Test func aNightThatHadToMakeRoomIsStillThere() throws {
        // Room for the chunks of the night and for a part of its seconds.
        let bench = try Bench(limit: 1300 << 10)
        for (i, burst) in Night.bursts.enumerated() { bench.burst(burst, token: UInt64(i + 1)) }
        #expect(bench.witness.refused.isEmpty)
        let packed = try bench.count("SELECT sum(records) FROM packed")
        let seconds = try bench.count("SELECT count(*) FROM record")
        print("tiers: \(packed) seconds packed, \(seconds) as rows, raw of \(try bench.count("SELECT count(*) FROM raw")) bursts")
        #expect(packed > 5000 && seconds > 1000)
        #expect(try Self.held(bench) == Self.night)
        #expect(try bench.count("SELECT count(*) FROM evicted WHERE tier = 'seconds' AND rows = (SELECT sum(records) FROM packed)") == 1)
        #expect(try bench.count("SELECT packed_bytes - (SELECT sum(length(chunk)) FROM packed) FROM evicted WHERE tier = 'seconds'") == 0)
        #expect(try bench.rows("PRAGMA integrity_check") == ["ok"])
        // The totals that are known in memory are right, and so are those that a new start reads.
        for start in 0..<2 {
            if start == 1 {
                bench.restart()
                bench.put(.moment(Stamp(bench.clock), .command, ticket: 9))
            }
            let known = try #require(bench.ring.file).totals()
            #expect(known.secondsIn - known.secondsOut == Int64(try bench.count("SELECT count(*) FROM history")))
            #expect(known.rawIn - known.rawOut == Int64(try bench.count("SELECT coalesce(sum(length(frames)), 0) FROM burst")))
            #expect(known.packedIn - known.packedOut == Int64(try bench.count("SELECT sum(length(chunk)) FROM packed")))
        }
    }

    @Test func sharesAreKeptWhenAllAreFull() throws {
        let bench = try Bench(limit: 1500 << 10)
        for round in 0..<12 {
            for (i, burst) in Night.bursts.enumerated() {
                bench.burst(later(burst, by: UInt32(round) * 40_000), token: UInt64(round * 1000 + i + 1))
            }
        }
        #expect(bench.witness.refused.isEmpty)
        let held = try #require(bench.ring.file).totals()
        let pages = Double(try #require(bench.ring.file).pagesMost * Share.pageSize)
        let (raw, seconds, packed) = (Double(held.rawBytes) / pages, Double(held.secondBytes) / pages, Double(held.packedBytes) / pages)
        print("shares: raw \(Int(raw * 100)) %, seconds \(Int(seconds * 100)) %, packed \(Int(packed * 100)) %")
        // Room is made in steps of a seventh of so small a file, so they are not quite level.
        #expect(raw > 0.13 && raw < 0.26 && seconds > 0.23 && seconds < 0.47 && packed > 0.12 && packed < 0.25)
        #expect(try bench.count("SELECT rows FROM evicted WHERE tier = 'packed'") > 0)
    }

    /// The same burst, so many seconds later and with counters of its own.
    private func later(_ burst: [[UInt8]], by seconds: UInt32) -> [[UInt8]] {
        burst.map { bytes in
            guard bytes[4] == PacketType.record else { return bytes }
            var inner = Array(bytes[4...].dropLast(4))
            for at in [3, 7] {
                let value = inner.span.bytes.u32(at: at) + seconds
                for i in 0..<4 { inner[at + i] = UInt8(truncatingIfNeeded: value >> (8 * UInt32(i))) }
            }
            return frame4(inner)
        }
    }
}
