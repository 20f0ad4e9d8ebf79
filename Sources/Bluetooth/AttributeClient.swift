// Owns the client side of the Attribute Protocol on one link: one request at a time, each with a deadline, and the
// queue of those that wait. Never touches a socket, never believes a length, never lets two requests overlap.
import Wire

/// Where PDUs go. The client calls it; false means "not now", and `AttributeClient.resume` tries again.
public protocol AttributeBearer: AnyObject {
    func transmit(_ pdu: RawSpan) -> Bool
}

public protocol AttributeListener: AnyObject {
    /// A request has ended. The value of a read, or the list of a discovery, is valid during the call only.
    func attribute(_ request: AttributeRequest, ended outcome: AttributeOutcome)
    /// A notification, or an indication that has been confirmed.
    func attribute(_ handle: UInt16, changed value: RawSpan)
    /// 30 s without an answer: by the specification this bearer is dead (Core, Vol 3, Part F, 3.3.3).
    func attributeTimedOut(_ request: AttributeRequest)
}

/// What an ended request brought.
public enum AttributeOutcome: ~Escapable {
    /// Bytes after the opcode of the answer.
    case answer(RawSpan)
    case refused(AttributeError)
}

/// ATT error code (Core, Vol 3, Part F, 3.4.1.1).
public struct AttributeError: Equatable, Sendable, BitwiseCopyable {
    public var code: UInt8
    public init(_ code: UInt8) { self.code = code }
    public static let invalidHandle = AttributeError(0x01)
    public static let insufficientAuthentication = AttributeError(0x05)
    public static let requestNotSupported = AttributeError(0x06)
    public static let attributeNotFound = AttributeError(0x0a)
    public static let insufficientEncryption = AttributeError(0x0f)
    /// The strap wants a bond first.
    public var wantsBond: Bool { self == .insufficientAuthentication || self == .insufficientEncryption || code == 0x08 }
    /// The handles we remember are not the strap's.
    public var staleHandle: Bool { self == .invalidHandle || self == .attributeNotFound }
}

/// One request. `tag` belongs to whoever asked and comes back with the outcome.
public struct AttributeRequest: Sendable, BitwiseCopyable {
    public enum Kind: UInt8, Sendable, BitwiseCopyable {
        case exchangeMTU, services, characteristics, descriptors, read, write
    }
    /// An acknowledgement goes before a buzz, a buzz before a poll.
    public enum Urgency: UInt8, Sendable, BitwiseCopyable { case acknowledgement, person, routine }

    public var kind: Kind
    public var urgency: Urgency
    public var tag: UInt16
    /// Read and write: the attribute. Discovery: first handle.
    public var handle: UInt16
    /// Discovery: last handle.
    public var last: UInt16
    /// Write: the value. The longest command we send has 36 bytes.
    var value: InlineArray<64, UInt8>
    var count: UInt8

    init(_ kind: Kind, handle: UInt16 = 0, last: UInt16 = 0, tag: UInt16, urgency: Urgency = .routine) {
        self.kind = kind
        self.urgency = urgency
        self.tag = tag
        self.handle = handle
        self.last = last
        value = .init(repeating: 0)
        count = 0
    }

    public static func services(from first: UInt16, tag: UInt16) -> AttributeRequest { .init(.services, handle: first, last: 0xffff, tag: tag) }
    public static func characteristics(from first: UInt16, to last: UInt16, tag: UInt16) -> AttributeRequest { .init(.characteristics, handle: first, last: last, tag: tag) }
    public static func descriptors(from first: UInt16, to last: UInt16, tag: UInt16) -> AttributeRequest { .init(.descriptors, handle: first, last: last, tag: tag) }
    public static func read(_ handle: UInt16, tag: UInt16) -> AttributeRequest { .init(.read, handle: handle, tag: tag) }
    public static func exchangeMTU(tag: UInt16) -> AttributeRequest { .init(.exchangeMTU, tag: tag) }

    /// A write with response. Nil when the value has more than 64 bytes.
    public static func write(_ handle: UInt16, _ value: RawSpan, tag: UInt16, urgency: Urgency = .routine) -> AttributeRequest? {
        guard value.byteCount <= 64 else { return nil }
        var request = AttributeRequest(.write, handle: handle, tag: tag, urgency: urgency)
        for i in 0..<value.byteCount { request.value[i] = value.u8(at: i) }
        request.count = UInt8(value.byteCount)
        return request
    }
}

