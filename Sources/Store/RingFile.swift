// Owns the open file: its connection and its statements, prepared once. Knows how each kind of row is written and
// nothing of when. Never writes outside a transaction that its caller opened, never decides what is lost.
import CSQLite
import Ports
import Wire

/// The ring's file while it is open.
final class RingFile {
    let database: Database
    /// The row of this run of the bridge.
    let run: Int64
    /// Whether the run knows by how much wall time and monotonic time differ.
    private var isRunDated: Bool

    /// Rows that the last record added: 0 where it was there already.
    var recordsAdded = 0

    let record: Statement
    let live: Statement
    let event: Statement
    let battery: Statement
    let burst: Statement
    let burstSeen: Statement
    let burstRepeated: Statement
    let undecoded: Statement
    let moment: Statement
    let gap: Statement
    let epitaph: Statement
    let reason: Statement
    let bond: Statement
    let clockPair: Statement
    private let runDated: Statement
    private let strapNew: Statement
    private let strapFound: Statement
    let identity: Statement
    private let begin: Statement
    private let commitment: Statement

    let oldestRaw: Statement
    let evictRaw: Statement
    let evictRecord: Statement
    let evictLive: Statement
    let evictPacked: Statement
    let oldestSecond: Statement
    let secondsOfSlot: Statement
    let packChunk: Statement
    let noteEvicted: Statement
    let readTotals: Statement
    let evictBurst: Statement
    let evictUndecoded: Statement
    private let pageCount: Statement
    private let freeCount: Statement

    /// Pages that the database may have.
    let pagesMost: Int64
    /// Pages in the WAL after the last commit and the one before, written by SQLite.
    private let walPages: UnsafeMutablePointer<(last: Int32, before: Int32)>
    /// Where numbers become text, and seconds a chunk.
    let scratch: UnsafeMutableRawBufferPointer
    /// What the tiers hold; nil until asked for, and after a transaction was given up.
    var held: TierTotals?

