// Owns one L2CAP socket on the fixed channel of ATT, and its end. One read is one PDU. It closes while its link stands;
// once the link has gone it may have to be kept open for ever (KernelVersion.freesLostLinksTwice).
import Bluetooth
import CLinux
import Wire

struct LinkSocket {
    /// Bytes of notifications the kernel may hold for us: past it they are dropped without a word, and an SD card's
    /// stall must not cost any. CAP_NET_ADMIN lifts the system's cap.
    static let receiveBuffer: Int32 = 4 << 20
    static let largestPDU: Int32 = 517
    private static let attributeChannel: UInt16 = 4

    private(set) var descriptor: Int32 = -1
    private var keeper = SocketKeeper()
    /// Whether this kernel takes the close of a socket whose link has gone.
    let closesSafely = !(KernelVersion.running?.freesLostLinksTwice ?? false)

    init() {
        if !closesSafely { keeper.begin() }
    }

    var isOpen: Bool { descriptor >= 0 }

    /// Closes it while its link stands. An error that waits on it says that the link has just gone.
    mutating func close() {
        guard isOpen else { return }
        if !closesSafely, error != 0 {
            _ = abandon()
            return
        }
        _ = CLinux.close(descriptor)
        descriptor = -1
    }

    /// Lets go of it after its link has gone. False: on this kernel it stays open in this process.
    mutating func abandon() -> Bool {
        guard isOpen, !closesSafely else { close(); return true }
        defer { descriptor = -1 }
        return keeper.keep(descriptor)
    }

    /// Begins to connect without waiting. `secured`: is up only when encrypted.
    mutating func open(_ peer: Peer, secured: Bool) throws(SystemError) {
        let type = Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let socket = CLinux.socket(AF_BLUETOOTH, type, BTPROTO_L2CAP)
        guard socket >= 0 else { throw SystemError("socket") }
        var buffer = Self.receiveBuffer
        _ = setsockopt(socket, SOL_SOCKET, SO_RCVBUFFORCE, &buffer, 4)
        var address = sockaddr_l2()
        address.l2_family = sa_family_t(AF_BLUETOOTH)
        address.l2_cid = Self.attributeChannel
        address.l2_bdaddr_type = AddressType.publicLE.rawValue
        var failed: SystemError?
        if Self.call(bind, socket, &address) != 0 { failed = SystemError("bind") }
        var mtu = UInt16(Self.largestPDU)
        _ = setsockopt(socket, SOL_BLUETOOTH, BT_RCVMTU, &mtu, 2)
        if failed == nil, secured, !Self.require(socket) { failed = SystemError("BT_SECURITY") }
        withUnsafeMutableBytes(of: &address.l2_bdaddr) { for i in 0..<6 { $0[i] = peer.address[i] } }
        address.l2_bdaddr_type = peer.type.rawValue
        if failed == nil, Self.call(connect, socket, &address) != 0, nightstand_errno() != EINPROGRESS { failed = SystemError("connect") }
        if let failed {
            // It never had a channel on a link, so this close is harmless on every kernel.
            _ = CLinux.close(socket)
            throw failed
        }
        descriptor = socket
    }

    /// The level and key size the kernel vouches for; nil where it does not answer.
    var keyBytes: Int? {
        var security = bt_security()
        var size = socklen_t(MemoryLayout<bt_security>.size)
        guard getsockopt(descriptor, SOL_BLUETOOTH, BT_SECURITY, &security, &size) == 0 else { return nil }
        return security.level >= BT_SECURITY_MEDIUM ? Int(security.key_size) : 0
    }

    /// The error that waits on a socket, taken away; 0 for none.
    var error: Int32 {
        var error: Int32 = 0
        var size = socklen_t(4)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : nightstand_errno()
    }

    private static func require(_ socket: Int32) -> Bool {
        var security = bt_security(level: UInt8(BT_SECURITY_MEDIUM), key_size: 0)
        return setsockopt(socket, SOL_BLUETOOTH, BT_SECURITY, &security, socklen_t(MemoryLayout<bt_security>.size)) == 0
    }

    private static func call(_ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32, _ socket: Int32, _ address: inout sockaddr_l2) -> Int32 {
        withUnsafeBytes(of: &address) { function(socket, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count)) }
    }
}
