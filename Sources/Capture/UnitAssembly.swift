// Owns putting L2CAP units together from the data packets of one link in one direction (Core, Vol 3, Part A, 3.1), and
// keeping only those of the attribute channel. A unit that came in one packet is never copied; others once.
import Wire

struct UnitAssembly {
    /// The channel of the attribute protocol on LE links.
    private static var attributes: UInt16 { 4 }
    private static var headerLength: Int { 4 }

    /// What came of a packet.
    enum Outcome: ~Escapable {
        /// Nothing yet, or something of another channel.
        case nothing
        /// A whole attribute unit that lies in the packet.
        case whole(RawSpan)
        /// An attribute unit is whole in `pending`.
        case assembled
        case trouble(Trouble.Reason, kept: Int, of: Int)
        /// The beginning of an attribute unit whose rest was not captured.
        case cut(RawSpan, kept: Int, of: Int)
    }

    /// An attribute unit that came in pieces, without its header.
    private(set) var pending: [UInt8] = []
    /// Bytes that the unit under way has without its header; 0 when none is under way.
    private var length = 0
    /// Bytes still to come of a unit that is of no interest, or lost.
    private var passing = 0

    /// Takes the payload of one data packet.
    @_lifetime(copy packet)
    mutating func take(_ packet: RawSpan, missing: Int, begins: Bool) -> Outcome {
        begins ? begin(packet, missing) : goOn(packet, missing)
    }

    /// Whether a unit was under way; it is forgotten.
    mutating func abandon() -> Bool {
        let wasUnderWay = length > 0
        length = 0
        passing = 0
        pending.removeAll(keepingCapacity: true)
        return wasUnderWay
    }

    @_lifetime(copy packet)
    private mutating func begin(_ packet: RawSpan, _ missing: Int) -> Outcome {
        guard let body = packet.slice(Self.headerLength, packet.byteCount) else {
            // A beginning so short has no header; whatever goes on with it cannot be told.
            if missing == 0 { return .trouble(.unitLength, kept: packet.byteCount, of: Self.headerLength) }
            passing = Int.max
            return .trouble(.truncated, kept: packet.byteCount, of: packet.byteCount + missing)
        }
        let said = Int(packet.u16(at: 0))
        let captured = body.byteCount + missing
        guard packet.u16(at: 2) == Self.attributes else {
            passing = max(0, said - captured)
            return .nothing
        }
        guard captured <= said else { return .trouble(.unitLength, kept: captured, of: said) }
        if missing > 0 {
            passing = said - captured
            return .cut(body, kept: body.byteCount, of: said)
        }
        if captured == said { return .whole(body) }
        length = said
        append(body)
        return .nothing
    }

    @_lifetime(copy packet)
    private mutating func goOn(_ packet: RawSpan, _ missing: Int) -> Outcome {
        let captured = packet.byteCount + missing
        if passing > 0 {
            if passing != Int.max { passing = max(0, passing - captured) }
            return .nothing
        }
        guard length > 0 else { return .trouble(.fragmentWithoutStart, kept: 0, of: 0) }
        guard pending.count + captured <= length else {
            let said = length
            let found = pending.count + captured
            _ = abandon()
            return .trouble(.unitLength, kept: found, of: said)
        }
        guard missing == 0 else {
            let said = length
            let kept = pending.count + packet.byteCount
            let rest = said - pending.count - captured
            _ = abandon()
            passing = rest
            return .trouble(.truncated, kept: kept, of: said)
        }
        append(packet)
        guard pending.count == length else { return .nothing }
        length = 0
        return .assembled
    }

    private mutating func append(_ bytes: RawSpan) {
        for i in 0..<bytes.byteCount { pending.append(bytes.u8(at: i)) }
    }
}
