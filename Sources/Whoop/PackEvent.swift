// Owns the events of the battery pack that a 5.0 passes on (type 54, WHOOP.md 6.4). Their numbers are a vocabulary of
// their own and must never be taken for the strap's. Those of relative time (type 53) have a layout that nobody knows.
import Wire

/// One event of the battery pack.
public struct PackEvent: ~Escapable {
    private let inner: RawSpan

    @_lifetime(copy frame)
    public init?(_ frame: borrowing Frame) {
        guard frame.isKnownRevision, frame.type == PacketType.packEvent, frame.inner.byteCount >= 12 else { return nil }
        inner = frame.inner
    }

    public var sequence: UInt8 { inner.u8(at: 1) }
    public var number: UInt16 { inner.u16(at: 2) }
    public var unix: UInt32 { inner.u32(at: 4) }
    /// 1/32768 s.
    public var subsecond: UInt16 { inner.u16(at: 8) }

    /// As long as the event says, at most what is there.
    public var body: RawSpan {
        @_lifetime(copy self) get { declaredBody(inner) }
    }

    /// The pack's charge in tenths of a percent, 0...1000; event 2.
    public var charge_tenths: UInt16? { number == 2 && body.byteCount >= 3 ? Gate.battery(UInt32(body.u16(at: 1))) : nil }

    /// What the number stands for; a single source names them.
    public var name: StaticString? {
        switch number {
        case 1: "error"
        case 2: "charge"
        case 3: "usb connected"
        case 4: "usb disconnected"
        case 5: "charging on"
        case 6: "charging off"
        case 7: "connection up"
        case 8: "connection down"
        case 9: "double tap"
        case 10: "strap detected"
        case 11: "strap removed"
        case 12: "trim all"
        case 13: "trim all ended"
        case 14: "boot report"
        case 15: "ship mode set"
        case 16: "ship mode cleared"
        case 17: "extended fuel gauge"
        case 18: "battery health"
        case 19: "wireless power health"
        case 20: "hardware info"
        case 21: "reboot reason"
        case 22: "module failure reason"
        case 23: "wireless power reset"
        case 50: "log packet"
        default: nil
        }
    }
}