public final class AttributeClient {
    /// What we ask for; the strap's buffer is 244 + 3 (WHOOP.md section 1.6).
    public static let wantedMTU: UInt16 = 247
    /// By the specification; a bearer that misses it is not used again.
    static let transactionLimit_ms: Int64 = 30_000
    /// Some straps never answer an MTU request; 23 is then in force.
    static let exchangeLimit_ms: Int64 = 1_500
    static let capacity = 16

    private let bearer: any AttributeBearer
    private let listener: any AttributeListener
    private var waiting = InlineArray<16, AttributeRequest>(repeating: AttributeRequest(.read, tag: 0))
    private var waitingCount = 0
    private var current: AttributeRequest?
    /// The current request has not been taken by the bearer yet.
    private var unsent = false
    /// Bytes of a long write that the strap has confirmed. A value longer than MTU - 3 goes as prepared writes.
    private var prepared = 0
    /// Bytes of one prepared write, fixed when the request begins: the size of PDUs may change under it. 0: it goes whole.
    private var chunkSize = 0
    private var executing = false
    private var expires = Instant.never
    private var oweConfirmation = false
    private var dead = false

    /// Bytes a PDU may have, 23...517.
    public private(set) var mtu: UInt16 = 23

    public init(bearer: any AttributeBearer, listener: any AttributeListener) {
        self.bearer = bearer
        self.listener = listener
    }

    /// Forgets everything of the last link.
    public func reset() {
        waitingCount = 0
        current = nil
        unsent = false
        prepared = 0
        executing = false
        expires = .never
        oweConfirmation = false
        dead = false
        mtu = 23
    }

    /// Whether nothing waits and nothing is under way.
    public var isIdle: Bool { current == nil && waitingCount == 0 }

    /// Queues a request, before all that are less urgent. False: sixteen wait already, or the bearer is dead.
    public func ask(_ request: AttributeRequest, now: Instant) -> Bool {
        guard waitingCount < Self.capacity, !dead else { return false }
        var place = waitingCount
        while place > 0, waiting[place - 1].urgency.rawValue > request.urgency.rawValue {
            waiting[place] = waiting[place - 1]
            place -= 1
        }
        waiting[place] = request
        waitingCount += 1
        proceed(now)
        return true
    }

    /// The bearer may take PDUs again.
    public func resume(now: Instant) {
        if oweConfirmation { confirm() }
        if unsent, let request = current { transmit(request) }
        proceed(now)
    }

    /// When `tick` wants to be called.
    public var deadline: Instant { expires }

    public func tick(now: Instant) {
        guard now >= expires, let request = current else { return }
        expires = .never
        if request.kind == .exchangeMTU {
            current = nil
            listener.attribute(request, ended: .refused(.requestNotSupported))
            proceed(now)
        } else {
            dead = true
            current = nil
            waitingCount = 0
            listener.attributeTimedOut(request)
        }
    }

    // MARK: what the peer sends

    /// Takes one PDU. Anything malformed is ignored; the deadline then ends the transaction.
    public func receive(_ pdu: RawSpan, now: Instant) {
        guard pdu.byteCount >= 1 else { return }
        let opcode = pdu.u8(at: 0)
        switch opcode {
        case Opcode.notification:
            guard let value = pdu.slice(3, pdu.byteCount) else { return }
            listener.attribute(pdu.u16(at: 1), changed: value)
        case Opcode.indication:
            guard let value = pdu.slice(3, pdu.byteCount) else { return }
            confirm()
            listener.attribute(pdu.u16(at: 1), changed: value)
        case Opcode.error:
            guard pdu.byteCount >= 5, let request = current, !unsent, opcodeInUse(request) == pdu.u8(at: 1) else { return }
            end(request, .refused(AttributeError(pdu.u8(at: 4))), now)
        case Opcode.mtuResponse:
            guard pdu.byteCount >= 3 else { return }
            mtu = min(max(23, pdu.u16(at: 1)), Self.wantedMTU)
            // Also when it comes after its own deadline: the strap then uses the larger size from now on.
            guard let request = current, request.kind == .exchangeMTU else { return }
            answer(request, pdu, now)
        case Opcode.mtuRequest:
            // The strap's own client: it gets our size and nothing else.
            var reply = Packet()
            reply.u8(Opcode.mtuResponse)
            reply.u16(Self.wantedMTU)
            _ = bearer.transmit(reply.bytes)
            if pdu.byteCount >= 3 { mtu = min(max(23, pdu.u16(at: 1)), Self.wantedMTU) }
        default:
            if let request = current, !unsent, opcode == opcodeInUse(request) + 1 {
                if isLong, !executing {
                    prepared += chunk(request)
                    executing = prepared >= Int(request.count)
                    transmit(request)
                } else {
                    answer(request, pdu, now)
                }
            } else if opcode & 0x41 == 0, opcode != Opcode.confirmation {  // a request to us: even, and not a command
                var reply = Packet()
                reply.u8(Opcode.error)
                reply.u8(opcode)
                reply.u16(0)
                reply.u8(AttributeError.requestNotSupported.code)
                _ = bearer.transmit(reply.bytes)
            }
        }
    }

