// Owns SQLite's way to a simulated disk: a file layer (sqlite.org/vfs.html) under a name of its own that behaves as the
// one for Unix does where it matters: which files bring their directory along when they are synced, what it says of
// sectors, who locks whom. Handles are the disk's; nothing here outlives it.
import CSQLite

/// An open file.
final class DiskHandle {
    /// Held, so that no file outlives its disk; closing lets go.
    let disk: SimulatedDisk
    let body: DiskBody
    /// Removed from the names when it is closed.
    let temporaryName: String?
    /// A new journal or WAL: its first sync makes its name last, too.
    var bringsDirectory: Bool
    /// SQLITE_LOCK_NONE, _SHARED, _RESERVED, _PENDING or _EXCLUSIVE.
    var lock: Int32 = SQLITE_LOCK_NONE
    /// The wal-index: of a file whose name is this one's with "-shm".
    var index: DiskBody?
    var indexName: String
    /// Locks of the wal-index, a bit each.
    var shared: UInt32 = 0
    var exclusive: UInt32 = 0

    init(_ disk: SimulatedDisk, _ body: DiskBody, indexName: String, temporaryName: String?, bringsDirectory: Bool) {
        self.disk = disk
        self.body = body
        self.indexName = indexName
        self.temporaryName = temporaryName
        self.bringsDirectory = bringsDirectory
        body.handles.append(self)
    }

    /// The strongest lock of the others.
    var othersLock: Int32 {
        var most = SQLITE_LOCK_NONE
        for other in body.handles where other !== self { most = max(most, other.lock) }
        return most
    }

    func close() {
        unmap(removing: false)
        body.handles.removeAll { $0 === self }
        if let temporaryName { _ = disk.unlink(temporaryName) }
    }

    func unmap(removing: Bool) {
        guard let index else { return }
        index.handles.removeAll { $0 === self }
        if index.handles.isEmpty {
            index.forgetRegions()
            if removing { _ = disk.unlink(indexName) }
        }
        self.index = nil
        (shared, exclusive) = (0, 0)
    }

    /// A region of the wal-index; nil: there is none and none is wanted.
    func region(_ number: Int, size: Int, extending: Bool) -> UnsafeMutableRawPointer? {
        if index == nil {
            let found = disk.body(indexName) ?? disk.create(indexName)
            found.handles.append(self)
            index = found
        }
        guard let index else { return nil }
        while index.regions.count <= number {
            guard extending else { return nil }
            let region = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
            region.initializeMemory(as: UInt8.self, repeating: 0)
            index.regions.append(region)
        }
        return index.regions[number].baseAddress
    }

    func lockIndex(_ mask: UInt32, _ flags: Int32) -> Int32 {
        let isShared = flags & SQLITE_SHM_SHARED != 0
        if flags & SQLITE_SHM_UNLOCK != 0 {
            if isShared { shared &= ~mask } else { exclusive &= ~mask }
            return SQLITE_OK
        }
        guard let index else { return SQLITE_IOERR }
        for other in index.handles where other !== self {
            if (isShared ? other.exclusive : other.exclusive | other.shared) & mask != 0 { return SQLITE_BUSY }
        }
        if isShared { shared |= mask } else { exclusive |= mask }
        return SQLITE_OK
    }
}

/// SQLite's `sqlite3_file`, ours behind it.
private struct LayerFile {
    var base: sqlite3_file
    var handle: Unmanaged<DiskHandle>?
}

private func handle(_ file: UnsafeMutablePointer<sqlite3_file>?) -> DiskHandle {
    let ours = UnsafeMutableRawPointer(file.unsafelyUnwrapped).assumingMemoryBound(to: LayerFile.self)
    return ours.pointee.handle.unsafelyUnwrapped.takeUnretainedValue()
}

private func disk(_ layer: UnsafeMutablePointer<sqlite3_vfs>?) -> SimulatedDisk {
    Unmanaged<SimulatedDisk>.fromOpaque(layer.unsafelyUnwrapped.pointee.pAppData.unsafelyUnwrapped).takeUnretainedValue()
}

/// The tables of functions that SQLite calls, registered for as long as their disk lives.
final class DiskLayer {
    let name: String
    private let layer = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    private let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    private let text: UnsafeMutablePointer<CChar>

