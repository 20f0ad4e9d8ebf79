// Owns keeping the byte bound: old rows go in small steps so that their pages can be used again, the WAL is emptied into
// the database before it outgrows its share. No vacuum: the file never shrinks, it is reused in place.
import CSQLite
import Ports
import Wire

extension Ring {
    /// Before a transaction of so many bytes: sees to it that the WAL and the database have room for it. Throws
    /// SQLITE_FULL when a reader of the file keeps the WAL from being emptied.
    func makeRoom(_ file: RingFile, for bytes: Int) throws(SQLError) {
        let need = Int64(bytes) * 2 / Share.pageSize + Share.roomPages
        if try file.pagesUsed() + need > file.pagesMost {
            // Some way below the edge, so that this is not needed for every burst.
            while try file.pagesUsed() + need > file.pagesMost - Share.roomPages {
                try makeRoomInWAL(file, for: 0)
                try file.beginTransaction()
                let found = try file.makeRoomStep(&rawCursor)
                try file.commitTransaction()
                checkpoint(file)
                if !found { break }
            }
        }
        try makeRoomInWAL(file, for: bytes)
    }

    private func makeRoomInWAL(_ file: RingFile, for bytes: Int) throws(SQLError) {
        let need = Share.estimate(writing: bytes)
        guard (files.size(path + "-wal") ?? 0) + need > share.wal else { return }
        // Readers are not waited for: they may take hours.
        sqlite3_busy_timeout(file.database.raw, 0)
        defer { sqlite3_busy_timeout(file.database.raw, Opening.busyTime_ms) }
        let code = sqlite3_wal_checkpoint_v2(file.database.raw, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        if code == SQLITE_OK, (files.size(path + "-wal") ?? 0) + need <= share.wal { return }
        let primary = code & 0xff
        guard primary == SQLITE_BUSY || primary == SQLITE_LOCKED || primary == SQLITE_OK else { throw file.database.error }
        throw SQLError(code: SQLITE_FULL, text: "another program has been reading \(Files.name(of: path)) for so long that its write-ahead log is full")
    }

    /// After a commit: copies the WAL into the database when enough has gathered, so that its next page is its first again.
    /// That it cannot now is no trouble: what was committed is safe in the WAL.
    func checkpoint(_ file: RingFile) {
        guard file.pagesInWAL >= share.checkpointPages else { return }
        sqlite3_wal_checkpoint_v2(file.database.raw, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    }
}
