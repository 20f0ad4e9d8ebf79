// Owns the signals that end the process: they come as events of the loop, so that everything is written first.
import CLinux

public final class Signals: Handler {
    private let descriptor: Int32
    private let loop: EventLoop
    private let action: () -> Void

    /// From now on SIGTERM, SIGINT and SIGHUP call `action` on the loop; SIGPIPE is ignored.
    /// To be made before any thread, which inherits the mask.
    public init(loop: EventLoop, _ action: @escaping () -> Void) throws(SystemError) {
        self.loop = loop
        self.action = action
        nightstand_ignore_signal(SIGPIPE)
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGTERM)
        sigaddset(&set, SIGINT)
        sigaddset(&set, SIGHUP)
        sigprocmask(SIG_BLOCK, &set, nil)
        descriptor = signalfd(-1, &set, Int32(SFD_CLOEXEC) | Int32(SFD_NONBLOCK))
        guard descriptor >= 0 else { throw SystemError("signalfd") }
        try loop.add(descriptor, .readable, self)
    }

    public func ready(_ descriptor: Int32, _ events: Interest) {
        withUnsafeTemporaryAllocation(byteCount: 128, alignment: 8) { _ = read(descriptor, $0.baseAddress!, $0.count) }
        action()
    }
}
