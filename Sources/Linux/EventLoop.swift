// Owns waiting: one epoll and one timer for the whole process. Nothing else blocks. Handlers are told that a
// descriptor is ready and may take any descriptor off the loop, their own included, while they are told.
import CLinux
import Wire

/// What is told when a descriptor is ready.
public protocol EventHandler: AnyObject {
    /// - Parameter events: bits of epoll(7), such as EPOLLIN.
    func ready(_ descriptor: Int32, _ events: UInt32)
}

/// A system call that failed where it cannot.
public struct LoopError: Error, Sendable {
    public var call: StaticString
    public var errno: Int32
    /// With the errno of now.
    public init(_ call: StaticString) { self.init(call: call, errno: nightstand_errno()) }
    public init(call: StaticString, errno: Int32) {
        self.call = call
        self.errno = errno
    }
}

public final class EventLoop {
    private let epoll: Int32
    private let timer: Int32
    private var handlers: [(descriptor: Int32, handler: any EventHandler)] = []
    private var armed = Instant.never

    public init() throws(LoopError) {
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw LoopError("epoll_create1") }
        // The boot clock goes on while the board sleeps, as `Instant` does.
        timer = timerfd_create(CLOCK_BOOTTIME, Int32(TFD_CLOEXEC) | Int32(TFD_NONBLOCK))
        guard timer >= 0 else { throw LoopError("timerfd_create") }
        var event = epoll_event()
        event.events = EPOLLIN.rawValue
        event.data.fd = timer
        guard epoll_ctl(epoll, EPOLL_CTL_ADD, timer, &event) == 0 else { throw LoopError("epoll_ctl") }
    }

    deinit {
        close(timer)
        close(epoll)
    }

    /// Tells `handler` of these events on a descriptor, from now on. Called again for the same descriptor it changes both.
    public func watch(_ descriptor: Int32, _ events: UInt32, _ handler: any EventHandler) throws(LoopError) {
        var event = epoll_event()
        event.events = events
        event.data.fd = descriptor
        for i in handlers.indices where handlers[i].descriptor == descriptor {
            handlers[i].handler = handler
            guard epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event) == 0 else { throw LoopError("epoll_ctl") }
            return
        }
        guard epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0 else { throw LoopError("epoll_ctl") }
        handlers.append((descriptor, handler))
    }

    /// Tells nobody any more. To be called before the descriptor is closed.
    public func forget(_ descriptor: Int32) {
        handlers.removeAll { $0.descriptor == descriptor }
        _ = epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, nil)
    }

    /// Waits until something is ready or `deadline` has come, and tells the handlers.
    public func turn(until deadline: Instant) throws(LoopError) {
        arm(deadline)
        // One at a time: a handler may close what a second event in the same batch would name.
        var event = epoll_event()
        let count = epoll_wait(epoll, &event, 1, -1)
        if count < 0 {
            if nightstand_errno() == EINTR { return }
            throw LoopError("epoll_wait")
        }
        guard count > 0 else { return }
        let descriptor = event.data.fd
        if descriptor == timer {
            var expirations: UInt64 = 0
            _ = read(timer, &expirations, 8)
            armed = .never
            return
        }
        for entry in handlers where entry.descriptor == descriptor {
            entry.handler.ready(descriptor, event.events)
            return
        }
    }

    private func arm(_ deadline: Instant) {
        guard deadline != armed else { return }
        armed = deadline
        var when = itimerspec()
        if deadline != .never {
            // Zero would disarm; the past fires at once.
            let milliseconds = max(1, deadline.milliseconds)
            when.it_value.tv_sec = Int(milliseconds / 1000)
            when.it_value.tv_nsec = Int(milliseconds % 1000) * 1_000_000
        }
        timerfd_settime(timer, Int32(TFD_TIMER_ABSTIME), &when, nil)
    }
}
