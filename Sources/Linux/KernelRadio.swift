// Owns the kernel as the bridge's radio: the management socket, which speaks for the Adapter machine, and the one L2CAP
// socket of the link. Reading notifications allocates nothing. A socket whose link has died is not closed on kernels
// that would crash on it (SocketKeeper). What the machine asks of its owner stands in KernelRadio+Owner.swift.
import Bluetooth
import CLinux
import Ports
import Wire

public final class KernelRadio: Radio, Handler, Timed {
    /// Where the link stands. `pending`: the kernel connects when it hears the peer.
    enum Link: Equatable {
        case none
        case pending(Peer, secured: Bool)
        case opening(Peer, secured: Bool)
        case up(Peer)
        /// The socket has failed; the kernel's reason may follow within `grace_ms`.
        case failing(errno: Int32, secured: Bool, wasUp: Bool)
        /// We hung up; the kernel confirms within `grace_ms`, or never.
        case hangingUp(wasUp: Bool)

        var isUp: Bool { if case .up = self { true } else { false } }
    }

    static let grace_ms: Int64 = 300
    static let hangUp_ms: Int64 = 3_000
    /// A socket on a link that stands connects within milliseconds, encryption included; one that does not never will.
    static let opening_ms: Int64 = 10_000
    static let sendAgain_ms: Int64 = 100
    static let reopen_ms: Int64 = 5_000
    /// PDUs taken in one go, so that a flood leaves time for the button.
    private static let batch = 64
    private static let bufferSize = 4096

    let loop: EventLoop
    let clock: any Clock
    let log: any Log
    let keyFile: KeyFile
    let wanted: Address?
    private let buffer: UnsafeMutableRawPointer
    private var control = ManagementSocket()
    private var reopenDeadline = Instant.never

    var listener: (any RadioListener)?
    private var machine: Adapter?
    /// Why the socket itself is of no use; the machine's condition where nil.
    private var socketTrouble: RadioCondition?
    /// errno of the last trouble with keys.
    var keyTrouble: Int32 = 0

    private(set) var link = Link.none
    private var socket = LinkSocket()
    private var linkDeadline = Instant.never
    private var sendDeadline = Instant.never
    private var waitsForRoom = false

    /// `wanted`: the adapter to take, by address; nil takes the first with LE, unless bluetoothd runs.
    public init(loop: EventLoop, clock: any Clock, log: any Log, keyFile: KeyFile, wanted: Address?) {
        self.loop = loop
        self.clock = clock
        self.log = log
        self.keyFile = keyFile
        self.wanted = wanted
        buffer = .allocate(byteCount: Self.bufferSize, alignment: 8)
    }

    deinit { buffer.deallocate() }

    // MARK: Radio

    public var adapter: Address? { machine?.address }

    public func start(_ listener: any RadioListener) {
        self.listener = listener
        machine = Adapter(owner: self, wanted: wanted)
        loop.add(timed: self)
        if !socket.closesSafely {
            log.say("This kernel frees lost Bluetooth links twice; lost sockets are kept open by a child process. A newer kernel (6.12) does without.")
        }
        openControl()
    }

    public func scan(_ wanted: Bool) { machine?.discover(wanted, clock.now) }

    public func connect(_ peer: Peer, secured: Bool) {
        // Whoever asks anew no longer waits for the end of what was before.
        switch link {
        case .hangingUp, .failing: link = .none
        default: break
        }
        linkDeadline = .never
        guard link == .none, let machine, machine.condition == .ready else { return }
        link = .pending(peer, secured: secured)
        machine.approach(peer, secured: secured, clock.now)
    }

    public func disconnect() {
        let wasUp: Bool
        switch link {
        case .none, .failing, .hangingUp: return
        case .pending, .opening: wasUp = false
        case .up: wasUp = true
        }
        // First the socket, while its link is alive: that order is safe on every kernel.
        let hadSocket = socket.isOpen
        closeSocket()
        link = .hangingUp(wasUp: wasUp)
        linkDeadline = hadSocket ? clock.now + Self.hangUp_ms : clock.now
        machine?.withdraw(clock.now)
    }

