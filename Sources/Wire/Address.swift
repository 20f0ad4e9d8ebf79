// Owns the name of a radio: six bytes and, for a peer, the kind of address. The two are never kept apart: connecting
// to a random address as if it were public times out (btleplug 164).

/// A Bluetooth device address as it goes over the wire, least significant byte first.
public struct Address: Equatable, Hashable, Sendable, BitwiseCopyable {
    private var low: UInt32 = 0
    private var high: UInt16 = 0

    public init() {}

    public init(_ bytes: RawSpan, at offset: Int = 0) {
        low = bytes.u32(at: offset)
        high = bytes.u16(at: offset + 4)
    }

    /// From text such as `F0:F1:F2:F3:F4:F5`, most significant byte first; nil when it is not six hex pairs.
    public init?(_ text: some StringProtocol) {
        var value: UInt64 = 0
        var digits = 0
        for c in text.utf8 {
            if c == 0x3a, digits > 0, digits % 2 == 0 { continue }
            guard let digit = hexDigit(c), digits < 12 else { return nil }
            value = value << 4 | UInt64(digit)
            digits += 1
        }
        guard digits == 12 else { return nil }
        low = UInt32(truncatingIfNeeded: value)
        high = UInt16(truncatingIfNeeded: value >> 32)
    }

    /// Byte `index` (0...5) in wire order.
    public subscript(index: Int) -> UInt8 {
        index < 4 ? UInt8(truncatingIfNeeded: low >> (8 * UInt32(max(0, index)))) : UInt8(truncatingIfNeeded: high >> (8 * UInt16(index & 1)))
    }

    /// The address as a 48-bit number.
    public var number: UInt64 { UInt64(high) << 32 | UInt64(low) }

    public init(number: UInt64) {
        low = UInt32(truncatingIfNeeded: number)
        high = UInt16(truncatingIfNeeded: number >> 32)
    }

    /// Text, most significant byte first, upper case.
    public var text: String {
        var s = ""
        for i in 0..<6 {
            if i > 0 { s += ":" }
            s += hexPair(self[5 - i], uppercase: true)
        }
        return s
    }
}

/// The kinds of address the kernel tells apart (`BDADDR_LE_PUBLIC`, `BDADDR_LE_RANDOM` of libbluetooth).
public enum AddressType: UInt8, Sendable, BitwiseCopyable {
    case publicLE = 1
    case randomLE = 2
}

/// A radio on the other side.
public struct Peer: Equatable, Hashable, Sendable, BitwiseCopyable {
    public var address: Address
    public var type: AddressType

    public init(_ address: Address, _ type: AddressType) {
        self.address = address
        self.type = type
    }

    /// Text such as `F0:F1:F2:F3:F4:F5 random`.
    public var text: String { address.text + (type == .randomLE ? " random" : " public") }
}
