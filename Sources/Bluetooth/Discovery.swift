// Owns learning a peer's handles: services, then the characteristics of those that are wanted, then the configuration
// descriptors of those that notify. Asks through the attribute client and believes no length it has not checked.
import Wire

public struct Discovery: ~Copyable {
    public enum Progress: Equatable, Sendable {
        case going, complete, failed
    }

    /// Requests of the discovery carry this tag.
    public static let tag: UInt16 = 0xffff

    private enum Step { case services, characteristics(Int), descriptors(Int) }
    private struct Service { var uuid: UUID128; var first: UInt16; var last: UInt16 }

    private let wanted: [UUID128]
    private var services: [Service] = []
    private var step = Step.services
    public private(set) var table = HandleTable()

    /// Which services to look into; others cost one line of the service list and nothing more.
    public init(wanted: [UUID128]) { self.wanted = wanted }

    public mutating func begin(_ client: AttributeClient, now: Instant) {
        _ = client.ask(.services(from: 1, tag: Self.tag), now: now)
    }

    /// Takes the outcome of a request with the discovery's tag.
    public mutating func take(_ outcome: AttributeOutcome, of request: AttributeRequest, _ client: AttributeClient, now: Instant) -> Progress {
        var next: AttributeRequest?
        switch outcome {
        case .refused(let error):
            // "Attribute not found" is how a list ends; anything else ends the discovery.
            guard error == .attributeNotFound else { return .failed }
            next = following()
        case .answer(let bytes):
            switch step {
            case .services: next = takeServices(bytes, request)
            case .characteristics(let at): next = takeCharacteristics(bytes, request, at)
            case .descriptors(let at): next = takeDescriptors(bytes, request, at)
            }
        }
        guard let request = next else { return .complete }
        return client.ask(request, now: now) ? .going : .failed
    }

    private mutating func takeServices(_ bytes: RawSpan, _ request: AttributeRequest) -> AttributeRequest? {
        var reader = Reader(bytes)
        var last: UInt16 = 0
        guard let size = reader.u8(), size >= 6 else { return following() }
        while let item = reader.take(Int(size)) {
            let first = item.u16(at: 0)
            last = max(last, item.u16(at: 2))
            guard let name = item.slice(4, Int(size)), let uuid = UUID128(name), first > 0, item.u16(at: 2) >= first else { continue }
            if isWanted(uuid), services.count < 8 { services.append(Service(uuid: uuid, first: first, last: item.u16(at: 2))) }
        }
        guard last >= request.handle, last < 0xffff else { return following() }
        return .services(from: last + 1, tag: Self.tag)
    }

    private mutating func takeCharacteristics(_ bytes: RawSpan, _ request: AttributeRequest, _ at: Int) -> AttributeRequest? {
        guard at < services.count else { return nil }
        let service = services[at]
        var reader = Reader(bytes)
        var declared: UInt16 = 0
        guard let size = reader.u8(), size >= 7 else { return following() }
        while let item = reader.take(Int(size)) {
            let declaration = item.u16(at: 0), value = item.u16(at: 3)
            guard declaration > declared, let name = item.slice(5, Int(size)), let uuid = UUID128(name) else { continue }
            declared = declaration
            // A value lies behind its declaration and within the service (Core, Vol 3, Part G, 3.3.1).
            guard value > declaration, value <= service.last else { continue }
            // The characteristic before it ends where this one is declared.
            if table.count > 0, table[table.count - 1].service == service.uuid { table[table.count - 1].last = declaration - 1 }
            _ = table.add(GATTCharacteristic(uuid: uuid, service: service.uuid, value: value, last: service.last, properties: item.u8(at: 2)))
        }
        guard declared >= request.handle, declared < service.last else { return following() }
        return .characteristics(from: declared + 1, to: service.last, tag: Self.tag)
    }

    private mutating func takeDescriptors(_ bytes: RawSpan, _ request: AttributeRequest, _ at: Int) -> AttributeRequest? {
        var reader = Reader(bytes)
        var last: UInt16 = 0
        let size = switch reader.u8() { case 1: 2; case 2: 16; default: 0 }
        guard size > 0 else { return following() }
        while let handle = reader.u16(), let name = reader.take(size) {
            last = handle
            // One outside the characteristic belongs to another.
            guard handle > table[at].value, handle <= table[at].last else { continue }
            if UUID128(name) == UUID128(short: 0x2902) { table[at].configuration = handle; return following() }
        }
        guard last >= request.handle, last < table[at].last else { return following() }
        return .descriptors(from: last + 1, to: table[at].last, tag: Self.tag)
    }

    /// The first request of the step after this one, or nil at the end.
    private mutating func following() -> AttributeRequest? {
        switch step {
        case .services: step = .characteristics(0)
        case .characteristics(let at): step = .characteristics(at + 1)
        case .descriptors(let at): step = .descriptors(at + 1)
        }
        if case .characteristics(let at) = step {
            if at < services.count { return .characteristics(from: services[at].first, to: services[at].last, tag: Self.tag) }
            step = .descriptors(0)
        }
        guard case .descriptors(var at) = step else { return nil }
        while at < table.count {
            let item = table[at]
            if item.notifies || item.indicates, item.value < item.last {
                step = .descriptors(at)
                return .descriptors(from: item.value + 1, to: item.last, tag: Self.tag)
            }
            at += 1
        }
        return nil
    }

    private func isWanted(_ uuid: UUID128) -> Bool {
        for one in wanted where one == uuid { return true }
        return false
    }
}
