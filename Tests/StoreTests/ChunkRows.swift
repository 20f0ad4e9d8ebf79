// Owns the rows that the tests of chunks pack: where they come from, how they are packed, unpacked and written as lines.
import Foundation
@testable import Store
import Testing
import Whoop
import Wire

/// Numbers that look random and are the same every time (xorshift64*).
struct Dice {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9e37_79b9_7f4a_7c15 }

    mutating func below(_ bound: Int) -> Int {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return Int((state &* 0x2545_f491_4f6c_dd1d) >> 33) % bound
    }
}

/// One record as a chunk has it.
struct Row: Equatable {
    var unix: UInt32
    var heartRate: UInt8?
    var rr: [UInt16]?
    var motion: UInt16?

    static let root = vectorFolder().deletingLastPathComponent().deletingLastPathComponent()

    /// `1790769601 62 [968,975] 12`, `-` where absent: what Tests/Second/chunks.py prints.
    var line: String {
        let intervals = rr.map { "[" + $0.map { String($0) }.joined(separator: ",") + "]" }
        return "\(unix) \(heartRate.map { String($0) } ?? "-") \(intervals ?? "-") \(motion.map { String($0) } ?? "-")"
    }

    init(unix: UInt32, heartRate: UInt8?, rr: [UInt16]?, motion: UInt16?) {
        (self.unix, self.heartRate, self.rr, self.motion) = (unix, heartRate, rr, motion)
    }

    init?(line: some StringProtocol) {
        let words = line.split(separator: " ")
        guard words.count == 4, let unix = UInt32(words[0]) else { return nil }
        let rr = words[2] == "-" ? nil : words[2].dropFirst().dropLast().split(separator: ",").compactMap { UInt16($0) }
        self.init(unix: unix, heartRate: UInt8(words[1]), rr: rr, motion: UInt16(words[3]))
    }

    /// The record that a reader is at.
    init(_ reader: borrowing ChunkReader) {
        var rr: [UInt16]? = nil
        if let span = reader.rr_ms {
            rr = []
            for i in 0..<span.count { rr!.append(span[i]) }
        }
        self.init(unix: reader.unix, heartRate: reader.heartRate_bpm, rr: rr, motion: reader.motion_mg)
    }

    // MARK: Where rows come from

    /// The records of the real night, in the ring's order.
    static let realNight: [Row] = {
        var rows: [(row: Row, counter: UInt32)] = []
        for bytes in Night.frames {
            guard let frame = Frame(bytes.span.bytes, family: .whoop4), frame.type == PacketType.record,
                  let record = Record(frame), let second = Summary(frame) else { continue }
            var rr: [UInt16]? = nil
            if !second.rr.isAbsent {
                rr = []
                for i in 0..<second.rr.count { if let value = second.rr[i] { rr!.append(UInt16(value)) } }
            }
            let motion = second.dynamicAcceleration.map { UInt16(($0 * 1000).rounded()) }
            rows.append((Row(unix: record.unix, heartRate: second.heartRate, rr: rr, motion: motion), record.counter))
        }
        return rows.sorted { ($0.row.unix, $0.counter) < ($1.row.unix, $1.counter) }.map(\.row)
    }()

    /// An invented night or day of Tests/Vectors/seconds.
    static func sample(_ name: String) throws -> [Row] {
        let text = String(decoding: try output(of: "gunzip", ["-c", vectorFolder().appendingPathComponent("seconds/\(name).txt.gz").path]), as: UTF8.self)
        return try text.split(separator: "\n").map { try #require(Row(line: $0)) }
    }

    /// Up to `most` rows of five minutes that no strap would make: jumps, gaps, shared seconds, things missing.
    static func invented(_ dice: inout Dice, most: Int) -> [Row] {
        var unix = UInt32(dice.below(1 << 30)) * 4 / 300 * 300 + UInt32(dice.below(250))
        let end = unix / 300 * 300 + 299
        let gap = [1, 2, 3, 300][dice.below(4)], calm = dice.below(3), missing = [0, 3, 50][dice.below(3)]
        let longest = dice.below(20) == 0 && most < 100 ? 256 : [2, 5, 10][dice.below(3)]
        var heartRate = 60, interval = 1000
        /// Near the last, anywhere, or at an end of the range.
        func next(_ last: inout Int, _ range: ClosedRange<Int>) -> Int {
            switch calm {
            case 0: last = min(max(range.lowerBound, last + dice.below(7) - 3), range.upperBound)
            case 1: last = range.lowerBound + dice.below(range.count)
            default: last = dice.below(2) == 0 ? range.lowerBound : range.upperBound
            }
            return last
        }
        return (0...dice.below(most)).map { _ in
            unix = min(end, unix + UInt32(dice.below(gap + 1)))
            var motion = dice.below(40)
            return Row(unix: unix, heartRate: dice.below(100) < missing ? nil : UInt8(next(&heartRate, 25...230)),
                       rr: dice.below(100) < missing ? nil : (0..<dice.below(longest)).map { _ in UInt16(next(&interval, 200...2500)) },
                       motion: dice.below(100) < missing ? nil : UInt16(next(&motion, 0...16000)))
        }
    }

    // MARK: In and out

    func append(to writer: inout ChunkWriter) throws(ChunkRefusal) {
        try writer.append(unix: unix, heartRate_bpm: heartRate, rr_ms: rr?.span, motion_mg: motion)
    }

    /// The rows in as many chunks as they take.
    static func pack(_ rows: [Row], capacity: Int = 4096) throws -> [[UInt8]] {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 1)
        defer { memory.deallocate() }
        var chunks: [[UInt8]] = []
        var writer = ChunkWriter(memory)
        for row in rows {
            do throws(ChunkRefusal) {
                try row.append(to: &writer)
            } catch {
                guard error == .full || error == .elsewhere else { throw error }
                let length = writer.finish()
                chunks.append(Array(memory[0..<length]))
                writer = ChunkWriter(memory)
                try row.append(to: &writer)
            }
        }
        let length = writer.finish()
        return chunks + [Array(memory[0..<length])]
    }

    static func unpack(_ chunk: [UInt8]) throws(ChunkTrouble) -> [Row] {
        var reader = try ChunkReader(chunk.span.bytes)
        var rows: [Row] = []
        while try reader.next() { rows.append(Row(reader)) }
        return rows
    }

    /// The lines that the reader in Python prints.
    static func readBySecondReader(_ chunks: [[UInt8]]) throws -> [String] {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("chunks-\(UUID().uuidString).hex")
        defer { try? FileManager.default.removeItem(at: file) }
        try chunks.map { $0.map { String(format: "%02x", $0) }.joined() }.joined(separator: "\n").write(to: file, atomically: true, encoding: .utf8)
        let text = try output(of: "python3", [root.appendingPathComponent("Tests/Second/chunks.py").path, file.path])
        return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private static func output(of program: String, _ arguments: [String]) throws -> Data {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return data
    }
}
