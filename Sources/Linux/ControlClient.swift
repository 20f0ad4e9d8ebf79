// Owns the command line's end of the control socket: one line out, one line back, within a deadline.
import CLinux

public enum ControlFailure: Error, Equatable, Sendable {
    /// Nobody listens there.
    case notRunning
    case notAllowed
    case noAnswer
    case other(Int32)
}

/// Sends one line and waits for the answer, both without their ends.
public func askDaemon(_ path: String, _ line: String, timeout_ms: Int32 = 5_000) throws(ControlFailure) -> [UInt8] {
    let fd = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard fd >= 0 else { throw .other(nightstand_errno()) }
    defer { close(fd) }
    guard var address = socketAddress(path) else { throw .other(ENAMETOOLONG) }
    let connected = withUnsafeBytes(of: &address) { connect(fd, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count)) }
    if connected != 0 {
        switch nightstand_errno() {
        case ENOENT, ECONNREFUSED: throw .notRunning
        case EACCES, EPERM: throw .notAllowed
        case let other: throw .other(other)
        }
    }
    guard write(line + "\n", to: fd) else { throw .noAnswer }
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while answer.count < 1 << 20 {
        var wait = pollfd(fd: fd, events: Int16(POLLIN), revents: 0)
        let ready = poll(&wait, 1, timeout_ms)
        if ready < 0, nightstand_errno() == EINTR { continue }
        guard ready > 0 else { throw .noAnswer }
        let n = buffer.withUnsafeMutableBytes { CLinux.read(fd, $0.baseAddress!, $0.count) }
        if n < 0, nightstand_errno() == EINTR { continue }
        guard n > 0 else { throw .noAnswer }
        answer += buffer[0..<n]
        if answer.last == 0x0a { answer.removeLast(); return answer }
    }
    throw .noAnswer
}

/// The address of a Unix socket; nil when the path is too long for one (107 bytes).
func socketAddress(_ path: String) -> sockaddr_un? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    let fits = withUnsafeMutableBytes(of: &address.sun_path) { space in
        guard bytes.count < space.count else { return false }
        for i in bytes.indices { space[i] = bytes[i] }
        return true
    }
    return fits ? address : nil
}
