// Owns what Offload's actions mean on this link: rows, commands, counts, and when history is asked for again. A burst is
// acknowledged only at the store's word.
import Bluetooth
import Ports
import Whoop
import Wire

extension Session {
    /// Asks for history now, whatever the cadence says. False: there is no session.
    func sync() -> Bool {
        guard isSession else { return false }
        emptyRuns = 0
        offloadWanted = true
        return true
    }

    func history(_ metadata: borrowing Metadata, _ frame: RawSpan) {
        let now = clock.now
        switch metadata.kind {
        case .start:
            // What is being committed keeps its count until the store has answered.
            if !offload.discardsFrames { beginBurst() }
            act(offload.historyStart(now: now))
        case .end:
            guard let announced = metadata.announced, let token = metadata.token else { return note("An END without a token was ignored.") }
            let action = offload.historyEnd(announced: announced, token: token, now: now)
            guard case .commit(let burst) = action else { return act(action) }
            endCame = now
            commit(burst, frame)
        case .complete:
            dropUnended()
            act(offload.historyComplete())
        case .other(let kind):
            note("Metadata of kind \(kind) was ignored.")
        }
    }

    func beginBurst() {
        burstRecords = 0
        burstSeconds = (0, 0)
    }

    private func commit(_ burst: Offload.Burst, _ frame: RawSpan) {
        if burst.isShort {
            let what = burst.received < burst.announced ? "\(burst.received) of \(burst.announced) frames" : "a damaged frame"
            let why = "the strap served a burst three times with \(what)"
            // A hole that is not written down must not be passed.
            guard store.put(.gap(Stamp(clock), from: burstSeconds.first, to: burstSeconds.last), why.utf8Span.span.bytes) else {
                return act(offload.notStored())
            }
            note("Passed an incomplete burst: \(why).")
        }
        burstTicket = owner.newTicket()
        let end = BurstEnd(announced: burst.announced, received: burst.received, token: burst.token)
        if !store.put(.burst(end, Stamp(clock), ticket: burstTicket), frame) { act(offload.notStored()) }
    }

    /// The store's word on a burst.
    func stored(_ ticket: UInt32) {
        guard ticket == burstTicket else { return }
        recordsStored &+= burstRecords
        if burstSeconds.last > 0 { owner.reached(second: burstSeconds.last) }
        beginBurst()
        act(offload.stored(now: clock.now))
    }

    func notStored(_ ticket: UInt32) {
        guard ticket == burstTicket else { return }
        act(offload.notStored())
    }

    func act(_ action: Offload.Action) {
        switch action {
        case .none: break
        case .request: send(.sendHistory, tag: Tag.command)
        case .acknowledge(let token): send(.burstStored(token: token), urgency: .acknowledgement, tag: Tag.acknowledgement)
        case .drop(let refusal): dropBurst(refusal)
        case .abort(let refusal):
            dropBurst(refusal)
            send(.abortHistory, tag: Tag.command)
            if refusal == .notStored { ended(.notStored) }
        case .commit: break  // made with its frame, in `history`
        case .finished(let outcome): ended(outcome)
        }
    }

    /// Frames without their END belong to no burst that comes after.
    func dropUnended() {
        if offload.received > 0, !offload.discardsFrames { dropBurst(.linkLost) }
    }

    func dropBurst(_ refusal: Offload.Refusal) {
        beginBurst()
        let why = refusal.sentence
        keep(.burstDropped(Stamp(clock)), why.utf8Span.span.bytes)
    }

    func acknowledged(_ now: Instant) {
        let delay = now - endCame
        ackDelay_ms = (delay, ackDelay_ms.sum + delay, max(ackDelay_ms.longest, delay), ackDelay_ms.count + 1)
        owner.stateChanged()
    }

    func ended(_ outcome: Offload.Outcome) {
        lastOffload = clock.now
        emptyRuns = recordsStored > recordsAtStart ? 0 : min(emptyRuns + 1, 8)
        // Not before the first run has ended: the stream would take its air. However it ended: live data waits for no history.
        mayArm = true
        if outcome != .stalled { steerLive() }
        owner.offloadEnded(outcome)
        if outcome == .stalled { giveUp("history stalled twice") }
    }

    var nextOffload: Instant {
        guard let last = lastOffload, !offloadWanted else { return begun }
        return last + pause_ms
    }

    /// From one run of history to the next: longer when there was nothing new three times.
    var pause_ms: Int64 {
        emptyRuns < 3 ? Self.cadence_ms : min(Self.longestCadence_ms, Self.cadence_ms * Int64(1 << (emptyRuns - 2)))
    }
}

extension Offload.Refusal {
    /// One sentence.
    var sentence: String {
        switch self {
        case .short(let received, let announced): "A burst came with \(received) of \(announced) frames and was not acknowledged."
        case .damaged: "A burst came with a damaged frame and was not acknowledged."
        case .notStored: "A burst could not be made durable and was not acknowledged."
        case .notTaken: "The store had no room for a frame of a burst, which was not acknowledged."
        case .restarted: "The strap began a burst again before it had ended the last."
        case .idle: "The strap fell silent during history; it is asked again."
        case .linkLost: "The link was lost inside a burst, which will be served again."
        }
    }
}
