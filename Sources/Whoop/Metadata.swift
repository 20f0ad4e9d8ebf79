// Owns the frames that put history into bursts (types 49 and 56, WHOOP.md 9.1). The token of an END goes back to the
// strap byte by byte; it is carried as a number only so that it can be a value.
import Wire

/// What a metadata frame says.
public enum MetadataKind: Equatable, Sendable, BitwiseCopyable {
    case start
    case end
    case complete
    case other(UInt8)

    init(_ raw: UInt8) {
        switch raw {
        case 1: self = .start
        case 2: self = .end
        case 3: self = .complete
        default: self = .other(raw)
        }
    }
}

/// HISTORY_START, HISTORY_END or HISTORY_COMPLETE.
public struct Metadata: ~Escapable {
    private let inner: RawSpan

    @_lifetime(copy frame)
    public init?(_ frame: borrowing Frame) {
        guard frame.isKnownRevision, frame.type == PacketType.metadata || frame.type == PacketType.packMetadata,
              frame.inner.byteCount >= 3 else { return nil }
        inner = frame.inner
    }

    public var sequence: UInt8 { inner.u8(at: 1) }
    public var kind: MetadataKind { MetadataKind(inner.u8(at: 2)) }

    /// The strap's clock, seconds; nil in frames that end before it.
    public var unix: UInt32? { inner.byteCount >= 7 ? inner.u32(at: 3) : nil }
    /// 1/32768 s; nil in frames that end before it.
    public var subsecond: UInt16? { inner.byteCount >= 9 ? inner.u16(at: 7) : nil }

    /// Frames the strap sent since START, those of `PacketType.countsInBurst`; END only.
    public var announced: UInt32? { isWholeEnd ? inner.u32(at: 9) : nil }

    /// The eight bytes to echo, little-endian: trim page in the low, wrap count in the high word; END only.
    public var token: UInt64? { isWholeEnd ? inner.u64(at: 13) : nil }

    /// The token of an END after which nothing is pending. It is never acknowledged (WHOOP.md 9.2).
    public static var nothingPending: UInt64 { .max }

    /// The main firmware; START only.
    public var firmware: Version? { kind == .start ? Version(inner, at: 21) : nil }

    /// 6 on 4.0, 13 on 5.0; START only.
    public var hardwareFamily: UInt32? { kind == .start && inner.byteCount >= 13 ? inner.u32(at: 9) : nil }

    /// The signal processor's firmware; START only.
    public var signalProcessor: Version? { kind == .start ? Version(bytes: inner, at: 37) : nil }

    /// An END too short for its token cannot be acknowledged.
    private var isWholeEnd: Bool { kind == .end && inner.byteCount >= 21 }
}
