// Owns what the file holds, to the column. Readable with plain `sqlite3`: units are in the names, times are integer
// seconds since 1970 UTC. The strap's own time is never altered; a correction goes into a second column beside it.
// A change here is a new `version` and a step in `Opening.migrate`.

enum Schema {
    /// `application_id` in the file's header: "NsRg", Nightstand ring.
    static var application: Int64 { 0x4e73_5267 }

    /// `user_version` in the file's header.
    static var version: Int64 { 3 }

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

        \(history)
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
          frames BLOB,                     -- as received, one after the other, END last; NULL once evicted
          seconds_in INTEGER, raw_in INTEGER);  -- rows of history, and bytes of frames, ever taken in up to here

        \(packed)

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

    /// The seconds tier. Few columns, because each costs a byte in every row beside its value; the view `record` gives each
    /// value its own name again.
    static var history: String {
        """
        -- History as the strap recorded it, for `record` to show. Two records can share a second.
        CREATE TABLE history(
          unix INTEGER NOT NULL,           -- as the strap said it
          strap INTEGER NOT NULL,
          counter INTEGER NOT NULL,
          version INTEGER NOT NULL,
          fraction INTEGER NOT NULL,       -- 1/32768 s
          pulse INTEGER NOT NULL,          -- bits 0-7 beats per minute, 0 none; from 8 on motion in mg + 1, 0 none
          rr,                              -- 12 bits a beat, the first lowest, ms; text when there are more than 4; NULL unbelievable
          gravity INTEGER,                 -- mg + 32768: x in bits 32-47, y in 16-31, z in 0-15
          skin INTEGER,                    -- hundredths of a degree
          steps INTEGER,                   -- cumulative, modulo 65536
          state INTEGER NOT NULL,          -- bits 0-1 sleep state, 2-5 flags, 6-7 doubt about the time, 8 no sleep state,
                                           -- 9-10 activity + 1, 11-17 blood oxygen in percent, 18-26 cadence + 1
          optics INTEGER,                  -- bits 0-15 channel word 0, 16-23 255 - quality, 24-39 word 1 xor 3073,
                                           -- 40-55 word 2 xor 3074, 56 word 0 alone
          PRIMARY KEY(unix, strap, counter, version)) WITHOUT ROWID;

        -- Record versions, and which of their values have a meaning that was worked out from the data of few straps:
        -- 1 skin temperature, 2 sleep state, 4 blood oxygen, 8 steps.
        CREATE TABLE layout(
          version INTEGER PRIMARY KEY,
          derived INTEGER NOT NULL);
        INSERT INTO layout VALUES(12, 7), (24, 15), (10, 8);

        """
    }

    /// The packed tier, and what every tier has given up.
    static var packed: String {
        """
        -- Seconds that had to make room: heart rate, beats and motion of up to five minutes (Docs/FORMAT.md, "Packed chunks").
        CREATE TABLE packed(
          id INTEGER PRIMARY KEY,
          strap INTEGER NOT NULL,
          from_unix INTEGER NOT NULL, to_unix INTEGER NOT NULL,
          records INTEGER NOT NULL,
          chunk BLOB NOT NULL);
        CREATE INDEX packed_time ON packed(from_unix);

        -- What went, since the ring was begun: bursts' frames, seconds (which are packed then), chunks, live rows.
        CREATE TABLE evicted(
          tier TEXT PRIMARY KEY,
          rows INTEGER NOT NULL, bytes INTEGER NOT NULL,
          through_unix INTEGER,            -- the newest of what went
          packed_bytes INTEGER) WITHOUT ROWID;  -- of the tier `seconds`: bytes of chunks made
        INSERT INTO evicted VALUES('raw', 0, 0, NULL, NULL), ('seconds', 0, 0, NULL, 0), ('packed', 0, 0, NULL, NULL), ('live', 0, 0, NULL, NULL);

        """
    }

    /// A record covers its second when it carries heart rate or gravity; a bare pulse packet does not.
    static var views: String {
        """
        -- History as the strap recorded it, a value a column. (In SQLite << >> & | have one precedence, from left to right.)
        CREATE VIEW record(unix, strap, counter, version, fraction, time_doubt, heart_rate_bpm, rr_ms, motion_mg,
            gravity_x_mg, gravity_y_mg, gravity_z_mg, skin_temperature_centi_c, steps, cadence, activity, sleep_state,
            state_flags, spo2_percent, quality, channel_0, channel_1, channel_2, derived) AS
          SELECT unix, strap, counter, version, fraction, state >> 6 & 3, nullif(pulse & 255, 0),
            CASE WHEN typeof(rr) = 'text' THEN rr WHEN rr > 0 THEN (rr & 4095)
              || CASE WHEN rr >> 12 > 0 THEN ',' || (rr >> 12 & 4095) ELSE '' END
              || CASE WHEN rr >> 24 > 0 THEN ',' || (rr >> 24 & 4095) ELSE '' END
              || CASE WHEN rr >> 36 > 0 THEN ',' || (rr >> 36 & 4095) ELSE '' END END,
            CASE WHEN pulse >> 8 > 0 THEN (pulse >> 8) - 1 END,
            (gravity >> 32) - 32768, (gravity >> 16 & 65535) - 32768, (gravity & 65535) - 32768, skin, steps,
            CASE WHEN state >> 18 & 511 > 0 THEN (state >> 18 & 511) - 1 END,
            CASE WHEN state >> 9 & 3 > 0 THEN (state >> 9 & 3) - 1 END,
            CASE WHEN NOT state >> 8 & 1 THEN state & 3 END, CASE WHEN NOT state >> 8 & 1 THEN state >> 2 & 15 END,
            nullif(state >> 11 & 127, 0),
            CASE WHEN NOT optics >> 56 & 1 THEN 255 - (optics >> 16 & 255) END, optics & 65535,
            CASE WHEN NOT optics >> 56 & 1 THEN ((optics >> 24 & 65535) | 3073) - (optics >> 24 & 65535 & 3073) END,
            CASE WHEN NOT optics >> 56 & 1 THEN ((optics >> 40 & 65535) | 3074) - (optics >> 40 & 65535 & 3074) END,
            coalesce((SELECT derived FROM layout WHERE layout.version = history.version), 0)
              & ((skin IS NOT NULL) | ((NOT state >> 8 & 1) << 1) | ((state >> 11 & 127 > 0) << 2) | ((steps IS NOT NULL) << 3))
          FROM history;

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
          FROM (SELECT *, derived AS d, min((gravity_x_mg IS NULL) * 8589934592 + (heart_rate_bpm IS NULL) * 4294967296 + counter)
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
