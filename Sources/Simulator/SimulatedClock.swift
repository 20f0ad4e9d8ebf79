// Owns simulated time: a monotonic clock that only the schedule moves, and a wall clock that can be wrong, step, and
// become trusted, as on a board without a clock chip.
import Ports
import Wire

public final class SimulatedClock: Clock {
    public fileprivate(set) var now = Instant(milliseconds: 1_000)
    /// Wall milliseconds less monotonic milliseconds.
    private var offset_ms: Int64
    public var trusted = true
    public var utcOffset_s = 0

    public init(wall: WallTime) { offset_ms = wall.milliseconds - now.milliseconds }

    /// As the board has it. Setting it is a step; monotonic time does not move.
    public var wall: WallTime {
        get { WallTime(milliseconds: now.milliseconds + offset_ms) }
        set { offset_ms = newValue.milliseconds - now.milliseconds }
    }

    func advance(to instant: Instant) { if instant > now { now = instant } }
}
