// Owns the attributes of a simulated strap: services, characteristics, descriptors, at handles with gaps as real ones
// have. What a value says at the moment is asked of the strap.
import Whoop
import Wire

/// What an attribute is for.
enum AttributeRole: Equatable, Sendable {
    /// A declaration, or anything else with a constant value.
    case constant
    case command, responses, events, data, diagnostics
    case heartRate, battery
    case serviceChanged
    /// The client configuration of one of the above, by the handle of its value.
    case configuration(of: UInt16)
}

struct AttributeEntry: Sendable {
    var handle: UInt16
    /// 0x2800 service, 0x2803 characteristic, 0x2902 configuration, else the characteristic's own name.
    var type: UUID128
    var value: [UInt8]
    var role: AttributeRole
}

struct AttributeTable: Sendable {
    private(set) var entries: [AttributeEntry] = []
    private var next: UInt16 = 1

    init(_ strap: StrapIdentity) {
        service(UUID128(short: 0x1800))
        characteristic(UUID128(short: 0x2a00), properties: 0x02, .constant, Array(strap.name.utf8))
        service(UUID128(short: 0x1801))
        characteristic(UUID128(short: 0x2a05), properties: 0x20, .serviceChanged)
        next = 0x10
        service(UUID128(short: 0x180a))
        characteristic(UUID128(short: 0x2a29), properties: 0x02, .constant, Array("WHOOP Inc.".utf8))
        if strap.family == .whoop5 {
            characteristic(UUID128(short: 0x2a24), properties: 0x02, .constant, Array("5.0".utf8))
            characteristic(UUID128(short: 0x2a27), properties: 0x02, .constant, Array("WG50_r52".utf8))
        }
        next = 0x20
        service(UUID128(short: 0x180d))
        characteristic(UUID128(short: 0x2a37), properties: 0x10, .heartRate)
        service(UUID128(short: 0x180f))
        characteristic(UUID128(short: 0x2a19), properties: 0x12, .battery)
        next = 0x30
        service(strap.family.service)
        characteristic(strap.family.uuid(of: .command), properties: strap.family == .whoop4 ? 0x0c : 0x08, .command)
        characteristic(strap.family.uuid(of: .responses), properties: 0x10, .responses)
        characteristic(strap.family.uuid(of: .events), properties: 0x10, .events)
        characteristic(strap.family.uuid(of: .data), properties: 0x10, .data)
        characteristic(strap.family.uuid(of: .diagnostics), properties: 0x10, .diagnostics)
    }

    func entry(at handle: UInt16) -> AttributeEntry? {
        for entry in entries where entry.handle == handle { return entry }
        return nil
    }

    func handle(of role: AttributeRole) -> UInt16 {
        for entry in entries where entry.role == role { return entry.handle }
        return 0
    }

    /// The last handle of the service declared at `handle`.
    func end(ofServiceAt handle: UInt16) -> UInt16 {
        var last = handle
        for entry in entries where entry.handle > handle {
            if entry.type == UUID128(short: 0x2800) { return last }
            last = entry.handle
        }
        return 0xffff
    }

    private mutating func service(_ uuid: UUID128) { add(UUID128(short: 0x2800), bytes(of: uuid), .constant) }

    private mutating func characteristic(_ uuid: UUID128, properties: UInt8, _ role: AttributeRole, _ value: [UInt8] = []) {
        let at = next + 1
        add(UUID128(short: 0x2803), [properties, UInt8(truncatingIfNeeded: at), UInt8(truncatingIfNeeded: at >> 8)] + bytes(of: uuid), .constant)
        add(uuid, value, role)
        if properties & 0x30 != 0 { add(UUID128(short: 0x2902), [0, 0], .configuration(of: at)) }
    }

    private mutating func add(_ type: UUID128, _ value: [UInt8], _ role: AttributeRole) {
        entries.append(AttributeEntry(handle: next, type: type, value: value, role: role))
        next += 1
    }
}

/// A name as it goes over the air: two bytes where it is a short one, else sixteen, least significant first.
func bytes(of uuid: UUID128) -> [UInt8] {
    if let short = uuid.short { return [UInt8(truncatingIfNeeded: short), UInt8(truncatingIfNeeded: short >> 8)] }
    var out: [UInt8] = []
    for word in [uuid.low, uuid.high] { for i in 0..<8 { out.append(UInt8(truncatingIfNeeded: word >> UInt64(8 * i))) } }
    return out
}
