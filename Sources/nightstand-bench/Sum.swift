// Owns a listener that adds up all a frame says, so that no compiler can leave a field out of a measurement. Keeps nothing
// else and never allocates.
import Whoop
import Wire

struct Sum: FieldSink {
    private(set) var total: UInt64 = 0

    @inline(__always) private mutating func add(_ bytes: RawSpan) {
        for i in 0..<bytes.byteCount { total &+= UInt64(bytes.u8(at: i)) }
    }

    @inline(__always) mutating func add(_ number: some BinaryInteger) { total &+= UInt64(truncatingIfNeeded: number) }

    @inline(__always) mutating func field(_ name: StaticString, _ value: Int64?, _ confidence: Confidence) { if let value { add(value) } }
    @inline(__always) mutating func field(_ name: StaticString, _ value: Int64?, places: Int, _ confidence: Confidence) { if let value { add(value) } }
    @inline(__always) mutating func field(_ name: StaticString, real value: Float?, _ confidence: Confidence) { if let value { add(value.bitPattern) } }
    @inline(__always) mutating func field(_ name: StaticString, _ value: Vector?, _ confidence: Confidence) {
        guard let value else { return }
        add(value.x.bitPattern)
        add(value.y.bitPattern)
        add(value.z.bitPattern)
    }
    @inline(__always) mutating func field(_ name: StaticString, version: Version) {
        add(version.major)
        add(version.minor)
        add(version.patch)
        add(version.build)
    }
    @inline(__always) mutating func field(_ name: StaticString, word: StaticString, _ confidence: Confidence) { add(word.utf8CodeUnitCount) }
    @inline(__always) mutating func field(_ name: StaticString, text: RawSpan, _ confidence: Confidence) { add(text) }
    @inline(__always) mutating func field(_ name: StaticString, identity: RawSpan, _ confidence: Confidence) { add(identity) }
    @inline(__always) mutating func field(_ name: StaticString, identityHex: RawSpan, _ confidence: Confidence) { add(identityHex) }
    @inline(__always) mutating func field(_ name: StaticString, hex: RawSpan, _ confidence: Confidence) { add(hex) }
    @inline(__always) mutating func field(_ name: StaticString, _ values: borrowing Series, _ confidence: Confidence) {
        values.forEach { add($0) }
    }
    @inline(__always) mutating func begin(_ part: StaticString, _ number: Int) { add(number) }
    @inline(__always) mutating func end() {}
}
