// Owns how the byte bound is divided. Database, WAL, WAL index and copies moved aside together never exceed `limit`:
// the database by SQLite's own `max_page_count`, the WAL because no transaction begins that could outgrow its share.

/// The parts of a byte bound.
package struct Share {
    /// Bytes. Small, because a burst of fifty seconds touches about fifteen pages whatever their size: measured on the real
    /// night, pages of 4096, 2048 and 1024 bytes take 33, 21 and 15 KB in the WAL for each.
    static var pageSize: Int64 { 1024 }
    /// A page in the WAL and its header.
    static var frameSize: Int64 { pageSize + 24 }

    /// All of it, bytes.
    package let limit: Int64
    /// The WAL file at its longest, bytes.
    let wal: Int64
    /// Pages in the WAL at which they are copied into the database.
    let checkpointPages: Int32
    /// The WAL's index, bytes: 32 KiB for each 4,096 pages.
    let index: Int64

    /// `limit` in bytes.
    package init(limit: Int64) {
        self.limit = limit
        wal = min(16 << 20, max(512 << 10, limit / 8))
        checkpointPages = Int32(min(1024, wal / 4 / Share.frameSize))
        index = (wal / (Share.frameSize * 4096) + 2) * (32 << 10)
    }

    /// Pages that the database may have beside copies of so many bytes. A quarter of the bound is the least. A ring that was
    /// taken over keeps its larger pages.
    func pages(beside copies: Int64, each size: Int64 = Share.pageSize) -> Int64 {
        max(limit / 4, limit - wal - index - copies) / max(size, Share.pageSize)
    }

    /// Pages kept free for the upper pages of every table and what comes along with a burst.
    static var roomPages: Int64 { 96 }

    /// WAL bytes that a transaction can take, generously: what is written twice over, and the upper pages of every table.
    static func estimate(writing bytes: Int) -> Int64 {
        Int64(bytes) * 2 + 64 * frameSize
    }
}
