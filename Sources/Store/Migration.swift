// Owns the way from older schemas to this one, forward only. Rows move in small transactions, so that the WAL keeps its
// share and a power cut costs one of them; `user_version` changes last, and until then the next start goes on where this
// one ended. Readers wait for it: they refuse another version.
import CSQLite

enum Migration {
    /// Rows that move together: about 150 KB in the WAL.
    static var rowsAtOnce: Int64 { 1000 }

    /// Brings a ring of any earlier schema to this one. Throws SQLITE_SCHEMA for a later one.
    static func run(_ database: Database) throws(SQLError) {
        switch try database.integer("PRAGMA user_version") {
        case 1, 2:
            do throws(SQLError) {
                try toSchema3(database)
            } catch {
                // A ring of ours has the table; one that has not is beyond use.
                guard error.primary == SQLITE_ERROR else { throw error }
                throw SQLError(code: SQLITE_CORRUPT, text: error.text)
            }
        default: break
        }
        guard try database.integer("PRAGMA user_version") == Schema.version else {
            throw SQLError(code: SQLITE_SCHEMA, text: "the ring's schema is of another version")
        }
    }

    /// 1 and 2 kept history in a wide table, which becomes a view over a narrow one. They differ in a column that the narrow
    /// one does not need.
    private static func toSchema3(_ database: Database) throws(SQLError) {
        func isThere(_ table: StaticString) throws(SQLError) -> Bool {
            try database.integer("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = '\(table)'") == 1
        }
        while true {
            // Whoever holds the file meanwhile may be doing the same.
            try database.run("BEGIN IMMEDIATE")
            guard try database.integer("PRAGMA user_version") != Schema.version else { return try database.run("COMMIT") }
            if try !isThere("history") {
                try database.run("DROP VIEW IF EXISTS second; DROP VIEW IF EXISTS rr; DROP VIEW IF EXISTS raw; \(Schema.history) \(Schema.packed)"
                    + "ALTER TABLE burst ADD COLUMN seconds_in INTEGER; ALTER TABLE burst ADD COLUMN raw_in INTEGER;")
            }
            if try database.integer("SELECT count(*) FROM (SELECT 1 FROM record LIMIT 1)") == 0 {
                return try database.run("DROP TABLE record; \(Schema.views) PRAGMA user_version=3; COMMIT")
            }
            try database.run("\(moveRows) COMMIT")
            sqlite3_wal_checkpoint_v2(database.raw, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        }
    }

    static var moveRows: String {
        """
        INSERT OR IGNORE INTO history
        SELECT unix, strap, counter, version, fraction,
          coalesce(heart_rate_bpm, 0) | ((coalesce(motion_mg, -1) + 1) << 8),
          (SELECT coalesce(sum(j.value << (12 * j.key)), 0) FROM json_each('[' || coalesce(rr_ms, '') || ']') AS j),
          ((gravity_x_mg + 32768) << 32) | ((gravity_y_mg + 32768) << 16) | (gravity_z_mg + 32768),
          skin_temperature_centi_c, steps,
          coalesce(sleep_state | (coalesce(state_flags, 0) << 2), 256) | (time_doubt << 6) | (coalesce(activity + 1, 0) << 9)
            | (coalesce(spo2_percent, 0) << 11) | (coalesce(cadence + 1, 0) << 18),
          CASE WHEN channel_1 IS NULL THEN channel_0 | (1 << 56)
            ELSE channel_0 | ((255 - quality) << 16) | (((channel_1 | 3073) - (channel_1 & 3073)) << 24)
              | (((channel_2 | 3074) - (channel_2 & 3074)) << 40) END
        FROM record ORDER BY unix, strap, counter, version LIMIT \(rowsAtOnce);
        DELETE FROM record WHERE (unix, strap, counter, version) IN
          (SELECT unix, strap, counter, version FROM record ORDER BY unix, strap, counter, version LIMIT \(rowsAtOnce));
        """
    }
}
