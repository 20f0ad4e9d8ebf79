// Owns an outgoing packet: bytes in a fixed buffer, little-endian, written front to back.
// Never allocates and never writes past its end: too much sets `overflowed`, and such a packet must not be sent.

/// An outgoing packet of at most `Packet.capacity` bytes.
public struct Packet: ~Copyable {
    /// Bytes: the longest ATT write at MTU 247 is 244, the longest command 65 + envelope.
    public static var capacity: Int { 256 }

    private var storage = InlineArray<256, UInt8>(repeating: 0)
    public private(set) var count = 0
    public private(set) var overflowed = false

    public init() {}

    public mutating func u8(_ value: UInt8) {
        guard count < Self.capacity else { overflowed = true; return }
        storage[count] = value
        count += 1
    }

    public mutating func u16(_ value: UInt16) {
        u8(UInt8(truncatingIfNeeded: value))
        u8(UInt8(truncatingIfNeeded: value >> 8))
    }

    public mutating func u32(_ value: UInt32) {
        u16(UInt16(truncatingIfNeeded: value))
        u16(UInt16(truncatingIfNeeded: value >> 16))
    }

    public mutating func u64(_ value: UInt64) {
        u32(UInt32(truncatingIfNeeded: value))
        u32(UInt32(truncatingIfNeeded: value >> 32))
    }

    public mutating func append(_ bytes: RawSpan) {
        for i in 0..<bytes.byteCount { u8(bytes.u8(at: i)) }
    }

    public mutating func append(_ address: Address) {
        for i in 0..<6 { u8(address[i]) }
    }

    /// Appends `count` zero bytes.
    public mutating func zeros(_ count: Int) {
        for _ in 0..<max(0, count) { u8(0) }
    }

    /// Overwrites two bytes already written; outside them it does nothing.
    public mutating func set16(_ value: UInt16, at offset: Int) {
        guard offset >= 0, offset + 2 <= count else { return }
        storage[offset] = UInt8(truncatingIfNeeded: value)
        storage[offset + 1] = UInt8(truncatingIfNeeded: value >> 8)
    }

    public mutating func removeAll() { count = 0; overflowed = false }

    /// The bytes written so far.
    public var bytes: RawSpan {
        @_lifetime(borrow self) get { storage.span.bytes.extracting(first: count) }
    }
}
