// Owns what a chunk is: five minutes of heart rate, R-R intervals and motion in few bytes, the packed tier's unit
// (Docs/FORMAT.md, "Packed chunks"). ChunkWriter makes one, ChunkReader reads it; this is what both must agree on.
//
// Five minutes: the eleven bytes around the bits and SQLite's twenty or so per row are a twentieth of a chunk, and three
// to six rows share a page of 4096 bytes. Of a quarter of an hour one or two do, and up to a third of the page is empty.
// Damage costs five minutes. One adaptive code for every number: with fixed parameters the intervals of the real night
// and of a workout want codes three bits apart, and choosing per chunk takes a second pass. Predicting a beat from the
// heart rate, the last two beats or a mean of them gains 2 % at best: not worth another sentence in the format.

enum Chunk {
    /// The first byte.
    static var version: UInt8 { 1 }
    /// All records of a chunk have the same `unix / seconds`.
    static var seconds: UInt32 { 300 }
    /// Version, number of records (u16), time of the first (u32).
    static var headBytes: Int { 7 }
    /// CRC-32.
    static var tailBytes: Int { 4 }
    static var mostRecords: Int { 65535 }
    /// Of one record.
    static var mostIntervals: Int { 255 }
    static var heartRates_bpm: ClosedRange<UInt8> { 25...230 }
    static var intervals_ms: ClosedRange<UInt16> { 200...2500 }
    static var motions_mg: ClosedRange<UInt16> { 0...16000 }

    /// A record takes no more: its first bit, time and presence, heart rate, number of intervals, each interval, motion.
    static func mostBits(intervals: Int) -> Int { 1 + 3 + (4 + intervals) * RiceCode.mostBits }

    /// A chunk is never longer than this, in bytes; `intervals` of all records together.
    static func mostBytes(records: Int, intervals: Int) -> Int {
        headBytes + tailBytes + (records * mostBits(intervals: 0) + intervals * RiceCode.mostBits + 7) / 8
    }
}

/// Why a record is not in the chunk. The chunk is as it was before.
enum ChunkRefusal: Error, Equatable {
    /// No room, or 65535 records: finish this chunk and begin another.
    case full
    /// Another five minutes than the first record's: finish this chunk and begin another.
    case elsewhere
    /// Earlier than the record before.
    case backwards
    /// A value outside its range, or more than 255 intervals: its owner must withhold it.
    case unbelievable
}

/// Why bytes are no chunk.
package enum ChunkTrouble: Error, Equatable {
    /// Too few bytes to be any.
    case short
    /// Of a later version, or none.
    case version(UInt8)
    /// The bytes are not those that were written.
    case checksum
    /// The bytes are those that were written, but not by this format's rules: a time, a value, a count that cannot be.
    case time, value, count
    /// Fewer bits, or more, than the records take.
    case length
}

/// What writer and reader both know after a record, from which the next is told.
struct ChunkContext: BitwiseCopyable {
    /// Which values a record has.
    struct Presence: Equatable, BitwiseCopyable {
        var heartRate = true, intervals = true, motion = true
    }

    var unix: UInt32
    var presence = Presence()
    /// The last that there was.
    var heartRate_bpm: Int32 = 60
    var interval_ms: Int32 = 1000

    var steps = RiceCode(mean: 0)
    var heartRates = RiceCode(mean: 4)
    var counts = RiceCode(mean: 0)
    var intervals = RiceCode(mean: 64)
    var motions = RiceCode(mean: 32)

    /// Before the first record, which so is one second later, as most are.
    init(first: UInt32) { unix = first &- 1 }
}

/// 0, 1, 2 … for 0, -1, 1, -2, 2 …
@inline(__always)
func folded(_ difference: Int32) -> UInt32 { UInt32(bitPattern: difference << 1 ^ difference >> 31) }

/// The difference that was folded.
@inline(__always)
func unfolded(_ value: UInt32) -> Int32 { Int32(bitPattern: value >> 1) ^ -Int32(bitPattern: value & 1) }

/// 0 and 1 change places, because one second and one beat are the rule.
@inline(__always)
func swapped(_ value: UInt32) -> UInt32 { value < 2 ? value ^ 1 : value }
