// Owns the pulse packets: 4.0 v25 and 5.0 v26 are one layout (WHOOP.md 8.8). Deltas are not samples: a delta at a rail,
// or a sum outside 20 bits, ends what can be trusted.
import Wire

/// One second of pulse wave: 25 samples at 25 Hz.
public struct Pulse: ~Escapable {
    private let inner: RawSpan

    /// Nil for another version or a short record.
    @_lifetime(copy frame)
    public init?(_ frame: borrowing Frame) {
        guard let record = Record(frame), let pulse = Pulse(record) else { return nil }
        self = pulse
    }

    @_lifetime(copy record)
    @inline(__always)
    init?(_ record: borrowing Record) {
        guard record.version == (record.family == .whoop4 ? 25 : 26), record.inner.byteCount >= 75 else { return nil }
        inner = record.inner
    }

    /// Constant within an episode of consecutive seconds.
    public var segment: UInt16 { inner.u16(at: 13) }

    /// The first sample, an ADC code of 20 bits with sign.
    public var first: Int32? { Pulse.isCode(inner.i32(at: 15)) ? inner.i32(at: 15) : nil }

    /// 24 differences: number `i` is sample `i + 1` less sample `i`.
    public var deltas: Series {
        @_lifetime(copy self) @inline(__always) get { Series(inner, at: 19, .i16, count: 24) }
    }

    /// The samples, as far as they can be trusted.
    public var samples: PulseSamples {
        @_lifetime(copy self) get { PulseSamples(first: first, deltas) }
    }

    /// As the summary of the same second has it: g, 0...16.
    public var dynamicAcceleration: Float? { Gate.motion(inner.f32(at: 67)) }

    public var channelWord: ChannelWord { ChannelWord(rawValue: inner.u16(at: 71)) }

    /// Whether the strap's check of the wave's shape passed. It is not a beat.
    public var isShapeGood: Bool { inner.u8(at: 74) == 1 }

    /// A snapshot of flags, 0 or 1.
    public var flags: UInt8 { inner.u8(at: 73) }

    @inline(__always)
    static func isCode(_ value: Int32) -> Bool { value >= -524_288 && value <= 524_287 }
}

/// Up to 25 samples at 25 Hz, each summed up when it is asked for. A delta at a rail ends them, and so does a sum outside
/// 20 bits: what follows cannot be trusted.
public struct PulseSamples: ~Escapable {
    private let deltas: Series
    private var value: Int32?
    private var index = 0

    @_lifetime(copy deltas)
    init(first: Int32?, _ deltas: borrowing Series) {
        self.deltas = copy deltas
        value = first
    }

    /// The next sample, an ADC code of 20 bits with sign; nil at the end.
    @_lifetime(self: copy self)
    public mutating func next() -> Int32? {
        guard let sample = value else { return nil }
        value = nil
        if let delta = deltas[index], delta != Int32(Int16.min), delta != Int32(Int16.max), Pulse.isCode(sample + delta) { value = sample + delta }
        index += 1
        return sample
    }
}
