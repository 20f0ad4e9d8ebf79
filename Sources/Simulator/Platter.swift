// Owns what a card holds when its power goes: what was synced, and of the rest whatever chance leaves. Knows files by
// number and names by their order of change, and nothing of SQLite. Never loses what a sync has promised.

/// One change to a card, in the order in which it was asked for. Files are numbered as they are created, from 0.
public enum DiskChange {
    case write(file: Int, at: Int, bytes: [UInt8])
    case truncate(file: Int, to: Int)
    /// Everything asked of the file so far is on the card.
    case synced(file: Int)
    /// The kernel could not sync and counts the pages as clean: what was unsynced may be on the card or not, and no later
    /// sync writes it.
    case syncFailed(file: Int)
    case link(name: String, file: Int)
    case unlink(name: String)
    case rename(from: String, to: String)
    /// Names are as they were asked for.
    case directorySynced
}

/// A file by its name.
public struct DiskFile {
    public var name: String
    public var bytes: [UInt8]

    public init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }
}

/// What is on the card for certain, and what is under way.
public struct Platter {
    /// A card writes so many bytes whole or not at all.
    public static var sector: Int { 512 }

    struct Pending {
        /// Where it begins; for a truncation the new size.
        var at: Int
        /// nil: a truncation.
        var bytes: [UInt8]?
        /// A sync of it has failed.
        var isDoubtful = false
    }

    private struct Body {
        var bytes: [UInt8]
        var pending: [Pending] = []
    }

    private enum Naming {
        case link(String, Int), unlink(String), rename(String, String)
    }

    private var bodies: [Body] = []
    private var names: [(name: String, file: Int)] = []
    private var namings: [Naming] = []

    /// A card with these files, all of them synced, numbered in their order.
    public init(_ files: [DiskFile] = []) {
        for file in files {
            names.append((file.name, bodies.count))
            bodies.append(Body(bytes: file.bytes))
        }
    }

    /// Changes that a power cut may still undo.
    public var unsynced: Int { bodies.reduce(namings.count) { $0 + $1.pending.count } }

    public mutating func apply(_ change: DiskChange) {
        switch change {
        case .write(let file, let at, let bytes): bodies[file].pending.append(Pending(at: at, bytes: bytes))
        case .truncate(let file, let size): bodies[file].pending.append(Pending(at: size))
        case .synced(let file): Platter.settle(&bodies[file])
        case .syncFailed(let file):
            // A truncation is the file system's own book-keeping, which a later sync does write.
            for i in bodies[file].pending.indices where bodies[file].pending[i].bytes != nil { bodies[file].pending[i].isDoubtful = true }
        case .link(let name, let file):
            while bodies.count <= file { bodies.append(Body(bytes: [])) }
            namings.append(.link(name, file))
        case .unlink(let name): namings.append(.unlink(name))
        case .rename(let old, let new): namings.append(.rename(old, new))
        case .directorySynced:
            for naming in namings { Platter.name(naming, &names) }
            namings.removeAll()
        }
    }

    /// Puts what is certain now into the bytes. Doubtful writes stay doubtful, but for the bytes that were written again.
    private static func settle(_ body: inout Body) {
        var doubtful: [Pending] = []
        for change in body.pending {
            if change.isDoubtful {
                doubtful.append(change)
                continue
            }
            let end = change.bytes.map { change.at + $0.count } ?? .max
            doubtful = doubtful.flatMap { without(change.at, end, $0) }
            put(change, into: &body.bytes)
        }
        body.pending = doubtful
    }

    /// What is left of a write after another from `start` to before `end`.
    private static func without(_ start: Int, _ end: Int, _ change: Pending) -> [Pending] {
        guard let bytes = change.bytes, change.at < end, change.at + bytes.count > start else { return [change] }
        var left: [Pending] = []
        if change.at < start { left.append(Pending(at: change.at, bytes: Array(bytes[..<(start - change.at)]), isDoubtful: true)) }
        if change.at + bytes.count > end { left.append(Pending(at: end, bytes: Array(bytes[(end - change.at)...]), isDoubtful: true)) }
        return left
    }

    private static func put(_ change: Pending, into bytes: inout [UInt8]) {
        if let new = change.bytes { overwrite(&bytes, at: change.at, with: new.span.bytes) } else { resize(&bytes, to: change.at) }
    }

    private static func name(_ naming: Naming, _ names: inout [(name: String, file: Int)]) {
        switch naming {
        case .link(let name, let file):
            names.removeAll { $0.name == name }
            names.append((name, file))
        case .unlink(let name): names.removeAll { $0.name == name }
        case .rename(let old, let new):
            guard let at = names.firstIndex(where: { $0.name == old }) else { return }
            let file = names[at].file
            names.removeAll { $0.name == old || $0.name == new }
            names.append((new, file))
        }
    }

