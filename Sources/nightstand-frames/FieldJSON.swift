// Owns a frame's fields as members of a JSON object. Values are plain; how sure a meaning is stands apart, in one member
// `confidence` that names every field whose meaning is not established. Null is a field whose value failed its gate.
import Gateway
import Whoop
import Wire

/// Collects the members of one frame.
struct FieldJSON: FieldSink {
    /// `"name":value,...` without the braces.
    private(set) var members = Letters()
    private var doubts = Letters()
    private var path = Letters()
    /// Whether serial numbers, names and addresses are written; otherwise how long they are.
    private let showsIdentity: Bool
    private var isFirst = true

    init(showsIdentity: Bool) { self.showsIdentity = showsIdentity }

    mutating func removeAll() {
        members.removeAll()
        doubts.removeAll()
        path.removeAll()
        isFirst = true
    }

    /// Ends the object: the confidence of what is not established.
    mutating func finish() {
        guard !doubts.isEmpty else { return }
        name("confidence")
        members.put(byte: 0x7b)
        members.put(doubts)
        members.put(byte: 0x7d)
    }

    mutating func field(_ name: StaticString, _ value: Int64?, _ confidence: Confidence) {
        begin(name, confidence)
        if let value { members.put(value) } else { members.put("null") }
    }

    mutating func field(_ name: StaticString, _ value: Int64?, places: Int, _ confidence: Confidence) {
        begin(name, confidence)
        if let value { members.put(value, places: places) } else { members.put("null") }
    }

    mutating func field(_ name: StaticString, real value: Float?, _ confidence: Confidence) {
        begin(name, confidence)
        if let value, value.isFinite { members.put(value) } else { members.put("null") }
    }

    mutating func field(_ name: StaticString, _ value: Vector?, _ confidence: Confidence) {
        begin(name, confidence)
        guard let value else { return members.put("null") }
        members.put("[")
        members.put(value.x)
        members.put(",")
        members.put(value.y)
        members.put(",")
        members.put(value.z)
        members.put("]")
    }

    mutating func field(_ name: StaticString, version: Version) {
        begin(name, .established)
        members.put("\"")
        members.put(version.text)
        members.put("\"")
    }

    mutating func field(_ name: StaticString, word: StaticString, _ confidence: Confidence) {
        begin(name, confidence)
        members.put("\"")
        members.put(word)
        members.put("\"")
    }

    mutating func field(_ name: StaticString, text: RawSpan, _ confidence: Confidence) {
        begin(name, confidence)
        members.put(quoted(text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }))
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
        begin(name, confidence)
        members.put("\"")
        members.put(hex: hex)
        members.put("\"")
    }

    mutating func field(_ name: StaticString, _ values: borrowing Series, _ confidence: Confidence) {
        begin(name, confidence)
        guard !values.isAbsent else { return members.put("null") }
        members.put("[")
        for i in 0..<values.count {
            if i > 0 { members.put(",") }
            if let value = values[i] { members.put(Int64(value)) } else { members.put("null") }
        }
        members.put("]")
    }

    mutating func begin(_ part: StaticString, _ number: Int) {
        comma()
        members.put("\"")
        members.put(part)
        members.put("_")
        members.put(Int64(number))
        members.put("\":{")
        path.put(part)
        path.put("_")
        path.put(Int64(number))
        path.put(".")
        isFirst = true
    }

    mutating func end() {
        members.put("}")
        // Parts lie in parts: the path loses its last step.
        var steps = path.bytes.dropLast()
        while let last = steps.last, last != 0x2e { steps = steps.dropLast() }
        path.removeAll()
        for byte in steps { path.put(byte: byte) }
        isFirst = false
    }

    private mutating func begin(_ name: StaticString, _ confidence: Confidence) {
        self.name(name)
        guard confidence != .established else { return }
        if !doubts.isEmpty { doubts.put(",") }
        doubts.put("\"")
        doubts.put(path)
        doubts.put(name)
        doubts.put("\":\"")
        doubts.put(confidence.word)
        doubts.put("\"")
    }

    private mutating func hide(_ name: StaticString, _ bytes: RawSpan, _ confidence: Confidence) {
        begin(name, confidence)
        members.put("\"(")
        members.put(Int64(bytes.byteCount))
        members.put(" bytes)\"")
    }

    private mutating func name(_ name: StaticString) {
        comma()
        members.put("\"")
        members.put(name)
        members.put("\":")
    }

    private mutating func comma() {
        if !isFirst { members.put(",") }
        isFirst = false
    }
}
