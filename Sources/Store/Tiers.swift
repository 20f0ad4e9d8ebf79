// Owns which tier makes room and how: frames are forgotten, seconds become chunks, chunks and old live rows go. In small
// steps, each within one transaction that also notes what went (table `evicted`). Never touches what is kept for ever.
import Wire

/// What the tiers that give way hold.
struct TierTotals {
    /// Rows of history and bytes of frames ever taken in.
    var secondsIn: Int64
    var rawIn: Int64
    /// Rows of history packed, bytes of frames forgotten.
    var secondsOut: Int64
    var rawOut: Int64
    /// Bytes of chunks made, and of those that went.
    var packedIn: Int64
    var packedOut: Int64

    var secondBytes: Int64 { max(0, secondsIn - secondsOut) * Tier.bytesOfSecond }
    var rawBytes: Int64 { max(0, rawIn - rawOut) }
    var packedBytes: Int64 { max(0, packedIn - packedOut) * 5 / 4 }
}

/// A tier that gives way, with its share of the database in percent; the rest is for what is kept.
enum Tier: Int64 {
    case raw = 25, seconds = 45, packed = 24

    /// A row of history with its part of the pages, measured on the real night.
    static var bytesOfSecond: Int64 { 50 }
}

extension RingFile {
    /// What the tiers hold. Costs nothing once known.
    func totals() throws(SQLError) -> TierTotals {
        if let held { return held }
        defer { readTotals.reset() }
        guard try readTotals.step() else { throw SQLError(code: 11, text: "the ring does not say what it holds") }
        let read = TierTotals(secondsIn: readTotals.integer(0), rawIn: readTotals.integer(1), secondsOut: readTotals.integer(2),
                              rawOut: readTotals.integer(3), packedIn: readTotals.integer(4), packedOut: readTotals.integer(5))
        held = read
        return read
    }

    /// Takes a little of the tier that is furthest above its share; of the next one where it has nothing. False when all are
    /// empty.
    func makeRoomStep(_ rawCursor: inout Int64) throws(SQLError) -> Bool {
        let held = try totals()
        // Percent of a share that is used, or rather what is proportional to it.
        var raw = held.rawBytes / Tier.raw.rawValue, seconds = held.secondBytes / Tier.seconds.rawValue
        var packed = held.packedBytes / Tier.packed.rawValue
        for _ in 0..<3 {
            if raw >= seconds, raw >= packed {
                if try forgetFrames(&rawCursor) { return true }
                raw = -1
            } else if seconds >= packed {
                if try packSeconds() { return true }
                seconds = -1
            } else {
                if try dropChunks() { return true }
                packed = -1
            }
        }
        // Without history there is still what was live, and frames that nobody can read.
        try evictLive.run()
        let live = Int64(database.changes)
        if live > 0 {
            try note("live", rows: live, bytes: 0, through: 0)
            return true
        }
        try evictUndecoded.run()
        return database.changes > 0
    }

    private func forgetFrames(_ cursor: inout Int64) throws(SQLError) -> Bool {
        oldestRaw.bind(1, cursor)
        var bursts: Int64 = 0, bytes: Int64 = 0, through: Int64 = 0
        var first: Int64 = 0, last: Int64 = 0
        while try oldestRaw.step() {
            last = oldestRaw.integer(0)
            if bursts == 0 { first = last }
            bursts += 1
            bytes += oldestRaw.integer(1)
            through = max(through, oldestRaw.integer(2))
        }
        oldestRaw.reset()
        guard bursts > 0 else { return false }
        evictRaw.bind(1, first)
        evictRaw.bind(2, last)
        try evictRaw.run()
        cursor = last + 1
        try note("raw", rows: bursts, bytes: bytes, through: through)
        held?.rawOut += bytes
        return true
    }

