// Owns putting numbers of any width one behind the other, highest bit first, into memory that belongs to somebody else.
// Never allocates and never writes past that memory: what does not fit is left out.

/// Bits in order of writing.
struct BitWriter: ~Copyable {
    private let memory: UnsafeMutableRawBufferPointer
    /// Whole bytes in memory.
    private var byteCount = 0
    /// Bits that are no whole byte yet: the lowest `heldCount`, fewer than 8 between calls.
    private var held: UInt64 = 0
    private var heldCount = 0

    init(_ memory: UnsafeMutableRawBufferPointer) { self.memory = memory }

    /// Bits written so far.
    var count: Int { byteCount * 8 + heldCount }

    /// The lowest `width` bits of a number, 0...32.
    @inline(__always)
    mutating func put(_ value: UInt32, width: Int) {
        held = held &<< UInt64(width) | UInt64(value) & ((1 &<< UInt64(width)) &- 1)
        heldCount += width
        while heldCount >= 8 {
            heldCount -= 8
            store(UInt8(truncatingIfNeeded: held &>> UInt64(heldCount)))
        }
    }

    /// Fills the last byte with zeros. Bytes in all.
    mutating func finish() -> Int {
        if heldCount > 0 { put(0, width: 8 - heldCount) }
        return byteCount
    }

    @inline(__always)
    private mutating func store(_ byte: UInt8) {
        guard byteCount < memory.count else { return }
        memory.storeBytes(of: byte, toByteOffset: byteCount, as: UInt8.self)
        byteCount += 1
    }
}
