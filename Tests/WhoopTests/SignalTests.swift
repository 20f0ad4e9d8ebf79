// What is worked out from records, on real frames: pulse wave and heart rate from it, motion, steps, wear.
import Foundation
import Testing
import Wire
@testable import Whoop

@Suite struct SignalTests {
    /// The valid frames of one record version, oldest first, each with its id.
    static func frames(_ file: String, _ version: Int) throws -> [(id: String, bytes: [UInt8], family: Family)] {
        try Vectors.load(file).filter { $0["valid"]?.bool == true && $0["expect"]?["record_version"]?.int == version }
            .sorted { ($0["expect"]?["unix"]?.int ?? 0) < ($1["expect"]?["unix"]?.int ?? 0) }
            .map { ($0["id"]?.string ?? "", unhex($0["hex"]?.string ?? ""), Vectors.family($0)) }
    }

    // MARK: Pulse

    @Test(arguments: [("whoop4_frames", 25, 3), ("whoop5_frames", 26, 20)])
    func theWaveGoesOnFromOneSecondToTheNext(file: String, version: Int, pairs: Int) throws {
        var last: (unix: UInt32, code: Int32, step: Int32)?
        var found = 0
        for (id, bytes, family) in try Self.frames(file, version) {
            withFrame(bytes, family) { frame in
                guard let record = Record(frame), let pulse = record.pulse else { Issue.record("\(id): no pulse"); return }
                var wave = pulse.samples, codes: [Int32] = []
                while let code = wave.next() { codes.append(code) }
                #expect(codes.count == 25, "\(id)")
                let steps = zip(codes, codes.dropFirst()).map { abs($1 - $0) }
                if let last, record.unix == last.unix + 1, let first = codes.first {
                    found += 1
                    // About one step, as between any two samples.
                    #expect(abs(first - last.code) <= 3 * max(last.step, steps.max() ?? 0), "\(id)")
                }
                last = (record.unix, codes.last ?? 0, steps.max() ?? 0)
            }
        }
        print("\(file): \(found) pairs of neighbouring seconds")
        #expect(found >= pairs - 1)
    }

    @Test func heartRateFromTheWaveOfARealEpisode() throws {
        var rate = PulseRate(), found: [(unix: UInt32, bpm: Float)] = []
        for (_, bytes, family) in try Self.frames("whoop5_frames", 26) {
            withFrame(bytes, family) { frame in
                guard let record = Record(frame), let pulse = record.pulse else { return }
                rate.take(pulse, unix: record.unix)
                if let bpm = rate.beatsPerMinute { found.append((record.unix, bpm)) }
            }
        }
        print("pulse wave: \(found.map { "\($0.unix) \($0.bpm)" }.joined(separator: ", "))")
        // Five clean seconds (correlation 0.93 at 19.2 samples, computed apart); the seven later ones hold no pulse (0.18).
        #expect(found.map(\.unix) == [1_783_955_691])
        #expect(found.first.map { abs($0.bpm - 78.2) < 0.1 } == true)
    }

    @Test func aHoleARailOrAnotherEpisodeBeginsTheWindowAnew() throws {
        let episode = try Self.frames("whoop5_frames", 26).filter { $0.id >= "w5-hist-v26-003" && $0.id <= "w5-hist-v26-007" }
        try #require(episode.count == 5)
        func rates(_ change: (Int, [UInt8]) -> [UInt8]) -> [Float?] {
            var rate = PulseRate()
            return episode.enumerated().map { i, one in
                withFrame(change(i, one.bytes), one.family) { frame in
                    guard let record = Record(frame), let pulse = record.pulse else { return nil }
                    rate.take(pulse, unix: record.unix)
                    return rate.beatsPerMinute
                } ?? nil
            }
        }
        #expect(rates { _, bytes in bytes }.map { $0 != nil } == [false, false, false, false, true])
        let hole = rates { i, bytes in i == 3 ? patched(hex(bytes.span.bytes), .whoop5, [(7, little(1, 4))]) : bytes }
        #expect(hole.allSatisfy { $0 == nil })
        let rail = rates { i, bytes in i == 3 ? patched(hex(bytes.span.bytes), .whoop5, [(19, [0xff, 0x7f])]) : bytes }
        #expect(rail.allSatisfy { $0 == nil })
        let other = rates { i, bytes in i >= 4 ? patched(hex(bytes.span.bytes), .whoop5, [(13, [99, 0])]) : bytes }
        #expect(other.allSatisfy { $0 == nil })
    }

