// Owns the simulated adapter: condition, scan, one link, keys. It promises what the kernel's leaf promises and no more,
// and it notes what a leaf would be hurt by: a scan while connecting, a second connect, pairing outside a link.
import Ports
import Wire

public final class SimulatedRadio: Radio {
    public private(set) var adapter: Address?
    public private(set) var condition = RadioCondition.starting
    /// Straps that can be in reach.
    public var straps: [SimulatedStrap] = []
    /// Host to strap, and the time between PDUs from strap to host: 9 ms is the 111 frames a second of a real night.
    public var interval_ms: Int64 = 15
    public var pace_ms: Int64 = 9
    public var connectDelay_ms: Int64 = 120
    /// PDUs that may be on their way before `.busy`.
    public var buffers = 8
    /// The condition that `start` comes to.
    public var startsAs = RadioCondition.ready
    /// The link breaks instead of delivering this many more PDUs; nil: never.
    public var losesAfter: Int?
    /// A bit of one in so many PDUs is flipped; 0: none. Only notifications of the strap's own services.
    public var flipsOneIn: UInt64 = 0
    /// Whether the next link comes up and nothing is ever heard on it.
    public var nextLinkIsGhost = false
    public var signal_dBm: Int8 = -58

    /// When each attempt to connect was asked for, and whether with security.
    public private(set) var attempts: [(at: Instant, peer: Peer, secured: Bool)] = []
    /// When pairing was asked for.
    public private(set) var pairings: [Instant] = []
    public private(set) var powerCycles = 0
    public private(set) var breaches: [String] = []
    public private(set) var delivered = 0
    public private(set) var isScanning = false

    private let schedule: Schedule
    private var chance: Chance
    private var listener: (any RadioListener)?
    private var keys: [(peer: Peer, key: UInt64)] = []
    private var pending: (peer: Peer, secured: Bool)?
    private(set) var link: SimulatedLink?
    private var isGhost = false
    private var wantsWritable = false
    /// Changes with everything that makes a planned action void.
    private var epoch = 0
    private var pairingEpoch = 0

    public init(schedule: Schedule, seed: UInt64) {
        self.schedule = schedule
        chance = Chance(seed: seed ^ 0x7261_6469_6f)
    }

    func breach(_ what: String) { breaches.append(what) }

    // MARK: Radio

    public func start(_ listener: any RadioListener) {
        self.listener = listener
        adapter = Address("B8:27:EB:00:00:01")
        become(startsAs, after: 50)
    }

    public func scan(_ wanted: Bool) {
        if wanted, pending != nil || link != nil { breach("scan while connecting or connected") }
        let was = isScanning
        isScanning = wanted && condition == .ready
        if isScanning, !was { advertise() }
    }

    public func connect(_ peer: Peer, secured: Bool) {
        attempts.append((schedule.clock.now, peer, secured))
        if isScanning { breach("connect while scanning") }
        if pending != nil || link != nil { return breach("a second connect") }
        guard condition == .ready else { return breach("connect without a radio") }
        pending = (peer, secured)
        epoch += 1
        reach(epoch)
    }

    public func disconnect() {
        if pending != nil {
            pending = nil
            epoch += 1
        }
        guard link != nil else { return }
        let now = epoch
        schedule.after(interval_ms) { [self] in if now == epoch { lose(.local) } }
    }

    public func send(_ pdu: RawSpan) -> Sent {
        guard let link else { return .gone }
        guard link.inFlight < buffers else {
            wantsWritable = true
            return .busy
        }
        link.carry(array(pdu))
        return .sent
    }

    public func hasKey(_ peer: Peer) -> Bool { key(of: peer) != nil }

    public func pair() {
        pairings.append(schedule.clock.now)
        guard let link else { return breach("pairing without a link") }
        pairingEpoch += 1
        let (now, wanted) = (epoch, pairingEpoch)
        schedule.after(150) { [self] in
            guard now == epoch, wanted == pairingEpoch else { return }
            guard link.strap.takesBond else { return listener?.pairingFailed(.refused) ?? () }
            link.encrypted = true
            let key = chance.next()
            link.strap.bond(key)
            listener?.encrypted(keyBytes: 16)
            schedule.after(5) { [self] in
                guard now == epoch else { return }
                remember(key, of: link.strap.peer)
                listener?.paired()
            }
        }
    }

