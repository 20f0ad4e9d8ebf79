// Owns what is known of a link's attributes: which handle is which characteristic. Learned from the discovery in the
// log, from an earlier link with the same peer, or from the frames themselves, and never forgotten within a link.
import Wire
import Whoop

/// What an attribute is, as far as a capture cares.
enum AttributeRole: Equatable, BitwiseCopyable {
    /// Carries frames.
    case frames(Family)
    /// Firmware diagnostics of the vendor service; not framed (WHOOP.md 2).
    case diagnostics
    /// The standard Heart Rate Measurement.
    case heartRate

    /// What a characteristic's name tells; nil for those of no interest.
    init?(_ uuid: UUID128) {
        if uuid.short == 0x2a37 {
            self = .heartRate
        } else if let (family, characteristic) = AttributeRole.vendor(uuid) {
            self = characteristic == .diagnostics ? .diagnostics : .frames(family)
        } else {
            return nil
        }
    }

    private static func vendor(_ uuid: UUID128) -> (Family, Characteristic)? {
        let number = UInt16(truncatingIfNeeded: uuid.high >> 32)
        guard let characteristic = Characteristic(rawValue: number) else { return nil }
        if Family.whoop4.uuid(of: characteristic) == uuid { return (.whoop4, characteristic) }
        if Family.whoop5.uuid(of: characteristic) == uuid { return (.whoop5, characteristic) }
        return nil
    }
}

/// The handles of one peer.
struct LearnedHandles {
    /// A strap has six of interest; a log that names many more is damaged.
    private static var most: Int { 32 }

    private var items: [(handle: UInt16, role: AttributeRole)] = []

    var isEmpty: Bool { items.isEmpty }
    var count: Int { items.count }
    subscript(place: Int) -> (handle: UInt16, role: AttributeRole) { items[place] }

    func role(of handle: UInt16) -> AttributeRole? {
        for item in items where item.handle == handle { return item.role }
        return nil
    }

    mutating func add(_ handle: UInt16, _ role: AttributeRole) {
        guard handle != 0 else { return }
        for i in items.indices where items[i].handle == handle {
            items[i].role = role
            return
        }
        if items.count < Self.most { items.append((handle, role)) }
    }
}
