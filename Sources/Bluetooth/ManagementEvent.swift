// Owns reading what the kernel says on the management socket. Every length is checked; a packet that is too short, a
// peer that is not LE, or a number nobody knows is `.other`, never a trap.
import Wire

/// One packet from the management socket; views are valid as long as its bytes.
public enum ManagementEvent: ~Escapable {
    /// A command was answered. `parameters` follow the status; empty where the kernel only gave a status.
    case answer(ManagementOpcode, ManagementStatus, parameters: RawSpan)
    case indexAdded
    case indexRemoved
    case settings(AdapterSettings)
    /// `store`: the kernel's advice to keep it.
    case key(LongTermKey, store: Bool)
    case connected(Peer)
    case disconnected(Peer, DisconnectReason)
    /// Somebody must say that pairing is wanted, even for Just Works.
    case confirmation(Peer)
    /// `data` holds advertising and scan response structures.
    case found(Peer, signal_dBm: Int8, data: RawSpan)
    case discovering(Bool)
    case other(UInt16)

    /// Reads one packet; the index is that of its adapter, `0xffff` where it is about none.
    @_lifetime(copy packet)
    public static func read(_ packet: RawSpan, index: inout UInt16) -> ManagementEvent {
        var reader = Reader(packet)
        guard let code = reader.u16(), let at = reader.u16(), let length = reader.u16(), let body = reader.take(Int(length)) else { return .other(0) }
        index = at
        let count = body.byteCount
        switch code {
        case 0x0001, 0x0002:
            guard count >= 3, let parameters = body.slice(3, count) else { return .other(code) }
            return .answer(ManagementOpcode(body.u16(at: 0)), ManagementStatus(body.u8(at: 2)), parameters: parameters)
        case 0x0004: return .indexAdded
        case 0x0005: return .indexRemoved
        case 0x0006 where count >= 4: return .settings(AdapterSettings(rawValue: body.u32(at: 0)))
        case 0x000a:
            guard count >= 1 + LongTermKey.byteCount, let bytes = body.slice(1, count), let key = LongTermKey(bytes) else { return .other(code) }
            return .key(key, store: body.u8(at: 0) != 0)
        case 0x000b:
            guard let peer = Peer(wire: body) else { return .other(code) }
            return .connected(peer)
        case 0x000c where count >= 8:
            guard let peer = Peer(wire: body) else { return .other(code) }
            return .disconnected(peer, DisconnectReason(body.u8(at: 7)))
        case 0x000f:
            guard let peer = Peer(wire: body) else { return .other(code) }
            return .confirmation(peer)
        case 0x0012 where count >= 14:
            guard let peer = Peer(wire: body), let data = body.slice(14, 14 + Int(body.u16(at: 12))) else { return .other(code) }
            return .found(peer, signal_dBm: body.i8(at: 7), data: data)
        case 0x0013 where count >= 2: return .discovering(body.u8(at: 1) != 0)
        default: return .other(code)
        }
    }
}

extension Peer {
    /// Address and type as mgmt writes them; nil where bytes are missing or the type is not LE.
    init?(wire bytes: RawSpan) {
        guard bytes.byteCount >= 7, let type = AddressType(rawValue: bytes.u8(at: 6)) else { return nil }
        self.init(Address(bytes), type)
    }
}

/// What Read Controller Information tells.
struct AdapterInfo {
    var address: Address
    var supported: AdapterSettings
    var current: AdapterSettings

    /// Nil where the answer is too short.
    init?(_ parameters: RawSpan) {
        guard parameters.byteCount >= 17 else { return nil }
        address = Address(parameters)
        supported = AdapterSettings(rawValue: parameters.u32(at: 9))
        current = AdapterSettings(rawValue: parameters.u32(at: 13))
    }
}
