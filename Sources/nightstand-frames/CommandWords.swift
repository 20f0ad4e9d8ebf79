// Owns the words by which a person names a command to the strap. A word leads to a case of `Command` and to nothing else:
// there is no word for a number.
import Whoop
import Wire

/// What some words came to.
enum NamedCommand {
    case command(Command)
    /// No command has this name.
    case unknown
    /// The command is known; what it needs is said.
    case wrong(String)
}

/// Name, what follows it, and what it does.
struct CommandWord {
    var name: StaticString
    var needs: StaticString
    var does: StaticString
}

func commandWords() -> [CommandWord] {
    [
        CommandWord(name: "hello", needs: "", does: "who the strap is"),
        CommandWord(name: "get-battery", needs: "", does: "charge; on 4.0 also what triggers bonding"),
        CommandWord(name: "get-clock", needs: "", does: "the strap's clock"),
        CommandWord(name: "set-clock", needs: "TIME", does: "sets it"),
        CommandWord(name: "get-data-range", needs: "", does: "what history there is"),
        CommandWord(name: "send-history", needs: "", does: "starts an offload"),
        CommandWord(name: "burst-stored", needs: "TOKEN", does: "releases a burst (8 bytes of hex, as its END has them)"),
        CommandWord(name: "burst-failed", needs: "", does: "asks for the burst again"),
        CommandWord(name: "abort-history", needs: "", does: "stops an offload"),
        CommandWord(name: "realtime", needs: "on|off", does: "live heart rate"),
        CommandWord(name: "motion", needs: "on|off", does: "live motion at 100 Hz"),
        CommandWord(name: "raw-stream-off", needs: "", does: "stops the flood of raw frames (4.0)"),
        CommandWord(name: "stop-raw-data", needs: "", does: "stops raw collection"),
        CommandWord(name: "set-alarm", needs: "TIME [SLOT]", does: "sets an alarm in the strap"),
        CommandWord(name: "get-alarm", needs: "[SLOT]", does: "reads it"),
        CommandWord(name: "run-alarm", needs: "[SLOT]", does: "buzzes now"),
        CommandWord(name: "disable-alarm", needs: "[SLOT]", does: "disables one, or all"),
        CommandWord(name: "buzz", needs: "[LOOPS [PATTERN]]", does: "a short buzz (pattern 0 to 6 on 4.0)"),
        CommandWord(name: "stop-haptics", needs: "", does: "stops it"),
        CommandWord(name: "get-patterns", needs: "", does: "the patterns it has (4.0)"),
        CommandWord(name: "get-name", needs: "", does: "the advertised name"),
        CommandWord(name: "get-version", needs: "", does: "firmware versions (4.0)"),
        CommandWord(name: "get-body-location", needs: "", does: "where it is worn"),
        CommandWord(name: "get-extended-battery", needs: "", does: "the battery in detail (4.0)"),
        CommandWord(name: "get-pack-info", needs: "", does: "the battery pack (5.0)"),
        CommandWord(name: "get-gyroscope", needs: "", does: "whether it runs (5.0)"),
        CommandWord(name: "get-optics", needs: "drive|gain|offset", does: "the optical front end (4.0)"),
        CommandWord(name: "get-front-end", needs: "", does: "its parameters"),
        CommandWord(name: "get-key-count", needs: "device|flags", does: "how many settings a store has"),
        CommandWord(name: "get-next-key", needs: "device|flags", does: "the next one's name"),
        CommandWord(name: "get-value", needs: "device|flags KEY", does: "a setting's value"),
        CommandWord(name: "exit-high-frequency-sync", needs: "", does: "safe at any time"),
        CommandWord(name: "greet", needs: "", does: "a greeting (4.0)"),
    ]
}

