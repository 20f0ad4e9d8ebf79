// Owns what the file holds, to the column. Readable with plain `sqlite3`: units are in the names, times are integer
// seconds since 1970 UTC. The strap's own time is never altered; a correction goes into a second column beside it.
// A change here is a new `version` and a step in `Opening.migrate`.

enum Schema {
    /// `application_id` in the file's header: "NsRg", Nightstand ring.
    static var application: Int64 { 0x4e73_5267 }

    /// `user_version` in the file's header.
    static var version: Int64 { 2 }

    /// Everything a new file begins with.
    static var sql: String {
        tables + views
    }

    private static var tables: String {
        """
        CREATE TABLE strap(
          id INTEGER PRIMARY KEY,
          address TEXT NOT NULL,           -- F0:F1:F2:F3:F4:F5
          address_type TEXT NOT NULL,      -- public, random
          generation INTEGER NOT NULL,     -- 4, 5
          serial TEXT, firmware TEXT, name TEXT,
          first_seen_unix INTEGER NOT NULL,
          UNIQUE(address, address_type));

        -- One row per start of the bridge. Rows of the run that were stamped while wall time was not to be believed
        -- keep monotonic_ms; their time is then monotonic_ms + wall_minus_monotonic_ms.
        CREATE TABLE run(
          id INTEGER PRIMARY KEY,
          unix INTEGER NOT NULL,
          monotonic_ms INTEGER NOT NULL,
          clock_trusted INTEGER NOT NULL,
          wall_minus_monotonic_ms INTEGER);

        -- History as the strap recorded it. Two records can share a second.
        CREATE TABLE record(
          unix INTEGER NOT NULL,           -- as the strap said it
          strap INTEGER NOT NULL,
          counter INTEGER NOT NULL,
          version INTEGER NOT NULL,
          fraction INTEGER NOT NULL,       -- 1/32768 s
          time_doubt INTEGER NOT NULL,     -- 0 none, 1 before 2023-11, 2 more than a day ahead
          corrected_unix INTEGER, correction INTEGER,
          heart_rate_bpm INTEGER,
          rr_ms TEXT,                      -- in order of arrival: 812,790
          motion_mg INTEGER,               -- largest change of acceleration within the second
          gravity_x_mg INTEGER, gravity_y_mg INTEGER, gravity_z_mg INTEGER,
          skin_temperature_centi_c INTEGER,
          steps INTEGER,                   -- cumulative, modulo 65536
          cadence INTEGER,
          activity INTEGER,                -- 1 walk, 2 run
          sleep_state INTEGER,             -- 0 wake, 1 still, 2 asleep, 3 up
          state_flags INTEGER,             -- bits 0-3 of the sleep byte
          spo2_percent INTEGER,
          quality INTEGER,                 -- 255 clean
          channel_0 INTEGER, channel_1 INTEGER, channel_2 INTEGER,
          -- Values whose meaning was worked out from the data of few straps: 1 skin temperature, 2 sleep state, 4 blood
          -- oxygen, 8 steps. NULL: a row from before this was kept; then all four of versions 12 and 24.
          derived INTEGER,
          PRIMARY KEY(unix, strap, counter, version)) WITHOUT ROWID;

        -- What was seen as it happened. Lane 2: the strap's realtime frames, on the strap's clock. Lane 3: the standard
        -- heart rate characteristic, on ours.
        CREATE TABLE live(
          unix INTEGER NOT NULL,
          strap INTEGER NOT NULL,
          lane INTEGER NOT NULL,
          fraction INTEGER NOT NULL,       -- 1/32768 s
          time_doubt INTEGER NOT NULL,
          run INTEGER NOT NULL,
          monotonic_ms INTEGER,            -- only where wall time was not to be believed
          heart_rate_bpm INTEGER,
          rr_ms TEXT,
          worn INTEGER,                    -- 1 worn, 0 not
          PRIMARY KEY(unix, strap, lane, fraction)) WITHOUT ROWID;

        CREATE TABLE event(
          unix INTEGER NOT NULL,
          strap INTEGER NOT NULL,
          kind INTEGER NOT NULL,           -- packet type: 48 strap, 54 battery pack
          number INTEGER NOT NULL,
          fraction INTEGER NOT NULL,
          body BLOB NOT NULL,
          time_doubt INTEGER NOT NULL,
          corrected_unix INTEGER, correction INTEGER,
          lane INTEGER NOT NULL,           -- where it was seen first: 1 history, 2 live
          PRIMARY KEY(unix, strap, kind, number, fraction, body)) WITHOUT ROWID;

        CREATE TABLE battery(
          unix INTEGER NOT NULL,
          strap INTEGER NOT NULL,
          source TEXT NOT NULL,            -- answer, event
          tenths_percent INTEGER NOT NULL,
          millivolts INTEGER,
          run INTEGER, monotonic_ms INTEGER,
          PRIMARY KEY(unix, strap, source)) WITHOUT ROWID;

        -- One row per burst that was committed, and so may have been acknowledged.
        CREATE TABLE burst(
          id INTEGER PRIMARY KEY,
          strap INTEGER NOT NULL,
          token_page INTEGER NOT NULL, token_wraps INTEGER NOT NULL,
          digest INTEGER NOT NULL,         -- over the checksums of its records: the same burst served again has the same
          announced INTEGER NOT NULL, received INTEGER NOT NULL,
          records INTEGER NOT NULL,        -- record frames in it
          first_unix INTEGER, last_unix INTEGER,
          committed_unix INTEGER NOT NULL, run INTEGER NOT NULL, monotonic_ms INTEGER,
          repeats INTEGER NOT NULL DEFAULT 0,
          frames BLOB);                    -- as received, one after the other, END last; NULL once evicted

        -- Frames that this version could not read, for a later one.
        CREATE TABLE undecoded(
          id INTEGER PRIMARY KEY,
          strap INTEGER NOT NULL,
          kind INTEGER NOT NULL,           -- packet type
          version INTEGER,                 -- record version
          unix INTEGER, counter INTEGER,
          check_crc32 INTEGER NOT NULL,
          reason TEXT NOT NULL,
          frame BLOB NOT NULL);
        CREATE UNIQUE INDEX undecoded_once ON undecoded(check_crc32, strap, kind, unix, counter);

        CREATE TABLE moment(
          id INTEGER PRIMARY KEY,
          unix INTEGER NOT NULL, millisecond INTEGER NOT NULL,
          clock_trusted INTEGER NOT NULL, run INTEGER NOT NULL, monotonic_ms INTEGER NOT NULL,
          strap INTEGER NOT NULL,
          source TEXT NOT NULL,            -- button, strap tap, command
          note TEXT);

        CREATE TABLE gap(
          id INTEGER PRIMARY KEY,
          strap INTEGER NOT NULL,
          from_unix INTEGER NOT NULL, to_unix INTEGER NOT NULL,
          noted_unix INTEGER NOT NULL, run INTEGER NOT NULL,
          cause TEXT NOT NULL);

        CREATE TABLE epitaph(
          id INTEGER PRIMARY KEY,
          unix INTEGER NOT NULL, run INTEGER NOT NULL, monotonic_ms INTEGER,
          strap INTEGER NOT NULL,
          uptime_ms INTEGER NOT NULL,
          frames INTEGER NOT NULL, damaged INTEGER NOT NULL,
          signal_1_dbm INTEGER, signal_2_dbm INTEGER, signal_3_dbm INTEGER,  -- newest first
          cause TEXT NOT NULL);

        CREATE TABLE reason(
          id INTEGER PRIMARY KEY,
          unix INTEGER NOT NULL, run INTEGER NOT NULL, monotonic_ms INTEGER,
          strap INTEGER NOT NULL,
          sentence TEXT NOT NULL);

        CREATE TABLE bond(
          id INTEGER PRIMARY KEY,
          unix INTEGER NOT NULL, run INTEGER NOT NULL, monotonic_ms INTEGER,
          strap INTEGER NOT NULL,
          made INTEGER NOT NULL);          -- 1 paired, 0 forgotten

        -- Both clocks at one instant, before the strap's was set.
        CREATE TABLE clock_pair(
          id INTEGER PRIMARY KEY,
          strap INTEGER NOT NULL,
          strap_unix INTEGER NOT NULL, strap_fraction INTEGER NOT NULL,
          wall_ms INTEGER NOT NULL, clock_trusted INTEGER NOT NULL,
          run INTEGER NOT NULL, monotonic_ms INTEGER NOT NULL,
          round_trip_ms INTEGER NOT NULL);

        CREATE TABLE correction(
          id INTEGER PRIMARY KEY,
          strap INTEGER NOT NULL,
          clock_pair INTEGER NOT NULL,
          offset_s INTEGER NOT NULL);

        """
    }

