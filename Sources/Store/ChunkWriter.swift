// Owns making a chunk, record by record, in memory that belongs to somebody else. Never allocates; a record is in the
// chunk whole or not at all, and what the chunk cannot give back exactly is refused.
import Wire

/// A chunk under way.
struct ChunkWriter: ~Copyable {
    private let memory: UnsafeMutableRawBufferPointer
    private var bits: BitWriter
    private var context = ChunkContext(first: 0)
    private var first: UInt32 = 0
    /// Records so far.
    private(set) var count = 0

    /// `Chunk.mostBytes(records: 1, intervals: 255)`, 918 bytes, hold any first record; 4096 three times the longest chunk
    /// of the nights in Tests. What does not fit goes on in another chunk of the same five minutes.
    init(_ memory: UnsafeMutableRawBufferPointer) {
        self.memory = memory
        let room = max(0, memory.count - Chunk.headBytes - Chunk.tailBytes)
        bits = BitWriter(UnsafeMutableRawBufferPointer(rebasing: memory.dropFirst(Chunk.headBytes).prefix(room)))
    }

    /// Takes a record. Nil is absent; no intervals at all is something else than an empty list. A record may share the
    /// second of the one before.
    mutating func append(unix: UInt32, heartRate_bpm: UInt8?, rr_ms: Span<UInt16>?, motion_mg: UInt16?) throws(ChunkRefusal) {
        let intervalCount = rr_ms?.count ?? 0
        guard intervalCount <= Chunk.mostIntervals, heartRate_bpm.map({ Chunk.heartRates_bpm.contains($0) }) ?? true,
              motion_mg.map({ Chunk.motions_mg.contains($0) }) ?? true else { throw .unbelievable }
        for i in 0..<intervalCount {
            guard let rr_ms, Chunk.intervals_ms.contains(rr_ms[i]) else { throw .unbelievable }
        }
        if count == 0 {
            first = unix
            context = ChunkContext(first: unix)
        } else if unix < context.unix {
            throw .backwards
        }
        guard unix / Chunk.seconds == first / Chunk.seconds else { throw .elsewhere }
        let room = memory.count - Chunk.headBytes - Chunk.tailBytes
        guard count < Chunk.mostRecords, (bits.count + Chunk.mostBits(intervals: intervalCount) + 7) / 8 <= room else { throw .full }

        let presence = ChunkContext.Presence(heartRate: heartRate_bpm != nil, intervals: rr_ms != nil, motion: motion_mg != nil)
        let step = swapped(unix &- context.unix)
        if step == 0, presence == context.presence {
            bits.put(0, width: 1)
        } else {
            bits.put(1, width: 1)
            context.steps.put(step, into: &bits)
            bits.put((presence.heartRate ? 4 : 0) | (presence.intervals ? 2 : 0) | (presence.motion ? 1 : 0), width: 3)
        }
        context.unix = unix
        context.presence = presence

        if let heartRate_bpm {
            let value = Int32(heartRate_bpm)
            context.heartRates.put(folded(value - context.heartRate_bpm), into: &bits)
            context.heartRate_bpm = value
        }
        if let rr_ms {
            context.counts.put(swapped(UInt32(intervalCount)), into: &bits)
            for i in 0..<intervalCount {
                let value = Int32(rr_ms[i])
                context.intervals.put(folded(value - context.interval_ms), into: &bits)
                context.interval_ms = value
            }
        }
        if let motion_mg { context.motions.put(UInt32(motion_mg), into: &bits) }
        count += 1
    }

    /// Ends the chunk, which lies at the start of the memory given. Its bytes; 0 when no record was taken.
    consuming func finish() -> Int {
        guard count > 0 else { return 0 }
        memory.storeBytes(of: Chunk.version, toByteOffset: 0, as: UInt8.self)
        memory.storeBytes(of: UInt16(count).littleEndian, toByteOffset: 1, as: UInt16.self)
        memory.storeBytes(of: first.littleEndian, toByteOffset: 3, as: UInt32.self)
        let end = Chunk.headBytes + bits.finish()
        let crc = crc32(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: memory[0..<end])))
        memory.storeBytes(of: crc.littleEndian, toByteOffset: end, as: UInt32.self)
        return end + Chunk.tailBytes
    }
}
