// Owns the strap's clock as it appears in frames: unix seconds and 1/32768 s, right or wrong (WHOOP.md 10).
// Never corrects anything: what the strap said is kept as it said it.
import Wire

/// A moment by the strap's clock.
public struct StrapTime: Equatable, Hashable, Sendable, BitwiseCopyable {
    /// Seconds since 1970 UTC, or since some other moment when the clock was never set.
    public var seconds: UInt32
    /// 1/32768 s, 0...32767.
    public var fraction: UInt16

    public init(seconds: UInt32, fraction: UInt16) {
        self.seconds = seconds
        self.fraction = fraction
    }

    /// Before this no strap of these families existed: its clock was not set (WHOOP.md 8.12).
    public static var earliest: UInt32 { 1_700_000_000 }

    /// Whether the seconds can be a moment before `wall` plus a day (WHOOP.md 8.12).
    public func isPlausible(wall: WallTime) -> Bool {
        seconds >= Self.earliest && Int64(seconds) <= wall.seconds + 86_400
    }

    /// Milliseconds since 1970, rounded down.
    public var milliseconds: Int64 { Int64(seconds) * 1000 + Int64(fraction) * 1000 / 32768 }

    /// Our time as the strap keeps it; nil before 1970 and after 2106.
    public init?(_ wall: WallTime) {
        guard wall.milliseconds >= 0, wall.seconds <= Int64(UInt32.max) else { return nil }
        seconds = UInt32(wall.seconds)
        fraction = UInt16((wall.milliseconds - wall.seconds * 1000) * 32768 / 1000)
    }
}

/// A version number of up to four parts.
public struct Version: Equatable, Sendable, BitwiseCopyable {
    public var major: UInt32
    public var minor: UInt32
    public var patch: UInt32
    public var build: UInt32

    public init(_ major: UInt32, _ minor: UInt32, _ patch: UInt32, _ build: UInt32) {
        self.major = major
        self.minor = minor
        self.patch = patch
        self.build = build
    }

    /// Four words from `offset`; nil where there are fewer, or where all are zero.
    init?(_ bytes: RawSpan, at offset: Int) {
        guard offset + 16 <= bytes.byteCount else { return nil }
        self.init(bytes.u32(at: offset), bytes.u32(at: offset + 4), bytes.u32(at: offset + 8), bytes.u32(at: offset + 12))
        guard self != Version(0, 0, 0, 0) else { return nil }
    }

    /// Three bytes from `offset`; nil where there are fewer, or where all are zero.
    init?(bytes: RawSpan, at offset: Int) {
        guard offset + 3 <= bytes.byteCount else { return nil }
        self.init(UInt32(bytes.u8(at: offset)), UInt32(bytes.u8(at: offset + 1)), UInt32(bytes.u8(at: offset + 2)), 0)
        guard self != Version(0, 0, 0, 0) else { return nil }
    }

    /// Text such as `41.17.6.0`.
    public var text: String { "\(major).\(minor).\(patch).\(build)" }
}
