// Owns the names in the strap's two stores of settings (WHOOP.md 5.10). They are only ever read: a setting that is written
// stays, and no feature here needs one.
import Wire

/// A store of settings.
public enum KeyStore: UInt8, Sendable, BitwiseCopyable {
    case device, flags
}

/// A key's name, 1 to 31 ASCII characters, as 32 bytes with zeros after it.
public struct StrapKey: Equatable, Sendable, BitwiseCopyable {
    private var words = InlineArray<4, UInt64>(repeating: 0)

    /// Nil when the name is empty, longer than 31 characters, or not printable ASCII without blanks.
    public init?(_ name: String) {
        var count = 0
        for c in name.utf8 {
            guard c > 0x20, c < 0x7f, count < 31 else { return nil }
            words[count / 8] |= UInt64(c) << (8 * UInt64(count % 8))
            count += 1
        }
        guard count > 0 else { return nil }
    }

    public static func == (a: StrapKey, b: StrapKey) -> Bool {
        for i in 0..<4 where a.words[i] != b.words[i] { return false }
        return true
    }

    func append(to packet: inout Packet) {
        for i in 0..<4 { packet.u64(words[i]) }
    }
}
