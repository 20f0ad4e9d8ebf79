// Owns reading numbers of any width from bytes that lie elsewhere, highest bit first.
// Never copies, allocates or traps: past the end there are zeros, and `isPastEnd` says so.
import Wire

/// A cursor over bits.
struct BitReader: ~Escapable {
    private let bytes: RawSpan
    /// The next byte to hold.
    private var next = 0
    /// Bits taken from bytes and not yet read: the highest `heldCount`; those below are zeros.
    private var held: UInt64 = 0
    private var heldCount = 0
    /// More was read than there is.
    private(set) var isPastEnd = false

    @_lifetime(copy bytes)
    init(_ bytes: RawSpan) { self.bytes = bytes }

    /// The next `width` bits as a number, 0...32.
    @_lifetime(self: copy self)
    @inline(__always)
    mutating func take(width: Int) -> UInt32 {
        fill()
        // In two steps, because a shift by 64 is none.
        let value = UInt32(truncatingIfNeeded: (held &>> 1) &>> UInt64(63 - width))
        drop(width)
        return value
    }

    /// How many ones come next. A zero ends them and is read too; `most` ones, at most 32, end without one.
    @_lifetime(self: copy self)
    @inline(__always)
    mutating func ones(most: Int) -> Int {
        fill()
        let ones = (~held).leadingZeroBitCount
        guard ones < most else {
            drop(most)
            return most
        }
        drop(ones + 1)
        return ones
    }

    /// Whether what is left is less than a byte, and zeros.
    var isAtEnd: Bool { !isPastEnd && next == bytes.byteCount && heldCount < 8 && held == 0 }

    /// At least 57 bits are held, or all there are.
    @_lifetime(self: copy self)
    @inline(__always)
    private mutating func fill() {
        while heldCount <= 56, next < bytes.byteCount {
            held |= UInt64(bytes.u8(at: next)) &<< UInt64(56 - heldCount)
            heldCount += 8
            next += 1
        }
    }

    @_lifetime(self: copy self)
    @inline(__always)
    private mutating func drop(_ width: Int) {
        held = held &<< UInt64(width)
        heldCount -= width
        if heldCount < 0 {
            heldCount = 0
            isPastEnd = true
        }
    }
}
