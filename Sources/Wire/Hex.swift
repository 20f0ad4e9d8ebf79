// Owns hexadecimal text, and text from outside made safe to show.

/// The value of one hex digit given as ASCII, or nil.
public func hexDigit(_ c: UInt8) -> UInt8? {
    switch c {
    case 0x30...0x39: c - 0x30
    case 0x41...0x46: c - 0x41 + 10
    case 0x61...0x66: c - 0x61 + 10
    default: nil
    }
}

/// Two hex digits for one byte.
public func hexPair(_ byte: UInt8, uppercase: Bool = false) -> String {
    let text = String(byte, radix: 16, uppercase: uppercase)
    return byte < 16 ? "0" + text : text
}

/// At most 64 characters of text that came over the air, with `?` for all but printable ASCII: what a terminal would obey
/// is not passed on.
public func printable(_ bytes: RawSpan) -> String {
    var out: [UInt8] = []
    for i in 0..<min(64, bytes.byteCount) { out.append((0x20...0x7e).contains(bytes.u8(at: i)) ? bytes.u8(at: i) : 0x3f) }
    return String(decoding: out, as: UTF8.self)
}

/// Lower-case hex of all bytes.
public func hex(_ bytes: RawSpan) -> String {
    var text = ""
    for i in 0..<bytes.byteCount { text += hexPair(bytes.u8(at: i)) }
    return text
}

/// The bytes of hex text (blanks allowed between pairs), or nil when it is not hex.
public func bytes(hex text: some StringProtocol) -> [UInt8]? {
    var out: [UInt8] = []
    var high: UInt8?
    for c in text.utf8 {
        if c == 0x20 || c == 0x0d || c == 0x0a || c == 0x09 { continue }
        guard let digit = hexDigit(c) else { return nil }
        if let h = high { out.append(h << 4 | digit); high = nil } else { high = digit }
    }
    return high == nil ? out : nil
}