    /// Packs the oldest five minutes of one strap, at most 600 records, and takes them out of `history`.
    private func packSeconds() throws(SQLError) -> Bool {
        guard try oldestSecond.step() else {
            oldestSecond.reset()
            return false
        }
        let first = oldestSecond.integer(0), strap = oldestSecond.integer(1)
        oldestSecond.reset()
        let end = first - first % Int64(Chunk.seconds) + Int64(Chunk.seconds) - 1

        secondsOfSlot.bind(1, first)
        secondsOfSlot.bind(2, end)
        secondsOfSlot.bind(3, strap)
        var rows: Int64 = 0, bytes: Int64 = 0
        var last = (unix: first, counter: Int64(0), version: Int64(0))
        var writer = ChunkWriter(scratch)
        var began = first
        while try secondsOfSlot.step() {
            rows += 1
            last = (secondsOfSlot.integer(0), secondsOfSlot.integer(1), secondsOfSlot.integer(2))
            let pulse = secondsOfSlot.integer(3)
            // A bare pulse packet says nothing that its second does not say.
            guard pulse & 255 > 0 || secondsOfSlot.integer(5) == 1 else { continue }
            if try !append(to: &writer, last.unix, pulse) {
                bytes += try finish(writer, strap, began, last.unix)
                writer = ChunkWriter(scratch)
                began = last.unix
                guard try append(to: &writer, last.unix, pulse) else { throw SQLError(code: 11, text: "a second cannot be packed") }
            }
        }
        secondsOfSlot.reset()
        bytes += try finish(writer, strap, began, last.unix)

        evictRecord.bind(1, first)
        evictRecord.bind(3, strap)
        evictRecord.bind(4, last.unix)
        evictRecord.bind(5, last.counter)
        evictRecord.bind(6, last.version)
        try evictRecord.run()
        try note("seconds", rows: rows, bytes: rows * Tier.bytesOfSecond, through: last.unix, packed: bytes)
        held?.secondsOut += rows
        held?.packedIn += bytes
        // What was seen live of that time is in history, and now in a chunk.
        try evictLive.run()
        let live = Int64(database.changes)
        if live > 0 { try note("live", rows: live, bytes: 0, through: last.unix) }
        try evictBurst.run()
        return true
    }

    /// False: the chunk is full.
    private func append(to writer: inout ChunkWriter, _ unix: Int64, _ pulse: Int64) throws(SQLError) -> Bool {
        var beats = InlineArray<8, UInt16>(repeating: 0)
        var count: Int? = 0
        if secondsOfSlot.isNull(4) {
            count = nil
        } else if secondsOfSlot.isText(4) {
            count = read(&beats, secondsOfSlot.text(4) ?? "")
        } else {
            var rest = secondsOfSlot.integer(4)
            var n = 0
            while rest > 0, n < 4 {
                beats[n] = UInt16(rest & 4095)
                rest >>= 12
                n += 1
            }
            count = n
        }
        let heartRate = UInt8(truncatingIfNeeded: pulse & 255), motion = pulse >> 8
        do throws(ChunkRefusal) {
            let time = UInt32(truncatingIfNeeded: unix), bpm = heartRate > 0 ? heartRate : nil
            let motion_mg = motion > 0 ? UInt16(truncatingIfNeeded: motion - 1) : nil
            if let count {
                try writer.append(unix: time, heartRate_bpm: bpm, rr_ms: beats.span.extracting(first: count), motion_mg: motion_mg)
            } else {
                try writer.append(unix: time, heartRate_bpm: bpm, rr_ms: nil, motion_mg: motion_mg)
            }
            return true
        } catch .full {
            return false
        } catch {
            // A row that somebody else wrote: what it says is no second of a strap.
            return true
        }
    }

    private func read(_ beats: inout InlineArray<8, UInt16>, _ text: String) -> Int {
        var count = 0
        for part in text.utf8.split(separator: 0x2c) {
            guard count < 8, let ms = UInt16(String(decoding: Array(part), as: UTF8.self)) else { break }
            beats[count] = ms
            count += 1
        }
        return count
    }

    /// Writes a chunk, unless nothing is in it. Its bytes.
    private func finish(_ writer: consuming ChunkWriter, _ strap: Int64, _ from: Int64, _ to: Int64) throws(SQLError) -> Int64 {
        guard writer.count > 0 else { return 0 }
        let records = writer.count
        let count = writer.finish()
        packChunk.bind(1, strap)
        packChunk.bind(2, from)
        packChunk.bind(3, to)
        packChunk.bind(4, records)
        packChunk.bind(5, blob: RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: scratch[0..<count])))
        try packChunk.run()
        return Int64(count)
    }

    private func dropChunks() throws(SQLError) -> Bool {
        var rows: Int64 = 0, bytes: Int64 = 0, through: Int64 = 0
        while try evictPacked.step() {
            rows += evictPacked.integer(0)
            bytes += evictPacked.integer(1)
            through = max(through, evictPacked.integer(2))
        }
        evictPacked.reset()
        guard rows > 0 else { return false }
        try note("packed", rows: rows, bytes: bytes, through: through)
        held?.packedOut += bytes
        return true
    }

    private func note(_ tier: StaticString, rows: Int64, bytes: Int64, through: Int64, packed: Int64? = nil) throws(SQLError) {
        noteEvicted.bind(1, text: "\(tier)")
        noteEvicted.bind(2, rows)
        noteEvicted.bind(3, bytes)
        noteEvicted.bind(4, through)
        noteEvicted.bind(5, packed)
        try noteEvicted.run()
    }
}
