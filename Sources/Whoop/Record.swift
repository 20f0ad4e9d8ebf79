// Owns the header that all records share (types 47 and 43, WHOOP.md 8.1). What a version holds is read by a view of its own
// (`Summary`, `Pulse`, `Heart`, `Motion`, `Optics`, `Research`); a version that none knows is kept raw under this header.
import Wire

/// One record of the strap: an archived one (type 47) or a live raw one (type 43).
public struct Record: ~Escapable {
    public let family: Family
    let inner: RawSpan

    @_lifetime(copy frame)
    @inline(__always)
    public init?(_ frame: borrowing Frame) {
        guard frame.isKnownRevision, frame.type == PacketType.record || frame.type == PacketType.liveRecord,
              frame.inner.byteCount >= 13 else { return nil }
        family = frame.family
        inner = frame.inner
    }

    /// Whether it is live (type 43); then it belongs to no burst.
    @inline(__always)
    public var isLive: Bool { inner.u8(at: 0) == PacketType.liveRecord }
    /// The layout of what follows the header.
    @inline(__always)
    public var version: UInt8 { inner.u8(at: 1) }
    @inline(__always)
    public var flags: UInt8 { inner.u8(at: 2) }
    /// One more with each record, across versions. Together with version and unix it identifies a record.
    @inline(__always)
    public var counter: UInt32 { inner.u32(at: 3) }
    @inline(__always)
    public var unix: UInt32 { inner.u32(at: 7) }
    /// 1/32768 s, 0...32767.
    @inline(__always)
    public var subsecond: UInt16 { inner.u16(at: 11) }
    @inline(__always)
    public var time: StrapTime { StrapTime(seconds: unix, fraction: subsecond) }

    /// The record as a second's summary, when its version is one.
    @inline(__always)
    public var summary: Summary? {
        @_lifetime(copy self) get { Summary(self) }
    }

    /// The record as a second of pulse wave, when its version is one.
    @inline(__always)
    public var pulse: Pulse? {
        @_lifetime(copy self) get { Pulse(self) }
    }
}
