// Packed chunks: what goes in comes out, in few bytes, and damaged bytes never pass for records. The bytes are read a
// second time by Tests/Second/chunks.py, which knows only Docs/FORMAT.md.
import Foundation
@testable import Store
import Testing
import Whoop
import Wire

@Suite struct ChunkTests {
    // MARK: Nights

    @Test(arguments: ["real night", "night_a", "night_b", "day_c", "work_d"])
    func aNightComesBackAndCostsAtMostTwoAndAHalfBytesASecond(name: String) throws {
        let rows = name == "real night" ? Row.realNight : try Row.sample(name)
        #expect(rows.count > 8000)
        let chunks = try Row.pack(rows)
        #expect(try chunks.flatMap(Row.unpack) == rows)
        #expect(try Row.readBySecondReader(chunks) == rows.map(\.line))

        // Motion apart: what the same rows take without it.
        let still = try Row.pack(rows.map { Row(unix: $0.unix, heartRate: $0.heartRate, rr: $0.rr, motion: nil) })
        let seconds = Double(Set(rows.map(\.unix)).count)
        let all = Double(chunks.reduce(0) { $0 + $1.count }), heart = Double(still.reduce(0) { $0 + $1.count })
        print("""
            \(name): \(rows.count) records in \(chunks.count) chunks, the longest \(chunks.map(\.count).max()!) bytes; \
            bytes per recorded second: heart rate and R-R \(short(heart / seconds)), motion \(short((all - heart) / seconds))
            """)
        #expect(heart / seconds <= 2.5)
        #expect((all - heart) / seconds <= 1)
    }

    // MARK: Anything

    @Test func whateverIsInRangeComesBack() throws {
        var dice = Dice(seed: 1)
        var chunks: [[UInt8]] = [], lines: [String] = []
        for round in 0..<2000 {
            let rows = Row.invented(&dice, most: round % 200 == 0 ? 3000 : 30)
            let most = Chunk.mostBytes(records: rows.count, intervals: rows.reduce(0) { $0 + ($1.rr?.count ?? 0) })
            // In a buffer that may just hold them all at their worst.
            let packed = try Row.pack(rows, capacity: most)
            #expect(packed.count == 1)
            #expect(try Row.unpack(packed[0]) == rows)
            chunks += packed
            lines += rows.map(\.line)
        }
        #expect(lines.count > 20_000)
        #expect(try Row.readBySecondReader(chunks) == lines)
    }

    @Test func theEndsOfEveryRangeComeBack() throws {
        for unix: UInt32 in [0, 299, 1_790_769_600, .max - 195, .max] {
            for heartRate: UInt8? in [nil, 25, 230] {
                for rr: [UInt16]? in [nil, [], [200], [2500], [200, 2500, 200], Array(repeating: 2500, count: 255)] {
                    for motion: UInt16? in [nil, 0, 16000] {
                        let row = Row(unix: unix, heartRate: heartRate, rr: rr, motion: motion)
                        let last = Row(unix: unix / 300 * 300 + min(299, .max - unix / 300 * 300), heartRate: nil, rr: [2500], motion: nil)
                        let rows = [row, row, Row(unix: unix, heartRate: 230, rr: [], motion: 1), last]
                        #expect(try Row.pack(rows).flatMap(Row.unpack) == rows)
                    }
                }
            }
        }
    }

    @Test func aSecondReaderAgreesOnTheWorkedExample() throws {
        let rows = [
            Row(unix: 1_790_769_601, heartRate: 62, rr: [968, 975], motion: 12),
            Row(unix: 1_790_769_602, heartRate: 63, rr: [951], motion: 40),
            Row(unix: 1_790_769_602, heartRate: nil, rr: nil, motion: 41),
            Row(unix: 1_790_769_610, heartRate: 61, rr: [], motion: nil),
        ]
        let page = try String(contentsOf: Row.root.appendingPathComponent("Docs/FORMAT.md"), encoding: .utf8)
        let digits = try #require(page.components(separatedBy: "The whole chunk: `").dropFirst().first?.components(separatedBy: "`").first)
        let chunk = try #require(bytes(hex: digits.replacingOccurrences(of: " ", with: "")))
        #expect(try Row.pack(rows) == [chunk])
        #expect(try Row.unpack(chunk) == rows)
        #expect(try Row.readBySecondReader([chunk]) == rows.map(\.line))
    }