    /// Prepares everything and begins a run. The file has the schema of this version.
    init(_ database: Database, opened stamp: Stamp) throws(SQLError) {
        func insert(_ table: String, _ columns: String, ignoring: Bool = false) throws(SQLError) -> Statement {
            var marks = "?"
            for byte in columns.utf8 where byte == 0x2c { marks += ",?" }
            return try Statement(database, "INSERT \(ignoring ? "OR IGNORE " : "")INTO \(table)(\(columns)) VALUES(\(marks))")
        }
        self.database = database
        record = try insert("history", "unix,strap,counter,version,fraction,pulse,rr,gravity,skin,steps,state,optics", ignoring: true)
        live = try insert("live", "unix,strap,lane,fraction,time_doubt,run,monotonic_ms,heart_rate_bpm,rr_ms,worn", ignoring: true)
        event = try insert("event", "unix,strap,kind,number,fraction,body,time_doubt,lane", ignoring: true)
        battery = try insert("battery", "unix,strap,source,tenths_percent,millivolts,run,monotonic_ms", ignoring: true)
        burst = try insert("burst", "strap,token_page,token_wraps,digest,announced,received,records,first_unix,last_unix,"
            + "committed_unix,run,monotonic_ms,frames,seconds_in,raw_in")
        burstSeen = try Statement(database, """
            SELECT id FROM (SELECT id, strap, token_page, token_wraps, digest FROM burst ORDER BY id DESC LIMIT 64)
            WHERE strap = ? AND token_page = ? AND token_wraps = ? AND digest = ? LIMIT 1
            """)
        burstRepeated = try Statement(database, "UPDATE burst SET repeats = repeats + 1 WHERE id = ?")
        undecoded = try insert("undecoded", "strap,kind,version,unix,counter,check_crc32,reason,frame", ignoring: true)
        moment = try insert("moment", "unix,millisecond,clock_trusted,run,monotonic_ms,strap,source,note")
        gap = try insert("gap", "strap,from_unix,to_unix,noted_unix,run,cause")
        epitaph = try insert("epitaph", "unix,run,monotonic_ms,strap,uptime_ms,frames,damaged,signal_1_dbm,signal_2_dbm,"
            + "signal_3_dbm,cause")
        reason = try insert("reason", "unix,run,monotonic_ms,strap,sentence")
        bond = try insert("bond", "unix,run,monotonic_ms,strap,made")
        clockPair = try insert("clock_pair", "strap,strap_unix,strap_fraction,wall_ms,clock_trusted,run,monotonic_ms,round_trip_ms")
        runDated = try Statement(database, "UPDATE run SET wall_minus_monotonic_ms = ?1 WHERE id = ?2 AND wall_minus_monotonic_ms IS NULL")
        strapNew = try Statement(database, """
            INSERT INTO strap(address, address_type, generation, first_seen_unix) VALUES(?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET generation = excluded.generation
            WHERE excluded.generation NOT IN (0, generation)
            """)
        strapFound = try Statement(database, "SELECT id FROM strap WHERE address = ? AND address_type = ?")
        identity = try Statement(database, "UPDATE strap SET serial = ?1, firmware = ?2, name = ?3 WHERE id = ?4")
        begin = try Statement(database, "BEGIN IMMEDIATE")
        commitment = try Statement(database, "COMMIT")
        oldestRaw = try Statement(database, """
            SELECT id, length(frames), coalesce(last_unix, 0) FROM burst WHERE id >= ?1 AND frames IS NOT NULL ORDER BY id LIMIT 8
            """)
        evictRaw = try Statement(database, "UPDATE burst SET frames = NULL WHERE id BETWEEN ?1 AND ?2")
        oldestSecond = try Statement(database, "SELECT unix, strap FROM history ORDER BY unix, strap, counter, version LIMIT 1")
        secondsOfSlot = try Statement(database, """
            SELECT unix, counter, version, pulse, rr, gravity IS NOT NULL FROM history WHERE unix BETWEEN ?1 AND ?2 AND strap = ?3
            ORDER BY unix, strap, counter, version LIMIT 600
            """)
        evictRecord = try Statement(database, """
            DELETE FROM history WHERE unix BETWEEN ?1 AND ?4 AND strap = ?3 AND (unix, counter, version) <= (?4, ?5, ?6)
            """)
        packChunk = try insert("packed", "strap,from_unix,to_unix,records,chunk")
        evictPacked = try Statement(database, """
            DELETE FROM packed WHERE id IN (SELECT id FROM packed ORDER BY id LIMIT 8) RETURNING records, length(chunk), to_unix
            """)
        evictLive = try Statement(database, """
            DELETE FROM live WHERE (unix, strap, lane, fraction) IN (SELECT unix, strap, lane, fraction FROM live
            WHERE unix <= coalesce((SELECT min(unix) FROM history), unix) ORDER BY unix, strap, lane, fraction LIMIT 256)
            """)
        noteEvicted = try Statement(database, """
            UPDATE evicted SET rows = rows + ?2, bytes = bytes + ?3, through_unix = nullif(max(coalesce(through_unix, 0), ?4), 0),
            packed_bytes = packed_bytes + ?5 WHERE tier = ?1
            """)
        readTotals = try Statement(database, """
            SELECT coalesce((SELECT seconds_in FROM burst ORDER BY id DESC LIMIT 1), (SELECT count(*) FROM history)),
              coalesce((SELECT raw_in FROM burst ORDER BY id DESC LIMIT 1), 0),
              (SELECT rows FROM evicted WHERE tier = 'seconds'), (SELECT bytes FROM evicted WHERE tier = 'raw'),
              (SELECT packed_bytes FROM evicted WHERE tier = 'seconds'), (SELECT bytes FROM evicted WHERE tier = 'packed')
            """)
        evictBurst = try Statement(database, """
            DELETE FROM burst WHERE id IN (SELECT id FROM (SELECT id, frames, last_unix FROM burst ORDER BY id LIMIT 8)
            WHERE frames IS NULL AND coalesce(last_unix, 0) < coalesce((SELECT min(unix) FROM history), last_unix + 1, 1))
            """)
        evictUndecoded = try Statement(database, "DELETE FROM undecoded WHERE id IN (SELECT id FROM undecoded ORDER BY id LIMIT 16)")
        pageCount = try Statement(database, "PRAGMA page_count")
        freeCount = try Statement(database, "PRAGMA freelist_count")
        pagesMost = try database.integer("PRAGMA max_page_count") ?? 0
        scratch = .allocate(byteCount: 4096, alignment: 16)
        walPages = .allocate(capacity: 1)
        walPages.initialize(to: (0, 0))

        try database.run("""
            INSERT INTO run(unix, monotonic_ms, clock_trusted, wall_minus_monotonic_ms)
            VALUES(\(stamp.wall.seconds), \(stamp.monotonic.milliseconds), \(stamp.trusted ? 1 : 0),
            \(stamp.trusted ? "\(stamp.wall.milliseconds - stamp.monotonic.milliseconds)" : "NULL"))
            """)
        run = database.lastRow
        isRunDated = stamp.trusted
        sqlite3_wal_hook(database.raw, { context, _, _, pages in
            let counted = context?.assumingMemoryBound(to: (last: Int32, before: Int32).self)
            counted?.pointee = (pages, counted?.pointee.last ?? 0)
            return SQLITE_OK
        }, walPages)
    }

