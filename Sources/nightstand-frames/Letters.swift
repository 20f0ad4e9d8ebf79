// Owns text that is put together byte by byte in one buffer, for output that comes by the thousand lines: cleared, it
// keeps its memory.
import Wire

/// A line, or part of one, being written.
struct Letters: Sendable {
    private(set) var bytes: [UInt8] = []

    init() {}

    var isEmpty: Bool { bytes.isEmpty }

    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    mutating func put(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    mutating func put(_ text: String) { bytes.append(contentsOf: text.utf8) }

    mutating func put(_ other: Letters) { bytes.append(contentsOf: other.bytes) }

    mutating func put(byte: UInt8) { bytes.append(byte) }

    mutating func put(_ value: Int64) { put("\(value)") }

    /// `value` in units of 10 to the power of minus `places`, all places written.
    mutating func put(_ value: Int64, places: Int) {
        var scale: UInt64 = 1
        for _ in 0..<places { scale *= 10 }
        if value < 0 { put(byte: 0x2d) }
        put("\(value.magnitude / scale)")
        guard places > 0 else { return }
        put(byte: 0x2e)
        var rest = value.magnitude % scale
        for _ in 0..<places {
            scale /= 10
            put(byte: 0x30 + UInt8(rest / scale))
            rest %= scale
        }
    }

    /// The shortest decimal that is this number again; zero for what is none.
    mutating func put(_ value: Float) { put(value.isFinite ? "\(value)" : "0") }

    mutating func put(hex: RawSpan) {
        for i in 0..<hex.byteCount {
            let byte = hex.u8(at: i)
            for digit in [byte >> 4, byte & 15] { put(byte: digit < 10 ? 0x30 + digit : 0x57 + digit) }
        }
    }

    /// Text from the air between quotation marks: `\n` for an end of line, a backslash before what would end or change it,
    /// `?` for all else but printable ASCII.
    mutating func put(plain text: RawSpan) {
        for i in 0..<text.byteCount {
            let c = text.u8(at: i)
            switch c {
            case 0x0a: put("\\n")
            case 0x22, 0x5c:
                put(byte: 0x5c)
                put(byte: c)
            default: put(byte: c >= 0x20 && c < 0x7f ? c : 0x3f)
            }
        }
    }
}
