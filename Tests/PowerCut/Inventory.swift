// Owns finding out what a ring's file holds, with plain SQLite; of the product only the codec of chunks.
import CSQLite
import Simulator
import Store
import Wire

/// Something that was handed to the ring, told apart from all else by its kind and number.
enum Kind: Int, CaseIterable {
    case record, event, standard, realtime, moment, gap, bond

    /// Numbers of each kind are below this; a script that goes on for longer has to be told.
    static var room: Int { 4096 }

    func item(_ number: Int) -> Int { rawValue * Kind.room + number }

    static func name(_ item: Int) -> String {
        "\(Kind(rawValue: item / room).map { "\($0)" } ?? "?") \(item % room)"
    }
}

/// How often each item is there.
struct Inventory {
    /// Second 0 of the script; a record's number, its counter and its second are the same.
    static var epoch: Int { 1_780_000_000 }

    var counts = [UInt8](repeating: 0, count: Kind.allCases.count * Kind.room)
    /// What is wrong with the file itself, in SQLite's words.
    var faults: [String] = []
    var version = 0
    /// Rows that each tier says it has given up: live, packed, raw, seconds (which were packed).
    var evicted: [Int] = []

    private static let queries: [(kind: Kind, sql: String)] = [
        // A record whose heart rate is not its own was altered.
        (.record, "SELECT CASE WHEN heart_rate_bpm = 50 + counter % 100 AND unix = counter + \(epoch) THEN counter ELSE -1 END FROM record WHERE unix >= \(epoch)"),
        (.event, "SELECT unix - \(epoch) FROM event WHERE unix >= \(epoch)"),
        (.standard, "SELECT unix - \(epoch) FROM live WHERE lane = 3 AND unix >= \(epoch)"),
        (.realtime, "SELECT unix - \(epoch) FROM live WHERE lane = 2 AND unix >= \(epoch)"),
        (.moment, "SELECT CAST(note AS INTEGER) FROM moment WHERE unix >= \(epoch) AND note != ''"),
        (.gap, "SELECT from_unix - \(epoch) FROM gap WHERE from_unix >= \(epoch)"),
        (.bond, "SELECT unix - \(epoch) FROM bond WHERE unix >= \(epoch)"),
    ]

    init(_ reading: RawReader) {
        for (kind, sql) in Inventory.queries {
            let error = reading.forEach(sql) { count(kind, Int(sqlite3_column_int64($0, 0))) }
            if let error { faults.append(error) }
        }
        // What a second gives up to a chunk it has no longer itself.
        let error = reading.forEach("SELECT chunk FROM packed WHERE to_unix >= \(Inventory.epoch)") { count(chunk: $0) }
        if let error { faults.append(error) }
        _ = reading.forEach("SELECT rows FROM evicted ORDER BY tier") { evicted.append(Int(sqlite3_column_int64($0, 0))) }
        version = reading.number("PRAGMA user_version") ?? 0
    }
}

extension Inventory {
    private mutating func count(_ kind: Kind, _ number: Int) {
        guard number >= 0, number < Kind.room else { return faults.append("\(kind) numbered \(number)") }
        if counts[kind.item(number)] < .max { counts[kind.item(number)] += 1 }
    }

    private mutating func count(chunk row: OpaquePointer) {
        let bytes = UnsafeRawBufferPointer(start: sqlite3_column_blob(row, 0), count: Int(sqlite3_column_bytes(row, 0)))
        do throws(ChunkTrouble) {
            var reader = try ChunkReader(bytes.bytes)
            while try reader.next() {
                let number = Int(reader.unix) - Inventory.epoch
                guard number >= 0 else { continue }
                count(.record, reader.heartRate_bpm == Frames.heartRate(UInt32(number)) ? number : -1)
            }
        } catch {
            faults.append("a chunk: \(error)")
        }
    }
}

/// A connection of somebody else's.
final class RawReader {
    private var handle: OpaquePointer?

    init(_ disk: SimulatedDisk, _ path: String) {
        if sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, disk.fileLayer) != SQLITE_OK {
            sqlite3_close(handle)
            handle = nil
        }
    }

    deinit { sqlite3_close(handle) }

    /// Each row, as a statement that has stepped to it; SQLite's words when it failed.
    func forEach(_ sql: String, _ body: (OpaquePointer) -> Void) -> String? {
        var statement: OpaquePointer?
        guard let handle, sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, let statement else { return words }
        defer { sqlite3_finalize(statement) }
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: body(statement)
            case SQLITE_DONE: return nil
            default: return words
            }
        }
    }

    func number(_ sql: String) -> Int? {
        var found: Int?
        return forEach(sql) { found = Int(sqlite3_column_int64($0, 0)) } == nil ? found : nil
    }

    func text(_ sql: String) -> String {
        var statement: OpaquePointer?
        guard let handle, sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { return words }
        defer { sqlite3_finalize(statement) }
        guard sqlite3_step(statement) == SQLITE_ROW, let text = sqlite3_column_text(statement, 0) else { return words }
        return String(cString: text)
    }

    private var words: String { handle.map { String(cString: sqlite3_errmsg($0)) } ?? "the file could not be opened" }
}