    @Test(arguments: [50, 61, 75, 100, 150])
    func heartRateFromAMadeWave(bpm: Int) {
        // A sine with a second harmonic, as a pulse has it, on a slow drift.
        let period = 1500.0 / Double(bpm)
        func code(_ n: Int) -> Int32 {
            let phase = 2 * Double.pi * Double(n) / period
            return Int32(100_000 + 300 * n + Int(2000 * sin(phase) + 600 * sin(2 * phase)))
        }
        var rate = PulseRate()
        for second in 0..<8 {
            var changes: [(Int, [UInt8])] = [(7, little(1_780_000_000 + second, 4)), (15, little(Int(code(25 * second)), 4))]
            for i in 0..<24 { changes.append((19 + 2 * i, little(Int(code(25 * second + i + 1) - code(25 * second + i)), 2))) }
            withFrame(patched(Golden.v26, .whoop5, changes), .whoop5) { frame in
                guard let record = Record(frame), let pulse = record.pulse else { return }
                rate.take(pulse, unix: record.unix)
            }
        }
        #expect(rate.beatsPerMinute.map { abs($0 - Float(bpm)) < 0.03 * Float(bpm) } == true, "\(rate.beatsPerMinute ?? 0)")
    }

    @Test func noiseIsNoPulse() {
        // Numbers without any rhythm (Numerical Recipes' generator): the highest correlation is 0.2.
        var state: UInt32 = 1, rate = PulseRate()
        func next() -> Int {
            state = state &* 1_664_525 &+ 1_013_904_223
            return Int(state >> 20)
        }
        for second in 0..<8 {
            let codes = (0..<25).map { _ in next() }
            var changes: [(Int, [UInt8])] = [(7, little(1_780_000_000 + second, 4)), (15, little(codes[0], 4))]
            for i in 0..<24 { changes.append((19 + 2 * i, little(codes[i + 1] - codes[i], 2))) }
            withFrame(patched(Golden.v26, .whoop5, changes), .whoop5) { frame in
                guard let record = Record(frame), let pulse = record.pulse else { return }
                rate.take(pulse, unix: record.unix)
            }
            #expect(rate.beatsPerMinute == nil)
        }
    }

    // MARK: Motion

    @Test func theStoredMotionIsThatOfTheSamples() throws {
        var seen = 0, near = 0
        for entry in try Vectors.load("whoop4_frames") where entry["expect"]?["record_version"]?.int == 10 && entry["real_capture"]?.bool == true {
            withFrame(unhex(entry["hex"]?.string ?? ""), .whoop4) { frame in
                guard let motion = Record(frame)?.motion, let stored = motion.dynamicAcceleration, let gravity = motion.gravity else { return }
                seen += 1
                let (change, mean) = (motion.acceleration.largestChange, motion.acceleration.mean)
                if let change, abs(change - stored) <= 0.002 { near += 1 }
                // The sensor's own bias, the same in all records of one strap, is in the samples and not in the mean.
                #expect(mean.map { abs($0.x - gravity.x) <= 0.062 && abs($0.y - gravity.y) <= 0.062 && abs($0.z - gravity.z) <= 0.062 } == true)
            }
        }
        print("motion: \(near) of \(seen) records within 2 mg")
        #expect(seen >= 6 && near * 10 >= seen * 8)
    }

    // MARK: Steps

