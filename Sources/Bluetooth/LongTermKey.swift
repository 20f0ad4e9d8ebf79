// Owns the form of one long-term key as the kernel gives and takes it: 36 bytes (mgmt-api.txt, Load Long Term Keys).
// Never says its value: a key has no text but in the key file.
import Wire

/// A long-term key. With legacy pairing a peer has two, one for each role; the kernel picks.
public struct LongTermKey: Equatable, Sendable, BitwiseCopyable {
    public static let byteCount = 36

    public var peer: Peer
    /// 0, 1: legacy without, with protection from a man in the middle; 2, 3: P-256 without, with; 4: debug.
    public var kind: UInt8
    /// Whether the central encrypts with it.
    public var isCentral: Bool
    /// Key bytes in use, 7...16.
    public var size: UInt8
    public var diversifier: UInt16
    public var random: UInt64
    /// The sixteen bytes as they come, the first eight in `low`.
    public var low: UInt64
    public var high: UInt64

    /// From 36 bytes or more; nil where they are fewer, or a field is one the kernel would refuse: it refuses the whole
    /// list for one bad key.
    public init?(_ bytes: RawSpan) {
        guard bytes.byteCount >= Self.byteCount, let type = AddressType(rawValue: bytes.u8(at: 6)) else { return nil }
        peer = Peer(Address(bytes), type)
        kind = bytes.u8(at: 7)
        isCentral = bytes.u8(at: 8) == 1
        size = bytes.u8(at: 9)
        diversifier = bytes.u16(at: 10)
        random = bytes.u64(at: 12)
        low = bytes.u64(at: 20)
        high = bytes.u64(at: 28)
        guard isAcceptable, bytes.u8(at: 8) <= 1 else { return nil }
    }

    init(peer: Peer, kind: UInt8, isCentral: Bool, size: UInt8, diversifier: UInt16, random: UInt64, low: UInt64, high: UInt64) {
        self.peer = peer
        self.kind = kind
        self.isCentral = isCentral
        self.size = size
        self.diversifier = diversifier
        self.random = random
        self.low = low
        self.high = high
    }

    /// What the kernel's `ltk_is_valid` asks: a known kind, a key of 7...16 bytes, and of random addresses only static ones.
    var isAcceptable: Bool {
        kind <= 4 && (7...16).contains(size) && (peer.type == .publicLE || peer.address[5] & 0xc0 == 0xc0)
    }

    func append(to bytes: inout [UInt8]) {
        for i in 0..<6 { bytes.append(peer.address[i]) }
        bytes += [peer.type.rawValue, kind, isCentral ? 1 : 0, size]
        bytes += [UInt8(truncatingIfNeeded: diversifier), UInt8(truncatingIfNeeded: diversifier >> 8)]
        for word in [random, low, high] {
            for i in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: word >> (8 * UInt64(i)))) }
        }
    }
}
