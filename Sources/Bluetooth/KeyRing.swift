// Owns the long-term keys of one adapter and their text in the key file. The kernel forgets keys at power-off, so this
// is the only memory of a bond. Text that fails its checksum is no ring at all, never half a ring.
import Wire

public struct KeyRing: Equatable, Sendable {
    /// More bonds than a household has; a limit, because the kernel takes the list in one packet.
    public static let capacity = 32

    public private(set) var keys: [LongTermKey] = []

    public init() {}

    public func holds(_ peer: Peer) -> Bool { keys.contains { $0.peer == peer } }

    /// Puts a key in the place of the one with the same peer and role. False: the ring is full.
    public mutating func put(_ key: LongTermKey) -> Bool {
        if let i = keys.firstIndex(where: { $0.peer == key.peer && $0.isCentral == key.isCentral }) {
            keys[i] = key
            return true
        }
        guard keys.count < Self.capacity else { return false }
        keys.append(key)
        return true
    }

    public mutating func remove(_ peer: Peer) { keys.removeAll { $0.peer == peer } }

    // MARK: the file's text

    static let title = "nightstand keys 1"

    /// The ring as lines, the last of which is a CRC-32 over all before it.
    public func text(of adapter: Address) -> [UInt8] {
        var lines = "\(Self.title)\nadapter \(adapter.text)\n"
        for key in keys {
            lines += "key \(key.peer.text) \(key.kind) \(key.isCentral ? "central" : "peripheral") \(key.size)"
            lines += " \(digits(UInt64(key.diversifier), 4)) \(digits(key.random, 16)) \(digits(key.low, 16)) \(digits(key.high, 16))\n"
        }
        var bytes = Array(lines.utf8)
        bytes += Array("sum \(digits(UInt64(crc32(bytes.span.bytes)), 8))\n".utf8)
        return bytes
    }

    /// Nil: the text is not whole, not ours, or another adapter's.
    public init?(_ text: [UInt8], adapter: Address) {
        // "sum ", eight digits, a line end.
        guard text.count > 13, text.last == 0x0a else { return nil }
        let body = Array(text.dropLast(13))
        let end = Array(text.suffix(13).dropLast())
        guard body.last == 0x0a, end.starts(with: "sum ".utf8), let sum = number(end.dropFirst(4)), sum == UInt64(crc32(body.span.bytes)) else { return nil }
        let lines = body.split(separator: 0x0a)
        guard lines.count >= 2, lines[0].elementsEqual(Self.title.utf8), lines[1].elementsEqual("adapter \(adapter.text)".utf8) else { return nil }
        for line in lines.dropFirst(2) {
            guard let key = Self.key(line), put(key) else { return nil }
        }
    }

    private static func key(_ line: ArraySlice<UInt8>) -> LongTermKey? {
        let words = line.split(separator: 0x20)
        guard words.count == 10, words[0].elementsEqual("key".utf8), let address = Address(String(decoding: words[1], as: UTF8.self)) else { return nil }
        let random = words[2].elementsEqual("random".utf8), central = words[4].elementsEqual("central".utf8)
        guard random || words[2].elementsEqual("public".utf8), central || words[4].elementsEqual("peripheral".utf8) else { return nil }
        guard let kind = UInt8(String(decoding: words[3], as: UTF8.self)), let size = UInt8(String(decoding: words[5], as: UTF8.self)) else { return nil }
        guard let diversifier = number(words[6]), diversifier <= 0xffff, let rand = number(words[7]), let low = number(words[8]), let high = number(words[9]) else { return nil }
        let key = LongTermKey(peer: Peer(address, random ? .randomLE : .publicLE), kind: kind, isCentral: central, size: size,
            diversifier: UInt16(diversifier), random: rand, low: low, high: high)
        return key.isAcceptable ? key : nil
    }
}

/// Hex of `count` digits, most significant first.
private func digits(_ value: UInt64, _ count: Int) -> String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
}

/// The value of 1...16 hex digits.
private func number(_ digits: some Collection<UInt8>) -> UInt64? {
    guard (1...16).contains(digits.count) else { return nil }
    var value: UInt64 = 0
    for c in digits {
        guard let digit = hexDigit(c) else { return nil }
        value = value << 4 | UInt64(digit)
    }
    return value
}
