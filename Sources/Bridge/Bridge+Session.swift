// Owns what a session asks of the bridge and tells it.
import Bluetooth
import Ports
import Whoop
import Wire

extension Bridge {
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
}
