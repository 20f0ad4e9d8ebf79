// Owns a card in memory with one directory: names, bytes, locks, shared memory, troubles, and the count of what is asked
// of it. SQLite comes through SimulatedDisk+SQLite, the ring's other questions through Ports' Disk, so that a power cut
// meets both. What a cut leaves is Platter's. One thread at a time.
import CSQLite
import Ports
import Wire

/// A file: its bytes as every program sees them.
final class DiskBody {
    let number: Int
    var bytes: [UInt8]
    /// It has, or had, a name; one without is scratch and no cut keeps it.
    let isNamed: Bool
    /// Where it is counted.
    let tally: Int
    /// Handles that are open now.
    var handles: [DiskHandle] = []
    /// Regions of its wal-index, which no cut survives: the first who maps them begins anew.
    var regions: [UnsafeMutableRawBufferPointer] = []

    init(number: Int, bytes: [UInt8], isNamed: Bool, tally: Int) {
        self.number = number
        self.isNamed = isNamed
        self.bytes = bytes
        self.tally = tally
    }

    func forgetRegions() {
        for region in regions { region.deallocate() }
        regions.removeAll()
    }

    /// Bytes that a program sees it to have.
    var size: Int { regions.isEmpty ? bytes.count : regions.count * regions[0].count }

    deinit { forgetRegions() }
}

public final class SimulatedDisk: Disk {
    /// The one directory.
    public static var directory: String { "/card" }

    /// What is wrong with the card from now on.
    public var trouble = DiskTrouble()
    /// Told of a stall, in milliseconds, before its sync happens: moves the simulated clock.
    public var onStall: ((Int64) -> Void)?
    /// Told of every change after it has happened.
    public var onChange: ((DiskChange) -> Void)?
    /// What was asked, by name of file.
    public private(set) var tallies: [DiskTally] = []
    /// Reads, of all files.
    public private(set) var reads = 0

    private var names: [(name: String, body: DiskBody)] = []
    private var created = 0
    private var isReadOnly = false
    /// nil: nobody will cut the power.
    private var platter: Platter?
    let layer: DiskLayer
    public let fileLayer: String?

    /// A card with these files, synced. Names are whole paths.
    /// - Parameter canLosePower: whether the card remembers what is synced, which takes its bytes twice.
    public init(_ files: [DiskFile] = [], canLosePower: Bool = true) {
        layer = DiskLayer()
        fileLayer = layer.name
        if canLosePower { platter = Platter(files) }
        for file in files { names.append((file.name, makeBody(file.name, file.bytes))) }
        layer.register(for: self)
    }

    /// Cuts the power now: what the card holds afterwards. Whoever has files open goes on with what will not be seen again.
    public func afterPowerCut(_ mood: Platter.Mood? = nil, _ chance: inout Chance) -> [DiskFile] {
        platter?.afterPowerCut(mood, &chance) ?? []
    }

    /// All files as programs see them now.
    public var files: [DiskFile] { names.map { DiskFile(name: $0.name, bytes: $0.body.bytes) } }

    /// Bytes of all files, wal-indexes too.
    public var bytes: Int { names.reduce(0) { $0 + $1.body.size } }

    // MARK: Names

    private func makeBody(_ name: String, _ bytes: [UInt8] = []) -> DiskBody {
        var tally = tallies.firstIndex { $0.name == name }
        if tally == nil {
            tally = tallies.count
            tallies.append(DiskTally(name: name))
        }
        defer { created += 1 }
        return DiskBody(number: created, bytes: bytes, isNamed: !name.isEmpty, tally: tally ?? 0)
    }

    func body(_ name: String) -> DiskBody? {
        for entry in names where entry.name == name { return entry.body }
        return nil
    }

    /// A new file; one without a name is nobody else's and leaves with its handle.
    func create(_ name: String?) -> DiskBody {
        let body = makeBody(name ?? "")
        if let name {
            names.append((name, body))
            if !isIndex(name) { changed(.link(name: name, file: body.number)) }
        }
        return body
    }

