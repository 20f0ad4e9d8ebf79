// Owns the one active alert: which trouble, if any, a person should know of without asking.
import Ports
import Wire

struct Alert {
    private(set) var trouble: LampSignal.Trouble?
    private(set) var sentence = ""
    private(set) var deadline = Instant(milliseconds: 0)
    /// Since when the condition has held; a short one is no alert.
    private var radioSince: Instant?
    private var clockSince: Instant?
    private var nightSince: Instant?
    /// Since when the active strap has been ours without a pause, by the wall.
    private var strap: (peer: Peer, since: WallTime)?

    /// A radio or clock that is out for less is only starting.
    static let patience_ms: Int64 = 60_000
    static let clockPatience_ms: Int64 = 600_000
    /// A strap that comes back in the morning has so long to bring the night.
    static let nightPatience_ms: Int64 = 600_000
    /// A bridge that has just begun has not had the time to fetch a night.
    static let startPatience_ms: Int64 = 3_600_000
    /// History has to reach this close to the configured hour.
    static let nightReach_s: Int64 = 6 * 3600

    mutating func tick(_ bridge: Bridge, now: Instant) {
        deadline = now + 5_000
        let was = trouble
        (trouble, sentence) = find(bridge, now)
        if let trouble, trouble != was { bridge.reason(sentence) }
    }

    private mutating func find(_ bridge: Bridge, _ now: Instant) -> (LampSignal.Trouble?, String) {
        if let storage = bridge.storeTrouble, storage != .replaced { return (.storage, storage.sentence) }

        radioSince = bridge.radioCondition == .ready ? nil : radioSince ?? now
        if let since = radioSince, now - since >= Self.patience_ms { return (.radio, bridge.radioCondition.sentence) }

        clockSince = bridge.clock.trusted ? nil : clockSince ?? now
        if let since = clockSince, now - since >= Self.clockPatience_ms {
            return (.clock, "The board's time cannot be trusted; give it a network for NTP or a clock chip, or set clock = trust in nightstand.conf.")
        }
        if bridge.session?.strapClock == .invalid {
            return (.clock, "The strap does not take the time, so it may not be recording; charge it to 100 % and wear it for some minutes.")
        }

        nightSince = now - bridge.started >= Self.startPatience_ms && misses(bridge) ? nightSince ?? now : nil
        if let since = nightSince, now - since >= Self.nightPatience_ms {
            return (.nightMissing, "Last night has not arrived; bring the strap near the board, and see: nightstand status.")
        }
        return (nil, "")
    }
    /// Whether the hour has come by which last night must be there, and it is not. A strap that became ours after that
    /// hour, and has brought no history yet, owes nothing.
    private mutating func misses(_ bridge: Bridge) -> Bool {
        guard let peer = bridge.roster.active?.peer, bridge.clock.trusted else { strap = nil; return false }
        let wall = bridge.clock.wall
        if strap?.peer != peer { strap = (peer, wall) }
        guard let by = bridge.settings.nightBy, let since = strap?.since else { return false }
        let local = wall.seconds + Int64(bridge.clock.utcOffset_s)
        let midnight = local - ((local % 86_400) + 86_400) % 86_400
        let due = midnight + Int64(by) * 60 - Int64(bridge.clock.utcOffset_s)
        guard wall.seconds >= due, bridge.frontier > 0 || since.seconds < due else { return false }
        return bridge.frontier < due - Self.nightReach_s
    }
}
