// Owns the order in which a link becomes a session: one table, each step once per link. A handshake sent twice stops a
// strap from serving history (ENGINE: the root cause of "won't serve"), so no step is ever entered again; the two
// exceptions, a second hello and the clock's read-back, are steps of their own. Outside the handshake, never inside a run of
// history, the clock's steps come again when our time has become trusted, or the strap's is days ahead.
import Whoop

enum Step: UInt8, Comparable, Sendable {
    case exchangeMTU
    /// Only where no handles are remembered.
    case discover
    case subscribeHeartRate
    case subscribeBattery
    /// Waits until the link is encrypted; live heart rate needs no bond and goes on meanwhile.
    case encryption
    case subscribeResponses
    case subscribeEvents
    case subscribeData
    /// 4.0: the confirmed write that proves the session.
    case probe
    case hello
    case helloAgain
    case readClock
    case setClock
    case verifyClock
    /// 4.0: stops the flood of raw frames, whose switch survives reconnects.
    case quiet
    /// Once after a start of ours: a strap left in high-frequency sync does not record.
    case leaveHighFrequency
    case range
    /// Lets late answers land before the offload.
    case settle
    case running

    static func < (a: Step, b: Step) -> Bool { a.rawValue < b.rawValue }
    var next: Step { Step(rawValue: rawValue + 1) ?? .running }

    /// Milliseconds a step may take; then the session goes on without it. 0: no limit of its own.
    var limit_ms: Int64 {
        switch self {
        case .hello, .helloAgain, .readClock, .setClock, .verifyClock, .probe: 5_000
        case .quiet, .leaveHighFrequency: 3_000
        case .range: 2_000
        case .settle: 1_500
        default: 0
        }
    }

    /// The command that a step sends; nil where it sends none.
    var command: Command? {
        switch self {
        case .probe: .getBattery
        case .hello, .helloAgain: .hello
        case .readClock, .verifyClock: .getClock
        case .quiet: .rawStreamOff
        case .leaveHighFrequency: .exitHighFrequencySync
        case .range: .getDataRange
        default: nil
        }
    }
}

/// What is believed of the strap's clock.
public enum StrapClock: Equatable, Sendable {
    /// Not read yet.
    case unknown
    /// Read, and within two seconds of a trusted wall time.
    case verified
    /// Our own clock is not trusted: the strap's was not touched.
    case untouched
    /// It was set and reads wrong all the same: the strap may not be recording.
    case invalid

    public var name: StaticString {
        switch self {
        case .unknown: "unknown"
        case .verified: "verified"
        case .untouched: "untouched"
        case .invalid: "invalid"
        }
    }
}
