// Owns what an adapter that is up does with peers: listening for them, approaching one, pairing, letting go.
// Pairing is answered only while a person's request is under way; keys are learnt only then, or for a known peer.
import Wire

/// How a pairing ended.
public enum PairingEnd: Equatable, Sendable {
    case paired
    case refused
    case timedOut
    case linkLost
    case cancelled
    /// The kernel said success and gave no key.
    case keyless
    /// The key could not be put on disk, and the kernel has been told to forget it. The link is still encrypted with it:
    /// only a new link can pair again.
    case unkept
    case failed(ManagementStatus)
}

struct PairingAttempt {
    var peer: Peer
    /// The new bond's keys: one, or two with legacy pairing. They go to disk together, so that the copy before the last
    /// change is the bond before this one.
    var learnt: [LongTermKey] = []
    /// The kernel ends a pairing after 30 s by itself; this is for when it does not.
    var deadline: Instant
}

extension Adapter {
    static let pairing_ms: Int64 = 40_000
    static let discoveryPause_ms: Int64 = 200

    // MARK: asked from above

    /// Connects whenever the peer is heard, until `withdraw`. `secured`: its keys are given to the kernel, otherwise
    /// they are kept from it, so that a strap that has lost its bond is not refused.
    public func approach(_ peer: Peer, secured: Bool, _ now: Instant) {
        guard rung == .ready else { return }
        approached = peer
        give(keysOf: peer, secured, now)
        request(.connectionParameters(peer), now)
        request(.autoConnect(peer), now)
        // The kernel gives no event for a link that is already there.
        if linkedPeer == peer { owner.linked(peer) }
    }

    /// No longer connects; ends the link where there is one. Its socket must be closed before.
    public func withdraw(_ now: Instant) {
        guard let peer = approached else { return }
        approached = nil
        request(.about(.removeDevice, peer), now)
        if linkedPeer == peer { request(.about(.disconnect, peer), now) }
    }

    public func discover(_ wanted: Bool, _ now: Instant) {
        discoveryWanted = wanted
        discoveryDeadline = .never
        guard rung == .ready, wanted != discovering else { return }
        request(wanted ? .startDiscovery : .stopDiscovery, now)
    }

    /// Pairs with a linked peer. A stored key is kept from the kernel, which would call the peer paired already, and
    /// stays on disk until the new one is there.
    public func pair(_ peer: Peer, _ now: Instant) {
        guard rung == .ready else { return owner.pairingEnded(.linkLost) }
        guard pairing == nil else { return }
        pairing = PairingAttempt(peer: peer, deadline: now + Self.pairing_ms)
        give(keysOf: peer, false, now)
        request(.set(.setBondable, true), now)
        request(.pair(peer), now)
    }

    public func cancelPairing(_ now: Instant) {
        guard let pairing else { return }
        request(.about(.cancelPairDevice, pairing.peer), now)
    }

    /// False: the key is still on disk.
    public func forget(_ peer: Peer, _ now: Instant) -> Bool {
        guard address != nil else { return false }
        var rest = keys
        rest.remove(peer)
        guard rest == keys || keep(rest) else { return false }
        excluded = nil
        if rung == .ready { request(.load(keys.keys), now) }
        return true
    }

    public func measureSignal(_ now: Instant) {
        guard rung == .ready, let linkedPeer else { return }
        request(.about(.connectionInfo, linkedPeer), now)
    }

    public func holdsKey(_ peer: Peer) -> Bool { keys.holds(peer) }

    // MARK: heard from the kernel

    func receivePeers(_ event: borrowing ManagementEvent, _ now: Instant) {
        switch event {
        case .connected(let peer):
            linkedPeer = peer
            if peer == approached { owner.linked(peer) } else { request(.about(.disconnect, peer), now) }
        case .disconnected(let peer, let reason):
            guard linkedPeer == peer || approached == peer else { return }
            linkedPeer = nil
            if pairing?.peer == peer { endPairing(.linkLost, now) }
            owner.unlinked(peer, reason)
        case .found(let peer, let signal, let data):
            if discoveryWanted { owner.found(peer, signal_dBm: signal, data: data) }
        case .discovering(let on):
            discovering = on
            // The kernel stops after some ten seconds.
            if !on, discoveryWanted { discoveryDeadline = now + Self.discoveryPause_ms }
        case .confirmation(let peer):
            let isOurs = pairing?.peer == peer
            post(.about(isOurs ? .confirmUser : .refuseUser, peer))
        case .key(let key, let store):
            learn(key, store)
        default: break
        }
    }

