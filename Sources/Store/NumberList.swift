// Owns turning small numbers into text such as `812,790` without allocating.
import Wire

/// Decimal numbers with commas between, in memory that belongs to somebody else. What does not fit is left out.
struct NumberList: ~Copyable {
    private let memory: UnsafeMutableRawBufferPointer
    private var count = 0

    init(_ memory: UnsafeMutableRawBufferPointer) { self.memory = memory }

    mutating func append(_ value: UInt32) {
        guard count + 11 <= memory.count else { return }
        if count > 0 { put(0x2c) }
        var divisor: UInt32 = 1
        while value / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            put(UInt8(0x30 + value / divisor % 10))
            divisor /= 10
        }
    }

    private mutating func put(_ byte: UInt8) {
        memory.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count += 1
    }

    /// The text. It lies in the memory given, and is overwritten by the next list there.
    var bytes: RawSpan {
        @_lifetime(borrow self) get {
            let span = RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: memory[0..<count]))
            return _overrideLifetime(span, borrowing: self)
        }
    }
}
