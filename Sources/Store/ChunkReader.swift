// Owns reading a chunk, record by record, from bytes that may come from a damaged card. Never traps or allocates: bytes
// that are not those written are refused before the first record, and those by no rule of the format where they go wrong.
import Wire

/// A cursor over the records of a chunk. The values are those of the record that `next` went to.
package struct ChunkReader: ~Escapable {
    /// Records in the chunk, at least one.
    let count: Int
    /// Time of the first record, seconds since 1970.
    let first: UInt32
    /// Records read.
    private(set) var index = 0
    /// 25...230.
    package private(set) var heartRate_bpm: UInt8?
    /// 0...16000.
    private(set) var motion_mg: UInt16?

    private var bits: BitReader
    private var context: ChunkContext
    private var intervals = InlineArray<255, UInt16>(repeating: 0)
    private var intervalCount = 0

    /// Refuses what is not whole: of this version, with its checksum.
    @_lifetime(copy bytes)
    package init(_ bytes: RawSpan) throws(ChunkTrouble) {
        guard bytes.byteCount >= Chunk.headBytes + Chunk.tailBytes else { throw .short }
        guard bytes.u8(at: 0) == Chunk.version else { throw .version(bytes.u8(at: 0)) }
        let end = bytes.byteCount - Chunk.tailBytes
        guard crc32(bytes.extracting(0..<end)) == bytes.u32(at: end) else { throw .checksum }
        count = Int(bytes.u16(at: 1))
        guard count > 0 else { throw .count }
        first = bytes.u32(at: 3)
        context = ChunkContext(first: first)
        bits = BitReader(bytes.extracting(Chunk.headBytes..<end))
    }

    /// Goes to the next record. False: there is none, and the chunk was as it should be.
    @_lifetime(self: copy self)
    package mutating func next() throws(ChunkTrouble) -> Bool {
        guard index < count else {
            guard bits.isAtEnd else { throw .length }
            return false
        }
        if bits.take(width: 1) == 1 {
            let step = swapped(context.steps.take(from: &bits))
            guard step < Chunk.seconds else { throw .time }
            context.unix &+= step
            let presence = bits.take(width: 3)
            context.presence = .init(heartRate: presence & 4 != 0, intervals: presence & 2 != 0, motion: presence & 1 != 0)
        } else {
            context.unix &+= 1
        }
        guard context.unix / Chunk.seconds == first / Chunk.seconds, index > 0 || context.unix == first else { throw .time }

        heartRate_bpm = nil
        if context.presence.heartRate {
            context.heartRate_bpm &+= unfolded(context.heartRates.take(from: &bits))
            guard let value = UInt8(exactly: context.heartRate_bpm), Chunk.heartRates_bpm.contains(value) else { throw .value }
            heartRate_bpm = value
        }
        intervalCount = 0
        if context.presence.intervals {
            let found = swapped(context.counts.take(from: &bits))
            guard found <= UInt32(Chunk.mostIntervals) else { throw .count }
            while intervalCount < Int(found) {
                context.interval_ms &+= unfolded(context.intervals.take(from: &bits))
                guard let value = UInt16(exactly: context.interval_ms), Chunk.intervals_ms.contains(value) else { throw .value }
                intervals[intervalCount] = value
                intervalCount += 1
            }
        }
        motion_mg = nil
        if context.presence.motion {
            guard let value = UInt16(exactly: context.motions.take(from: &bits)), Chunk.motions_mg.contains(value) else { throw .value }
            motion_mg = value
        }
        guard !bits.isPastEnd else { throw .length }
        index += 1
        return true
    }

    /// Seconds since 1970.
    package var unix: UInt32 { context.unix }

    /// 200...2500 each, in order; nil when none of the record's are believed.
    var rr_ms: Span<UInt16>? {
        @_lifetime(borrow self) get {
            context.presence.intervals ? intervals.span.extracting(first: intervalCount) : nil
        }
    }
}