    /// Whether there was such a file and it could be removed.
    func unlink(_ name: String) -> Bool {
        guard !isReadOnly, body(name) != nil else { return false }
        names.removeAll { $0.name == name }
        if !isIndex(name) { changed(.unlink(name: name)) }
        return true
    }

    /// A wal-index is memory, not card.
    private func isIndex(_ name: String) -> Bool {
        let end = Array("-shm".utf8)
        return name.utf8.count >= end.count && Array(name.utf8.suffix(end.count)) == end
    }

    private func changed(_ change: DiskChange) {
        platter?.apply(change)
        onChange?(change)
    }

    var acceptsNames: Bool { !isReadOnly }

    // MARK: Bytes

    /// Reads into `buffer`; bytes read, nil for EIO.
    func read(_ body: DiskBody, at: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        reads += 1
        if trouble.read.comes() { return nil }
        let count = max(0, min(buffer.count, body.bytes.count - at))
        if count > 0 {
            body.bytes.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[at..<(at + count)])) }
        }
        return count
    }

    /// SQLite's result code.
    func write(_ body: DiskBody, at: Int, _ bytes: UnsafeRawBufferPointer) -> Int32 {
        if trouble.readOnly.comes() { isReadOnly = true }
        if isReadOnly || trouble.write.comes() { return SQLITE_IOERR | 3 << 8 }  // SQLITE_IOERR_WRITE
        let growth = max(0, at + bytes.count - body.bytes.count)
        if growth > trouble.room { return SQLITE_FULL }
        if trouble.room != .max { trouble.room -= growth }
        tallies[body.tally].writes += 1
        tallies[body.tally].bytesWritten += bytes.count
        overwrite(&body.bytes, at: at, with: bytes.bytes)
        if body.isNamed, platter != nil || onChange != nil { changed(.write(file: body.number, at: at, bytes: Array(bytes))) }
        return SQLITE_OK
    }

    func truncate(_ body: DiskBody, to size: Int) -> Int32 {
        if isReadOnly { return SQLITE_IOERR | 6 << 8 }  // SQLITE_IOERR_TRUNCATE
        guard size != body.bytes.count else { return SQLITE_OK }
        resize(&body.bytes, to: size)
        if body.isNamed { changed(.truncate(file: body.number, to: size)) }
        return SQLITE_OK
    }

    func sync(_ body: DiskBody) -> Int32 {
        tallies[body.tally].syncs += 1
        if trouble.stall.comes() { onStall?(trouble.stall_ms) }
        if trouble.sync.comes() {
            if body.isNamed { changed(.syncFailed(file: body.number)) }
            return SQLITE_IOERR | 4 << 8  // SQLITE_IOERR_FSYNC
        }
        if body.isNamed { changed(.synced(file: body.number)) }
        return SQLITE_OK
    }

    func syncDirectory() { changed(.directorySynced) }

    // MARK: What the ring asks

    public func size(_ path: String) -> Int64? {
        if path == SimulatedDisk.directory { return 4096 }
        return body(path).map { Int64($0.size) }
    }

    public func isDirectory(_ path: String) -> Bool { path == SimulatedDisk.directory }
    public func canWrite(in directory: String) -> Bool { isDirectory(directory) && !isReadOnly }
    public func canReadAndWrite(_ path: String) -> Bool { size(path) != nil && !isReadOnly }

    public func move(_ path: String, to new: String) -> Int32 {
        if isReadOnly { return EROFS }
        if body(new) != nil { return EEXIST }
        guard let at = names.firstIndex(where: { $0.name == path }) else { return ENOENT }
        names[at].name = new
        changed(.rename(from: path, to: new))
        return 0
    }

    public func remove(_ path: String) { _ = unlink(path) }

    public func names(in directory: String, beginning prefix: String) -> [String] {
        guard isDirectory(directory) else { return [] }
        let start = Array((directory + "/" + prefix).utf8), skipped = directory.utf8.count + 1
        var found: [String] = []
        for entry in names where entry.name.utf8.starts(with: start) {
            found.append(String(decoding: Array(entry.name.utf8.dropFirst(skipped)), as: UTF8.self))
        }
        return found
    }

    public func sync(directory: String) { if isDirectory(directory) { syncDirectory() } }
}
