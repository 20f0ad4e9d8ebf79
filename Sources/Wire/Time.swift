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

extension WallTime {
    /// Text such as `2026-01-01T00:00:00Z` (the civil calendar as in Hinnant, "chrono-Compatible Low-Level Date
    /// Algorithms", civil_from_days).
    public var utc: String {
        let seconds = seconds
        let days = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
        let z = days + 719_468
        let era = (z >= 0 ? z : z - 146_096) / 146_097
        let dayOfEra = z - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shifted + 2) / 5 + 1
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        let second = seconds - days * 86_400
        func two(_ n: Int64) -> String { n < 10 ? "0\(n)" : "\(n)" }
        return "\(year)-\(two(month))-\(two(day))T\(two(second / 3600)):\(two(second % 3600 / 60)):\(two(second % 60))Z"
    }
}
