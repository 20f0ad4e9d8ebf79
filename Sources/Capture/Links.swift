// Owns which links a log holds: their beginning and end, and which data packet belongs to which. Reads HCI packets
// (Core, Vol 4, Part E) and believes no length in them. Knows nothing of attributes.
import Bluetooth
import Wire

final class Links {
    /// Links at once. A controller has about ten; more are a damaged log.
    private static var most: Int { 64 }
    /// Peers whose handles are remembered for their next link.
    private static var mostRemembered: Int { 16 }

    private let intake: Intake
    private var open: [Link] = []
    private var count = 0
    /// What the ended links of peers taught, the newest last.
    private var remembered: [(peer: Peer, handles: LearnedHandles)] = []

    init(_ intake: Intake) { self.intake = intake }

    // MARK: packets

    /// A command: of interest is only HCI_Reset, which ends every link of the adapter without an event.
    func command(_ packet: RawSpan, adapter: UInt16, at place: Place) {
        if packet.byteCount >= 3, packet.u16(at: 0) == 0x0c03 { end(adapter: adapter, at: place) }
    }

    /// An event: of interest are those that begin and end links (Core, Vol 4, Part E, 7.7).
    func event(_ packet: RawSpan, missing: Int, adapter: UInt16, at place: Place) {
        let code = packet.u8(at: 0)
        guard code == 0x03 || code == 0x05 || code == 0x3e || packet.byteCount < 2 else { return }
        func short() {
            let whole = packet.byteCount + missing
            intake.note(missing > 0 ? .truncated : .shortEvent, at: place, kept: packet.byteCount, of: missing > 0 ? whole : 0)
        }
        guard let body = packet.slice(2, packet.byteCount) else { return short() }
        switch code {
        case 0x03:  // Connection Complete
            guard body.byteCount >= 9 else { return short() }
            if body.u8(at: 0) == 0 { begin(adapter, body.u16(at: 1), Peer(Address(body, at: 3), .publicLE), at: place) }
        case 0x05:  // Disconnection Complete
            guard body.byteCount >= 3 else { return short() }
            if body.u8(at: 0) == 0 { end(adapter, body.u16(at: 1), at: place) }
        default:
            // LE Connection Complete, LE Enhanced Connection Complete and its second version begin alike.
            let kind = body.u8(at: 0)
            guard body.byteCount >= 1 else { return short() }
            guard kind == 0x01 || kind == 0x0a || kind == 0x29 else { return }
            guard body.byteCount >= 12 else { return short() }
            guard body.u8(at: 1) == 0 else { return }
            // The types of identities, 2 and 3, are those of the addresses they stand for.
            let type: AddressType = body.u8(at: 5) & 1 == 0 ? .publicLE : .randomLE
            begin(adapter, body.u16(at: 2), Peer(Address(body, at: 6), type), at: place)
        }
    }

    /// A data packet (Core, Vol 4, Part E, 5.4.2). `missing` bytes at its end were not captured.
    func data(_ packet: RawSpan, missing: Int, isSent: Bool, adapter: UInt16, at place: Place) {
        guard let body = packet.slice(4, packet.byteCount) else {
            let whole = packet.byteCount + missing
            return intake.note(missing > 0 ? .truncated : .dataLength, at: place, kept: packet.byteCount, of: missing > 0 ? whole : 4)
        }
        let flags = packet.u16(at: 0)
        guard Int(packet.u16(at: 2)) == body.byteCount + missing else {
            return intake.note(.dataLength, at: place, kept: body.byteCount + missing, of: Int(packet.u16(at: 2)))
        }
        let link = link(adapter, flags & 0x0fff, at: place)
        // 1 goes on with what an earlier packet began; 0, 2 and 3 begin.
        link.take(body, missing: missing, begins: flags >> 12 & 3 != 1, isSent: isSent, at: place)
    }

    // MARK: links

    func endAll(at place: Place) {
        while let link = open.first { close(link, at: place) }
        intake.report.straps.sort { $0.number < $1.number }
    }

    func end(adapter: UInt16, at place: Place) {
        for link in open where link.adapter == adapter { close(link, at: place) }
    }

    private func end(_ adapter: UInt16, _ handle: UInt16, at place: Place) {
        for link in open where link.adapter == adapter && link.handle == handle & 0x0fff { return close(link, at: place) }
    }

    private func begin(_ adapter: UInt16, _ handle: UInt16, _ peer: Peer, at place: Place) {
        // A handle that is in use again has lost its end.
        end(adapter, handle, at: place)
        let link = add(adapter, handle & 0x0fff, at: place)
        link.peer = peer
        for one in remembered where one.peer == peer { link.learn(from: one.handles) }
    }

    /// The link of a data packet. A log that begins in the middle holds no event for it.
    private func link(_ adapter: UInt16, _ handle: UInt16, at place: Place) -> Link {
        for link in open where link.handle == handle && link.adapter == adapter { return link }
        return add(adapter, handle, at: place)
    }

    private func add(_ adapter: UInt16, _ handle: UInt16, at place: Place) -> Link {
        if open.count >= Self.most {
            intake.note(.tooManyLinks, at: place)
            close(open[0], at: place)
        }
        count += 1
        let link = Link(intake, number: count, adapter: adapter, handle: handle, at: place)
        open.append(link)
        return link
    }

    private func close(_ link: Link, at place: Place) {
        for i in open.indices where open[i] === link {
            open.remove(at: i)
            break
        }
        link.end(at: place)
        guard let peer = link.peer, link.family != nil, !link.learned.isEmpty else { return }
        for i in remembered.indices where remembered[i].peer == peer {
            remembered.remove(at: i)
            break
        }
        if remembered.count >= Self.mostRemembered { remembered.removeFirst() }
        remembered.append((peer, link.learned))
    }
}
