// Owns when things are written: what is held back in memory, what is committed together, what is told to whom. A burst or
// a moment is `stored` only after its transaction was synced; on any trouble it is `notStored`, nothing of it remains,
// and the ring goes on and tries again. Called from one thread; never blocks longer than the card does.
import CSQLite
import Ports
import Whoop
import Wire

/// The ring.
public final class Ring: Keeper {
    /// The least bound, bytes.
    public static var smallestLimit: Int64 { 64 << 20 }
    /// The bound where none is configured, bytes.
    public static var usualLimit: Int64 { 512 << 20 }
    /// Live rows and everything else that waits are written after so long at the latest.
    public static var patience_ms: Int64 { 120_000 }
    /// A burst is at most so many bytes of frames. The longest real one is about 100 KB.
    public static var burstCapacity: Int { 256 << 10 }
    /// What waits is at most so many bytes, about four minutes of both live lanes.
    static var waitingCapacity: Int { 32 << 10 }

    let path: String
    let share: Share
    let clock: any Clock
    /// Where the file lies: this machine, or a simulated card.
    let files: any Disk
    private let listener: any StoreListener

    var file: RingFile?
    /// What keeps the ring from writing, and a sentence about it.
    public private(set) var trouble: StoreTrouble?
    public private(set) var sentence = ""
    private var retryAt = Instant(milliseconds: .min)
    private var retryAfter_ms: Int64 = 1000
    /// The file at `path` turned out to be broken while it was in use.
    private var isBroken = false
    /// A sentence about trouble that is over, to be written as a row.
    private var untold: [String] = []

    /// Frames of the burst under way, one after the other.
    private let burst: Arena
    private var isBurstTooLong = false
    /// Entries that wait: length of the bytes, entry, bytes.
    private let waiting: Arena
    private var waitingSince: Instant?
    /// Entries not kept, because storage was unusable for too long.
    private var dropped: Int64 = 0

    /// The strap that entries belong to now.
    private var strap: (peer: Peer, generation: UInt8)?
    /// The strap that the first waiting entry belongs to.
    private var committedStrap: (peer: Peer, generation: UInt8)?
    /// Its row, once committed.
    private var committedRow: Int64 = 0
    var rawCursor: Int64 = 0
    private var lastFraction: (second: Int64, fraction: Int64) = (0, -1)

    /// A ring at `path` of at most `limit` bytes. The file is opened at the first `tick` or `apply`.
    public convenience init(path: String, limit: Int64, clock: any Clock, listener: any StoreListener) {
        self.init(path: path, share: Share(limit: max(limit, Ring.smallestLimit)), clock: clock, listener: listener)
    }

    /// A ring on a disk of one's own and of any size. The disk costs one indirect call where a file is asked about.
    package init(path: String, share: Share, clock: any Clock, listener: any StoreListener, on disk: (any Disk)? = nil) {
        files = disk ?? Files()
        self.path = path
        self.share = share
        self.clock = clock
        self.listener = listener
        burst = Arena(capacity: Ring.burstCapacity)
        waiting = Arena(capacity: Ring.waitingCapacity)
    }

    // MARK: In

    /// Takes one entry with its bytes. Bursts and moments are on the card, or refused, when this returns.
    public func apply(_ entry: Entry, _ bytes: RawSpan) {
        switch entry {
        case .historyFrame:
            if !burst.append(bytes) { isBurstTooLong = true }
        case .burst(let end, let stamp, let ticket):
            finish(end, stamp, ticket, bytes)
        case .burstDropped:
            forgetBurst()
            wait(entry, bytes)
        case .moment(let stamp, let source, let ticket):
            answer(ticket, commit(16 << 10) { file, row throws(SQLError) in
                try file.write(moment: bytes, source, strap: row, stamp)
            })
        case .strap(let peer, let generation):
            strap = (peer, generation)
            wait(entry, bytes)
        case .identity, .heartRate, .liveFrame, .battery, .gap, .epitaph, .clockPair, .reason, .bond:
            wait(entry, bytes)
        }
    }

