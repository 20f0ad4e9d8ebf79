// Owns getting from a path to a ring that can be written, whatever lies there. A file that is not ours, or is broken, is
// moved aside under a new name and a fresh one begins; nothing is ever overwritten. A new file gets its name only when it
// is complete, so an empty file at that name is never a start that was cut short.
import CSQLite
import Ports
import Wire

/// A ring just opened.
struct Opening {
    let database: Database
    /// Why a file was moved aside, in one sentence; nil when the one that lay there was ours and whole.
    let replaced: String?

    /// Milliseconds that another program's transaction is waited for.
    static var busyTime_ms: Int32 { 2000 }

    /// Milliseconds that the check of all pages may take at start.
    static var checkTime_ms: Int64 { 10_000 }

    /// Opens the ring at `path` or begins one. With `broken`, what lies there is known to be beyond use.
    static func open(_ path: String, on files: any Disk, share: Share, clock: any Clock, broken: Bool) throws(SQLError) -> Opening {
        let directory = Files.directory(of: path)
        guard files.isDirectory(directory) else {
            throw SQLError(code: SQLITE_CANTOPEN, text: "the directory \(directory) does not exist")
        }
        guard !files.isDirectory(path) else { throw SQLError(code: SQLITE_CANTOPEN, text: "\(path) is a directory") }
        guard files.canWrite(in: directory) else { throw SQLError(code: SQLITE_READONLY, text: "\(directory) cannot be written") }

        guard files.size(path) == nil || files.canReadAndWrite(path) else {
            throw SQLError(code: SQLITE_READONLY, text: "\(path) cannot be written")
        }

        var replaced: String?
        if let fault = broken ? Fault.broken("its pages contradict each other") : try fault(of: path, on: files, clock: clock) {
            replaced = try moveAside(path, on: files, fault, clock.wall)
        }
        if files.size(path) == nil {
            // A WAL without its database would be read into the new one.
            if files.size(path + "-wal") != nil { replaced = try moveAside(path, on: files, .broken("only its WAL was there"), clock.wall) }
            try create(path, on: files)
        }
        let database = try Database(path: path, .existing, fileLayer: files.fileLayer)
        try configure(database)
        try Migration.run(database)
        let pages = try share.pages(beside: bytesAside(path, on: files), each: database.integer("PRAGMA page_size") ?? Share.pageSize)
        try database.run("PRAGMA max_page_count=\(pages)")
        // What a failed sync may have left in the WAL only by hearsay goes into the database and is synced there.
        sqlite3_wal_checkpoint_v2(database.raw, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        return Opening(database: database, replaced: replaced)
    }

    /// What every connection that writes is told.
    private static func configure(_ database: Database) throws(SQLError) {
        try database.run("""
            PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-128; PRAGMA temp_store=MEMORY;
            PRAGMA mmap_size=0; PRAGMA wal_autocheckpoint=0; PRAGMA secure_delete=OFF; PRAGMA trusted_schema=OFF;
            PRAGMA cell_size_check=ON; PRAGMA busy_timeout=\(busyTime_ms)
            """)
        guard try database.text("PRAGMA journal_mode") == "wal", try database.integer("PRAGMA synchronous") == 2 else {
            throw SQLError(code: SQLITE_ERROR, text: "the file system does not allow WAL with full syncing")
        }
    }

    /// A whole, empty ring under its name.
    private static func create(_ path: String, on files: any Disk) throws(SQLError) {
        let new = path + ".new"
        for name in [new, new + "-journal", new + "-wal", new + "-shm"] { files.remove(name) }
        do {
            let database = try Database(path: new, .creating, fileLayer: files.fileLayer)
            try database.run("""
                PRAGMA page_size=\(Share.pageSize); PRAGMA auto_vacuum=NONE; PRAGMA synchronous=FULL; PRAGMA temp_store=MEMORY;
                BEGIN; \(Schema.sql)
                PRAGMA application_id=\(Schema.application); PRAGMA user_version=\(Schema.version); COMMIT;
                PRAGMA journal_mode=WAL
                """)
        }
        let failure = files.move(new, to: path)
        guard failure == 0 else { throw SQLError(code: SQLITE_CANTOPEN, text: "\(new) cannot be renamed (errno \(failure))") }
        files.sync(directory: Files.directory(of: path))
    }

    // MARK: What cannot be used

    private enum Fault {
        case foreign(String)
        case broken(String)
    }

    /// What is wrong with the file at `path`; nil when it is ours or there is none. Throws where trouble of the card, not
    /// of the file, keeps it from being read.
    private static func fault(of path: String, on files: any Disk, clock: any Clock) throws(SQLError) -> Fault? {
        guard let size = files.size(path) else { return nil }
        guard size > 0 else { return .broken("it was empty") }
        do throws(SQLError) {
            let database = try Database(path: path, .existing, fileLayer: files.fileLayer)
            guard try database.integer("PRAGMA application_id") == Schema.application else { return .foreign("it is not a ring of this bridge") }
            let version = try database.integer("PRAGMA user_version") ?? 0
            guard version <= Schema.version else { return .foreign("a newer version wrote it (schema \(version))") }
            guard version > 0 else { return .broken("it has no schema") }
            return try damage(database, clock: clock).map { .broken($0) }
        } catch {
            guard error.isCorruption else { throw error }
            return error.primary == SQLITE_NOTADB ? .foreign("it is no database") : .broken(error.text)
        }
    }

    /// What a check of all pages finds; nil when nothing, or when time ran out before anything was found.
    private static func damage(_ database: Database, clock: any Clock) throws(SQLError) -> String? {
        let deadline = Deadline(database, milliseconds: checkTime_ms, clock: clock)
        defer { withExtendedLifetime(deadline) {} }
        do throws(SQLError) {
            let found = try database.text("PRAGMA quick_check(1)")
            return found == "ok" ? nil : found ?? "it could not be checked"
        } catch {
            guard error.primary == SQLITE_INTERRUPT else { throw error }
            return nil
        }
    }

    /// Gives the file and what belongs to it other names. The WAL goes first: left behind, it would be read into the next file.
    private static func moveAside(_ path: String, on files: any Disk, _ fault: Fault, _ wall: WallTime) throws(SQLError) -> String {
        let (word, why) = switch fault {
        case .foreign(let why): ("foreign", why)
        case .broken(let why): ("broken", why)
        }
        var second = wall.seconds
        while files.size("\(path).\(word)-\(second)") != nil || files.size("\(path).\(word)-\(second)-wal") != nil { second += 1 }
        let aside = "\(path).\(word)-\(second)"
        for suffix in ["-wal", ""] where files.size(path + suffix) != nil {
            let failure = files.move(path + suffix, to: aside + suffix)
            guard failure == 0 else {
                throw SQLError(code: failure == EROFS || failure == EACCES ? SQLITE_READONLY : SQLITE_CANTOPEN,
                               text: "\(path) cannot be moved aside (errno \(failure))")
            }
        }
        files.remove(path + "-shm")
        return "\(Files.name(of: path)) could not be used: \(why). It was moved to \(Files.name(of: aside)) and a new one was begun."
    }

    /// Bytes of the copies moved aside. Of those that were ours and broke, only the newest stays.
    private static func bytesAside(_ path: String, on files: any Disk) -> Int64 {
        let directory = Files.directory(of: path)
        let broken = files.names(in: directory, beginning: Files.name(of: path) + ".broken-")
        var newest = ""
        for name in broken where isLater(stem(name), newest) { newest = stem(name) }
        var bytes: Int64 = 0
        for name in broken {
            if stem(name) == newest {
                bytes += files.size(directory + "/" + name) ?? 0
            } else {
                files.remove(directory + "/" + name)
            }
        }
        for name in files.names(in: directory, beginning: Files.name(of: path) + ".foreign-") {
            bytes += files.size(directory + "/" + name) ?? 0
        }
        return bytes
    }

    /// The name of a copy without the ending of its WAL.
    private static func stem(_ name: String) -> String {
        let bytes = Array(name.utf8)
        return bytes.reversed().starts(with: "-wal".utf8.reversed()) ? String(decoding: bytes.dropLast(4), as: UTF8.self) : name
    }

    /// Whether the number at the end of one name is the greater.
    private static func isLater(_ a: String, _ b: String) -> Bool {
        a.utf8.count == b.utf8.count ? b.utf8.lexicographicallyPrecedes(a.utf8) : a.utf8.count > b.utf8.count
    }
}
