// Owns heart-rate zones: numbers in, numbers out.

/// Five zones as shares of the highest heart rate: 50, 60, 70, 80 and 90 %. The lower edge belongs to the zone, zone 5
/// has no top, below 50 % is zone 0.
public struct Zones: Equatable, Sendable, BitwiseCopyable {
    /// Beats per minute, 100...230.
    public var highest: Double
    /// No age and no maximum were given; 190 is taken.
    public var assumed: Bool

    /// - Parameters:
    ///   - hrMax: measured maximum in bpm; wins over age.
    ///   - age: years; the maximum is then 208 - 0.7 x age (Tanaka, Monahan and Seals, J Am Coll Cardiol 2001;37:153).
    public init(hrMax: Int?, age: Int?) {
        if let hrMax {
            highest = Double(hrMax)
            assumed = false
        } else if let age {
            highest = 208 - 0.7 * Double(age)
            assumed = false
        } else {
            highest = 190
            assumed = true
        }
    }

    /// Zone 0...5 of a heart rate in bpm.
    public func zone(of bpm: UInt8) -> Int {
        var zone = 0
        for edge in 5...9 where Double(bpm) * 10 >= Double(edge) * highest { zone = edge - 4 }
        return zone
    }
}
