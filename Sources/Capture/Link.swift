// Owns one link of a log: whether it is a strap's, and the way of its values to frames. A link is a strap's when its
// attributes say so, or when a whole frame with both checksums came over it; nothing less makes it one.
import Bluetooth
import Wire
import Whoop

final class Link {
    /// Streams of one link. A strap has five attributes that carry frames.
    private static var mostStreams: Int { 16 }
    /// Attributes whose values are counted while nobody knows what they are.
    private static var mostUnread: Int { 64 }

    let number: Int
    let adapter: UInt16
    let handle: UInt16
    var peer: Peer?
    private(set) var learned = LearnedHandles()
    /// Set once it is sure that the link is a strap's.
    private(set) var family: Family?

    private let intake: Intake
    private let firstRecord: Int
    private var recognition = Recognition.frames
    private var sent = UnitAssembly()
    private var received = UnitAssembly()
    private var dialogue = Dialogue()
    private var streams: [ValueStream] = []
    private var unread: [(handle: UInt16, count: Int, first: Place)] = []
    private var longWrite = LongWrite()
    private var operations = 0
    private var firstOperation = Place(.record, 0)
    private var framesFromStrap = 0
    private var framesToStrap = 0
    private var heartRates = 0

    init(_ intake: Intake, number: Int, adapter: UInt16, handle: UInt16, at place: Place) {
        self.intake = intake
        self.number = number
        self.adapter = adapter
        self.handle = handle
        firstRecord = place.number
    }

    // MARK: units

    /// Takes the payload of one data packet.
    func take(_ packet: RawSpan, missing: Int, begins: Bool, isSent: Bool, at place: Place) {
        if isSent {
            assemble(packet, missing, begins, &sent, isSent, place)
        } else {
            assemble(packet, missing, begins, &received, isSent, place)
        }
    }

    private func assemble(_ packet: RawSpan, _ missing: Int, _ begins: Bool, _ assembly: inout UnitAssembly, _ isSent: Bool, _ place: Place) {
        if begins, assembly.abandon() { intake.note(.unfinishedUnit, at: place.on(link: number)) }
        switch assembly.take(packet, missing: missing, begins: begins) {
        case .nothing: break
        case .whole(let unit): attribute(unit, isSent, place)
        case .assembled:
            attribute(assembly.pending.span.bytes, isSent, place)
            _ = assembly.abandon()
        case .trouble(let reason, let kept, let whole):
            intake.note(reason, at: place.on(link: number), kept: kept, of: whole)
        case .cut(let unit, let kept, let whole):
            intake.note(.truncated, at: place.on(link: number), kept: kept, of: whole)
            cut(unit, at: place)
        }
    }

    /// A value lost a part: the frame it belonged to will never be whole.
    private func cut(_ unit: RawSpan, at place: Place) {
        count(place)
        guard unit.byteCount >= 3 else { return }
        let direction: Direction
        switch unit.u8(at: 0) {
        case AttributeOperation.notification, AttributeOperation.indication: direction = .strapToApp
        case AttributeOperation.write, AttributeOperation.writeCommand: direction = .appToStrap
        default: return
        }
        for stream in streams where stream.handle == unit.u16(at: 1) && stream.direction == direction {
            tally(stream.giveUp(intake, isStrap: family != nil), direction)
        }
    }

    private func count(_ place: Place) {
        if operations == 0 { firstOperation = place.on(link: number) }
        operations += 1
    }

    // MARK: attributes

    private func attribute(_ unit: RawSpan, _ isSent: Bool, _ place: Place) {
        count(place)
        let operation = unit.u8(at: 0)
        guard let body = unit.slice(1, unit.byteCount) else { return short(place) }
        switch operation {
        case AttributeOperation.notification, AttributeOperation.indication:
            guard let value = body.slice(2, body.byteCount) else { return short(place) }
            take(value, of: body.u16(at: 0), .strapToApp, at: place)
        case AttributeOperation.multipleNotification:
            several(body, at: place)
        case AttributeOperation.write, AttributeOperation.writeCommand:
            guard let value = body.slice(2, body.byteCount) else { return short(place) }
            take(value, of: body.u16(at: 0), .appToStrap, at: place)
        case AttributeOperation.prepareWrite:
            guard let part = body.slice(4, body.byteCount) else { return short(place) }
            if !longWrite.add(part, to: body.u16(at: 0), at: Int(body.u16(at: 2))) { intake.note(.longWrite, at: place.on(link: number)) }
        case AttributeOperation.executeWrite:
            if body.u8(at: 0) == 1, !longWrite.bytes.isEmpty {
                take(longWrite.bytes.span.bytes, of: longWrite.handle, .appToStrap, at: place)
            }
            longWrite = LongWrite()
        default:
            dialogue.take(operation, body, isSent: isSent) { handle, name in
                if let handle { learn(handle, name) } else { learn(service: name) }
            }
        }
    }

    /// Handle, length and value, again and again (Core, Vol 3, Part F, 3.4.7.4).
    private func several(_ body: RawSpan, at place: Place) {
        var reader = Reader(body)
        while let handle = reader.u16() {
            guard let length = reader.u16(), let value = reader.take(Int(length)) else { return short(place) }
            take(value, of: handle, .strapToApp, at: place)
        }
    }

