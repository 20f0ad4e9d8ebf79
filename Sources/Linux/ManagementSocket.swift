// Owns the calls on the kernel's Bluetooth management socket. One read is one event. What is said on it is Adapter's.
import Bluetooth
import CLinux
import Wire

struct ManagementSocket {
    private(set) var descriptor: Int32 = -1

    var isOpen: Bool { descriptor >= 0 }

    /// EAFNOSUPPORT: the kernel has no Bluetooth. Needs no right; commands do, and are then answered "permission denied".
    mutating func open() throws(SystemError) {
        let type = Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        descriptor = CLinux.socket(AF_BLUETOOTH, type, BTPROTO_HCI)
        guard descriptor >= 0 else { throw SystemError("socket") }
        var address = sockaddr_hci(hci_family: sa_family_t(AF_BLUETOOTH), hci_dev: UInt16(HCI_DEV_NONE), hci_channel: UInt16(HCI_CHANNEL_CONTROL))
        let bound = withUnsafeBytes(of: &address) {
            bind(descriptor, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
        }
        guard bound == 0 else { throw SystemError("bind") }
    }

    mutating func close() {
        guard isOpen else { return }
        _ = CLinux.close(descriptor)
        descriptor = -1
    }

    /// A command that cannot be written is not answered, and that the machine notices.
    func write(_ packet: RawSpan) {
        guard isOpen else { return }
        _ = packet.withUnsafeBytes { CLinux.write(descriptor, $0.baseAddress, $0.count) }
    }
}
