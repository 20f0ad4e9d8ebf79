// Owns heart rate read from the pulse wave itself (WHOOP.md 8.13): a cross-check of the strap's own number, never its
// replacement. Seconds must follow one another without a hole; a record whose samples end early ends the window too.

/// Heart rate from the last eight seconds of pulse wave, at least five.
public struct PulseRate: Sendable {
    /// Samples a second (WHOOP.md 8.8).
    private static var rate: Int { 25 }
    private static var most: Int { 8 * rate }
    private static var least: Int { 5 * rate }
    /// The mean over 12 samples to either side is taken away: what is slower than a pulse.
    private static var reach: Int { 12 }
    /// 250 to 31 beats per minute.
    private static var lags: ClosedRange<Int> { 6...48 }
    /// The least correlation that is a pulse.
    private static var threshold: Float { 0.3 }

    /// The window, oldest first.
    private var samples = InlineArray<200, Int32>(repeating: 0)
    private var count = 0
    private var second: UInt32?
    private var segment: UInt16 = 0

    public init() {}

    /// Takes the record of one second. A second that does not follow the one before, or belongs to another episode, begins
    /// the window anew.
    public mutating func take(_ pulse: borrowing Pulse, unix: UInt32) {
        if second.map({ $0 &+ 1 }) != unix || segment != pulse.segment { count = 0 }
        second = unix
        segment = pulse.segment
        if count + Self.rate > Self.most {
            for i in 0..<(Self.most - Self.rate) { samples[i] = samples[i + Self.rate] }
            count = Self.most - Self.rate
        }
        let before = count
        var wave = pulse.samples
        while count < Self.most, let sample = wave.next() {
            samples[count] = sample
            count += 1
        }
        if count - before != Self.rate {
            count = 0
            second = nil
        }
    }

    /// Beats per minute, 31...250; nil without five seconds in a row or where there is no pulse in them.
    public var beatsPerMinute: Float? {
        guard count >= Self.least else { return nil }
        var wave = InlineArray<200, Float>(repeating: 0)
        for i in 0..<count {
            let from = max(0, i - Self.reach), to = min(count, i + Self.reach + 1)
            var sum: Int64 = 0
            for j in from..<to { sum += Int64(samples[j]) }
            wave[i] = Float(samples[i]) - Float(sum) / Float(to - from)
        }
        var correlation = InlineArray<49, Float>(repeating: 0)
        var peak: Float = 0
        for lag in Self.lags {
            var product: Float = 0, early: Float = 0, late: Float = 0
            for i in 0..<(count - lag) {
                product += wave[i] * wave[i + lag]
                early += wave[i] * wave[i]
                late += wave[i + lag] * wave[i + lag]
            }
            let power = (early * late).squareRoot()
            correlation[lag] = power > 0 ? product / power : 0
            peak = max(peak, correlation[lag])
        }
        guard peak >= Self.threshold else { return nil }
        // The first maximum that is nearly as high as the highest: later ones are two beats and more.
        for lag in (Self.lags.lowerBound + 1)..<Self.lags.upperBound {
            let (left, here, right) = (correlation[lag - 1], correlation[lag], correlation[lag + 1])
            guard here >= left, here >= right, here >= 0.85 * peak else { continue }
            // The top of the parabola through the three.
            let bend = left - 2 * here + right
            let shift = bend < 0 ? (left - right) / (2 * bend) : 0
            return Float(60 * Self.rate) / (Float(lag) + shift)
        }
        return nil
    }
}
