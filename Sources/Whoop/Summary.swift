// Owns the one-second summaries: v12 and v24 of 4.0, v18 of 5.0 (WHOOP.md 8.3, 8.7). One view for all three, because
// they say the same things at other offsets. A value outside its gate, or that a version does not have, is nil.
import Wire

/// One second as the strap summed it up.
public struct Summary: ~Escapable {
    public enum Layout: UInt8, Sendable, BitwiseCopyable {
        case v12 = 12, v18 = 18, v24 = 24
    }

    public let layout: Layout
    private let inner: RawSpan

    /// Nil for another version, or a record too short for its version.
    @_lifetime(copy frame)
    @inline(__always)
    public init?(_ frame: borrowing Frame) {
        guard let record = Record(frame), let summary = Summary(record) else { return nil }
        self = summary
    }

    @_lifetime(copy record)
    @inline(__always)
    init?(_ record: borrowing Record) {
        if let summary = Summary(v24: record) {
            self = summary
        } else if let summary = Summary(v18: record) {
            self = summary
        } else {
            return nil
        }
    }

    /// v24 or v12, which are 4.0 only. The compiler then knows every offset and that the record reaches so far.
    @_lifetime(copy record)
    @inline(__always)
    init?(v24 record: borrowing Record) {
        guard record.version == Layout.v24.rawValue || record.version == Layout.v12.rawValue, record.family == .whoop4,
              record.inner.byteCount >= 84 else { return nil }
        layout = record.version == Layout.v24.rawValue ? .v24 : .v12
        inner = record.inner
    }

    /// v18 has been claimed for some 4.0 firmware too.
    @_lifetime(copy record)
    @inline(__always)
    init?(v18 record: borrowing Record) {
        guard record.version == Layout.v18.rawValue, record.inner.byteCount >= 109 else { return nil }
        layout = .v18
        inner = record.inner
    }

    /// The offset of a field in v12 and v24, or in v18.
    @inline(__always)
    private func at(_ v24: Int, _ v18: Int) -> Int { layout == .v18 ? v18 : v24 }

    // MARK: Heart

    /// Beats per minute, 25...230.
    @inline(__always)
    public var heartRate: UInt8? { Gate.heartRate(inner.u8(at: at(17, 14))) }

    /// R-R intervals in milliseconds, in order, at most 4; those outside 200...2500 are absent, and all are when there
    /// are said to be more.
    @inline(__always)
    public var rr: Series {
        @_lifetime(copy self) get { Series(inner, at: at(19, 16), .interval, count: Gate.rrCount(inner.u8(at: at(18, 15)))) }
    }

    /// 255 is clean. Its meaning is inferred: nothing should be refused because of it.
    @inline(__always)
    public var quality: UInt8 { inner.u8(at: at(31, 32)) }

    // MARK: Motion

    /// The largest change of the acceleration's magnitude between neighbouring 100 Hz samples of this second, g, 0...16.
    @inline(__always)
    public var dynamicAcceleration: Float? { Gate.motion(inner.f32(at: at(32, 33))) }

    /// Mean acceleration of this second, g. On 4.0 its magnitude is 0.5...1.8, on 5.0 each component at most 16.
    @inline(__always)
    public var gravity: Vector? {
        if layout != .v18 { return Gate.gravity(inner, at: 36) }
        let mean = Vector(x: inner.f32(at: 37), y: inner.f32(at: 41), z: inner.f32(at: 45))
        return abs(mean.x) <= 16 && abs(mean.y) <= 16 && abs(mean.z) <= 16 ? mean : nil
    }

    /// Cumulative steps; wraps at 65536, restarts with the strap. v24 and v18.
    @inline(__always)
    public var steps: UInt16? {
        switch layout {
        case .v12: nil
        case .v24: inner.byteCount >= 90 ? inner.u16(at: 88) : nil
        case .v18: inner.u16(at: 49)
        }
    }

    /// What the strap takes the movement for. v18.
    @inline(__always)
    public var activity: Activity? { layout == .v18 ? Activity(rawValue: inner.u8(at: 55)) : nil }

    /// Like a cadence; from a single source. v18.
    @inline(__always)
    public var cadence: UInt8? { layout == .v18 ? inner.u8(at: 51) : nil }

    // MARK: Temperature

    /// Skin temperature in hundredths of °C, 500...4500 (5...45 °C; worn 20...42). 4.0 keeps tenths.
    @inline(__always)
    public var skinTemperature_centi: Int16? {
        layout == .v18 ? Gate.skin(Int(inner.i16(at: 65))) : Gate.skin(Int(inner.u16(at: 72)) * 10)
    }

