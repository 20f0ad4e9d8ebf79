// The checksums against their check values, and the CPU's CRC-32 against the table's and against the definition.
import Foundation
import Testing
@testable import Wire

@Suite struct ChecksumTests {
    static let digits: [UInt8] = Array("123456789".utf8)

    @Test func crc8OfTheCheckString() { #expect(crc8(Self.digits.span.bytes) == 0xf4) }
    @Test func crc16OfTheCheckString() { #expect(crc16(Self.digits.span.bytes) == 0x4b37) }
    @Test func crc32OfTheCheckString() { #expect(crc32(Self.digits.span.bytes) == 0xcbf4_3926) }
    @Test func crc32OfNothingIsZero() { #expect(crc32([UInt8]().span.bytes) == 0) }

    /// Bit by bit, as the polynomials are defined.
    static func bitwise(_ bytes: RawSpan, _ polynomial: UInt32, _ start: UInt32) -> UInt32 {
        var crc = start
        for i in 0..<bytes.byteCount {
            crc ^= UInt32(bytes.u8(at: i))
            for _ in 0..<8 { crc = crc & 1 != 0 ? crc >> 1 ^ polynomial : crc >> 1 }
        }
        return crc
    }

    @Test func crc16AndTheTableAreTheirDefinition() {
        let bytes = Self.random(count: 300)
        for length in 0...256 {
            let some = bytes.span.bytes.extracting(length % 32..<(length % 32 + length))
            #expect(crc32ByTable(some) == ~Self.bitwise(some, 0xedb8_8320, ~0))
            #expect(UInt32(crc16(some)) == Self.bitwise(some, 0xa001, 0xffff))
        }
    }

    /// The headers of WHOOP.md 3.3.
    @Test(arguments: [(0x08, 0xa8), (0x0c, 0xfc), (0x10, 0x57), (0x14, 0x03), (0x18, 0xff), (0x1c, 0xab), (0x2c, 0x52), (0x4c, 0xa7),
                      (0x50, 0x0c), (0x5c, 0xf0), (0x64, 0xa1), (0x74, 0xf6), (0x784, 0xf7), (0x788, 0x0b)])
    func crc8OfALength(length: UInt16, crc: UInt8) {
        #expect(crc8([UInt8(length & 0xff), UInt8(length >> 8)].span.bytes) == crc)
    }

    /// Where a CPU has an instruction and it is not used, the comparisons below compare the table with itself.
    @Test func theInstructionIsUsedWhereThereIsOne() throws {
        let features = try String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8).split(whereSeparator: \.isWhitespace)
        #if arch(x86_64)
        let expected = features.contains("pclmulqdq") && features.contains("sse4_1") ? "pclmulqdq" : "none, a table"
        #elseif arch(arm64)
        let expected = features.contains("crc32") ? "crc32" : "none, a table"
        #else
        let expected = "none, a table"
        #endif
        #expect("\(crc32Instruction)" == expected)
    }

    @Test func theInstructionAgreesWithTheTableOnAllLengthsAndAlignments() {
        let bytes = Self.random(count: 4200 + 16)
        var wrong = 0
        for length in 0...4200 {
            for start in 0...15 {
                let some = bytes.span.bytes.extracting(start..<(start + length))
                if crc32(some) != crc32ByTable(some) { wrong += 1 }
            }
        }
        #expect(wrong == 0)
    }

    @Test(arguments: ["whoop4_frames", "whoop5_frames"])
    func theInstructionAgreesWithTheTableOnEveryVector(file: String) throws {
        let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Vectors/\(file).json")
        let entries = try #require(JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [[String: Any]])
        var compared = 0, wrong = 0
        for entry in entries {
            let hex = try #require(entry["hex"] as? String)
            guard let frame = bytes(hex: hex) else { Issue.record("no hex: \(hex)"); continue }
            for start in 0...min(15, frame.count) {
                for end in start...frame.count {
                    let some = frame.span.bytes.extracting(start..<end)
                    if crc32(some) != crc32ByTable(some) { wrong += 1 }
                    compared += 1
                }
            }
        }
        #expect(wrong == 0)
        #expect(compared > 100_000)
    }

    /// The bytes end where the memory ends, and then begin where it begins: a read outside them ends the process.
    @Test func noByteOutsideIsRead() throws {
        let page = Int(getpagesize()), room = page * 2
        let memory = try #require(mmap(nil, room + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
        #expect(memory != MAP_FAILED)
        defer { munmap(memory, room + 2 * page) }
        let middle = memory + page
        #expect(mprotect(middle, room, PROT_READ | PROT_WRITE) == 0)
        Self.random(count: room).withUnsafeBytes { middle.copyMemory(from: $0.baseAddress!, byteCount: room) }
        var wrong = 0
        for length in 0...4200 {
            for start in [room - length, 0] {
                let some = RawSpan(_unsafeStart: middle + start, byteCount: length)
                if crc32(some) != crc32ByTable(some) { wrong += 1 }
            }
        }
        #expect(wrong == 0)
    }

    static func random(count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }
}
