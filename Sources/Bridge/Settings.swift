// Owns the configuration: its keys, what each may hold, what holds where nothing is said. Reads text, never a file.
// A key or a value it does not know is an error with its line, never a silent default.
import Wire

public struct Settings: Equatable, Sendable {
    public enum Live: Equatable, Sendable { case always, worn, off }
    public enum Sex: Equatable, Sendable { case female, male }
    public enum Trust: Equatable, Sendable { case auto, trust }

    /// Address of the adapter to use; nil: the first there is.
    public var adapter: Address?
    /// Bytes everything on the card may take together; at least 64 MiB.
    public var ringBytes: Int64 = 512 << 20
    public var live = Live.always
    public var clock = Trust.auto
    /// Label of the GPIO chip; empty: the Pi's.
    public var chip = ""
    /// GPIO numbers on that chip; nil: not wired.
    public var button: Int? = 17
    public var led: Int? = 27
    public var ledRed: Int?
    public var ledGreen: Int?
    public var ledBlue: Int?
    /// Years.
    public var age: Int?
    /// Beats per minute.
    public var hrMax: Int?
    public var restingHR: Int?
    public var sex: Sex?
    public var weight_kg: Double?
    public var height_cm: Double?
    /// Name of a time zone, such as Europe/Berlin; empty: the board's.
    public var timezone = ""
    /// Minutes after local midnight by which last night must have arrived; nil: no alert.
    public var nightBy: Int? = 10 * 60

    public init() {}

    public static let smallestRing: Int64 = 64 << 20
}

/// What is wrong in a configuration, and where.
public struct SettingsError: Error, Equatable, Sendable {
    /// 1...
    public var line: Int
    /// One sentence that says what may stand there.
    public var sentence: String
}

extension Settings {
    /// Reads `key = value` lines; `#` begins a comment. Throws at the first line that is wrong.
    public init(parsing text: [UInt8]) throws(SettingsError) {
        self.init()
        var number = 0
        var seen: [String] = []
        for raw in text.split(separator: 0x0a, omittingEmptySubsequences: false) {
            number += 1
            let line = trimmed(raw.prefix { $0 != 0x23 })
            if line.isEmpty { continue }
            guard let equals = line.firstIndex(of: 0x3d) else {
                throw SettingsError(line: number, sentence: "\"\(string(line))\" is not of the form key = value")
            }
            let key = string(trimmed(line[line.startIndex..<equals]))
            let value = string(trimmed(line[(equals + 1)..<line.endIndex]))
            if seen.contains(key) { throw SettingsError(line: number, sentence: "\(key) stands here a second time") }
            seen.append(key)
            if let problem = set(key, value) { throw SettingsError(line: number, sentence: problem) }
        }
    }

    /// Sets one key. The answer is what is wrong, or nil.
    private mutating func set(_ key: String, _ value: String) -> String? {
        var must: String?
        switch key {
        case "adapter":
            adapter = value == "auto" ? nil : Address(value)
            if adapter == nil, value != "auto" { must = "an adapter's address such as B8:27:EB:12:34:56, or auto" }
        case "ring_bytes":
            ringBytes = size(value) ?? 0
            if ringBytes < Self.smallestRing { must = "a size of at least 64M, such as 512M or 2G" }
        case "live":
            switch value {
            case "always": live = .always
            case "worn": live = .worn
            case "off": live = .off
            default: must = "always, worn or off"
            }
        case "clock":
            switch value {
            case "auto": clock = .auto
            case "trust": clock = .trust
            default: must = "auto or trust"
            }
        case "gpio_chip": chip = value == "auto" ? "" : value
        case "button": (button, must) = line(value)
        case "led": (led, must) = line(value)
        case "led_red": (ledRed, must) = line(value)
        case "led_green": (ledGreen, must) = line(value)
        case "led_blue": (ledBlue, must) = line(value)
        case "age": (age, must) = whole(value, 10, 110, "years")
        case "hr_max": (hrMax, must) = whole(value, 100, 230, "bpm")
        case "resting_hr": (restingHR, must) = whole(value, 25, 120, "bpm")
        case "sex":
            switch value {
            case "female": sex = .female
            case "male": sex = .male
            default: must = "female or male"
            }
        case "weight_kg": (weight_kg, must) = number(value, 20, 300, "kg")
        case "height_cm": (height_cm, must) = number(value, 100, 250, "cm")
        case "timezone": timezone = value
        case "night_by":
            nightBy = value == "off" ? nil : timeOfDay(value)
            if nightBy == nil, value != "off" { must = "a time such as 10:00, or off" }
        default:
            return "\(key) is not a key; the keys are in the configuration that was installed, and in Docs/OPERATIONS.md"
        }
        return must.map { "\(key) = \(value): must be \($0)" }
    }
}

// A value, and what it must be where it is not: one of the two is nil.

private func whole(_ text: String, _ low: Int, _ high: Int, _ unit: String) -> (Int?, String?) {
    guard let n = Int(text), n >= low, n <= high else { return (nil, "a whole number \(low) to \(high) \(unit)") }
    return (n, nil)
}

private func number(_ text: String, _ low: Int, _ high: Int, _ unit: String) -> (Double?, String?) {
    guard let n = decimal(text), n >= Double(low), n <= Double(high) else { return (nil, "a number \(low) to \(high) \(unit)") }
    return (n, nil)
}

private func line(_ text: String) -> (Int?, String?) {
    if text == "none" { return (nil, nil) }
    guard let n = Int(text), n >= 0, n <= 53 else { return (nil, "a GPIO number 0 to 53, or none") }
    return (n, nil)
}

/// `512M`, `2G`, `1048576`, in bytes; K, M and G count 1024.
private func size(_ text: String) -> Int64? {
    var digits = Array(text.utf8)
    var shift: Int64 = 0
    switch digits.last {
    case 0x4b: shift = 10
    case 0x4d: shift = 20
    case 0x47: shift = 30
    default: break
    }
    if shift > 0 { digits.removeLast() }
    guard let n = Int64(string(digits[...])), n >= 0, n < 1 << 32 || shift == 0 else { return nil }
    return n << shift
}

/// `82` or `82.5`. `Double(String)` would need a C function that the Embedded library leaves to the platform.
private func decimal(_ text: String) -> Double? {
    let parts = Array(text.utf8).split(separator: 0x2e, omittingEmptySubsequences: false)
    guard let whole = parts.first.flatMap({ Int(string($0)) }), whole >= 0, parts.count <= 2 else { return nil }
    guard parts.count == 2 else { return Double(whole) }
    guard parts[1].count <= 3, let fraction = UInt(string(parts[1])) else { return nil }
    var scale = 1.0
    for _ in parts[1] { scale *= 10 }
    return Double(whole) + Double(fraction) / scale
}

/// `HH:MM` in minutes.
private func timeOfDay(_ text: String) -> Int? {
    let parts = Array(text.utf8).split(separator: 0x3a, omittingEmptySubsequences: false)
    guard parts.count == 2, let h = Int(string(parts[0])), let m = Int(string(parts[1])), parts[1].count == 2,
        (0...23).contains(h), (0...59).contains(m) else { return nil }
    return h * 60 + m
}

private func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var slice = bytes
    while let first = slice.first, first == 0x20 || first == 0x09 || first == 0x0d { slice.removeFirst() }
    while let last = slice.last, last == 0x20 || last == 0x09 || last == 0x0d { slice.removeLast() }
    return slice
}

private func string(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
