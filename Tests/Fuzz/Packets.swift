// Fuzzes the packets of one family: the input is an inner record behind two bytes, how much longer than the input it is and
// what is odd about its header; it is sealed into a valid frame and read field by field. Values keep to their gates, bytes
// that leave the frame lie inside it, the device token never leaves, and a reading does not change with bytes around it.
import Wire
import Whoop

func fuzzPacket(_ data: RawSpan, _ family: Family) {
    guard data.byteCount > 2 else { return }
    // The longest records have 2,128 bytes, too many for a mutation to be felt: an input is one over and over.
    let count = min(data.byteCount - 2 + 16 * Int(data.u8(at: 0)), longestInner(family))
    let inner = repeated(data.extracting(2..<data.byteCount), count)
    let sealed = seal(inner.bytes, family, odd: data.u8(at: 1))
    let alone = reading(sealed.bytes, family)

    // The same frame between bytes that are nothing like what is behind the block.
    let length = sealed.bytes.byteCount
    var amid = Block(capacity: length + 64)
    for _ in 0..<32 { amid.append(0xff as UInt8) }
    amid.append(sealed.bytes)
    for i in 0..<32 { amid.append(UInt8(0xe0 + i)) }
    demand(reading(amid.bytes.extracting(32..<(32 + length)), family) == alone, "a value depends on bytes around the frame")
}

private func reading(_ bytes: RawSpan, _ family: Family) -> Digest {
    guard let frame = Frame(bytes, family: family) else { fatalError("a sealed frame does not open") }
    var reading = Reading(frame)
    let isKnown = frame.describe(into: &reading)
    demand(reading.depth == 0, "a part was begun and not ended")
    demand(!isKnown || frame.isKnownRevision, "fields of a frame whose revision is unknown")
    reading.views(frame)
    return reading.digest
}

/// Everything a frame says, in one sum.
private struct Reading: FieldSink {
    var digest = Digest()
    var depth = 0
    /// Where the frame's inner record lies.
    private let inner: Range<UInt>
    /// Where the device token of a HELLO lies (WHOOP.md 5.3): between serial and hardware family.
    private let token: Range<UInt>

    init(_ frame: borrowing Frame) {
        let start = address(frame.inner)
        inner = start..<(start + UInt(frame.inner.byteCount))
        let hello: UInt8 = frame.family == .whoop4 ? 35 : 145
        let isHello = frame.type == PacketType.response && frame.inner.u8(at: 2) == hello
        token = isHello ? (start + 5 + 25)..<(start + 5 + 78) : 0..<0
    }

    /// What the views say beside the fields.
    mutating func views(_ frame: borrowing Frame) {
        if let pulse = Pulse(frame) { take(pulse) }
        if let event = Event(frame) { digest.add(event.time.milliseconds) }
        if let record = Record(frame) {
            digest.add(record.isLive)
            digest.add(record.time.milliseconds)
        }
        if let request = Request(frame) { digest.add(request.isForPack) }
        if let block = MotionBlock(frame) { take(block.acceleration) }
        if let record = Record(frame), let motion = record.motion {
            take(motion.acceleration)
            demand(motion.hasMeans || (motion.steps == nil && motion.dynamicAcceleration == nil && motion.gravity == nil), "v21 has means")
        }
        guard let summary = Summary(frame) else { return }
        demand(summary.channelWord(-1).rawValue == 0 && summary.channelWord(3).rawValue == 0, "a channel outside the three")
        demand(!summary.isOxygenWindow || summary.channelWord(1).isLit, "an oxygen window in the dark")
        demand(summary.signalToNoise_dB(2) == nil, "a third photodiode")
        var beats = 0
        summary.rr.forEach { _ in beats += 1 }
        demand(beats <= summary.rr.count && summary.rr.count <= 4, "\(beats) beats of \(summary.rr.count)")
    }

    /// 16 bits at `MotionScale.perG` are 8 g an axis.
    mutating func take(_ acceleration: borrowing Axes) {
        demand((acceleration.mean == nil) == (acceleration.count == 0), "a mean of \(acceleration.count) samples")
        if let mean = acceleration.mean { demand(abs(mean.x) <= 8 && abs(mean.y) <= 8 && abs(mean.z) <= 8, "a mean of \(mean)") }
        if let change = acceleration.largestChange { demand((0...14).contains(change), "a change of \(change) g") }
    }

    /// The pulse wave, which leaves a frame as deltas: each sample is the one before it and a delta.
    mutating func take(_ pulse: borrowing Pulse) {
        var samples = pulse.samples
        var before: Int32?
        var count = 0
        while let sample = samples.next() {
            demand((-524_288...524_287).contains(sample), "a sample of \(sample)")
            if let before { demand(sample - before == pulse.deltas[count - 1], "a sample is not the one before it and its delta") }
            before = sample
            count += 1
            digest.add(sample)
        }
        demand(count <= 25 && (count == 0) == (pulse.first == nil), "\(count) samples")
    }

