// Owns reading the ring beside the bridge that writes it: read-only, and never longer than a deadline, because a reader
// keeps the write-ahead log from being emptied. Results of queries of one's own are text, row by row, never gathered.
import CSQLite
import Ports
import Wire

/// What the ring holds, in numbers.
public struct Counts: Equatable, Sendable {
    public var records: Int64 = 0
    /// Seconds covered by any lane.
    public var seconds: Int64 = 0
    public var beats: Int64 = 0
    public var liveRows: Int64 = 0
    public var events: Int64 = 0
    public var moments: Int64 = 0
    public var gaps: Int64 = 0
    public var bursts: Int64 = 0
    /// Frames that could not be read.
    public var undecoded: Int64 = 0
    public init() {}
}

/// One moment as the ring has it.
public struct Moment: Equatable, Sendable {
    public var at: WallTime
    /// Whether the board's clock was to be believed then.
    public var trusted: Bool
    /// button, strap tap, command
    public var source: String
    public var note: String
}

/// A row of a query: text, nil where the value is NULL. Valid during the call only.
public struct Row: ~Copyable {
    let statement: Reading
    public var columns: Int { Int(statement.columns) }
    public func name(_ column: Int) -> String { column >= 0 && column < columns ? statement.name(Int32(column)) : "" }
    public subscript(column: Int) -> String? {
        column >= 0 && column < columns ? statement.text(Int32(column)) : nil
    }
}

/// A statement that rows refer to while it is read.
final class Reading {
    private let statement: Statement

    init(_ database: Database, _ sql: String) throws(SQLError) {
        statement = try Statement(database, sql, keep: false)
    }

    var columns: Int32 { statement.columns }
    var isReadOnly: Bool { statement.isReadOnly }
    func name(_ column: Int32) -> String { statement.name(column) }
    func text(_ column: Int32) -> String? { statement.text(column) }
    func step() throws(SQLError) -> Bool { try statement.step() }
}

/// A connection for reading.
public final class RingReader {
    /// Milliseconds that one call may take where nothing else is said.
    public static var usualTime_ms: Int64 { 5_000 }

    let database: Database
    private let clock: any Clock
    /// Milliseconds that one call may take; then it throws SQLITE_INTERRUPT.
    public var time_ms: Int64

    /// Opens the ring at `path`. Throws SQLITE_CANTOPEN when there is none, SQLITE_NOTADB when it is no ring of this version.
    public init(path: String, clock: any Clock, time_ms: Int64 = RingReader.usualTime_ms) throws(SQLError) {
        guard Files().size(path) != nil else { throw SQLError(code: SQLITE_CANTOPEN, text: "there is no ring at \(path)") }
        self.clock = clock
        self.time_ms = time_ms
        database = try RingReader.open(path)
    }

    private static func open(_ path: String) throws(SQLError) -> Database {
        do throws(SQLError) {
            return try checked(Database(path: path, .reading))
        } catch {
            // No bridge runs and the directory cannot be written: there is no WAL to miss.
            guard error.primary == SQLITE_CANTOPEN, (Files().size(path + "-wal") ?? 0) == 0 else { throw error }
            return try checked(Database(path: path, .immutable))
        }
    }

    private static func checked(_ database: Database) throws(SQLError) -> Database {
        sqlite3_busy_timeout(database.raw, 1000)
        // One's own SQL may read this file and nothing else.
        sqlite3_limit(database.raw, SQLITE_LIMIT_ATTACHED, 0)
        try database.run("PRAGMA query_only=1; PRAGMA trusted_schema=OFF; PRAGMA cache_size=-512; PRAGMA mmap_size=0")
        guard try database.integer("PRAGMA application_id") == Schema.application else {
            throw SQLError(code: SQLITE_NOTADB, text: "the file is not a ring of this bridge")
        }
        guard try database.integer("PRAGMA user_version") == Schema.version else {
            throw SQLError(code: SQLITE_NOTADB, text: "the ring was written by another version of this program")
        }
        return database
    }

    /// How much there is of everything.
    public func counts() throws(SQLError) -> Counts {
        var counts = Counts()
        let deadline = Deadline(database, milliseconds: time_ms, clock: clock)
        defer { withExtendedLifetime(deadline) {} }
        counts.records = try database.integer("SELECT count(*) FROM record") ?? 0
        counts.seconds = try database.integer("SELECT count(*) FROM second") ?? 0
        counts.beats = try database.integer("SELECT count(*) FROM rr") ?? 0
        counts.liveRows = try database.integer("SELECT count(*) FROM live") ?? 0
        counts.events = try database.integer("SELECT count(*) FROM event") ?? 0
        counts.moments = try database.integer("SELECT count(*) FROM moment") ?? 0
        counts.gaps = try database.integer("SELECT count(*) FROM gap") ?? 0
        counts.bursts = try database.integer("SELECT count(*) FROM burst") ?? 0
        counts.undecoded = try database.integer("SELECT count(*) FROM undecoded") ?? 0
        return counts
    }

    /// The time of the newest record of history whose time is not doubted; nil without one.
    public func newestRecord() throws(SQLError) -> WallTime? {
        let deadline = Deadline(database, milliseconds: time_ms, clock: clock)
        defer { withExtendedLifetime(deadline) {} }
        return try database.integer("SELECT unix FROM record WHERE time_doubt = 0 ORDER BY unix DESC LIMIT 1").map { WallTime(seconds: $0) }
    }

    /// The last moments, newest first, at most `count`.
    public func lastMoments(_ count: Int) throws(SQLError) -> [Moment] {
        let deadline = Deadline(database, milliseconds: time_ms, clock: clock)
        defer { withExtendedLifetime(deadline) {} }
        let statement = try Statement(database, "SELECT unix, millisecond, clock_trusted, source, note FROM moment ORDER BY id DESC LIMIT ?", keep: false)
        statement.bind(1, Int64(count))
        var moments: [Moment] = []
        while try statement.step() {
            moments.append(Moment(at: WallTime(milliseconds: statement.integer(0) * 1000 + statement.integer(1)),
                                  trusted: statement.integer(2) != 0, source: statement.text(3) ?? "", note: statement.text(4) ?? ""))
        }
        return moments
    }

    /// Runs one statement that only reads and hands over its rows, until `body` answers false. Rows are counted.
    @discardableResult
    public func query(_ sql: String, _ body: (borrowing Row) -> Bool) throws(SQLError) -> Int {
        let deadline = Deadline(database, milliseconds: time_ms, clock: clock)
        defer { withExtendedLifetime(deadline) {} }
        let reading = try Reading(database, sql)
        guard reading.isReadOnly else { throw SQLError(code: SQLITE_READONLY, text: "only statements that read are run") }
        var rows = 0
        while try reading.step() {
            rows += 1
            guard body(Row(statement: reading)) else { break }
        }
        return rows
    }
}
