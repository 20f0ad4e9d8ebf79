// Owns a bearer that a test writes and a listener that remembers: the scripted leaf under the attribute client.
@testable import Bluetooth
import Wire

final class Script: AttributeBearer, AttributeListener {
    var sent: [[UInt8]] = []
    /// Whether the bearer takes PDUs.
    var isOpen = true
    var ended: [(tag: UInt16, answer: [UInt8]?, error: UInt8?)] = []
    var changes: [(handle: UInt16, value: [UInt8])] = []
    var timedOut: [UInt16] = []
    var now = Instant(milliseconds: 0)
    private(set) var client: AttributeClient!
    var onEnd: ((AttributeRequest, AttributeOutcome) -> Void)?

    init() { client = AttributeClient(bearer: self, listener: self) }

    func transmit(_ pdu: RawSpan) -> Bool {
        guard isOpen else { return false }
        sent.append(bytes(pdu))
        return true
    }

    func attribute(_ request: AttributeRequest, ended outcome: AttributeOutcome) {
        switch outcome {
        case .answer(let value): ended.append((request.tag, bytes(value), nil))
        case .refused(let error): ended.append((request.tag, nil, error.code))
        }
        onEnd?(request, outcome)
    }

    func attribute(_ handle: UInt16, changed value: RawSpan) { changes.append((handle, bytes(value))) }
    func attributeTimedOut(_ request: AttributeRequest) { timedOut.append(request.tag) }

    @discardableResult
    func ask(_ request: AttributeRequest) -> Bool { client.ask(request, now: now) }

    @discardableResult
    func write(_ handle: UInt16, _ value: [UInt8], tag: UInt16, _ urgency: AttributeRequest.Urgency = .routine) -> Bool {
        guard let request = AttributeRequest.write(handle, value.span.bytes, tag: tag, urgency: urgency) else { return false }
        return ask(request)
    }

    func hear(_ pdu: [UInt8]) { client.receive(pdu.span.bytes, now: now) }

    func pass(_ milliseconds: Int64) {
        now = now + milliseconds
        client.tick(now: now)
    }
}

private func bytes(_ span: RawSpan) -> [UInt8] { (0..<span.byteCount).map { span.u8(at: $0) } }

/// SplitMix64.
struct Chance {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ z >> 30) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ z >> 27) &* 0x94d0_49bb_1331_11eb
        return z ^ z >> 31
    }
}
