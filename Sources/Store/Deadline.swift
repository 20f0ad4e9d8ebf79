// Owns stopping SQLite when it has taken too long. The call that is running fails with SQLITE_INTERRUPT.
import CSQLite
import Ports
import Wire

/// A time after which a connection's running statement is interrupted. Lives as long as it is wanted: `deinit` lifts it.
final class Deadline {
    private let database: Database
    private let clock: any Clock
    private let end: Instant

    init(_ database: Database, milliseconds: Int64, clock: any Clock) {
        self.database = database
        self.clock = clock
        end = clock.now + milliseconds
        // Every 4,000 steps of SQLite's machine: well under a millisecond.
        sqlite3_progress_handler(database.raw, 4000, { context in
            guard let context else { return 0 }
            return Unmanaged<Deadline>.fromOpaque(context).takeUnretainedValue().isOver ? 1 : 0
        }, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit { sqlite3_progress_handler(database.raw, 0, nil, nil) }

    private var isOver: Bool { clock.now > end }
}