    // MARK: the fields

    mutating func field(_ name: StaticString, _ value: Int64?, _ confidence: Confidence) {
        digest.add(name, confidence)
        guard let value else { return digest.add(-1) }
        demand(gate(name)?.contains(value) != false, "\(name) is \(value)")
        digest.add(value)
    }

    mutating func field(_ name: StaticString, _ value: Int64?, places: Int, _ confidence: Confidence) {
        demand((1...9).contains(places), "\(name) has \(places) places")
        field(name, value, confidence)
    }

    mutating func field(_ name: StaticString, real value: Float?, _ confidence: Confidence) {
        digest.add(name, confidence)
        guard let value else { return digest.add(-1) }
        demand(value.isFinite && (!name.says("motion_g") || (0...16).contains(value)), "\(name) is \(value)")
        digest.add(value.bitPattern)
    }

    mutating func field(_ name: StaticString, _ value: Vector?, _ confidence: Confidence) {
        digest.add(name, confidence)
        guard let value else { return digest.add(-1) }
        for part in [value.x, value.y, value.z] {
            demand((-16...16).contains(part), "a component of \(name) is \(part)")
            digest.add(part.bitPattern)
        }
    }

    mutating func field(_ name: StaticString, version: Version) {
        digest.add(name, .established)
        for part in [version.major, version.minor, version.patch, version.build] { digest.add(part) }
    }

    mutating func field(_ name: StaticString, word: StaticString, _ confidence: Confidence) {
        digest.add(name, confidence)
        digest.add(UInt(bitPattern: word.utf8Start))
    }

    mutating func field(_ name: StaticString, text: RawSpan, _ confidence: Confidence) { take(name, text, confidence) }
    mutating func field(_ name: StaticString, identity: RawSpan, _ confidence: Confidence) { take(name, identity, confidence) }
    mutating func field(_ name: StaticString, identityHex: RawSpan, _ confidence: Confidence) { take(name, identityHex, confidence) }
    mutating func field(_ name: StaticString, hex: RawSpan, _ confidence: Confidence) { take(name, hex, confidence) }

    mutating func field(_ name: StaticString, _ values: borrowing Series, _ confidence: Confidence) {
        digest.add(name, confidence)
        digest.add(values.count)
        demand(!values.isAbsent || values.count == 0, "\(name) is absent and has \(values.count) numbers")
        demand(values[-1] == nil && values[values.count] == nil, "\(name) has a number outside its count")
        let isRR = name.says("rr_ms")
        demand(values.count >= 0 && (!isRR || values.count <= 8), "\(name) has \(values.count) numbers")
        for i in 0..<values.count {
            guard let value = values[i] else { digest.add(-1); continue }
            demand(!isRR || (200...2500).contains(value), "an R-R interval of \(value) ms")
            digest.add(value)
        }
    }

    mutating func begin(_ part: StaticString, _ number: Int) {
        digest.add(part, .established)
        digest.add(number)
        depth += 1
    }

    mutating func end() {
        demand(depth > 0, "a part ended that was not begun")
        depth -= 1
    }

    private mutating func take(_ name: StaticString, _ bytes: RawSpan, _ confidence: Confidence) {
        digest.add(name, confidence)
        digest.add(bytes.byteCount)
        digest.add(bytes)
        guard bytes.byteCount > 0 else { return }
        let place = address(bytes)..<(address(bytes) + UInt(bytes.byteCount))
        demand(place.lowerBound >= inner.lowerBound && place.upperBound <= inner.upperBound, "\(name) lies outside the frame")
        demand(!place.overlaps(token), "\(name) shows the device token")
    }
}

private func address(_ bytes: RawSpan) -> UInt { bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } }

/// What WHOOP.md 8.12 lets through, in the unit of the field.
private func gate(_ name: StaticString) -> ClosedRange<Int64>? {
    for (gated, range) in gates where name.says(gated) { return range }
    return nil
}

private let gates: [(StaticString, ClosedRange<Int64>)] = [
    ("heart_rate_bpm", 25...230),
    ("skin_temperature_c", 500...4500),
    ("spo2_percent", 70...100),
    ("battery_percent", 0...1000),
    ("pack_percent", 0...1000),
    ("battery_mv", 3000...4500),
    ("cell_temperature_c", -400...1000),
    ("board_temperature_c", -400...1000),
    ("battery_temperature_c", -400...1000),
    ("subsecond", 0...65_535),
]

extension StaticString {
    fileprivate func says(_ other: StaticString) -> Bool {
        guard utf8CodeUnitCount == other.utf8CodeUnitCount else { return false }
        for i in 0..<utf8CodeUnitCount where utf8Start[i] != other.utf8Start[i] { return false }
        return true
    }
}

extension Digest {
    fileprivate mutating func add(_ name: StaticString, _ confidence: Confidence) {
        add(UInt(bitPattern: name.utf8Start))
        add(confidence.rawValue)
    }
}
