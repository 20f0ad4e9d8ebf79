// Owns the read model: what is known at this moment, as a plain value, and the one sentence that says why there is no
// data. Everything that shows or tells something reads this and nothing else.
import Ports
import Vitals
import Whoop
import Wire

/// "Connected" is six different truths; each can fail while those before it hold.
public struct Truths: Equatable, Sendable {
    public var link = false
    /// ATT is answering: the handles are known.
    public var attribute = false
    public var encrypted = false
    /// Hello and clock are done.
    public var session = false
    /// A heart rate at most 10 s old.
    public var heartRate = false
    /// History is being served, or was served whole and is not overdue.
    public var history = false
}

public struct Status: Sendable {
    public var uptime_ms: Int64 = 0
    public var link = LinkState.noRadio
    public var truths = Truths()
    public var radio = RadioCondition.starting
    public var storage: StoreTrouble?
    public var strap: Strap?
    public var heartRate: UInt8?
    /// 0...5.
    public var zone: Int?
    public var zonesAssumed = false
    public var worn: Bool?
    /// Tenths of a percent.
    public var battery_tenths: UInt16?
    /// dBm, newest of the link.
    public var signal_dBm: Int8?
    public var mtu: UInt16 = 0
    public var clockTrusted = false
    public var strapClock = StrapClock.unknown
    /// Strap minus wall.
    public var drift_ms: Int64?
    public var syncing = false
    /// Of this link.
    public var recordsReceived: UInt32 = 0
    public var recordsStored: UInt32 = 0
    public var burstsAcknowledged: Int64 = 0
    /// Milliseconds from an END to its acknowledgement.
    public var ackDelay_ms: (last: Int64, mean: Int64, longest: Int64) = (0, 0, 0)
    /// Pages the strap held back when it was last asked.
    public var pagesBehind: UInt32?
    /// Newest durable second of history, unix; 0 when there is none.
    public var frontier: Int64 = 0
    /// Seconds that history lags behind wall time; nil when either is not known.
    public var lag_s: Int64?
    public var lastOffload: Offload.Outcome?
    public var lastLoss: LinkLoss?
    public var links: UInt32 = 0
    public var moments: UInt32 = 0
    public var led = LampSignal.noStrap
    public var light: Light = []
    public var alert = ""
    public var pairing_ms: Int64 = 0
    public var pairingSentence = ""
    /// Why there is no data, or that there is.
    public var sentence = ""
}

extension Bridge {
    public var status: Status {
        let now = clock.now
        var s = Status()
        s.uptime_ms = now - started
        s.link = supervisor.state
        s.radio = radioCondition
        s.storage = storeTrouble
        s.strap = roster.active
        if let heartRate, now - heartRate.at < Self.heartRateLife_ms {
            s.heartRate = heartRate.bpm
            s.zone = zones.zone(of: heartRate.bpm)
        }
        s.zonesAssumed = zones.assumed
        s.worn = worn
        s.battery_tenths = battery_tenths
        s.clockTrusted = clock.trusted
        s.frontier = frontier
        if frontier > 0, clock.trusted { s.lag_s = max(0, clock.wall.seconds - frontier) }
        s.lastOffload = lastOffload
        s.lastLoss = lastLoss
        s.links = links
        s.moments = moments
        s.led = lamp.signal
        s.light = lamp.light
        s.alert = alert.sentence
        s.pairing_ms = pairing.left_ms(now: now)
        s.pairingSentence = pairingSentence
        s.truths.link = session != nil
        s.truths.heartRate = s.heartRate != nil
        if let session {
            s.truths.attribute = session.handles != nil
            s.truths.encrypted = session.encrypted
            s.truths.session = session.isSession
            s.truths.history = session.offload.isRunning || session.lastOffload.map { now - $0 < session.pause_ms + Session.cadence_ms && lastOffload == .complete } ?? false
            s.strap = session.strap
            s.signal_dBm = session.signals.0 == 127 ? nil : session.signals.0
            s.mtu = session.mtu
            s.strapClock = session.strapClock
            s.drift_ms = session.drift_ms
            s.syncing = session.offload.isRunning
            s.recordsReceived = session.records
            s.recordsStored = session.recordsStored
            s.burstsAcknowledged = session.ackDelay_ms.count
            let d = session.ackDelay_ms
            s.ackDelay_ms = (d.last, d.count > 0 ? d.sum / d.count : 0, d.longest)
            s.pagesBehind = session.range?.pagesBehind
        }
        s.sentence = sentence(s)
        return s
    }

    /// How pairing goes, or how it went last; empty when nobody has asked for it.
    private var pairingSentence: String {
        if pairing.ambiguous { return "Several straps are near; name one: nightstand pair ADDRESS." }
        if let failure = pairing.last { return failure.sentence }
        guard pairing.isOpen else { return "" }
        if session == nil, pairing.candidates.isEmpty {
            return "No strap has been heard yet; switch the phone's Bluetooth off, and put a 5.0 or MG into pairing mode: tap it until its LEDs flash blue."
        }
        return session == nil ? "A strap was heard; connecting." : "The strap is connected and is being paired."
    }

    /// The first thing that is wrong, from the radio upwards.
    private func sentence(_ s: Status) -> String {
        if s.radio != .ready { return s.radio.sentence }
        if let trouble = s.storage, trouble != .replaced { return trouble.sentence }
        if pairing.isOpen { return "The pairing window is open for \((s.pairing_ms + 999) / 1000) s more. \(s.pairingSentence)" }
        guard let strap = s.strap else { return "No strap is paired; hold the button for 3 s, or run: nightstand pair." }
        if !s.truths.link {
            if let loss = s.lastLoss, loss.cause == .timeout || loss.cause == .notReached || loss.cause == .remote {
                return "The strap is not heard (last: \(loss.words)); it is out of range, asleep, or connected to a phone. A connect stays pending."
            }
            return "The strap is not heard yet; it is out of range, asleep, or connected to a phone. A connect stays pending."
        }
        if !s.truths.attribute { return "The link is up and the strap's services are being read." }
        if !s.truths.encrypted {
            return strap.keySuspect
                ? "The strap has lost our bond; live heart rate goes on, and history needs a new pairing: nightstand pair."
                : "The link is not encrypted; live heart rate goes on, and history needs pairing: nightstand pair."
        }
        if !s.truths.session {
            return strap.helloRefusals >= Strap.helloRefusalLimit
                ? "The strap has refused our session three times and is left in peace; live heart rate goes on. To try anew: nightstand pair."
                : "The link is encrypted and the handshake is under way."
        }
        if s.strapClock == .invalid { return "The strap does not take the time and may not be recording; charge it to 100 % and wear it for some minutes." }
        if s.syncing { return "History is being fetched." }
        if !s.alert.isEmpty { return s.alert }
        if !s.truths.history, let outcome = s.lastOffload, outcome != .complete { return "History did not come in: \(outcome.sentence)" }
        if !s.truths.heartRate { return s.worn == false ? "The strap is not worn\(s.truths.history ? "; history is up to date" : "")." : "The strap sends no heart rate; it may not be worn." }
        if !s.clockTrusted { return "Live heart rate is coming in; the board's time is not trusted yet, so the strap's clock is left alone." }
        return "All is well."
    }
}

/// A strap that is known, for lists.
public struct Device: Sendable {
    public var strap: Strap
    public var isActive: Bool
    /// A key for it is stored.
    public var isPaired: Bool
}

extension Bridge {
    public var devices: [Device] {
        roster.straps.map { Device(strap: $0, isActive: $0.peer == roster.active?.peer, isPaired: radio.hasKey($0.peer)) }
    }
}