    // MARK: The cut

    /// How much a card keeps of what was not synced.
    public enum Mood: CaseIterable, Sendable {
        /// All of it, as when only the process dies.
        case all
        case nothing
        /// In order up to some place, the last of it torn.
        case inOrder
        /// Each write by itself.
        case scattered
        /// Each write by itself, torn at sectors.
        case torn
        /// As torn, and in another order.
        case shuffled

        static func any(_ chance: inout Chance) -> Mood {
            switch chance.below(8) {
            case 0, 1: .inOrder
            case 2, 3: .scattered
            case 4, 5: .torn
            default: .shuffled
            }
        }
    }

    /// The files after a cut now.
    public func afterPowerCut(_ mood: Mood? = nil, _ chance: inout Chance) -> [DiskFile] {
        let mood = mood ?? Mood.any(&chance)
        var names = names
        let kept = Int(chance.below(UInt64(namings.count + 1)))
        // A journaling file system keeps names in order; others do not.
        let isOrdered = mood == .inOrder || chance.below(2) == 0
        for (i, naming) in namings.enumerated() {
            let stays = switch mood {
            case .all: true
            case .nothing: false
            default: isOrdered ? i < kept : chance.below(2) == 0
            }
            if stays { Platter.name(naming, &names) }
        }
        return names.map { DiskFile(name: $0.name, bytes: Platter.remains(of: bodies[$0.file], mood, &chance)) }
    }

    private static func remains(of body: Body, _ mood: Mood, _ chance: inout Chance) -> [UInt8] {
        var bytes = body.bytes
        var pending = body.pending
        switch mood {
        case .nothing: return bytes
        case .all:
            for change in pending { put(change, into: &bytes) }
            return bytes
        case .inOrder:
            let kept = Int(chance.below(UInt64(pending.count + 1)))
            for (i, change) in pending.enumerated() where i <= kept {
                if i < kept { put(change, into: &bytes) } else { tear(change, into: &bytes, &chance) }
            }
            return bytes
        case .shuffled:
            for i in pending.indices.dropFirst() { pending.swapAt(i, Int(chance.below(UInt64(i + 1)))) }
        case .scattered, .torn: break
        }
        // Now most of it stays, now little.
        let odds = 1 + chance.below(7)
        for change in pending {
            if chance.below(8) < odds { put(change, into: &bytes) }
            else if mood == .scattered { grow(change, &bytes, &chance) }
            else { tear(change, into: &bytes, &chance) }
        }
        return bytes
    }

    /// A file may have grown for a write whose bytes never came.
    private static func grow(_ change: Pending, _ bytes: inout [UInt8], _ chance: inout Chance) {
        guard let new = change.bytes, change.at + new.count > bytes.count, chance.below(2) == 0 else { return }
        resize(&bytes, to: change.at + new.count)
    }

    /// Some sectors of a write: the first few, the last few, or any. A truncation is whole or not there.
    private static func tear(_ change: Pending, into bytes: inout [UInt8], _ chance: inout Chance) {
        guard let new = change.bytes, !new.isEmpty else {
            if chance.below(2) == 0 { put(change, into: &bytes) }
            return
        }
        grow(change, &bytes, &chance)
        let first = change.at / sector, last = (change.at + new.count - 1) / sector
        let kind = chance.below(3), edge = first + Int(chance.below(UInt64(last - first + 2)))
        for number in first...last {
            let stays = switch kind {
            case 0: number < edge
            case 1: number >= edge
            default: chance.below(2) == 0
            }
            guard stays else { continue }
            let from = max(change.at, number * sector), to = min(change.at + new.count, (number + 1) * sector)
            overwrite(&bytes, at: from, with: new.span.bytes.extracting((from - change.at)..<(to - change.at)))
        }
    }
}

/// Writes over bytes of a file, which grows with zeros where it is too short.
func overwrite(_ file: inout [UInt8], at: Int, with new: RawSpan) {
    let count = new.byteCount
    if file.count < at { resize(&file, to: at) }
    let over = min(count, file.count - at)
    new.withUnsafeBytes { new in
        if over > 0 {
            file.withUnsafeMutableBytes { UnsafeMutableRawBufferPointer(rebasing: $0[at..<(at + over)]).copyMemory(from: UnsafeRawBufferPointer(rebasing: new[..<over])) }
        }
        if over < count { file.append(contentsOf: UnsafeRawBufferPointer(rebasing: new[over...]).assumingMemoryBound(to: UInt8.self)) }
    }
}

/// Cuts a file or lets it grow with zeros.
func resize(_ file: inout [UInt8], to size: Int) {
    if size < file.count { file.removeLast(file.count - size) } else { file += [UInt8](repeating: 0, count: size - file.count) }
}
