// Owns one prepared statement. Made once, stepped for years: binding and stepping allocate nothing on our side.
// Bytes are bound where they lie and must stay there until `step` has returned false or `reset` was called.
import CSQLite
import Wire

/// A prepared statement. Parameters count from 1, columns from 0, as in SQLite.
struct Statement: ~Copyable {
    private let raw: OpaquePointer
    private let database: Database

    /// `keep`: the statement will be used again and again.
    init(_ database: Database, _ sql: String, keep: Bool = true) throws(SQLError) {
        var handle: OpaquePointer?
        let code = sqlite3_prepare_v3(database.raw, sql, -1, keep ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0, &handle, nil)
        guard code == SQLITE_OK else { throw database.error }
        guard let handle else { throw SQLError(code: SQLITE_MISUSE, text: "empty statement") }
        raw = handle
        self.database = database
    }

    deinit { sqlite3_finalize(raw) }

    /// Takes one row; false when there are no more, after which the statement can be bound anew.
    func step() throws(SQLError) -> Bool {
        switch sqlite3_step(raw) {
        case SQLITE_ROW: return true
        case SQLITE_DONE:
            sqlite3_reset(raw)
            return false
        default:
            let error = database.error
            sqlite3_reset(raw)
            throw error
        }
    }

    /// Runs the statement to its end and forgets what was bound.
    func run() throws(SQLError) {
        defer { reset() }
        while try step() {}
    }

    /// Ends a reading before its last row and forgets what was bound.
    func reset() {
        sqlite3_reset(raw)
        sqlite3_clear_bindings(raw)
    }

    func bind(_ index: Int32, _ value: Int64) { sqlite3_bind_int64(raw, index, value) }
    func bind(_ index: Int32, _ value: some BinaryInteger) { sqlite3_bind_int64(raw, index, Int64(truncatingIfNeeded: value)) }
    func bindNull(_ index: Int32) { sqlite3_bind_null(raw, index) }

    func bind(_ index: Int32, _ value: (some BinaryInteger)?) {
        if let value { bind(index, value) } else { bindNull(index) }
    }

    /// Bytes as a blob, not copied. No bytes are an empty blob, not NULL.
    func bind(_ index: Int32, blob bytes: RawSpan) {
        bytes.withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress, buffer.count > 0 else {
                sqlite3_bind_zeroblob(raw, index, 0)
                return
            }
            sqlite3_bind_blob(raw, index, base, Int32(clamping: buffer.count), nil)
        }
    }

    /// UTF-8 as text, not copied. No bytes are NULL.
    func bind(_ index: Int32, text bytes: RawSpan) {
        bytes.withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress, buffer.count > 0 else {
                sqlite3_bind_null(raw, index)
                return
            }
            sqlite3_bind_text(raw, index, base.assumingMemoryBound(to: CChar.self), Int32(clamping: buffer.count), nil)
        }
    }

    /// Text of ours, copied.
    func bind(_ index: Int32, text: String) {
        sqlite3_bind_text(raw, index, text, -1, nightstand_sqlite_transient())
    }

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(raw, column) }
    func isText(_ column: Int32) -> Bool { sqlite3_column_type(raw, column) == SQLITE_TEXT }
    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(raw, column) == SQLITE_NULL }

    /// The column as text; nil for NULL.
    func text(_ column: Int32) -> String? {
        guard let characters = sqlite3_column_text(raw, column) else { return nil }
        return String(cString: characters)
    }

    var columns: Int32 { sqlite3_column_count(raw) }
    func name(_ column: Int32) -> String { String(cString: sqlite3_column_name(raw, column)) }
    /// Whether running it leaves the file as it is.
    var isReadOnly: Bool { sqlite3_stmt_readonly(raw) != 0 }
}
