// Owns what will happen and when: a queue of actions ordered by time, then by the order in which they were planned. It is
// the only thing that moves simulated time, so a run depends on nothing but the seed.
import Wire

public final class Schedule {
    private struct Plan {
        var at: Instant
        var order: UInt64
        var action: () -> Void
        func comes(before other: Plan) -> Bool { at == other.at ? order < other.order : at < other.at }
    }

    public let clock: SimulatedClock
    /// A binary heap: no plan comes before its parent.
    private var heap: [Plan] = []
    private var order: UInt64 = 0

    public init(clock: SimulatedClock) { self.clock = clock }

    public func after(_ milliseconds: Int64, _ action: @escaping () -> Void) {
        order += 1
        heap.append(Plan(at: clock.now + max(0, milliseconds), order: order, action: action))
        var at = heap.count - 1
        while at > 0, heap[at].comes(before: heap[(at - 1) / 2]) {
            heap.swapAt(at, (at - 1) / 2)
            at = (at - 1) / 2
        }
    }

    /// Repeats an action every so many milliseconds, until `clear`.
    public func every(_ milliseconds: Int64, _ action: @escaping () -> Void) {
        after(milliseconds) { [self] in
            action()
            every(milliseconds, action)
        }
    }

    /// When the next action is due.
    public var next: Instant { heap.first?.at ?? .never }

    /// Moves time on, at most to the next action.
    public func advance(to instant: Instant) { clock.advance(to: min(instant, next)) }

    /// Runs the first action if it is due. False: none was.
    public func runOne() -> Bool {
        guard let first = heap.first, first.at <= clock.now else { return false }
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            sink()
        }
        first.action()
        return true
    }

    /// Forgets everything planned.
    public func clear() { heap.removeAll() }

    private func sink() {
        var at = 0
        while true {
            var least = at
            for child in [2 * at + 1, 2 * at + 2] where child < heap.count && heap[child].comes(before: heap[least]) { least = child }
            if least == at { return }
            heap.swapAt(at, least)
            at = least
        }
    }
}
