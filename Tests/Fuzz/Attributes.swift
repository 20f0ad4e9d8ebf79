// Fuzzes the ATT client and the discovery with a strap that says anything: the input is a row of steps between the two.
// Never two requests at once, never a PDU longer than agreed, no request after the bearer has died, every request ended
// at most once; discovery asks only for ranges that exist and believes no handle outside them.
import Bluetooth
import Whoop
import Wire

func fuzzAttributes(_ data: RawSpan) {
    var input = Input(data)
    let peer = AttributePeer()
    while !input.isEmpty { peer.step(&input) }
    peer.leave()
}

private final class AttributePeer: AttributeBearer, AttributeListener {
    private var client: AttributeClient!
    private var discovery = Discovery(wanted: AttributePeer.services)
    private var now = Instant(milliseconds: 0)
    private var isOpen = true
    private var isDead = false
    /// The opcode of the request that waits for its answer; 0: none.
    private var outstanding: UInt8 = 0
    private var accepted = 0
    private var ended = 0
    /// The largest size agreed on this link.
    private var largest: UInt16 = 23
    private var heard = 0

    static let services = [Family.whoop4.service, Family.whoop5.service, UUID128(short: 0x180d), UUID128(short: 0x180f), UUID128(short: 0x1801)]

    init() { client = AttributeClient(bearer: self, listener: self) }

    /// The client holds its bearer and the bearer its client.
    func leave() { client = nil }

    func step(_ input: inout Input) {
        let step = input.byte()
        switch step % 8 {
        case 0: hear(Block(input.take(Int(input.byte()))))
        case 1:
            // An answer to what was asked.
            let rest = input.take(Int(input.byte()))
            var pdu = Block(capacity: 1 + rest.byteCount)
            pdu.append(outstanding &+ 1)
            pdu.append(rest)
            hear(pdu)
        case 2:
            var pdu = Block(capacity: 5)
            for byte in [1, outstanding, 0, 0, input.byte()] { pdu.append(byte) }
            hear(pdu)
        case 3:
            now = now + 250 * Int64(input.byte())
            client.tick(now: now)
        case 4:
            isOpen = step & 8 == 0
            if isOpen { client.resume(now: now) }
        case 5: ask(&input)
        case 6:
            discovery = Discovery(wanted: Self.services)
            discovery.begin(client, now: now)
            accepted += 1
        default:
            client.reset()
            outstanding = 0
            isDead = false
            accepted = 0
            ended = 0
            largest = 23
        }
        largest = max(largest, client.mtu)
        demand((23...AttributeClient.wantedMTU).contains(client.mtu), "an MTU of \(client.mtu)")
        demand(ended <= accepted, "\(accepted) requests and \(ended) ends")
    }

    private func hear(_ pdu: consuming Block) {
        let bytes = pdu.bytes
        heard = bytes.byteCount
        let opcode = bytes.u8(at: 0)
        if outstanding != 0, opcode == outstanding + 1 || (opcode == 1 && bytes.u8(at: 1) == outstanding) {
            // It may end the request, or bring on the next piece of a long write.
            outstanding = 0
        }
        client.receive(bytes, now: now)
    }

    private func ask(_ input: inout Input) {
        let kind = input.byte(), first = UInt16(input.byte()), urgency = AttributeRequest.Urgency(rawValue: kind >> 4 & 3) ?? .routine
        let request: AttributeRequest?
        switch kind % 8 {
        case 0: request = .exchangeMTU(tag: 1)
        case 1: request = .read(first, tag: 2)
        case 2: request = .services(from: max(1, first), tag: 3)
        case 3: request = .characteristics(from: max(1, first), to: 0xffff, tag: 4)
        case 4: request = .descriptors(from: max(1, first), to: 0xffff, tag: 5)
        default:
            let value = input.take(Int(input.byte()))
            request = .write(first, value, tag: 6, urgency: urgency)
            demand((request == nil) == (value.byteCount > 64), "a write of \(value.byteCount) bytes")
        }
        guard let request else { return }
        if client.ask(request, now: now) {
            accepted += 1
            demand(!isDead, "a dead bearer took a request")
        }
    }

    func transmit(_ pdu: RawSpan) -> Bool {
        let opcode = pdu.u8(at: 0)
        demand(pdu.byteCount >= 1 && pdu.byteCount <= Int(max(largest, client.mtu)), "a PDU of \(pdu.byteCount) bytes")
        guard isOpen else { return false }
        switch opcode {
        case 0x01, 0x03, 0x1e: break  // answers of ours: an error, our MTU, a confirmation
        default:
            demand(outstanding == 0, "request \(opcode) while \(outstanding) waits")
            demand(!isDead, "a request on a dead bearer")
            outstanding = opcode
        }
        if opcode == 0x04 || opcode == 0x08 || opcode == 0x10 {
            demand(pdu.u16(at: 1) > 0 && pdu.u16(at: 1) <= pdu.u16(at: 3), "a discovery from \(pdu.u16(at: 1)) to \(pdu.u16(at: 3))")
        }
        return true
    }

    func attribute(_ request: AttributeRequest, ended outcome: AttributeOutcome) {
        ended += 1
        outstanding = 0
        if case .answer(let value) = outcome { demand(value.byteCount < heard, "an answer longer than its PDU") }
        guard request.tag == Discovery.tag else { return }
        if discovery.take(outcome, of: request, client, now: now) == .going { accepted += 1 }
        demand(discovery.table.count <= 32, "\(discovery.table.count) characteristics")
        for i in 0..<discovery.table.count {
            let item = discovery.table[i]
            demand(Self.services.contains(item.service), "a characteristic of no service")
            demand(item.value > 0, "a characteristic at handle 0")
            demand(item.configuration == 0 || (item.configuration > item.value && item.configuration <= item.last),
                   "a configuration at \(item.configuration) of a value at \(item.value) whose characteristic ends at \(item.last)")
        }
    }

    func attribute(_ handle: UInt16, changed value: RawSpan) {
        demand(value.byteCount == heard - 3, "a value of \(value.byteCount) bytes in a PDU of \(heard)")
    }

    func attributeTimedOut(_ request: AttributeRequest) {
        ended += 1
        outstanding = 0
        isDead = true
    }
}
