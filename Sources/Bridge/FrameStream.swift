// Owns one characteristic's way from notifications to frames, and the patience for a frame that is not finished
// (WHOOP.md 3.6 point 8): one whose rest was lost must not swallow what comes after it.
import Whoop
import Wire

final class FrameStream {
    /// A frame that is not whole so long after its beginning never will be.
    static let patience_ms: Int64 = 5_000

    private var reassembler: Reassembler?
    /// When the beginning came of the frame that is waited for.
    private var since = Instant.never

    /// Frames whose CRC-32 did not hold.
    var damaged: UInt32 { reassembler?.damaged ?? 0 }

    /// When `tick` wants to be called.
    var deadline: Instant { since == .never ? .never : since + Self.patience_ms }

    func feed(_ notification: RawSpan, family: Family, now: Instant, _ body: (borrowing Frame) -> Void) {
        if reassembler == nil { reassembler = Reassembler(family: family) }
        guard let reassembler else { return }
        var hasBegun = since == .never
        reassembler.feed(notification) { frame in
            hasBegun = true
            body(frame)
        }
        if reassembler.waiting == 0 { since = .never } else if hasBegun { since = now }
    }

    /// Gives up a frame that has been waited for too long; whole ones may lie behind its first byte.
    func tick(now: Instant, _ body: (borrowing Frame) -> Void) {
        guard now >= deadline, let reassembler else { return }
        reassembler.abandon(body)
        since = reassembler.waiting == 0 ? .never : now
    }
}
