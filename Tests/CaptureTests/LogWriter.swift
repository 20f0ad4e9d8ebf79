// Owns writing btsnoop logs, independently of the code under test: records, HCI packets, L2CAP units, a discovery.
import Whoop

struct LogWriter {
    enum Kind: UInt32 { case hci = 1001, serial = 1002, monitor = 2001 }
    enum Packet { case command, event, sent, received }

    let kind: Kind
    private(set) var bytes: [UInt8]
    private(set) var records = 0
    /// Microseconds since 1970 of the next record; each takes one millisecond.
    var time_us: UInt64 = 1_767_225_600_000_000
    var drops: UInt32 = 0
    /// Bytes of each packet that the capture keeps.
    var keeps = Int.max
    /// Payload bytes of one data packet.
    var packetSize = 251

    init(_ kind: Kind) {
        self.kind = kind
        bytes = Array("btsnoop".utf8) + [0] + big(1) + big(kind.rawValue)
    }

    mutating func record(_ packet: Packet, _ payload: [UInt8], adapter: UInt16 = 0, claims: UInt32? = nil) {
        var body = payload
        let flags: UInt32
        switch kind {
        case .serial:
            body.insert(packet == .command ? 1 : packet == .event ? 4 : 2, at: 0)
            flags = (packet == .event || packet == .received ? 1 : 0) | (packet == .command || packet == .event ? 2 : 0)
        case .hci:
            flags = (packet == .event || packet == .received ? 1 : 0) | (packet == .command || packet == .event ? 2 : 0)
        case .monitor:
            let opcode: UInt32 = switch packet { case .command: 2; case .event: 3; case .sent: 4; case .received: 5 }
            flags = UInt32(adapter) << 16 | opcode
        }
        raw(body, flags: flags, claims: claims)
    }

    mutating func raw(_ body: [UInt8], flags: UInt32, claims: UInt32? = nil) {
        let kept = body.prefix(keeps)
        bytes += big(UInt32(body.count)) + big(claims ?? UInt32(kept.count)) + big(flags) + big(drops)
        let stamp = time_us + 0x00dc_ddb3_0f2f_8000
        bytes += big(UInt32(stamp >> 32)) + big(UInt32(truncatingIfNeeded: stamp)) + kept
        time_us += 1000
        records += 1
    }

    /// The three events that begin an LE link differ in what follows.
    mutating func connect(_ handle: UInt16, _ address: [UInt8] = [1, 2, 3, 4, 5, 0xf0], event: UInt8 = 0x01, adapter: UInt16 = 0) {
        var body = [event, 0] + little(handle) + [0, 1] + address
        body += [UInt8](repeating: 0, count: event == 0x01 ? 7 : event == 0x0a ? 19 : 22)
        record(.event, [0x3e, UInt8(body.count)] + body, adapter: adapter)
    }

    mutating func disconnect(_ handle: UInt16, adapter: UInt16 = 0) {
        record(.event, [0x05, 4, 0] + little(handle) + [0x13], adapter: adapter)
    }

    /// One L2CAP unit in as many data packets as it needs.
    mutating func unit(_ unit: [UInt8], on handle: UInt16, sent: Bool, channel: UInt16 = 4, adapter: UInt16 = 0) {
        let whole = little(UInt16(unit.count)) + little(channel) + unit
        for at in stride(from: 0, to: whole.count, by: packetSize) {
            let part = Array(whole[at..<min(whole.count, at + packetSize)])
            let boundary: UInt16 = at > 0 ? 0x1000 : sent ? 0 : 0x2000
            record(sent ? .sent : .received, little(handle | boundary) + little(UInt16(part.count)) + part, adapter: adapter)
        }
    }

    mutating func notify(_ attribute: UInt16, _ value: [UInt8], on handle: UInt16, operation: UInt8 = 0x1b, adapter: UInt16 = 0) {
        unit([operation] + little(attribute) + value, on: handle, sent: false, adapter: adapter)
    }

    mutating func write(_ attribute: UInt16, _ value: [UInt8], on handle: UInt16, operation: UInt8 = 0x12, adapter: UInt16 = 0) {
        unit([operation] + little(attribute) + value, on: handle, sent: true, adapter: adapter)
    }

    /// A value in notifications of `size` bytes.
    mutating func stream(_ attribute: UInt16, _ value: [UInt8], size: Int, on handle: UInt16, adapter: UInt16 = 0) {
        for at in stride(from: 0, to: value.count, by: size) {
            notify(attribute, Array(value[at..<min(value.count, at + size)]), on: handle, adapter: adapter)
        }
    }

    /// Services by Read By Group Type, characteristics by Read By Type; values at `Handles`.
    mutating func discover(_ family: Family, on handle: UInt16, adapter: UInt16 = 0) {
        unit([0x10, 1, 0, 0xff, 0xff, 0x00, 0x28], on: handle, sent: true, adapter: adapter)
        unit([0x11, 20] + little(0x10) + little(0x20) + uuid(family, 1), on: handle, sent: false, adapter: adapter)
        let all: [(UInt16, UInt16)] = [(2, Handles.command), (3, Handles.responses), (4, Handles.events), (5, Handles.data), (7, Handles.diagnostics)]
        for (number, value) in all {
            unit([0x08] + little(0x10) + little(0x20) + [0x03, 0x28], on: handle, sent: true, adapter: adapter)
            unit([0x09, 21] + little(value - 1) + [0x10] + little(value) + uuid(family, number), on: handle, sent: false, adapter: adapter)
        }
        unit([0x08] + little(0x30) + little(0x3f) + [0x03, 0x28], on: handle, sent: true, adapter: adapter)
        unit([0x09, 7] + little(Handles.heartRate - 1) + [0x10] + little(Handles.heartRate) + [0x37, 0x2a], on: handle, sent: false, adapter: adapter)
    }
}

enum Handles {
    static let command: UInt16 = 0x12, responses: UInt16 = 0x14, events: UInt16 = 0x17, data: UInt16 = 0x1a, diagnostics: UInt16 = 0x1d
    static let heartRate: UInt16 = 0x32
}

func little(_ value: UInt16) -> [UInt8] { [UInt8(value & 0xff), UInt8(value >> 8)] }
func big(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * UInt32($0))) } }

/// A name of the vendor service as it goes over the air, from the text of WHOOP.md 2.
func uuid(_ family: Family, _ number: UInt16) -> [UInt8] {
    let text = family == .whoop4 ? "61080000-8d6d-82b8-614a-1c8cb0f8dcc6" : "fd4b0000-cce1-4033-93ce-002d5875f58a"
    var bytes = unhex(text.filter { $0 != "-" })
    bytes[2] = UInt8(number >> 8)
    bytes[3] = UInt8(number & 0xff)
    return bytes.reversed()
}