    /// How sure skin temperature, steps, sleep state and blood oxygen are: 4.0's were worked out from the data of few straps
    /// (WHOOP.md 16), 5.0's are told by several sources.
    @inline(__always)
    public var confidence: Confidence { layout == .v18 ? .established : .derived }

    /// The battery cell's temperature in tenths of °C, -400...1000. v18.
    @inline(__always)
    public var cellTemperature_tenths: Int16? { boardValue(at: 61) }

    /// The board's temperature in tenths of °C, -400...1000. v18.
    @inline(__always)
    public var boardTemperature_tenths: Int16? { boardValue(at: 63) }

    @inline(__always)
    private func boardValue(at offset: Int) -> Int16? {
        let tenths = inner.i16(at: offset)
        return layout == .v18 && tenths >= -400 && tenths <= 1000 ? tenths : nil
    }

    // MARK: Sleep and oxygen

    /// What the strap takes the wearer for; lags real onset of sleep by about ten minutes.
    @inline(__always)
    public var sleepState: SleepState { SleepState(sleepByte >> 4) }

    /// Bits 4-5 `sleepState`; 2-3 how the strap fits; 0-1 a snapshot of flags, not wear.
    @inline(__always)
    public var sleepByte: UInt8 { inner.u8(at: at(80, 73)) }

    /// Blood oxygen in percent, 70...100: sparse, experimental, only while asleep with `isOxygenWindow`.
    @inline(__always)
    public var spo2: UInt8? { Gate.spo2(spo2Byte) }

    /// The percentage or a status code; 0 is none.
    @inline(__always)
    public var spo2Byte: UInt8 { inner.u8(at: at(82, 74)) }

    /// Whether the optical channels for blood oxygen were lit in this second.
    @inline(__always)
    public var isOxygenWindow: Bool { channelWord(1).isLit && channelWord(2).isLit }

    // MARK: What nobody can read yet

    /// Two bytes at an offset of the inner record, for whoever finds out (WHOOP.md 16).
    @inline(__always)
    public func raw(at offset: Int) -> UInt16 { inner.u16(at: offset) }

    /// A float at 48 of 4.0, always a whole number, ±32768.
    @inline(__always)
    public var rawReal: Float? {
        let value = inner.f32(at: 48)
        return layout != .v18 && value.isFinite ? value : nil
    }

    /// v18.
    @inline(__always)
    public var signalFlags: UInt8? { layout == .v18 ? inner.u8(at: 25) : nil }

    // MARK: Optics

    /// The three words of the optical front end, see `ChannelWord`.
    @inline(__always)
    public var channelWords: Series {
        @_lifetime(copy self) get { Series(inner, at: at(74, 67), .u16, count: 3) }
    }

    /// Channel `index` 0...2 of the optical front end (WHOOP.md 8.4).
    @inline(__always)
    public func channelWord(_ index: Int) -> ChannelWord {
        guard index >= 0, index <= 2 else { return ChannelWord(rawValue: 0) }
        return ChannelWord(rawValue: inner.u16(at: at(74, 67) + 2 * index))
    }

    /// Signal-to-noise of photodiode `index` (0 A, 1 B) in dB; -128 on the strap is nil. v18, single source.
    @inline(__always)
    public func signalToNoise_dB(_ index: Int) -> Int8? {
        guard layout == .v18, index == 0 || index == 1 else { return nil }
        let dB = inner.i8(at: 101 - index)
        return dB == -128 ? nil : dB
    }

    /// Mean of photodiode `index` (0 A, 1 B). v18, single source.
    public func photodiodeMean(_ index: Int) -> UInt8? {
        layout == .v18 && (index == 0 || index == 1) ? inner.u8(at: 99 - index) : nil
    }

    /// A second estimate of the heart rate, 25...230, where the strap says that it agrees. v18, single source.
    public var secondHeartRate: UInt8? {
        layout == .v18 && inner.u8(at: 28) & 0x80 != 0 ? Gate.heartRate(inner.u8(at: 29)) : nil
    }

    /// How the strap fits, 0...3. v18.
    public var fit: UInt8? { layout == .v18 ? sleepByte >> 2 & 3 : nil }

    /// Logarithm of the signal's variance, about -5.3...0, lower is cleaner. v18, single source.
    @inline(__always)
    public var logVariance: Float? {
        let value = inner.f32(at: 105)
        return layout == .v18 && value.isFinite ? value : nil
    }
}
