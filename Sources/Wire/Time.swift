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

extension WallTime {
    /// The time of text such as `2026-01-01T00:00:00Z`, seconds' fraction allowed, `Z` or an offset such as `+01:00`
    /// needed (RFC 3339); nil for anything else, and for a day or hour that does not exist.
    public init?(utc text: String) {
        var digits = text.utf8.makeIterator()
        var next = digits.next()
        func number(_ count: Int) -> Int64? {
            var value: Int64 = 0
            for _ in 0..<count {
                guard let c = next, c >= 0x30, c <= 0x39 else { return nil }
                value = value * 10 + Int64(c - 0x30)
                next = digits.next()
            }
            return value
        }
        func skip(_ either: UInt8, _ or: UInt8) -> Bool {
            guard next == either || next == or else { return false }
            next = digits.next()
            return true
        }
        guard let year = number(4), skip(0x2d, 0x2d), let month = number(2), skip(0x2d, 0x2d), let day = number(2), skip(0x54, 0x74),
              let hour = number(2), skip(0x3a, 0x3a), let minute = number(2), skip(0x3a, 0x3a), let second = number(2),
              (1...12).contains(month), hour < 24, minute < 60, second < 60 else { return nil }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let length: Int64 = switch month { case 2: isLeap ? 29 : 28; case 4, 6, 9, 11: 30; default: 31 }
        guard day >= 1, day <= length else { return nil }

        var fraction: Int64 = 0
        if skip(0x2e, 0x2c) {
            var scale: Int64 = 100
            guard let c = next, c >= 0x30, c <= 0x39 else { return nil }
            while let c = next, c >= 0x30, c <= 0x39 {
                fraction += Int64(c - 0x30) * scale
                scale /= 10
                next = digits.next()
            }
        }
        var offset: Int64 = 0
        if !skip(0x5a, 0x7a) {
            let isAhead = next == 0x2b
            guard skip(0x2b, 0x2d), let hours = number(2), skip(0x3a, 0x3a), let minutes = number(2), hours < 24, minutes < 60 else { return nil }
            offset = (hours * 60 + minutes) * (isAhead ? 60 : -60)
        }
        guard next == nil else { return nil }

        // days_from_civil of the same source as `utc`.
        let y = month <= 2 ? year - 1 : year
        let era = (y >= 0 ? y : y - 399) / 400
        let yearOfEra = y - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let days = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
        milliseconds = (days * 86_400 + hour * 3600 + minute * 60 + second - offset) * 1000 + fraction
    }
}
