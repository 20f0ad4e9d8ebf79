// Owns how a strap becomes ours and is let go: the window, the strap that is tried, the key's fate.
import Bluetooth
import Ports
import Whoop
import Wire

extension Bridge {
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

    func pair(_ now: Instant) {
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
    var canPair: Bool { session.map { !$0.encrypted && $0.step >= .encryption && isOurs($0) } ?? false }

    /// Not so while the link to a strap that was let go is still ending.
    func isOurs(_ session: Session) -> Bool { session.strap.peer == roster.active?.peer }

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
    func dropTried() -> Bool {
        guard let peer = tried else { return false }
        tried = nil
        guard roster.strap(peer) != nil, !radio.hasKey(peer) else { return false }
        roster.remove(peer)
        save()
        return true
    }

    func closePairing() {
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
    func letGo() {
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
}