    @Test func stepsWrapAndJumpsAreLeftOut() {
        var steps = StepCount()
        for (counter, (value, unix)) in ([(65_530, 100), (65_534, 101), (3, 102), (3, 103), (500, 104), (502, 105), (502, 105), (504, 90), (506, 91)] as [(UInt16, UInt32)]).enumerated() {
            steps.take(value, counter: UInt32(counter), unix: unix)
        }
        // 4, 5 over the wrap, 0, a jump of 497 left out, 2, nothing, time went back, 2.
        #expect(steps.total == 13)
        steps.restart()
        steps.take(0, counter: 0, unix: 200)
        steps.take(5, counter: 1, unix: 201)
        #expect(steps.total == 18)
    }

    /// A burst that was not acknowledged comes again with the same records.
    @Test func recordsServedTwiceCountOnce() {
        var steps = StepCount()
        for _ in 0..<3 {
            for second in 0..<10 { steps.take(UInt16(1000 + 2 * second), counter: UInt32(7 + second), unix: UInt32(100 + second)) }
        }
        #expect(steps.total == 18)
        steps.take(1020, counter: 17, unix: 110)
        #expect(steps.total == 20)
    }

    @Test func stepsOfRealRecordsAreThoseOfTheirNumbers() throws {
        // By the vectors' numbers alone, in order of the strap's counter.
        let seconds = try Vectors.load("whoop5_frames").filter { $0["valid"]?.bool == true && $0["expect"]?["step_counter"]?.int != nil }
            .compactMap { entry -> (counter: Int, unix: Int, steps: Int, hex: String)? in
                guard let e = entry["expect"], let counter = e["record_index"]?.int, let unix = e["unix"]?.int, let steps = e["step_counter"]?.int else { return nil }
                return (counter, unix, steps, entry["hex"]?.string ?? "")
            }.sorted { $0.counter < $1.counter }
        var expected = 0
        for (a, b) in zip(seconds, seconds.dropFirst()) where b.counter > a.counter && b.unix > a.unix {
            let taken = (b.steps - a.steps + 65536) % 65536
            if taken <= 5 * (b.unix - a.unix) { expected += taken }
        }
        var steps = StepCount()
        for second in seconds {
            withFrame(second.hex, .whoop5) { frame in
                guard let record = Record(frame), let count = record.summary?.steps else { return }
                steps.take(count, counter: record.counter, unix: record.unix)
            }
        }
        #expect(steps.total == expected && expected > 0, "\(steps.total), expected \(expected)")
    }

    // MARK: Wear

    @Test func wearIsWhatWasSaidLast() throws {
        var wear = Wear()
        #expect(wear.isWorn == nil)
        let on = unhex("aa100057307e0900c2e96e67685d0000a2a61c12")
        withFrame(on, .whoop4) { wear.take($0) }
        #expect(wear.isWorn == true && wear.since == 1_735_322_050)
        // Off ten seconds later; then what is older changes nothing, and a heart rate after it does.
        var inner = Array(on[4..<16])
        inner[2] = 10
        inner.replaceSubrange(4..<8, with: little(1_735_322_060, 4))
        withFrame(sealed(inner, .whoop4), .whoop4) { wear.take($0) }
        #expect(wear.isWorn == false && wear.since == 1_735_322_060)
        withFrame(on, .whoop4) { wear.take($0) }
        #expect(wear.isWorn == false)
        withFrame(Golden.v24, .whoop4) { wear.take($0) }
        #expect(wear.isWorn == true && wear.since == 1_780_928_574)
        // A second without heart rate says nothing.
        withFrame(patched(Golden.v24, .whoop4, [(17, [0]), (7, little(1_780_928_600, 4))]), .whoop4) { wear.take($0) }
        #expect(wear.isWorn == true)
        withFrame(Golden.realtime, .whoop5) { wear.take($0) }
        #expect(wear.isWorn == true)
    }
}
