// Owns the reading of HELLO of both families (WHOOP.md 5.3). The device token that lies between serial and hardware
// family is secret-like: there is no accessor for it, and there must never be one.
import Wire

/// Who the strap is. Serial numbers are not for logs.
public struct Hello: ~Escapable {
    public let family: Family
    private let body: RawSpan

    /// From an answer's body; nil for another revision or a short body.
    @_lifetime(copy body)
    init?(_ body: RawSpan, family: Family) {
        let (revision, length): (UInt8, Int) = family == .whoop4 ? (4, 115) : (1, 104)
        guard body.u8(at: 0) == revision, body.byteCount >= length else { return nil }
        self.family = family
        self.body = body
    }

    /// State of charge in tenths of a percent, 0...1000.
    public var battery_tenths: UInt16? { Gate.battery(body.u32(at: 1)) }

    public var isCharging: Bool { body.u8(at: 5) & 1 != 0 }

    /// The strap's clock.
    public var clock: StrapTime { StrapTime(seconds: body.u32(at: 6), fraction: body.u16(at: 10)) }

    /// The serial number, ASCII; nil when it is empty or all zeros (the strap could not read it).
    public var serial: RawSpan? {
        @_lifetime(copy self) get {
            guard let field = body.slice(14, family == .whoop4 ? 24 : 25) else { return nil }
            let serial = text(field)
            for i in 0..<serial.byteCount where serial.u8(at: i) != 0x30 { return serial }
            return nil
        }
    }

    /// 6 for 4.0, 13 for 5.0.
    public var hardwareFamily: UInt32 { body.u32(at: family == .whoop4 ? 78 : 79) }

    /// The main firmware; nil when it reads zero.
    public var firmware: Version? {
        switch family {
        case .whoop4: return Version(body, at: 90)
        case .whoop5:
            let version = Version(UInt32(body.u8(at: 91)), UInt32(body.u8(at: 92)), UInt32(body.u8(at: 93)), body.u32(at: 94))
            return version.major == 0 ? nil : version
        }
    }

    /// The signal processor's firmware.
    public var signalProcessor: Version? { Version(bytes: body, at: family == .whoop4 ? 106 : 98) }

    /// The board's revision, 5.0.
    public var board: UInt32? { family == .whoop5 ? body.u32(at: 83) : nil }

    /// Which optics, 5.0: 48...85 is this generation.
    public var optics: UInt32? { family == .whoop5 ? body.u32(at: 87) : nil }

    /// What the strap finds wrong with itself, 5.0; 0 nothing.
    public var errorCode: Int8? { family == .whoop5 ? body.i8(at: 103) : nil }

    /// Whether the strap is worn. On 4.0 the flag is inferred from few captures.
    public var isWorn: Bool { body.u8(at: family == .whoop4 ? 114 : 102) == 1 }

    /// Whether heart rate is broadcast on 2A37; 5.0 only.
    public var broadcastsHeartRate: Bool? { family == .whoop5 ? body.u8(at: 101) == 1 : nil }
}
