// Owns the small values that records hold.

/// Three components of acceleration, g.
public struct Vector: Equatable, Sendable, BitwiseCopyable {
    public var x: Float
    public var y: Float
    public var z: Float

    public init(x: Float, y: Float, z: Float) {
        self.x = x
        self.y = y
        self.z = z
    }
}

/// What the strap takes the wearer for (WHOOP.md 8.3, 8.7).
public enum SleepState: UInt8, Sendable, BitwiseCopyable {
    case wake = 0, still = 1, asleep = 2, up = 3

    /// From the two low bits.
    init(_ bits: UInt8) {
        switch bits & 3 {
        case 0: self = .wake
        case 1: self = .still
        case 2: self = .asleep
        default: self = .up
        }
    }
}

/// What the strap takes a movement for (WHOOP.md 8.7).
public enum Activity: UInt8, Sendable, BitwiseCopyable {
    /// Not "still".
    case unclassified = 0
    case walk = 1, run = 2
}

/// The state of one optical channel (WHOOP.md 8.4).
public struct ChannelWord: Equatable, Sendable, BitwiseCopyable {
    public var rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// 0...3.
    public var channel: UInt8 { UInt8(rawValue & 3) }
    /// Index into the table of LED currents; 12 is off.
    public var current: UInt8 { UInt8(rawValue >> 8 & 15) }
    public var isLit: Bool { current != 12 }
    /// Any of four flags set: the optical second is not to be trusted (single source).
    public var isSaturated: Bool { rawValue >> 12 != 0 }
}
