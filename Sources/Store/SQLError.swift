// Owns how SQLite's refusals look in Swift, and what each means for the bridge.
import CSQLite
import Ports

/// A call that SQLite refused.
public struct SQLError: Error, Equatable, Sendable {
    /// SQLite's extended result code.
    public var code: Int32
    /// SQLite's own words.
    public var text: String

    public init(code: Int32, text: String) {
        self.code = code
        self.text = text
    }

    /// The primary result code (the low byte of the extended one).
    public var primary: Int32 { code & 0xff }

    /// The file is no database, or its pages contradict each other. Reading on would give wrong answers.
    public var isCorruption: Bool { primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB }

    /// Whether the connection is as good as before: the card was full, another program wrote, or syncing failed. After a
    /// failed sync it is even needed: the pages lie in the WAL, and only this connection knows that they were undone and
    /// overwrites them; a new one would take them for committed.
    var leavesConnection: Bool {
        primary == SQLITE_FULL || primary == SQLITE_BUSY || code == SQLITE_IOERR | 4 << 8  // SQLITE_IOERR_FSYNC
    }

    /// What the bridge is told.
    public var trouble: StoreTrouble {
        switch primary {
        case SQLITE_FULL: .full
        case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH: .readOnly
        default: .failed(code)
        }
    }
}
