// Owns what the radio says of adapter and link, and what follows: the supervisor is asked, a session begins or ends.
import Bluetooth
import Ports
import Whoop
import Wire

extension Bridge {
    func order(_ event: Supervisor.Event) {
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

    func endSession(_ loss: LinkLoss) {
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
}