    func answeredPeers(_ opcode: ManagementOpcode, _ status: ManagementStatus, _ parameters: RawSpan, _ now: Instant) {
        switch opcode {
        case .pairDevice: endPairing(end(status), now)
        case .startDiscovery:
            discovering = status == .success
            if !discovering, discoveryWanted { discoveryDeadline = now + Self.again_ms }
        case .stopDiscovery: discovering = false
        case .connectionInfo:
            // 127: the controller does not know.
            if status == .success, parameters.byteCount >= 8, parameters.i8(at: 7) <= 20 { owner.signal(parameters.i8(at: 7)) }
        case .addDevice:
            guard status != .success, let peer = approached else { break }
            owner.unapproachable(peer, status)
        case .loadLongTermKeys:
            if status != .success { owner.keysRefused(status) }
        default: break
        }
    }

    func tickPeers(_ now: Instant) {
        if now >= discoveryDeadline {
            discoveryDeadline = .never
            if discoveryWanted, !discovering, rung == .ready { request(.startDiscovery, now) }
        }
        if let pairing, now >= pairing.deadline { endPairing(.timedOut, now) }
    }

    /// The adapter is gone or going.
    func leavePeers() {
        approached = nil
        linkedPeer = nil
        discovering = false
        discoveryWanted = false
        discoveryDeadline = .never
        if let attempt = pairing {
            pairing = nil
            _ = keepBond(attempt)
            owner.pairingEnded(.linkLost)
        }
    }

    // MARK: keys

    private func give(keysOf peer: Peer, _ given: Bool, _ now: Instant) {
        let without = given || !keys.holds(peer) ? nil : peer
        guard without != excluded else { return }
        excluded = without
        request(.load(keys.keys.filter { $0.peer != without }), now)
    }

    private func learn(_ key: LongTermKey, _ isBond: Bool) {
        if pairing?.peer == key.peer {
            if let count = pairing?.learnt.count, count < 4 { pairing?.learnt.append(key) }
        } else if isBond, keys.holds(key.peer) {  // a key that is no bond must not take the place of one
            var ring = keys
            if ring.put(key) { _ = keep(ring) }
        }
    }

    /// Takes the new bond in the place of the old one. The strap has it since the kernel told us, however pairing ends.
    private func keepBond(_ attempt: PairingAttempt) -> Bool {
        guard !attempt.learnt.isEmpty else { return false }
        var ring = keys
        ring.remove(attempt.peer)
        for key in attempt.learnt { guard ring.put(key) else { return false } }
        guard keep(ring) else { return false }
        if excluded == attempt.peer { excluded = nil }
        return true
    }

    private func keep(_ ring: KeyRing) -> Bool {
        guard let address, owner.keep(ring, of: address) else { return false }
        keys = ring
        return true
    }

    private func end(_ status: ManagementStatus) -> PairingEnd {
        switch status {
        case .success: .paired
        case .authenticationFailed: .refused
        case .timeout: .timedOut
        case .disconnected: .linkLost
        case .cancelled: .cancelled
        default: .failed(status)
        }
    }

    private func endPairing(_ end: PairingEnd, _ now: Instant) {
        guard let attempt = pairing else { return }
        pairing = nil
        let isKept = keepBond(attempt)
        request(.set(.setBondable, false), now)
        guard end == .paired, !isKept else { return owner.pairingEnded(end) }
        // Without its crypto modules the kernel answers success at once and gives no key.
        guard !attempt.learnt.isEmpty else { return owner.pairingEnded(.keyless) }
        excluded = nil
        request(.load(keys.keys), now)
        owner.pairingEnded(.unkept)
    }
}
