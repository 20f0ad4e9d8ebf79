// Owns what happens after one cut: the shipping ring opens what is left, and everything that was promised must be in it.
import CSQLite
import Glibc
import Ports
import Simulator
import Store
import Whoop
import Wire

/// A place in a recording.
struct Cut {
    /// Changes that the card was asked for.
    var position: Int
    /// The step under way, or just over.
    var step: Int
    var variant: Int
}

/// What came of a cut.
struct Outcome {
    enum Breach: String { case loss, duplicate, broken }

    var breaches: [(Breach, String)] = []
    /// Until the ring had opened and written, microseconds.
    var reopen_us: Int64 = 0
    /// What the reopening did to the card, for cuts within it.
    var log: [DiskChange] = []
}

final class Trial: StoreListener {
    private let recording: Recording
    private let cut: Cut
    private var stored: [UInt32] = []
    private var troubles: [StoreTrouble] = []

    init(_ recording: Recording, _ cut: Cut) {
        self.recording = recording
        self.cut = cut
    }

    func stored(_ ticket: UInt32) { stored.append(ticket) }
    func notStored(_ ticket: UInt32, _ trouble: StoreTrouble) { troubles.append(trouble) }
    func storage(has trouble: StoreTrouble?) { if let trouble { troubles.append(trouble) } }

    /// Opens what is left and looks.
    func run(_ files: [DiskFile], recordsReopening: Bool = false) -> Outcome {
        var outcome = Outcome()
        let disk = SimulatedDisk(files, canLosePower: false)
        var log: [DiskChange] = []
        if recordsReopening { disk.onChange = { log.append($0) } }
        let clock = StandingClock()
        clock.pass(50_000_000)

        let began = microseconds()
        var ring: Ring? = Ring(path: Recording.path, share: recording.share, clock: clock, listener: self, on: disk)
        _ = ring?.tick(now: clock.now)
        outcome.reopen_us = microseconds() - began
        if !troubles.isEmpty { outcome.breaches.append((.broken, "\(troubles): \(ring?.sentence ?? "")")) }

        let reading = RawReader(disk, Recording.path)
        let inventory = Inventory(reading)
        outcome.breaches += judge(inventory, files)
        if inventory.version != recording.version { outcome.breaches.append((.broken, "schema \(inventory.version)")) }
        if let sql = recording.unchanging, reading.text(sql) != recording.unchanged { outcome.breaches.append((.loss, "rows from before the migration")) }

        serveAgain(ring, clock, reading, &outcome)
        let verdict = reading.text("PRAGMA integrity_check")
        if verdict != "ok" { outcome.breaches.append((.broken, verdict)) }
        if Int64(disk.bytes) > recording.share.limit { outcome.breaches.append((.broken, "\(disk.bytes) bytes")) }
        disk.onChange = nil
        outcome.log = log
        ring = nil
        return outcome
    }

    private func judge(_ inventory: Inventory, _ files: [DiskFile]) -> [(Outcome.Breach, String)] {
        var breaches = inventory.faults.map { (Outcome.Breach.broken, $0) }
        var missing: [Int] = []
        let counts = inventory.counts, promisedAt = recording.promisedAt, promisedIn = recording.promisedIn
        let after = recording.steps[cut.step].present, before = cut.step == 0 ? after : recording.steps[cut.step - 1].present
        for item in counts.indices {
            if counts[item] > 1 { breaches.append((.duplicate, Kind.name(item))) }
            // Due is what had been promised and not thrown away. What a failed sync threw away may be there or not.
            if counts[item] == 0, promisedAt[item] <= cut.position, after[item], before[item] || promisedIn[item] == cut.step { missing.append(item) }
        }
        guard !missing.isEmpty else { return breaches }
        // A full ring makes room when it opens. Then what is missing was there until then, and was the oldest.
        let left = Inventory(RawReader(SimulatedDisk(files, canLosePower: false), Recording.path))
        for item in missing {
            let rest = (item + 1)..<((item / Kind.room + 1) * Kind.room)
            let older = (item / Kind.room * Kind.room)..<item
            let wasOldest = !older.contains { inventory.counts[$0] > 0 } && (rest.contains { inventory.counts[$0] > 0 })
            if left.counts[item] == 0 || !wasOldest || !isFull { breaches.append((.loss, Kind.name(item))) }
        }
        return breaches
    }

    /// Whether the script has thrown anything away by now.
    private var isFull: Bool { recording.steps[...cut.step].contains { $0.operation == .evict || $0.operation == .compact } }

    /// The strap serves what was not acknowledged; otherwise somebody presses the button. Both must be taken, once.
    private func serveAgain(_ ring: Ring?, _ clock: StandingClock, _ reading: RawReader, _ outcome: inout Outcome) {
        guard let ring else { return }
        if let burst = recording.steps[cut.step].burst, burst.items.contains(where: { recording.promisedAt[$0] > cut.position }) {
            ring.apply(.strap(Script.peer(burst.family), generation: burst.family.rawValue), [UInt8]().span.bytes)
            burst.hand(to: ring, Stamp(clock), ticket: 1)
            let records = reading.number("SELECT count(*) FROM record WHERE unix >= \(Inventory.epoch) AND counter BETWEEN \(burst.counters.lowerBound) AND \(burst.counters.upperBound)")
            if records != burst.counters.count { outcome.breaches.append((records ?? 0 > burst.counters.count ? .duplicate : .loss, "\(records ?? -1) of \(burst.counters.count) records served again")) }
            if let rows = reading.number("SELECT count(*) FROM burst WHERE token_page = \(burst.token) AND committed_unix >= \(Inventory.epoch)"), rows > 1 {
                outcome.breaches.append((.duplicate, "\(rows) rows of burst \(burst.token)"))
            }
        } else {
            ring.apply(.moment(Stamp(clock), .button, ticket: 1), [UInt8]().span.bytes)
        }
        if stored != [1] { outcome.breaches.append((.broken, "nothing can be stored: \(troubles), \(ring.sentence)")) }
    }

    /// The processor's time: a card in memory makes nobody wait, and neighbours on the machine do not count.
    private func microseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }
}
