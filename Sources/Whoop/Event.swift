// Owns events (type 48, WHOOP.md 6). Events are stored and replayed during an offload: whoever acts on a gesture must
// first see that its time is now. The pack's events (type 54) have numbers of their own: `PackEvent`.
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
    /// 1/32768 s; nil in old traces that end before it.
    public var subsecond: UInt16? { inner.byteCount >= 10 ? inner.u16(at: 8) : nil }
    public var time: StrapTime { StrapTime(seconds: unix, fraction: subsecond ?? 0) }

    /// As long as the event says, at most what is there; padding is left out.
    public var body: RawSpan {
        @_lifetime(copy self) get { declaredBody(inner) }
    }

    /// The body of BATTERY_LEVEL.
    public var battery: BatteryLevel? { number == .batteryLevel ? BatteryLevel(body) : nil }

    /// The body of STRAP_CONDITION_REPORT.
    public var condition: StrapCondition? { number == .strapConditionReport ? StrapCondition(body) : nil }

    /// The body of EXTENDED_BATTERY_INFORMATION.
    public var extendedBattery: ExtendedBattery? { number == .extendedBattery ? ExtendedBattery(body) : nil }

    /// The body of BATTERY_PACK_INFO.
    public var pack: PackInfo? {
        @_lifetime(copy self) get { number == .packInfo ? PackInfo(event: body) : nil }
    }

    /// Why HAPTICS_TERMINATED: 0 expired, 1 error, 2 a double tap; from a single source.
    public var hapticsCause: UInt8? { number == .hapticsTerminated && body.byteCount >= 2 ? body.u8(at: 1) : nil }

    /// Which GENERIC_FIRMWARE_EVENT. 1 goes with the link: its state, 1 up or 0 down, lies at 4 of the body.
    public var firmwareEvent: UInt16? { number == .firmwareEvent && body.byteCount >= 3 ? body.u16(at: 1) : nil }

    /// The link's state as GENERIC_FIRMWARE_EVENT 1 tells it.
    public var isLinkUp: Bool? { firmwareEvent == 1 && body.byteCount >= 5 ? body.u8(at: 4) == 1 : nil }

    /// Bytes behind a body that is said to be empty, as some old 4.0 traces have them.
    public var undeclared: RawSpan? {
        @_lifetime(copy self) get {
            guard inner.byteCount > 12, inner.u16(at: 10) == 0 else { return nil }
            let rest = inner.extracting(12..<inner.byteCount)
            for i in 0..<rest.byteCount where rest.u8(at: i) != 0 { return rest }
            return nil
        }
    }
}

/// The body of an event, a console line or a pack's event (types 48, 50, 54, WHOOP.md 4.2): as long as it is said to be, at
/// most what is there.
@_lifetime(copy inner)
func declaredBody(_ inner: RawSpan) -> RawSpan {
    let from = min(12, inner.byteCount)
    return inner.extracting(from..<min(from + Int(inner.u16(at: 10)), inner.byteCount))
}

/// What BATTERY_LEVEL tells, about every eight minutes (WHOOP.md 6.3).
public struct BatteryLevel: Equatable, Sendable, BitwiseCopyable {
    /// State of charge in tenths of a percent, 0...1000.
    public var tenths: UInt16?
    /// Millivolts, 3000...4500. A real 5.0 at 99.9 % says 4382, so the bound lies above the usual 4300.
    public var millivolts: UInt16?
    /// Disputed: events 7 and 8 are the truth.
    public var chargingFlag: Bool?

    init?(_ body: RawSpan) {
        guard body.byteCount >= 9 else { return nil }
        tenths = Gate.battery(body.u32(at: 1))
        let mv = body.u32(at: 5)
        millivolts = mv >= 3000 && mv <= 4500 ? UInt16(mv) : nil
        chargingFlag = body.byteCount > 10 ? body.u8(at: 10) & 1 != 0 : nil
    }
}

/// What STRAP_CONDITION_REPORT tells (WHOOP.md 6.3).
public struct StrapCondition: Equatable, Sendable, BitwiseCopyable {
    /// Pages written and not acknowledged.
    public var pagesBehind: UInt32
    /// The same as tenths of a percent of the flash.
    public var backlog_tenths: UInt16
    /// Not mapped; 11 was seen.
    public var flashStatus: UInt8
    /// State of charge in tenths of a percent, 0...1000.
    public var battery_tenths: UInt16?
    public var isCharging: Bool
    /// 1 while worn; the other values are not mapped.
    public var wrist: UInt8

    init?(_ body: RawSpan) {
        guard body.byteCount >= 12 else { return nil }
        pagesBehind = body.u32(at: 0)
        backlog_tenths = body.u16(at: 4)
        flashStatus = body.u8(at: 8)
        battery_tenths = Gate.battery(UInt32(body.u16(at: 6)))
        isCharging = body.u8(at: 9) != 0
        wrist = body.u8(at: 10)
    }
}

/// What EXTENDED_BATTERY_INFORMATION and the answer to GET_EXTENDED_BATTERY_INFO tell (WHOOP.md 6.3).
public struct ExtendedBattery: Equatable, Sendable, BitwiseCopyable {
    /// The fuel gauge's own unit; below zero while discharging. Revision 3's is only like a current.
    public var current: Int16
    /// Revision 1.
    public var averageCurrent: Int16?
    /// Millivolts, as event 3 has them; revision 1 (4.0).
    public var millivolts: UInt16?
    /// The battery's temperature in tenths of °C, -400...1000.
    public var temperature_tenths: Int16?
    /// A second one; revision 3 (5.0).
    public var secondTemperature_tenths: Int16?
    /// Raw, falls with the charge; revision 1.
    public var remaining: UInt16?

    /// Nil for another revision or a short body.
    init?(_ body: RawSpan) {
        func temperature(_ offset: Int) -> Int16? {
            let tenths = body.i16(at: offset)
            return tenths >= -400 && tenths <= 1000 ? tenths : nil
        }
        switch body.u8(at: 0) {
        case 1:
            guard body.byteCount >= 13 else { return nil }
            current = body.i16(at: 1)
            averageCurrent = body.i16(at: 3)
            let mv = body.u16(at: 5)
            millivolts = mv >= 3000 && mv <= 4500 ? mv : nil
            temperature_tenths = temperature(7)
            secondTemperature_tenths = nil
            remaining = body.u16(at: 11)
        case 3:
            guard body.byteCount >= 9 else { return nil }
            current = body.i16(at: 3)
            averageCurrent = nil
            millivolts = nil
            temperature_tenths = temperature(5)
            secondTemperature_tenths = temperature(7)
            remaining = nil
        default:
            return nil
        }
    }
}
