// Fuzzes the reading of capture files. Text, JSON and raw bytes are taken as they are; a btsnoop log is written from the
// steps of the input, so that mutations reach what lies under five layers of lengths. Every frame handed over is whole
// and lies at a place that exists, and the report counts what was handed over.
import Capture
import Whoop
import Wire

func fuzzCapture(_ data: RawSpan) { _ = findings(data) }

/// Frames one after the other, of one family, with damage between them: the steps of `fuzzReassembler`.
func fuzzRawCapture(_ data: RawSpan) {
    var input = Input(data)
    let family = input.byte() & 1 == 0 ? Family.whoop4 : .whoop5
    let stream = written(&input, family)
    let file = Block(stream.bytes)
    _ = findings(file.bytes)
}

func fuzzBtsnoop(_ data: RawSpan) {
    var input = Input(data)
    var log = Log(kind: input.byte())
    while !input.isEmpty, log.bytes.count < 8_192 { log.step(&input) }
    let file = Block(log.bytes.span.bytes)
    let report = findings(file.bytes)
    // Loose bytes can be frames too, none shorter than twelve.
    demand(report.frames <= log.sealed + data.byteCount / 12, "\(report.frames) frames in a log with \(log.sealed)")
}

private func findings(_ file: RawSpan) -> CaptureReport {
    let witness = Witness()
    let report = read(capture: file, into: witness)
    demand(report.frames == witness.frames && report.heartRates == witness.heartRates, "the report counts \(report.frames) frames of \(witness.frames)")
    demand(witness.last <= max(report.length, file.byteCount), "a frame at \(witness.last) of \(report.length)")
    var fromLinks = 0
    for strap in report.straps {
        fromLinks += strap.framesFromStrap + strap.framesToStrap
        demand(strap.firstRecord <= strap.lastRecord, "a link ends before it begins")
    }
    if !report.straps.isEmpty || report.otherLinks > 0 { demand(fromLinks == report.frames, "links count \(fromLinks) frames of \(report.frames)") }
    for trouble in report.troubles {
        demand(trouble.count > 0 && !trouble.text.isEmpty && trouble.kept >= 0 && trouble.whole >= 0, "\(trouble.text)")
    }
    return report
}

private final class Witness: CaptureListener {
    var frames = 0
    var heartRates = 0
    var last = 0

    func take(_ frame: borrowing Frame, at place: Place) {
        demand(Frame.check(frame.bytes, family: frame.family) == .whole(length: frame.bytes.byteCount), "what was handed over is no frame")
        demand(place.number >= 0 && place.direction != nil && !place.text.isEmpty, "a frame at \(place.text)")
        frames += 1
        last = max(last, place.number)
    }

    func take(heartRate value: RawSpan, at place: Place) {
        demand(place.link > 0, "a heart rate on no link")
        heartRates += 1
    }
}

/// A btsnoop log under way.
private struct Log {
    private(set) var bytes: [UInt8]
    /// Frames put in whole.
    private(set) var sealed = 0
    private let kind: UInt8
    private var time_us: UInt64 = 1_767_225_600_000_000 + 0x00dc_ddb3_0f2f_8000
    private var drops: UInt32 = 0
    /// Bytes that the capture keeps off the end of the next packet.
    private var cut = 0

    init(kind: UInt8) {
        self.kind = kind % 3
        bytes = Array("btsnoop".utf8) + [0, 0, 0, 0, 1]
        append([1001, 1002, 2001][Int(self.kind)])
    }

    mutating func step(_ input: inout Input) {
        let step = input.byte()
        // A few handles and links, so that steps meet.
        let isSent = step & 0x10 != 0, family = step & 0x20 == 0 ? Family.whoop4 : .whoop5
        let handle = UInt16(step >> 6) + 10
        switch step & 0x0f {
        case 0: record(Array(input.take(Int(input.byte()))), flags: UInt32(input.byte()))
        case 1: unit(Array(input.take(Int(input.byte()))), isSent, pieces: 255)
        case 2:
            let pieces = Int(input.byte() % 32) + 1
            unit(Array(input.take(Int(input.byte()))), isSent, pieces: pieces)
        case 3, 4:
            // A notification, or a write, with a frame.
            let body = input.take(Int(input.byte()))
            guard body.byteCount > 0 else { return }
            let frame = seal(body, family)
            sealed += 1
            let operation: UInt8 = step & 0x0f == 3 ? 0x1b : 0x52
            unit([operation, UInt8(handle), 0] + Array(frame.bytes), operation == 0x52, pieces: Int(input.byte()) + 1)
        case 5: connect(UInt16(input.byte() & 3), input.byte())
        case 6: packet(.event, [0x05, 4, 0, input.byte() & 3, 0, 0x13])
        case 7: cut = Int(input.byte())
        case 8: time_us &+= UInt64(input.byte()) * 100_000
        case 9: drops &+= UInt32(input.byte())
        case 10: bytes += Array(input.take(Int(input.byte())))
        case 11:
            // A record whose lengths are anything.
            append(UInt32(input.byte()) << (step >> 4))
            append(UInt32(input.byte()) << (step >> 3 & 0x1e))
        case 12: discover(family, handle, input.byte())
        case 13: packet(.command, [0x03, 0x0c, 0])
        case 14: unit([0x16, UInt8(handle), 0, input.byte(), 0] + Array(input.take(Int(input.byte()))), true, pieces: 255)
        default: unit([0x18, input.byte() & 1], true, pieces: 255)
        }
    }

