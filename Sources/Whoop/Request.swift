// Owns reading the app's side of a captured conversation: commands (types 35 and 37, WHOOP.md 4.2). Reading only: what
// may be said to a strap is `Command`'s, and nothing that is read here can be sent.
import Wire

/// A command that somebody sent.
public struct Request: ~Escapable {
    public let family: Family
    private let inner: RawSpan

    @_lifetime(copy frame)
    public init?(_ frame: borrowing Frame) {
        guard frame.isKnownRevision, frame.type == PacketType.command || frame.type == PacketType.packCommand,
              frame.inner.byteCount >= 3 else { return nil }
        family = frame.family
        inner = frame.inner
    }

    /// Whether it is for the battery pack.
    public var isForPack: Bool { inner.u8(at: 0) == PacketType.packCommand }
    public var sequence: UInt8 { inner.u8(at: 1) }
    public var command: UInt8 { inner.u8(at: 2) }
    /// Padding included: the length before padding cannot be known.
    public var payload: RawSpan {
        @_lifetime(copy self) get { inner.extracting(3..<inner.byteCount) }
    }
}
