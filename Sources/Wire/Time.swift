// Owns the two times and keeps them apart. Timers are monotonic; what a person reads is wall time, which on a board
// without a clock chip can be wrong or step.

/// Monotonic time since boot, counted while suspended too, in milliseconds.
public struct Instant: Comparable, Equatable, Hashable, Sendable, BitwiseCopyable {
    public var milliseconds: Int64
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }
    public static func < (a: Instant, b: Instant) -> Bool { a.milliseconds < b.milliseconds }
    /// `a` and so many milliseconds.
    public static func + (a: Instant, milliseconds: Int64) -> Instant { Instant(milliseconds: a.milliseconds &+ milliseconds) }
    /// Milliseconds from `b` to `a`.
    public static func - (a: Instant, b: Instant) -> Int64 { a.milliseconds &- b.milliseconds }
    public static let never = Instant(milliseconds: .max)
}

/// Wall time: milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
public struct WallTime: Comparable, Equatable, Hashable, Sendable, BitwiseCopyable {
    public var milliseconds: Int64
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }
    public init(seconds: Int64) { milliseconds = seconds &* 1000 }
    public var seconds: Int64 { milliseconds >= 0 ? milliseconds / 1000 : (milliseconds - 999) / 1000 }
    public static func < (a: WallTime, b: WallTime) -> Bool { a.milliseconds < b.milliseconds }
}
