// Owns the envelope of both families: where a frame ends, whether it arrived whole, and its inner record
// (WHOOP.md 3.1-3.5). A `Frame` exists only when both checksums hold, so nothing after it checks them again.
import Wire

/// One whole frame over bytes that lie elsewhere.
public struct Frame: ~Escapable {
    public let family: Family
    /// The frame from its start byte to its CRC-32.
    public let bytes: RawSpan

    /// The longest frame believed, bytes (WHOOP.md 3.5; the largest real one is 2,140).
    public static var longest: Int { 4096 }

    /// The frame that `bytes` are, exactly; nil unless start byte, header CRC, length and CRC-32 all hold.
    @_lifetime(copy bytes)
    public init?(_ bytes: RawSpan, family: Family) {
        guard case .whole(let length) = Frame.check(bytes, family: family), length == bytes.byteCount else { return nil }
        self.family = family
        self.bytes = bytes
    }

    /// Bytes already found whole by `check`.
    @_lifetime(copy bytes)
    init(checked bytes: RawSpan, family: Family) {
        self.family = family
        self.bytes = bytes
    }

    /// From the packet-type byte to the padding. At least one byte.
    public var inner: RawSpan {
        // `check` has found header, a byte or more, and CRC-32 there.
        @_lifetime(copy self) @inline(__always) get { bytes.extracting(unchecked: family.headerLength..<(bytes.byteCount - 4)) }
    }

    /// The packet type; see `PacketType`.
    @inline(__always)
    public var type: UInt8 { bytes.u8(at: family.headerLength) }

    /// Whether the field map is known. A 5.0 frame of another revision is kept raw and no view decodes it (WHOOP.md 3.2).
    @inline(__always)
    public var isKnownRevision: Bool { family == .whoop4 || bytes.u8(at: 1) == 1 }

    /// Who the frame is for, as a 5.0 header says it (WHOOP.md 3.2): 0 strap, 1 app, 2 battery pack. Nothing is refused
    /// because of it.
    public var destination: UInt8? { family == .whoop5 ? bytes.u8(at: 4) : nil }
    /// Who it is from.
    public var source: UInt8? { family == .whoop5 ? bytes.u8(at: 5) : nil }

    /// What the beginning of some bytes is.
    public enum Check: Equatable, Sendable {
        /// Too few bytes yet; `needed` in all before more can be said.
        case partial(needed: Int)
        /// No start byte, a wrong header CRC, or a length that no frame has.
        case notAFrame
        /// The header holds and the bytes are there, but the CRC-32 is wrong.
        case damaged(length: Int)
        /// A frame of `length` bytes.
        case whole(length: Int)
    }

    /// Looks at the frame that begins `bytes`. The header CRC is checked before the length is believed.
    public static func check(_ bytes: RawSpan, family: Family) -> Check {
        let header = family.headerLength
        guard bytes.byteCount > 0 else { return .partial(needed: header) }
        guard bytes.u8(at: 0) == start else { return .notAFrame }
        guard bytes.byteCount >= header else { return .partial(needed: header) }

        let counted: Int
        switch family {
        case .whoop4:
            guard crc8(bytes.extracting(unchecked: 1..<3)) == bytes.u8(at: 3) else { return .notAFrame }
            counted = Int(bytes.u16(at: 1))
        case .whoop5:
            guard crc16(bytes.extracting(unchecked: 0..<6)) == bytes.u16(at: 6) else { return .notAFrame }
            counted = Int(bytes.u16(at: 2))
        }

        // `counted` is the inner record and the CRC-32.
        let length = header + counted
        guard counted > 4, length <= longest else { return .notAFrame }
        guard bytes.byteCount >= length else { return .partial(needed: length) }
        return crc32(bytes.extracting(unchecked: header..<(length - 4))) == bytes.u32(at: length - 4) ? .whole(length: length) : .damaged(length: length)
    }

    /// The byte every frame begins with. It occurs inside payloads too.
    static var start: UInt8 { 0xaa }
}

/// Packet types (WHOOP.md 4.1). Others are kept raw.
public enum PacketType {
    public static var command: UInt8 { 35 }
    public static var response: UInt8 { 36 }
    public static var packCommand: UInt8 { 37 }
    public static var packResponse: UInt8 { 38 }
    public static var realtime: UInt8 { 40 }
    public static var liveRecord: UInt8 { 43 }
    public static var record: UInt8 { 47 }
    public static var event: UInt8 { 48 }
    public static var metadata: UInt8 { 49 }
    public static var console: UInt8 { 50 }
    public static var motion: UInt8 { 51 }
    public static var storedMotion: UInt8 { 52 }
    public static var relativePackEvent: UInt8 { 53 }
    public static var packEvent: UInt8 { 54 }
    public static var packConsole: UInt8 { 55 }
    public static var packMetadata: UInt8 { 56 }

    /// Whether a frame of this type between HISTORY_START and HISTORY_END is one of those that END announces (WHOOP.md 9.1).
    public static func countsInBurst(_ type: UInt8) -> Bool {
        switch type {
        case record, event, console, relativePackEvent, packEvent, packConsole: true
        default: false
        }
    }
}
