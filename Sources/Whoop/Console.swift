// Owns the strap's own log (type 50, WHOOP.md 6.5): pieces of text; lines run over several frames and end in LF.
import Wire

/// One piece of the strap's log.
public struct Console: ~Escapable {
    private let inner: RawSpan

    @_lifetime(copy frame)
    public init?(_ frame: borrowing Frame) {
        guard frame.isKnownRevision, frame.type == PacketType.console, frame.inner.byteCount >= 13 else { return nil }
        inner = frame.inner
    }

    /// Counter of pieces; wraps at 256.
    public var sequence: UInt8 { inner.u8(at: 1) }
    /// The event's number; always 2.
    public var number: UInt16 { inner.u16(at: 2) }
    public var unix: UInt32 { inner.u32(at: 4) }
    /// 1/32768 s.
    public var subsecond: UInt16 { inner.u16(at: 8) }

    /// As long as the frame says, at most what is there: a revision, text, NUL.
    public var body: RawSpan {
        @_lifetime(copy self) get { declaredBody(inner) }
    }

    /// ASCII, usually 50 bytes, without the revision byte before and the NUL after it. Nil for another revision than 1.
    public var text: RawSpan? {
        @_lifetime(copy self) get { body.u8(at: 0) == 1 ? Whoop.text(body.extracting(1..<body.byteCount)) : nil }
    }
}
