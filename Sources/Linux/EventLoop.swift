// Owns waiting: one epoll set, one timer, one thread. Everything that happens to the bridge is a call from here.
// It allocates when something is added, never while it runs.
import CLinux
import Ports
import Wire

public struct Interest: OptionSet, Sendable {
    public var rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    public static let readable = Interest(rawValue: EPOLLIN.rawValue)
    public static let writable = Interest(rawValue: EPOLLOUT.rawValue)
    public static let urgent = Interest(rawValue: EPOLLPRI.rawValue)
    /// Told whether asked for or not.
    public static let failed = Interest(rawValue: EPOLLERR.rawValue | EPOLLHUP.rawValue)
}

/// Something behind a descriptor.
public protocol Handler: AnyObject {
    func ready(_ descriptor: Int32, _ events: Interest)
}

/// Something with a deadline. `tick` comes at the deadline and after every event of any handler; it must be cheap.
public protocol Timed: AnyObject {
    var deadline: Instant { get }
    func tick(_ now: Instant)
}

public final class EventLoop {
    private struct Slot {
        var descriptor: Int32 = -1
        var generation: UInt32 = 0
        var handler: (any Handler)?
    }

    private static let batch = 16
    private let clock: any Clock
    private let epoll: Descriptor
    private let timer: Descriptor
    private let events: UnsafeMutablePointer<epoll_event>
    private var slots: [Slot] = []
    private var timed: [any Timed] = []
    private var armed = Instant.never
    private var running = false

    public init(clock: any Clock) throws(SystemError) {
        self.clock = clock
        epoll = try Descriptor(epoll_create1(Int32(EPOLL_CLOEXEC)), "epoll_create1")
        timer = try Descriptor(timerfd_create(Int32(CLOCK_BOOTTIME), Int32(TFD_CLOEXEC | TFD_NONBLOCK)), "timerfd_create")
        events = .allocate(capacity: Self.batch)
        var event = epoll_event()
        event.events = EPOLLIN.rawValue
        event.data.u64 = .max
        guard epoll_ctl(epoll.raw, EPOLL_CTL_ADD, timer.raw, &event) == 0 else { throw SystemError("epoll_ctl") }
    }

    deinit { events.deallocate() }

    /// Watches a descriptor, which stays the caller's; `remove` comes before its close.
    public func add(_ descriptor: Int32, _ interest: Interest, _ handler: any Handler) throws(SystemError) {
        let i = slots.firstIndex { $0.descriptor < 0 } ?? slots.count
        if i == slots.count { slots.append(Slot()) }
        slots[i].generation &+= 1
        guard control(EPOLL_CTL_ADD, descriptor, interest, i) == 0 else { throw SystemError("epoll_ctl") }
        slots[i].descriptor = descriptor
        slots[i].handler = handler
    }

    public func change(_ descriptor: Int32, _ interest: Interest) {
        guard let i = slots.firstIndex(where: { $0.descriptor == descriptor }) else { return }
        _ = control(EPOLL_CTL_MOD, descriptor, interest, i)
    }

    public func remove(_ descriptor: Int32) {
        guard descriptor >= 0, let i = slots.firstIndex(where: { $0.descriptor == descriptor }) else { return }
        _ = control(EPOLL_CTL_DEL, descriptor, [], i)
        slots[i].descriptor = -1
        slots[i].handler = nil
    }

    public func add(timed one: any Timed) { timed.append(one) }

    /// Until `stop`.
    public func run() throws(SystemError) {
        running = true
        while running { try turn() }
    }

    public func stop() { running = false }

    /// Waits once and hands out what came.
    public func turn() throws(SystemError) {
        arm()
        let count = epoll_wait(epoll.raw, events, Int32(Self.batch), -1)
        guard count >= 0 else {
            if nightstand_errno() == EINTR { return }
            throw SystemError("epoll_wait")
        }
        for i in 0..<Int(count) { hand(out: events[i]) }
        let now = clock.now
        for one in timed { one.tick(now) }
    }

    private func hand(out event: epoll_event) {
        if event.data.u64 == .max {
            var expirations: UInt64 = 0
            _ = read(timer.raw, &expirations, 8)
            armed = .never
            return
        }
        let i = Int(truncatingIfNeeded: event.data.u64 & 0xffff_ffff), generation = UInt32(truncatingIfNeeded: event.data.u64 >> 32)
        // An earlier handler of this batch may have closed it, and the slot may be another's by now.
        guard i < slots.count, slots[i].generation == generation, let handler = slots[i].handler else { return }
        handler.ready(slots[i].descriptor, Interest(rawValue: event.events))
    }

    private func arm() {
        var next = Instant.never
        for one in timed { next = min(next, one.deadline) }
        guard next != armed else { return }
        armed = next
        var time = itimerspec()
        if next != .never {
            // At zero the timer would be off.
            let milliseconds = max(1, next.milliseconds)
            time.it_value.tv_sec = Int(milliseconds / 1000)
            time.it_value.tv_nsec = Int(milliseconds % 1000 * 1_000_000)
        }
        timerfd_settime(timer.raw, Int32(TFD_TIMER_ABSTIME), &time, nil)
    }

    private func control(_ operation: Int32, _ descriptor: Int32, _ interest: Interest, _ slot: Int) -> Int32 {
        var event = epoll_event()
        event.events = interest.rawValue
        event.data.u64 = UInt64(slots[slot].generation) << 32 | UInt64(slot)
        return epoll_ctl(epoll.raw, operation, descriptor, &event)
    }
}
