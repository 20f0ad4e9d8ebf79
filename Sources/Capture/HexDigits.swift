// Owns turning hex text into bytes, a buffer at a time: a value in text may be longer than anything that is held.
import Wire

/// Hex text on its way to frames.
final class HexDigits {
    private let finder: FrameFinder
    private let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 16)

    init(_ finder: FrameFinder) { self.finder = finder }

    deinit { bytes.deallocate() }

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
        var i = 0
        while i < text.byteCount {
            // Neither digit of a pair stands alone: a separator and the prefix lie between pairs.
            guard let high = hexDigit(text.u8(at: i)), let low = hexDigit(text.u8(at: i + 1)) else { i += 1; continue }
            i += 2
            bytes[count] = high << 4 | low
            count += 1
            if count == bytes.count {
                feed(UnsafeRawBufferPointer(bytes).bytes)
                count = 0
            }
        }
        if count > 0 { feed(UnsafeRawBufferPointer(rebasing: bytes[..<count]).bytes) }
    }
}
