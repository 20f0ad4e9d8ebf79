// Owns what the bridge asks of time.
import Wire

public protocol Clock: AnyObject {
    /// Monotonic, suspended time counted.
    var now: Instant { get }
    /// Wall time as the board has it, right or wrong.
    var wall: WallTime { get }
    /// Whether wall time is to be believed: synchronised by the kernel's word, a hardware clock, or a person's word.
    var trusted: Bool { get }
    /// Seconds that local time is ahead of UTC at this moment, -43,200...50,400.
    var utcOffset_s: Int { get }
}

/// One moment read on both clocks. Rows keep all of it, so that a wrong wall time can be corrected later.
public struct Stamp: Equatable, Sendable, BitwiseCopyable {
    public var monotonic: Instant
    public var wall: WallTime
    public var trusted: Bool
    public init(monotonic: Instant, wall: WallTime, trusted: Bool) {
        self.monotonic = monotonic
        self.wall = wall
        self.trusted = trusted
    }
}

extension Stamp {
    /// This moment. No extension of the protocol: Embedded Swift 6.3 compiles such a one, called on `any Clock` from
    /// another module, into a trap, and says nothing.
    public init(_ clock: any Clock) {
        self.init(monotonic: clock.now, wall: clock.wall, trusted: clock.trusted)
    }
}
