// Fuzzes what the kernel says on the management socket: the events alone, and the adapter between a kernel that says
// anything and a bridge that asks anything. Packets sent are well formed, one command waits at a time, pairing is
// confirmed only to the peer it was asked for, and no other stranger's key is kept.
import Bluetooth
import Wire

func fuzzManagement(_ data: RawSpan) {
    var input = Input(data)
    let desk = ManagementDesk()
    while !input.isEmpty { desk.step(&input) }
    desk.leave()
}

private final class ManagementDesk: AdapterOwner {
    private var adapter: Adapter!
    private var now = Instant(milliseconds: 0)
    private var ring: KeyRing? = KeyRing()
    private var isKept = true
    private var hindrance = Hindrance.none
    /// The peer a person asked to pair with.
    private var pairing: Peer?
    /// The command that waits for its answer.
    private var open: (opcode: UInt16, index: UInt16)?
    private var isPowered = false

    init() { adapter = Adapter(owner: self, wanted: nil) }

    /// The adapter holds its owner and the owner its adapter.
    func leave() { adapter = nil }

    func step(_ input: inout Input) {
        let step = input.byte()
        switch step % 16 {
        case 0: hear(Block(input.take(Int(input.byte()))))
        case 1:
            // An event of some kind with a header that holds; adapter 0.
            let code = UInt16(input.byte() % 0x20)
            event(code, input.take(Int(input.byte())))
        case 2:
            let status = input.byte()
            answer(status, input.take(Int(input.byte() % 64)))
        case 3: answerWell()
        case 4: for _ in 0..<24 where adapter.condition != .ready { answerWell() }
        case 5:
            now = now + 50 * Int64(input.byte())
            adapter.tick(now)
        case 6: adapter.start(now)
        case 7:
            // Gives up whatever waits.
            open = nil
            adapter.powerCycle(now)
        case 8: adapter.approach(peer(&input), secured: step & 0x10 == 0, now)
        case 9: adapter.withdraw(now)
        case 10: adapter.discover(step & 0x10 == 0, now)
        case 11:
            let peer = peer(&input)
            if pairing == nil { pairing = peer }
            adapter.pair(peer, now)
        case 12: adapter.cancelPairing(now)
        case 13: _ = adapter.forget(peer(&input), now)
        case 14: adapter.measureSignal(now)
        default:
            isKept = step & 0x10 == 0
            hindrance = step & 0x20 == 0 ? .none : step & 0x40 == 0 ? .held : .blocked
            ring = step & 0x80 == 0 ? ring ?? KeyRing() : nil
        }
        _ = adapter.deadline
    }

    /// One of few, so that events and wishes meet.
    private func peer(_ input: inout Input) -> Peer {
        let byte = input.byte()
        return Peer(Address(number: 0xc0_0000_0000_00 | UInt64(byte & 3)), byte & 4 == 0 ? .randomLE : .publicLE)
    }

    // MARK: the kernel

    private func hear(_ packet: consuming Block) {
        let bytes = packet.bytes
        if bytes.u16(at: 0) == 1 || bytes.u16(at: 0) == 2, bytes.u16(at: 6) == open?.opcode { open = nil }
        var index: UInt16 = 0
        switch ManagementEvent.read(bytes, index: &index) {
        case .answer(_, _, let parameters): demand(parameters.byteCount <= bytes.byteCount - 9, "parameters longer than their packet")
        case .found(_, _, let data): demand(data.byteCount == 0 || bytes.byteOffsets(of: data) != nil, "advertising data outside its packet")
        default: break
        }
        adapter.receive(bytes, now)
    }

    private func event(_ code: UInt16, index: UInt16 = 0, _ parameters: RawSpan) {
        var packet = Block(capacity: 6 + parameters.byteCount)
        packet.append(code)
        packet.append(index)
        packet.append(UInt16(truncatingIfNeeded: parameters.byteCount))
        packet.append(parameters)
        hear(packet)
    }

    private func answer(_ status: UInt8, _ parameters: RawSpan) {
        guard let open else { return }
        var body = Block(capacity: 3 + parameters.byteCount)
        body.append(open.opcode)
        body.append(status)
        body.append(parameters)
        event(1, index: open.index, body.bytes)
    }

    /// What a kernel with one able adapter answers.
    private func answerWell() {
        guard let open else { return }
        var parameters = Block(capacity: 32)
        switch open.opcode {
        case 0x0003:
            parameters.append(1 as UInt16)
            parameters.append(0 as UInt16)
        case 0x0004:
            for byte: UInt8 in [1, 2, 3, 4, 5, 6, 9, 0, 0] { parameters.append(byte) }
            parameters.append(0xffff as UInt32)
            parameters.append((isPowered ? 1 : 0) as UInt32)
        case 0x0005: isPowered = true
        default: break
        }
        answer(0, parameters.bytes)
    }

    // MARK: the owner

    func transmit(_ packet: RawSpan) {
        demand(packet.byteCount >= 6 && Int(packet.u16(at: 4)) == packet.byteCount - 6, "a packet of \(packet.byteCount) bytes says \(packet.u16(at: 4))")
        let opcode = packet.u16(at: 0)
        switch opcode {
        case 0x001c: demand(pairing != nil && pairing?.address == Address(packet, at: 6), "a pairing was confirmed that nobody asked for")
        case 0x001d, 0x0019: break  // refusals go past the queue, and pairing holds nobody up
        default:
            demand(open == nil || opcode == 0x0003, "command \(opcode) while \(open?.opcode ?? 0) waits")
            open = (opcode, packet.u16(at: 2))
        }
    }

    func hindrance(index: UInt16?) -> Hindrance { hindrance }
    func keys(of adapter: Address) -> KeyRing? { ring }

    func keep(_ keys: KeyRing, of adapter: Address) -> Bool {
        demand(keys.keys.count <= KeyRing.capacity, "\(keys.keys.count) keys")
        for key in keys.keys where ring?.holds(key.peer) != true { demand(key.peer == pairing, "the key of a stranger is kept") }
        demand(KeyRing(keys.text(of: adapter), adapter: adapter) == keys, "a ring does not come back from its text")
        if isKept { ring = keys }
        return isKept
    }

    func keysRefused(_ status: ManagementStatus) {}
    func adapter(is condition: AdapterCondition) {}
    func linked(_ peer: Peer) {}
    func unlinked(_ peer: Peer, _ reason: DisconnectReason) {}
    func unapproachable(_ peer: Peer, _ status: ManagementStatus) {}
    func found(_ peer: Peer, signal_dBm: Int8, data: RawSpan) { demand(data.byteCount <= 0xffff, "\(data.byteCount) bytes of advertising data") }
    func signal(_ dBm: Int8) { demand(dBm <= 20, "a signal of \(dBm) dBm") }
    func pairingEnded(_ end: PairingEnd) { pairing = nil }
}
