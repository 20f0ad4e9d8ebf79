// Owns reading and replacing small files. A replacement is whole or not there at all: written beside, synced, renamed,
// and the folder synced too.
import CLinux

public struct FileError: Error, Equatable, Sendable {
    public var errno: Int32
}

/// The bytes of a file of at most `limit` bytes; more is EFBIG.
public func readFile(_ path: String, limit: Int = 1 << 20) throws(FileError) -> [UInt8] {
    let fd = nightstand_open(path, O_RDONLY | O_CLOEXEC, 0)
    guard fd >= 0 else { throw FileError(errno: nightstand_errno()) }
    defer { close(fd) }
    var out: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
        let n = buffer.withUnsafeMutableBytes { CLinux.read(fd, $0.baseAddress!, $0.count) }
        if n < 0 {
            if nightstand_errno() == EINTR { continue }
            throw FileError(errno: nightstand_errno())
        }
        if n == 0 { return out }
        guard out.count + n <= limit else { throw FileError(errno: EFBIG) }
        out += buffer[0..<n]
    }
}

/// Replaces a file by these bytes, durably. The old file stands until the new one is whole.
public func replaceFile(_ path: String, _ bytes: [UInt8], mode: mode_t = 0o600) throws(FileError) {
    let beside = path + ".new"
    let fd = nightstand_open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
    guard fd >= 0 else { throw FileError(errno: nightstand_errno()) }
    var failure: Int32 = 0
    var done = 0
    bytes.withUnsafeBytes { buffer in
        while done < buffer.count {
            let n = CLinux.write(fd, buffer.baseAddress! + done, buffer.count - done)
            if n < 0, nightstand_errno() == EINTR { continue }
            if n <= 0 { failure = n < 0 ? nightstand_errno() : EIO; return }
            done += n
        }
    }
    if failure == 0, fsync(fd) != 0 { failure = nightstand_errno() }
    if close(fd) != 0, failure == 0 { failure = nightstand_errno() }
    if failure == 0, rename(beside, path) != 0 { failure = nightstand_errno() }
    guard failure == 0 else {
        unlink(beside)
        throw FileError(errno: failure)
    }
    let directory = nightstand_open(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    guard directory >= 0 else { throw FileError(errno: nightstand_errno()) }
    defer { close(directory) }
    if fsync(directory) != 0 { throw FileError(errno: nightstand_errno()) }
}

/// The folder a path lies in.
public func folder(of path: String) -> String {
    let bytes = Array(path.utf8)
    guard let slash = bytes.lastIndex(of: 0x2f) else { return "." }
    return slash == 0 ? "/" : String(decoding: bytes[0..<slash], as: UTF8.self)
}
