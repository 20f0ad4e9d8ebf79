// Owns the strap's memory outside the process: the tokens of the bursts it released, one a line, oldest first. A token is
// appended with one write and not synced: a killed process does not lose what the kernel has.
import Glibc

final class StrapFile {
    let tokens: [UInt64]
    private let file: Int32

    init(path: String) {
        file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard file >= 0 else { end(74, "\(path) cannot be opened") }
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(file, &buffer, buffer.count)
            guard count > 0 else { break }
            text += buffer[..<count]
        }
        tokens = text.split(separator: 0x0a).compactMap { UInt64(String(decoding: $0, as: UTF8.self)) }
    }

    func append(_ token: UInt64) {
        let line = Array("\(token)\n".utf8)
        guard line.withUnsafeBytes({ write(file, $0.baseAddress, $0.count) }) == line.count else { end(74, "the strap's file cannot be written") }
    }
}
