// Owns the thread that stands between the loop and the card. The loop puts entries into a queue and goes on; this thread
// blocks on the card instead, and what comes of it goes back through a second queue and an eventfd.
import CLinux
import Ports
import Synchronization
import Wire

/// A store behind a thread of its own. `put` and `drain` belong to the loop's thread.
public final class StoreThread: Store, StoreListener, @unchecked Sendable {
    /// Bytes of entries that can wait: about twenty seconds of the fastest offload.
    public static var capacity: Int { 256 << 10 }

    private struct Completion: BitwiseCopyable {
        enum Kind: UInt8 { case stored, notStored, storageGood, storageBad }
        var kind: Kind
        var ticket: UInt32
        var trouble: StoreTrouble
    }

    private let entries = EntryQueue(capacity: StoreThread.capacity)
    private let completions = MessageQueue<Completion>(capacity: 4 << 10)
    private let clock: any Clock
    private var keeper: (any Keeper)?
    /// Wakes this thread; written only while it sleeps.
    private let wake: Int32
    /// Readable when `drain` has something to hand over.
    public let descriptor: Int32
    private let isAsleep = Atomic<Bool>(false)
    private let isEnding = Atomic<Bool>(false)
    private var thread = pthread_t()

    /// Nil when the kernel gives no descriptors.
    public init?(clock: any Clock) {
        self.clock = clock
        wake = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard wake >= 0, descriptor >= 0 else { return nil }
    }

    deinit {
        if wake >= 0 { close(wake) }
        if descriptor >= 0 { close(descriptor) }
    }

    /// Begins to pump entries into `keeper`, whose listener is this object. False: the kernel gives no thread.
    public func start(_ keeper: any Keeper) -> Bool {
        self.keeper = keeper
        let context = Unmanaged.passRetained(self).toOpaque()
        guard pthread_create(&thread, nil, { context in
            if let context { Unmanaged<StoreThread>.fromOpaque(context).takeRetainedValue().run() }
            return nil
        }, context) == 0 else {
            Unmanaged<StoreThread>.fromOpaque(context).release()
            return false
        }
        return true
    }

    /// Writes everything that was put, closes the keeper and ends the thread. Blocks as long as the card does.
    public func stop() {
        isEnding.store(true, ordering: .sequentiallyConsistent)
        signal(wake)
        pthread_join(thread, nil)
    }

    // MARK: On the loop's thread

    public func put(_ entry: Entry, _ bytes: RawSpan) -> Bool {
        guard entries.push(entry, bytes) else { return false }
        // The order of the two matters: the queue was filled before the flag is looked at, and the thread sets the flag
        // before it looks at the queue for the last time.
        if isAsleep.exchange(false, ordering: .sequentiallyConsistent) { signal(wake) }
        return true
    }

    /// Hands over what became of entries. To be called when `descriptor` is readable.
    public func drain(_ listener: any StoreListener) {
        var count: UInt64 = 0
        _ = read(descriptor, &count, 8)
        while completions.pop({ done, _ in
            switch done.kind {
            case .stored: listener.stored(done.ticket)
            case .notStored: listener.notStored(done.ticket, done.trouble)
            case .storageGood: listener.storage(has: nil)
            case .storageBad: listener.storage(has: done.trouble)
            }
        }) {}
    }

    // MARK: On its own thread

    private func run() {
        guard let keeper else { return }
        while true {
            while entries.pop({ entry, bytes in keeper.apply(entry, bytes) }) {}
            let next = keeper.tick(now: clock.now)
            if isEnding.load(ordering: .sequentiallyConsistent), entries.isEmpty {
                keeper.close()
                return
            }
            isAsleep.store(true, ordering: .sequentiallyConsistent)
            if entries.isEmpty, !isEnding.load(ordering: .sequentiallyConsistent) { sleep(until: next) }
            isAsleep.store(false, ordering: .sequentiallyConsistent)
        }
    }

    private func sleep(until next: Instant) {
        // At least a millisecond, so that a keeper that is always due cannot make this spin.
        let wait_ms = next == .never ? -1 : Int32(clamping: max(1, next - clock.now))
        var poll = pollfd(fd: wake, events: Int16(POLLIN), revents: 0)
        _ = CLinux.poll(&poll, 1, wait_ms)
        var count: UInt64 = 0
        _ = read(wake, &count, 8)
    }

    private func signal(_ descriptor: Int32) {
        var one: UInt64 = 1
        _ = write(descriptor, &one, 8)
    }

    private func post(_ done: Completion) {
        // The loop drains within milliseconds; until then this thread waits, for a ticket must not be lost.
        while !completions.push(done, RawSpan()) {
            // While the process ends the loop waits for this thread and drains no more.
            if isEnding.load(ordering: .sequentiallyConsistent) { return }
            usleep(1000)
        }
        signal(descriptor)
    }

    public func stored(_ ticket: UInt32) { post(Completion(kind: .stored, ticket: ticket, trouble: .full)) }
    public func notStored(_ ticket: UInt32, _ trouble: StoreTrouble) { post(Completion(kind: .notStored, ticket: ticket, trouble: trouble)) }
    public func storage(has trouble: StoreTrouble?) {
        post(Completion(kind: trouble == nil ? .storageGood : .storageBad, ticket: 0, trouble: trouble ?? .full))
    }
}
