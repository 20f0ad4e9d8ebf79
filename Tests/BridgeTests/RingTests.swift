// Owns proof that the bridge and the ring together keep each record once: the shipping parts of both, on simulated leaves.
@testable import Bridge
import Foundation
import Ports
import Simulator
import Store
import Testing
import Whoop
import Wire

@Suite struct RingTests {
    /// A ring in a folder of its own, which goes with the test.
    final class Disk {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("nightstand-\(UUID().uuidString)")
        var path: String { folder.appendingPathComponent("ring.db").path }
        init() { try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
        deinit { try? FileManager.default.removeItem(at: folder) }

        func attach(_ world: World) -> Ring {
            let ring = Ring(path: path, limit: Ring.smallestLimit, clock: world.clock, listener: world.store)
            world.store.sink = { ring.apply($0, $1) }
            return ring
        }

        func numbers(_ sql: String) throws -> [Int] {
            var out: [Int] = []
            try RingReader(path: path, clock: SimulatedClock(wall: WallTime(seconds: 0))).query(sql) { row in
                for i in 0..<row.columns { out.append(row[i].flatMap { Int($0) } ?? -1) }
                return true
            }
            return out
        }
    }

    @Test(arguments: bothFamilies) func `links lost again and again leave each record in the ring once`(_ family: Family) throws {
        let disk = Disk()
        let world = World(family)
        let ring = disk.attach(world)
        defer { world.end(); ring.close() }
        world.strap.remember(seconds: 1_000)
        world.strap.isInPairingMode = true
        world.strap.isWorn = false
        world.start()
        world.bridge.openPairing(nil)
        _ = world.run(atMost: 30_000) { world.isPaired }
        var chance = Chance(seed: 3)
        for _ in 0..<60 {
            world.radio.losesAfter = Int(chance.below(160))
            world.run(seconds: 8)
        }
        world.radio.losesAfter = nil
        world.run(seconds: 120)
        ring.close()
        let found = try disk.numbers("SELECT count(*), count(DISTINCT version || ':' || counter || ':' || unix), min(counter), max(counter) FROM record")
        #expect(found == [1_000, 1_000, 1_000, 1_999])
        #expect(world.strap.trim == 2_000)
        #expect(world.strap.links > 10)
        world.expectNoBreach()
    }

    @Test(arguments: bothFamilies) func `what a real strap served is acknowledged with its own tokens and read whole`(_ family: Family) throws {
        let disk = Disk()
        let world = World(family)
        let ring = disk.attach(world)
        defer { world.end(); ring.close() }
        world.strap.remember(captured: 0)
        world.strap.isInPairingMode = true
        world.strap.isWorn = false
        world.start()
        world.bridge.openPairing(nil)
        world.run(seconds: 60)
        ring.close()
        let acknowledgements = world.told(23).map { Array($0.payload.prefix(9)) }
        let tokens = try Self.session(family).acknowledgements
        #expect(acknowledgements.map { $0.dropFirst().map { String(format: "%02x", $0) }.joined() } == tokens)
        #expect(acknowledgements.allSatisfy { $0[0] == 1 })
        let found = try disk.numbers("SELECT (SELECT count(*) FROM record) + (SELECT count(*) FROM undecoded), (SELECT count(*) FROM burst)")
        #expect(found == [try Self.session(family).records, tokens.count])
        world.expectNoBreach()
    }

    @Test(arguments: bothFamilies) func `the captured session in the firmware is the vectors', byte for byte`(_ family: Family) throws {
        #expect(SimulatedStrap.captured(family) == (try Self.session(family)).bytes)
    }

    /// What board/captured takes from the vectors.
    static func session(_ family: Family) throws -> (bytes: [UInt8], acknowledgements: [String], records: Int) {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Vectors/history_sessions.json")
        let sessions = try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [[String: Any]])
        let session = try #require(sessions.first { $0["id"] as? String == (family == .whoop4 ? "w4-hist-real-1" : "w5-hist-real-1") })
        let range = family == .whoop4 ? 0...62 : 154...174
        let frames = try #require(session["frames"] as? [[String: Any]])[range].filter { $0["dir"] as? String == "in" && $0["char"] as? String == "data" }
        let bytes = frames.map { Wire.bytes(hex: $0["hex"] as? String ?? "") ?? [] }
        let acknowledged = try #require(session["expect_acks"] as? [[String: Any]]).filter { range.contains($0["after_frame"] as? Int ?? -1) }
        return (bytes.flatMap { $0 }, acknowledged.compactMap { $0["token_hex"] as? String }, bytes.filter { $0[family.headerLength] == 47 }.count)
    }
}
