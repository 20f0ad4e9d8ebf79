// Bytes from the air are nobody's friend: whatever arrives, nothing traps. Seeded, so that a failure comes again.
import Testing
import Wire
@testable import Whoop

/// SplitMix64.
struct Seeded: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ z >> 30) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ z >> 27) &* 0x94d0_49bb_1331_11eb
        return z ^ z >> 31
    }
}

@Suite struct HostileBytesTests {
    static let seeds = [Golden.v24, Golden.v18, Golden.v26, Golden.realtime, Golden.end4, Golden.start4, Golden.battery, Golden.range5,
                        "aa1c00ab24654c010101010e546573746572352057484f4f500000006a693558",
                        "aa44000f3206020010670666b01c3400012c203430353937353335303a2053656e736f72733a20656e61626c655f7231395f66662073657420746f205045525349535400e4a1c14a"]

    /// Reads everything there is to read; the sum keeps it from being left out.
    static func touch(_ frame: borrowing Frame) -> Int {
        var sum = Int(frame.type) + frame.inner.byteCount
        if let v = Realtime(frame) {
            sum += v.rr.count + Int(v.heartRate ?? 0) + Int(v.location ?? 0) + Int(v.time.seconds & 1) + (v.isWorn == true ? 1 : 0)
            for i in -1...8 { sum += Int(v.rr[i] ?? 0) }
        }
        if let v = Response(frame) {
            sum += v.body.byteCount + Int(v.battery_tenths ?? 0) + Int(v.clock?.fraction ?? 0) + Int(v.dataRange?.pagesBehind ?? 0)
            sum += (v.name?.byteCount ?? 0) + (v.version?.text.utf8.count ?? 0) + (v.alarm?.isEnabled == true ? 1 : 0)
            if let hello = v.hello {
                sum += (hello.serial?.byteCount ?? 0) + Int(hello.battery_tenths ?? 0) + Int(hello.clock.fraction) + (hello.isWorn ? 1 : 0)
                sum += (hello.firmware?.text.utf8.count ?? 0) + Int(hello.hardwareFamily & 1) + (hello.broadcastsHeartRate == true ? 1 : 0)
            }
        }
        if let v = Event(frame) {
            sum += v.body.byteCount + Int(v.number.rawValue) + Int(v.battery?.tenths ?? 0) + Int(v.battery?.millivolts ?? 0) + Int(v.condition?.wrist ?? 0)
        }
        if let v = Metadata(frame) {
            sum += Int((v.announced ?? 0) & 1) + Int((v.token ?? 0) & 1) + Int(v.unix ?? 0) + Int(v.subsecond ?? 0) + (v.firmware?.text.utf8.count ?? 0)
            if v.kind == .end { sum += 1 }
        }
        if let v = Console(frame) { sum += v.text?.byteCount ?? 0 }
        if let record = Record(frame) {
            sum += Int(record.counter & 1) + Int(record.subsecond)
            if let s = record.summary {
                sum += s.rr.count + Int(s.heartRate ?? 0) + Int(s.skinTemperature_centi ?? 0) + Int(s.steps ?? 0) + Int(s.spo2 ?? 0)
                for i in -1...8 { sum += Int(s.rr[i] ?? 0) + Int(s.channelWord(i).rawValue) + Int(s.signalToNoise_dB(i) ?? 0) }
                sum += Int(s.dynamicAcceleration ?? 0) + Int(s.gravity?.x ?? 0) + Int(s.cellTemperature_tenths ?? 0) + Int(s.boardTemperature_tenths ?? 0)
                sum += Int(s.activity?.rawValue ?? 0) + Int(s.sleepState.rawValue) + (s.isOxygenWindow ? 1 : 0) + (s.logVariance == nil ? 0 : 1)
            }
            if let p = record.pulse {
                var samples = p.samples
                while let sample = samples.next() { sum &+= Int(sample) }
                sum += Int(p.dynamicAcceleration ?? 0) + Int(p.channelWord.current)
            }
        }
        return sum
    }

