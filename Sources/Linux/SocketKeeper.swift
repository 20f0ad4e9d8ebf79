// Owns sockets that must never be closed: on some kernels the close of a socket whose link has gone is a kernel BUG
// (KernelVersion.freesLostLinksTwice). A process that exits closes all it has, so a child holds them, and outlives us:
// the service's unit must not kill it (KillMode=process). Each costs the kernel a few KB until the next boot.
import CLinux

struct SocketKeeper {
    /// The limit of open files is 1024 where nobody set it.
    private static let perChild = 900

    private var channel: Int32 = -1
    private var held = 0

    /// Takes a socket for ever. False: it could not be given away and stays open here.
    mutating func keep(_ socket: Int32) -> Bool {
        if channel < 0 || held >= Self.perChild { begin() }
        guard channel >= 0, nightstand_send_descriptor(channel, socket) == 0 else {
            channel = -1
            return false
        }
        held += 1
        // The child has it by now, in its queue or in its hand: this close is not the last.
        _ = close(socket)
        return true
    }

    /// Makes the child. To be called once before the database is opened: a later one would inherit its mapped index, and
    /// the card could be neither unmounted nor made writable again while that child lives.
    mutating func begin() {
        if channel >= 0 { _ = close(channel) }
        channel = -1
        var ends: (Int32, Int32) = (-1, -1)
        let made = withUnsafeMutableBytes(of: &ends) { socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, $0.baseAddress!.assumingMemoryBound(to: Int32.self)) }
        guard made == 0 else { return }
        let child = nightstand_fork()
        if child == 0 { Self.hold(ends.1) }
        _ = close(ends.1)
        if child < 0 { _ = close(ends.0) }
        if child > 0 { channel = ends.0 }
        held = 0
    }

    /// The child: closes all but its channel, takes what comes, and never ends if anything came. System calls only.
    private static func hold(_ channel: Int32) -> Never {
        _ = setsid()
        // At most 15 characters; for whoever looks at the list of processes.
        nightstand_name_process("nightstand-keep")
        var all = sigset_t()
        sigfillset(&all)
        sigprocmask(SIG_BLOCK, &all, nil)
        for descriptor in 0..<Int32(1024) where descriptor != channel { _ = close(descriptor) }
        var holds = false
        while nightstand_receive_descriptor(channel) > 0 { holds = true }
        if !holds { _exit(0) }
        while true { _ = pause() }
    }
}
