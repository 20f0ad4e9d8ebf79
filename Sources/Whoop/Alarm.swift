// Owns the alarm that lives in the strap (WHOOP.md 5.8). Times are UTC by the strap's clock, which must be right.
import Wire

/// An alarm to set.
public struct Alarm: Equatable, Sendable, BitwiseCopyable {
    public var time: StrapTime
    /// 1...6 on 5.0; 4.0 has one alarm and no number.
    public var slot: UInt8
    /// How often 5.0 repeats its effect. 4.0 has its own pattern, about 24 s.
    public var loops: UInt8
    /// Seconds at most, on 5.0.
    public var duration_s: UInt8

    /// What the vendor's app sends where nothing else is said: slot 1, 7 loops, 30 s.
    public init(at time: StrapTime, slot: UInt8 = 1, loops: UInt8 = 7, duration_s: UInt8 = 30) {
        self.time = time
        self.slot = slot
        self.loops = loops
        self.duration_s = duration_s
    }
}

/// Which alarms to disable. 4.0 has only one.
public enum AlarmScope: Equatable, Sendable, BitwiseCopyable {
    case all
    /// 1...6.
    case slot(UInt8)
}

/// An alarm as the strap tells it.
public struct AlarmState: Equatable, Sendable, BitwiseCopyable {
    public var isEnabled: Bool
    /// Nil when none is set.
    public var time: StrapTime?

    /// From an answer's body; nil for another revision or a short body.
    init?(_ body: RawSpan, family: Family) {
        guard body.byteCount >= 8, body.u8(at: 0) == (family == .whoop4 ? 1 : 4) else { return nil }
        isEnabled = body.u8(at: 1) == 1
        let seconds = body.u32(at: 2)
        time = seconds == 0 ? nil : StrapTime(seconds: seconds, fraction: body.u16(at: 6))
    }
}
