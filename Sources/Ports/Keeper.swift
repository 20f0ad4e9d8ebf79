// Owns what a thread that keeps entries drives: the ring behind a queue, or a test's stand-in.
import Wire

/// Takes entries in order and writes them when it is time. Called from one thread; may block as long as a card does.
public protocol Keeper: AnyObject {
    /// Takes one entry with its bytes, which are valid during the call only.
    func apply(_ entry: Entry, _ bytes: RawSpan)
    /// Writes what is due; gives back when to be called again.
    func tick(now: Instant) -> Instant
    /// Writes what waits and ends.
    func close()
}
