// Owns one run of the shipping ring over a simulated card: every change that reaches the card, in order, and what was
// promised when. Nothing is judged here but the script itself: what it was promised must be there while power lasts.
import CSQLite
import Ports
import Simulator
import Store
import Whoop
import Wire

/// What the ring is busy with.
enum Operation: String, CaseIterable {
    case create, migrate, pair, offload11 = "offload of 11", offload50 = "offload of 50", live, moment, evict, compact, checkpoint
    case failedSync = "failed sync", restart, reopen
}

final class StandingClock: Clock {
    var now = Instant(milliseconds: 5_000)
    var wall = WallTime(seconds: Int64(Inventory.epoch))
    let trusted = true
    let utcOffset_s = 0

    /// As long as live rows wait at most. Wall time stays, so that items can be numbered by their second.
    func waitOut() { now = now + Ring.patience_ms }

    func pass(_ milliseconds: Int64) {
        now = now + milliseconds
        wall.milliseconds += milliseconds
    }
}

/// A burst as the strap serves it, again and again until it is acknowledged.
struct Burst {
    var family: Family
    var frames: [[UInt8]]
    var end: [UInt8]
    var token: UInt64
    var items: [Int]
    var counters: ClosedRange<UInt32>
}

/// The ring between two moments of rest.
struct Step {
    var operation: Operation
    /// Changes of the card up to its end.
    var end: Int
    /// Items in the file at its end.
    var present: [Bool]
    /// The burst that it hands in.
    var burst: Burst?
}

final class Recording: StoreListener {
    static let path = SimulatedDisk.directory + "/nightstand.db"

    let name: String
    let share: Share
    let start: [DiskFile]
    private(set) var log: [DiskChange] = []
    /// For each change, whether it is to the database itself.
    private(set) var isDatabase: [Bool] = []
    private(set) var steps: [Step] = []
    /// Changes that the card had seen when an item was promised to be safe.
    private(set) var promisedAt = [Int](repeating: .max, count: Kind.allCases.count * Kind.room)
    /// The step in which it was.
    private(set) var promisedIn = [Int](repeating: .max, count: Kind.allCases.count * Kind.room)
    /// Where the script itself went wrong.
    private(set) var mistakes: [String] = []
    private(set) var version = 0
    private var evicted: [Int] = []
    /// SQL that gives one text, the same for ever.
    let unchanging: String?
    /// What it gave before anything happened.
    let unchanged: String

    let clock = StandingClock()
    let disk: SimulatedDisk
    private var ring: Ring!
    private var names: [Int: String] = [:]
    private var waiting: [Int] = []
    private var current: Burst?
    private var ticket: UInt32 = 0
    private var bursts: [UInt32: [Int]] = [:]
    private(set) var refused = 0

    init(_ name: String, limit: Int64, start: [DiskFile] = [], unchanging: String? = nil, before: String = "") {
        self.name = name
        self.start = start
        self.unchanging = unchanging
        unchanged = before
        share = Share(limit: limit)
        disk = SimulatedDisk(start, canLosePower: false)
        for (i, file) in start.enumerated() { names[i] = file.name }
        disk.onChange = { [unowned self] in note($0) }
        open()
    }

    private func note(_ change: DiskChange) {
        var file: Int?
        switch change {
        case .write(let number, _, _), .truncate(let number, _), .synced(let number), .syncFailed(let number): file = number
        case .link(let name, let number): names[number] = name
        case .rename(let old, let new): for (number, name) in names where name == old { names[number] = new }
        case .unlink, .directorySynced: break
        }
        log.append(change)
        isDatabase.append(file.map { names[$0] == Recording.path } ?? false)
    }

    private func open() {
        ring = Ring(path: Recording.path, share: share, clock: clock, listener: self, on: disk)
    }

    // MARK: What the script does

