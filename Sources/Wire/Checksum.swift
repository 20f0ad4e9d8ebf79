// Owns the three checksums of WHOOP's envelopes (WHOOP.md section 3.3). Each takes time in proportion to the bytes and
// none allocates. CRC-32, which goes over every byte received, is the CPU's own where it has one (CChecksum).
import CChecksum

/// CRC-8, polynomial 0x07, init 0, not reflected: the header of 4.0 frames. Check value of "123456789": 0xF4.
@inline(__always)
public func crc8(_ bytes: RawSpan) -> UInt8 {
    var crc: UInt8 = 0
    for i in 0..<bytes.byteCount {
        // Eight zeros come after; x^8 is x^2 + x + 1, so they are a product, of which two bits reach over and are taken alike.
        let byte = UInt32(crc ^ bytes.u8(at: i))
        let product = byte ^ byte << 1 ^ byte << 2, over = product >> 8
        crc = UInt8(truncatingIfNeeded: product ^ over ^ over << 1 ^ over << 2)
    }
    return crc
}

/// CRC-16/MODBUS (reflected 0xA001, init 0xFFFF): the header of 5.0 frames. Check value of "123456789": 0x4B37.
public func crc16(_ bytes: RawSpan) -> UInt16 {
    var crc: UInt16 = 0xffff
    for i in 0..<bytes.byteCount {
        crc ^= UInt16(bytes.u8(at: i))
        crc = crc >> 4 ^ crc16Steps[Int(crc & 0xf)]
        crc = crc >> 4 ^ crc16Steps[Int(crc & 0xf)]
    }
    return crc
}

/// Four bits of CRC-16 at once, for each value of the lower four.
private let crc16Steps: InlineArray<16, UInt16> = [
    0x0000, 0xcc01, 0xd801, 0x1400, 0xf001, 0x3c00, 0x2800, 0xe401,
    0xa001, 0x6c00, 0x7800, 0xb401, 0x5000, 0x9c01, 0x8801, 0x4400,
]

/// CRC-32 as in zlib (reflected 0xEDB88320): the body of every frame. Check value of "123456789": 0xCBF43926.
public func crc32(_ bytes: RawSpan) -> UInt32 {
    bytes.withUnsafeBytes { nightstand_crc32($0.baseAddress, $0.count) }
}

/// The same without the CPU's instruction, to hold `crc32` against.
public func crc32ByTable(_ bytes: RawSpan) -> UInt32 {
    bytes.withUnsafeBytes { nightstand_crc32_by_table($0.baseAddress, $0.count) }
}

/// The instruction that `crc32` works with on this CPU, found at start.
public var crc32Instruction: StaticString {
    switch nightstand_crc32_way() {
    case nightstand_crc32_pclmulqdq: "pclmulqdq"
    case nightstand_crc32_aarch64: "crc32"
    default: "none, a table"
    }
}