    /// Writes what has waited long enough and tries again what failed. To be called at the time that it gives back, or
    /// earlier, and after that many times as one likes.
    public func tick(now: Instant) -> Instant {
        if trouble != nil || file == nil {
            if now >= retryAt { flush() }
        } else if let since = waitingSince, now - since >= Ring.patience_ms {
            flush()
        }
        if trouble != nil || file == nil { return retryAt }
        return waitingSince.map { $0 + Ring.patience_ms } ?? .never
    }

    /// Writes what waits and closes the file. To be called before the process ends.
    public func close() {
        if file != nil || waiting.count > 0 { flush() }
        file = nil
    }

    private func wait(_ entry: Entry, _ bytes: RawSpan) {
        let isLive = switch entry {
        case .heartRate, .liveFrame: true
        default: false
        }
        if !fits(bytes.byteCount, isLive: isLive) { flush() }
        guard fits(bytes.byteCount, isLive: isLive) else {
            dropped += 1
            return
        }
        _ = waiting.append(value: UInt32(bytes.byteCount)) && waiting.append(value: entry) && waiting.append(bytes)
        if waitingSince == nil { waitingSince = clock.now }
    }

    /// Whether an entry can wait. The last quarter is kept for what is not live: a gap, a reason, a bond.
    private func fits(_ count: Int, isLive: Bool) -> Bool {
        let size = 4 + MemoryLayout<Entry>.size + count
        return waiting.count + size <= (isLive ? waiting.capacity / 4 * 3 : waiting.capacity)
    }

    private func flush() {
        _ = commit(0) { _, _ throws(SQLError) in }
    }

    private func forgetBurst() {
        burst.removeAll()
        isBurstTooLong = false
    }

    private func finish(_ end: BurstEnd, _ stamp: Stamp, _ ticket: UInt32, _ bytes: RawSpan) {
        let burst = burst
        defer { forgetBurst() }
        guard !isBurstTooLong, burst.append(bytes) else {
            return refuse(ticket, SQLITE_TOOBIG, "A burst was longer than \(Ring.burstCapacity) bytes and was not kept.", stamp)
        }
        guard let family = strap.flatMap({ RingFile.family($0.generation) }) else {
            return refuse(ticket, SQLITE_MISUSE, "A burst came before its strap was known and was not kept.", stamp)
        }
        guard RingFile.isWhole(burst.bytes, family) else {
            return refuse(ticket, SQLITE_MISMATCH, "A burst held bytes that are no frames and was not kept.", stamp)
        }
        answer(ticket, commit(burst.count) { file, row throws(SQLError) in
            try file.write(burst: burst.bytes, family, end, strap: row, stamp)
        })
    }

    /// Says no to a burst that no retry of ours can save, and why.
    private func refuse(_ ticket: UInt32, _ code: Int32, _ why: String, _ stamp: Stamp) {
        tell(why)
        flush()
        listener.notStored(ticket, .failed(code))
    }

    /// Keeps a sentence until it can be written; of many, the first few.
    private func tell(_ why: String) {
        if untold.count < 8 { untold.append(why) }
    }

    private func answer(_ ticket: UInt32, _ failure: StoreTrouble?) {
        if let failure { listener.notStored(ticket, failure) } else { listener.stored(ticket) }
    }

    // MARK: To the card

    /// Writes what waits and then `work`, in one transaction, synced. Nil: it is on the card. Otherwise nothing is.
    private func commit(_ bytes: Int, _ work: (RingFile, Int64) throws(SQLError) -> Void) -> StoreTrouble? {
        if trouble != nil, clock.now < retryAt { return trouble }
        do throws(SQLError) {
            let file = try open()
            try requireWritable()
            try makeRoom(file, for: bytes + waiting.count)
            try file.beginTransaction()
            let row = try writeWaiting(file)
            try work(file, row)
            try file.commitTransaction()
            try requireWritable()
            committed(row)
            checkpoint(file)
            return nil
        } catch {
            return failed(error)
        }
    }

