// Owns raw optics: a second of what the photodiodes saw, in records v11 of 4.0 (four blocks at 50 Hz, WHOOP.md 8.6) and
// v20 of 5.0 (five blocks, 8.9). Gains change all the time: samples compare only after division by current and full scale.
import Wire

/// A light-emitting diode of a block: which driver, and how much current in units of 10 µA.
public struct LED: Equatable, Sendable, BitwiseCopyable {
    public var driver: UInt8
    public var current_10uA: UInt16
}

/// A photodiode's path: which one, its ADC's full scale in µA, its offset current in units of 10 nA.
public struct Photodiode: Equatable, Sendable, BitwiseCopyable {
    public var number: UInt8
    public var fullScale_uA: UInt32
    public var offset_10nA: Int16
}

/// One channel's second.
public struct OpticalBlock: ~Escapable {
    enum Layout { case v11, v20 }
    private let layout: Layout
    private let block: RawSpan

    /// Nil where the block does not fit into the record. A block is 425 bytes (v11) or 421 (v20).
    @_lifetime(copy bytes)
    init?(_ bytes: RawSpan, at offset: Int, _ layout: Layout) {
        guard let block = bytes.slice(offset, offset + (layout == .v11 ? 425 : 421)) else { return nil }
        self.layout = layout
        self.block = block
    }

    /// Samples in use, 0...50; a greater count is not believed.
    public var count: Int? {
        let count = Int(block.u8(at: layout == .v11 ? 1 : 0))
        return count <= 50 ? count : nil
    }

    /// 3 in v11, 2 in v20.
    public var ledCount: Int { layout == .v11 ? 3 : 2 }

    public func led(_ index: Int) -> LED? {
        guard index >= 0, index < ledCount else { return nil }
        let at = (layout == .v11 ? 2 : 1) + 3 * index
        return LED(driver: block.u8(at: at), current_10uA: block.u16(at: at + 1))
    }

    /// Path 0 gives `a`, path 1 gives `b`.
    public func photodiode(_ index: Int) -> Photodiode? {
        guard index == 0 || index == 1 else { return nil }
        let at = (layout == .v11 ? 11 : 7) + 7 * index
        return Photodiode(number: block.u8(at: at), fullScale_uA: block.u32(at: at + 1), offset_10nA: block.i16(at: at + 5))
    }

    /// Samples of the first path, ADC codes.
    public var a: Series {
        @_lifetime(copy self) get { layout == .v11 ? Series(block, at: 25, .i32, count: count) : Series(block, at: 21, .i20, count: count) }
    }

    /// Samples of the second path, ADC codes.
    public var b: Series {
        @_lifetime(copy self) get { layout == .v11 ? Series(block, at: 225, .i32, count: count) : Series(block, at: 221, .i20, count: count) }
    }
}

/// A second of raw optics.
public struct Optics: ~Escapable {
    private let layout: OpticalBlock.Layout
    private let inner: RawSpan

    /// Nil for another version, or a record too short for it.
    @_lifetime(copy record)
    init?(_ record: borrowing Record) {
        switch (record.family, record.version) {
        case (.whoop4, 11):
            guard record.inner.byteCount >= 1713 else { return nil }
            layout = .v11
        case (.whoop5, 20):
            guard record.inner.byteCount >= 2127 else { return nil }
            layout = .v20
        default:
            return nil
        }
        inner = record.inner
    }

    /// 4 in v11: green, two that are idle unless measuring, one weak. 5 in v20: green, red, a fourth, infrared, ambient
    /// (names from a single source).
    public var blockCount: Int { layout == .v11 ? 4 : 5 }

    @_lifetime(copy self)
    public func block(_ index: Int) -> OpticalBlock? {
        guard index >= 0, index < blockCount else { return nil }
        return layout == .v11 ? OpticalBlock(inner, at: 13 + 425 * index, .v11) : OpticalBlock(inner, at: 18 + 422 * index, .v20)
    }

    /// As v20 says it; v11 is always 50 Hz.
    public var samplesPerSecond: UInt16 { layout == .v11 ? 50 : inner.u16(at: 15) }
}

extension Record {
    /// The record as a second of raw optics, when its version is one.
    public var optics: Optics? {
        @_lifetime(copy self) get { Optics(self) }
    }
}