    private func answer(_ request: AttributeRequest, _ pdu: RawSpan, _ now: Instant) {
        guard let rest = pdu.slice(1, pdu.byteCount) else { return }
        end(request, .answer(rest), now)
    }

    private func end(_ request: AttributeRequest, _ outcome: AttributeOutcome, _ now: Instant) {
        current = nil
        unsent = false
        prepared = 0
        executing = false
        expires = .never
        listener.attribute(request, ended: outcome)
        proceed(now)
    }

    // MARK: what we send

    private func proceed(_ now: Instant) {
        guard current == nil, waitingCount > 0, !dead else { return }
        let request = waiting[0]
        for i in 1..<max(1, waitingCount) { waiting[i - 1] = waiting[i] }
        waitingCount -= 1
        current = request
        chunkSize = request.kind == .write && Int(request.count) > Int(mtu) - 3 ? Int(mtu) - 5 : 0
        expires = now + (request.kind == .exchangeMTU ? Self.exchangeLimit_ms : Self.transactionLimit_ms)
        transmit(request)
    }

    private var isLong: Bool { chunkSize > 0 }

    /// Bytes of the prepared write under way.
    private func chunk(_ request: AttributeRequest) -> Int {
        min(chunkSize, Int(request.count) - prepared)
    }

    private func opcodeInUse(_ request: AttributeRequest) -> UInt8 {
        guard isLong else { return Opcode.request(request.kind) }
        return executing ? Opcode.executeWrite : Opcode.prepareWrite
    }

    private func transmit(_ request: AttributeRequest) {
        var pdu = Packet()
        pdu.u8(opcodeInUse(request))
        switch request.kind {
        case .write where isLong:
            if executing { pdu.u8(1); break }
            pdu.u16(request.handle)
            pdu.u16(UInt16(prepared))
            for i in prepared..<(prepared + chunk(request)) { pdu.u8(request.value[i]) }
        case .exchangeMTU: pdu.u16(Self.wantedMTU)
        case .services: pdu.u16(request.handle); pdu.u16(request.last); pdu.u16(0x2800)
        case .characteristics: pdu.u16(request.handle); pdu.u16(request.last); pdu.u16(0x2803)
        case .descriptors: pdu.u16(request.handle); pdu.u16(request.last)
        case .read: pdu.u16(request.handle)
        case .write:
            pdu.u16(request.handle)
            for i in 0..<Int(request.count) { pdu.u8(request.value[i]) }
        }
        unsent = !bearer.transmit(pdu.bytes)
    }

    private func confirm() {
        var pdu = Packet()
        pdu.u8(Opcode.confirmation)
        oweConfirmation = !bearer.transmit(pdu.bytes)
    }
}

/// ATT opcodes (Core, Vol 3, Part F, 3.4.8).
enum Opcode {
    static let error: UInt8 = 0x01, mtuRequest: UInt8 = 0x02, mtuResponse: UInt8 = 0x03
    static let notification: UInt8 = 0x1b, indication: UInt8 = 0x1d, confirmation: UInt8 = 0x1e
    static let prepareWrite: UInt8 = 0x16, executeWrite: UInt8 = 0x18

    static func request(_ kind: AttributeRequest.Kind) -> UInt8 {
        switch kind {
        case .exchangeMTU: 0x02
        case .descriptors: 0x04
        case .characteristics: 0x08
        case .read: 0x0a
        case .services: 0x10
        case .write: 0x12
        }
    }
}