    // MARK: Refusals

    @Test func whatCannotComeBackIsRefusedAndLeavesTheChunkAsItWas() throws {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 1)
        defer { memory.deallocate() }
        var writer = ChunkWriter(memory)
        let good = Row(unix: 1_790_769_700, heartRate: 60, rr: [1000], motion: 5)
        #expect(refusal(Row(unix: 0, heartRate: 24, rr: nil, motion: nil), &writer) == .unbelievable)
        #expect(refusal(good, &writer) == nil)
        for (row, why): (Row, ChunkRefusal) in [
            (Row(unix: good.unix, heartRate: 231, rr: nil, motion: nil), .unbelievable),
            (Row(unix: good.unix, heartRate: nil, rr: [800, 199], motion: nil), .unbelievable),
            (Row(unix: good.unix, heartRate: nil, rr: [2501], motion: nil), .unbelievable),
            (Row(unix: good.unix, heartRate: nil, rr: Array(repeating: 800, count: 256), motion: nil), .unbelievable),
            (Row(unix: good.unix, heartRate: nil, rr: nil, motion: 16001), .unbelievable),
            (Row(unix: good.unix - 1, heartRate: nil, rr: nil, motion: nil), .backwards),
            (Row(unix: good.unix + 200, heartRate: nil, rr: nil, motion: nil), .elsewhere),
        ] { #expect(refusal(row, &writer) == why) }
        #expect(refusal(good, &writer) == nil)
        let length = writer.finish()
        #expect(try Row.unpack(Array(memory[0..<length])) == [good, good])
    }

    @Test(arguments: [0, 10, 11, 12, 30, 918, 4096])
    func aBufferOfAnySizeIsNeverOverrun(capacity: Int) throws {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity + 16, alignment: 1)
        defer { memory.deallocate() }
        memory.initializeMemory(as: UInt8.self, repeating: 0xa5)
        var writer = ChunkWriter(UnsafeMutableRawBufferPointer(rebasing: memory[0..<capacity]))
        var dice = Dice(seed: 2), taken: [Row] = [], isFull = false
        while taken.count < 5000 {
            let rr = (0..<dice.below(256)).map { _ in UInt16(200 + dice.below(2301)) }
            let row = Row(unix: 9, heartRate: UInt8(25 + dice.below(206)), rr: rr, motion: UInt16(dice.below(16001)))
            do throws(ChunkRefusal) { try row.append(to: &writer); taken.append(row) } catch { isFull = isFull || error == .full }
            if isFull { break }
        }
        #expect(isFull)
        #expect(taken.isEmpty == (writer.count == 0))
        #expect(capacity < 918 || !taken.isEmpty)
        let length = writer.finish()
        #expect(length <= capacity)
        #expect(memory[capacity...].allSatisfy { $0 == 0xa5 })
        if length > 0 { #expect(try Row.unpack(Array(memory[0..<length])) == taken) }
    }

    @Test func tooManyRecordsAreTheNextChunks() throws {
        let rows = Array(repeating: Row(unix: 7, heartRate: nil, rr: nil, motion: nil), count: 70_000)
        let chunks = try Row.pack(rows, capacity: 400_000)
        #expect(chunks.count == 2)
        #expect(try chunks.flatMap(Row.unpack) == rows)
    }

