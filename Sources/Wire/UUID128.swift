// Owns the 128-bit names of services and characteristics.

/// A UUID as Bluetooth sends it, least significant byte first. 16-bit names stand for
/// `0000xxxx-0000-1000-8000-00805F9B34FB` (Core, Vol 3, Part B, 2.5.1).
public struct UUID128: Equatable, Hashable, Sendable, BitwiseCopyable {
    /// The first sixteen hex digits of the text form.
    public var high: UInt64
    /// The last sixteen.
    public var low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    public init(short: UInt16) {
        self.init(high: UInt64(short) << 32 | 0x1000, low: 0x8000_0080_5f9b_34fb)
    }

    /// From 2, 4 or 16 bytes as they came; nil for any other number.
    public init?(_ bytes: RawSpan) {
        switch bytes.byteCount {
        case 2: self.init(short: bytes.u16(at: 0))
        case 4: self.init(high: UInt64(bytes.u32(at: 0)) << 32 | 0x1000, low: 0x8000_0080_5f9b_34fb)
        case 16: self.init(high: bytes.u64(at: 8), low: bytes.u64(at: 0))
        default: return nil
        }
    }

    /// The 16-bit name, where it is one.
    public var short: UInt16? {
        guard low == 0x8000_0080_5f9b_34fb, high & 0xffff_0000_ffff_ffff == 0x1000 else { return nil }
        return UInt16(truncatingIfNeeded: high >> 32)
    }
}
