// Owns what presses mean: short, double, three seconds, ten seconds. Given settled levels with their times; a press is
// decided exactly once.
import Wire

public enum Gesture: Equatable, Sendable {
    /// Marks a moment.
    case short
    /// Buzzes the strap.
    case double
    /// Held 3...10 s: opens the pairing window, decided on release.
    case long
    /// Held 10 s: forgets the strap, decided at 10 s.
    case veryLong
}

public struct GestureReader: Sendable {
    /// A second press this soon after a release makes a double.
    static let double_ms: Int64 = 350
    static let long_ms: Int64 = 3_000
    static let veryLong_ms: Int64 = 10_000

    private enum State: Equatable, Sendable {
        case up
        case down(Instant)
        /// Released once; a second press may follow.
        case waiting(Instant)
        case downAgain(Instant)
        /// Decided while still held; the release says nothing more.
        case spent
    }
    private var state = State.up

    public init() {}

    /// When `tick` wants to be called.
    public var deadline: Instant {
        switch state {
        case .up, .spent, .downAgain: .never
        case .down(let since): since + Self.veryLong_ms
        case .waiting(let since): since + Self.double_ms
        }
    }

    /// When a press under way comes to mean more than a short one; nil when there is none.
    public var longAt: Instant? {
        if case .down(let since) = state { since + Self.long_ms } else { nil }
    }

    public mutating func button(pressed: Bool, at time: Instant) -> Gesture? {
        switch (state, pressed) {
        case (.up, true):
            state = .down(time)
        case (.down(let since), false):
            let held = time - since
            if held >= Self.veryLong_ms { state = .up; return .veryLong }
            if held >= Self.long_ms { state = .up; return .long }
            state = .waiting(time)
        case (.waiting(let released), true):
            if time - released <= Self.double_ms {
                state = .downAgain(time)
            } else {
                state = .down(time)
                return .short
            }
        case (.downAgain, false):
            state = .up
            return .double
        case (.spent, false):
            state = .up
        case (.up, false), (.down, true), (.waiting, false), (.downAgain, true), (.spent, true):
            break
        }
        return nil
    }

    public mutating func tick(now: Instant) -> Gesture? {
        guard now >= deadline else { return nil }
        switch state {
        case .down: state = .spent; return .veryLong
        case .waiting: state = .up; return .short
        case .up, .spent, .downAgain: return nil
        }
    }
}
