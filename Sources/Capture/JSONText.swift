// Owns finding frames in JSON and JSON lines, wherever they are: public captures agree on no keys, so values are looked at.
// A string of hex that begins with AA is a notification; one that does not goes on with a frame only in the same array,
// or under the same key. Reads by itself and not with SQLite's json_tree: that wants one document, copies it whole, builds
// a tree several times its size, and of a broken one says neither where nor what came before. Here a file of any size
// costs one pass and no memory, and a broken line costs that line.
import Wire

final class JSONText {
    /// Levels of arrays and objects; captures have about five.
    private static var deepest: Int { 256 }
    /// Hex digits of the shortest string that begins a frame: eight bytes. A device address has six.
    private static var shortest: Int { 16 }

    private enum Expected { case value, firstValue, key, firstKey, colon, comma }

    private struct Level {
        var isObject: Bool
        /// Where it begins in the file.
        var start: Int
        /// The key under which values come now.
        var key: Range<Int>
    }

    /// Which strings may go on with each other: those of one array, or those under one key at one depth.
    private struct Source {
        var array: Int
        var key: Range<Int>
        var depth: Int
    }

    private let intake: Intake
    private let finder: FrameFinder
    private let digits: HexDigits
    private var levels: [Level] = []
    private var expected = Expected.value
    private var at = 0
    private var line = 1
    private var source = Source(array: 0, key: 0..<0, depth: 0)
    /// The line last found malformed; told once.
    private var brokenLine = 0

    init(_ intake: Intake) {
        self.intake = intake
        finder = FrameFinder(intake)
        digits = HexDigits(finder)
    }

    func read(_ bytes: RawSpan) {
        intake.report.format = .json
        at = afterByteOrderMark(bytes)
        while at < bytes.byteCount {
            let c = bytes.u8(at: at)
            at += 1
            switch c {
            case 0x0a: newLine(bytes)
            case 0x20, 0x09, 0x0d, 0x0c, 0x1e: break
            case 0x22: string(bytes)
            case 0x7b, 0x5b:
                guard levels.count < Self.deepest else {
                    intake.note(.deepJSON, at: Place(.line, line))
                    return finish()
                }
                open(isObject: c == 0x7b)
            case 0x7d, 0x5d: close(isObject: c == 0x7d)
            case 0x3a:
                if expected != .colon { broken() }
                expected = .value
            case 0x2c: comma()
            default: literal(bytes, c)
            }
        }
        if !levels.isEmpty { broken() }
        finish()
    }

    private func finish() {
        intake.report.length = line
        finder.finish()
    }

    private func broken() {
        guard brokenLine != line else { return }
        brokenLine = line
        intake.note(.malformedJSON, at: Place(.line, line))
    }

    /// After a broken line, a line that begins an object or array is believed to begin a document.
    private func newLine(_ bytes: RawSpan) {
        line += 1
        guard brokenLine == line - 1, bytes.u8(at: at) == 0x7b || bytes.u8(at: at) == 0x5b else { return }
        levels.removeAll(keepingCapacity: true)
        expected = .value
    }

    // MARK: structure

    private func open(isObject: Bool) {
        if expected != .value, expected != .firstValue { broken() }
        levels.append(Level(isObject: isObject, start: at, key: 0..<0))
        expected = isObject ? .firstKey : .firstValue
    }

    private func close(isObject: Bool) {
        if let level = levels.popLast() {
            let mayEnd = expected == .comma || expected == (isObject ? .firstKey : .firstValue)
            if level.isObject != isObject || !mayEnd { broken() }
        } else {
            broken()
        }
        endValue()
    }

    private func comma() {
        guard let level = levels.last else {
            // Between documents some programs write one.
            expected = .value
            return
        }
        if expected != .comma { broken() }
        expected = level.isObject ? .key : .value
    }

    private func endValue() { expected = levels.isEmpty ? .value : .comma }

    /// A number, or true, false, null.
    private func literal(_ bytes: RawSpan, _ first: UInt8) {
        switch first {
        case 0x30...0x39, 0x2b, 0x2d, 0x41...0x5a, 0x61...0x7a: break
        default: return broken()
        }
        if expected != .value, expected != .firstValue { broken() }
        while at < bytes.byteCount {
            switch bytes.u8(at: at) {
            case 0x30...0x39, 0x2b, 0x2d, 0x2e, 0x41...0x5a, 0x61...0x7a: at += 1
            default: return endValue()
            }
        }
        endValue()
    }

    // MARK: strings

    private func string(_ bytes: RawSpan) {
        let start = at
        var end = at
        search: while end < bytes.byteCount {
            switch bytes.u8(at: end) {
            case 0x22, 0x0a: break search
            case 0x5c: end += bytes.u8(at: end + 1) == 0x0a ? 1 : 2
            default: end += 1
            }
        }
        end = min(end, bytes.byteCount)
        at = end
        if bytes.u8(at: end) == 0x22 { at += 1 } else { broken() }

        switch expected {
        case .key, .firstKey:
            if let last = levels.indices.last { levels[last].key = start..<end }
            expected = .colon
        case .value, .firstValue:
            value(bytes, start..<end)
            endValue()
        case .colon, .comma:
            broken()
            endValue()
        }
    }

    private func value(_ bytes: RawSpan, _ range: Range<Int>) {
        let text = bytes.extracting(range)
        let count = hexDigits(text)
        guard count > 0 else { return }
        let here = currentSource
        let place = Place(.line, line)
        // A string may be the rest of a frame that began where this one is; elsewhere it is not.
        if finder.isWaiting, areOne(here, source, bytes) {
            digits.feed(text, at: place)
        } else if count >= Self.shortest, beginsWithAA(text) {
            let before = finder.beginnings
            digits.begin(text, at: place)
            if finder.beginnings != before { source = here }
        }
    }

    private var currentSource: Source {
        var source = Source(array: 0, key: 0..<0, depth: levels.count)
        guard let last = levels.last else { return source }
        if last.isObject { source.key = last.key } else { source.array = last.start }
        return source
    }

    private func areOne(_ a: Source, _ b: Source, _ bytes: RawSpan) -> Bool {
        a.depth == b.depth && a.array == b.array && bytes.extracting(a.key).equals(bytes.extracting(b.key))
    }

    private func beginsWithAA(_ text: RawSpan) -> Bool {
        let at = text.u8(at: 0) == 0x30 && text.u8(at: 1) | 0x20 == 0x78 ? 2 : 0
        return hexDigit(text.u8(at: at)) == 10 && hexDigit(text.u8(at: at + 1)) == 10
    }

    /// The number of hex digits, where the text is nothing but pairs of them with one separator between; else 0.
    private func hexDigits(_ text: RawSpan) -> Int {
        var count = 0
        var i = 0
        while i < text.byteCount {
            if count % 2 == 0, text.u8(at: i) == 0x30, text.u8(at: i + 1) | 0x20 == 0x78 { i += 2 }
            guard hexDigit(text.u8(at: i)) != nil, hexDigit(text.u8(at: i + 1)) != nil else { return 0 }
            count += 2
            i += 2
            switch text.u8(at: i) {
            case 0x20, 0x3a, 0x2d, 0x2c: i += i + 1 < text.byteCount ? 1 : 0
            default: break
            }
        }
        return count
    }
}
