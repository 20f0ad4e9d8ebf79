// Owns one simulated link: what is on its way in either direction, at what pace, and how much gets through before it
// breaks. Notifications are cut to the MTU here, as a strap does.
import Wire

final class SimulatedLink {
    let strap: SimulatedStrap
    let server: AttributeServer
    var encrypted: Bool
    private(set) var isAlive = true
    private let radio: SimulatedRadio
    private let schedule: Schedule
    /// PDUs on their way to the host. `history`: part of an offload, forgotten when the strap is told to stop.
    private var outbox: [(pdu: [UInt8], history: Bool)] = []
    private var outboxHead = 0
    private var isPumping = false
    /// A request is at the strap and has not been answered.
    private var isAsked = false
    /// PDUs of the host that have not arrived.
    private(set) var inFlight = 0

    init(strap: SimulatedStrap, encrypted: Bool, radio: SimulatedRadio, schedule: Schedule) {
        self.strap = strap
        self.encrypted = encrypted
        self.radio = radio
        self.schedule = schedule
        server = AttributeServer(strap: strap)
    }

    func end() {
        isAlive = false
        outbox.removeAll()
        outboxHead = 0
    }

    // MARK: host to strap

    func carry(_ pdu: [UInt8]) {
        inFlight += 1
        schedule.after(radio.interval_ms) { [self] in
            inFlight -= 1
            guard isAlive else { return }
            arrive(pdu)
            if inFlight == 0 { radio.drained(self) }
        }
    }

    private func arrive(_ pdu: [UInt8]) {
        if strap.quirks.isDead { return }
        guard let opcode = pdu.first else { return }
        let isRequest = opcode & 0x41 == 0 && opcode != 0x1e
        if isRequest {
            if isAsked { radio.breach("a request (opcode \(opcode)) came before the last was answered") }
            isAsked = true
        }
        guard let (answer, delay) = server.answer(to: pdu, encrypted: encrypted) else {
            if opcode == 0x02 { isAsked = false }  // never answered: the client goes on after its own limit
            return
        }
        if opcode == 0x02, delay > strap.answer_ms { isAsked = false }
        schedule.after(delay) { [self] in
            guard isAlive else { return }
            if isRequest { isAsked = false }
            send(answer, history: false)
        }
    }

    // MARK: strap to host

    /// Sends a value as notifications of at most MTU - 3 bytes, when they are on.
    func notify(_ role: AttributeRole, _ value: [UInt8], history: Bool = false) {
        guard isAlive, server.isSubscribed(role) else { return }
        let handle = strap.table.handle(of: role)
        let size = Int(server.mtu) - 3
        var at = 0
        while at < value.count {
            let piece = value[at..<min(at + size, value.count)]
            send([0x1b, UInt8(truncatingIfNeeded: handle), UInt8(truncatingIfNeeded: handle >> 8)] + piece, history: history)
            at += size
        }
    }

    /// A raw PDU of the strap's own making.
    func send(_ pdu: [UInt8], history: Bool) {
        guard isAlive else { return }
        outbox.append((pdu, history))
        pump()
    }

    /// Forgets history that has not been sent yet.
    func stopHistory() {
        var kept: [(pdu: [UInt8], history: Bool)] = []
        for one in outbox[outboxHead...] where !one.history { kept.append(one) }
        outbox = kept
        outboxHead = 0
    }

    private func pump() {
        guard !isPumping, outboxHead < outbox.count else { return }
        isPumping = true
        schedule.after(radio.pace_ms) { [self] in
            isPumping = false
            guard isAlive, outboxHead < outbox.count else { return }
            let pdu = outbox[outboxHead].pdu
            outboxHead += 1
            if outboxHead > 256, outboxHead * 2 > outbox.count {
                outbox.removeFirst(outboxHead)
                outboxHead = 0
            }
            radio.deliver(pdu, from: self)
            pump()
        }
    }
}
