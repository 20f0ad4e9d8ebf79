// Owns what is of this moment: heart rate and its stream, whether the strap is worn, gestures, charge, the buzz. Waits for
// no history.
import Bluetooth
import Ports
import Whoop
import Wire

extension Session {
    func heartRate(_ value: RawSpan) {
        guard let measurement = HeartRateMeasurement(value) else { return }
        keep(.heartRate(Stamp(clock)), value)
        beat(measurement.heartRate, worn: measurement.contact)
    }

    func live(_ realtime: borrowing Realtime) {
        realtimeAt = clock.now
        beat(realtime.heartRate, worn: realtime.isWorn)
    }

    private func beat(_ bpm: UInt8?, worn: Bool?) {
        if bpm != nil {
            heartRateAt = clock.now
            resubscribed = false
        }
        heard(bpm, worn: bpm != nil ? worn ?? true : worn)
    }

    func heard(_ bpm: UInt8?, worn: Bool?) {
        owner.heard(heartRate: bpm, worn: worn)
        guard let worn, worn != self.worn else { return }
        self.worn = worn
        steerLive()
    }

    func happened(_ event: borrowing Event) {
        switch event.number {
        case .doubleTap where isFresh(event.time): owner.doubleTapped()
        case .wristOn where isFresh(event.time, once: false): heard(nil, worn: true)
        case .wristOff where isFresh(event.time, once: false): heard(nil, worn: false)
        case .batteryLevel:
            if let tenths = event.battery?.tenths, isFresh(event.time, once: false) { charged(tenths) }
        default: break
        }
    }

    func charged(_ tenths: UInt16) {
        keep(.battery(Stamp(clock), tenths: tenths), RawSpan())
        owner.charged(tenths: tenths)
    }

    /// One short buzz. False: there is no session to carry it.
    func buzz() -> Bool {
        guard isSession else { return false }
        if !buzzing {
            buzzing = true
            send(.buzz(loops: 1), urgency: .person, tag: Tag.buzz)
        }
        return true
    }

    /// Stops a pattern that may be under way; the last thing a session says.
    func farewell() {
        if buzzing { send(.stopHaptics, urgency: .person, tag: Tag.command) }
    }

    /// Whether the live stream is to run.
    private var wantsLive: Bool { live == .always || live == .worn && worn != false }

    /// Switches the live stream where it is not as it is to be; never inside a run of history.
    func steerLive() {
        guard mayArm, !offload.isRunning, wantsLive != liveArmed else { return }
        if wantsLive { return arm() }
        liveArmed = false
        send(.realtimeHeartRate(.off), tag: Tag.command)
    }

    func arm() {
        liveArmed = true
        liveArmedAt = clock.now
        send(.realtimeHeartRate(.on), tag: Tag.command)
    }

    /// When heart rate has been missing for so long that its subscription is written again; nil: not to be.
    var resubscribeAt: Instant? {
        guard step >= .encryption, !resubscribed else { return nil }
        return heartRateAt.map { $0 + Self.resubscribe_ms }
    }

    /// When the live stream is armed again; nil: not to be.
    var rearmAt: Instant? {
        guard liveArmed, step == .running, !offload.isRunning else { return nil }
        return max(realtimeAt ?? liveArmedAt, liveArmedAt) + Self.rearm_ms
    }
}