    deinit {
        sqlite3_wal_hook(database.raw, nil, nil)
        scratch.deallocate()
        walPages.deallocate()
    }

    // MARK: Transactions

    func beginTransaction() throws(SQLError) { try begin.run() }
    func commitTransaction() throws(SQLError) { try commitment.run() }

    /// Gives up the transaction, if one is open.
    func rollBack() {
        if database.inTransaction { sqlite3_exec(database.raw, "ROLLBACK", nil, nil, nil) }
        held = nil
        isRunDated = false
    }

    // MARK: Size

    /// Pages in the WAL after the last commit.
    var pagesInWAL: Int32 { walPages.pointee.last }

    /// Pages that the last transaction wrote into the WAL.
    var pagesInLastTransaction: Int32 {
        walPages.pointee.last > walPages.pointee.before ? walPages.pointee.last - walPages.pointee.before : walPages.pointee.last
    }

    /// Pages in use, free ones not counted.
    func pagesUsed() throws(SQLError) -> Int64 {
        try number(pageCount) - number(freeCount)
    }

    private func number(_ statement: borrowing Statement) throws(SQLError) -> Int64 {
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : 0
    }

    // MARK: Small rows

    /// The row of a strap, made where there is none. Generation 0: not known yet.
    func row(of strap: Peer, generation: UInt8, seen: WallTime) throws(SQLError) -> Int64 {
        let address = strap.address.text
        let type = strap.type == .publicLE ? "public" : "random"
        strapNew.bind(1, text: address)
        strapNew.bind(2, text: type)
        strapNew.bind(3, generation)
        strapNew.bind(4, seen.seconds)
        try strapNew.run()
        strapFound.bind(1, text: address)
        strapFound.bind(2, text: type)
        defer { strapFound.reset() }
        return try strapFound.step() ? strapFound.integer(0) : 0
    }

    /// Dates the run, once, by the first stamp of it that is to be believed.
    func date(by stamp: Stamp) throws(SQLError) {
        guard stamp.trusted, !isRunDated else { return }
        runDated.bind(1, stamp.wall.milliseconds - stamp.monotonic.milliseconds)
        runDated.bind(2, run)
        try runDated.run()
        isRunDated = true
    }

    /// A sentence for whoever asks later.
    func write(reason sentence: String, strap: Int64, _ stamp: Stamp) throws(SQLError) {
        bind(reason, stamp, strap)
        reason.bind(5, text: sentence)
        try reason.run()
    }

    /// The first four columns of rows that begin with unix, run, monotonic_ms, strap.
    func bind(_ statement: borrowing Statement, _ stamp: Stamp, _ strap: Int64) {
        statement.bind(1, stamp.wall.seconds)
        statement.bind(2, run)
        bind(statement, 3, doubtfulOnly: stamp)
        statement.bind(4, strap)
    }

    /// Monotonic time where wall time is not to be believed, otherwise NULL.
    func bind(_ statement: borrowing Statement, _ index: Int32, doubtfulOnly stamp: Stamp) {
        statement.bind(index, stamp.trusted ? nil : stamp.monotonic.milliseconds)
    }
}
