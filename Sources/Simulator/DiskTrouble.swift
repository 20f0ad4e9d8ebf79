// Owns what can go wrong with a simulated card while it has power, and when.

/// Calls that a trouble meets: some are spared, then it comes so many times.
public struct Turn: Sendable {
    public var spared: Int
    public var times: Int

    /// - Parameters:
    ///   - spared: calls that still go well.
    ///   - times: calls that do not, after those.
    public init(after spared: Int = 0, times: Int = 1) {
        self.spared = spared
        self.times = times
    }

    static var never: Turn { Turn(times: 0) }

    /// One call; whether the trouble meets it.
    mutating func comes() -> Bool {
        if times == 0 { return false }
        if spared > 0 {
            spared -= 1
            return false
        }
        if times != .max { times -= 1 }
        return true
    }
}

/// What is wrong with a card. Every call that a trouble meets fails and changes nothing.
public struct DiskTrouble: Sendable {
    /// Reads that end with EIO.
    public var read = Turn.never
    /// Writes that end with EIO.
    public var write = Turn.never
    /// Syncs of a file that fail: what was unsynced is no longer written by a later one.
    public var sync = Turn.never
    /// The write from which on the card takes none, and no change of names.
    public var readOnly = Turn.never
    /// Bytes by which files may still grow before the card is full.
    public var room = Int.max
    /// Syncs that take `stall_ms`.
    public var stall = Turn.never
    /// How long a card can go silent while it tidies up.
    public var stall_ms: Int64 = 7_000

    public init() {}
}

/// What was asked of one file, whatever file bore the name.
public struct DiskTally: Sendable {
    public let name: String
    public internal(set) var writes = 0
    public internal(set) var bytesWritten = 0
    public internal(set) var syncs = 0
}
