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
    private let owner: any SessionOwner
    private(set) var strap: Strap
    let live: Settings.Live
    let begun: Instant

    /// Holds this session as its bearer and listener, until `end`.
    private var client: AttributeClient!
    private var discovery: Discovery?
    var handles: HandleTable?
    /// The hello was answered by the firmware that was there before, so the handles are this strap's and may be remembered.
    private(set) var provesHandles = false
    private(set) var step = Step.exchangeMTU
    private var stepEnds = Instant.never
    private(set) var encrypted: Bool
    private let leaveHighFrequency: Bool

    // Frames
    private let responses = FrameStream()
    private let events = FrameStream()
    private let data = FrameStream()
    private(set) var frames: UInt32 = 0
    private var sequence: UInt8 = 0

    // Commands of the handshake: the one that is waited for.
    private var awaited: (number: UInt8, sent: Instant)?

    // Clock
    private(set) var strapClock = StrapClock.unknown
    /// Strap seconds minus our monotonic milliseconds / 1000, from the last pair read at one instant.
    private var strapOffset_ms: Int64?
    private(set) var drift_ms: Int64?

    // History
    private(set) var offload: Offload
    private(set) var range: DataRange?
    private var burstTicket: UInt32 = 0
    private var burstSeconds: (first: Int64, last: Int64) = (0, 0)
    private(set) var records: UInt32 = 0
    private(set) var lastOffload: Instant?
    private var offloadWanted = true
    private var emptyRuns = 0
    private var recordsAtStart: UInt32 = 0
    /// Records of bursts that are committed.
    private(set) var recordsStored: UInt32 = 0
    private var burstRecords: UInt32 = 0
    /// Milliseconds from an END to its acknowledgement, of the last burst, all of them, and the longest.
    private(set) var ackDelay_ms: (last: Int64, sum: Int64, longest: Int64, count: Int64) = (0, 0, 0, 0)
    private var endCame = Instant.never

    // Live
    private(set) var heartRateAt: Instant?
    private var worn: Bool?
    private var mayArm = false
    private var liveArmed = false
    private var liveArmedAt = Instant.never
    private var realtimeAt: Instant?
    private var taps = InlineArray<8, StrapTime>(repeating: StrapTime(seconds: 0, fraction: 0))
    private var tapPlace = 0
    private var buzzing = false

    // Watchdogs
    private var heardAt: Instant
    private var hasHeard = false
    /// When the radio was asked to end the link; it is asked again where it does not.
    private var gaveUpAt: Instant?
    private var keepAliveAt: Instant
    private var signalAt: Instant
    private var resubscribed = false
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

    private enum Tag {
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
    private(set) var isSession = false
    private var handshakeDone = false
    /// The strap wants another bond than the one that encrypts this link, now or by the verdict of links before.
    private(set) var hasRefused = false
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

    // MARK: the handshake

    private func enter(_ next: Step) {
        // The clock's steps can come a second time, when our own time has become trusted; the others never do.
        if next == .quiet {
            isSession = true
            if handshakeDone { return enter(.running) }
        }
        step = next
        let now = clock.now
        stepEnds = next.limit_ms > 0 ? now + next.limit_ms : .never
        awaited = nil
        switch next {
        case .exchangeMTU:
            ask(.exchangeMTU(tag: Tag.step))
        case .discover:
            if handles != nil { return finish(.discover) }
            discovery = Discovery(wanted: [Family.whoop4.service, Family.whoop5.service, UUID128(short: 0x180d), UUID128(short: 0x180f)])
            discovery?.begin(client, now: now)
        case .subscribeHeartRate:
            subscribe(UUID128(short: 0x2a37))
        case .subscribeBattery:
            // On 4.0 the characteristic is a stub that says 100 for ever.
            if strap.family == .whoop5 { subscribe(UUID128(short: 0x2a19)) } else { finish(next) }
        case .encryption:
            owner.stateChanged()
            if encrypted { finish(next) }
        case .subscribeResponses: subscribe(.responses)
        case .subscribeEvents: subscribe(.events)
        case .subscribeData: subscribe(.data)
        case .probe where strap.family != .whoop4, .quiet where strap.family != .whoop4:
            finish(next)
        case .leaveHighFrequency where !leaveHighFrequency:
            finish(next)
        case .hello where strap.helloRefusals >= Strap.helloRefusalLimit:
            // The verdict stands until a bond succeeds or the strap is forgotten: live heart rate only.
            stepEnds = .never
            hasRefused = true
        case .helloAgain:
            // Reached only from an unanswered hello.
            send(.hello)
        case .setClock:
            guard clock.trusted, let time = StrapTime(clock.wall), let drift = drift_ms, abs(drift) >= Self.clockDrift_ms else {
                if !clock.trusted { strapClock = .untouched }
                return enter(.quiet)
            }
            send(.setClock(time))
        case .settle:
            break
        case .running:
            handshakeDone = true
            owner.stateChanged()
        default:
            if let command = next.command { send(command) } else { finish(next) }
        }
    }

    /// A step has done its work. Says nothing when it is not the one under way.
    private func finish(_ done: Step) {
        guard step == done else { return }
        switch done {
        case .hello: enter(.readClock)
        default: enter(done.next)
        }
    }

    /// A step has run out of time.
    private func expire() {
        let over = step
        stepEnds = .never
        switch over {
        case .hello: enter(.helloAgain)
        case .helloAgain: note("The strap did not answer the hello; going on without its identity."); enter(.readClock)
        case .readClock: note("The strap did not tell its clock."); enter(.quiet)
        case .setClock: enter(.verifyClock)
        case .verifyClock: strapClock = .invalid; note("The strap's clock could not be read back after it was set."); enter(.quiet)
        default: finish(over)
        }
    }

    private func subscribe(_ characteristic: Whoop.Characteristic) {
        guard let family = strap.family else { return finish(step) }
        subscribe(family.uuid(of: characteristic))
    }

    private func subscribe(_ uuid: UUID128) {
        guard let found = handles?.find(uuid), found.configuration != 0 else { return finish(step) }
        write(found.configuration, on: found, tag: Tag.step)
    }

    private func write(_ configuration: UInt16, on characteristic: GATTCharacteristic, tag: UInt16) {
        var value = Packet()
        value.u16(characteristic.notifies ? 1 : 2)
        if let request = AttributeRequest.write(configuration, value.bytes, tag: tag) { ask(request) }
    }

    /// The link is of no more use. It ends when the radio says so.
    private func giveUp(_ why: String) {
        gaveUpAt = clock.now
        owner.hangUp(why)
    }

    private func ask(_ request: AttributeRequest) {
        if !client.ask(request, now: clock.now) { giveUp("too many requests wait for the strap") }
    }

    /// Sends a command and, in a step that has one, waits for its answer.
    private func send(_ command: Command, urgency: AttributeRequest.Urgency = .routine, tag: UInt16 = Tag.step) {
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

    // MARK: what the attribute client says

    func attribute(_ request: AttributeRequest, ended outcome: AttributeOutcome) {
        let now = clock.now
        if request.tag == Discovery.tag {
            guard let progress = discovery?.take(outcome, of: request, client, now: now) else { return }
            switch progress {
            case .going: break
            case .failed: giveUp("the strap's services could not be read")
            case .complete: discovered()
            }
            return
        }
        var refusal: AttributeError?
        if case .refused(let error) = outcome { refusal = error }
        if let error = refusal, error.staleHandle, request.kind == .write || request.kind == .read {
            handles = nil
            return giveUp("the strap's handles have changed")
        }
        switch request.tag {
        case Tag.step:
            stepAnswered(request, refusal)
        case Tag.acknowledgement:
            if refusal == nil { acknowledged(now) } else { note("The strap refused an acknowledgement (ATT \(refusal?.code ?? 0)).") }
        case Tag.buzz:
            buzzing = false
        case Tag.keepAlive:
            if request.kind == .read, strap.family == .whoop5, case .answer(let value) = outcome, value.byteCount >= 1, value.u8(at: 0) <= 100 {
                charged(UInt16(value.u8(at: 0)) * 10)
            }
        default:
            break
        }
    }

    private func stepAnswered(_ request: AttributeRequest, _ refusal: AttributeError?) {
        switch step {
        case .exchangeMTU, .subscribeHeartRate, .subscribeBattery, .subscribeResponses, .subscribeEvents:
            if refusal?.wantsBond == true, step > .encryption { return bondRefused() }
            finish(step)
        case .subscribeData:
            if refusal?.wantsBond == true { return bondRefused() }
            finish(step)
        case .probe:
            if refusal?.wantsBond == true { return bondRefused() }
            finish(step)
        case .hello, .helloAgain:
            if refusal?.wantsBond == true { return bondRefused() }
        default:
            break  // the answer to a command comes as a frame
        }
    }

    /// The strap wants a bond though the kernel says that the link is encrypted. The link stays: live heart rate goes on.
    private func bondRefused() {
        stepEnds = .never
        awaited = nil
        isSession = false
        hasRefused = true
        step = .encryption
        owner.helloRefused()
        owner.stateChanged()
    }

    private func discovered() {
        handles = discovery?.table
        discovery = nil
        let found: Family? = handles.flatMap { table in
            for family in [Family.whoop4, Family.whoop5] where table.find(family.uuid(of: .command)) != nil { return family }
            return nil
        }
        guard let family = found else { return giveUp("this is not a strap: it has no service of WHOOP's") }
        strap.family = family
        offload = Offload(idleLimit_ms: family == .whoop5 ? 20_000 : 60_000)
        _ = owner.identified(strap)
        finish(.discover)
    }

    func attributeTimedOut(_ request: AttributeRequest) {
        giveUp("the strap left a request unanswered for 30 s")
    }

    func attribute(_ handle: UInt16, changed value: RawSpan) {
        guard let table = handles else { return }
        for i in 0..<table.count where table[i].value == handle {
            return changed(table[i].uuid, value)
        }
    }

    private func changed(_ uuid: UUID128, _ value: RawSpan) {
        if uuid.short == 0x2a37 { return heartRate(value) }
        if uuid.short == 0x2a19 { if value.byteCount >= 1, value.u8(at: 0) <= 100 { charged(UInt16(value.u8(at: 0)) * 10) }; return }
        guard let family = strap.family else { return }
        if uuid == family.uuid(of: .data) {
            noticingDamage { data.feed(value, family: family, now: clock.now) { frame in take(frame, from: .data) } }
        } else if uuid == family.uuid(of: .responses) {
            responses.feed(value, family: family, now: clock.now) { frame in take(frame, from: .responses) }
        } else if uuid == family.uuid(of: .events) {
            events.feed(value, family: family, now: clock.now) { frame in take(frame, from: .events) }
        }
    }

    private func noticingDamage(_ work: () -> Void) {
        let before = data.damaged
        work()
        if data.damaged != before { offload.damage() }
    }

    private func tickStreams(_ now: Instant) {
        noticingDamage { data.tick(now: now) { frame in take(frame, from: .data) } }
        responses.tick(now: now) { frame in take(frame, from: .responses) }
        events.tick(now: now) { frame in take(frame, from: .events) }
    }

    // MARK: frames

    private func take(_ frame: borrowing Frame, from characteristic: Whoop.Characteristic) {
        frames &+= 1
        let type = frame.type
        switch type {
        case PacketType.response, PacketType.packResponse:
            if let response = Response(frame) { answered(response) }
            return
        case PacketType.metadata, PacketType.packMetadata:
            if let metadata = Metadata(frame) { history(metadata, frame.bytes) }
            return
        case PacketType.liveRecord:
            return  // the flood of raw records: switched off in the handshake, not kept
        case PacketType.realtime:
            if let realtime = Realtime(frame) { live(realtime) }
        case PacketType.event:
            if let event = Event(frame) { happened(event) }
        default:
            break
        }
        if characteristic == .data, PacketType.countsInBurst(type),
            offload.frame(isRecord: type == PacketType.record, checksum: frame.bytes.u32(at: frame.bytes.byteCount - 4), now: clock.now) {
            if type == PacketType.record, let record = Record(frame) {
                burstRecords &+= 1
                records &+= 1
                if record.time.isPlausible(wall: clock.wall) || !clock.trusted {
                    let second = Int64(record.unix)
                    if burstSeconds.first == 0 { burstSeconds.first = second }
                    burstSeconds.last = max(burstSeconds.last, second)
                }
            }
            if !store.put(.historyFrame(Stamp(clock)), frame.bytes) { offload.lose() }
        } else if type != PacketType.record, characteristic != .data || !offload.discardsFrames {
            keep(.liveFrame(Stamp(clock)), frame.bytes)
        }
        // What is left is history that was not acknowledged: the strap serves it again.
    }

    private func answered(_ response: borrowing Response) {
        if let tenths = response.battery_tenths { charged(tenths) }
        guard let waited = awaited, waited.number == response.command else { return }
        let now = clock.now
        switch step {
        case .hello, .helloAgain:
            // A 5.0 answers "pending" first; the real answer follows.
            guard response.result != .pending else { return }
            if let hello = response.hello { greet(hello) }
            enter(.readClock)
        case .readClock, .verifyClock:
            guard response.result != .pending else { return }
            if let time = response.clock { read(time, sent: waited.sent, now: now) } else { finish(step) }
        case .setClock:
            enter(.verifyClock)
        case .range:
            guard response.result != .pending else { return }
            range = response.dataRange
            finish(step)
        default:
            finish(step)
        }
    }

    private func greet(_ hello: borrowing Hello) {
        if let serial = hello.serial { strap.serial = printable(serial) }
        if let version = hello.firmware { strap.firmware = version.text }
        strap.helloRefusals = 0
        provesHandles = owner.identified(strap)
        if let tenths = hello.battery_tenths { charged(tenths) }
        heard(nil, worn: hello.isWorn ? true : nil)
    }

    private func read(_ time: StrapTime, sent: Instant, now: Instant) {
        let roundTrip = now - sent
        // Two readings that are not of one instant say nothing (ENGINE 2.6).
        guard roundTrip <= Self.roundTrip_ms else {
            note("The strap took \(roundTrip) ms to tell its clock; the reading is not used.")
            return step == .readClock ? enter(.quiet) : expire()
        }
        strapOffset_ms = time.milliseconds - now.milliseconds
        drift_ms = time.milliseconds - clock.wall.milliseconds
        keep(.clockPair(Stamp(clock), seconds: time.seconds, fraction: time.fraction, roundTrip_ms: Int32(roundTrip)), RawSpan())
        let close = abs(drift_ms ?? 0) < Self.clockDrift_ms
        if step == .readClock {
            if clock.trusted, close { strapClock = .verified }
            enter(.setClock)
        } else {
            let isNews = strapClock != .invalid
            strapClock = close ? .verified : .invalid
            if close { offloadWanted = true }
            if !close, isNews { note("The strap did not take the time: it is off by \((drift_ms ?? 0) / 1000) s and may not be recording.") }
            enter(.quiet)
        }
        owner.stateChanged()
    }

    // MARK: live

    private func heartRate(_ value: RawSpan) {
        guard let measurement = HeartRateMeasurement(value) else { return }
        keep(.heartRate(Stamp(clock)), value)
        beat(measurement.heartRate, worn: measurement.contact)
    }

    private func live(_ realtime: borrowing Realtime) {
        realtimeAt = clock.now
        beat(realtime.heartRate, worn: realtime.isWorn)
    }

    private func beat(_ bpm: UInt8?, worn: Bool?) {
        if bpm != nil {
            heartRateAt = clock.now
            resubscribed = false
        }
        heard(bpm, worn: bpm != nil ? worn ?? true : worn)
    }

    private func heard(_ bpm: UInt8?, worn: Bool?) {
        owner.heard(heartRate: bpm, worn: worn)
        guard let worn, worn != self.worn else { return }
        self.worn = worn
        steerLive()
    }

    private func happened(_ event: borrowing Event) {
        switch event.number {
        case .doubleTap where isFresh(event.time): owner.doubleTapped()
        case .wristOn where isFresh(event.time, once: false): heard(nil, worn: true)
        case .wristOff where isFresh(event.time, once: false): heard(nil, worn: false)
        case .batteryLevel:
            if let tenths = event.battery?.tenths, isFresh(event.time, once: false) { charged(tenths) }
        default: break
        }
    }

    /// Whether an event is of now by the strap's own clock, and, with `once`, has not been seen before.
    private func isFresh(_ time: StrapTime, once: Bool = true) -> Bool {
        let strapNow = strapOffset_ms.map { $0 + clock.now.milliseconds } ?? clock.wall.milliseconds
        guard abs(strapNow - time.milliseconds) <= Self.fresh_ms else { return false }
        guard once else { return true }
        for i in 0..<8 where taps[i] == time { return false }
        taps[tapPlace] = time
        tapPlace = (tapPlace + 1) % 8
        return true
    }

    private func charged(_ tenths: UInt16) {
        keep(.battery(Stamp(clock), tenths: tenths), RawSpan())
        owner.charged(tenths: tenths)
    }

    /// One short buzz. False: there is no session to carry it.
    func buzz() -> Bool {
        guard isSession else { return false }
        if !buzzing {
            buzzing = true
            send(.buzz(loops: 1), urgency: .person, tag: Tag.buzz)
        }
        return true
    }

    /// Stops a pattern that may be under way; the last thing a session says.
    func farewell() {
        if buzzing { send(.stopHaptics, urgency: .person, tag: Tag.command) }
    }

    // MARK: history

    /// Asks for history now, whatever the cadence says. False: there is no session.
    func sync() -> Bool {
        guard isSession else { return false }
        emptyRuns = 0
        offloadWanted = true
        return true
    }

    private func history(_ metadata: borrowing Metadata, _ frame: RawSpan) {
        let now = clock.now
        switch metadata.kind {
        case .start:
            // What is being committed keeps its count until the store has answered.
            if !offload.discardsFrames { beginBurst() }
            act(offload.historyStart(now: now))
        case .end:
            guard let announced = metadata.announced, let token = metadata.token else { return note("An END without a token was ignored.") }
            let action = offload.historyEnd(announced: announced, token: token, now: now)
            guard case .commit(let burst) = action else { return act(action) }
            endCame = now
            commit(burst, frame)
        case .complete:
            dropUnended()
            act(offload.historyComplete())
        case .other(let kind):
            note("Metadata of kind \(kind) was ignored.")
        }
    }

    private func beginBurst() {
        burstRecords = 0
        burstSeconds = (0, 0)
    }

    private func commit(_ burst: Offload.Burst, _ frame: RawSpan) {
        if burst.isShort {
            let why = "the strap served a burst three times with \(burst.received) of \(burst.announced) frames"
            // A hole that is not written down must not be passed.
            guard store.put(.gap(Stamp(clock), from: burstSeconds.first, to: burstSeconds.last), why.utf8Span.span.bytes) else {
                return act(offload.notStored())
            }
            note("Passed an incomplete burst: \(why).")
        }
        burstTicket = owner.newTicket()
        let end = BurstEnd(announced: burst.announced, received: burst.received, token: burst.token)
        if !store.put(.burst(end, Stamp(clock), ticket: burstTicket), frame) { act(offload.notStored()) }
    }

    /// The store's word on a burst.
    func stored(_ ticket: UInt32) {
        guard ticket == burstTicket else { return }
        recordsStored &+= burstRecords
        if burstSeconds.last > 0 { owner.reached(second: burstSeconds.last) }
        beginBurst()
        act(offload.stored(now: clock.now))
    }

    func notStored(_ ticket: UInt32) {
        guard ticket == burstTicket else { return }
        act(offload.notStored())
    }

    private func act(_ action: Offload.Action) {
        switch action {
        case .none: break
        case .request: send(.sendHistory, tag: Tag.command)
        case .acknowledge(let token): send(.burstStored(token: token), urgency: .acknowledgement, tag: Tag.acknowledgement)
        case .drop(let refusal): dropBurst(refusal)
        case .abort(let refusal):
            dropBurst(refusal)
            send(.abortHistory, tag: Tag.command)
            if refusal == .notStored { ended(.notStored) }
        case .commit: break  // made with its frame, in `history`
        case .finished(let outcome): ended(outcome)
        }
    }

    /// Frames without their END belong to no burst that comes after.
    private func dropUnended() {
        if offload.received > 0, !offload.discardsFrames { dropBurst(.linkLost) }
    }

    private func dropBurst(_ refusal: Offload.Refusal) {
        beginBurst()
        let why = refusal.sentence
        keep(.burstDropped(Stamp(clock)), why.utf8Span.span.bytes)
    }

    private func acknowledged(_ now: Instant) {
        let delay = now - endCame
        ackDelay_ms = (delay, ackDelay_ms.sum + delay, max(ackDelay_ms.longest, delay), ackDelay_ms.count + 1)
        owner.stateChanged()
    }

    private func ended(_ outcome: Offload.Outcome) {
        lastOffload = clock.now
        emptyRuns = recordsStored > recordsAtStart ? 0 : min(emptyRuns + 1, 8)
        // Not before the first run has ended: the stream would take its air. However it ended: live data waits for no history.
        mayArm = true
        if outcome != .stalled { steerLive() }
        owner.offloadEnded(outcome)
        if outcome == .stalled { giveUp("history stalled twice") }
    }

    /// Whether the live stream is to run.
    private var wantsLive: Bool { live == .always || live == .worn && worn != false }

    /// Switches the live stream where it is not as it is to be; never inside a run of history.
    private func steerLive() {
        guard mayArm, !offload.isRunning, wantsLive != liveArmed else { return }
        if wantsLive { return arm() }
        liveArmed = false
        send(.realtimeHeartRate(.off), tag: Tag.command)
    }

    private func arm() {
        liveArmed = true
        liveArmedAt = clock.now
        send(.realtimeHeartRate(.on), tag: Tag.command)
    }

    private func note(_ sentence: String) { keep(.reason(Stamp(clock)), sentence.utf8Span.span.bytes) }

    private func keep(_ entry: Entry, _ bytes: RawSpan) {
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

    /// When heart rate has been missing for so long that its subscription is written again; nil: not to be.
    private var resubscribeAt: Instant? {
        guard step >= .encryption, !resubscribed else { return nil }
        return heartRateAt.map { $0 + Self.resubscribe_ms }
    }

    /// When the live stream is armed again; nil: not to be.
    private var rearmAt: Instant? {
        guard liveArmed, step == .running, !offload.isRunning else { return nil }
        return max(realtimeAt ?? liveArmedAt, liveArmedAt) + Self.rearm_ms
    }

    private var nextOffload: Instant {
        guard let last = lastOffload, !offloadWanted else { return begun }
        return last + pause_ms
    }

    /// From one run of history to the next: longer when there was nothing new three times.
    var pause_ms: Int64 {
        emptyRuns < 3 ? Self.cadence_ms : min(Self.longestCadence_ms, Self.cadence_ms * Int64(1 << (emptyRuns - 2)))
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

    /// More than a day in the future: what it would date now is wrong, so no offload is begun by itself.
    private var clockIsAhead: Bool { clock.trusted && (drift_ms ?? 0) > 86_400_000 && strapClock != .verified }

    private func keepAlive() {
        guard step >= .encryption else { return }
        // Readable without a bond too. On 4.0 its value is a stub, so there it serves only while no command may be sent.
        if strap.family == .whoop5 || !isSession, let battery = handles?.find(UUID128(short: 0x2a19)) {
            ask(.read(battery.value, tag: Tag.keepAlive))
        } else if isSession, !offload.isRunning {
            send(.getBattery, tag: Tag.keepAlive)
        }
    }
}

extension Offload.Refusal {
    /// One sentence.
    var sentence: String {
        switch self {
        case .short(let received, let announced): "A burst came with \(received) of \(announced) frames and was not acknowledged."
        case .damaged: "A burst came with a damaged frame and was not acknowledged."
        case .notStored: "A burst could not be made durable and was not acknowledged."
        case .notTaken: "The store had no room for a frame of a burst, which was not acknowledged."
        case .restarted: "The strap began a burst again before it had ended the last."
        case .idle: "The strap fell silent during history; it is asked again."
        case .linkLost: "The link was lost inside a burst, which will be served again."
        }
    }
}