    private func short(_ place: Place) { intake.note(.shortAttribute, at: place.on(link: number)) }

    // MARK: what is learned

    private func learn(_ handle: UInt16, _ name: UUID128) {
        guard let role = AttributeRole(name) else { return }
        learned.add(handle, role)
        if case .frames(let family) = role { recognise(family, .discovery) }
    }

    private func learn(service name: UUID128) {
        if let family = Family(service: name), family != self.family { recognise(family, .service) }
    }

    /// Takes over what an earlier link with the same peer taught.
    func learn(from handles: LearnedHandles) {
        learned = handles
        for i in 0..<handles.count {
            if case .frames(let family) = handles[i].role { recognise(family, .earlierLink) }
        }
    }

    private func recognise(_ family: Family, _ how: Recognition) {
        if self.family == nil || how.rawValue < recognition.rawValue { recognition = how }
        self.family = family
    }

    // MARK: values

    private func take(_ value: RawSpan, of handle: UInt16, _ direction: Direction, at place: Place) {
        let place = place.on(link: number, direction)
        switch learned.role(of: handle) {
        case .frames(let family):
            feed(value, of: handle, direction, family, at: place)
        case .heartRate:
            guard direction == .strapToApp else { return }
            guard family != nil else { return leaveUnread(handle, place) }
            heartRates += 1
            intake.take(heartRate: value, at: place)
        case .diagnostics:
            break
        case nil:
            guard let family = headerFamily(value) else { return leaveUnread(handle, place) }
            learned.add(handle, .frames(family))
            feed(value, of: handle, direction, family, at: place)
        }
    }

    /// The family whose header the value begins with. The CRC-16 of 5.0 is asked first.
    private func headerFamily(_ value: RawSpan) -> Family? {
        if let five = value.slice(0, min(value.byteCount, Frame.longest)), five.byteCount >= Family.whoop5.headerLength,
            Frame.check(five, family: .whoop5) != .notAFrame { return .whoop5 }
        if value.byteCount >= Family.whoop4.headerLength, Frame.check(value, family: .whoop4) != .notAFrame { return .whoop4 }
        return nil
    }

    private func feed(_ value: RawSpan, of handle: UInt16, _ direction: Direction, _ family: Family, at place: Place) {
        guard let stream = stream(handle, direction, family, at: place) else { return }
        let frames = stream.feed(value, intake, isStrap: self.family != nil, at: place)
        if frames > 0, self.family == nil { recognise(family, .frames) }
        tally(frames, direction)
    }

    private func stream(_ handle: UInt16, _ direction: Direction, _ family: Family, at place: Place) -> ValueStream? {
        for i in streams.indices where streams[i].handle == handle && streams[i].direction == direction {
            if streams[i].family == family { return streams[i] }
            tally(streams[i].giveUp(intake, isStrap: self.family != nil), direction)
            streams.remove(at: i)
            break
        }
        guard streams.count < Self.mostStreams else {
            intake.note(.tooManyHandles, at: place)
            return nil
        }
        let stream = ValueStream(handle: handle, direction: direction, family: family)
        streams.append(stream)
        return stream
    }

    private func tally(_ frames: Int, _ direction: Direction) {
        if direction == .strapToApp { framesFromStrap += frames } else { framesToStrap += frames }
    }

    private func leaveUnread(_ handle: UInt16, _ place: Place) {
        for i in unread.indices where unread[i].handle == handle {
            unread[i].count += 1
            return
        }
        guard unread.count < Self.mostUnread else { return intake.note(.tooManyHandles, at: place) }
        unread.append((handle, 1, place))
    }

    // MARK: the end

    /// The link is over: nothing that is under way will become whole.
    func end(at place: Place) {
        if sent.abandon() { intake.note(.unfinishedUnit, at: place.on(link: number)) }
        if received.abandon() { intake.note(.unfinishedUnit, at: place.on(link: number)) }
        for stream in streams { tally(stream.giveUp(intake, isStrap: family != nil), stream.direction) }
        streams.removeAll()

        guard let family else {
            intake.report.otherLinks += 1
            if operations > 0 { intake.note(.notAStrap, at: firstOperation, count: operations) }
            return
        }
        for item in unread {
            switch learned.role(of: item.handle) {
            case .frames, .heartRate: intake.note(.beforeRecognition, at: item.first, count: item.count)
            case .diagnostics: break
            case nil:
                // Where the log holds the discovery, what has no role is something else: battery, identity.
                if recognition == .frames || recognition == .service { intake.note(.unnamedAttribute, at: item.first, count: item.count) }
            }
        }
        intake.report.straps.append(StrapLink(
            number: number, adapter: adapter, connectionHandle: handle, family: family, peer: peer, recognition: recognition,
            firstRecord: firstRecord, lastRecord: place.number, framesFromStrap: framesFromStrap, framesToStrap: framesToStrap,
            heartRates: heartRates))
    }
}
