// Owns the few facts that must survive a restart and are no rows: the active strap, verdicts, limits. Small text,
// replaced as a whole and atomically.

public protocol Notebook: AnyObject {
    /// The text last saved, or empty. Never fails: an unreadable book is an empty one, and the leaf says so in the log.
    func load() -> [UInt8]
    /// Replaces the text. False: it could not be made durable; the old text stands.
    func save(_ text: [UInt8]) -> Bool
}

/// Where a person looks after a failure.
public protocol Log: AnyObject {
    /// One line without its end. Never fails and never blocks.
    func say(_ line: String)
}
