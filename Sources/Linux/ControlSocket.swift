// Owns the daemon's end of the control socket: at most eight clients, a line each way, never blocked by a slow one.
// Understands no word of what is said; `answer` does.
import CLinux

public final class ControlSocket: Handler {
    private final class Client {
        let descriptor: Int32
        var line: [UInt8] = []
        init(_ descriptor: Int32) { self.descriptor = descriptor }
    }

    static let clientLimit = 8
    static let lineLimit = 4096

    private let loop: EventLoop
    private let path: String
    private let listener: Int32
    private var clients: [Client] = []
    /// Answers one line without its end.
    private let answer: ([UInt8]) -> String

    /// Listens at `path`, readable and writable for its owner and group. A socket left there by a dead process is
    /// replaced; one that answers belongs to another daemon: EADDRINUSE.
    public init(_ path: String, loop: EventLoop, group: String, answer: @escaping ([UInt8]) -> String) throws(SystemError) {
        self.loop = loop
        self.path = path
        self.answer = answer
        guard var address = socketAddress(path) else { throw SystemError("control socket", ENAMETOOLONG) }
        let fd = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard fd >= 0 else { throw SystemError("socket") }
        listener = fd
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let answered = withUnsafeBytes(of: &address) { connect(fd, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), size) } == 0
        // A daemon whose queue of callers is full is one too.
        if answered || nightstand_errno() == EAGAIN { throw SystemError("another Nightstand runs already; control socket", EADDRINUSE) }
        unlink(path)
        // The file never exists with wider rights than it shall have.
        let mask = umask(0o117)
        let bound = withUnsafeBytes(of: &address) { bind(fd, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), size) }
        umask(mask)
        guard bound == 0 else { throw SystemError("bind control socket") }
        if let entry = getgrnam(group) { _ = chown(path, uid_t.max, entry.pointee.gr_gid) }
        guard listen(fd, 8) == 0 else { throw SystemError("listen") }
        try loop.add(fd, .readable, self)
    }

    public func ready(_ descriptor: Int32, _ events: Interest) {
        if descriptor == listener { return accept() }
        for client in clients where client.descriptor == descriptor { return read(client) }
    }

    /// Ends all clients and takes the socket's file away.
    public func end() {
        while let client = clients.last { drop(client) }
        loop.remove(listener)
        close(listener)
        unlink(path)
    }

    private func accept() {
        let fd = CLinux.accept(listener, nil, nil)
        guard fd >= 0 else { return }
        _ = nightstand_fcntl(fd, F_SETFD, FD_CLOEXEC)
        _ = nightstand_fcntl(fd, F_SETFL, O_NONBLOCK)
        if clients.count == Self.clientLimit, let oldest = clients.first { drop(oldest) }
        let client = Client(fd)
        do throws(SystemError) {
            try loop.add(fd, .readable, self)
            clients.append(client)
        } catch {
            close(fd)
        }
    }

    private func read(_ client: Client) {
        let count = withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 8) { buffer in
            let n = CLinux.read(client.descriptor, buffer.baseAddress!, buffer.count)
            if n > 0 { client.line += buffer[0..<n] }
            return n
        }
        if count < 0, nightstand_errno() == EAGAIN || nightstand_errno() == EINTR { return }
        guard count > 0 else { return drop(client) }
        while let end = client.line.firstIndex(of: 0x0a) {
            let line = Array(client.line[0..<end])
            client.line.removeSubrange(0...end)
            guard reply(client, answer(line)) else { return drop(client) }
        }
        if client.line.count > Self.lineLimit { drop(client) }
    }

    /// An answer goes out whole at once (the socket's buffer holds far more), or the client is too slow and is dropped.
    private func reply(_ client: Client, _ text: String) -> Bool {
        let bytes = Array((text + "\n").utf8)
        return bytes.withUnsafeBytes { send(client.descriptor, $0.baseAddress!, $0.count, Int32(MSG_NOSIGNAL)) } == bytes.count
    }

    private func drop(_ client: Client) {
        clients.removeAll { $0 === client }
        loop.remove(client.descriptor)
        close(client.descriptor)
    }
}
