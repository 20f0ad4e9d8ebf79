// Owns the strap's answers to commands (types 36 and 38, WHOOP.md 4.2, 4.3, 5). Offsets `b+N` of that document are
// offsets into `body` here. An answer to another command than the one asked for gives nil.
import Wire

/// What a command came to (WHOOP.md 4.3).
public struct CommandResult: Equatable, Sendable, BitwiseCopyable {
    public var rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// Refused; the body is stale bytes.
    public static var failure: CommandResult { CommandResult(rawValue: 0) }
    public static var success: CommandResult { CommandResult(rawValue: 1) }
    /// Accepted; a second answer may follow or not.
    public static var pending: CommandResult { CommandResult(rawValue: 2) }
    public static var unsupported: CommandResult { CommandResult(rawValue: 3) }
}

/// One answer of the strap.
public struct Response: ~Escapable {
    public let family: Family
    private let inner: RawSpan

    @_lifetime(copy frame)
    public init?(_ frame: borrowing Frame) {
        guard frame.isKnownRevision, frame.type == PacketType.response || frame.type == PacketType.packResponse,
              frame.inner.byteCount >= 5 else { return nil }
        family = frame.family
        inner = frame.inner
    }

    /// Whether the battery pack answers through the strap. What the pack says of battery, clock and so on is its own, and
    /// gives nil here.
    public var isFromPack: Bool { inner.u8(at: 0) == PacketType.packResponse }
    /// The strap's own counter of answers.
    public var sequence: UInt8 { inner.u8(at: 1) }
    /// The number of the command answered. It is not the same for both families: compare with `Command.number(for:)`.
    public var command: UInt8 { inner.u8(at: 2) }
    /// The sequence number of the command answered; always 0 for command 23 on 4.0.
    public var origin: UInt8 { inner.u8(at: 3) }
    public var result: CommandResult { CommandResult(rawValue: inner.u8(at: 4)) }
    /// What follows the result, padding included.
    public var body: RawSpan {
        @_lifetime(copy self) get { inner.extracting(5..<inner.byteCount) }
    }

    /// Whether the strap answers this command.
    private func answers(_ asked: Command) -> Bool { !isFromPack && command == asked.number(for: family) }

    /// State of charge in tenths of a percent, 0...1000 (WHOOP.md 5.5). On 4.0 it is there even when the result reads 0,
    /// and the first one after a connect may be stale; 5.0 answers in whole percent and only with success.
    public var battery_tenths: UInt16? {
        guard answers(.getBattery) else { return nil }
        let tenths: UInt16
        switch family {
        case .whoop4:
            guard result != .unsupported, body.byteCount >= 2 else { return nil }
            tenths = body.u16(at: 0)
        case .whoop5:
            guard result == .success, body.byteCount >= 1 else { return nil }
            tenths = UInt16(body.u8(at: 0)) * 10
        }
        return Gate.battery(UInt32(tenths))
    }

    /// The strap's clock, as GET_CLOCK tells it (WHOOP.md 5.2).
    public var clock: StrapTime? {
        guard answers(.getClock), result == .success, body.byteCount >= 6 else { return nil }
        return StrapTime(seconds: body.u32(at: 0), fraction: body.u16(at: 4))
    }

    /// What history there is (WHOOP.md 5.7). Nil until the answer with success.
    public var dataRange: DataRange? {
        guard answers(.getDataRange), result == .success else { return nil }
        return DataRange(body)
    }

    /// Who the strap is (WHOOP.md 5.3). Nil until the answer with success.
    public var hello: Hello? {
        @_lifetime(copy self) get {
            guard answers(.hello), result == .success else { return nil }
            return Hello(body, family: family)
        }
    }

    /// The advertised name, ASCII or UTF-8, not terminated (WHOOP.md 5.9).
    public var name: RawSpan? {
        @_lifetime(copy self) get {
            guard answers(.getName), result == .success, body.u8(at: 0) == 1,
                  let field = body.slice(3, 3 + Int(body.u8(at: 2))) else { return nil }
            return text(field)
        }
    }

