// Owns the comparison of the strap's clock with ours: both read at one instant, or not used.
import Bluetooth
import Ports
import Whoop
import Wire

extension Session {
    func read(_ time: StrapTime, sent: Instant, now: Instant) {
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

    /// Whether an event is of now by the strap's own clock, and, with `once`, has not been seen before.
    func isFresh(_ time: StrapTime, once: Bool = true) -> Bool {
        let strapNow = strapOffset_ms.map { $0 + clock.now.milliseconds } ?? clock.wall.milliseconds
        guard abs(strapNow - time.milliseconds) <= Self.fresh_ms else { return false }
        guard once else { return true }
        for i in 0..<8 where taps[i] == time { return false }
        taps[tapPlace] = time
        tapPlace = (tapPlace + 1) % 8
        return true
    }

    /// More than a day in the future: what it would date now is wrong, so no offload is begun by itself.
    var clockIsAhead: Bool { clock.trusted && (drift_ms ?? 0) > 86_400_000 && strapClock != .verified }
}
