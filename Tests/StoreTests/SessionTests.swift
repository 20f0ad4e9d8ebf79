// Sessions of history as straps served them, put through the ring.
import Foundation
import Ports
@testable import Store
import Testing
import Whoop
import Wire

struct HistorySession: Decodable, CustomTestStringConvertible {
    struct Packet: Decodable {
        var dir: String
        var char: String?
        var hex: String
        var valid: Bool?
    }
    struct Expected: Decodable {
        var record_version: Int
        var record_index: Int
        var unix: Int
        var hr: Int?
        var rr: [Int]?
    }
    var id: String
    var family: String
    var frames: [Packet]
    var expect_records: [Expected]

    var testDescription: String { id }
    var generation: UInt8 { family == "4.0" ? 4 : 5 }

    static let all: [HistorySession] = try! JSONDecoder().decode(
        [HistorySession].self, from: Data(contentsOf: vectorFolder().appendingPathComponent("history_sessions.json")))

    /// Puts the session through a ring as the bridge would: whole frames only, each END a burst.
    func serve(to bench: Bench) -> Int {
        let family = Family(rawValue: generation)!
        var bursts = 0
        var frames: [[UInt8]] = []
        for packet in self.frames where packet.dir == "in" {
            let bytes = Wire.bytes(hex: packet.hex)!
            guard let frame = Frame(bytes.span.bytes, family: family) else { continue }
            if let meta = Metadata(frame) {
                guard let token = meta.token else { continue }
                if token == Metadata.nothingPending { continue }
                bench.burst(frames, token: token, end: bytes)
                frames = []
                bursts += 1
            } else if PacketType.countsInBurst(frame.type) {
                frames.append(bytes)
            }
        }
        return bursts
    }
}

@Suite struct SessionTests {
    @Test(arguments: HistorySession.all)
    func everyRecordIsThereOnceAndAsServed(_ session: HistorySession) throws {
        let bench = try Bench(generation: session.generation)
        let bursts = session.serve(to: bench)
        #expect(bench.witness.stored.count == bursts)

        // The order of the file is time; a record repeated in the session is expected once.
        var seen: Set<String> = []
        let wanted = session.expect_records
            .sorted { ($0.unix, $0.record_index, $0.record_version) < ($1.unix, $1.record_index, $1.record_version) }
            .map { "\($0.unix)|\($0.record_index)|\($0.record_version)|\($0.hr.map { $0 == 0 ? "" : "\($0)" } ?? "")|\(($0.rr ?? []).map(String.init).joined(separator: ","))" }
            .filter { seen.insert($0).inserted }
        bench.ring.close()
        let sql = "SELECT unix, counter, version, heart_rate_bpm, rr_ms FROM record"
        #expect(try bench.rows(sql) == wanted)

        // All of it again, as a strap does whose acknowledgement was lost.
        bench.restart()
        bench.put(.strap(Bench.peer, generation: session.generation))
        _ = session.serve(to: bench)
        bench.ring.close()
        #expect(try bench.rows(sql) == wanted)
        #expect(bench.witness.stored.count == 2 * bursts)
        #expect(try bench.count("SELECT count(*) FROM (SELECT 1 FROM burst GROUP BY strap, token_page, token_wraps, digest HAVING count(*) > 1)") == 0)
        #expect(try bench.rows("PRAGMA integrity_check") == ["ok"])
    }
}
