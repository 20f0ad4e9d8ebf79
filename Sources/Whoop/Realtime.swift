// Owns the compact live frame (type 40, WHOOP.md 7.1): about one a second after it was armed. The R-R series is gapped.
import Wire

/// One live second.
public struct Realtime: ~Escapable {
    private let inner: RawSpan

    @_lifetime(copy frame)
    public init?(_ frame: borrowing Frame) {
        guard frame.isKnownRevision, frame.type == PacketType.realtime, frame.inner.byteCount >= 10 else { return nil }
        inner = frame.inner
    }

    /// Revision of the layout, 2 on all frames seen. There is no sequence number.
    public var revision: UInt8 { inner.u8(at: 1) }
    public var time: StrapTime { StrapTime(seconds: inner.u32(at: 2), fraction: inner.u16(at: 6)) }

    /// Beats per minute, 25...230.
    public var heartRate: UInt8? { Gate.heartRate(inner.u8(at: 8)) }

    /// R-R intervals in milliseconds, in order, at most 4; those outside 200...2500 are absent, and all are when there
    /// are said to be more.
    public var rr: Series {
        @_lifetime(copy self) get { Series(inner, at: 10, .interval, count: Gate.rrCount(inner.u8(at: 9))) }
    }

    /// Whether the strap says that it is on a body.
    public var isWorn: Bool? { inner.byteCount > 18 ? inner.u8(at: 18) == 1 : nil }

    /// Where it is worn: 0 unknown, 1 wrist, 2 bicep, 3 calf, 4 side of torso, 5 glute, 7 ankle, 128 not conclusive,
    /// 160 unknown garment.
    public var location: UInt8? { inner.byteCount > 19 ? inner.u8(at: 19) : nil }
}