    /// The main firmware of a 4.0 (WHOOP.md 5.4).
    public var version: Version? { version(at: 1) }

    /// The co-processor's firmware of a 4.0.
    public var coprocessorVersion: Version? { version(at: 17) }

    /// The signal processor's firmware of a 4.0.
    public var signalProcessorVersion: Version? {
        guard answers(.getVersion), result == .success, body.u8(at: 0) == 1 else { return nil }
        return Version(bytes: body, at: 65)
    }

    private func version(at offset: Int) -> Version? {
        guard answers(.getVersion), result == .success, body.u8(at: 0) == 1 else { return nil }
        return Version(body, at: offset)
    }

    /// The alarm as the strap holds it (WHOOP.md 5.8).
    public var alarm: AlarmState? {
        guard answers(.getAlarm(slot: 1)), result == .success else { return nil }
        return AlarmState(body, family: family)
    }

    /// What a 5.0 says of a buzz or an alarm beside the result (WHOOP.md 5.8, single source): 0 unknown, 1 valid, 2 effect,
    /// 3 loops, 4 duration invalid, 5 played, 6 failed, 7 timed out, 8 busy, 9 stopped, 10 time, 11 slot invalid.
    public var hapticsStatus: UInt8? {
        guard family == .whoop5, !isFromPack, body.byteCount >= 2 else { return nil }
        switch command {
        case 19, 66, 68: return body.u8(at: 1)
        default: return nil
        }
    }

    /// The battery pack (WHOOP.md 5.5).
    public var pack: PackInfo? {
        @_lifetime(copy self) get { answers(.getPackInfo) && result == .success ? PackInfo(answer: body) : nil }
    }

    /// The battery in detail, 4.0 (WHOOP.md 5.5).
    public var extendedBattery: ExtendedBattery? {
        answers(.getExtendedBattery) && result == .success ? ExtendedBattery(body) : nil
    }

    /// Where the strap is worn, see `Realtime.location` (WHOOP.md 5.1, command 84).
    public var location: UInt8? {
        answers(.getBodyLocation) && result == .success && body.byteCount >= 4 ? body.u8(at: 3) : nil
    }

    // MARK: Configuration (WHOOP.md 5.10)

    /// How many keys a store has.
    public var keyCount: UInt16? {
        guard !isFromPack, command == 115 || command == 117, result == .success, body.byteCount >= 3, body.u8(at: 0) == 1 else { return nil }
        return body.u16(at: 1)
    }

    /// The place of the key that was asked for, 255 after the last one.
    public var keyIndex: UInt8? {
        guard !isFromPack, command == 116 || command == 118, result == .success, body.byteCount >= 35, body.u8(at: 0) == 1 else { return nil }
        return body.u8(at: 1)
    }

    /// A key's name: the next one of a store, or the one whose value was asked for or set.
    public var key: RawSpan? {
        @_lifetime(copy self) get {
            guard !isFromPack, result == .success, body.u8(at: 0) == 1 else { return nil }
            switch command {
            case 116, 118:
                guard let field = body.slice(3, 35) else { return nil }
                return text(field)
            case 119, 120, 121, 128:
                guard let field = body.slice(1, 33) else { return nil }
                return text(field)
            default:
                return nil
            }
        }
    }

    /// The key's value: ASCII '1' is on, '2' is off.
    public var value: RawSpan? {
        @_lifetime(copy self) get {
            guard !isFromPack, result == .success, body.u8(at: 0) == 1, let field = body.slice(33, 65) else { return nil }
            switch command {
            case 119, 120, 121, 128: return text(field)
            default: return nil
            }
        }
    }
}

/// The bytes before the first NUL.
@_lifetime(copy bytes)
func text(_ bytes: RawSpan) -> RawSpan {
    var end = 0
    while end < bytes.byteCount, bytes.u8(at: end) != 0 { end += 1 }
    return bytes.extracting(first: end)
}
