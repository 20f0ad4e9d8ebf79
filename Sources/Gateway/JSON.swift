// Owns the little JSON the control socket speaks: an object of plain values, one line each way. Documents of people
// are not read here.

/// Writes one object, field by field.
public struct JSONWriter: Sendable {
    private var text = "{"

    public init() {}

    public mutating func field(_ name: StaticString, _ value: String) {
        begin(name)
        text += quoted(value)
    }

    public mutating func field(_ name: StaticString, _ value: Bool) {
        begin(name)
        text += value ? "true" : "false"
    }

    public mutating func field(_ name: StaticString, _ value: Int64) {
        begin(name)
        text += "\(value)"
    }

    /// Null where there is no value.
    public mutating func field(_ name: StaticString, _ value: Int64?) {
        guard let value else { return null(name) }
        field(name, value)
    }

    public mutating func null(_ name: StaticString) {
        begin(name)
        text += "null"
    }

    /// Text that is JSON already.
    public mutating func raw(_ name: StaticString, _ json: String) {
        begin(name)
        text += json
    }

    public func closed() -> String { text + "}" }

    private mutating func begin(_ name: StaticString) {
        if text.utf8.count > 1 { text += "," }
        text += "\"\(name)\":"
    }
}

/// A JSON string with its quotation marks.
public func quoted(_ value: String) -> String {
    var out: [UInt8] = [0x22]
    for c in value.utf8 {
        switch c {
        case 0x22: out += [0x5c, 0x22]
        case 0x5c: out += [0x5c, 0x5c]
        case 0x0a: out += [0x5c, 0x6e]
        case 0x0d: out += [0x5c, 0x72]
        case 0x09: out += [0x5c, 0x74]
        case 0..<0x20:
            let hex: [UInt8] = Array("0123456789abcdef".utf8)
            out += Array("\\u00".utf8)
            out += [hex[Int(c >> 4)], hex[Int(c & 15)]]
        default: out.append(c)
        }
    }
    out.append(0x22)
    return String(decoding: out, as: UTF8.self)
}

/// One object read: its members as text. Strings are unescaped, other values are as they stand; members that are
/// objects or arrays are kept as their JSON text.
public struct JSONObject: Sendable {
    private var members: [(name: String, value: String)] = []

    public func text(_ name: StaticString) -> String? {
        for member in members where member.name == "\(name)" { return member.value }
        return nil
    }

    /// Nil when the line is not one JSON object, is longer than 64 KiB, or is nested more than four deep.
    public init?(_ line: [UInt8]) {
        guard line.count <= 65_536 else { return nil }
        var reader = JSONReader(line)
        guard reader.take(0x7b) else { return nil }
        if reader.take(0x7d) {
            guard reader.isAtEnd else { return nil }
            return
        }
        while true {
            guard let name = reader.string(), reader.take(0x3a), let value = reader.value(depth: 0) else { return nil }
            members.append((name, value))
            if reader.take(0x2c) { continue }
            guard reader.take(0x7d), reader.isAtEnd else { return nil }
            return
        }
    }
}

private struct JSONReader {
    let bytes: [UInt8]
    var at = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func blanks() {
        while at < bytes.count, bytes[at] == 0x20 || bytes[at] == 0x09 || bytes[at] == 0x0a || bytes[at] == 0x0d { at += 1 }
    }

    var isAtEnd: Bool {
        mutating get {
            blanks()
            return at == bytes.count
        }
    }

    mutating func take(_ c: UInt8) -> Bool {
        blanks()
        guard at < bytes.count, bytes[at] == c else { return false }
        at += 1
        return true
    }

    mutating func string() -> String? {
        guard take(0x22) else { return nil }
        var out: [UInt8] = []
        while at < bytes.count {
            let c = bytes[at]
            at += 1
            if c == 0x22 { return String(decoding: out, as: UTF8.self) }
            guard c == 0x5c else { out.append(c); continue }
            guard at < bytes.count else { return nil }
            let e = bytes[at]
            at += 1
            switch e {
            case 0x6e: out.append(0x0a)
            case 0x72: out.append(0x0d)
            case 0x74: out.append(0x09)
            case 0x62: out.append(0x08)
            case 0x66: out.append(0x0c)
            case 0x75:
                guard let unit = hexUnit() else { return nil }
                var scalar = unit
                if unit >= 0xd800, unit < 0xdc00, at + 1 < bytes.count, bytes[at] == 0x5c, bytes[at + 1] == 0x75 {
                    at += 2
                    guard let low = hexUnit(), low >= 0xdc00, low < 0xe000 else { return nil }
                    scalar = 0x10000 + (unit - 0xd800) << 10 + (low - 0xdc00)
                }
                guard let u = Unicode.Scalar(scalar) else { return nil }
                out += Array(String(Character(u)).utf8)
            default: out.append(e)
            }
        }
        return nil
    }

    private mutating func hexUnit() -> UInt32? {
        guard at + 4 <= bytes.count else { return nil }
        var value: UInt32 = 0
        for _ in 0..<4 {
            let c = bytes[at]
            at += 1
            switch c {
            case 0x30...0x39: value = value << 4 | UInt32(c - 0x30)
            case 0x41...0x46: value = value << 4 | UInt32(c - 0x37)
            case 0x61...0x66: value = value << 4 | UInt32(c - 0x57)
            default: return nil
            }
        }
        return value
    }

    /// A value as text.
    mutating func value(depth: Int) -> String? {
        blanks()
        guard at < bytes.count, depth <= 4 else { return nil }
        let from = at
        switch bytes[at] {
        case 0x22:
            guard let s = string() else { return nil }
            return depth == 0 ? s : ""
        case 0x7b, 0x5b:
            let isObject = bytes[at] == 0x7b
            let close: UInt8 = isObject ? 0x7d : 0x5d
            at += 1
            if take(close) { return String(decoding: bytes[from..<at], as: UTF8.self) }
            while true {
                if isObject { guard string() != nil, take(0x3a) else { return nil } }
                guard value(depth: depth + 1) != nil else { return nil }
                if take(0x2c) { continue }
                guard take(close) else { return nil }
                return String(decoding: bytes[from..<at], as: UTF8.self)
            }
        default:
            while at < bytes.count, bytes[at] != 0x2c, bytes[at] != 0x7d, bytes[at] != 0x5d, bytes[at] > 0x20 { at += 1 }
            return at > from ? String(decoding: bytes[from..<at], as: UTF8.self) : nil
        }
    }
}
