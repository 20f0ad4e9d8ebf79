// Owns one connection to one SQLite file. Never shared between threads: it is opened without SQLite's mutexes, and
// whoever holds it calls it from one thread at a time. Closing waits for no statement (`sqlite3_close_v2`).
import CSQLite
import Wire

/// A connection.
public final class Database {
    let raw: OpaquePointer

    public enum Access {
        /// Reads and writes a file that exists.
        case existing
        /// Creates the file where there is none.
        case creating
        /// Reads only.
        case reading
        /// Reads only a file that nobody writes, without its WAL: for a directory that cannot be written.
        case immutable
    }

    /// `fileLayer`: the name of SQLite's VFS; nil: the usual one.
    public init(path: String, _ access: Access, fileLayer: String? = nil) throws(SQLError) {
        let mode = switch access {
        case .existing: SQLITE_OPEN_READWRITE
        case .creating: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        case .reading: SQLITE_OPEN_READONLY
        case .immutable: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
        }
        let name = access == .immutable ? "file:\(percentEncoded(path))?immutable=1" : path
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(name, &handle, mode | SQLITE_OPEN_NOMUTEX, fileLayer)
        guard let handle else { throw SQLError(code: SQLITE_NOMEM, text: "out of memory") }
        guard code == SQLITE_OK else {
            let error = SQLError(code: sqlite3_extended_errcode(handle), text: String(cString: sqlite3_errmsg(handle)))
            sqlite3_close_v2(handle)
            throw error
        }
        raw = handle
        sqlite3_extended_result_codes(raw, 1)
    }

    deinit { sqlite3_close_v2(raw) }

    /// The refusal of the call just made.
    var error: SQLError {
        SQLError(code: sqlite3_extended_errcode(raw), text: String(cString: sqlite3_errmsg(raw)))
    }

    /// Runs SQL that gives no rows of interest; several statements may follow each other.
    public func run(_ sql: String) throws(SQLError) {
        guard sqlite3_exec(raw, sql, nil, nil, nil) == SQLITE_OK else { throw error }
    }

    /// The integer in the first column of the first row; nil without a row.
    public func integer(_ sql: String) throws(SQLError) -> Int64? {
        let statement = try Statement(self, sql, keep: false)
        return try statement.step() ? statement.integer(0) : nil
    }

    /// The text in the first column of the first row; nil without a row.
    public func text(_ sql: String) throws(SQLError) -> String? {
        let statement = try Statement(self, sql, keep: false)
        return try statement.step() ? statement.text(0) : nil
    }

    /// Whether a transaction is open.
    var inTransaction: Bool { sqlite3_get_autocommit(raw) == 0 }

    /// Rows that the last statement changed.
    var changes: Int { Int(sqlite3_changes(raw)) }

    /// The rowid of the last row inserted.
    var lastRow: Int64 { sqlite3_last_insert_rowid(raw) }

    /// Bytes of heap that SQLite holds, in all connections of the process.
    public static var memoryUsed: Int64 { sqlite3_memory_used() }
}

/// `path` as the path of a `file:` URI.
private func percentEncoded(_ path: String) -> String {
    var text = ""
    for byte in path.utf8 {
        switch byte {
        case 0x25, 0x3f, 0x23, 0x80...: text += "%" + hexPair(byte)
        default: text.unicodeScalars.append(Unicode.Scalar(byte))
        }
    }
    return text
}
