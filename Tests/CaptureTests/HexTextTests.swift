// Hex as people and programs write it down.
import Capture
import Testing
import Whoop

@Suite struct HexTextTests {
    @Test func everyVectorOfBothFamiliesComesBackFromOneFile() throws {
        let frames = zip(try Vectors.frames(.whoop4), try Vectors.frames(.whoop5)).flatMap { [$0, $1] }
        let found = Findings(text: frames.joined(separator: "\n"))
        #expect(found.report.format == .hexText)
        #expect(found.frames == frames)
        #expect(found.places.map(\.number) == Array(1...frames.count))
        #expect(found.troubles == [])
    }

    static func spaced(_ hex: String, by width: Int = 2, _ separator: String) -> String {
        let digits = Array(hex)
        return stride(from: 0, to: digits.count, by: width).map { String(digits[$0..<min(digits.count, $0 + width)]) }.joined(separator: separator)
    }

    @Test func theBytesMayBeWrittenInManyWays() {
        let hex = Golden.end4
        let lines = [
            hex, hex.uppercased(), "0x" + hex, "  \(hex)\r", Self.spaced(hex, " "), Self.spaced(hex, ":"), Self.spaced(hex, "-"),
            Self.spaced(hex, ", "), "0x" + Self.spaced(hex, ", 0x"), Self.spaced(hex, by: 4, " "), Self.spaced(hex, by: 8, " "),
            "12:30:01.123 \(hex)", "12:30:01 \(Self.spaced(hex, " "))", "[12:30:01] \(hex)", "2026-01-05 12:30:01 RX data: \(hex)",
            "2026-01-05T12:30:01Z,0005,\(hex)", "1767225600 \(hex)", "1767225600.25 \(Self.spaced(hex, " "))",
            "value=\(hex)", "('hex', '\(hex)')", "value:\(hex)", "handle 0x0015 value \(hex) (32 bytes)", "\(hex) rssi -60",
            "00000000  \(Self.spaced(hex, " "))", "0000: \(Self.spaced(hex, by: 4, " "))", "61080005-8d6d-82b8-614a-1c8cb0f8dcc6 \(hex)",
            "\(hex) # a comment aa0800a8230016001b6a5b8f",
        ]
        for line in lines {
            let found = Findings(text: line)
            #expect(found.frames == [hex], "\(line)")
            #expect(found.troubles == [], "\(line)")
        }
    }

    @Test(arguments: [8, 20, 33])
    func aFrameMayGoOverSeveralLines(size: Int) throws {
        let frames = Array(try Vectors.frames(.whoop5).prefix(100)) + Array(try Vectors.frames(.whoop4).prefix(100))
        var text = "# notifications\n\n"
        for frame in frames { text += "10:00:00 " + Self.spaced(frame, by: 2 * size, "\n10:00:00 ") + "\n" }
        let found = Findings(text: text)
        #expect(found.frames == frames)
        #expect(found.troubles == [])
    }

    @Test func whatCannotBeReadIsToldWithItsLine() {
        var bad = Array(Golden.end4)
        bad[20] = bad[20] == "0" ? "1" : "0"
        let text = ["nothing here", Golden.end4 + "0", String(bad), String(bad), "0102030405060708090a", Golden.end4, String(Golden.end4.prefix(30))]
        let found = Findings(text: text.joined(separator: "\n"))
        #expect(found.frames == [Golden.end4])
        #expect(found.troubles == ["line 1: no hex", "line 2: an odd number of hex digits", "line 3: CRC-32 wrong, 2 times",
                                   "line 5: 10 bytes from here on that belong to no frame", "line 7: a frame begins and never ends"])
    }

    @Test func aWholeFrameBetweenTheLinesOfAnotherIsReadToo() {
        let text = [String(Golden.end4.prefix(40)), Golden.history4, String(Golden.end4.dropFirst(40))]
        let found = Findings(text: text.joined(separator: "\n"))
        #expect(found.frames == [Golden.history4, Golden.end4])
        #expect(found.places.map(\.direction) == [.appToStrap, .strapToApp])
        #expect(found.troubles == [])
    }

    @Test func afterAFrameThatWasCutTheNextOneIsFound() {
        let text = [String(Golden.realtime5.prefix(40)), Golden.end4, Golden.realtime5]
        #expect(Findings(text: text.joined(separator: "\n")).frames == [Golden.end4, Golden.realtime5])
    }

    @Test func otherFilesAreNamed() {
        #expect(Findings([]).troubles == ["byte 0: nothing in it"])
        #expect(Findings([0x1f, 0x8b, 8, 0]).troubles == ["byte 0: an archive or a compressed file: unpack it first"])
        #expect(Findings([0x50, 0x4b, 3, 4]).troubles == ["byte 0: an archive or a compressed file: unpack it first"])
        #expect(Findings([0xff, 0xfe, 0x61, 0]).troubles == ["byte 0: UTF-16 text: save it as UTF-8 first"])
    }
}
