// Owns where the process is killed, by SIGKILL from itself, so that the place is exact and the same for the same numbers.
// Stands between the ring and whoever hears of it. Bursts count from 1 in each process.
import CSQLite
import Glibc
import Ports
import Wire

final class Death: StoreListener {
    enum Place {
        /// `never`
        case never
        /// `in-burst N M`: the ring has M frames of the N-th burst.
        case inBurst(Int, frames: Int)
        /// `in-commit N M`: half of the M-th write to a file since the N-th burst was to be written is done. N of 0: since
        /// the process began, so that opening the ring and emptying its log die too.
        case inCommit(Int, writes: Int)
        /// `in-checkpoint M`: half of the M-th write to the database itself is done, after the first burst was stored: the
        /// log has grown long and is copied into it, between a commit and the ring's word on it.
        case inCheckpoint(writes: Int)
        /// `after-commit N`: the N-th burst is on the card and the bridge has not heard of it.
        case afterCommit(Int)
        /// `after-ack N`: the strap has taken the N-th acknowledgement.
        case afterAcknowledgement(Int)
        /// `anytime N`: N microseconds after the bridge began.
        case anytime(Int)

        init?(_ words: [String]) {
            let numbers = words.dropFirst().compactMap { Int($0) }
            switch (words.first, numbers.count) {
            case ("never", 0): self = .never
            case ("in-burst", 2): self = .inBurst(numbers[0], frames: numbers[1])
            case ("in-commit", 2): self = .inCommit(numbers[0], writes: numbers[1])
            case ("in-checkpoint", 1): self = .inCheckpoint(writes: numbers[0])
            case ("after-commit", 1): self = .afterCommit(numbers[0])
            case ("after-ack", 1): self = .afterAcknowledgement(numbers[0])
            case ("anytime", 1): self = .anytime(numbers[0])
            default: return nil
            }
        }
    }

    private let place: Place
    private let bridge: any StoreListener
    private var frames = 0
    private var begun = 1
    private var stored = 0
    private var acknowledged = 0

    init(_ place: Place, telling bridge: any StoreListener) {
        self.place = place
        self.bridge = bridge
        switch place {
        case .inCommit(let burst, let writes):
            Writes.replaceSystemCall()
            if burst == 0 { Writes.left = writes }
        case .inCheckpoint:
            Writes.replaceSystemCall()
            Writes.passesLog = true
        default:
            break
        }
    }

    static func now() -> Never {
        kill(getpid(), SIGKILL)
        while true { pause() }
    }

    // MARK: the places

    func comes(before entry: Entry) {
        switch (entry, place) {
        case (.historyFrame, .inBurst(let burst, let count)) where begun == burst:
            if frames == count { Death.now() }
            frames += 1
        case (.burst, .inBurst(let burst, _)):
            if begun == burst { Death.now() }
            begun += 1
        case (.burst, .inCommit(let burst, let writes)):
            if begun == burst { Writes.left = writes }
            begun += 1
        default:
            break
        }
    }

    func comesAfterAcknowledgement() {
        acknowledged += 1
        if case .afterAcknowledgement(acknowledged) = place { Death.now() }
    }

    func comesWithTime() {
        guard case .anytime(let microseconds) = place else { return }
        signal(SIGALRM) { _ in Death.now() }
        // Whoever started this process may have had it blocked.
        var alarm = sigset_t()
        sigemptyset(&alarm)
        sigaddset(&alarm, SIGALRM)
        sigprocmask(SIG_UNBLOCK, &alarm, nil)
        var timer = itimerval()
        timer.it_value = timeval(tv_sec: microseconds / 1_000_000, tv_usec: microseconds % 1_000_000)
        setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &timer, nil)
    }

    // MARK: what the ring says

    func stored(_ ticket: UInt32) {
        stored += 1
        if case .afterCommit(stored) = place { Death.now() }
        if case .inCheckpoint(let writes) = place, stored == 1 { Writes.left = writes }
        bridge.stored(ticket)
    }

    func notStored(_ ticket: UInt32, _ trouble: StoreTrouble) { end(65, "a burst was not stored: \(trouble)") }

    func storage(has trouble: StoreTrouble?) {
        if let trouble { end(65, "the ring is in trouble: \(trouble)") }
    }
}

/// SQLite's writes to files, counted. The last one is torn.
private enum Writes {
    /// How many more are whole or torn; 0: no end is planned.
    nonisolated(unsafe) static var left = 0
    /// Whether writes to the write-ahead log do not count.
    nonisolated(unsafe) static var passesLog = false

    static func replaceSystemCall() {
        let call: @convention(c) (Int32, UnsafeRawPointer, Int, off_t) -> Int = { Writes.write($0, $1, $2, $3) }
        let ours = unsafeBitCast(call, to: sqlite3_syscall_ptr.self)
        // Which of them SQLite uses depends on how it was built; both have this shape here.
        guard let files = sqlite3_vfs_find(nil) else { end(65, "SQLite has no file layer") }
        for name in ["pwrite", "pwrite64"] where files.pointee.xGetSystemCall(files, name) != nil {
            _ = files.pointee.xSetSystemCall(files, name, ours)
        }
    }

    private static func write(_ file: Int32, _ bytes: UnsafeRawPointer, _ count: Int, _ offset: off_t) -> Int {
        if left > 0, !(passesLog && isLog(file)) {
            left -= 1
            if left == 0 {
                _ = pwrite(file, bytes, count / 2, offset)
                Death.now()
            }
        }
        return pwrite(file, bytes, count, offset)
    }

    private static func isLog(_ file: Int32) -> Bool {
        var path = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/fd/\(file)", &path, path.count)
        return count > 0 && path[..<count].reversed().starts(with: "-wal".utf8.map { CChar($0) }.reversed())
    }
}
