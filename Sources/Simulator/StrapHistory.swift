// Owns how a simulated strap serves its history (WHOOP.md section 9): START, frames, END, and then it waits. It goes on only
// when told the right token; told nothing, or something else, it serves the same burst again.
import Whoop
import Wire

extension SimulatedStrap {
    func startHistory() {
        guard link != nil else { return }
        epoch += 1
        link?.stopHistory()
        serve(after: 60)
    }

    func abortHistory() {
        epoch += 1
        link?.stopHistory()
        history = .idle
    }

    /// Says that history is complete in the middle of a burst, which it serves again when it is next asked.
    public func completeEarly() {
        guard let link else { return }
        abortHistory()
        link.notify(.data, completeFrame())
    }

    private func serve(after milliseconds: Int64) {
        history = .idle
        schedule.after(milliseconds) { [self, now = epoch] in
            guard now == epoch, let link else { return }
            if unreleased == nil { unreleased = nextBurst() }
            guard let burst = unreleased else { return finishHistory(link) }
            send(burst, link)
        }
    }

    private func send(_ burst: ServedBurst, _ link: SimulatedLink) {
        servedTimes = servedTimes.token == burst.token ? (burst.token, servedTimes.count + 1) : (burst.token, 1)
        servings += 1
        history = .sending(burst)
        link.notify(.data, burst.start, history: true)
        if quirks.stalls > 0 {
            quirks.stalls -= 1
            return
        }
        for (place, frame) in burst.frames.enumerated() {
            if quirks.missing.places.contains(place), servedTimes.count <= quirks.missing.servings { continue }
            var bytes = frame
            if place == burst.frames.count / 2, servedTimes.count <= quirks.damagedServings { bytes[bytes.count - 8] ^= 0x10 }
            link.notify(.data, bytes, history: true)
        }
        link.notify(.data, burst.end, history: true)
        history = .awaiting(burst)
        // Not acknowledged: the same again.
        schedule.after(8_000) { [self, now = epoch] in
            guard now == epoch, case .awaiting(let waiting) = history, waiting.token == burst.token else { return }
            epoch += 1
            serve(after: 0)
        }
    }

    func acknowledged(_ token: UInt64, success: Bool) {
        onAcknowledgement?(token)
        guard case .awaiting(let burst) = history else { return }
        epoch += 1
        if success, token == burst.token {
            released.append(token)
            unreleased = nil
            if burst.through == 0 { flash.captured.removeFirst() } else { flash.release(before: burst.through) }
            // Of a burst that was being served again nothing more is needed.
            link?.stopHistory()
            serve(after: 25)
        } else {
            if success { breaches.append("acknowledged \(token) where \(burst.token) was to be") }
            serve(after: 400)
        }
    }

    private func finishHistory(_ link: SimulatedLink) {
        history = .idle
        if quirks.endsWithSentinel {
            link.notify(.data, endFrame(announced: 0, token: .max), history: true)
        } else {
            link.notify(.data, completeFrame(), history: true)
        }
    }

    private func completeFrame() -> [UInt8] {
        var inner = Inner(49)
        inner.u8(nextSequence())
        inner.u8(3)
        inner.u32(time.seconds)
        inner.u16(time.fraction)
        return inner.frame(identity.family)
    }

    private func nextBurst() -> ServedBurst? {
        if let first = flash.captured.first { return first }
        guard let counters = flash.nextCounters else { return nil }
        let start = startFrame()
        var frames: [[UInt8]] = []
        for event in flash.events { frames.append(eventFrame(event.number, event.body, at: (event.time, 0))) }
        flash.events.removeAll()
        for counter in counters {
            guard let unix = flash.unix(of: counter) else { continue }
            frames.append(recordFrame(counter, unix, body.second(Int64(unix))))
        }
        frames.append(consoleFrame("\(counters.upperBound), History burst \(counters.count)\n"))
        let token = Flash.token(after: counters.upperBound)
        return ServedBurst(frames: frames, start: start, end: endFrame(announced: UInt32(frames.count), token: token), token: token,
            records: counters.count, through: counters.upperBound)
    }
}
