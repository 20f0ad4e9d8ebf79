// Owns little-endian loads at an offset. The fields of WHOOP's records and of the kernel's packets are odd-aligned,
// so every load is unaligned. A load past the end gives zero and never traps: whoever builds a view over bytes checks
// its length once, and then these answers are exact.

extension RawSpan {
    @inline(__always)
    public func u8(at offset: Int) -> UInt8 {
        guard offset >= 0, offset < byteCount else { return 0 }
        return unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
    }

    @inline(__always)
    public func i8(at offset: Int) -> Int8 { Int8(bitPattern: u8(at: offset)) }

    @inline(__always)
    public func u16(at offset: Int) -> UInt16 {
        guard offset >= 0, offset &+ 2 <= byteCount else { return 0 }
        return UInt16(littleEndian: unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt16.self))
    }

    @inline(__always)
    public func i16(at offset: Int) -> Int16 { Int16(bitPattern: u16(at: offset)) }

    @inline(__always)
    public func u32(at offset: Int) -> UInt32 {
        guard offset >= 0, offset &+ 4 <= byteCount else { return 0 }
        return UInt32(littleEndian: unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt32.self))
    }

    @inline(__always)
    public func i32(at offset: Int) -> Int32 { Int32(bitPattern: u32(at: offset)) }

    @inline(__always)
    public func u64(at offset: Int) -> UInt64 { UInt64(u32(at: offset)) | UInt64(u32(at: offset + 4)) << 32 }

    @inline(__always)
    public func f32(at offset: Int) -> Float { Float(bitPattern: u32(at: offset)) }

    /// The bytes `from..<to`, or nil where they do not all exist.
    @_lifetime(copy self)
    @inline(__always)
    public func slice(_ from: Int, _ to: Int) -> RawSpan? {
        guard from >= 0, from <= to, to <= byteCount else { return nil }
        return extracting(unchecked: from..<to)
    }

    /// Whether the bytes are the same.
    public func equals(_ other: RawSpan) -> Bool {
        guard byteCount == other.byteCount else { return false }
        for i in 0..<byteCount where u8(at: i) != other.u8(at: i) { return false }
        return true
    }
}
