// Owns turning hex text into bytes, a buffer at a time: a value in text may be longer than anything that is held.
import Wire

/// Hex text on its way to frames.
final class HexDigits {
    private let finder: FrameFinder
    private var bytes = InlineArray<4096, UInt8>(repeating: 0)

    init(_ finder: FrameFinder) { self.finder = finder }

    /// Feeds the bytes that the digits in `text` stand for. Whatever is no digit, and `0x`, only separates.
    /// The caller has seen that the digits come in pairs.
    func feed(_ text: RawSpan, at place: Place) {
        read(text) { finder.feed($0, at: place) }
    }

    /// The same for a value that does not go on with what is waited for.
    func begin(_ text: RawSpan, at place: Place) {
        var isFirst = true
        read(text) {
            if isFirst { finder.begin($0, at: place) } else { finder.feed($0, at: place) }
            isFirst = false
        }
    }

    private func read(_ text: RawSpan, _ feed: (RawSpan) -> Void) {
        var count = 0
        var high: UInt8?
        var i = 0
        while i < text.byteCount {
            let c = text.u8(at: i)
            i += 1
            // The zero of a prefix is no digit of the value.
            if c == 0x30, high == nil, text.u8(at: i) | 0x20 == 0x78 { continue }
            guard let digit = hexDigit(c) else { continue }
            guard let first = high else { high = digit; continue }
            bytes[count] = first << 4 | digit
            high = nil
            count += 1
            if count == 4096 {
                feed(bytes.span.bytes)
                count = 0
            }
        }
        if count > 0 { feed(bytes.span.bytes.extracting(first: count)) }
    }
}