    init() {
        // A layer is found by its name; an address is nobody else's while it lives.
        name = "simulated-\(UInt(bitPattern: layer))"
        let utf8 = Array(name.utf8)
        text = .allocate(capacity: utf8.count + 1)
        for (i, byte) in utf8.enumerated() { text[i] = CChar(bitPattern: byte) }
        text[utf8.count] = 0
        layer.initialize(to: sqlite3_vfs())
        methods.initialize(to: sqlite3_io_methods())
        fillMethods()
    }

    deinit {
        sqlite3_vfs_unregister(layer)
        layer.deallocate()
        methods.deallocate()
        text.deallocate()
    }

    func register(for disk: SimulatedDisk) {
        layer.pointee.iVersion = 1
        layer.pointee.szOsFile = Int32(MemoryLayout<LayerFile>.size)
        layer.pointee.mxPathname = 512
        layer.pointee.zName = UnsafePointer(text)
        layer.pointee.pAppData = Unmanaged.passUnretained(disk).toOpaque()
        fillLayer()
        let methods = UnsafePointer(methods)
        openMethods = methods
        // Not the usual layer: only who names it gets it.
        sqlite3_vfs_register(layer, 0)
    }

    /// What `xOpen` gives each file, found through its disk.
    private(set) var openMethods: UnsafePointer<sqlite3_io_methods>?

    private func fillLayer() {
        layer.pointee.xOpen = { layer, name, file, flags, outFlags in
            guard let file else { return SQLITE_MISUSE }
            return disk(layer).open(name.map { String(cString: $0) }, file, flags, outFlags)
        }
        layer.pointee.xDelete = { layer, name, syncsDirectory in
            guard let name else { return SQLITE_MISUSE }
            let disk = disk(layer)
            guard disk.acceptsNames else { return SQLITE_IOERR | 10 << 8 }  // SQLITE_IOERR_DELETE
            guard disk.unlink(String(cString: name)) else { return SQLITE_IOERR | 23 << 8 }  // SQLITE_IOERR_DELETE_NOENT
            if syncsDirectory & 1 != 0 { disk.syncDirectory() }
            return SQLITE_OK
        }
        layer.pointee.xAccess = { layer, name, flags, answer in
            guard let name else { return SQLITE_MISUSE }
            let path = String(cString: name), disk = disk(layer)
            // An empty file counts as none, as on Unix.
            let isThere = flags == SQLITE_ACCESS_EXISTS ? (disk.size(path) ?? 0) > 0 : disk.canReadAndWrite(path)
            answer?.pointee = isThere ? 1 : 0
            return SQLITE_OK
        }
        layer.pointee.xFullPathname = { _, name, room, out in
            guard let name, let out else { return SQLITE_MISUSE }
            var i = 0
            while name[i] != 0 {
                guard i + 1 < Int(room) else { return SQLITE_CANTOPEN }
                out[i] = name[i]
                i += 1
            }
            out[i] = 0
            return SQLITE_OK
        }
        layer.pointee.xDlOpen = { _, _ in nil }
        layer.pointee.xDlError = { _, _, _ in }
        layer.pointee.xDlClose = { _, _ in }
        layer.pointee.xRandomness = { _, count, out in
            guard let out else { return 0 }
            for i in 0..<Int(count) { out[i] = CChar(truncatingIfNeeded: i) }
            return count
        }
        // Nobody else lives on this card: to wait would be to wait for ever.
        layer.pointee.xSleep = { _, microseconds in microseconds }
        layer.pointee.xCurrentTime = { _, days in
            days?.pointee = 2_461_000.5
            return SQLITE_OK
        }
        layer.pointee.xGetLastError = { _, _, _ in 0 }
    }

