// Owns the reading of GET_DATA_RANGE (WHOOP.md 5.7): where the strap's flash ring stands. The four times are not on a
// four-byte grid of the answer.
import Wire

/// The state of the strap's ring of flash pages.
public struct DataRange: Equatable, Sendable, BitwiseCopyable {
    /// The oldest page, aligned to an erase block.
    public var oldestPage: UInt32
    public var readPage: UInt32
    public var writePage: UInt32
    /// Everything before this page has been acknowledged.
    public var trimPage: UInt32
    /// How often the ring has wrapped.
    public var wraps: UInt32
    /// Pages of the ring, 131,072 on all straps seen.
    public var pages: UInt32
    /// Records not read yet.
    public var unreadRecords: UInt32
    public var freeRecords: UInt32
    /// Times by the strap's clock; nil where they are before any strap existed.
    public var oldest: StrapTime?
    public var trim: StrapTime?
    public var read: StrapTime?
    public var newest: StrapTime?

    /// From an answer's body; nil for another revision, a short body, or a ring without pages.
    init?(_ body: RawSpan) {
        guard body.byteCount >= 65, body.u8(at: 0) == 1, body.u32(at: 21) > 0 else { return nil }
        oldestPage = body.u32(at: 1)
        readPage = body.u32(at: 5)
        writePage = body.u32(at: 9)
        trimPage = body.u32(at: 13)
        wraps = body.u32(at: 17)
        pages = body.u32(at: 21)
        unreadRecords = body.u32(at: 25)
        freeRecords = body.u32(at: 29)
        newest = DataRange.time(body, at: 57)
        let oldest = DataRange.time(body, at: 33)
        if let a = oldest, let b = newest, a.seconds > b.seconds {
            self.oldest = nil
        } else {
            self.oldest = oldest
        }
        trim = DataRange.time(body, at: 41)
        read = DataRange.time(body, at: 49)
    }

    /// Pages written and not acknowledged, 0..<pages.
    public var pagesBehind: UInt32 {
        let distance = (Int64(writePage) - Int64(trimPage)) % Int64(pages)
        return UInt32(distance < 0 ? distance + Int64(pages) : distance)
    }

    private static func time(_ body: RawSpan, at offset: Int) -> StrapTime? {
        let seconds = body.u32(at: offset)
        guard seconds >= StrapTime.earliest else { return nil }
        return StrapTime(seconds: seconds, fraction: body.u16(at: offset + 4))
    }
}