/// The command that `words` name. Times are UTC, such as 2026-01-01T07:00:00Z, or seconds since 1970.
func namedCommand(_ words: [String]) -> NamedCommand {
    guard let name = words.first else { return .unknown }
    let first = words.count > 1 ? words[1] : nil
    let second = words.count > 2 ? words[2] : nil
    guard let known = commandWords().first(where: { "\($0.name)" == name }) else { return .unknown }
    var most = 0
    if !"\(known.needs)".isEmpty { most = "\(known.needs)".utf8.reduce(1) { $0 + ($1 == 0x20 ? 1 : 0) } }
    guard words.count - 1 <= most else { return .wrong("\(words[most + 1]): \(name) does not take that") }

    switch name {
    case "hello": return .command(.hello)
    case "get-battery": return .command(.getBattery)
    case "get-clock": return .command(.getClock)
    case "set-clock":
        guard let time = strapTime(first) else { return .wrong("set-clock needs a time, such as 2026-01-01T07:00:00Z") }
        return .command(.setClock(time))
    case "get-data-range": return .command(.getDataRange)
    case "send-history": return .command(.sendHistory)
    case "burst-stored":
        guard let token = first.flatMap({ bytes(hex: $0) }), token.count == 8 else { return .wrong("burst-stored needs a token, 16 hex digits") }
        return .command(.burstStored(token: token.span.bytes.u64(at: 0)))
    case "burst-failed": return .command(.burstFailed)
    case "abort-history": return .command(.abortHistory)
    case "realtime", "motion":
        guard let stream: LiveStream = first == "on" ? .on : first == "off" ? .off : nil else { return .wrong("\(name) needs on or off") }
        return .command(name == "motion" ? .motionStream(stream) : .realtimeHeartRate(stream))
    case "raw-stream-off": return .command(.rawStreamOff)
    case "stop-raw-data": return .command(.stopRawData)
    case "set-alarm":
        guard let time = strapTime(first) else { return .wrong("set-alarm needs a time, such as 2026-01-01T07:00:00Z") }
        guard let slot = small(second ?? "1", 1...6) else { return .wrong("set-alarm: a slot is 1 to 6") }
        return .command(.setAlarm(Alarm(at: time, slot: slot)))
    case "get-alarm", "run-alarm":
        guard let slot = small(first ?? "1", 1...6) else { return .wrong("\(name): a slot is 1 to 6") }
        return .command(name == "get-alarm" ? .getAlarm(slot: slot) : .runAlarm(slot: slot))
    case "disable-alarm":
        guard let first else { return .command(.disableAlarm(.all)) }
        guard let slot = small(first, 1...6) else { return .wrong("disable-alarm: a slot is 1 to 6; none means all") }
        return .command(.disableAlarm(.slot(slot)))
    case "buzz":
        guard let loops = small(first ?? "1", 0...255), let pattern = small(second ?? "2", 0...6) else {
            return .wrong("buzz: loops are 0 to 255, patterns 0 to 6")
        }
        return .command(.buzz(loops: loops, pattern: pattern))
    case "stop-haptics": return .command(.stopHaptics)
    case "get-patterns": return .command(.getPatterns)
    case "get-name": return .command(.getName)
    case "get-version": return .command(.getVersion)
    case "get-body-location": return .command(.getBodyLocation)
    case "get-extended-battery": return .command(.getExtendedBattery)
    case "get-pack-info": return .command(.getPackInfo)
    case "get-gyroscope": return .command(.getGyroscope)
    case "get-optics":
        switch first {
        case "drive": return .command(.getOptics(.drive))
        case "gain": return .command(.getOptics(.gain))
        case "offset": return .command(.getOptics(.offset))
        default: return .wrong("get-optics needs drive, gain or offset")
        }
    case "get-front-end": return .command(.getFrontEnd)
    case "get-key-count", "get-next-key", "get-value":
        guard let store: KeyStore = first == "device" ? .device : first == "flags" ? .flags : nil else { return .wrong("\(name) needs device or flags") }
        switch name {
        case "get-key-count": return .command(.getKeyCount(store))
        case "get-next-key": return .command(.getNextKey(store))
        default:
            guard let key = second.flatMap({ StrapKey($0) }) else { return .wrong("get-value needs a key of 1 to 31 characters") }
            return .command(.getValue(store, key))
        }
    case "exit-high-frequency-sync": return .command(.exitHighFrequencySync)
    case "greet": return .command(.greet)
    default: return .unknown
    }
}

private func small(_ text: String, _ range: ClosedRange<Int>) -> UInt8? {
    guard let value = Int(text), range.contains(value) else { return nil }
    return UInt8(value)
}

private func strapTime(_ text: String?) -> StrapTime? {
    guard let text else { return nil }
    if let seconds = UInt32(text) { return StrapTime(seconds: seconds, fraction: 0) }
    return WallTime(utc: text).flatMap { StrapTime($0) }
}