    /// A record covers its second when it carries heart rate or gravity; a bare pulse packet does not.
    static var views: String {
        """
        -- One row per second. History wins over realtime frames, those over the standard characteristic. Of two
        -- records in a second the earlier complete one is shown; `record` has both.
        CREATE VIEW second(unix, strap, lane, heart_rate_bpm, rr_ms, motion_mg, gravity_x_mg, gravity_y_mg,
            gravity_z_mg, skin_temperature_c, skin_temperature_derived, steps, steps_derived, activity, sleep_state,
            sleep_state_derived, spo2_percent, spo2_derived, quality, worn, time_doubt) AS
          SELECT unix, strap, 'history', heart_rate_bpm, rr_ms, motion_mg, gravity_x_mg, gravity_y_mg, gravity_z_mg,
            skin_temperature_centi_c / 100.0, CASE WHEN skin_temperature_centi_c IS NOT NULL THEN d & 1 END,
            steps, CASE WHEN steps IS NOT NULL THEN d >> 3 & 1 END, activity,
            sleep_state, CASE WHEN sleep_state IS NOT NULL THEN d >> 1 & 1 END,
            spo2_percent, CASE WHEN spo2_percent IS NOT NULL THEN d >> 2 & 1 END, quality, NULL, time_doubt
          FROM (SELECT *, coalesce(derived, (version = 12 OR version = 24) * 15) AS d, min((gravity_x_mg IS NULL) * 8589934592 + (heart_rate_bpm IS NULL) * 4294967296 + counter)
                FROM record WHERE heart_rate_bpm IS NOT NULL OR gravity_x_mg IS NOT NULL GROUP BY unix, strap)
          UNION ALL
          SELECT unix, strap, CASE lane WHEN 2 THEN 'realtime' ELSE 'standard' END, heart_rate_bpm, rr_ms,
            NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, worn, time_doubt
          FROM (SELECT *, min(lane * 2 + (heart_rate_bpm IS NULL)) FROM live GROUP BY unix, strap) AS l
          WHERE NOT EXISTS (SELECT 1 FROM record AS r WHERE r.unix = l.unix AND r.strap = l.strap
            AND (r.heart_rate_bpm IS NOT NULL OR r.gravity_x_mg IS NOT NULL));

        -- Frames as received, for as long as they are kept.
        CREATE VIEW raw(burst, strap, frames) AS SELECT id, strap, frames FROM burst WHERE frames IS NOT NULL;

        -- One row per beat. The clocks of two lanes differ by up to a second, so a beat counts only where the better
        -- lane has nothing within one second: the sum of beats cannot exceed the span they cover.
        CREATE VIEW rr(unix, strap, lane, counter, ordinal, ms) AS
          SELECT r.unix, r.strap, 'history', r.counter, CAST(j.key AS INTEGER), j.value
          FROM record AS r, json_each('[' || r.rr_ms || ']') AS j
          UNION ALL
          SELECT l.unix, l.strap, CASE l.lane WHEN 2 THEN 'realtime' ELSE 'standard' END, l.fraction,
            CAST(j.key AS INTEGER), j.value
          FROM live AS l, json_each('[' || l.rr_ms || ']') AS j
          WHERE NOT EXISTS (SELECT 1 FROM record AS r WHERE r.unix BETWEEN l.unix - 1 AND l.unix + 1
              AND r.strap = l.strap AND (r.heart_rate_bpm IS NOT NULL OR r.gravity_x_mg IS NOT NULL))
            AND (l.lane = 2 OR NOT EXISTS (SELECT 1 FROM live AS b WHERE b.unix BETWEEN l.unix - 1 AND l.unix + 1
              AND b.strap = l.strap AND b.lane = 2));
        """
    }
}
