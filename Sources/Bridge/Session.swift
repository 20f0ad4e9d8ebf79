// Owns one link from the moment ATT can be used until it is lost: handshake, live data, offload, keep-alive, watchdogs.
// Everything learned on a link lives here and dies with it. Never opens, closes or secures the link itself: it asks.
import Bluetooth
import Ports
import Whoop
import Wire

/// What a session asks for and tells.
protocol SessionOwner: AnyObject {
    func transmit(_ pdu: RawSpan) -> Bool
    /// The link is of no more use.
    func hangUp(_ why: String)
    func measureSignal()
    /// A number for a burst that no other burst has, on this link or another.
    func newTicket() -> UInt32
    /// The strap is who it is; facts may have become better. False: it has other firmware than when it was last met.
    func identified(_ strap: Strap) -> Bool
    func heard(heartRate: UInt8?, worn: Bool?)
    func doubleTapped()
    func charged(tenths: UInt16)
    /// A history record of this second has been made durable.
    func reached(second: Int64)
    /// A 5.0 refused the hello.
    func helloRefused()
    func offloadEnded(_ outcome: Offload.Outcome)
    func stateChanged()
}

final class Session: AttributeBearer, AttributeListener {
    let clock: any Clock
    let store: any Store
    let owner: any SessionOwner
    var strap: Strap
    let live: Settings.Live
    let begun: Instant

    // What is not private is written by the session's own files (Session+...) and by nobody else.

    /// Holds this session as its bearer and listener, until `end`.
    var client: AttributeClient!
    var discovery: Discovery?
    var handles: HandleTable?
    /// The hello was answered by the firmware that was there before, so the handles are this strap's and may be remembered.
    var provesHandles = false
    var step = Step.exchangeMTU
    var stepEnds = Instant.never
    private(set) var encrypted: Bool
    let leaveHighFrequency: Bool

    // Frames
    let responses = FrameStream()
    let events = FrameStream()
    let data = FrameStream()
    var frames: UInt32 = 0
    private var sequence: UInt8 = 0

    // Commands of the handshake: the one that is waited for.
    var awaited: (number: UInt8, sent: Instant)?

    // Clock
    var strapClock = StrapClock.unknown
    /// Strap seconds minus our monotonic milliseconds / 1000, from the last pair read at one instant.
    var strapOffset_ms: Int64?
    var drift_ms: Int64?

    // History
    var offload: Offload
    var range: DataRange?
    var burstTicket: UInt32 = 0
    var burstSeconds: (first: Int64, last: Int64) = (0, 0)
    var records: UInt32 = 0
    var lastOffload: Instant?
    var offloadWanted = true
    var emptyRuns = 0
    var recordsAtStart: UInt32 = 0
    /// Records of bursts that are committed.
    var recordsStored: UInt32 = 0
    var burstRecords: UInt32 = 0
    /// Milliseconds from an END to its acknowledgement, of the last burst, all of them, and the longest.
    var ackDelay_ms: (last: Int64, sum: Int64, longest: Int64, count: Int64) = (0, 0, 0, 0)
    var endCame = Instant.never

    // Live
    var heartRateAt: Instant?
    var worn: Bool?
    var mayArm = false
    var liveArmed = false
    var liveArmedAt = Instant.never
    var realtimeAt: Instant?
    var taps = InlineArray<8, StrapTime>(repeating: StrapTime(seconds: 0, fraction: 0))
    var tapPlace = 0
    var buzzing = false

    // Watchdogs
    private var heardAt: Instant
    private var hasHeard = false
    /// When the radio was asked to end the link; it is asked again where it does not.
    private var gaveUpAt: Instant?
    private var keepAliveAt: Instant
    private var signalAt: Instant
    var resubscribed = false
    private(set) var signals: (Int8, Int8, Int8) = (127, 127, 127)

