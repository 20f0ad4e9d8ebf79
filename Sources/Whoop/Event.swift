// Owns events (type 48, WHOOP.md 6). Events are stored and replayed during an offload: whoever acts on a gesture must
// first see that its time is now. The pack's events (type 54) have numbers of their own and are not read here.
import Wire

/// One event.
public struct Event: ~Escapable {
    private let inner: RawSpan

    @_lifetime(copy frame)
    public init?(_ frame: borrowing Frame) {
        guard frame.isKnownRevision, frame.type == PacketType.event, frame.inner.byteCount >= 8 else { return nil }
        inner = frame.inner
    }

    /// The strap's counter of events.
    public var sequence: UInt8 { inner.u8(at: 1) }
    public var number: EventNumber { EventNumber(rawValue: inner.u16(at: 2)) }
    public var unix: UInt32 { inner.u32(at: 4) }
    /// 1/32768 s. Zero in old traces that end before it.
    public var subsecond: UInt16 { inner.u16(at: 8) }
    public var time: StrapTime { StrapTime(seconds: unix, fraction: subsecond) }

    /// As long as the event says, at most what is there; padding is left out.
    public var body: RawSpan {
        @_lifetime(copy self) get {
            let from = min(12, inner.byteCount)
            return inner.extracting(from..<min(from + Int(inner.u16(at: 10)), inner.byteCount))
        }
    }

    /// The body of BATTERY_LEVEL.
    public var battery: BatteryLevel? { number == .batteryLevel ? BatteryLevel(body) : nil }

    /// The body of STRAP_CONDITION_REPORT.
    public var condition: StrapCondition? { number == .strapConditionReport ? StrapCondition(body) : nil }
}

/// What BATTERY_LEVEL tells, about every eight minutes (WHOOP.md 6.3). Its charging flag is disputed and left out:
/// events 7 and 8 are the truth.
public struct BatteryLevel: Equatable, Sendable, BitwiseCopyable {
    /// State of charge in tenths of a percent, 0...1000.
    public var tenths: UInt16?
    /// Millivolts, 3000...4500. A real 5.0 at 99.9 % says 4382, so the bound lies above the usual 4300.
    public var millivolts: UInt16?

    init?(_ body: RawSpan) {
        guard body.byteCount >= 9 else { return nil }
        tenths = Gate.battery(body.u32(at: 1))
        let mv = body.u32(at: 5)
        millivolts = mv >= 3000 && mv <= 4500 ? UInt16(mv) : nil
    }
}

/// What STRAP_CONDITION_REPORT tells (WHOOP.md 6.3).
public struct StrapCondition: Equatable, Sendable, BitwiseCopyable {
    /// Pages written and not acknowledged.
    public var pagesBehind: UInt32
    /// State of charge in tenths of a percent, 0...1000.
    public var battery_tenths: UInt16?
    public var isCharging: Bool
    /// 1 while worn; the other values are not mapped.
    public var wrist: UInt8

    init?(_ body: RawSpan) {
        guard body.byteCount >= 12 else { return nil }
        pagesBehind = body.u32(at: 0)
        battery_tenths = Gate.battery(UInt32(body.u16(at: 6)))
        isCharging = body.u8(at: 9) != 0
        wrist = body.u8(at: 10)
    }
}
