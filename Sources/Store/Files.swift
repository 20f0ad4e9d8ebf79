// Owns the files beside the database: their sizes, their names when they are moved aside. Nothing here ever deletes or
// overwrites a file that somebody else may have written.
import CSQLite
import Ports

/// The files of this machine.
final class Files: Disk {
    var fileLayer: String? { nil }

    func size(_ path: String) -> Int64? {
        var info = stat()
        guard stat(path, &info) == 0 else { return nil }
        return Int64(info.st_size)
    }

    func isDirectory(_ path: String) -> Bool {
        var info = stat()
        guard stat(path, &info) == 0 else { return false }
        return info.st_mode & UInt32(S_IFMT) == UInt32(S_IFDIR)
    }

    func canWrite(in directory: String) -> Bool { access(directory, W_OK | X_OK) == 0 }

    func canReadAndWrite(_ path: String) -> Bool { access(path, R_OK | W_OK) == 0 }

    /// The directory of a path; `.` where it names none.
    static func directory(of path: String) -> String {
        let bytes = Array(path.utf8)
        guard let slash = bytes.lastIndex(of: 0x2f) else { return "." }
        return slash == 0 ? "/" : String(decoding: bytes[..<slash], as: UTF8.self)
    }

    /// The last part of a path.
    static func name(of path: String) -> String {
        let bytes = Array(path.utf8)
        guard let slash = bytes.lastIndex(of: 0x2f) else { return path }
        return String(decoding: bytes[(slash + 1)...], as: UTF8.self)
    }

    func move(_ path: String, to new: String) -> Int32 {
        if size(new) != nil { return EEXIST }
        return rename(path, new) == 0 ? 0 : nightstand_file_errno()
    }

    func remove(_ path: String) { unlink(path) }

    func names(in directory: String, beginning prefix: String) -> [String] {
        guard let listing = opendir(directory) else { return [] }
        defer { closedir(listing) }
        var found: [String] = []
        while let entry = readdir(listing) {
            let name = String(cString: nightstand_entry_name(entry))
            if name.utf8.starts(with: prefix.utf8) { found.append(name) }
        }
        return found
    }

    func sync(directory: String) {
        let descriptor = nightstand_open_directory(directory)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}