    public func cancelPairing() { pairingEpoch += 1 }

    public func forget(_ peer: Peer) { keys.removeAll { $0.peer == peer } }

    public func measureSignal() {
        let now = epoch
        schedule.after(10) { [self] in if now == epoch, link != nil { listener?.signal(signal_dBm) } }
    }

    public func powerCycle() {
        powerCycles += 1
        lose(.adapter)
        become(.starting, after: 0)
        become(startsAs, after: 500)
    }

    public func reopen() { powerCycle() }

    // MARK: what the world does

    /// The adapter changes its condition; anything but ready ends the link.
    public func become(_ condition: RadioCondition, after milliseconds: Int64 = 0) {
        schedule.after(milliseconds) { [self] in
            self.condition = condition
            if condition != .ready {
                pending = nil
                isScanning = false
                lose(.adapter)
                epoch += 1
            }
            listener?.radio(is: condition)
        }
    }

    /// The link breaks.
    public func breakLink(_ cause: LinkLoss.Cause) { lose(cause) }

    public var isUp: Bool { link != nil }

    /// The strap's own client sends a request, or anything else, to the host.
    public func inject(_ pdu: [UInt8]) { link?.send(pdu, history: false) }

    /// The process that used the radio is gone: link and pending work go with it, keys stay.
    public func letGo() {
        listener = nil
        pending = nil
        isScanning = false
        lose(.local)
        epoch += 1
        condition = .starting
    }

    // MARK: inside

    func remember(_ key: UInt64, of peer: Peer) {
        keys.removeAll { $0.peer == peer }
        keys.append((peer, key))
    }

    /// The key stored for a peer.
    public func key(of peer: Peer) -> UInt64? {
        for one in keys where one.peer == peer { return one.key }
        return nil
    }

    private func advertise() {
        let now = epoch
        schedule.after(400) { [self] in
            guard isScanning, now == epoch else { return }
            for strap in straps where strap.isInReach {
                let bytes = strap.advertisement
                listener?.found(strap.peer, signal_dBm: strap.signal_dBm, advertisement: bytes.span.bytes)
            }
            advertise()
        }
    }

    /// Stays at a pending connect until the strap is in reach.
    private func reach(_ wanted: Int) {
        schedule.after(connectDelay_ms) { [self] in
            guard wanted == epoch, let (peer, secured) = pending else { return }
            guard let strap = straps.first(where: { $0.peer == peer && $0.isInReach }) else { return reach(wanted) }
            pending = nil
            epoch += 1
            let key = secured ? key(of: peer) : nil
            if let key, !strap.knows(key) {
                listener?.linkDown(LinkLoss(.authentication, wasUp: false))
                return
            }
            let link = SimulatedLink(strap: strap, encrypted: key != nil, radio: self, schedule: schedule)
            self.link = link
            isGhost = nextLinkIsGhost
            nextLinkIsGhost = false
            strap.linkCameUp(link)
            listener?.linkUp(encrypted: link.encrypted)
        }
    }

    func lose(_ cause: LinkLoss.Cause) {
        guard let link else { return }
        self.link = nil
        epoch += 1
        pairingEpoch += 1
        link.end()
        link.strap.linkWentDown()
        listener?.linkDown(LinkLoss(cause, wasUp: true))
    }

    func deliver(_ pdu: [UInt8], from link: SimulatedLink) {
        guard self.link === link, !isGhost else { return }
        if let left = losesAfter {
            if left <= 0 {
                losesAfter = nil
                return lose(.timeout)
            }
            losesAfter = left - 1
        }
        delivered += 1
        var bytes = pdu
        if flipsOneIn > 0, pdu[0] == 0x1b, pdu.count > 20, chance.below(flipsOneIn) == 0 {
            bytes[3 + Int(chance.below(UInt64(pdu.count - 3)))] ^= 1 << UInt8(chance.below(8))
        }
        listener?.received(bytes.span.bytes)
    }

    func drained(_ link: SimulatedLink) {
        guard self.link === link, wantsWritable else { return }
        wantsWritable = false
        listener?.writable()
    }
}
