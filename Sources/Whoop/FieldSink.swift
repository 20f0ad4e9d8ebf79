// Owns how sure a field's meaning is, and the way fields leave a frame: one after another, by name, to whoever listens.
// What is said is what the views say; `Frame.describe` adds nothing to them.
import Wire

/// How sure the meaning of a field is. The bytes are certain in any case (WHOOP.md 0).
public enum Confidence: UInt8, Sendable, BitwiseCopyable {
    /// Verified on real frames, or confirmed with hardware.
    case established
    /// One source says so.
    case single
    /// Worked out from the data of few straps.
    case derived
    /// Sources disagree.
    case disputed
    /// Nobody knows; the value is there for whoever finds out.
    case unknown

    /// The word that outputs show.
    public var word: StaticString {
        switch self {
        case .established: "established"
        case .single: "single source"
        case .derived: "derived"
        case .disputed: "disputed"
        case .unknown: "unknown"
        }
    }
}

/// Takes what a frame says. A nil is a field that the layout has and whose value did not pass its gate.
public protocol FieldSink: ~Copyable {
    mutating func field(_ name: StaticString, _ value: Int64?, _ confidence: Confidence)
    /// `value` in units of 10 to the power of minus `places`: 2970 with 2 places is 29.70.
    mutating func field(_ name: StaticString, _ value: Int64?, places: Int, _ confidence: Confidence)
    mutating func field(_ name: StaticString, real value: Float?, _ confidence: Confidence)
    mutating func field(_ name: StaticString, _ value: Vector?, _ confidence: Confidence)
    mutating func field(_ name: StaticString, version: Version)
    /// A word of ours.
    mutating func field(_ name: StaticString, word: StaticString, _ confidence: Confidence)
    /// Text from the strap, which may be any bytes.
    mutating func field(_ name: StaticString, text: RawSpan, _ confidence: Confidence)
    /// Text that tells who somebody is: a serial number, a name, an address.
    mutating func field(_ name: StaticString, identity: RawSpan, _ confidence: Confidence)
    mutating func field(_ name: StaticString, identityHex: RawSpan, _ confidence: Confidence)
    mutating func field(_ name: StaticString, hex: RawSpan, _ confidence: Confidence)
    mutating func field(_ name: StaticString, _ values: borrowing Series, _ confidence: Confidence)
    /// The fields up to `end` belong to part `number` of its kind.
    mutating func begin(_ part: StaticString, _ number: Int)
    mutating func end()
}

extension FieldSink where Self: ~Copyable {
    @inline(__always)
    mutating func field(_ name: StaticString, _ value: (some BinaryInteger)?, _ confidence: Confidence = .established) {
        field(name, value.map { Int64(truncatingIfNeeded: $0) }, confidence)
    }

    @inline(__always)
    mutating func field(_ name: StaticString, flag: Bool?, _ confidence: Confidence = .established) {
        field(name, flag.map { $0 ? Int64(1) : 0 }, confidence)
    }
}
