// Owns what the tests of the ring share: a directory that goes away, a clock that stands still, a listener that
// remembers, the vectors, and frames made to order.
import Foundation
import Ports
@testable import Store
import Testing
import Whoop
import Wire

/// A directory of its own.
final class Folder {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("ring-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    /// A folder inside another, which is kept as long as this one.
    init(inside path: String, of outer: Folder) {
        self.path = path
        self.outer = outer
    }

    private var outer: Folder?

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var ring: String { path + "/nightstand.db" }
    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }
    /// Bytes of all files.
    var bytes: Int64 { names.reduce(0) { $0 + (Files().size(path + "/" + $1) ?? 0) } }
}

final class ManualClock: Ports.Clock {
    var now = Instant(milliseconds: 5_000)
    /// 2026-09-30T12:00:00Z, later than every vector.
    var wall = WallTime(seconds: 1_790_769_600)
    var trusted = true
    var utcOffset_s = 0
}

final class Witness: StoreListener {
    var stored: [UInt32] = []
    var refused: [(ticket: UInt32, trouble: StoreTrouble)] = []
    var troubles: [StoreTrouble?] = []
    func stored(_ ticket: UInt32) { stored.append(ticket) }
    func notStored(_ ticket: UInt32, _ trouble: StoreTrouble) { refused.append((ticket, trouble)) }
    func storage(has trouble: StoreTrouble?) { troubles.append(trouble) }
}

/// A ring in a folder, its clock and its witness.
final class Bench {
    let folder: Folder
    let clock = ManualClock()
    let witness = Witness()
    var ring: Ring
    private var ticket: UInt32 = 0

    init(folder: Folder? = nil, limit: Int64 = 64 << 20, generation: UInt8 = 4) throws {
        self.folder = try folder ?? Folder()
        ring = Ring(path: self.folder.ring, share: Share(limit: limit), clock: clock, listener: witness)
        put(.strap(Bench.peer, generation: generation))
    }

    static let peer = Peer(Address("F0:F1:F2:F3:F4:F5")!, .randomLE)

    func put(_ entry: Entry, _ bytes: [UInt8] = []) { ring.apply(entry, bytes.span.bytes) }
    func put(_ entry: Entry, _ text: String) { put(entry, Array(text.utf8)) }

    /// Hands in a burst; its ticket.
    @discardableResult
    func burst(_ frames: [[UInt8]], token: UInt64, end: [UInt8] = []) -> UInt32 {
        for frame in frames { put(.historyFrame(Stamp(clock)), frame) }
        ticket += 1
        let count = UInt32(frames.count)
        put(.burst(BurstEnd(announced: count, received: count, token: token), Stamp(clock), ticket: ticket), end)
        return ticket
    }

    /// Lets time pass.
    func pass(_ milliseconds: Int64) {
        clock.now = clock.now + milliseconds
        clock.wall.milliseconds += milliseconds
    }

    /// Closes the ring and opens the same file anew.
    func restart() {
        ring.close()
        ring = Ring(path: folder.ring, share: ring.share, clock: clock, listener: witness)
        put(.strap(Bench.peer, generation: 4))
    }

    /// Rows as `sqlite3` prints them, columns parted by `|`.
    func rows(_ sql: String) throws -> [String] {
        let database = try Database(path: folder.ring, .reading)
        let statement = try Statement(database, sql, keep: false)
        var lines: [String] = []
        while try statement.step() {
            lines.append((0..<statement.columns).map { statement.text($0) ?? "" }.joined(separator: "|"))
        }
        return lines
    }

    func count(_ sql: String) throws -> Int { Int(try rows(sql).first ?? "") ?? -1 }
}

/// A record of 4.0 (version 12), otherwise plausible.
func record(counter: UInt32, unix: UInt32, heartRate: UInt8 = 60, rr: [UInt16] = []) -> [UInt8] {
    var inner = [UInt8](repeating: 0, count: 88)
    inner[0] = 47
    inner[1] = 12
    inner[2] = 5
    for i in 0..<4 {
        inner[3 + i] = UInt8(truncatingIfNeeded: counter >> (8 * UInt32(i)))
        inner[7 + i] = UInt8(truncatingIfNeeded: unix >> (8 * UInt32(i)))
    }
    inner[17] = heartRate
    inner[18] = UInt8(rr.count)
    for (i, ms) in rr.enumerated() {
        inner[19 + 2 * i] = UInt8(ms & 255)
        inner[20 + 2 * i] = UInt8(ms >> 8)
    }
    let one = Float(1).bitPattern
    for i in 0..<4 { inner[44 + i] = UInt8(truncatingIfNeeded: one >> (8 * UInt32(i))) }
    return frame4(inner)
}

/// A frame of 4.0 around an inner record, padded.
func frame4(_ inner: [UInt8]) -> [UInt8] {
    var body = inner
    while body.count % 4 != 0 { body.append(0) }
    let length = [UInt8((body.count + 4) & 255), UInt8((body.count + 4) >> 8)]
    let check = crc32(body.span.bytes)
    return [0xaa] + length + [crc8(length.span.bytes)] + body + (0..<4).map { UInt8(truncatingIfNeeded: check >> (8 * UInt32($0))) }
}

func vectorFolder() -> URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Vectors")
}
