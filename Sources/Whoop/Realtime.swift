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

    public var time: StrapTime { StrapTime(seconds: inner.u32(at: 2), fraction: inner.u16(at: 6)) }

    /// Beats per minute, 25...230.
    public var heartRate: UInt8? { Gate.heartRate(inner.u8(at: 8)) }

    /// R-R intervals, 0...4. A count above 4 is not believed: 0.
    public var rrCount: Int { Gate.rrCount(inner.u8(at: 9)) }

    /// R-R interval `index` (0..<rrCount) in milliseconds, 200...2500.
    public func rr(at index: Int) -> UInt16? { Gate.rr(inner, first: 10, index, of: rrCount) }

    /// Whether the strap says that it is on a body.
    public var isWorn: Bool? { inner.byteCount > 18 ? inner.u8(at: 18) == 1 : nil }

    /// Where it is worn: 0 unknown, 1 wrist, 2 bicep, 3 calf, 4 side of torso, 5 glute, 7 ankle, 128 not conclusive,
    /// 160 unknown garment.
    public var location: UInt8? { inner.byteCount > 19 ? inner.u8(at: 19) : nil }
}