    public func send(_ pdu: RawSpan) -> Sent {
        guard link.isUp else { return .gone }
        let sent = pdu.withUnsafeBytes { CLinux.send(socket.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        guard sent < 0 else { return .sent }
        switch nightstand_errno() {
        case EAGAIN, ENOBUFS, ENOMEM, EINTR:
            waitsForRoom = true
            loop.change(socket.descriptor, [.readable, .writable])
            return .busy
        // While encryption is being raised; the socket then calls itself writable and is not.
        case ENOTCONN:
            sendDeadline = clock.now + Self.sendAgain_ms
            return .busy
        // The socket's own error follows from the loop.
        default: return .gone
        }
    }

    public func hasKey(_ peer: Peer) -> Bool { machine?.holdsKey(peer) ?? false }

    public func pair() {
        guard case .up(let peer) = link else { return listener?.pairingFailed(.linkLost) ?? () }
        machine?.pair(peer, clock.now)
    }

    public func cancelPairing() { machine?.cancelPairing(clock.now) }

    public func forget(_ peer: Peer) {
        guard hasKey(peer), machine?.forget(peer, clock.now) == false else { return }
        log.say("The key of \(peer.address.text) could not be deleted from the card; it is tried again when it is forgotten again.")
    }

    public func measureSignal() { machine?.measureSignal(clock.now) }

    public func powerCycle() {
        lose(.adapter, closing: true)
        machine?.powerCycle(clock.now)
    }

    public func reopen() {
        lose(.adapter, closing: true)
        closeControl()
        openControl()
    }

    /// Lets go of the link and the kernel's wish to connect; for the end of the process.
    public func stop() {
        disconnect()
        closeControl()
    }

    // MARK: the loop

    public var deadline: Instant {
        min(min(machine?.deadline ?? .never, reopenDeadline), min(linkDeadline, sendDeadline))
    }

    public func tick(_ now: Instant) {
        machine?.tick(now)
        if now >= reopenDeadline { openControl() }
        if now >= sendDeadline {
            sendDeadline = .never
            listener?.writable()
        }
        guard now >= linkDeadline else { return }
        if case .opening = link {
            log.say("The link stands but its socket does not connect; it is made anew.")
            lose(.notReached, closing: true)
        } else {
            settle()
        }
    }

    public func ready(_ descriptor: Int32, _ events: Interest) {
        if descriptor == control.descriptor { return readControl() }
        guard descriptor == socket.descriptor else { return }
        if case .opening(let peer, _) = link { return opened(peer) }
        if events.contains(.readable) { readLink() }
        guard descriptor == socket.descriptor else { return }
        if !events.isDisjoint(with: .failed) { return fail(socket.error) }
        if events.contains(.writable), waitsForRoom {
            waitsForRoom = false
            loop.change(socket.descriptor, .readable)
            listener?.writable()
        }
    }

    private func readLink() {
        let mine = socket.descriptor
        for _ in 0..<Self.batch {
            let count = recv(mine, buffer, Self.bufferSize, 0)
            if count < 0 {
                let error = nightstand_errno()
                if error != EAGAIN, error != EINTR { fail(error) }
                return
            }
            guard count > 0 else { return fail(ECONNRESET) }
            if count <= Int(LinkSocket.largestPDU) { listener?.received(RawSpan(_unsafeStart: buffer, byteCount: count)) }
            // The listener may have hung up.
            guard mine == socket.descriptor else { return }
        }
    }

    // MARK: the link

    /// The kernel has linked the peer we asked for: opens the socket on it.
    func open(_ peer: Peer) {
        guard case .pending(peer, let secured) = link, !socket.isOpen else { return }
        do throws(SystemError) {
            try socket.open(peer, secured: secured)
            link = .opening(peer, secured: secured)
            linkDeadline = clock.now + Self.opening_ms
            try loop.add(socket.descriptor, .writable, self)
        } catch {
            log.say("The link's socket: \(error.text).")
            lose(.other(error.errno), closing: true)
        }
    }

    private func opened(_ peer: Peer) {
        let error = socket.error
        guard error == 0, let keyBytes = socket.keyBytes else { return fail(error) }
        link = .up(peer)
        linkDeadline = .never
        loop.change(socket.descriptor, .readable)
        listener?.linkUp(encrypted: keyBytes >= 7)
    }

    private func fail(_ error: Int32) {
        switch link {
        case .opening(_, let secured): link = .failing(errno: error, secured: secured, wasUp: false)
        case .up: link = .failing(errno: error, secured: false, wasUp: true)
        default: return
        }
        abandonSocket()
        linkDeadline = clock.now + Self.grace_ms
    }

    /// The kernel's word that the link has ended.
    func ended(_ cause: LinkLoss.Cause) {
        switch link {
        // A link that came and went before a socket was on it: the kernel connects again.
        case .none, .pending: return
        case .hangingUp: settle()
        case .up: lose(cause, closing: false)
        // A wrong key ends a link as a failed integrity check (HCI 0x3d), for which mgmt has no word.
        case .opening(_, let secured), .failing(_, let secured, _):
            lose(secured && cause == .other(0) ? .authentication : cause, closing: false)
        }
    }

    /// Ends what only waited for the kernel's word.
    private func settle() {
        linkDeadline = .never
        switch link {
        case .hangingUp(let wasUp):
            link = .none
            listener?.linkDown(LinkLoss(.local, wasUp: wasUp))
        case .failing(let errno, _, _): lose(LinkLoss.Cause(errno: errno), closing: false)
        default: break
        }
    }

    /// Ends the link or the wish for one. `closing`: the link under the socket still stands.
    func lose(_ cause: LinkLoss.Cause, closing: Bool) {
        let wasUp: Bool
        switch link {
        case .none: return
        case .pending, .opening: wasUp = false
        case .up: wasUp = true
        case .failing(_, _, let up), .hangingUp(let up): wasUp = up
        }
        if closing { closeSocket() } else { abandonSocket() }
        link = .none
        linkDeadline = .never
        machine?.withdraw(clock.now)
        listener?.linkDown(LinkLoss(cause, wasUp: wasUp))
    }

    private func closeSocket() {
        unwatch()
        socket.close()
    }

    private func abandonSocket() {
        unwatch()
        if !socket.abandon() {
            log.say("No child process could be made to keep a lost socket; it stays open here, and the next restart may need a reboot.")
        }
    }

    private func unwatch() {
        loop.remove(socket.descriptor)
        waitsForRoom = false
        sendDeadline = .never
    }

    /// After a pairing: whether the kernel vouches for a key on this link.
    func tellEncryption() {
        guard link.isUp, let keyBytes = socket.keyBytes, keyBytes >= 7 else { return }
        listener?.encrypted(keyBytes: keyBytes)
    }

    // MARK: the management socket

    private func openControl() {
        reopenDeadline = .never
        do throws(SystemError) {
            try control.open()
            try loop.add(control.descriptor, .readable, self)
        } catch { return trouble(error.errno) }
        socketTrouble = nil
        machine?.start(clock.now)
    }

    private func closeControl() {
        loop.remove(control.descriptor)
        control.close()
    }

    private func trouble(_ error: Int32) {
        closeControl()
        reopenDeadline = clock.now + Self.reopen_ms
        let condition: RadioCondition = switch error {
        case EAFNOSUPPORT, EPROTONOSUPPORT: .unsupported
        case EPERM, EACCES: .forbidden
        default: .unresponsive
        }
        guard socketTrouble != condition else { return }
        socketTrouble = condition
        listener?.radio(is: condition)
    }

    private func readControl() {
        let mine = control.descriptor
        for _ in 0..<Self.batch {
            let count = read(mine, buffer, Self.bufferSize)
            if count < 0 {
                let error = nightstand_errno()
                if error == EAGAIN || error == EINTR { return }
                lose(.adapter, closing: false)
                return trouble(error)
            }
            guard count > 0 else { return }
            machine?.receive(RawSpan(_unsafeStart: buffer, byteCount: count), clock.now)
            guard mine == control.descriptor else { return }
        }
    }

    func writeControl(_ packet: RawSpan) { control.write(packet) }
}
