// Owns a made-up wearer: heart rate, beats, movement and sleep as a function of the seed and the second, so that a
// record can be made again at any time and is the same. Made up to look alive, not to teach physiology.

/// One second of a wearer.
public struct BodySecond: Equatable, Sendable {
    /// Beats per minute, 40...185.
    public var heartRate: UInt8
    /// R-R intervals that ended in this second, ms.
    public var intervals: [UInt16]
    /// Dynamic acceleration, g.
    public var motion: Float
    /// 0 wake, 1 still, 2 asleep, 3 up, as in a record's sleep byte.
    public var state: UInt8
    /// Skin temperature, hundredths of a degree Celsius.
    public var skin: Int16
    /// Steps since some time, wrapping.
    public var steps: UInt16
}

public struct Body: Sendable {
    let seed: UInt64
    /// Seconds that local time is ahead of UTC.
    let utcOffset_s: Int64

    public init(seed: UInt64, utcOffset_s: Int64 = 0) {
        self.seed = seed
        self.utcOffset_s = utcOffset_s
    }

    /// Asleep from 23:00 to 06:30 local time, out for a run from 07:00 to 07:20.
    public func second(_ unix: Int64) -> BodySecond {
        let local = unix + utcOffset_s
        let ofDay = Double(((local % 86_400) + 86_400) % 86_400)
        let noise = Double(Int64(hash(unix / 7, 1) % 201) - 100) / 100  // holds for seven seconds, -1...1
        let drift = wave(Double(local), 613) * 0.6 + wave(Double(local), 97) * 0.4

        var rate = 72 + 5 * drift + 2 * noise
        var motion = 0.04 + 0.03 * abs(noise)
        var state: UInt8 = 0
        var skin = 3120.0
        var steps = 0.0
        if ofDay < 23_400 || ofDay >= 82_800 {
            let asleep = ofDay >= 82_800 ? ofDay - 82_800 : ofDay + 3_600
            let depth = 0.5 - 0.5 * wave(asleep + 1_350, 5_400)  // 90-minute cycles
            rate = 58 - 9 * depth - 4 * min(1, asleep / 14_400) + 2 * drift + noise
            motion = 0.006 + 0.004 * abs(noise)
            state = asleep < 900 ? 1 : 2
            if hash(unix / 40, 2) % 60 == 0 { motion = 0.12; rate += 8; state = 1 }  // a turn in bed
            skin = 3200 + 220 * min(1, asleep / 9_000)
        } else if ofDay >= 25_200, ofDay < 26_400 {
            let into = ofDay - 25_200
            rate = 95 + 75 * min(1, into / 700) * (into > 1_000 ? (1_200 - into) / 200 : 1) + 4 * drift + noise
            motion = 0.6 + 0.2 * abs(noise)
            state = 3
            steps = into * 2.6
        }
        let bpm = UInt8(max(40, min(185, rate)))
        return BodySecond(heartRate: bpm, intervals: intervals(unix, bpm, asleep: state == 2), motion: Float(motion), state: state,
            skin: Int16(skin + 15 * drift), steps: UInt16(truncatingIfNeeded: Int64(steps) + local / 86_400 * 4_000))
    }

    private func intervals(_ unix: Int64, _ bpm: UInt8, asleep: Bool) -> [UInt16] {
        let before = unix * Int64(bpm) / 60
        let after = (unix + 1) * Int64(bpm) / 60
        let mean = 60_000 / Double(bpm)
        var out: [UInt16] = []
        for beat in before..<min(after, before + 4) {
            let breath = wave(Double(beat), asleep ? 4.5 : 3.5) * (asleep ? 0.05 : 0.02)
            let jitter = Double(Int64(hash(beat, 3) % 41) - 20) / 2_000
            out.append(UInt16(mean * (1 + breath + jitter)))
        }
        return out
    }

    private func hash(_ a: Int64, _ salt: UInt64) -> UInt64 {
        Chance.mix(seed &+ UInt64(bitPattern: a) &* 0x9e37_79b9_7f4a_7c15 &+ salt &* 0xd1b5_4a32_d192_ed03)
    }

    /// A wave of this period, -1...1, near enough to a sine (Bhaskara I).
    private func wave(_ t: Double, _ period: Double) -> Double {
        let turns = t / period  // never negative here
        let turn = turns - Double(Int64(turns))
        let x = turn < 0.5 ? turn : turn - 0.5
        let y = 16 * x * 2 * (1 - 2 * x) / (5 - 4 * x * 2 * (1 - 2 * x))
        return turn < 0.5 ? y : -y
    }
}