    /// Runs a part of the script, and looks at the file afterwards.
    func step(_ operation: Operation, _ body: () -> Void) {
        current = nil
        body()
        let copy = SimulatedDisk(disk.files.filter { !$0.name.hasSuffix("-shm") }, canLosePower: false)
        let reading = RawReader(copy, Recording.path)
        let inventory = Inventory(reading)
        version = inventory.version
        if let unchanging {
            let text = reading.text(unchanging)
            if text != unchanged { mistakes.append("\(name): old rows changed in step \(steps.count)") }
        }
        if Int64(disk.bytes) > share.limit { mistakes.append("\(name), step \(steps.count), \(operation): \(disk.bytes) bytes, more than \(share.limit)") }
        for fault in inventory.faults { mistakes.append("\(name), step \(steps.count), \(operation): \(fault)") }
        // What goes, a tier must own up to.
        let mayGo: [Kind] = inventory.evicted.count == 4 && evicted.count == 4
            ? (inventory.evicted[0] != evicted[0] ? [.standard, .realtime] : []) + (inventory.evicted[1] != evicted[1] ? [.record] : []) : []
        let before = steps.last?.present ?? []
        var present = [Bool](repeating: false, count: inventory.counts.count)
        for item in present.indices {
            if !before.isEmpty, before[item], inventory.counts[item] == 0, !mayGo.contains(where: { $0.rawValue == item / Kind.room }) {
                mistakes.append("\(name), step \(steps.count), \(operation): \(Kind.name(item)) is gone")
            }
            present[item] = inventory.counts[item] > 0
            if promisedIn[item] == steps.count, !present[item] { mistakes.append("\(name), step \(steps.count), \(operation): \(Kind.name(item)) is not there") }
        }
        var what = operation
        if operation != .migrate, inventory.evicted.count == evicted.count, let packed = evicted.last {
            if packed != inventory.evicted.last { what = .compact } else if evicted != inventory.evicted { what = .evict }
        }
        evicted = inventory.evicted
        steps.append(Step(operation: what, end: log.count, present: present, burst: current))
    }

    func put(_ entry: Entry, _ bytes: [UInt8] = [], item: Int? = nil) {
        if let item { waiting.append(item) }
        ring.apply(entry, bytes.span.bytes)
    }

    func tick() { _ = ring.tick(now: clock.now) }

    var stamp: Stamp { Stamp(clock) }

    /// Seconds since the script began.
    var second: Int { Int(clock.wall.seconds) - Inventory.epoch }

    func serve(_ burst: Burst) {
        current = burst
        ticket += 1
        bursts[ticket] = burst.items
        burst.hand(to: ring, stamp, ticket: ticket)
    }

    func moment(_ number: Int) {
        ticket += 1
        bursts[ticket] = [Kind.moment.item(number)]
        ring.apply(.moment(stamp, .button, ticket: ticket), Array("\(number)".utf8).span.bytes)
    }

    /// A stop as systemd makes it, and a start.
    func restart() {
        ring.close()
        open()
        tick()
    }

    // MARK: What the ring promises

    func stored(_ ticket: UInt32) {
        // The entry, and everything before it.
        for item in (bursts[ticket] ?? []) + waiting where promisedAt[item] == .max {
            promisedAt[item] = log.count
            promisedIn[item] = steps.count
        }
        waiting.removeAll()
    }

    func notStored(_ ticket: UInt32, _ trouble: StoreTrouble) { refused += 1 }

    func storage(has trouble: StoreTrouble?) {
        if trouble == .replaced { mistakes.append("\(name): the file was replaced") }
    }
}

extension Burst {
    func hand(to ring: Ring, _ stamp: Stamp, ticket: UInt32) {
        for frame in frames { ring.apply(.historyFrame(stamp), frame.span.bytes) }
        let count = UInt32(frames.count)
        ring.apply(.burst(BurstEnd(announced: count, received: count, token: token), stamp, ticket: ticket), end.span.bytes)
    }
}
