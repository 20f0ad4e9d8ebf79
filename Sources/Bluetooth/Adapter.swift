// Owns one Bluetooth adapter through the kernel's management protocol: finding it, bringing it up, keeping it up.
// It is given packets and the time and gives back packets and a deadline; it never touches a file descriptor. What it
// does with the adapter once that is up stands in Adapter+Peers.swift.
import Wire

/// What keeps an adapter from being used.
public enum AdapterCondition: Equatable, Sendable {
    case starting
    case ready
    /// No adapter, or not the one asked for, or none with LE.
    case absent
    /// Another program holds it.
    case held
    case blocked
    case forbidden
    /// It does not answer or will not power on.
    case unresponsive
    /// Its keys cannot be read; without them a bond would be lost.
    case keysUnusable
}

/// What the files under /sys and /proc say of an adapter that the management socket does not.
public enum Hindrance: Sendable {
    case none
    /// Its rfkill switch is off.
    case blocked
    /// The kernel knows it but does not list it (user channel), or bluetoothd runs.
    case held
}

/// Whom the adapter works for: it sends its packets, keeps its keys and hears its news.
public protocol AdapterOwner: AnyObject {
    func transmit(_ packet: RawSpan)
    /// `index`: of the adapter meant, or nil where none is listed.
    func hindrance(index: UInt16?) -> Hindrance
    /// The keys on disk, or nil where they cannot be read. Asked once each time the adapter is brought up.
    func keys(of adapter: Address) -> KeyRing?
    /// Puts the ring on disk. False: it is not there.
    func keep(_ keys: KeyRing, of adapter: Address) -> Bool
    /// The kernel takes none of the keys.
    func keysRefused(_ status: ManagementStatus)
    func adapter(is condition: AdapterCondition)
    /// The peer that was approached is linked; a socket must be opened within 2 s or the kernel drops the link.
    func linked(_ peer: Peer)
    func unlinked(_ peer: Peer, _ reason: DisconnectReason)
    /// The kernel will not try to connect to the peer.
    func unapproachable(_ peer: Peer, _ status: ManagementStatus)
    func found(_ peer: Peer, signal_dBm: Int8, data: RawSpan)
    func signal(_ dBm: Int8)
    func pairingEnded(_ end: PairingEnd)
}

public final class Adapter {
    /// The rungs, bottom to top. `waiting`: fell off, and climbs again at the deadline.
    enum Rung: Equatable {
        case off, listing, inspecting, configuring(Int), poweringOn, confirming, loadingKeys, clearing, ready, waiting
    }

    // The owner holds the adapter and the adapter its owner: both live as long as the process, and Embedded Swift has no weak.
    let owner: any AdapterOwner
    /// The adapter to take; nil: the first that has LE.
    let wanted: Address?

    public private(set) var address: Address?
    public private(set) var condition = AdapterCondition.starting
    var keys = KeyRing()
    var rung = Rung.off
    private var index = ManagementCommand.noIndex
    private var candidates: [UInt16] = []
    private var current = AdapterSettings()
    private var supported = AdapterSettings()
    private var attempts = 0
    private var rungDeadline = Instant.never

    // One command at a time; the rest wait in order. Pair Device is answered only when pairing ends and holds nobody up.
    private var queue: [ManagementCommand] = []
    private var inFlight: ManagementOpcode?
    private var answerDeadline = Instant.never

    // What Adapter+Peers.swift keeps.
    var approached: Peer?
    var linkedPeer: Peer?
    /// The peer whose keys the kernel has not been given.
    var excluded: Peer?
    var discoveryWanted = false
    var discovering = false
    var discoveryDeadline = Instant.never
    var pairing: PairingAttempt?

    static let answer_ms: Int64 = 5_000
    static let again_ms: Int64 = 1_000
    static let attemptsMax = 8

    public init(owner: any AdapterOwner, wanted: Address?) {
        self.owner = owner
        self.wanted = wanted
    }

    /// When `tick` wants to be called next.
    public var deadline: Instant { min(min(rungDeadline, answerDeadline), min(discoveryDeadline, pairing?.deadline ?? .never)) }

