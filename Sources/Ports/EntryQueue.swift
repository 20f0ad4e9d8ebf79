// Owns handing values with bytes from one thread to another through memory allocated once: one thread pushes, one pops,
// no lock, nothing allocated after init. A full queue refuses; nothing is ever overwritten or dropped in silence.
import Synchronization
import Wire

/// A queue from one thread to one other, of values of one type with bytes beside them.
public final class MessageQueue<Value: BitwiseCopyable>: @unchecked Sendable {
    // A message is its length and that of its bytes (u32 each), the value, the bytes, rounded up to eight. It never wraps:
    // where the rest of the memory is too short, a length of `skip` sends the reader to the beginning.
    private static var header: Int { 8 }
    private static var skip: UInt32 { .max }

    private let memory: UnsafeMutableRawBufferPointer
    /// Bytes ever pushed and ever popped; each is written by one thread only. Their difference is what waits.
    private let pushed = Atomic<UInt64>(0)
    private let popped = Atomic<UInt64>(0)
    /// Offsets in the memory, each touched by one thread only.
    private var writeOffset = 0
    private var readOffset = 0

    /// `capacity` in bytes, at least 64, rounded down to a multiple of eight. A message of half of it always fits an empty queue.
    public init(capacity: Int) {
        memory = .allocate(byteCount: max(64, capacity & ~7), alignment: 16)
    }

    deinit { memory.deallocate() }

    /// Bytes of one message with so many bytes beside the value.
    private static func length(_ count: Int) -> Int { (header + MemoryLayout<Value>.size + count + 7) & ~7 }

    /// Pushes a value with its bytes, copied during the call. False: there is no room, and nothing was pushed.
    /// For the pushing thread only.
    public func push(_ value: Value, _ bytes: RawSpan) -> Bool {
        let length = Self.length(bytes.byteCount)
        let written = pushed.load(ordering: .relaxed)
        let used = Int(written - popped.load(ordering: .acquiring))
        var offset = writeOffset
        var skipped = 0
        if memory.count - offset < length {
            skipped = memory.count - offset
            offset = 0
        }
        guard length <= memory.count, used + skipped + length <= memory.count else { return false }
        if skipped > 0 { memory.storeBytes(of: Self.skip, toByteOffset: writeOffset, as: UInt32.self) }
        memory.storeBytes(of: UInt32(length), toByteOffset: offset, as: UInt32.self)
        memory.storeBytes(of: UInt32(bytes.byteCount), toByteOffset: offset + 4, as: UInt32.self)
        memory.storeBytes(of: value, toByteOffset: offset + Self.header, as: Value.self)
        let start = offset + Self.header + MemoryLayout<Value>.size
        bytes.withUnsafeBytes { source in
            if source.count > 0 { UnsafeMutableRawBufferPointer(rebasing: memory[start..<(start + source.count)]).copyMemory(from: source) }
        }
        writeOffset = offset + length
        // Sequentially, so that whoever sleeps on an empty queue and whoever fills it cannot miss each other.
        pushed.store(written + UInt64(skipped + length), ordering: .sequentiallyConsistent)
        return true
    }

    /// Hands the oldest message to `body` where it lies and takes it away afterwards. False: there was none.
    /// For the popping thread only.
    public func pop(_ body: (Value, RawSpan) -> Void) -> Bool {
        let read = popped.load(ordering: .relaxed)
        guard pushed.load(ordering: .acquiring) != read else { return false }
        var skipped = 0
        if memory.count - readOffset < 8 || memory.load(fromByteOffset: readOffset, as: UInt32.self) == Self.skip {
            skipped = memory.count - readOffset
            readOffset = 0
        }
        let length = Int(memory.load(fromByteOffset: readOffset, as: UInt32.self))
        let count = Int(memory.load(fromByteOffset: readOffset + 4, as: UInt32.self))
        let value = memory.loadUnaligned(fromByteOffset: readOffset + Self.header, as: Value.self)
        let start = readOffset + Self.header + MemoryLayout<Value>.size
        let bytes = UnsafeRawBufferPointer(rebasing: memory[start..<(start + count)])
        body(value, bytes.bytes)
        readOffset += length
        popped.store(read + UInt64(skipped + length), ordering: .releasing)
        return true
    }

    /// Whether nothing waits. Exact on the popping thread, a moment old on the other.
    public var isEmpty: Bool { pushed.load(ordering: .sequentiallyConsistent) == popped.load(ordering: .sequentiallyConsistent) }
}

/// From the radio's thread to the card's.
public typealias EntryQueue = MessageQueue<Entry>
