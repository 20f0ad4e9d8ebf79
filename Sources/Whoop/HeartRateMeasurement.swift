// Owns the standard Heart Rate Measurement (2A37, WHOOP.md 11). Its R-R intervals are in 1/1024 s, unlike the vendor's.
import Wire

/// One value of characteristic 2A37.
public struct HeartRateMeasurement: ~Escapable {
    private let value: RawSpan
    private let rrStart: Int

    /// Nil when the value ends before its heart rate.
    @_lifetime(copy value)
    public init?(_ value: RawSpan) {
        let flags = value.u8(at: 0)
        let heart = flags & 1 != 0 ? 3 : 2
        guard value.byteCount >= heart else { return nil }
        self.value = value
        rrStart = heart + (flags & 8 != 0 ? 2 : 0)
    }

    public var flags: UInt8 { value.u8(at: 0) }

    /// Beats per minute, 30...230.
    public var heartRate: UInt8? {
        let bpm = rawHeartRate
        return bpm >= 30 && bpm <= 230 ? UInt8(bpm) : nil
    }

    /// As sent.
    public var rawHeartRate: UInt16 { flags & 1 != 0 ? value.u16(at: 1) : UInt16(value.u8(at: 1)) }

    /// Whether the sensor touches skin; nil when it does not say.
    public var contact: Bool? { flags & 4 != 0 ? flags & 2 != 0 : nil }

    /// Kilojoules since it was reset.
    public var energy_kJ: UInt16? {
        flags & 8 != 0 && value.byteCount >= rrStart ? value.u16(at: rrStart - 2) : nil
    }

    /// R-R intervals, oldest first.
    public var rrCount: Int { flags & 16 != 0 ? max(0, value.byteCount - rrStart) / 2 : 0 }

    /// R-R intervals in milliseconds, in order; those outside 200...2500 are absent.
    public var rr: Series {
        @_lifetime(copy self) get { Series(value, at: rrStart, .interval1024, count: rrCount) }
    }

    /// R-R interval `index` (0..<rrCount) as sent, 1/1024 s.
    public func rawRR(at index: Int) -> UInt16? {
        index >= 0 && index < rrCount ? value.u16(at: rrStart + 2 * index) : nil
    }
}
