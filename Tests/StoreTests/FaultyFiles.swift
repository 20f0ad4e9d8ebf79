// Owns a card that fails on demand: SQLite's own file layer with write and sync replaced for files in chosen folders.
// What it lets through is really written; what it refuses is not.
import CSQLite
import Foundation

enum Fault: Int {
    case none
    /// No space left.
    case full
    /// The card takes no writes.
    case writeFails
    /// Writes are taken, syncing fails.
    case syncFails
    /// The card has become read-only.
    case readOnly
}

enum FaultyFiles {
    /// The fault of every file whose path contains "faulty-<key>".
    static func set(_ fault: Fault, key: Int) { lock.withLock { faults[key] = fault } }

    /// Puts the layer under every database opened from now on; done once.
    static let installed: Bool = {
        let usual = sqlite3_vfs_find(nil)!
        original = usual
        let ours = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        ours.initialize(to: usual.pointee)
        ours.pointee.pNext = nil
        ours.pointee.zName = UnsafePointer(strdup("faulty"))
        ours.pointee.xOpen = { _, name, file, flags, outFlags in
            let code = original!.pointee.xOpen(original, name, file, flags, outFlags)
            guard code == SQLITE_OK, let name, let key = key(of: String(cString: name)), let file else { return code }
            let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
            methods.initialize(to: file.pointee.pMethods.pointee)
            lock.withLock { open[file] = (file.pointee.pMethods, key) }
            methods.pointee.xWrite = { file, bytes, count, offset in
                let (usual, fault) = entry(file)
                switch fault {
                case .full: return SQLITE_FULL
                case .writeFails: return SQLITE_IOERR | 3 << 8
                case .readOnly: return SQLITE_READONLY
                default: return usual.pointee.xWrite(file, bytes, count, offset)
                }
            }
            methods.pointee.xSync = { file, flags in
                let (usual, fault) = entry(file)
                return fault == .syncFails ? SQLITE_IOERR | 4 << 8 : usual.pointee.xSync(file, flags)
            }
            file.pointee.pMethods = UnsafePointer(methods)
            return code
        }
        sqlite3_vfs_register(ours, 1)
        return true
    }()

    private static func key(of path: String) -> Int? {
        guard let range = path.range(of: "faulty-") else { return nil }
        return Int(path[range.upperBound...].prefix { $0.isNumber })
    }

    private static func entry(_ file: UnsafeMutablePointer<sqlite3_file>?) -> (UnsafePointer<sqlite3_io_methods>, Fault) {
        lock.lock()
        defer { lock.unlock() }
        let (usual, key) = open[file!]!
        return (usual, faults[key] ?? .none)
    }

    nonisolated(unsafe) private static var original: UnsafeMutablePointer<sqlite3_vfs>?
    nonisolated(unsafe) private static var open: [UnsafeMutablePointer<sqlite3_file>: (UnsafePointer<sqlite3_io_methods>, Int)] = [:]
    private static let lock = NSLock()
    nonisolated(unsafe) private static var faults: [Int: Fault] = [:]
}