    @Test func everyTruncationAndEveryFlippedBitIsRefused() throws {
        var dice = Dice(seed: 3)
        let real = try Row.pack(Row.realNight)
        for chunk in [try Row.pack(Row.invented(&dice, most: 20))[0], real[3], real[20]] {
            for length in 0..<chunk.count { #expect(trouble(Array(chunk.prefix(length))) != nil) }
            #expect(trouble(chunk + [0]) != nil)
            for bit in 0..<chunk.count * 8 {
                var damaged = chunk
                damaged[bit / 8] ^= 1 << (bit % 8)
                let found = trouble(damaged)
                #expect(found == (bit < 8 ? .version(damaged[0]) : .checksum))
            }
        }
    }

    /// Bytes that somebody made, checksum and all: no trap, nothing outside its range, and the second reader's opinion.
    @Test func whatHasTheRightChecksumIsStillNotBelievedBlindly() throws {
        var dice = Dice(seed: 4)
        var made: [[UInt8]] = [], lines: [String] = [], troubles: [String: Int] = [:]
        for round in 0..<4000 {
            var chunk = try Row.pack(Row.invented(&dice, most: 12), capacity: 100_000)[0]
            chunk.removeLast(4)
            switch round % 4 {
            case 0: for _ in 0...dice.below(3) { chunk[1 + dice.below(chunk.count - 1)] ^= UInt8(1 << dice.below(8)) }
            case 1: chunk.removeLast(min(chunk.count - 7, 1 + dice.below(4)))
            case 2: chunk.append(dice.below(2) == 0 ? 0 : UInt8(dice.below(256)))
            default: for i in 7..<chunk.count { chunk[i] = UInt8(dice.below(round % 8 < 4 ? 256 : 2) * 255 & 255) }
            }
            seal(&chunk)
            made.append(chunk)
            do throws(ChunkTrouble) {
                let rows = try Row.unpack(chunk)
                for row in rows {
                    #expect(row.unix / 300 == rows[0].unix / 300)
                    #expect(row.heartRate.map { 25...230 ~= $0 } ?? true)
                    #expect(row.rr?.allSatisfy { 200...2500 ~= $0 } ?? true)
                    #expect(row.motion.map { 0...16000 ~= $0 } ?? true)
                }
                lines += rows.map(\.line)
                troubles["none", default: 0] += 1
            } catch {
                lines.append("refused")
                troubles["\(error)", default: 0] += 1
            }
        }
        print("chunks made wrong, with the right checksum: \(troubles.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))")
        for why in ["none", "time", "value", "count", "length"] { #expect(troubles[why, default: 0] > 0, "\(why)") }
        #expect(try Row.readBySecondReader(made) == lines)
    }

    @Test func whatIsReadBeforeAMissingEndIsWhatWasWritten() throws {
        var dice = Dice(seed: 6)
        let rows = Row.invented(&dice, most: 40)
        let whole = try Row.pack(rows)[0]
        for length in 7..<(whole.count - 4) {
            var cut = Array(whole.prefix(length)), count = 0, why: ChunkTrouble? = nil
            seal(&cut)
            var reader = try ChunkReader(cut.span.bytes)
            do throws(ChunkTrouble) {
                while try reader.next() {
                    #expect(Row(reader) == rows[count])
                    count += 1
                }
            } catch { why = error }
            #expect(why == .length)
        }
    }

    /// A reader that was refused something and asked again, as nobody should.
    @Test func askingOnAfterARefusalIsHarmless() {
        var dice = Dice(seed: 5)
        for _ in 0..<300 {
            var chunk: [UInt8] = [1, 255, 255] + (0..<60).map { _ in UInt8(dice.below(256)) }
            seal(&chunk)
            guard var reader = try? ChunkReader(chunk.span.bytes) else { Issue.record("refused at once"); return }
            for _ in 0..<2000 { _ = try? reader.next() }
            // Every record takes a bit, and all but a few of them more.
            #expect(reader.index <= 480)
        }
    }

    /// Adds the right checksum.
    private func seal(_ chunk: inout [UInt8]) {
        let crc = crc32(chunk.span.bytes)
        chunk += (0..<4).map { UInt8(truncatingIfNeeded: crc >> (8 * $0)) }
    }

    private func refusal(_ row: Row, _ writer: inout ChunkWriter) -> ChunkRefusal? {
        do throws(ChunkRefusal) { try row.append(to: &writer); return nil } catch { return error }
    }

    private func trouble(_ chunk: [UInt8]) -> ChunkTrouble? {
        do throws(ChunkTrouble) { _ = try Row.unpack(chunk); return nil } catch { return error }
    }

    private func short(_ value: Double) -> String { String(format: "%.2f", value) }
}
