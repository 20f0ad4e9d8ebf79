// Owns the bytes of a file that is read once from end to end, however large: mapped where it is a file, read where it is
// a pipe. Never changes it.
import CLinux

/// A file's bytes for as long as this is held.
public final class MappedFile {
    private let memory: UnsafeRawBufferPointer
    private let isMapped: Bool

    /// `-` is standard input. A pipe of more than `limit` bytes is EFBIG.
    public init(_ path: String, limit: Int = 256 << 20) throws(FileError) {
        let isInput = path == "-"
        let fd = isInput ? 0 : nightstand_open(path, O_RDONLY | O_CLOEXEC, 0)
        guard fd >= 0 else { throw FileError(errno: nightstand_errno()) }
        defer { if !isInput { close(fd) } }
        var kind = stat()
        guard fstat(fd, &kind) == 0 else { throw FileError(errno: nightstand_errno()) }
        if kind.st_mode & mode_t(S_IFMT) == mode_t(S_IFDIR) { throw FileError(errno: EISDIR) }
        if kind.st_mode & mode_t(S_IFMT) == mode_t(S_IFREG), kind.st_size > 0 {
            guard let size = Int(exactly: kind.st_size) else { throw FileError(errno: EFBIG) }
            let start = mmap(nil, size, PROT_READ, MAP_PRIVATE, fd, 0)
            guard let start, start != UnsafeMutableRawPointer(bitPattern: -1) else { throw FileError(errno: nightstand_errno()) }
            madvise(start, size, MADV_SEQUENTIAL)
            memory = UnsafeRawBufferPointer(start: start, count: size)
            isMapped = true
            return
        }

        var capacity = 1 << 16, count = 0
        var room = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
        while true {
            if count == capacity {
                guard capacity < limit else { room.deallocate(); throw FileError(errno: EFBIG) }
                let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity * 2, alignment: 16)
                larger.copyMemory(from: room, byteCount: count)
                room.deallocate()
                room = larger
                capacity *= 2
            }
            let n = CLinux.read(fd, room + count, capacity - count)
            if n == 0 { break }
            if n > 0 { count += n; continue }
            let error = nightstand_errno()
            guard error == EINTR else { room.deallocate(); throw FileError(errno: error) }
        }
        memory = UnsafeRawBufferPointer(start: room, count: count)
        isMapped = false
    }

    deinit {
        if isMapped {
            munmap(UnsafeMutableRawPointer(mutating: memory.baseAddress), memory.count)
        } else {
            memory.baseAddress?.deallocate()
        }
    }

    public var bytes: RawSpan {
        @_lifetime(borrow self) get {
            let span = RawSpan(_unsafeBytes: memory)
            return _overrideLifetime(span, borrowing: self)
        }
    }
}
