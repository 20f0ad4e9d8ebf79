// Owns how one kind of number becomes bits: an adaptive Golomb-Rice code (Docs/FORMAT.md, "Packed chunks"). The mean of
// the numbers so far says how many low bits are written as they are; both sides keep the same mean, so none is sent.

/// The code of one kind of number, each 0...65535.
struct RiceCode: BitwiseCopyable {
    /// So many ones say that the number follows whole, in `wholeBits`.
    static var mostOnes: Int { 12 }
    static var wholeBits: Int { 16 }
    /// No number takes more bits.
    static var mostBits: Int { mostOnes + wholeBits }

    /// Sixteen times the running mean, in which each number has a sixteenth.
    private var sum: UInt32

    /// `mean`: what the first number is expected to be.
    init(mean: UInt32) { sum = 16 * mean }

    /// Bits written as they are: as many as half the mean has. 0...27.
    @inline(__always)
    private var lowBits: Int { 32 - (sum >> 5).leadingZeroBitCount }

    @inline(__always)
    private mutating func learn(_ value: UInt32) { sum = sum &- sum >> 4 &+ value }

    @inline(__always)
    mutating func put(_ value: UInt32, into bits: inout BitWriter) {
        let low = lowBits
        let ones = Int(value &>> UInt32(low))
        if ones < RiceCode.mostOnes {
            bits.put((1 &<< UInt32(ones) - 1) << 1, width: ones + 1)
            bits.put(value, width: low)
        } else {
            bits.put(1 << UInt32(RiceCode.mostOnes) - 1, width: RiceCode.mostOnes)
            bits.put(value, width: RiceCode.wholeBits)
        }
        learn(value)
    }

    @inline(__always)
    mutating func take(from bits: inout BitReader) -> UInt32 {
        let low = lowBits
        let ones = bits.ones(most: RiceCode.mostOnes)
        let value = ones < RiceCode.mostOnes ? UInt32(ones) &<< UInt32(low) | bits.take(width: low) : bits.take(width: RiceCode.wholeBits)
        learn(value)
        return value
    }
}
