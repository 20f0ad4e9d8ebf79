// Owns the arrays of records: R-R intervals, motion, optics. They are read where they lie, one number when it is asked
// for; nothing is copied out. Odd alignment rules out a `Span` of integers.
import Wire

/// Whole numbers that lie one after another in a record.
public struct Series: ~Escapable {
    /// How one number is written, little-endian.
    public enum Code: Sendable, BitwiseCopyable {
        case i16, u16, i32
        /// 20 bits with sign in the low end of a u32; the bits above are somebody else's (WHOOP.md 8.9).
        case i20
        /// An R-R interval in a u16: milliseconds, 200...2500; others are absent.
        case interval
        /// The same in 1/1024 s, read as milliseconds, rounded (WHOOP.md 11).
        case interval1024
    }

    private let bytes: RawSpan
    private let code: Code
    /// Numbers, absent ones included.
    public let count: Int
    /// Whether the record says a count that cannot be, so that none of the numbers is believed. Not the same as having none.
    public let isAbsent: Bool

    /// `count` numbers from `offset`. None is believed where there are fewer bytes than that, or the count is nil because it
    /// did not pass its gate.
    @_lifetime(copy bytes)
    @inline(__always)
    init(_ bytes: RawSpan, at offset: Int, _ code: Code, count: Int?) {
        let width = code == .i32 || code == .i20 ? 4 : 2
        let start = min(max(0, offset), bytes.byteCount)
        let count = count ?? -1
        isAbsent = count < 0 || count > (bytes.byteCount - start) / width
        self.count = isAbsent ? 0 : count
        self.bytes = bytes.extracting(unchecked: start..<(start + self.count * width))
        self.code = code
    }

    /// Number `index`; nil outside 0..<count and where a gate refuses it.
    public subscript(index: Int) -> Int32? {
        @inline(__always) get {
            guard index >= 0, index < count else { return nil }
            switch code {
            case .i16: return Int32(bytes.i16(at: 2 &* index))
            case .u16: return Int32(bytes.u16(at: 2 &* index))
            case .i32: return bytes.i32(at: 4 &* index)
            case .i20: return Int32(bitPattern: bytes.u32(at: 4 &* index) << 12) >> 12
            case .interval, .interval1024:
                let raw = Int32(bytes.u16(at: 2 &* index))
                let ms = code == .interval ? raw : (raw * 1000 + 512) / 1024
                return ms >= 200 && ms <= 2500 ? ms : nil
            }
        }
    }

    /// The numbers that are there, in order.
    @inline(__always)
    public func forEach(_ body: (Int32) -> Void) {
        var i = 0
        while i < count {
            if let value = self[i] { body(value) }
            i &+= 1
        }
    }
}
