// Owns what is done about the link: one table, every state against every event. Given facts and the time; gives back
// one order. Loops are how a board does harm, so every way round passes through `resting`, whose pause grows.
import Ports
import Wire

/// Where the link stands.
public enum LinkState: UInt8, Equatable, Sendable {
    /// The adapter cannot be used.
    case noRadio
    /// No strap is ours.
    case noStrap
    /// A person opened the window and no strap is ours yet: we look.
    case searching
    /// A connect is pending, for as long as it takes.
    case connecting
    case up
    /// Between two attempts.
    case resting

    public var name: StaticString {
        switch self {
        case .noRadio: "no radio"
        case .noStrap: "no strap"
        case .searching: "searching"
        case .connecting: "connecting"
        case .up: "up"
        case .resting: "resting"
        }
    }
}

public struct Supervisor: Sendable {
    public enum Event: Equatable, Sendable {
        case radioReady
        case radioGone
        /// A strap has become ours: chosen in the window, or known from before.
        case strapChosen
        case strapForgotten
        case windowOpened
        case windowClosed
        case linkUp
        case linkDown(LinkLoss)
        case restOver
    }

    public enum Order: Equatable, Sendable {
        case none
        case scan
        case stopScan
        /// Stop a scan if there is one, then connect.
        case connect
        case disconnect
        /// Call `restOver` when the deadline comes.
        case rest
        case powerCycle
    }

    public private(set) var state = LinkState.noRadio
    /// When the rest is over.
    public private(set) var deadline = Instant.never
    private var upSince = Instant.never
    private var failures = 0
    private var authenticationFailures = 0
    /// The adapter goes because we power-cycle it.
    private var cycling = false

    /// A link that held so long was a good one.
    static let stable_ms: Int64 = 60_000
    static let firstRest_ms: Int64 = 1_000
    static let longestRest_ms: Int64 = 60_000
    /// After five refusals of our key: the strap is somebody else's, or has forgotten us.
    static let refusedRest_ms: Int64 = 600_000
    static let refusals = 5

    public init() {}

    public mutating func take(_ event: Event, hasStrap: Bool, windowOpen: Bool, now: Instant) -> Order {
        switch (state, event) {
        // The adapter comes and goes in every state.
        case (_, .radioGone):
            state = .noRadio
            deadline = .never
            return .none
        case (.noRadio, .radioReady):
            // What failed before the adapter went may be mended; what failed before we power-cycled it is not known to be.
            if !cycling { failures = 0 }
            cycling = false
            return begin(hasStrap: hasStrap, windowOpen: windowOpen)
        case (.noRadio, _), (_, .radioReady):
            return .none

        case (.noStrap, .windowOpened):
            state = .searching
            return .scan
        case (.noStrap, .strapChosen), (.searching, .strapChosen):
            failures = 0
            state = .connecting
            return .connect
        case (.noStrap, _):
            return .none

        case (.searching, .windowClosed):
            state = .noStrap
            return .stopScan
        case (.searching, _):
            return .none

        case (.connecting, .linkUp):
            state = .up
            upSince = now
            return .none
        case (.connecting, .linkDown(let loss)):
            return rest(after: loss, now)
        case (.connecting, .strapForgotten), (.up, .strapForgotten):
            // The rest of the way is gone by `linkDown`.
            return .disconnect
        case (.connecting, .strapChosen), (.up, .strapChosen):
            // Another strap: let go of this one first.
            return .disconnect
        case (.connecting, _):
            return .none

        case (.up, .linkDown(let loss)):
            return rest(after: loss, now)
        case (.up, _):
            return .none

        case (.resting, .restOver):
            deadline = .never
            return begin(hasStrap: hasStrap, windowOpen: windowOpen)
        case (.resting, .windowOpened), (.resting, .strapChosen):
            // A person waits.
            deadline = .never
            failures = 0
            authenticationFailures = 0
            return begin(hasStrap: hasStrap, windowOpen: windowOpen)
        case (.resting, .strapForgotten):
            deadline = .never
            return begin(hasStrap: hasStrap, windowOpen: windowOpen)
        case (.resting, _):
            return .none
        }
    }

    private mutating func begin(hasStrap: Bool, windowOpen: Bool) -> Order {
        if hasStrap { state = .connecting; return .connect }
        if windowOpen { state = .searching; return .scan }
        state = .noStrap
        return .none
    }

    private mutating func rest(after loss: LinkLoss, _ now: Instant) -> Order {
        let wasStable = loss.wasUp && upSince != .never && now - upSince >= Self.stable_ms
        upSince = .never
        state = .resting
        var pause = Self.firstRest_ms
        switch loss.cause {
        case .authentication:
            authenticationFailures += 1
            failures += 1
            pause = authenticationFailures >= Self.refusals ? Self.refusedRest_ms : min(Self.longestRest_ms, 3_000 << min(failures, 5))
        case .notReached:
            // Nothing was wrong: the strap is away or asleep, and the connect goes on.
            failures = 0
        default:
            if wasStable { failures = 0; authenticationFailures = 0 } else {
                failures += 1
                pause = min(Self.longestRest_ms, 1_500 << min(failures, 6))
            }
        }
        deadline = now + pause
        guard failures == Self.ladder else { return .rest }
        cycling = true
        return .powerCycle
    }

    /// Failures in a row after which the adapter is power-cycled, once.
    static let ladder = 8
}
