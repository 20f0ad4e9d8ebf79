// Owns the sum over everything that was read of a frame: two readings of the same bytes must give the same one.
import Wire

/// FNV-1a over 64-bit words.
struct Digest: Equatable {
    private var state: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func add(_ value: some BinaryInteger) { state = (state ^ UInt64(truncatingIfNeeded: value)) &* 0x100_0000_01b3 }
    mutating func add(_ value: Bool) { add(value ? 1 : 0) }
    mutating func add(_ bytes: RawSpan) { for i in 0..<bytes.byteCount { add(bytes.u8(at: i)) } }
}
