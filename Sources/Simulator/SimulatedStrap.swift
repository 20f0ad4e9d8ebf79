// Owns a strap: its clock, wearer, bond, flash and mood, and the seconds that pass in it. State, not replay: most failures
// in the field are states (pairing mode, clock, trim), so that is what is modelled. What it does when told is in
// StrapCommands, how it serves history in StrapHistory.
import Whoop
import Wire

/// What a strap is called.
public struct StrapIdentity: Sendable {
    public var family: Family
    public var name: String
    public var serial: String
    /// Major, minor, patch.
    public var firmware: (UInt32, UInt32, UInt32)

    public init(_ family: Family, serial: String) {
        self.family = family
        self.serial = serial
        name = "WHOOP " + serial
        firmware = family == .whoop4 ? (41, 17, 6) : (50, 38, 1)
    }
}

/// What goes wrong with a strap. All off at first.
public struct StrapQuirks: Sendable {
    public var mtu = MTUAnswer.size(247)
    /// SET_CLOCK is answered and not done.
    public var ignoresClock = false
    /// The hello is refused (ATT 0x05) on an encrypted link.
    public var refusesHello = false
    /// The hello is not answered.
    public var ignoresHello = false
    /// Records at these places of every burst never arrive, though END counts them; so many servings of a burst are short.
    public var missing: (places: [Int], servings: Int) = ([], 0)
    /// One bit of one record of so many servings of a burst is wrong.
    public var damagedServings = 0
    /// An empty history ends in an END with a token of all ones and no COMPLETE, as a 5.0 was seen to do.
    public var endsWithSentinel = false
    /// The answer to GET_CLOCK takes so long.
    public var clockDelay_ms: Int64 = 0
    /// Heart rate is not broadcast on 2A37 until the live stream is armed.
    public var hasNoBroadcast = false
    /// The live stream stops after one second, and has to be armed again.
    public var streamStops = false
    /// Nothing is answered any more and nothing is sent, but the link stays.
    public var isDead = false
    /// History stops after a START, this often.
    public var stalls = 0
    /// Records say that they are of this version.
    public var unknownVersion: UInt8?

    public init() {}
}

public final class SimulatedStrap {
    public let identity: StrapIdentity
    public let peer: Peer
    public var quirks = StrapQuirks()
    public var isInReach = true
    public var isInPairingMode = false
    public var isWorn = true
    public var signal_dBm: Int8 = -55
    /// Tenths of a percent.
    public var battery_tenths: UInt16 = 735
    /// Strap milliseconds since 1970 less monotonic ones.
    public var clockOffset_ms: Int64
    /// Time from a request to its answer.
    public var answer_ms: Int64 = 12
    /// Whether seconds are recorded: not before the clock was set, and not in high-frequency sync.
    public var records = true
    public var body: Body
    /// A heart rate that is shown instead of the wearer's, for tests.
    public var fixedHeartRate: UInt8?

    /// What it was told: command number, payload after it, link (1...), time.
    public struct Told: Sendable {
        public var command: UInt8
        public var payload: [UInt8]
        public var link: Int
        public var at: Instant
    }
    public private(set) var told: [Told] = []
    /// Tokens for which history was released, in order.
    public internal(set) var released: [UInt64] = []
    /// Times of buzzes.
    public internal(set) var buzzes: [Instant] = []
    /// Called with each token that the host acknowledges, right or wrong, before it is looked at.
    public var onAcknowledgement: ((UInt64) -> Void)?
    public var breaches: [String] = []
    public private(set) var links = 0
    /// Records served, and how many times a burst was begun.
    public internal(set) var servings = 0
    public var keepsTold = true

    let table: AttributeTable
    let schedule: Schedule
    var flash: Flash
    private(set) var link: SimulatedLink?
    private var key: UInt64?
    var isArmed = false
    private var armedSince: Instant?
    /// Seconds are not recorded meanwhile.
    public var isInHighFrequencySync = false
    private var sequence: UInt8 = 0
    var history = Serving.idle
    var servedTimes: (token: UInt64, count: Int) = (.max, 0)
    /// The burst that is served, the same again and again, until it is released.
    var unreleased: ServedBurst?
    var epoch = 0

    enum Serving { case idle, sending(ServedBurst), awaiting(ServedBurst) }

    public init(_ identity: StrapIdentity, address: Address, schedule: Schedule, seed: UInt64) {
        self.identity = identity
        self.schedule = schedule
        peer = Peer(address, .randomLE)
        table = AttributeTable(identity)
        body = Body(seed: seed)
        flash = Flash(firstCounter: 1_000)
        clockOffset_ms = schedule.clock.wall.milliseconds - schedule.clock.now.milliseconds
        schedule.every(1_000) { [self] in second() }
    }

    // MARK: facts

    public var isConnected: Bool { link != nil }
    /// Records that wait to be released.
    public var pendingRecords: UInt32 { flash.pending + UInt32(flash.captured.reduce(0) { $0 + $1.records }) }
    /// The first counter that has not been released; survives everything, like the strap's flash.
    public var trim: UInt32 {
        get { flash.trim }
        set { flash.release(before: newValue) }
    }
    public var nextCounter: UInt32 { flash.next }
    /// The time of a record, while it is remembered.
    public func unix(ofRecord counter: UInt32) -> UInt32? { flash.unix(of: counter) }

    /// Unix seconds and 1/32768 s by its own clock.
    var time: (seconds: UInt32, fraction: UInt16) {
        let ms = max(0, schedule.clock.now.milliseconds + clockOffset_ms)
        return (UInt32(truncatingIfNeeded: ms / 1000), UInt16(ms % 1000 * 32768 / 1000))
    }

