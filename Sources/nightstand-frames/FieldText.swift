// Owns a frame's fields as words for people: name=value with blanks between. `~` after a value: its meaning was worked
// out from the data of few straps. `?`: one source only, or sources disagree. `-` is a field whose value failed its gate.
import Whoop
import Wire

/// Collects the words of one frame.
struct FieldText: FieldSink {
    private(set) var words = Letters()
    /// Whether fields of unknown meaning are shown too, and series as a whole.
    private let showsAll: Bool
    /// Whether serial numbers, names and addresses are shown; otherwise how long they are.
    private let showsIdentity: Bool

    init(showsAll: Bool, showsIdentity: Bool) {
        self.showsAll = showsAll
        self.showsIdentity = showsIdentity
    }

    mutating func removeAll() { words.removeAll() }

    mutating func field(_ name: StaticString, _ value: Int64?, _ confidence: Confidence) {
        guard begin(name, confidence) else { return }
        if let value {
            if Self.isTime(name), value >= 1_000_000_000 { words.put(WallTime(seconds: value).utc) } else { words.put(value) }
        } else {
            words.put("-")
        }
        mark(confidence)
    }

    mutating func field(_ name: StaticString, _ value: Int64?, places: Int, _ confidence: Confidence) {
        guard begin(name, confidence) else { return }
        if let value { words.put(value, places: places) } else { words.put("-") }
        mark(confidence)
    }

    mutating func field(_ name: StaticString, real value: Float?, _ confidence: Confidence) {
        guard begin(name, confidence) else { return }
        if let value { thousandths(value) } else { words.put("-") }
        mark(confidence)
    }

    mutating func field(_ name: StaticString, _ value: Vector?, _ confidence: Confidence) {
        guard begin(name, confidence) else { return }
        if let value {
            thousandths(value.x)
            words.put(",")
            thousandths(value.y)
            words.put(",")
            thousandths(value.z)
        } else {
            words.put("-")
        }
        mark(confidence)
    }

    mutating func field(_ name: StaticString, version: Version) {
        guard begin(name, .established) else { return }
        words.put(version.text)
    }

    mutating func field(_ name: StaticString, word: StaticString, _ confidence: Confidence) {
        guard begin(name, confidence) else { return }
        words.put(word)
        mark(confidence)
    }

    mutating func field(_ name: StaticString, text: RawSpan, _ confidence: Confidence) {
        guard begin(name, confidence) else { return }
        words.put("\"")
        words.put(plain: text)
        words.put("\"")
        mark(confidence)
    }

    mutating func field(_ name: StaticString, identity: RawSpan, _ confidence: Confidence) {
        if showsIdentity { return field(name, text: identity, confidence) }
        hide(name, identity, confidence)
    }

    mutating func field(_ name: StaticString, identityHex: RawSpan, _ confidence: Confidence) {
        if showsIdentity { return field(name, hex: identityHex, confidence) }
        hide(name, identityHex, confidence)
    }

    mutating func field(_ name: StaticString, hex: RawSpan, _ confidence: Confidence) {
        guard hex.byteCount > 0, begin(name, confidence) else { return }
        words.put(hex: hex)
        mark(confidence)
    }

    mutating func field(_ name: StaticString, _ values: borrowing Series, _ confidence: Confidence) {
        guard begin(name, confidence) else { return }
        if values.isAbsent { return words.put("-") }
        let shown = showsAll || values.count <= 8 ? values.count : 3
        for i in 0..<shown {
            if i > 0 { words.put(",") }
            if let value = values[i] { words.put(Int64(value)) } else { words.put("-") }
        }
        if values.count == 0 { words.put("none") }
        if shown < values.count {
            words.put("...(")
            words.put(Int64(values.count))
            words.put(")")
        }
        mark(confidence)
    }

    mutating func begin(_ part: StaticString, _ number: Int) {
        words.put(" ")
        words.put(part)
        words.put("_")
        words.put(Int64(number))
        words.put("(")
    }

    mutating func end() { words.put(" )") }

    private mutating func begin(_ name: StaticString, _ confidence: Confidence) -> Bool {
        guard showsAll || confidence != .unknown else { return false }
        words.put(" ")
        words.put(name)
        words.put("=")
        return true
    }

    private mutating func hide(_ name: StaticString, _ bytes: RawSpan, _ confidence: Confidence) {
        guard begin(name, confidence) else { return }
        words.put("(")
        words.put(Int64(bytes.byteCount))
        words.put(" bytes)")
    }

    private mutating func mark(_ confidence: Confidence) {
        switch confidence {
        case .established, .unknown: break
        case .derived: words.put("~")
        case .single, .disputed: words.put("?")
        }
    }

    /// Rounded to a thousandth where it is small enough for that.
    private mutating func thousandths(_ value: Float) {
        guard value.isFinite, abs(value) < 1e9 else { return words.put(value) }
        words.put(Int64((value * 1000).rounded()), places: 3)
    }

    private static func isTime(_ name: StaticString) -> Bool {
        name.withUTF8Buffer { text in
            let unix: [UInt8] = [0x75, 0x6e, 0x69, 0x78]
            return text.count >= 4 && text[(text.count - 4)...].elementsEqual(unix)
        }
    }
}
