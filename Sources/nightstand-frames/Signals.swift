// Owns what is worked out from the frames of one strap over time and belongs to no single frame: steps, wear, and heart
// rate read from the pulse wave beside the strap's own.
import Whoop
import Wire

/// The signals of one link, or of a capture that has no links.
struct Signals {
    let link: Int
    private var steps = StepCount()
    private var hasSteps = false
    private var areStepsDerived = false
    private var wear = Wear()
    private var pulse = PulseRate()
    /// Rates read from the wave, beats per minute.
    private var rates = 0
    private var slowest: Float = 0
    private var fastest: Float = 0

    init(link: Int) { self.link = link }

    mutating func take(_ frame: borrowing Frame) {
        wear.take(frame)
        guard frame.type == PacketType.record, let record = Record(frame) else {
            if let event = Event(frame), event.number == .boot { steps.restart() }
            return
        }
        if let summary = record.summary, let count = summary.steps {
            steps.take(count, counter: record.counter, unix: record.unix)
            hasSteps = true
            areStepsDerived = summary.confidence == .derived
        }
        if let wave = record.pulse {
            pulse.take(wave, unix: record.unix)
            if let rate = pulse.beatsPerMinute {
                slowest = rates == 0 ? rate : min(slowest, rate)
                fastest = rates == 0 ? rate : max(fastest, rate)
                rates += 1
            }
        }
    }

    /// Lines for people; none where there is nothing to say.
    var text: String {
        var parts: [String] = []
        if hasSteps { parts.append("\(steps.total) steps\(areStepsDerived ? "~" : "")") }
        if let worn = wear.isWorn { parts.append("\(worn ? "worn" : "not worn") since \(WallTime(seconds: Int64(wear.since)).utc)") }
        if rates > 0 { parts.append("heart rate from the pulse wave \(Int(slowest.rounded())) to \(Int(fastest.rounded())) in \(rates) windows") }
        guard !parts.isEmpty else { return "" }
        var line = link > 0 ? "  link \(link), worked out: " : "  worked out: "
        for (i, part) in parts.enumerated() { line += (i > 0 ? ", " : "") + part }
        return line + "\n"
    }
}
