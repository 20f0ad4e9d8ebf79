// Owns how a link becomes a session, step by step (the table is in Handshake.swift), and what the strap's refusals mean for
// it. Never sends a step twice.
import Bluetooth
import Ports
import Whoop
import Wire

extension Session {
    func enter(_ next: Step) {
        // The clock's steps can come a second time, when our own time has become trusted; the others never do.
        if next == .quiet {
            isSession = true
            if handshakeDone { return enter(.running) }
        }
        step = next
        let now = clock.now
        stepEnds = next.limit_ms > 0 ? now + next.limit_ms : .never
        awaited = nil
        switch next {
        case .exchangeMTU:
            ask(.exchangeMTU(tag: Tag.step))
        case .discover:
            if handles != nil { return finish(.discover) }
            discovery = Discovery(wanted: [Family.whoop4.service, Family.whoop5.service, UUID128(short: 0x180d), UUID128(short: 0x180f)])
            discovery?.begin(client, now: now)
        case .subscribeHeartRate:
            subscribe(UUID128(short: 0x2a37))
        case .subscribeBattery:
            // On 4.0 the characteristic is a stub that says 100 for ever.
            if strap.family == .whoop5 { subscribe(UUID128(short: 0x2a19)) } else { finish(next) }
        case .encryption:
            owner.stateChanged()
            if encrypted { finish(next) }
        case .subscribeResponses: subscribe(.responses)
        case .subscribeEvents: subscribe(.events)
        case .subscribeData: subscribe(.data)
        case .probe where strap.family != .whoop4, .quiet where strap.family != .whoop4:
            finish(next)
        case .leaveHighFrequency where !leaveHighFrequency:
            finish(next)
        case .hello where strap.helloRefusals >= Strap.helloRefusalLimit:
            // The verdict stands until a bond succeeds or the strap is forgotten: live heart rate only.
            stepEnds = .never
            hasRefused = true
        case .helloAgain:
            // Reached only from an unanswered hello.
            send(.hello)
        case .setClock:
            guard clock.trusted, let time = StrapTime(clock.wall), let drift = drift_ms, abs(drift) >= Self.clockDrift_ms else {
                if !clock.trusted { strapClock = .untouched }
                return enter(.quiet)
            }
            send(.setClock(time))
        case .settle:
            break
        case .running:
            handshakeDone = true
            owner.stateChanged()
        default:
            if let command = next.command { send(command) } else { finish(next) }
        }
    }

    /// A step has done its work. Says nothing when it is not the one under way.
    func finish(_ done: Step) {
        guard step == done else { return }
        switch done {
        case .hello: enter(.readClock)
        default: enter(done.next)
        }
    }

    /// A step has run out of time.
    func expire() {
        let over = step
        stepEnds = .never
        switch over {
        case .hello: enter(.helloAgain)
        case .helloAgain: note("The strap did not answer the hello; going on without its identity."); enter(.readClock)
        case .readClock: note("The strap did not tell its clock."); enter(.quiet)
        case .setClock: enter(.verifyClock)
        case .verifyClock: strapClock = .invalid; note("The strap's clock could not be read back after it was set."); enter(.quiet)
        default: finish(over)
        }
    }

    private func subscribe(_ characteristic: Whoop.Characteristic) {
        guard let family = strap.family else { return finish(step) }
        subscribe(family.uuid(of: characteristic))
    }

    private func subscribe(_ uuid: UUID128) {
        guard let found = handles?.find(uuid), found.configuration != 0 else { return finish(step) }
        write(found.configuration, on: found, tag: Tag.step)
    }

    func attribute(_ request: AttributeRequest, ended outcome: AttributeOutcome) {
        let now = clock.now
        if request.tag == Discovery.tag {
            guard let progress = discovery?.take(outcome, of: request, client, now: now) else { return }
            switch progress {
            case .going: break
            case .failed: giveUp("the strap's services could not be read")
            case .complete: discovered()
            }
            return
        }
        var refusal: AttributeError?
        if case .refused(let error) = outcome { refusal = error }
        if let error = refusal, error.staleHandle, request.kind == .write || request.kind == .read {
            handles = nil
            return giveUp("the strap's handles have changed")
        }
        switch request.tag {
        case Tag.step:
            stepAnswered(request, refusal)
        case Tag.acknowledgement:
            if refusal == nil { acknowledged(now) } else { note("The strap refused an acknowledgement (ATT \(refusal?.code ?? 0)).") }
        case Tag.buzz:
            buzzing = false
        case Tag.keepAlive:
            if request.kind == .read, strap.family == .whoop5, case .answer(let value) = outcome, value.byteCount >= 1, value.u8(at: 0) <= 100 {
                charged(UInt16(value.u8(at: 0)) * 10)
            }
        default:
            break
        }
    }

    private func stepAnswered(_ request: AttributeRequest, _ refusal: AttributeError?) {
        switch step {
        case .exchangeMTU, .subscribeHeartRate, .subscribeBattery, .subscribeResponses, .subscribeEvents:
            if refusal?.wantsBond == true, step > .encryption { return bondRefused() }
            finish(step)
        case .subscribeData:
            if refusal?.wantsBond == true { return bondRefused() }
            finish(step)
        case .probe:
            if refusal?.wantsBond == true { return bondRefused() }
            finish(step)
        case .hello, .helloAgain:
            if refusal?.wantsBond == true { return bondRefused() }
        default:
            break  // the answer to a command comes as a frame
        }
    }

    /// The strap wants a bond though the kernel says that the link is encrypted. The link stays: live heart rate goes on.
    private func bondRefused() {
        stepEnds = .never
        awaited = nil
        isSession = false
        hasRefused = true
        step = .encryption
        owner.helloRefused()
        owner.stateChanged()
    }

    private func discovered() {
        handles = discovery?.table
        discovery = nil
        let found: Family? = handles.flatMap { table in
            for family in [Family.whoop4, Family.whoop5] where table.find(family.uuid(of: .command)) != nil { return family }
            return nil
        }
        guard let family = found else { return giveUp("this is not a strap: it has no service of WHOOP's") }
        strap.family = family
        offload = Offload(idleLimit_ms: family == .whoop5 ? 20_000 : 60_000)
        _ = owner.identified(strap)
        finish(.discover)
    }
}
