// Owns the server side of the Attribute Protocol on one simulated link: raw PDUs in, raw PDUs out, with the sizes and
// errors of the specification (Core, Vol 3, Part F). It notes every breach of the client's duties.
import Whoop
import Wire

/// How a strap answers a request for a larger MTU.
public enum MTUAnswer: Equatable, Sendable {
    /// With this size.
    case size(UInt16)
    /// Not at all.
    case none
    /// After so many milliseconds, with this size.
    case late(Int64, UInt16)
    /// With an error.
    case refused
}

final class AttributeServer {
    private let table: AttributeTable
    private let strap: SimulatedStrap
    private(set) var mtu: UInt16 = 23
    /// Handles whose notifications are on.
    private var subscribed: [UInt16] = []
    private var prepared: [UInt8] = []
    private var preparedHandle: UInt16 = 0

    init(strap: SimulatedStrap) {
        self.strap = strap
        table = strap.table
    }

    func isSubscribed(_ role: AttributeRole) -> Bool { subscribed.contains(table.handle(of: role)) }

    /// The answer to one PDU, and how long it takes; nil when there is none.
    func answer(to pdu: [UInt8], encrypted: Bool) -> (pdu: [UInt8], after_ms: Int64)? {
        guard let opcode = pdu.first else { return nil }
        func word(_ at: Int) -> UInt16 { at + 1 < pdu.count ? UInt16(pdu[at]) | UInt16(pdu[at + 1]) << 8 : 0 }
        func error(_ code: UInt8, _ handle: UInt16 = 0) -> (pdu: [UInt8], after_ms: Int64) {
            ([0x01, opcode, UInt8(truncatingIfNeeded: handle), UInt8(truncatingIfNeeded: handle >> 8), code], strap.answer_ms)
        }
        func reply(_ bytes: [UInt8]) -> (pdu: [UInt8], after_ms: Int64) { (bytes, strap.answer_ms) }

        switch opcode {
        case 0x02:
            let ours: UInt16
            var delay = strap.answer_ms
            switch strap.quirks.mtu {
            case .size(let size): ours = size
            case .late(let ms, let size): ours = size; delay = ms
            case .refused: return error(0x06)
            case .none: return nil
            }
            mtu = max(23, min(ours, word(1)))
            return ([0x03, UInt8(truncatingIfNeeded: ours), UInt8(truncatingIfNeeded: ours >> 8)], delay)
        case 0x10:
            return list(0x11, from: word(1), to: word(3), error) { entry in
                guard entry.type == UUID128(short: 0x2800) else { return nil }
                return little(entry.handle) + little(table.end(ofServiceAt: entry.handle)) + entry.value
            }
        case 0x08:
            return list(0x09, from: word(1), to: word(3), error) { entry in
                entry.type == UUID128(short: 0x2803) ? little(entry.handle) + entry.value : nil
            }
        case 0x04:
            guard let first = table.entries.first(where: { $0.handle >= word(1) && $0.handle <= word(3) }) else { return error(0x0a, word(1)) }
            let short = first.type.short != nil
            return list(0x05, from: word(1), to: word(3), error, head: short ? 1 : 2) { entry in
                (entry.type.short != nil) == short ? little(entry.handle) + bytes(of: entry.type) : []
            }
        case 0x0a:
            guard let entry = table.entry(at: word(1)) else { return error(0x01, word(1)) }
            guard let value = strap.value(of: entry, subscribed: subscribed.contains(word(1) &- 1)) else { return error(0x02, word(1)) }
            return reply([0x0b] + value.prefix(Int(mtu) - 1))
        case 0x12:
            if let code = write(word(1), Array(pdu.dropFirst(3)), encrypted) { return error(code, word(1)) }
            return reply([0x13])
        case 0x16:
            guard table.entry(at: word(1)) != nil else { return error(0x01, word(1)) }
            if Int(word(3)) != prepared.count { return error(0x07, word(1)) }
            preparedHandle = word(1)
            prepared += pdu.dropFirst(5)
            return reply([0x17] + pdu.dropFirst())
        case 0x18:
            let value = prepared
            prepared.removeAll()
            if pdu.count > 1, pdu[1] == 1, let code = write(preparedHandle, value, encrypted) { return error(code, preparedHandle) }
            return reply([0x19])
        case 0x52, 0x1e, 0x01, 0x03:
            return nil  // a command, a confirmation, answers to requests of the strap's own
        default:
            return error(0x06)
        }
    }

    /// Entries of a handle range as equal-sized items. `item` gives nil to pass an entry over and empty to end the list.
    private func list(_ opcode: UInt8, from first: UInt16, to last: UInt16, _ error: (UInt8, UInt16) -> (pdu: [UInt8], after_ms: Int64),
        head: UInt8? = nil, _ item: (AttributeEntry) -> [UInt8]?) -> (pdu: [UInt8], after_ms: Int64) {
        if first == 0 || first > last { return error(0x01, first) }
        var out: [UInt8] = []
        var size = 0
        for entry in table.entries where entry.handle >= first && entry.handle <= last {
            guard let one = item(entry) else { continue }
            if size == 0 { size = one.count; out = [opcode, head ?? UInt8(size)] }
            if one.isEmpty || one.count != size || out.count + size > Int(mtu) { break }
            out += one
        }
        return size == 0 ? error(0x0a, first) : (out, strap.answer_ms)
    }

    /// An ATT error code, or nil.
    private func write(_ handle: UInt16, _ value: [UInt8], _ encrypted: Bool) -> UInt8? {
        guard let entry = table.entry(at: handle) else { return 0x01 }
        switch entry.role {
        case .configuration(let of):
            if let role = table.entry(at: of)?.role, !encrypted, strap.identity.family == .whoop5, isVendor(role) { return 0x0f }
            subscribed.removeAll { $0 == of }
            if let first = value.first, first & 3 != 0 { subscribed.append(of) }
            return nil
        case .command:
            if !encrypted { return 0x05 }
            return strap.take(command: value)
        default:
            return 0x03
        }
    }

    private func isVendor(_ role: AttributeRole) -> Bool {
        switch role {
        case .command, .responses, .events, .data, .diagnostics: true
        default: false
        }
    }
}