    /// A question of the discovery and its answer, which names something of the strap's.
    private mutating func discover(_ family: Family, _ handle: UInt16, _ how: UInt8) {
        let characteristic = Characteristic(rawValue: UInt16(how >> 2 & 7)) ?? .data
        let name = octets(how & 0x80 == 0 ? family.uuid(of: characteristic) : UUID128(short: 0x2a37))
        let short = Array(name[12..<14]), service = octets(family.service)
        let handles: [UInt8] = [1, 0, 0xff, 0xff]
        switch how & 3 {
        case 0:
            unit([0x08] + handles + [0x03, 0x28], true, pieces: 255)
            let item = [1, 0, 0x10, UInt8(handle), 0] + (how & 0x80 == 0 ? name : short)
            unit([0x09, UInt8(item.count)] + item, false, pieces: 255)
        case 1:
            unit([0x10] + handles + [0x00, 0x28], true, pieces: 255)
            unit([0x11, 20, 1, 0, 9, 0] + service, false, pieces: 255)
        case 2:
            unit([0x06] + handles + [0x00, 0x28] + service, true, pieces: 255)
            unit([0x07, 1, 0, 9, 0], false, pieces: 255)
        default:
            unit([0x04] + handles, true, pieces: 255)
            unit([0x05, how & 0x80 == 0 ? 2 : 1, UInt8(handle), 0] + (how & 0x80 == 0 ? name : short), false, pieces: 255)
        }
    }

    /// Connection Complete in one of its forms.
    private mutating func connect(_ connection: UInt16, _ peer: UInt8) {
        let form: UInt8 = [0x01, 0x0a, 0x29, 0x02][Int(peer >> 4 & 3)]
        let address: [UInt8] = [peer >> 1 & 3, 0, 0, 0, 0, 0xc0]
        let status: UInt8 = peer >= 0xe0 ? 2 : 0
        if peer & 8 != 0 { return packet(.event, [0x03, 11, status, UInt8(connection), 0] + address + [1, 0]) }
        let body = [form, status, UInt8(connection), 0, 0, peer & 1] + address + [UInt8](repeating: 0, count: 7)
        packet(.event, [0x3e, UInt8(body.count)] + body)
    }

    /// An ATT unit in as many data packets as it takes.
    private mutating func unit(_ attribute: [UInt8], _ isSent: Bool, pieces size: Int) {
        let unit = [UInt8(attribute.count & 0xff), UInt8(attribute.count >> 8), 4, 0] + attribute
        var at = 0
        repeat {
            let piece = Array(unit[at..<min(at + size, unit.count)])
            packet(isSent ? .sent : .received, [0, at == 0 ? 0x20 : 0x10, UInt8(piece.count & 0xff), UInt8(piece.count >> 8)] + piece)
            at += size
        } while at < unit.count
    }

    private enum Packet { case command, event, sent, received }

    private mutating func packet(_ packet: Packet, _ payload: [UInt8]) {
        let direction: UInt32 = (packet == .event || packet == .received ? 1 : 0) | (packet == .command || packet == .event ? 2 : 0)
        switch kind {
        case 0: record(payload, flags: direction)
        case 1: record([packet == .command ? 1 : packet == .event ? 4 : 2] + payload, flags: direction)
        default:
            let operation: UInt32 = switch packet { case .command: 2; case .event: 3; case .sent: 4; case .received: 5 }
            record(payload, flags: operation)
        }
    }

    private mutating func record(_ packet: [UInt8], flags: UInt32) {
        let kept = packet.dropLast(cut)
        cut = 0
        append(UInt32(packet.count))
        append(UInt32(kept.count))
        append(flags)
        append(drops)
        append(UInt32(truncatingIfNeeded: time_us >> 32))
        append(UInt32(truncatingIfNeeded: time_us))
        bytes += kept
        time_us &+= 1000
    }

    /// Big-endian, as everything in such a log.
    private mutating func append(_ value: UInt32) {
        for shift in [24, 16, 8, 0] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
    }
}

/// Least significant byte first.
private func octets(_ uuid: UUID128) -> [UInt8] {
    [uuid.low, uuid.high].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> (8 * UInt64($0))) } }
}

extension Array where Element == UInt8 {
    fileprivate init(_ bytes: RawSpan) {
        self = (0..<bytes.byteCount).map { bytes.u8(at: $0) }
    }
}
