// Owns a whole simulated world: the shipping bridge on simulated leaves, one strap, and the run of time. Single-threaded
// and seeded; after every event the promises that matter most are checked, and what breaks one is written down.
import Bridge
import Ports
import Whoop
import Wire

public final class World {
    public let clock: SimulatedClock
    public let schedule: Schedule
    public let radio: SimulatedRadio
    public let strap: SimulatedStrap
    public let store: SimulatedStore
    public let indicator: SimulatedIndicator
    public let button: SimulatedButton
    public let notebook: SimulatedNotebook
    public let log = SimulatedLog()
    public let settings: Settings
    public private(set) var bridge: Bridge!
    /// Promises broken, one sentence each; at most 100.
    public private(set) var breaches: [String] = []
    /// Newest second of history in the store, as a starting bridge is told.
    public var frontier: Int64 = 0

    /// - Parameters:
    ///   - wall: what the board's clock says at the start.
    ///   - family: of the strap that is there. Its address follows from the seed.
    public init(_ family: Family, seed: UInt64 = 1, wall: WallTime = WallTime(seconds: 1_780_000_000), settings: Settings = Settings()) {
        clock = SimulatedClock(wall: wall)
        schedule = Schedule(clock: clock)
        radio = SimulatedRadio(schedule: schedule, seed: seed)
        let identity = StrapIdentity(family, serial: family == .whoop4 ? "4A0000001" : "5AG0000001")
        strap = SimulatedStrap(identity, address: Address(number: 0xf0f1_f2f3_f400 | (0xf4 &+ seed) & 0xff), schedule: schedule, seed: seed)
        radio.straps = [strap]
        store = SimulatedStore(schedule: schedule)
        indicator = SimulatedIndicator(clock: clock)
        button = SimulatedButton(schedule: schedule)
        notebook = SimulatedNotebook()
        self.settings = settings
        strap.onAcknowledgement = { [self] token in
            if !store.durable.contains(token) { breach("token \(token) was acknowledged before it was durable") }
        }
    }

    /// Starts the bridge.
    public func start() {
        let bridge = Bridge(settings: settings, clock: clock, radio: radio, store: store, indicator: indicator, notebook: notebook,
            log: log, frontier: frontier)
        self.bridge = bridge
        store.listener = bridge
        button.listener = bridge
        bridge.start()
        settle()
    }

    /// The strap is ours from before: both sides have the key, and the notebook says so.
    public func bond(key: UInt64, notebook text: [UInt8]) {
        radio.remember(key, of: strap.peer)
        strap.bond(key)
        notebook.text = text
    }

    /// The process ends as by a power cut and a new one starts.
    public func restart() {
        radio.letGo()
        store.listener = nil
        button.listener = nil
        store.cutPower()
        start()
    }

    /// Lets go of everything; the parts hold one another.
    public func end() {
        radio.letGo()
        schedule.clear()
        strap.onAcknowledgement = nil
        store.listener = nil
        store.sink = nil
        button.listener = nil
        bridge = nil
    }

    // MARK: time

    public func run(for milliseconds: Int64) { run(to: clock.now + milliseconds) }

    public func run(seconds: Int64) { run(for: seconds * 1000) }

    public func run(to end: Instant) {
        while clock.now < end {
            let next = min(end, min(schedule.next, bridge.deadline))
            clock.advance(to: next)
            while schedule.runOne() { bridge.tick() }
            settle()
        }
    }

    /// Runs until something holds, at most so long. Whether it held.
    public func run(atMost milliseconds: Int64, until holds: () -> Bool) -> Bool {
        let end = clock.now + milliseconds
        while !holds() {
            guard clock.now < end else { return false }
            run(to: min(end, clock.now + 10))
        }
        return true
    }

    /// Ticks at a deadline that has come. A bridge whose deadline stays in the past would keep a processor busy.
    private func settle() {
        for _ in 0..<16 {
            if bridge.deadline > clock.now { return check() }
            bridge.tick()
        }
        breach("the bridge's deadline stays in the past")
        clock.advance(to: clock.now + 1)
    }

    private func check() {
        for one in radio.breaches { breach("radio: " + one) }
        for one in strap.breaches { breach("strap: " + one) }
    }

    private func breach(_ what: String) {
        if breaches.count < 100, !breaches.contains(what) { breaches.append(what) }
    }
}