    /// A file system that was turned read-only under open files (SysRq u) takes writes into memory, and ext4 calls their
    /// sync a success and writes nothing.
    private func requireWritable() throws(SQLError) {
        let directory = Files.directory(of: path)
        guard files.canWrite(in: directory) else { throw SQLError(code: SQLITE_READONLY, text: "\(directory) cannot be written") }
    }

    /// The file, opened if need be.
    private func open() throws(SQLError) -> RingFile {
        if let file { return file }
        let opening = try Opening.open(path, on: files, share: share, clock: clock, broken: isBroken)
        isBroken = false
        if let replaced = opening.replaced {
            tell(replaced)
            listener.storage(has: .replaced)
        }
        let opened: RingFile
        do throws(SQLError) {
            opened = try RingFile(opening.database, opened: Stamp(clock))
        } catch {
            // The version is ours but a table or column is missing.
            if error.primary == SQLITE_ERROR { isBroken = true }
            throw error
        }
        file = opened
        committedRow = 0
        rawCursor = 0
        return opened
    }

    /// Writes all that waits, in the order in which it came. Gives back the row of the strap that comes last.
    private func writeWaiting(_ file: RingFile) throws(SQLError) -> Int64 {
        var row = committedRow
        if row == 0, let known = committedStrap {
            row = try file.row(of: known.peer, generation: known.generation, seen: clock.wall)
        }
        var generation = committedStrap?.generation ?? 0
        let waiting = waiting
        var reader = Reader(waiting.bytes)
        while let count = reader.u32(), let head = reader.take(MemoryLayout<Entry>.size), let bytes = reader.take(Int(count)) {
            let entry = head.unsafeLoadUnaligned(as: Entry.self)
            if case .strap(let peer, let number) = entry {
                row = try file.row(of: peer, generation: number, seen: clock.wall)
                generation = number
            } else {
                try write(entry, bytes, file, row, generation)
            }
        }
        let stamp = Stamp(clock)
        try file.date(by: stamp)
        for why in untold { try file.write(reason: why, strap: row, stamp) }
        if trouble != nil { try file.write(reason: "Storage could not be written: \(sentence)", strap: row, stamp) }
        if dropped > 0 {
            try file.write(reason: "\(dropped) entries were not kept while storage could not be written.", strap: row, stamp)
        }
        return row
    }

    private func write(_ entry: Entry, _ bytes: RawSpan, _ file: RingFile, _ row: Int64, _ generation: UInt8) throws(SQLError) {
        guard case .heartRate(let stamp) = entry else {
            return try file.write(entry, bytes, strap: row, generation: generation)
        }
        // Values that were read in one go bear one stamp; all of them are kept.
        var fraction = (stamp.wall.milliseconds - stamp.wall.seconds * 1000) * 32768 / 1000
        if lastFraction.second == stamp.wall.seconds, fraction <= lastFraction.fraction { fraction = lastFraction.fraction + 1 }
        lastFraction = (stamp.wall.seconds, fraction)
        try file.write(heartRate: bytes, strap: row, fraction: fraction, stamp)
    }

    private func committed(_ row: Int64) {
        waiting.removeAll()
        waitingSince = nil
        committedStrap = strap
        committedRow = row
        untold.removeAll()
        dropped = 0
        retryAfter_ms = 1000
        if trouble != nil {
            trouble = nil
            sentence = ""
            listener.storage(has: nil)
        }
    }

    /// Takes note of a refusal: everything of the transaction is undone, and a new attempt is due later.
    private func failed(_ error: SQLError) -> StoreTrouble {
        file?.rollBack()
        lastFraction = (0, -1)
        rawCursor = 0
        if error.isCorruption { isBroken = true }
        if !error.leavesConnection { file = nil }
        let now = error.trouble
        sentence = error.text
        retryAt = clock.now + (isBroken ? 0 : retryAfter_ms)
        retryAfter_ms = min(retryAfter_ms * 2, 15_000)
        if trouble != now {
            trouble = now
            listener.storage(has: now)
        }
        return now
    }
}
