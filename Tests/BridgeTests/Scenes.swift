// Owns the scenes that the tests of the bridge begin with, and the questions they ask of a world afterwards.
@testable import Bridge
import Ports
import Simulator
import Testing
import Whoop
import Wire

let bothFamilies: [Family] = [.whoop4, .whoop5]

extension World {
    /// A strap that was paired, is linked, and whose history has been taken. Nothing has gone wrong on the way.
    static func settled(_ family: Family, history_s: UInt32 = 100, settings: Settings = Settings(), seed: UInt64 = 1,
        wall: WallTime = WallTime(seconds: 1_780_000_000), prepare: (World) -> Void = { _ in }) -> World {
        let world = World(family, seed: seed, wall: wall, settings: settings)
        world.strap.remember(seconds: history_s)
        world.strap.isInPairingMode = true
        prepare(world)
        world.start()
        world.bridge.openPairing(nil)
        #expect(world.run(atMost: 30_000) { world.isPaired && world.strap.isConnected }, "the strap was not paired")
        return world
    }

    var isPaired: Bool { radio.hasKey(strap.peer) }

    /// How often a command was sent, on one link or on all.
    func times(_ command: UInt8, link: Int? = nil) -> Int {
        strap.told.filter { $0.command == command && (link == nil || $0.link == link) }.count
    }

    func told(_ command: UInt8) -> [SimulatedStrap.Told] { strap.told.filter { $0.command == command } }

    var hello: UInt8 { strap.identity.family == .whoop4 ? 35 : 145 }

    /// Sentences that were kept as reasons.
    var reasons: [String] {
        store.entries.compactMap {
            switch $0.entry {
            case .reason, .burstDropped: String(decoding: $0.bytes, as: UTF8.self)
            default: nil
            }
        }
    }

    func reasons(containing words: String) -> Int { reasons.filter { $0.contains(words) }.count }

    /// Live heart rates kept, both kinds.
    var liveRows: Int {
        store.entries.filter {
            switch $0.entry {
            case .heartRate: true
            case .liveFrame: $0.bytes.count > 8 && ($0.bytes[4] == 40 || $0.bytes[8] == 40)
            default: false
            }
        }.count
    }

    var moments: [MomentSource] {
        store.entries.compactMap { if case .moment(_, let source, _) = $0.entry { source } else { nil } }
    }

    /// Identities of the records in committed bursts, in order, once for each time they were committed.
    var committedRecords: [RecordName] {
        let header = strap.identity.family == .whoop4 ? 4 : 8
        return store.bursts.flatMap { $0.frames }.compactMap { frame in
            let bytes = frame.span.bytes
            guard bytes.u8(at: header) == 47 else { return nil }
            return RecordName(version: bytes.u8(at: header + 1), counter: bytes.u32(at: header + 3), unix: bytes.u32(at: header + 7))
        }
    }

    /// Every record of history that was there at first is committed, and the strap has released what was committed only.
    func expectCompleteHistory(_ records: Range<UInt32>, sourceLocation: SourceLocation = #_sourceLocation) {
        let have = Set(committedRecords.map { $0.counter })
        let missing = records.filter { !have.contains($0) }
        #expect(missing.isEmpty, "records are missing: \(missing.prefix(5))", sourceLocation: sourceLocation)
        #expect(strap.trim >= records.upperBound, "the strap has not released everything", sourceLocation: sourceLocation)
    }

    func expectNoBreach(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(breaches == [], sourceLocation: sourceLocation)
    }
}

struct RecordName: Hashable {
    var version: UInt8
    var counter: UInt32
    var unix: UInt32
}
