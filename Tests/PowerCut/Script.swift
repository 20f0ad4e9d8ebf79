// Owns what the ring lives through before its power is cut: an evening, a night's offload, a full ring, a failed sync.
// The same for the same seed.
import Ports
import Simulator
import Whoop
import Wire

struct Script {
    private let recording: Recording
    private var chance: Chance
    private var counter: UInt32 = 0
    private var events = 0
    private var moments = 0
    private var gaps = 0
    private var token: UInt64 = 100

    private init(_ recording: Recording, seed: UInt64) {
        self.recording = recording
        chance = Chance(seed: seed)
    }

    private static let four = Peer(Address("F0:F1:F2:F3:F4:F5")!, .randomLE)
    private static let five = Peer(Address("F0:F1:F2:F3:F4:F6")!, .randomLE)

    static func peer(_ family: Family) -> Peer { family == .whoop4 ? four : five }

    /// A fresh ring until it is full and for a while longer.
    static func life(seed: UInt64) -> Recording {
        let recording = Recording("life \(seed)", limit: 1 << 20)
        var script = Script(recording, seed: seed)
        recording.step(.create) { recording.tick() }
        script.day(.whoop4, bursts: 6)
        script.day(.whoop5, bursts: 6)
        recording.step(.restart) { recording.restart() }
        while script.counter < 3700 { script.day(script.chance.below(2) == 0 ? .whoop4 : .whoop5, bursts: 12) }
        recording.step(.restart) { recording.restart() }
        return recording
    }

    /// A ring of an earlier schema, grown until taking it over needs several transactions, is taken over and goes on.
    static func migration(_ name: String, seed: UInt64, from old: [UInt8]) -> Recording {
        let disk = SimulatedDisk([DiskFile(name: Recording.path, bytes: old)], canLosePower: false)
        let columns = RawReader(disk, Recording.path).text("SELECT group_concat(name) FROM pragma_table_info('record') WHERE name NOT IN ('unix', 'counter')")
        let grown = RawReader(disk, Recording.path).text("WITH n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 7) "
            + "INSERT INTO record(unix, counter, \(columns)) SELECT unix + i * 100000, counter + i * 100000, \(columns) FROM record, n RETURNING 1")
        // Everything in it that may never change.
        let rows = "SELECT group_concat(t, ';') FROM (SELECT unix || ' ' || counter || ' ' || coalesce(rr_ms, '') || ' ' || coalesce(motion_mg, '') AS t "
            + "FROM record WHERE unix < \(Inventory.epoch) ORDER BY unix, strap, counter, version)"
        let start = disk.files.filter { !$0.name.hasSuffix("-shm") }
        let recording = Recording(name, limit: 3 << 20, start: start, unchanging: rows, before: grown == "1" ? RawReader(disk, Recording.path).text(rows) : "")
        var script = Script(recording, seed: seed)
        recording.step(.migrate) { recording.tick() }
        script.day(.whoop4, bursts: 2)
        return recording
    }

    /// Some of everything.
    private mutating func day(_ family: Family, bursts: Int) {
        pair(family)
        for i in 0..<bursts {
            offload(family, records: i % 2 == 0 ? 50 : 11)
            if i % 4 == 1 { live(family) }
            if i % 4 == 3 { moment() }
        }
        failedSync(family)
    }

    private mutating func pair(_ family: Family) {
        recording.clock.pass(1_000)
        recording.step(.pair) {
            recording.put(.strap(Script.peer(family), generation: family.rawValue))
            recording.put(.identity(recording.stamp), Array("4A0000001".utf8) + [0] + Array("41.16.5".utf8) + [0] + Array("strap".utf8))
            recording.put(.bond(recording.stamp, made: true), item: Kind.bond.item(recording.second))
            recording.clock.waitOut()
            recording.tick()
        }
    }

    private mutating func burst(_ family: Family, records: Int) -> Burst {
        token += 5
        let first = counter
        var frames: [[UInt8]] = [], items: [Int] = []
        for _ in 0..<records {
            frames.append(Frames.record(family, counter: counter, unix: UInt32(Inventory.epoch) + counter))
            items.append(Kind.record.item(Int(counter)))
            counter += 1
        }
        if chance.below(2) == 0 {
            frames.insert(Frames.event(family, unix: UInt32(Inventory.epoch + events)), at: Int(chance.below(UInt64(frames.count))))
            items.append(Kind.event.item(events))
            events += 1
        }
        let end = Frames.end(family, unix: UInt32(Inventory.epoch) + counter, announced: UInt32(frames.count), token: UInt32(token))
        return Burst(family: family, frames: frames, end: end, token: token, items: items, counters: first...(counter - 1))
    }

    private mutating func offload(_ family: Family, records: Int) {
        let burst = burst(family, records: records)
        recording.clock.pass(1_000)
        recording.step(records == 50 ? .offload50 : .offload11) { recording.serve(burst) }
    }

    private mutating func live(_ family: Family) {
        let seconds = 20 + Int64(chance.below(20)), gap = gaps
        gaps += 1
        recording.step(.live) {
            for _ in 0..<seconds {
                recording.clock.pass(1_000)
                recording.put(.heartRate(recording.stamp), [0, 61], item: Kind.standard.item(recording.second))
                if family == .whoop4 {
                    recording.put(.liveFrame(recording.stamp), Frames.realtime(unix: UInt32(recording.clock.wall.seconds)),
                                  item: Kind.realtime.item(recording.second))
                }
            }
            recording.put(.gap(recording.stamp, from: Int64(Inventory.epoch + gap), to: Int64(Inventory.epoch + gap + 1)), Array("a hole".utf8),
                          item: Kind.gap.item(gap))
            recording.clock.waitOut()
            recording.tick()
        }
    }

    private mutating func moment() {
        let number = moments
        moments += 1
        recording.clock.pass(700)
        recording.step(.moment) { recording.moment(number) }
    }

    /// A sync fails somewhere in a burst; the strap serves it again.
    private mutating func failedSync(_ family: Family) {
        let burst = burst(family, records: 30)
        let spared = Int(chance.below(4))
        recording.step(.failedSync) {
            recording.disk.trouble.sync = Turn(after: spared)
            recording.serve(burst)
        }
        for _ in 0..<2 {
            recording.clock.pass(16_000)
            recording.step(.failedSync) { recording.serve(burst) }
        }
        recording.disk.trouble.sync = Turn(times: 0)
    }
}
