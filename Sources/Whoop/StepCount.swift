// Owns adding up steps from a counter that wraps at 65536, restarts with the strap and may have been damaged on the way
// (WHOOP.md 8.13). Better some steps lost than thousands invented.

/// Steps over a row of seconds.
public struct StepCount: Sendable {
    /// More steps a second than anybody takes.
    private static var most: Int64 { 5 }

    private var last: (counter: UInt32, unix: UInt32, steps: UInt16)?
    /// Steps since the first second.
    public private(set) var total = 0

    public init() {}

    /// Takes the steps of one record. A step that could not have been, and time that does not go on, add nothing. A record
    /// whose counter is not beyond the last one's was served before and changes nothing.
    public mutating func take(_ steps: UInt16, counter: UInt32, unix: UInt32) {
        if let last, counter <= last.counter { return }
        defer { last = (counter, unix, steps) }
        guard let last, unix > last.unix else { return }
        let taken = Int(steps &- last.steps)
        if Int64(taken) <= Self.most * Int64(unix - last.unix) { total += taken }
    }

    /// The strap has restarted: what its counters say next is a beginning.
    public mutating func restart() { last = nil }
}
