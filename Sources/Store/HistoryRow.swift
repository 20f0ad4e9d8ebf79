// Owns how a record's values share the few columns of `history` (Schema.history says each bit): a column costs a byte in
// every row, used or not. A value that is absent is absent in its bits too. Never rounds anything but motion, to 1 mg.
import Whoop

/// The columns of one record that hold more than one value, being put together.
struct HistoryRow {
    private(set) var pulse: Int64 = 0
    private(set) var gravity: Int64?
    private(set) var skin_centi: Int16?
    var steps: UInt16?
    /// No sleep state until a summary gives one.
    private(set) var state: Int64
    private(set) var optics: Int64?

    /// `doubt`: column `time_doubt`, 0...3.
    init(doubt: Int64) { state = 1 << 8 | (doubt & 3) << 6 }

    mutating func take(_ second: borrowing Summary) {
        pulse(second.heartRate, second.dynamicAcceleration)
        gravity(second.gravity)
        skin_centi = second.skinTemperature_centi
        steps = second.steps
        state &= ~(1 << 8)
        state |= Int64(second.sleepState.rawValue) | Int64(second.sleepByte & 15) << 2
        if let activity = second.activity { state |= Int64(activity.rawValue + 1) << 9 }
        if let percent = second.spo2 { state |= Int64(percent) << 11 }
        if let cadence = second.cadence { state |= (Int64(cadence) + 1) << 18 }
        let words = (Int64(second.channelWord(0).rawValue), Int64(second.channelWord(1).rawValue), Int64(second.channelWord(2).rawValue))
        optics = words.0 | Int64(255 - second.quality) << 16 | (words.1 ^ 0x0c01) << 24 | (words.2 ^ 0x0c02) << 40
    }

    mutating func pulse(_ heartRate: UInt8?, _ motion_g: Float?) {
        pulse = Int64(heartRate ?? 0) | (thousandths(motion_g).map { $0 + 1 } ?? 0) << 8
    }

    mutating func gravity(_ vector: Vector?) {
        guard let vector, let x = thousandths(vector.x), let y = thousandths(vector.y), let z = thousandths(vector.z) else { return gravity = nil }
        // A gate of 16 g lies behind: 16 bits hold it.
        gravity = (x + 32768) << 32 | (y + 32768) << 16 | (z + 32768)
    }

    mutating func wordAlone(_ word: ChannelWord) { optics = Int64(word.rawValue) | 1 << 56 }
}

/// Thousandths, rounded.
private func thousandths(_ value: Float?) -> Int64? {
    guard let value, value.isFinite, abs(value) < 1e6 else { return nil }
    return Int64((value * 1000).rounded())
}
