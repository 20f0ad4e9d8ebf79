// Owns chance in the simulated world: one seed, one stream, the same on every machine. Nothing else may be random.

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
public struct Chance: Sendable {
    private var state: UInt64

    public init(seed: UInt64) { state = seed }

    public mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        return Chance.mix(state)
    }

    /// 0..<bound; 0 for a bound of 0.
    public mutating func below(_ bound: UInt64) -> UInt64 { bound == 0 ? 0 : next() % bound }

    /// The output function alone: a hash of one number.
    static func mix(_ value: UInt64) -> UInt64 {
        var z = value
        z = (z ^ z >> 30) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ z >> 27) &* 0x94d0_49bb_1331_11eb
        return z ^ z >> 31
    }
}
