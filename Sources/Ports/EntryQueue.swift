// Owns what waits between the radio's thread and the card's: entries with their bytes in one ring of bytes, allocated
// once. One thread puts, one takes; neither ever waits for the other, and a full ring says so.
import Synchronization
import Wire

/// A queue of entries for exactly one producer and one consumer.
public final class EntryQueue: Store {
    /// Bytes; a power of two. Ten bursts of 50 records, or an hour of live rows.
    public static let capacity = 256 << 10

    private let ring: UnsafeMutableRawPointer
    /// Bytes ever put and ever taken; their difference is what waits.
    private let written = Atomic<Int>(0)
    private let taken = Atomic<Int>(0)

    private static let skip = UInt32.max
    private static let head = 8 + (MemoryLayout<Entry>.size + 7) & ~7

    public init() { ring = .allocate(byteCount: Self.capacity, alignment: 16) }
    deinit { ring.deallocate() }

    /// Bytes that wait, heads included.
    public var waiting: Int { written.load(ordering: .acquiring) - taken.load(ordering: .acquiring) }

    public func put(_ entry: Entry, _ bytes: RawSpan) -> Bool {
        let size = Self.head + (bytes.byteCount + 7) & ~7
        let tail = written.load(ordering: .relaxed)
        var at = tail & (Self.capacity - 1)
        let toEnd = Self.capacity - at
        let needed = size <= toEnd ? size : toEnd + size
        guard size <= Self.capacity / 2, tail - taken.load(ordering: .acquiring) + needed <= Self.capacity else { return false }
        if size > toEnd {
            ring.storeBytes(of: Self.skip, toByteOffset: at, as: UInt32.self)
            at = 0
        }
        ring.storeBytes(of: UInt32(bytes.byteCount), toByteOffset: at, as: UInt32.self)
        ring.storeBytes(of: entry, toByteOffset: at + 8, as: Entry.self)
        if bytes.byteCount > 0 {
            bytes.withUnsafeBytes { (ring + at + Self.head).copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
        }
        written.store(tail + needed, ordering: .releasing)
        return true
    }

    /// Takes the oldest entry. False: nothing waits. The bytes are valid during the call only.
    public func take(_ body: (Entry, RawSpan) -> Void) -> Bool {
        let front = taken.load(ordering: .relaxed)
        guard written.load(ordering: .acquiring) != front else { return false }
        var at = front & (Self.capacity - 1)
        var size = 0
        if ring.load(fromByteOffset: at, as: UInt32.self) == Self.skip {
            size = Self.capacity - at
            at = 0
        }
        let count = Int(ring.load(fromByteOffset: at, as: UInt32.self))
        body(ring.load(fromByteOffset: at + 8, as: Entry.self), RawSpan(_unsafeStart: UnsafeRawPointer(ring + at + Self.head), byteCount: count))
        size += Self.head + (count + 7) & ~7
        taken.store(front + size, ordering: .releasing)
        return true
    }
}
