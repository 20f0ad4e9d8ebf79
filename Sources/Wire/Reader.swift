// Owns reading little-endian fields from bytes that lie elsewhere.
// Never copies, never allocates, never traps: past the end every answer is nil.

/// A cursor over bytes. Every `take` and every integer is nil once too few bytes are left; the cursor then stays put.
public struct Reader: ~Escapable {
    public let bytes: RawSpan
    public private(set) var position = 0

    @_lifetime(copy bytes)
    @inline(__always)
    public init(_ bytes: RawSpan) { self.bytes = bytes }

    /// Bytes not read yet.
    @inline(__always)
    public var remaining: Int { bytes.byteCount - position }

    @_lifetime(self: copy self)
    @inline(__always)
    public mutating func u8() -> UInt8? {
        guard remaining >= 1 else { return nil }
        defer { position += 1 }
        return bytes.u8(at: position)
    }

    @_lifetime(self: copy self)
    @inline(__always)
    public mutating func u16() -> UInt16? {
        guard remaining >= 2 else { return nil }
        defer { position += 2 }
        return bytes.u16(at: position)
    }

    @_lifetime(self: copy self)
    @inline(__always)
    public mutating func u32() -> UInt32? {
        guard remaining >= 4 else { return nil }
        defer { position += 4 }
        return bytes.u32(at: position)
    }

    /// Moves on by `count` bytes, at most to the end; a negative count does nothing.
    @_lifetime(self: copy self)
    @inline(__always)
    public mutating func skip(_ count: Int) {
        position += max(0, min(count, remaining))
    }

    /// The next `count` bytes, or nil when there are fewer.
    @_lifetime(copy self)
    @inline(__always)
    public mutating func take(_ count: Int) -> RawSpan? {
        guard count >= 0, remaining >= count else { return nil }
        defer { position += count }
        return bytes.extracting(position..<(position + count))
    }

    /// All bytes not read yet.
    public var rest: RawSpan {
        @_lifetime(copy self) @inline(__always) get { bytes.extracting(position..<bytes.byteCount) }
    }
}
