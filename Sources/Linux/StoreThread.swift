// Owns the thread on which the card is written. A card can stall for seconds; the radio, the button and the LED must
// not. Entries go over in a queue, answers come back in another, each with an eventfd to wake the other side.
import CLinux
import Ports
import Store
import Synchronization
import Wire

public final class StoreThread: Ports.Store, Handler {
    private let queue = EntryQueue()
    private let answers = AnswerQueue()
    private let clock: any Clock
    private let listener: any StoreListener
    /// Wakes the thread; wakes the loop.
    private let work: Int32
    private let done: Int32
    private let stopping = Atomic<Bool>(false)
    private var thread = pthread_t()
    /// The thread's own; nobody else touches it.
    private let ring: Ring

    /// Opens the ring on its own thread. Answers are told to `listener` on the loop's.
    public init(path: String, limit: Int64, loop: EventLoop, clock: any Clock, listener: any StoreListener) throws(SystemError) {
        self.clock = clock
        self.listener = listener
        work = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        done = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        guard work >= 0, done >= 0 else { throw SystemError("eventfd") }
        answers.wake = done
        ring = Ring(path: path, limit: limit, clock: clock, listener: answers)
        try loop.add(done, .readable, self)
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setstacksize(&attributes, 512 << 10)
        let failure = pthread_create(&thread, &attributes, { context in
            Unmanaged<StoreThread>.fromOpaque(context!).takeUnretainedValue().run()
            return nil
        }, Unmanaged.passUnretained(self).toOpaque())
        pthread_attr_destroy(&attributes)
        guard failure == 0 else { throw SystemError("pthread_create", failure) }
    }

    public func put(_ entry: Entry, _ bytes: RawSpan) -> Bool {
        guard queue.put(entry, bytes) else { return false }
        wake(work)
        return true
    }

    public func ready(_ descriptor: Int32, _ events: Interest) {
        quiet(done)
        while let answer = answers.take() {
            switch answer {
            case .stored(let ticket): listener.stored(ticket)
            case .notStored(let ticket, let trouble): listener.notStored(ticket, trouble)
            case .trouble(let trouble): listener.storage(has: trouble)
            }
        }
    }

    /// Writes all that waits, closes the file and ends the thread. To be called before the process ends.
    public func end() {
        stopping.store(true, ordering: .releasing)
        wake(work)
        pthread_join(thread, nil)
    }

    // MARK: on the thread

    private func run() {
        while true {
            let last = stopping.load(ordering: .acquiring)
            while queue.take({ entry, bytes in ring.apply(entry, bytes) }) {}
            if last { return ring.close() }
            let deadline = ring.tick(now: clock.now)
            var wait = pollfd(fd: work, events: Int16(POLLIN), revents: 0)
            _ = poll(&wait, 1, deadline == .never ? -1 : Int32(clamping: max(0, deadline - clock.now)))
            quiet(work)
        }
    }

    private func wake(_ bell: Int32) {
        var one: UInt64 = 1
        _ = CLinux.write(bell, &one, 8)
    }

    private func quiet(_ bell: Int32) {
        var count: UInt64 = 0
        _ = CLinux.read(bell, &count, 8)
    }
}

private enum Answer: BitwiseCopyable {
    case stored(UInt32)
    case notStored(UInt32, StoreTrouble)
    case trouble(StoreTrouble?)
}

/// Answers on their way to the loop; at most 64 wait, and the card's thread then waits for the loop.
private final class AnswerQueue: StoreListener {
    private let slots: UnsafeMutablePointer<Answer>
    private let written = Atomic<Int>(0)
    private let taken = Atomic<Int>(0)
    var wake: Int32 = -1

    init() { slots = .allocate(capacity: 64) }
    deinit { slots.deallocate() }

    func stored(_ ticket: UInt32) { give(.stored(ticket)) }
    func notStored(_ ticket: UInt32, _ trouble: StoreTrouble) { give(.notStored(ticket, trouble)) }
    func storage(has trouble: StoreTrouble?) { give(.trouble(trouble)) }

    private func give(_ answer: Answer) {
        let tail = written.load(ordering: .relaxed)
        while tail - taken.load(ordering: .acquiring) == 64 { usleep(1000) }
        (slots + tail % 64).initialize(to: answer)
        written.store(tail + 1, ordering: .releasing)
        var one: UInt64 = 1
        _ = write(wake, &one, 8)
    }

    func take() -> Answer? {
        let front = taken.load(ordering: .relaxed)
        guard written.load(ordering: .acquiring) != front else { return nil }
        let answer = slots[front % 64]
        taken.store(front + 1, ordering: .releasing)
        return answer
    }
}
