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
    init?(_ record: borrowing Record) {
        guard record.version == (record.family == .whoop4 ? 25 : 26), record.inner.byteCount >= 75 else { return nil }
        inner = record.inner
    }

    /// Constant within an episode of consecutive seconds.
    public var segment: UInt16 { inner.u16(at: 13) }

    /// The first sample, an ADC code of 20 bits with sign.
    public var first: Int32? { Pulse.isCode(inner.i32(at: 15)) ? inner.i32(at: 15) : nil }

    public static var deltaCount: Int { 24 }

    /// Delta `index` (0..<24): sample `index + 1` less sample `index`.
    public func delta(at index: Int) -> Int16? {
        index >= 0 && index < Pulse.deltaCount ? inner.i16(at: 19 + 2 * index) : nil
    }

    /// The samples, as far as they can be trusted.
    public var samples: PulseSamples {
        var samples = PulseSamples()
        guard var value = first else { return samples }
        samples.append(value)
        for i in 0..<Pulse.deltaCount {
            let delta = inner.i16(at: 19 + 2 * i)
            value += Int32(delta)
            guard delta != .min, delta != .max, Pulse.isCode(value) else { break }
            samples.append(value)
        }
        return samples
    }

    /// As the summary of the same second has it: g, 0...16.
    public var dynamicAcceleration: Float? { Gate.motion(inner.f32(at: 67)) }

    public var channelWord: ChannelWord { ChannelWord(rawValue: inner.u16(at: 71)) }

    /// Whether the strap's check of the wave's shape passed. It is not a beat.
    public var isShapeGood: Bool { inner.u8(at: 74) == 1 }

    private static func isCode(_ value: Int32) -> Bool { value >= -524_288 && value <= 524_287 }
}

/// Up to 25 samples at 25 Hz.
public struct PulseSamples: Sendable {
    private var values = InlineArray<25, Int32>(repeating: 0)
    public private(set) var count = 0

    /// Sample `index`; nil outside 0..<count.
    public subscript(index: Int) -> Int32? { index >= 0 && index < count ? values[index] : nil }

    fileprivate mutating func append(_ value: Int32) {
        guard count < 25 else { return }
        values[count] = value
        count += 1
    }
}