    static let keepAlive_ms: Int64 = 60_000
    static let signal_ms: Int64 = 30_000
    /// Between offloads, day and night.
    static let cadence_ms: Int64 = 900_000
    /// Longest pause between empty offloads.
    static let longestCadence_ms: Int64 = 3_600_000
    static let rearm_ms: Int64 = 30_000
    static let resubscribe_ms: Int64 = 45_000
    static let silence_ms: Int64 = 120_000
    /// A link on which nothing at all arrives is a ghost of another owner.
    static let ghost_ms: Int64 = 10_000
    /// An event older than this by the strap's clock is history, not a gesture.
    static let fresh_ms: Int64 = 45_000
    /// Longer than a kernel takes to end a link.
    static let hangUp_ms: Int64 = 10_000
    static let clockDrift_ms: Int64 = 2_000
    static let roundTrip_ms: Int64 = 2_000

    enum Tag {
        static let step: UInt16 = 1, acknowledgement: UInt16 = 2, buzz: UInt16 = 3, command: UInt16 = 4
        static let keepAlive: UInt16 = 5, resubscribe: UInt16 = 6
    }

    init(strap: Strap, encrypted: Bool, handles: HandleTable?, leaveHighFrequency: Bool, live: Settings.Live, clock: any Clock, store: any Store, owner: any SessionOwner) {
        self.strap = strap
        self.encrypted = encrypted
        self.handles = handles
        self.leaveHighFrequency = leaveHighFrequency
        self.live = live
        self.clock = clock
        self.store = store
        self.owner = owner
        begun = clock.now
        heardAt = begun
        keepAliveAt = begun + Self.keepAlive_ms
        signalAt = begun + 3_000
        offload = Offload(idleLimit_ms: strap.family == .whoop5 ? 20_000 : 60_000)
        client = AttributeClient(bearer: self, listener: self)
    }

    var mtu: UInt16 { client.mtu }
    var damaged: UInt32 { responses.damaged &+ events.damaged &+ data.damaged }
    /// Hello and clock are done: the strap takes our commands.
    var isSession = false
    var handshakeDone = false
    /// The strap wants another bond than the one that encrypts this link, now or by the verdict of links before.
    var hasRefused = false
    /// Rows the store's queue had no room for.
    private(set) var unqueued: UInt32 = 0

    func start() { enter(.exchangeMTU) }

    /// The link is gone; lets go of the client, which holds this session.
    func end() {
        dropUnended()
        offload.reset()
        client = nil
    }

    // MARK: what the radio says

    func receive(_ pdu: RawSpan) {
        heardAt = clock.now
        hasHeard = true
        client.receive(pdu, now: heardAt)
    }

    func writable() { client.resume(now: clock.now) }

    func becameEncrypted() {
        guard !encrypted else { return }
        encrypted = true
        if step == .encryption { finish(.encryption) }
        owner.stateChanged()
    }

    /// A new bond clears the verdicts on the old one.
    func bonded() {
        strap.keySuspect = false
        strap.helloRefusals = 0
        becameEncrypted()
    }

    func signal(_ dBm: Int8) { signals = (dBm, signals.0, signals.1) }

    func transmit(_ pdu: RawSpan) -> Bool { owner.transmit(pdu) }

    func write(_ configuration: UInt16, on characteristic: GATTCharacteristic, tag: UInt16) {
        var value = Packet()
        value.u16(characteristic.notifies ? 1 : 2)
        if let request = AttributeRequest.write(configuration, value.bytes, tag: tag) { ask(request) }
    }

    /// The link is of no more use. It ends when the radio says so.
    func giveUp(_ why: String) {
        gaveUpAt = clock.now
        owner.hangUp(why)
    }

    func ask(_ request: AttributeRequest) {
        if !client.ask(request, now: clock.now) { giveUp("too many requests wait for the strap") }
    }

