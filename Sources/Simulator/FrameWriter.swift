// Owns writing what a strap says, byte by byte, from WHOOP's field maps. It shares no code with the decoder that the
// bridge uses, so that a wrong offset there cannot be right here by the same mistake; only the checksums are Wire's.
import Whoop
import Wire

/// Bytes of an inner record, little-endian, front to back.
struct Inner {
    private(set) var bytes: [UInt8] = []

    init(_ type: UInt8) { bytes.append(type) }

    mutating func u8(_ value: UInt8) { bytes.append(value) }
    mutating func u16(_ value: UInt16) { u8(UInt8(truncatingIfNeeded: value)); u8(UInt8(truncatingIfNeeded: value >> 8)) }
    mutating func u32(_ value: UInt32) { u16(UInt16(truncatingIfNeeded: value)); u16(UInt16(truncatingIfNeeded: value >> 16)) }
    mutating func f32(_ value: Float) { u32(value.bitPattern) }
    mutating func zeros(_ count: Int) { for _ in 0..<max(0, count) { u8(0) } }
    mutating func append(_ more: [UInt8]) { bytes += more }
    /// Text in a field of `width` bytes, NUL-padded.
    mutating func text(_ text: String, width: Int) {
        let utf8 = Array(text.utf8.prefix(width))
        bytes += utf8
        zeros(width - utf8.count)
    }
    /// Zeros up to `count` bytes in all.
    mutating func fill(to count: Int) { zeros(count - bytes.count) }

    /// The whole frame that a strap sends around these bytes, padded to four.
    func frame(_ family: Family) -> [UInt8] {
        var inner = bytes
        while inner.count % 4 != 0 { inner.append(0) }
        let length = UInt16(inner.count + 4)
        var out: [UInt8] = [0xaa]
        if family == .whoop5 { out.append(1) }
        out += [UInt8(truncatingIfNeeded: length), UInt8(truncatingIfNeeded: length >> 8)]
        if family == .whoop4 {
            out.append(crc8(out[1..<3].span.bytes))
        } else {
            out += [1, 0]
            let crc = crc16(out.span.bytes)
            out += [UInt8(truncatingIfNeeded: crc), UInt8(truncatingIfNeeded: crc >> 8)]
        }
        let crc = crc32(inner.span.bytes)
        out += inner
        for shift in [UInt32(0), 8, 16, 24] { out.append(UInt8(truncatingIfNeeded: crc >> shift)) }
        return out
    }
}

/// What a strap reads from a write: the inner record of a whole command frame, or nil.
func innerOfCommand(_ bytes: [UInt8], _ family: Family) -> [UInt8]? {
    let header = family == .whoop4 ? 4 : 8
    guard bytes.count >= header + 8, bytes[0] == 0xaa else { return nil }
    let at = family == .whoop4 ? 1 : 2
    let length = Int(bytes[at]) | Int(bytes[at + 1]) << 8
    guard bytes.count == header + length, length % 4 == 0 else { return nil }
    switch family {
    case .whoop4:
        guard crc8(bytes[1..<3].span.bytes) == bytes[3] else { return nil }
    case .whoop5:
        guard bytes[1] == 1, crc16(bytes[0..<6].span.bytes) == UInt16(bytes[6]) | UInt16(bytes[7]) << 8 else { return nil }
    }
    let inner = Array(bytes[header..<(bytes.count - 4)])
    var crc: UInt32 = 0
    for i in 0..<4 { crc |= UInt32(bytes[bytes.count - 4 + i]) << UInt32(8 * i) }
    return crc32(inner.span.bytes) == crc && inner[0] == 0x23 ? inner : nil
}
