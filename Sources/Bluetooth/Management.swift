// Owns the words of the kernel's Bluetooth management protocol (mgmt-api.txt of BlueZ): commands and their bytes,
// statuses, settings, reasons. Written by hand, because no package ships a header. Unknown numbers stay numbers.
import Wire

/// What an mgmt command answered.
public struct ManagementStatus: Equatable, Sendable, BitwiseCopyable {
    public var code: UInt8
    public init(_ code: UInt8) { self.code = code }
    public static let success = ManagementStatus(0x00)
    public static let failed = ManagementStatus(0x03)
    /// Pairing: the peer refused, or its user did.
    public static let authenticationFailed = ManagementStatus(0x05)
    public static let timeout = ManagementStatus(0x08)
    public static let rejected = ManagementStatus(0x0b)
    public static let disconnected = ManagementStatus(0x0e)
    public static let notPowered = ManagementStatus(0x0f)
    public static let cancelled = ManagementStatus(0x10)
    public static let invalidIndex = ManagementStatus(0x11)
    public static let blockedByRfkill = ManagementStatus(0x12)
    public static let alreadyPaired = ManagementStatus(0x13)
    public static let permissionDenied = ManagementStatus(0x14)
}

/// Why a link ended, in mgmt's numbers.
public struct DisconnectReason: Equatable, Sendable, BitwiseCopyable {
    public var code: UInt8
    public init(_ code: UInt8) { self.code = code }
    public static let timeout = DisconnectReason(1)
    public static let local = DisconnectReason(2)
    public static let remote = DisconnectReason(3)
    public static let authentication = DisconnectReason(4)
}

/// Bits of an adapter's settings.
public struct AdapterSettings: OptionSet, Sendable, BitwiseCopyable {
    public var rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    public static let powered = AdapterSettings(rawValue: 1 << 0)
    public static let bondable = AdapterSettings(rawValue: 1 << 4)
    public static let simplePairing = AdapterSettings(rawValue: 1 << 6)
    public static let lowEnergy = AdapterSettings(rawValue: 1 << 9)
    public static let secureConnections = AdapterSettings(rawValue: 1 << 11)
}

public struct ManagementOpcode: Equatable, Sendable, BitwiseCopyable {
    public var code: UInt16
    public init(_ code: UInt16) { self.code = code }
    public static let readIndexList = ManagementOpcode(0x0003)
    public static let readInfo = ManagementOpcode(0x0004)
    public static let setPowered = ManagementOpcode(0x0005)
    public static let setBondable = ManagementOpcode(0x0009)
    public static let setSimplePairing = ManagementOpcode(0x000b)
    public static let setLowEnergy = ManagementOpcode(0x000d)
    public static let loadLongTermKeys = ManagementOpcode(0x0013)
    public static let disconnect = ManagementOpcode(0x0014)
    public static let setIOCapability = ManagementOpcode(0x0018)
    public static let pairDevice = ManagementOpcode(0x0019)
    public static let cancelPairDevice = ManagementOpcode(0x001a)
    public static let confirmUser = ManagementOpcode(0x001c)
    public static let refuseUser = ManagementOpcode(0x001d)
    public static let startDiscovery = ManagementOpcode(0x0023)
    public static let stopDiscovery = ManagementOpcode(0x0024)
    public static let setSecureConnections = ManagementOpcode(0x002d)
    public static let connectionInfo = ManagementOpcode(0x0031)
    public static let addDevice = ManagementOpcode(0x0033)
    public static let removeDevice = ManagementOpcode(0x0034)
    public static let loadConnectionParameters = ManagementOpcode(0x0035)
    public static let setDefaults = ManagementOpcode(0x004c)
}

/// One command with its parameters.
public struct ManagementCommand: Sendable {
    public var opcode: ManagementOpcode
    public var parameters: [UInt8]

    init(_ opcode: ManagementOpcode, _ parameters: [UInt8] = []) {
        self.opcode = opcode
        self.parameters = parameters
    }

    /// The whole packet for the adapter with this index; `0xffff` where a command is for none.
    func bytes(index: UInt16) -> [UInt8] {
        let count = UInt16(truncatingIfNeeded: parameters.count)
        return octets(opcode.code) + octets(index) + octets(count) + parameters
    }

    static let noIndex: UInt16 = 0xffff

    static let readIndexList = ManagementCommand(.readIndexList)
    static let readInfo = ManagementCommand(.readInfo)
    static func set(_ opcode: ManagementOpcode, _ on: Bool) -> ManagementCommand { .init(opcode, [on ? 1 : 0]) }
    /// NoInputNoOutput: a board beside the bed has neither display nor keys.
    static let noInputNoOutput = ManagementCommand(.setIOCapability, [3])
    /// LE public and random.
    static let startDiscovery = ManagementCommand(.startDiscovery, [0x06])
    static let stopDiscovery = ManagementCommand(.stopDiscovery, [0x06])

    static func about(_ opcode: ManagementOpcode, _ peer: Peer, _ more: [UInt8] = []) -> ManagementCommand {
        .init(opcode, octets(peer) + more)
    }
    static func pair(_ peer: Peer) -> ManagementCommand { about(.pairDevice, peer, [3]) }
    /// Connects whenever the peer is heard, until removed.
    static func autoConnect(_ peer: Peer) -> ManagementCommand { about(.addDevice, peer, [2]) }
    /// An empty address stands for every device.
    static let removeAllDevices = ManagementCommand(.removeDevice, [UInt8](repeating: 0, count: 7))

    /// Interval 30–50 ms, latency 0, supervision timeout 4 s: the kernel's own 420 ms drops links on a busy radio
    /// (bluez 371). The timeout is above 2 · (1 + latency) · interval, as Core, Vol 4, Part E, 7.8.12 asks.
    static func connectionParameters(_ peer: Peer) -> ManagementCommand {
        .init(.loadConnectionParameters, octets(1) + octets(peer) + octets(24) + octets(40) + octets(0) + octets(400))
    }

    /// The whole list: the kernel replaces what it holds.
    static func load(_ keys: [LongTermKey]) -> ManagementCommand {
        var bytes = octets(UInt16(truncatingIfNeeded: keys.count))
        for key in keys { key.append(to: &bytes) }
        return .init(.loadLongTermKeys, bytes)
    }

    /// Background scan while a connect is pending: 32 ms in every 320 ms. A combo chip that listens all the time starves
    /// Wi-Fi (raspberrypi/linux 1444). Parameter numbers 0x000d and 0x000e, units of 0.625 ms.
    static let gentleScan = ManagementCommand(.setDefaults, octets(0x000d) + [2] + octets(512) + octets(0x000e) + [2] + octets(51))
}

private func octets(_ value: UInt16) -> [UInt8] { [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)] }

private func octets(_ peer: Peer) -> [UInt8] {
    var bytes: [UInt8] = []
    for i in 0..<6 { bytes.append(peer.address[i]) }
    bytes.append(peer.type.rawValue)
    return bytes
}
