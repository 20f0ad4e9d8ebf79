// Owns the simulated card: takes entries in order, after a delay that stands for the card's, and answers. It can hold its
// answers, refuse, or have a full queue. What it commits goes to `sink` (the ring, in the demo) or is kept for a test.
import Ports
import Wire

public final class SimulatedStore: Store, StoreListener {
    public enum Health: Equatable, Sendable {
        case working
        /// Takes entries and does nothing with them until it works again.
        case holding
        /// Every burst and moment is refused.
        case refusing(StoreTrouble)
        /// The queue has no room: `put` is false.
        case fullQueue
    }

    /// A burst that is on the card.
    public struct Burst {
        public var end: BurstEnd
        public var frames: [[UInt8]]
        public var at: Instant
    }

    public var health = Health.working {
        didSet { if health != .holding { drain() } }
    }
    /// The queue has no room for the frame of history at this place of its burst; nil: for all.
    public var refusesFrame: Int?
    private var framesAsked = 0
    /// What synced writing costs.
    public var latency_ms: Int64 = 20
    /// Who is told. Also told what the sink answers.
    public var listener: (any StoreListener)?
    /// Where entries go instead of into memory; it answers to this store as its listener.
    public var sink: ((Entry, RawSpan) -> Void)?

    /// Bursts committed, oldest first; empty with a sink.
    public private(set) var bursts: [Burst] = []
    /// Tokens that the listener was told are durable, in order.
    public private(set) var durable: [UInt64] = []
    /// Every other entry taken; empty with a sink.
    public private(set) var entries: [(entry: Entry, bytes: [UInt8])] = []
    private var pending: [[UInt8]] = []
    private var queue: [(entry: Entry, bytes: [UInt8], due: Instant)] = []
    private var asked: [(ticket: UInt32, token: UInt64)] = []
    private let schedule: Schedule

    public init(schedule: Schedule) { self.schedule = schedule }

    public func put(_ entry: Entry, _ bytes: RawSpan) -> Bool {
        if health == .fullQueue { return false }
        switch entry {
        case .historyFrame:
            framesAsked += 1
            if framesAsked - 1 == refusesFrame { return false }
        case .burst, .burstDropped: framesAsked = 0
        default: break
        }
        queue.append((entry, array(bytes), schedule.clock.now + latency_ms))
        schedule.after(latency_ms) { [self] in drain() }
        return true
    }

    /// The board lost power: what had not been committed is gone.
    public func cutPower() {
        queue.removeAll()
        pending.removeAll()
        asked.removeAll()
    }

    private func drain() {
        guard health != .holding else { return }
        while let first = queue.first, first.due <= schedule.clock.now {
            queue.removeFirst()
            apply(first.entry, first.bytes)
        }
    }

    private func apply(_ entry: Entry, _ bytes: [UInt8]) {
        if case .burst(let end, _, let ticket) = entry { asked.append((ticket, end.token)) }
        if case .refusing(let trouble) = health {
            switch entry {
            case .burst(_, _, let ticket), .moment(_, _, let ticket):
                pending.removeAll()
                return notStored(ticket, trouble)
            default: break
            }
        }
        if let sink { return sink(entry, bytes.span.bytes) }
        switch entry {
        case .historyFrame: pending.append(bytes)
        case .burstDropped:
            pending.removeAll()
            entries.append((entry, bytes))
        case .burst(let end, _, let ticket):
            bursts.append(Burst(end: end, frames: pending, at: schedule.clock.now))
            pending.removeAll()
            stored(ticket)
        case .moment(_, _, let ticket):
            entries.append((entry, bytes))
            stored(ticket)
        default:
            entries.append((entry, bytes))
        }
    }

    // MARK: the sink's answers

    public func stored(_ ticket: UInt32) {
        for i in asked.indices where asked[i].ticket == ticket {
            durable.append(asked[i].token)
            asked.remove(at: i)
            break
        }
        listener?.stored(ticket)
    }

    public func notStored(_ ticket: UInt32, _ trouble: StoreTrouble) {
        asked.removeAll { $0.ticket == ticket }
        listener?.notStored(ticket, trouble)
    }

    public func storage(has trouble: StoreTrouble?) { listener?.storage(has: trouble) }
}

/// The bytes of a span, copied.
func array(_ bytes: RawSpan) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(bytes.byteCount)
    for i in 0..<bytes.byteCount { out.append(bytes.u8(at: i)) }
    return out
}