    /// Begins at the bottom; also after the socket was opened anew.
    public func start(_ now: Instant) {
        leave(.starting)
        request(.readIndexList, now)
        rung = .listing
    }

    /// Power off and up again. Links are lost; sockets on them must be closed before.
    public func powerCycle(_ now: Instant) {
        guard rung == .ready else { return start(now) }
        leave(.starting)
        request(.set(.setPowered, false), now)
        request(.readIndexList, now)
        rung = .listing
    }

    public func tick(_ now: Instant) {
        if now >= answerDeadline { fall(.unresponsive, now) }
        tickPeers(now)
        guard now >= rungDeadline else { return }
        rungDeadline = .never
        switch rung {
        case .waiting: start(now)
        case .confirming:
            // Some controllers on a UART answer a power-on that follows a power-off with success and stay off.
            attempts += 1
            if attempts >= Self.attemptsMax { fall(.unresponsive, now) } else { powerOn(now) }
        default: break
        }
    }

    /// One packet from the management socket.
    public func receive(_ packet: RawSpan, _ now: Instant) {
        var at = ManagementCommand.noIndex
        let event = ManagementEvent.read(packet, index: &at)
        switch event {
        case .answer(let opcode, let status, let parameters):
            answered(opcode, status, parameters, at, now)
        case .indexAdded:
            if rung == .waiting || rung == .off { start(now) }
        case .indexRemoved where at == index && rung != .off:
            fall(owner.hindrance(index: nil) == .held ? .held : .absent, now)
        case .settings(let settings) where at == index:
            current = settings
            // Somebody switched it off: rfkill or another program. The kernel tells no one that links are gone.
            if rung == .ready, !settings.contains(.powered) { fall(owner.hindrance(index: index) == .blocked ? .blocked : .starting, now) }
        default:
            if at == index, rung == .ready { receivePeers(event, now) }
        }
    }

    // MARK: the queue

    func request(_ command: ManagementCommand, _ now: Instant) {
        guard inFlight == nil else { return queue.append(command) }
        send(command, now)
    }

    /// Sends at once, past the queue, and waits for nothing.
    func post(_ command: ManagementCommand) {
        let bytes = command.bytes(index: index)
        owner.transmit(bytes.span.bytes)
    }

    private func send(_ command: ManagementCommand, _ now: Instant) {
        let isGeneral = command.opcode == .readIndexList
        let bytes = command.bytes(index: isGeneral ? ManagementCommand.noIndex : index)
        if command.opcode != .pairDevice {
            inFlight = command.opcode
            answerDeadline = now + Self.answer_ms
        }
        owner.transmit(bytes.span.bytes)
    }

    private func answered(_ opcode: ManagementOpcode, _ status: ManagementStatus, _ parameters: RawSpan, _ at: UInt16, _ now: Instant) {
        if opcode == inFlight {
            inFlight = nil
            answerDeadline = .never
        } else if opcode != .pairDevice {
            return
        }
        if rung == .ready {
            answeredPeers(opcode, status, parameters, now)
        } else {
            climb(opcode, status, parameters, at, now)
        }
        while inFlight == nil, !queue.isEmpty { send(queue.removeFirst(), now) }
    }

    // MARK: the ladder

    /// One setting to reach before power-on; `given`: asked for only where the adapter can do it.
    private struct Setting {
        var command: ManagementCommand
        var given: AdapterSettings
        var reached: AdapterSettings
        var isNeeded: Bool
    }

    private static let settings = [
        Setting(command: .set(.setLowEnergy, true), given: .lowEnergy, reached: .lowEnergy, isNeeded: true),
        // A dual-mode adapter takes Secure Connections only with Simple Pairing.
        Setting(command: .set(.setSimplePairing, true), given: .simplePairing, reached: .simplePairing, isNeeded: false),
        Setting(command: .set(.setSecureConnections, true), given: .secureConnections, reached: .secureConnections, isNeeded: false),
        Setting(command: .noInputNoOutput, given: [], reached: [], isNeeded: true),
        // Off but for a pairing that a person asked for: the kernel then refuses a strap that wants to pair by itself.
        Setting(command: .set(.setBondable, false), given: [], reached: [], isNeeded: true),
        Setting(command: .gentleScan, given: [], reached: [], isNeeded: false),
    ]

