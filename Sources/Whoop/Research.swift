// Owns the research record v22 of 5.0 (WHOOP.md 8.11; a single source). A tag says what it holds. Bytes that a tag does
// not write are stale from the packet before, so nothing outside the tag's own layout is ever read.
import Wire

/// One research record.
public struct Research: ~Escapable {
    private let inner: RawSpan

    /// Nil for another version or a short record.
    @_lifetime(copy record)
    init?(_ record: borrowing Record) {
        guard record.family == .whoop5, record.version == 22, record.inner.byteCount >= 176 else { return nil }
        inner = record.inner
    }

    /// 1, 2, 4: one optical window; 3: two; 5: a pulse record; 6: acceleration. Others are not known.
    public var tag: UInt8 { inner.u8(at: 13) }

    /// 1 or 2 with a window, otherwise 0.
    public var windowCount: Int {
        switch tag {
        case 1, 2, 4, 5: 1
        case 3: 2
        default: 0
        }
    }

    private func start(_ index: Int) -> Int { tag == 5 ? 23 : index == 0 ? 15 : 67 }

    /// The first sample of window `index`.
    public func first(_ index: Int) -> Int32? { index >= 0 && index < windowCount ? inner.i32(at: start(index)) : nil }

    /// The differences that follow it: 49, or 24 with tags 3 and 5.
    @_lifetime(copy self)
    public func deltas(_ index: Int) -> Series {
        let count = index < 0 || index >= windowCount ? 0 : tag == 3 || tag == 5 ? 24 : 49
        return Series(inner, at: start(index) + 4, .i16, count: count)
    }

    /// The time of the pulse record within; tag 5.
    public var embeddedUnix: UInt32? { tag == 5 ? inner.u32(at: 15) : nil }

    /// g, 0...16; tags 1 to 5.
    public var dynamicAcceleration: Float? {
        switch tag {
        case 1...4: Gate.motion(inner.f32(at: meta + 4))
        case 5: Gate.motion(inner.f32(at: 75))
        default: nil
        }
    }

    /// Tags 1 to 5.
    public var channelWord: ChannelWord? {
        switch tag {
        case 1...4: ChannelWord(rawValue: inner.u16(at: meta + 20))
        case 5: ChannelWord(rawValue: inner.u16(at: 79))
        default: nil
        }
    }

    /// A snapshot of flags; tags 1 to 5.
    public var flag: UInt8? {
        switch tag {
        case 1...4: inner.u8(at: meta + 26)
        case 5: inner.u8(at: 81)
        default: nil
        }
    }

    /// 25 samples an axis, counts of `MotionScale.perG`; none but with tag 6.
    public var acceleration: Axes {
        @_lifetime(copy self) get { Axes(inner, at: 18, count: tag == 6 ? 25 : 0, stride: 50) }
    }

    /// Where what is said about a window begins.
    private var meta: Int { tag == 3 ? 119 : 117 }
}

extension Record {
    /// The record as a research record, when its version is one.
    public var research: Research? {
        @_lifetime(copy self) get { Research(self) }
    }
}
