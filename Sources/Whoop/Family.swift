// Owns what tells the two families of straps apart before any frame is read: names in GATT and the length of a header
// (WHOOP.md sections 1.1, 2, 3). Inner records are shared by both; only the envelope differs.
import Wire

/// A family of straps. The vendor service tells it; nothing else does (WHOOP.md 1.2).
public enum Family: UInt8, Sendable, BitwiseCopyable {
    /// WHOOP 4.0 ("Harvard").
    case whoop4 = 4
    /// WHOOP 5.0 and MG ("Goose", "Maverick"): one wire format.
    case whoop5 = 5

    /// Bytes of a frame before its inner record (WHOOP.md 3.1, 3.2).
    @inline(__always)
    public var headerLength: Int {
        switch self {
        case .whoop4: 4
        case .whoop5: 8
        }
    }

    /// The vendor service, which the strap advertises.
    public var service: UUID128 { uuid(0x0001) }

    /// A characteristic of the vendor service.
    public func uuid(of characteristic: Characteristic) -> UUID128 { uuid(characteristic.rawValue) }

    /// The family whose vendor service this is.
    public init?(service: UUID128) {
        if service == Family.whoop4.service {
            self = .whoop4
        } else if service == Family.whoop5.service {
            self = .whoop5
        } else {
            return nil
        }
    }

    private func uuid(_ number: UInt16) -> UUID128 {
        switch self {
        case .whoop4: UUID128(high: 0x6108_0000_8d6d_82b8 | UInt64(number) << 32, low: 0x614a_1c8c_b0f8_dcc6)
        case .whoop5: UUID128(high: 0xfd4b_0000_cce1_4033 | UInt64(number) << 32, low: 0x93ce_002d_5875_f58a)
        }
    }
}

/// The characteristics of the vendor service (WHOOP.md 2). There is no 6. Frames are routed by packet type, not by these.
public enum Characteristic: UInt16, Sendable, BitwiseCopyable {
    /// App to strap, written with response only.
    case command = 2
    case responses = 3
    case events = 4
    /// Live data, and all of an offload.
    case data = 5
    /// Firmware diagnostics; not framed like the rest, not needed.
    case diagnostics = 7
}
