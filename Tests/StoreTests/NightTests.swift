// A whole real night of a 4.0 strap, in bursts of fifty records, as a strap serves it.
import Foundation
import Ports
@testable import Store
import Testing
import Whoop
import Wire

enum Night {
    /// All frames of the night, in order.
    static let frames: [[UInt8]] = {
        let gunzip = Process()
        gunzip.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        gunzip.arguments = ["gunzip", "-c", vectorFolder().appendingPathComponent("real_night_4.hex.gz").path]
        let pipe = Pipe()
        gunzip.standardOutput = pipe
        try! gunzip.run()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        return text.split(separator: "\n").compactMap { Wire.bytes(hex: $0) }
    }()

    /// The frames that a burst carries, fifty records to a burst.
    static let bursts: [[[UInt8]]] = {
        var all: [[[UInt8]]] = []
        var burst: [[UInt8]] = []
        var records = 0
        for bytes in frames where PacketType.countsInBurst(bytes[4]) {
            burst.append(bytes)
            if bytes[4] == PacketType.record { records += 1 }
            if records == 50 {
                all.append(burst)
                burst = []
                records = 0
            }
        }
        if !burst.isEmpty { all.append(burst) }
        return all
    }()
}

@Suite struct NightTests {
    @Test func aWholeNightIsStoredOnceThoughServedTwice() throws {
        let bench = try Bench()
        var walBytes: Int64 = 0
        for (i, burst) in Night.bursts.enumerated() {
            bench.burst(burst, token: UInt64(i + 1))
            walBytes += Int64(bench.ring.file!.pagesInLastTransaction) * Share.frameSize
        }
        #expect(bench.witness.stored.count == Night.bursts.count)
        let memory = Database.memoryUsed
        bench.ring.close()
        #expect(try bench.count("SELECT count(*) FROM record") == 12_984)
        #expect(try bench.count("SELECT count(*) FROM second") == 12_482)
        #expect(try bench.count("SELECT count(DISTINCT unix) FROM second") == 12_482)
        #expect(try bench.count("SELECT count(*) FROM second WHERE lane <> 'history'") == 0)
        // Independently of the ring: every interval in the bytes.
        let beats = Night.frames.reduce(0) { sum, bytes in
            guard let frame = Frame(bytes.span.bytes, family: .whoop4), let second = Summary(frame) else { return sum }
            return sum + (0..<second.rr.count).filter { second.rr[$0] != nil }.count
        }
        #expect(try bench.count("SELECT count(*) FROM rr") == beats)
        #expect(try bench.count("SELECT count(*) FROM undecoded") == 0)

        let size = bench.folder.bytes
        let recordBytes = try bench.count("SELECT sum(pgsize) FROM dbstat WHERE name = 'history'")
        let burstBytes = try bench.count("SELECT sum(pgsize) FROM dbstat WHERE name = 'burst'")
        print("""
            night: \(size) bytes on disk, \(size / 12_984) per record; table record \(recordBytes / 12_984) per record, \
            raw \(burstBytes / 12_984) per record; WAL \(walBytes / Int64(Night.bursts.count)) bytes per burst; \
            SQLite holds \(memory) bytes
            """)

        bench.restart()
        for (i, burst) in Night.bursts.enumerated() { bench.burst(burst, token: UInt64(i + 1)) }
        bench.ring.close()
        #expect(try bench.count("SELECT count(*) FROM record") == 12_984)
        #expect(try bench.count("SELECT count(*) FROM rr") == beats)
        #expect(try bench.count("SELECT count(*) FROM burst") == Night.bursts.count)
        #expect(bench.witness.stored.count == 2 * Night.bursts.count)
    }
}

extension NightTests {
    /// What a day of history would write into the WAL, from the night's own bursts cut to a size.
    @Test(arguments: [(50, 40), (11, 80)])
    func aDaysLog(perBurst: Int, most_MB: Int) throws {
        let bench = try Bench()
        let frames = Night.frames.filter { PacketType.countsInBurst($0[4]) }
        var bytes: Int64 = 0, records = 0
        var burst: [[UInt8]] = []
        for (i, frame) in frames.prefix(4000).enumerated() {
            burst.append(frame)
            guard burst.count == perBurst else { continue }
            records += burst.filter { $0[4] == PacketType.record }.count
            bench.burst(burst, token: UInt64(i + 1))
            bytes += Int64(bench.ring.file!.pagesInLastTransaction) * Share.frameSize
            burst = []
        }
        let day = bytes * 86_400 / Int64(records)
        print("log: \(perBurst) frames a burst, \(day / 1_000_000) MB a day, before checkpoints")
        #expect(day < Int64(most_MB) * 1_000_000)
    }
}