    @Test func noInnerRecordTrapsAView() {
        var random = Seeded(state: 1)
        var read = 0, sum = 0
        let seeds = Self.seeds.map { text -> (inner: [UInt8], family: Family) in
            let frame = unhex(text)
            let family: Family = frame[1] == 1 && frame.count > 9 && withFrame(frame, .whoop5, { _ in true }) == true ? .whoop5 : .whoop4
            return (Array(frame[family.headerLength...].dropLast(4)), family)
        }
        for _ in 0..<50_000 {
            var (inner, family) = seeds.randomElement(using: &random) ?? ([0], .whoop4)
            for _ in 0..<Int.random(in: 0...4, using: &random) { inner[Int.random(in: 0..<inner.count, using: &random)] = UInt8.random(in: 0...255, using: &random) }
            if Bool.random(using: &random) { inner.removeLast(Int.random(in: 0..<inner.count, using: &random)) }
            if random.next() % 8 == 0 { family = family == .whoop4 ? .whoop5 : .whoop4 }
            let frame = sealed(inner, family)
            if let s = withFrame(frame, family, { Self.touch($0) }) { read += 1; sum &+= s }
        }
        #expect(read == 50_000)
        #expect(sum != 0)
    }

    @Test func noStreamTrapsTheReassembler() {
        var random = Seeded(state: 2)
        for family in [Family.whoop4, .whoop5] {
            let good = Self.seeds.map { unhex($0) }
            let reassembler = Reassembler(family: family)
            var frames = 0
            var notification = [UInt8](repeating: 0, count: 64)
            for round in 0..<150_000 {
                if round % 64 == 0 {
                    // A good frame, some bits of it flipped or not.
                    var frame = good.randomElement(using: &random) ?? []
                    if Bool.random(using: &random) { frame[Int.random(in: 0..<frame.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random) }
                    reassembler.feed(frame.span.bytes) { frames += Self.touch($0) > 0 ? 1 : 0 }
                } else {
                    let word = random.next()
                    let count = Int(word % 9)
                    for i in 0..<count { notification[i] = UInt8(truncatingIfNeeded: word >> (8 * UInt64(i % 8))) }
                    if word & 0x3000 == 0, count > 0 { notification[0] = 0xaa }
                    reassembler.feed(notification.span.bytes.extracting(first: count)) { frames += Self.touch($0) > 0 ? 1 : 0 }
                }
                if reassembler.waiting > Frame.longest { Issue.record("holds \(reassembler.waiting) bytes") }
                if round % 5000 == 0 { reassembler.abandon { frames += Self.touch($0) > 0 ? 1 : 0 } }
            }
            #expect(frames > 100)
        }
    }

    @Test func aStreamOfLyingHeadersEndsInTime() {
        // Each header holds and claims 4,000 bytes; none is a frame.
        let length: [UInt8] = [0xa0, 0x0f]
        let lie = [0xaa] + length + [crc8(length.span.bytes)]
        let stream = (0..<2048).flatMap { _ in lie }
        let outcome = feed(stride(from: 0, to: stream.count, by: 244).map { Array(stream[$0..<min($0 + 244, stream.count)]) }, .whoop4)
        #expect(outcome.frames.isEmpty && outcome.damaged > 1000)
    }

    @Test func noHeartRateValueTrapsItsView() {
        var random = Seeded(state: 3)
        var sum = 0
        var value = [UInt8](repeating: 0, count: 24)
        for _ in 0..<100_000 {
            let a = random.next(), b = random.next()
            for i in 0..<8 { value[i] = UInt8(truncatingIfNeeded: a >> (8 * UInt64(i))); value[i + 8] = UInt8(truncatingIfNeeded: b >> (8 * UInt64(i))) }
            if let v = HeartRateMeasurement(value.span.bytes.extracting(first: Int(b % 25))) {
                sum &+= v.rrCount + Int(v.heartRate ?? 0) + Int(v.rr[0] ?? 0) + Int(v.rr[v.rrCount] ?? 0) + Int(v.energy_kJ ?? 0)
            }
        }
        #expect(sum > 0)
    }
}
