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
    private let store: Ledger
    let notebook: any Notebook
    let log: any Log
    public let settings: Settings
    public let zones: Zones
    let started: Instant

    private(set) var roster: Roster
    private(set) var supervisor = Supervisor()
    private(set) var session: Session?
    private(set) var pairing = Pairing()
    private var gesture = GestureReader()
    private(set) var lamp: Lamp
    private var handles = HandleCache()
    private(set) var alert = Alert()

    private(set) var radioCondition = RadioCondition.starting
    private(set) var storeTrouble: StoreTrouble?
    private(set) var heartRate: (bpm: UInt8, at: Instant)?
    private(set) var worn: Bool?
    private(set) var battery_tenths: UInt16?
    /// Newest second of history that is durable, unix.
    private(set) var frontier: Int64
    private(set) var lastLoss: LinkLoss?
    private(set) var links: UInt32 = 0
    private(set) var moments: UInt32 = 0
    private(set) var lastOffload: Offload.Outcome?
    private var connecting: Peer?
    private var hangUpReason = ""
    private var exitHighFrequency = true
    private var ticket: UInt32 = 0
    private var pendingMoments: [(ticket: UInt32, buzz: Bool)] = []
    /// No connect to a strap that was forgotten, so that it can enter pairing mode.
    private var stayOff: (peer: Peer, until: Instant)?
    /// Ours until a window was opened for another; ours again when that one was not paired.
    private var former: Peer?
    /// Met for the first time in the window that is open.
    private var tried: Peer?

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

    private func refresh() {
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

    // MARK: the link

    private func order(_ event: Supervisor.Event) {
        let now = clock.now
        let order = supervisor.take(event, hasStrap: roster.active != nil, windowOpen: pairing.isOpen, now: now)
        switch order {
        case .none, .rest: break
        case .scan: radio.scan(true)
        case .stopScan: radio.scan(false)
        case .connect:
            radio.scan(false)
            guard let strap = roster.active else { return }
            connecting = strap.peer
            // Without a good key no security is asked for: the strap would drop the link, and live heart rate needs none.
            radio.connect(strap.peer, secured: radio.hasKey(strap.peer) && !strap.keySuspect)
        case .disconnect: radio.disconnect()
        case .powerCycle:
            reason("Eight links failed in a row; the adapter is power-cycled.")
            radio.powerCycle()
        }
    }

    public func radio(is condition: RadioCondition) {
        guard condition != radioCondition else { return }
        radioCondition = condition
        if condition == .ready {
            log.say("Bluetooth is ready.")
            order(.radioReady)
        } else {
            if condition != .starting { reason(condition.sentence) }
            endSession(LinkLoss(.adapter, wasUp: session != nil))
            order(.radioGone)
        }
        refresh()
    }

    public func found(_ peer: Peer, signal_dBm: Int8, advertisement: RawSpan) {
        let data = Advertisement(advertisement)
        for family in [Family.whoop4, Family.whoop5] where data.names(family.service) {
            if let off = stayOff, off.peer == peer, clock.now < off.until { return }
            var name = ""
            if let bytes = data.name { name = printable(bytes) }
            pairing.heard(Pairing.Candidate(peer: peer, family: family, signal_dBm: signal_dBm, name: name), now: clock.now)
        }
    }

    public func linkUp(encrypted: Bool) {
        guard let peer = connecting, let strap = roster.strap(peer) else { return radio.disconnect() }
        links &+= 1
        hangUpReason = ""
        order(.linkUp)
        store.announce(strap)
        session = Session(strap: strap, encrypted: encrypted, handles: handles.table(of: peer), leaveHighFrequency: exitHighFrequency,
            live: settings.live, clock: clock, store: store, owner: self)
        log.say("Link to \(strap.peer.address.text) is up\(encrypted ? ", encrypted" : "").")
        session?.start()
        refresh()
    }

    public func linkDown(_ loss: LinkLoss) {
        lastLoss = loss
        if loss.cause == .authentication, let peer = connecting, var strap = roster.strap(peer), radio.hasKey(peer), !strap.keySuspect {
            // The key is kept until a new bond has succeeded; only it is not used.
            strap.keySuspect = true
            remember(strap)
            reason("The strap has lost our bond; live heart rate goes on, and history needs a new pairing (hold the button for 3 s, or: nightstand pair).")
        }
        endSession(loss)
        pairing.interrupted(now: clock.now)
        order(.linkDown(loss))
        refresh()
    }

    private func endSession(_ loss: LinkLoss) {
        guard let ended = session else { return }
        session = nil
        ended.end()
        heartRate = nil
        if ended.provesHandles, let table = ended.handles { handles.remember(table, of: ended.strap.peer) } else { handles.forget(ended.strap.peer) }
        let why = hangUpReason.isEmpty ? loss.words : hangUpReason
        let epitaph = Epitaph(uptime_ms: clock.now - ended.begun, frames: ended.frames, damaged: ended.damaged, signals_dBm: ended.signals)
        keep(.epitaph(Stamp(clock), epitaph), why)
        log.say("Link is down after \(epitaph.uptime_ms / 1000) s: \(why).")
        if ended.unqueued > 0 { reason("\(ended.unqueued) live rows found no room in the store's queue and are lost.") }
    }

    public func received(_ pdu: RawSpan) { session?.receive(pdu) }
    public func writable() { session?.writable() }
    public func signal(_ dBm: Int8) { session?.signal(dBm) }

    public func encrypted(keyBytes: Int) {
        session?.becameEncrypted()
        refresh()
    }

    // MARK: pairing

    /// Opens the window. `address`: only this strap.
    public func openPairing(_ address: Address?) {
        pairing.open(address, now: clock.now)
        log.say("The pairing window is open for 120 s.")
        if let address, let active = roster.active, active.peer.address != address {
            if !dropTried() { former = active.peer }
            roster.deactivate()
            letGo()
        } else if let session, session.encrypted, session.hasRefused, var strap = roster.active, isOurs(session) {
            // Its bond is worth nothing: a new link without it, on which a new one can be made. The old key stays until then.
            strap.keySuspect = true
            remember(strap)
            hangUp("a new bond is to be made")
        }
        order(.windowOpened)
        refresh()
    }

    private func pair(_ now: Instant) {
        guard pairing.isOpen else { return }
        if pairing.isOver(now: now) {
            radio.cancelPairing()
            let why = pairing.last?.sentence ?? (pairing.candidates.isEmpty ? "No strap was heard; bring it near, switch the phone's Bluetooth off, and try again." : "No strap was paired.")
            reason("The pairing window has closed. \(why)")
            // A strap that was only tried is not ours.
            if dropTried() { letGo() }
            closePairing()
            return
        }
        if supervisor.state == .searching, let one = pairing.chosen(now: now) {
            if roster.strap(one.peer) == nil { tried = one.peer }
            var strap = roster.strap(one.peer) ?? Strap(one.peer)
            strap.family = one.family
            strap.name = one.name
            roster.put(strap)
            roster.activate(one.peer)
            save()
            order(.strapChosen)
        }
        if canPair, pairing.wants(now: now) { radio.pair() }
        if let session, session.encrypted, !session.hasRefused, isOurs(session), !pairing.underWay { closePairing() }
    }

    /// A link is up, has shown what it can without a bond, and could be encrypted.
    private var canPair: Bool { session.map { !$0.encrypted && $0.step >= .encryption && isOurs($0) } ?? false }

    /// Not so while the link to a strap that was let go is still ending.
    private func isOurs(_ session: Session) -> Bool { session.strap.peer == roster.active?.peer }

    public func paired() {
        guard let peer = session?.strap.peer else { return }
        // A bond that came after its strap was let go is nobody's.
        guard var strap = roster.strap(peer) else { return radio.forget(peer) }
        strap.keySuspect = false
        strap.helloRefusals = 0
        remember(strap)
        keep(.bond(Stamp(clock), made: true), "")
        log.say("Paired with \(strap.peer.address.text).")
        session?.bonded()
        closePairing()
        refresh()
    }

    /// Forgets a strap that was met in this window and has made no bond. False: there is none.
    private func dropTried() -> Bool {
        guard let peer = tried else { return false }
        tried = nil
        guard roster.strap(peer) != nil, !radio.hasKey(peer) else { return false }
        roster.remove(peer)
        save()
        return true
    }

    private func closePairing() {
        tried = nil
        pairing.close()
        order(.windowClosed)
        if let former, roster.active == nil {
            roster.activate(former)
            order(.strapChosen)
        }
        former = nil
    }

    /// Ends the link to a strap that is no longer the active one, or gives up reaching it.
    private func letGo() {
        order(.strapForgotten)
        if supervisor.state == .connecting { order(.linkDown(LinkLoss(.local, wasUp: false))) }
    }

    public func pairingFailed(_ failure: PairingFailure) {
        pairing.failed(failure, now: clock.now)
        log.say(failure.sentence)
    }

    /// Lets the strap go: link, key and memory of it; rows stay.
    public func forget() -> Bool {
        guard let strap = roster.active else { return false }
        radio.forget(strap.peer)
        keep(.bond(Stamp(clock), made: false), "")
        roster.remove(strap.peer)
        handles.forget(strap.peer)
        save()
        stayOff = (strap.peer, clock.now + Self.stayOff_ms)
        worn = nil
        battery_tenths = nil
        letGo()
        log.say("Forgot \(strap.peer.address.text).")
        refresh()
        return true
    }

    // MARK: what a session asks and tells

    func transmit(_ pdu: RawSpan) -> Bool { radio.send(pdu) == .sent }

    func hangUp(_ why: String) {
        hangUpReason = why
        radio.disconnect()
    }

    func measureSignal() { radio.measureSignal() }

    func newTicket() -> UInt32 {
        ticket = (ticket &+ 1) & ~Self.momentTickets
        return ticket
    }

    func identified(_ strap: Strap) -> Bool {
        // It may have been forgotten while its last words were on the way.
        guard var known = roster.strap(strap.peer) else { return false }
        let isSame = strap.firmware.isEmpty || known.firmware.isEmpty || known.firmware == strap.firmware
        known.family = strap.family
        if !strap.serial.isEmpty { known.serial = strap.serial }
        if !strap.firmware.isEmpty { known.firmware = strap.firmware }
        known.helloRefusals = strap.helloRefusals
        remember(known)
        store.announce(known)
        return isSame
    }

    func helloRefused() {
        guard let session, var strap = roster.strap(session.strap.peer) else { return }
        strap.helloRefusals = min(strap.helloRefusals + 1, Strap.helloRefusalLimit)
        remember(strap)
        reason("The strap refuses our session though the link is encrypted (\(strap.helloRefusals) of \(Strap.helloRefusalLimit)); live heart rate goes on.")
    }

    func heard(heartRate bpm: UInt8?, worn: Bool?) {
        if let bpm { heartRate = (bpm, clock.now) }
        if let worn {
            self.worn = worn
            if !worn { heartRate = nil }
        }
        refresh()
    }

    func charged(tenths: UInt16) { battery_tenths = tenths }
    /// By an untrusted clock a record of the far future cannot be told from one of now.
    func reached(second: Int64) {
        if clock.trusted { frontier = max(frontier, second) }
    }
    func stateChanged() { refresh() }

    func offloadEnded(_ outcome: Offload.Outcome) {
        lastOffload = outcome
        if outcome == .complete { exitHighFrequency = false }
        if outcome != .complete { reason("History ended early: \(outcome.sentence)") }
        refresh()
    }

    func doubleTapped() { mark(.strapTap, "") }

    // MARK: the store

    public func stored(_ ticket: UInt32) {
        guard ticket >= Self.momentTickets else { session?.stored(ticket); return }
        guard let i = pendingMoments.firstIndex(where: { $0.ticket == ticket }) else { return }
        let moment = pendingMoments.remove(at: i)
        moments &+= 1
        if moment.buzz { _ = buzz() }
    }

    public func notStored(_ ticket: UInt32, _ trouble: StoreTrouble) {
        if ticket < Self.momentTickets { session?.notStored(ticket) } else {
            pendingMoments.removeAll { $0.ticket == ticket }
            lamp.flash(.refused, for_ms: 2_000, now: clock.now)
        }
        storage(has: trouble)
    }

    public func storage(has trouble: StoreTrouble?) {
        guard trouble != storeTrouble else { return }
        let before = storeTrouble
        storeTrouble = trouble
        if let trouble { log.say(trouble.sentence) } else if before != nil {
            log.say("Storage works again.")
            _ = session?.sync()
        }
        refresh()
    }

    // MARK: the button, and what people ask

    public func button(pressed: Bool, at: Instant) {
        if let gesture = gesture.button(pressed: pressed, at: at) { act(gesture) }
    }

    private func act(_ gesture: Gesture) {
        switch gesture {
        case .short: mark(.button, "")
        case .double: if !buzz() { lamp.flash(.refused, for_ms: 1_500, now: clock.now) }
        case .long: openPairing(nil)
        case .veryLong: if !forget() { lamp.flash(.refused, for_ms: 1_500, now: clock.now) }
        }
    }

    /// Marks a moment; once it is on the card the strap gives one short buzz, unless it came from the command line.
    /// False: storage has no room for it, and it is lost.
    @discardableResult
    public func mark(_ source: MomentSource, _ note: String) -> Bool {
        let number = Self.momentTickets | newTicket()
        guard keep(.moment(Stamp(clock), source, ticket: number), note) else {
            lamp.flash(.refused, for_ms: 2_000, now: clock.now)
            return false
        }
        pendingMoments.append((number, source != .command))
        return true
    }

    /// One short buzz of the strap. False: there is no session.
    public func buzz() -> Bool { session?.buzz() ?? false }

    /// Asks for history now. False: there is no session.
    public func sync() -> Bool { session?.sync() ?? false }

    /// The last thing before the process ends.
    public func stop() {
        session?.farewell()
        lamp.off()
    }

    // MARK: small

    private func remember(_ strap: Strap) {
        guard roster.strap(strap.peer) != strap else { return }
        roster.put(strap)
        save()
    }

    private func save() {
        if !notebook.save(roster.text) { log.say("What is known of straps could not be written; check /var/lib/nightstand.") }
    }

    /// A sentence a person may ask for later, as a row and a line of the log.
    func reason(_ sentence: String) {
        log.say(sentence)
        keep(.reason(Stamp(clock)), sentence)
    }

    @discardableResult
    private func keep(_ entry: Entry, _ text: String) -> Bool {
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