    /// Fills the flash with seconds that ended just now.
    public func remember(seconds: UInt32) { flash.record(seconds: seconds, before: time.seconds) }

    /// An event of some other time, replayed with the next burst.
    public func remember(event number: UInt16, secondsAgo: UInt32) {
        flash.events.append((time.seconds &- secondsAgo, number, []))
    }

    // MARK: bond

    var takesBond: Bool { identity.family == .whoop4 || isInPairingMode }
    func knows(_ key: UInt64) -> Bool { self.key == key }
    func bond(_ key: UInt64) { self.key = key }
    /// The strap forgets its bond: a firmware update, another phone.
    public func loseBond() { key = nil }

    /// Flags and the service in the advertisement, the name in the scan response.
    var advertisement: [UInt8] {
        let name = Array(identity.name.utf8)
        return [2, 0x01, 0x06, 17, 0x07] + bytes(of: identity.family.service) + [UInt8(name.count + 1), 0x09] + name
    }

    // MARK: the link

    func linkCameUp(_ link: SimulatedLink) {
        self.link = link
        links += 1
        isArmed = false
        armedSince = nil
        history = .idle
        epoch += 1
    }

    func linkWentDown() {
        link = nil
        history = .idle
        epoch += 1
    }

    /// The value of an attribute, or nil when it cannot be read.
    func value(of entry: AttributeEntry, subscribed: Bool) -> [UInt8]? {
        switch entry.role {
        case .constant: return entry.value
        case .battery: return [identity.family == .whoop4 ? 100 : UInt8(battery_tenths / 10)]
        case .configuration(let of): return [link?.server.isSubscribed(table.entry(at: of)?.role ?? .constant) == true ? 1 : 0, 0]
        default: return nil
        }
    }

    /// An ATT error code for a command written, or nil.
    func take(command bytes: [UInt8]) -> UInt8? {
        guard let inner = innerOfCommand(bytes, identity.family) else {
            breaches.append("a command was no padded frame with right checksums: \(hex(bytes.span.bytes))")
            return nil  // acknowledged by ATT and ignored, as real ones do
        }
        let command = inner[2]
        if keepsTold { told.append(Told(command: command, payload: Array(inner.dropFirst(3)), link: links, at: schedule.clock.now)) }
        if command == hello, quirks.refusesHello { return 0x05 }
        if quirks.isDead { return nil }
        schedule.after(answer_ms) { [self, now = epoch] in
            if now == epoch { obey(command, Array(inner.dropFirst(3)), sequence: inner[1]) }
        }
        return nil
    }

    var hello: UInt8 { identity.family == .whoop4 ? 35 : 145 }

    // MARK: what it says

    func nextSequence() -> UInt8 {
        sequence &+= 1
        return sequence
    }

    func respond(_ command: UInt8, origin: UInt8, result: UInt8, _ body: [UInt8] = []) {
        var inner = Inner(36)
        inner.u8(nextSequence())
        inner.u8(command)
        inner.u8(command == 23 && identity.family == .whoop4 ? 0 : origin)
        inner.u8(result)
        inner.append(body)
        link?.notify(.responses, inner.frame(identity.family))
    }

    func eventFrame(_ number: UInt16, _ body: [UInt8], at time: (seconds: UInt32, fraction: UInt16)) -> [UInt8] {
        var inner = Inner(48)
        inner.u8(nextSequence())
        inner.u16(number)
        inner.u32(time.seconds)
        inner.u16(time.fraction)
        inner.u16(UInt16(body.count))
        inner.append(body)
        return inner.frame(identity.family)
    }

    /// Something happened now.
    public func happen(_ number: UInt16, _ body: [UInt8] = []) {
        guard let link, link.encrypted else { return }
        link.notify(.events, eventFrame(number, body, at: time))
    }

    /// The wearer taps twice.
    public func doubleTap() { happen(14) }

    private func second() {
        let (unix, fraction) = time
        if isWorn, records, !isInHighFrequencySync, unix >= 1_600_000_000 { flash.record(unix: unix) }
        guard let link, !quirks.isDead else { return }
        let now = body.second(Int64(unix))
        let rate = isWorn ? fixedHeartRate ?? now.heartRate : 0
        if !quirks.hasNoBroadcast || isArmed {
            var value: [UInt8] = [isWorn ? 0x16 : 0x14, rate]
            if isWorn { for rr in now.intervals { value += little(UInt16(UInt32(rr) * 1024 / 1000)) } }
            link.notify(.heartRate, value)
        }
        if isArmed, link.encrypted {
            var inner = Inner(40)
            inner.u8(2)
            inner.u32(unix)
            inner.u16(fraction)
            inner.u8(rate)
            inner.u8(isWorn ? UInt8(now.intervals.count) : 0)
            for i in 0..<4 { inner.u16(isWorn && i < now.intervals.count ? now.intervals[i] : 0) }
            inner.u8(isWorn ? 1 : 0)
            inner.u8(isWorn ? 1 : 0)
            link.notify(.data, inner.frame(identity.family))
            if quirks.streamStops { isArmed = false }
        }
        if unix % 480 == 0 {
            if battery_tenths > 1 { battery_tenths -= 1 }
            var level: [UInt8] = [2]
            level += little(battery_tenths) + [0, 0] + little(3_900) + [0, 0]
            happen(3, level + [UInt8](repeating: 0, count: 11))
        }
    }
}

func little(_ value: UInt16) -> [UInt8] { [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)] }
