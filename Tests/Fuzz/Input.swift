// Owns how targets read their input: little steps from the front, and zeros when it has ended, so that every input is a
// whole one and each mutation stays small. Also blocks of exactly the bytes put into them: the address sanitizer sees the
// first byte read past one, which it cannot inside a larger buffer.
import Wire

/// The input of one run.
struct Input: ~Escapable {
    private let bytes: RawSpan
    private var position = 0

    @_lifetime(copy bytes)
    init(_ bytes: RawSpan) { self.bytes = bytes }

    var isEmpty: Bool { position >= bytes.byteCount }

    @_lifetime(self: copy self)
    mutating func byte() -> UInt8 {
        defer { position += 1 }
        return bytes.u8(at: position)
    }

    /// As many bytes as there are, at most `count`.
    @_lifetime(copy self)
    @_lifetime(self: copy self)
    mutating func take(_ count: Int) -> RawSpan {
        let from = min(position, bytes.byteCount), to = min(from + count, bytes.byteCount)
        position = to
        return bytes.extracting(from..<to)
    }
}

/// Some bytes on the heap, in a block as long as they are.
struct Block: ~Copyable {
    private let storage: UnsafeMutableRawBufferPointer
    /// Bytes written so far.
    private var count = 0

    init(capacity: Int) { storage = .allocate(byteCount: capacity, alignment: 1) }

    init(_ bytes: RawSpan) {
        self.init(capacity: bytes.byteCount)
        append(bytes)
    }

    deinit { storage.deallocate() }

    mutating func append(_ byte: UInt8) {
        storage[count] = byte
        count += 1
    }

    mutating func append(_ value: UInt16) {
        append(UInt8(truncatingIfNeeded: value))
        append(UInt8(truncatingIfNeeded: value >> 8))
    }

    mutating func append(_ value: UInt32) {
        append(UInt16(truncatingIfNeeded: value))
        append(UInt16(truncatingIfNeeded: value >> 16))
    }

    mutating func append(_ bytes: RawSpan) {
        bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: storage[count...]).copyMemory(from: $0) }
        count += bytes.byteCount
    }

    mutating func flip(_ bit: Int) { storage[bit / 8] ^= 1 << UInt8(bit % 8) }

    var bytes: RawSpan {
        @_lifetime(borrow self) get {
            let span = UnsafeRawBufferPointer(rebasing: storage[..<count]).bytes
            return _overrideLifetime(span, borrowing: self)
        }
    }
}

/// The bytes over and over until there are `count`; none of none.
func repeated(_ bytes: RawSpan, _ count: Int) -> Block {
    var block = Block(capacity: count)
    while bytes.byteCount > 0, block.bytes.byteCount < count {
        block.append(bytes.extracting(first: min(bytes.byteCount, count - block.bytes.byteCount)))
    }
    return block
}
