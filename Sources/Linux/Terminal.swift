// Owns text to and from people: standard output, standard error, a line of answer. Never throws: a closed pipe ends
// the process quietly, as it should.
import CLinux

/// Writes all of a text to a descriptor; false when it could not.
@discardableResult
public func write(_ text: String, to descriptor: Int32) -> Bool { write(Array(text.utf8), to: descriptor) }

/// Writes all of some bytes to a descriptor; false when it could not.
@discardableResult
public func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    bytes.withUnsafeBytes { buffer in
        var done = 0
        while done < buffer.count {
            let n = CLinux.write(descriptor, buffer.baseAddress! + done, buffer.count - done)
            if n < 0 {
                if nightstand_errno() == EINTR { continue }
                return false
            }
            done += n
        }
        return true
    }
}

/// To standard output, with an end of line.
public func say(_ line: String) { write(line + "\n", to: 1) }

/// To standard error, with the program's name and an end of line.
public func complain(_ line: String) { write("nightstand: " + line + "\n", to: 2) }

public func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

/// One line from standard input without its end; nil at its end.
public func readLineFromInput() -> String? {
    var out: [UInt8] = []
    var c: UInt8 = 0
    while true {
        let n = CLinux.read(0, &c, 1)
        if n < 0, nightstand_errno() == EINTR { continue }
        if n <= 0 { return out.isEmpty ? nil : String(decoding: out, as: UTF8.self) }
        if c == 0x0a { return String(decoding: out, as: UTF8.self) }
        if out.count < 4096 { out.append(c) }
    }
}

/// Text from outside as it may be shown: what would steer a terminal is replaced by `?`.
public func plain(_ text: String) -> String {
    var out: [UInt8] = []
    var last: UInt8 = 0
    for c in text.utf8 {
        // C0, DEL, and C1 as UTF-8 has it (C2 80...9F).
        out.append(c < 0x20 || c == 0x7f || last == 0xc2 && (0x80...0x9f).contains(c) ? 0x3f : c)
        if last == 0xc2, out.last == 0x3f, out.count >= 2 { out.remove(at: out.count - 2) }
        last = c
    }
    return String(decoding: out, as: UTF8.self)
}

/// Waits so many milliseconds.
public func pause(milliseconds: Int) {
    var left = timespec(tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000)
    var rest = timespec()
    while nanosleep(&left, &rest) != 0, nightstand_errno() == EINTR { left = rest }
}

/// The text of an errno, such as `No such file or directory`.
public func errorText(_ number: Int32) -> String {
    guard let text = strerror(number) else { return "errno \(number)" }
    return String(cString: text)
}

/// The words after the program's name. From the kernel, because Embedded Swift does not keep them.
public func programArguments() -> [String] {
    do throws(FileError) {
        let words = try readFile("/proc/self/cmdline", limit: 1 << 21).split(separator: 0, omittingEmptySubsequences: false)
        return words.dropFirst().dropLast().map { String(decoding: $0, as: UTF8.self) }
    } catch {
        return []
    }
}

/// Where this program lies.
public func ownPath() -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { path in
        let count = readlink("/proc/self/exe", path.baseAddress!, path.count - 1)
        guard count > 0 else { return "" }
        path[count] = 0
        return String(cString: path.baseAddress!)
    }
}