    /// Sends a command and, in a step that has one, waits for its answer.
    func send(_ command: Command, urgency: AttributeRequest.Urgency = .routine, tag: UInt16 = Tag.step) {
        guard let family = strap.family, let number = command.number(for: family) else {
            if tag == Tag.step { finish(step) }
            return
        }
        var packet = Packet()
        sequence &+= 1
        guard command.encode(family, sequence: sequence, into: &packet), let handle = handles?.find(family.uuid(of: .command))?.value,
            let request = AttributeRequest.write(handle, packet.bytes, tag: tag, urgency: urgency) else {
            if tag == Tag.step { finish(step) }
            return
        }
        if tag == Tag.step { awaited = (number, clock.now) }
        ask(request)
    }

    func attributeTimedOut(_ request: AttributeRequest) {
        giveUp("the strap left a request unanswered for 30 s")
    }

    func note(_ sentence: String) { keep(.reason(Stamp(clock)), sentence.utf8Span.span.bytes) }

    func keep(_ entry: Entry, _ bytes: RawSpan) {
        if !store.put(entry, bytes) { unqueued &+= 1 }
    }

    // MARK: time

    var deadline: Instant {
        if let gaveUpAt { return gaveUpAt + Self.hangUp_ms }
        var next = min(stepEnds, client.deadline)
        next = min(next, offload.deadline)
        next = min(next, min(data.deadline, min(responses.deadline, events.deadline)))
        next = min(next, keepAliveAt)
        next = min(next, signalAt)
        next = min(next, heardAt + (hasHeard ? Self.silence_ms : Self.ghost_ms))
        if step == .running, !offload.isRunning { next = min(next, nextOffload) }
        if let resubscribeAt { next = min(next, resubscribeAt) }
        if let rearmAt { next = min(next, rearmAt) }
        return next
    }

    func tick(now: Instant) {
        if let gaveUpAt {
            if now - gaveUpAt >= Self.hangUp_ms { giveUp("the link did not end") }
            return
        }
        client.tick(now: now)
        tickStreams(now)
        if now >= stepEnds { expire() }
        if offload.isRunning, now >= offload.deadline {
            let unended = offload.received > 0 && !offload.discardsFrames
            let action = offload.tick(now: now)
            if unended, case .finished = action { dropBurst(.idle) }
            act(action)
        }
        if gaveUpAt != nil { return }
        if now - heardAt >= Self.silence_ms { return giveUp("nothing was heard for 120 s") }
        if !hasHeard, now - heardAt >= Self.ghost_ms { return giveUp("the link is silent from its start") }
        if now >= signalAt {
            signalAt = now + Self.signal_ms
            owner.measureSignal()
        }
        if now >= keepAliveAt {
            keepAliveAt = now + Self.keepAlive_ms
            keepAlive()
        }
        if let resubscribeAt, now >= resubscribeAt {
            resubscribed = true
            if let found = handles?.find(UUID128(short: 0x2a37)), found.configuration != 0 { write(found.configuration, on: found, tag: Tag.resubscribe) }
        }
        guard step == .running else { return }
        steerLive()
        if let rearmAt, now >= rearmAt { arm() }
        if !offload.isRunning, strapClock == .untouched, clock.trusted {
            // Asked once: a strap that does not answer is not asked again on this link.
            strapClock = .unknown
            return enter(.readClock)
        }
        if !offload.isRunning, now >= nextOffload {
            offloadWanted = false
            lastOffload = now
            if clockIsAhead {
                // Set again, once in a cadence; until it takes, live data goes on alone.
                mayArm = true
                steerLive()
                return enter(.readClock)
            }
            recordsAtStart = recordsStored
            beginBurst()
            act(offload.start(now: now))
            owner.stateChanged()
        }
    }

    func keepAlive() {
        guard step >= .encryption else { return }
        // Readable without a bond too. On 4.0 its value is a stub, so there it serves only while no command may be sent.
        if strap.family == .whoop5 || !isSession, let battery = handles?.find(UUID128(short: 0x2a19)) {
            ask(.read(battery.value, tag: Tag.keepAlive))
        } else if isSession, !offload.isRunning {
            send(.getBattery, tag: Tag.keepAlive)
        }
    }
}