    private func fillMethods() {
        methods.pointee.iVersion = 2
        methods.pointee.xClose = { file in
            guard let file else { return SQLITE_MISUSE }
            let ours = UnsafeMutableRawPointer(file).assumingMemoryBound(to: LayerFile.self)
            ours.pointee.handle?.takeUnretainedValue().close()
            ours.pointee.handle?.release()
            ours.pointee.handle = nil
            return SQLITE_OK
        }
        methods.pointee.xRead = { file, out, count, offset in
            let handle = handle(file)
            let buffer = UnsafeMutableRawBufferPointer(start: out, count: Int(count))
            guard let got = handle.disk.read(handle.body, at: Int(offset), into: buffer) else { return SQLITE_IOERR | 1 << 8 }  // SQLITE_IOERR_READ
            guard got < buffer.count else { return SQLITE_OK }
            UnsafeMutableRawBufferPointer(rebasing: buffer[got...]).initializeMemory(as: UInt8.self, repeating: 0)
            return SQLITE_IOERR | 2 << 8  // SQLITE_IOERR_SHORT_READ
        }
        methods.pointee.xWrite = { file, bytes, count, offset in
            let handle = handle(file)
            return handle.disk.write(handle.body, at: Int(offset), UnsafeRawBufferPointer(start: bytes, count: Int(count)))
        }
        methods.pointee.xTruncate = { file, size in
            let handle = handle(file)
            return handle.disk.truncate(handle.body, to: Int(size))
        }
        methods.pointee.xSync = { file, _ in
            let handle = handle(file)
            let code = handle.disk.sync(handle.body)
            if code == SQLITE_OK, handle.bringsDirectory {
                handle.disk.syncDirectory()
                handle.bringsDirectory = false
            }
            return code
        }
        methods.pointee.xFileSize = { file, size in
            size?.pointee = Int64(handle(file).body.bytes.count)
            return SQLITE_OK
        }
        methods.pointee.xLock = { file, wanted in
            let handle = handle(file)
            guard wanted > handle.lock else { return SQLITE_OK }
            let others = handle.othersLock
            switch wanted {
            case SQLITE_LOCK_SHARED:
                if others >= SQLITE_LOCK_PENDING { return SQLITE_BUSY }
            case SQLITE_LOCK_RESERVED:
                if others >= SQLITE_LOCK_RESERVED { return SQLITE_BUSY }
            default:
                if others >= SQLITE_LOCK_RESERVED { return SQLITE_BUSY }
                if others > SQLITE_LOCK_NONE {
                    handle.lock = SQLITE_LOCK_PENDING
                    return SQLITE_BUSY
                }
            }
            handle.lock = wanted
            return SQLITE_OK
        }
        methods.pointee.xUnlock = { file, wanted in
            let handle = handle(file)
            handle.lock = min(handle.lock, wanted)
            return SQLITE_OK
        }
        methods.pointee.xCheckReservedLock = { file, answer in
            let handle = handle(file)
            answer?.pointee = max(handle.lock, handle.othersLock) >= SQLITE_LOCK_RESERVED ? 1 : 0
            return SQLITE_OK
        }
        methods.pointee.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
        // Both as the layer for Unix says on Linux.
        methods.pointee.xSectorSize = { _ in 4096 }
        methods.pointee.xDeviceCharacteristics = { _ in SQLITE_IOCAP_POWERSAFE_OVERWRITE }
        methods.pointee.xShmMap = { file, number, size, extends, out in
            let region = handle(file).region(Int(number), size: Int(size), extending: extends != 0)
            out?.pointee = region
            return SQLITE_OK
        }
        methods.pointee.xShmLock = { file, first, count, flags in
            handle(file).lockIndex(((1 << UInt32(count)) - 1) << UInt32(first), flags)
        }
        methods.pointee.xShmBarrier = { _ in }
        methods.pointee.xShmUnmap = { file, removes in
            handle(file).unmap(removing: removes != 0)
            return SQLITE_OK
        }
    }
}

extension SimulatedDisk {
    fileprivate func open(_ name: String?, _ file: UnsafeMutablePointer<sqlite3_file>, _ flags: Int32,
                          _ outFlags: UnsafeMutablePointer<Int32>?) -> Int32 {
        file.pointee.pMethods = nil
        var isNew = false
        let found: DiskBody
        if let name, let there = body(name) {
            found = there
        } else {
            guard flags & SQLITE_OPEN_CREATE != 0, acceptsNames else { return SQLITE_CANTOPEN }
            found = create(name)
            isNew = true
        }
        let journals = SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_WAL
        let handle = DiskHandle(self, found, indexName: (name ?? "") + "-shm",
                                temporaryName: flags & SQLITE_OPEN_DELETEONCLOSE != 0 ? name : nil,
                                bringsDirectory: isNew && flags & journals != 0)
        let ours = UnsafeMutableRawPointer(file).assumingMemoryBound(to: LayerFile.self)
        ours.pointee.handle = Unmanaged.passRetained(handle)
        file.pointee.pMethods = layer.openMethods
        outFlags?.pointee = flags
        return SQLITE_OK
    }
}