    private func climb(_ opcode: ManagementOpcode, _ status: ManagementStatus, _ parameters: RawSpan, _ at: UInt16, _ now: Instant) {
        guard status != .permissionDenied else { return fall(.forbidden, now) }
        switch rung {
        case .listing where opcode == .readIndexList:
            var reader = Reader(parameters)
            candidates = []
            if status == .success, let count = reader.u16() {
                for _ in 0..<min(Int(count), 16) { if let one = reader.u16() { candidates.append(one) } }
            }
            inspectNext(now)
        case .inspecting where opcode == .readInfo:
            guard status == .success, at == index, let info = AdapterInfo(parameters), info.supported.contains(.lowEnergy),
                wanted == nil || wanted == info.address else { return inspectNext(now) }
            address = info.address
            supported = info.supported
            current = info.current
            if owner.hindrance(index: index) == .held { return fall(.held, now) }
            configure(0, now)
        case .configuring(let i) where opcode == Self.settings[i].command.opcode:
            if status != .success, Self.settings[i].isNeeded { return fall(.unresponsive, now) }
            configure(i + 1, now)
        case .poweringOn where opcode == .setPowered:
            if status != .success, owner.hindrance(index: index) == .blocked || status == .blockedByRfkill { return fall(.blocked, now) }
            confirm(now)
        case .confirming where opcode == .readInfo:
            if let info = AdapterInfo(parameters), info.current.contains(.powered) {
                rungDeadline = .never
                return loadKeys(now)
            }
        case .loadingKeys where opcode == .loadLongTermKeys:
            if status != .success { owner.keysRefused(status) }
            // A daemon that was killed has left its wish behind, and the kernel would connect for ever.
            rung = .clearing
            request(.removeAllDevices, now)
        case .clearing where opcode == .removeDevice:
            rung = .ready
            change(to: .ready)
        default: break
        }
    }

    private func inspectNext(_ now: Instant) {
        guard !candidates.isEmpty else { return fall(owner.hindrance(index: nil) == .held ? .held : .absent, now) }
        index = candidates.removeFirst()
        rung = .inspecting
        request(.readInfo, now)
    }

    private func configure(_ first: Int, _ now: Instant) {
        for i in first..<Self.settings.count {
            let one = Self.settings[i]
            guard supported.isSuperset(of: one.given), one.reached.isEmpty || !current.isSuperset(of: one.reached) else { continue }
            rung = .configuring(i)
            return request(one.command, now)
        }
        attempts = 0
        if current.contains(.powered) { confirm(now) } else { powerOn(now) }
    }

    private func powerOn(_ now: Instant) {
        rung = .poweringOn
        request(.set(.setPowered, true), now)
    }

    private func confirm(_ now: Instant) {
        rung = .confirming
        rungDeadline = now + Self.again_ms
        request(.readInfo, now)
    }

    private func loadKeys(_ now: Instant) {
        guard let address, let ring = owner.keys(of: address) else { return fall(.keysUnusable, now) }
        keys = ring
        excluded = nil
        rung = .loadingKeys
        request(.load(keys.keys), now)
    }

    /// Lets go of everything and tries again after a while, or when the kernel has news.
    private func fall(_ condition: AdapterCondition, _ now: Instant) {
        leave(condition)
        rung = .waiting
        switch condition {
        case .starting, .absent: rungDeadline = now + 1_000
        default: rungDeadline = now + 5_000
        }
    }

    private func leave(_ condition: AdapterCondition) {
        queue = []
        inFlight = nil
        answerDeadline = .never
        rungDeadline = .never
        rung = .off
        leavePeers()
        // A retry is no news: trouble stays as it was told until the ladder has been climbed.
        if condition != .starting || self.condition == .ready { change(to: condition) }
    }

    private func change(to condition: AdapterCondition) {
        guard condition != self.condition else { return }
        self.condition = condition
        owner.adapter(is: condition)
    }
}
