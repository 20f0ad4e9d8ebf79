// Owns the whole: hears the radio, the store, the button and the people at the socket, and lets the parts decide. It
// holds no protocol and no table of its own; those are in Supervisor, Session, Pairing, Gesture, Lamp and Alert.
import Bluetooth
import Ports
import Vitals
import Whoop
import Wire

public final class Bridge: RadioListener, StoreListener, ButtonListener, SessionOwner {
    let clock: any Clock
    let radio: any Radio
    let store: Ledger
    let notebook: any Notebook
    let log: any Log
    public let settings: Settings
    public let zones: Zones
    let started: Instant

    var roster: Roster
    var supervisor = Supervisor()
    var session: Session?
    var pairing = Pairing()
    var gesture = GestureReader()
    var lamp: Lamp
    var handles = HandleCache()
    var alert = Alert()

    var radioCondition = RadioCondition.starting
    var storeTrouble: StoreTrouble?
    var heartRate: (bpm: UInt8, at: Instant)?
    var worn: Bool?
    var battery_tenths: UInt16?
    /// Newest second of history that is durable, unix.
    var frontier: Int64
    var lastLoss: LinkLoss?
    var links: UInt32 = 0
    var moments: UInt32 = 0
    var lastOffload: Offload.Outcome?
    var connecting: Peer?
    var hangUpReason = ""
    var exitHighFrequency = true
    var ticket: UInt32 = 0
    var pendingMoments: [(ticket: UInt32, buzz: Bool)] = []
    /// No connect to a strap that was forgotten, so that it can enter pairing mode.
    var stayOff: (peer: Peer, until: Instant)?
    /// Ours until a window was opened for another; ours again when that one was not paired.
    var former: Peer?
    /// Met for the first time in the window that is open.
    var tried: Peer?

    /// Moments carry tickets from here on; bursts below.
    static let momentTickets: UInt32 = 1 << 31
    /// A heart rate older than this is not shown.
    static let heartRateLife_ms: Int64 = 10_000
    static let stayOff_ms: Int64 = 60_000

    /// - Parameter frontier: newest second of history in the store, unix; 0 when there is none.
    public init(settings: Settings, clock: any Clock, radio: any Radio, store: any Store, indicator: any Indicator, notebook: any Notebook, log: any Log, frontier: Int64) {
        self.settings = settings
        self.clock = clock
        self.radio = radio
        self.store = Ledger(store, clock: clock)
        self.notebook = notebook
        self.log = log
        self.frontier = frontier
        zones = Zones(hrMax: settings.hrMax, age: settings.age)
        roster = Roster(parsing: notebook.load())
        started = clock.now
        lamp = Lamp(indicator, now: started)
    }

    public func start() {
        if let strap = roster.active { store.announce(strap) }
        radio.start(self)
        refresh()
    }

    // MARK: time

    /// When `tick` wants to be called.
    public var deadline: Instant {
        var next = min(supervisor.deadline, pairing.deadline(choosing: supervisor.state == .searching, asking: canPair))
        next = min(next, gesture.deadline)
        if let at = gesture.longAt, lamp.signal != .holding { next = min(next, at) }
        next = min(next, lamp.deadline)
        next = min(next, alert.deadline)
        if let session { next = min(next, session.deadline) }
        if let heartRate { next = min(next, heartRate.at + Self.heartRateLife_ms) }
        return next
    }

    /// To be called at the deadline, and after every event.
    public func tick() {
        let now = clock.now
        session?.tick(now: now)
        if now >= supervisor.deadline { order(.restOver) }
        if let gesture = gesture.tick(now: now) { act(gesture) }
        pair(now)
        alert.tick(self, now: now)
        refresh()
        lamp.tick(now: now)
    }

    func refresh() {
        if let last = heartRate, clock.now - last.at >= Self.heartRateLife_ms { heartRate = nil }
        lamp.say(signal, now: clock.now)
    }

    /// What the LED says: a function of what is known, and of nothing else.
    var signal: LampSignal {
        if let at = gesture.longAt, clock.now >= at { return .holding }
        if pairing.isOpen { return .pairing }
        // Before the zone: what a person must see is not hidden by a heart that beats.
        if let trouble = alert.trouble { return .trouble(trouble) }
        if let heartRate { return .zone(zones.zone(of: heartRate.bpm)) }
        if session?.offload.isRunning == true { return .syncing }
        switch supervisor.state {
        case .noRadio: return .trouble(.radio)
        case .noStrap, .searching: return .noStrap
        case .connecting, .resting: return .noLink
        case .up: return .noData
        }
    }

    // MARK: small

    func remember(_ strap: Strap) {
        guard roster.strap(strap.peer) != strap else { return }
        roster.put(strap)
        save()
    }

    func save() {
        if !notebook.save(roster.text) { log.say("What is known of straps could not be written; check /var/lib/nightstand.") }
    }

    /// A sentence a person may ask for later, as a row and a line of the log.
    func reason(_ sentence: String) {
        log.say(sentence)
        keep(.reason(Stamp(clock)), sentence)
    }

    @discardableResult
    func keep(_ entry: Entry, _ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return store.put(entry, bytes.span.bytes)
    }

}

extension Offload.Outcome {
    /// A few words.
    var sentence: String {
        switch self {
        case .complete: "complete."
        case .unanswered: "the strap did not answer two requests; it is asked again later."
        case .stalled: "the strap fell silent twice; the link is made anew."
        case .notStored: "storage does not take it; the strap keeps it."
        }
    }
}
