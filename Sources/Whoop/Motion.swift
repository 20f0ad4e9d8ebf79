// Owns raw motion: a second of acceleration and rotation at 100 Hz in records v10 of 4.0 and v21 of 5.0, archived or live
// (WHOOP.md 8.5, 8.10), and the live blocks of types 51 and 52 (7.3). Both axes' scales are the sensor's, the same for all.
import Wire

/// Scales of the motion sensor (WHOOP.md 7.3, 8.5, 8.10).
public enum MotionScale {
    /// Acceleration: counts in 1 g.
    public static var perG: Float { 4096 }
    /// Rotation: degrees per second in one count.
    public static var degreesPerSecond: Float { 2000.0 / 32768 }
}

/// Three series of one sensor, sample by sample the same moment.
public struct Axes: ~Escapable {
    public let x: Series
    public let y: Series
    public let z: Series
    /// Samples of each axis.
    public var count: Int { z.count }

    /// `count` numbers an axis, nil where the count is not believed; an axis begins `stride` bytes after the one before.
    @_lifetime(copy bytes)
    @inline(__always)
    init(_ bytes: RawSpan, at offset: Int, count: Int?, stride: Int) {
        x = Series(bytes, at: offset, .i16, count: count)
        y = Series(bytes, at: offset + stride, .i16, count: count)
        z = Series(bytes, at: offset + 2 * stride, .i16, count: count)
    }
}

extension Axes {
    /// Of acceleration: the largest change of its magnitude from one sample to the next, g. It is what summaries carry as
    /// `dynamicAcceleration` (WHOOP.md 8.3). Nil with fewer than two samples.
    public var largestChange: Float? {
        guard count >= 2 else { return nil }
        var last = magnitude(0), largest: Float = 0
        for i in 1..<count {
            let here = magnitude(i)
            largest = max(largest, abs(here - last))
            last = here
        }
        return largest
    }

    /// Of acceleration: the mean of each axis, g. Nil without samples.
    public var mean: Vector? {
        guard count > 0 else { return nil }
        func mean(_ axis: borrowing Series) -> Float {
            var sum: Int64 = 0
            axis.forEach { sum += Int64($0) }
            return Float(sum) / Float(count) / MotionScale.perG
        }
        return Vector(x: mean(x), y: mean(y), z: mean(z))
    }

    private func magnitude(_ index: Int) -> Float {
        let (a, b, c) = (Float(x[index] ?? 0), Float(y[index] ?? 0), Float(z[index] ?? 0))
        return (a * a + b * b + c * c).squareRoot() / MotionScale.perG
    }
}

/// A second of raw motion.
public struct Motion: ~Escapable {
    private enum Layout { case v10, v21 }
    private let layout: Layout
    private let inner: RawSpan

    /// Nil for another version, or a record too short for it. A live 4.0 record of v5 with v10's length has v10's layout.
    @_lifetime(copy record)
    init?(_ record: borrowing Record) {
        switch (record.family, record.version) {
        case (.whoop4, 10), (.whoop4, 5):
            guard record.inner.byteCount >= 1920, record.version == 10 || record.isLive else { return nil }
            layout = .v10
        case (.whoop5, 21):
            guard record.inner.byteCount >= 1232 else { return nil }
            layout = .v21
        default:
            return nil
        }
        inner = record.inner
    }

    /// Counts of `MotionScale.perG`. v21 says how many samples it has; a stride is 100 samples in any case.
    public var acceleration: Axes {
        @_lifetime(copy self) @inline(__always) get {
            switch layout {
            case .v10: Axes(inner, at: 85, count: 100, stride: 200)
            case .v21: Axes(inner, at: 20, count: samples(at: 16), stride: 200)
            }
        }
    }

    /// Counts of `MotionScale.degreesPerSecond`.
    public var rotation: Axes {
        @_lifetime(copy self) @inline(__always) get {
            switch layout {
            case .v10: Axes(inner, at: 688, count: 100, stride: 200)
            case .v21: Axes(inner, at: 632, count: samples(at: 622), stride: 200)
            }
        }
    }

    /// Nil above the capacity.
    private func samples(at offset: Int) -> Int? {
        let count = Int(inner.u16(at: offset))
        return count <= 100 ? count : nil
    }

    // MARK: v10 only

    /// Whether the record has means, steps and ambient light beside its samples.
    public var hasMeans: Bool { layout == .v10 }

    /// The largest change of the acceleration's magnitude between neighbouring samples, g, 0...16.
    public var dynamicAcceleration: Float? { layout == .v10 ? Gate.motion(inner.f32(at: 42)) : nil }

    /// Mean acceleration, g; its magnitude is 0.5...1.8.
    public var gravity: Vector? { layout == .v10 ? Gate.gravity(inner, at: 46) : nil }

    /// Cumulative steps; wraps at 65536, restarts with the strap.
    public var steps: UInt16? { layout == .v10 ? inner.u16(at: 1293) : nil }

    /// What the photodiodes saw with all LEDs dark.
    public var ambient: OpticalBlock? {
        @_lifetime(copy self) get { layout == .v10 ? OpticalBlock(inner, at: 1491, .v11) : nil }
    }
}

/// A live block of raw motion (types 51 and 52; 52 was never seen and is taken for the same).
public struct MotionBlock: ~Escapable {
    private let inner: RawSpan

    @_lifetime(copy frame)
    public init?(_ frame: borrowing Frame) {
        guard frame.isKnownRevision, frame.type == PacketType.motion || frame.type == PacketType.storedMotion,
              frame.inner.byteCount >= 24 else { return nil }
        inner = frame.inner
    }

    public var unix: UInt32 { inner.u32(at: 4) }
    /// Which block of its second.
    public var index: UInt16 { inner.u16(at: 14) }

    /// Counts of `MotionScale.perG`.
    public var acceleration: Axes {
        @_lifetime(copy self) get { Axes(inner, at: 24, count: accelerationCount, stride: 2 * (accelerationCount ?? 0)) }
    }

    /// Counts of `MotionScale.degreesPerSecond`; from a single source.
    public var rotation: Axes {
        @_lifetime(copy self) get { Axes(inner, at: 24 + 6 * (accelerationCount ?? 0), count: rotationCount, stride: 2 * (rotationCount ?? 0)) }
    }

    /// Samples an axis; nil where the block has no bytes for them.
    private var accelerationCount: Int? {
        let count = Int(inner.u16(at: 20))
        return 24 + 6 * count <= inner.byteCount ? count : nil
    }

    /// Nil also where nobody knows where it begins.
    private var rotationCount: Int? {
        guard let before = accelerationCount else { return nil }
        let count = Int(inner.u16(at: 22))
        return 24 + 6 * (before + count) <= inner.byteCount ? count : nil
    }
}

extension Record {
    /// The record as a second of raw motion, when its version is one.
    public var motion: Motion? {
        @_lifetime(copy self) get { Motion(self) }
    }
}
