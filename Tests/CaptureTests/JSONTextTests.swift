// JSON of every make: values are looked at, keys are not.
import Capture
import Foundation
import Testing
import Whoop

@Suite struct JSONTextTests {
    private struct Entry: Decodable {
        var id: String
        var hex: String
        var valid: Bool
    }

    @Test(arguments: ["whoop4_frames.json", "whoop5_frames.json"])
    func theVectorsThemselvesAreACapture(file: String) throws {
        let bytes = try Vectors.bytes(file)
        let entries = try JSONDecoder().decode([Entry].self, from: Data(bytes))
        // No frame to a parser of one family: a frame of the other, and one with a byte too many behind it.
        let expected: [String] = entries.compactMap {
            switch $0.id {
            case "w4-bad-010", "w5-bad-013": $0.hex
            case "w4-bad-007", "w5-bad-011": String($0.hex.dropLast(2))
            default: $0.valid ? $0.hex : nil
            }
        }
        let found = Findings(bytes)
        #expect(found.report.format == .json)
        #expect(found.frames.count == expected.count)
        let firstWrong = zip(found.frames, expected).first { $0 != $1 }
        #expect(firstWrong == nil)
        #expect(found.report.count(of: .malformedJSON) == 0)
        #expect(found.report.count(of: .damaged) == (file.contains("4") ? 3 : 5))
        // A truncated frame each; in the one file a lone start byte, too.
        #expect(found.report.count(of: .unfinished) == (file.contains("4") ? 1 : 2))
    }

    private struct Fragments: Decodable {
        var id: String
        var chunks: [String]
        var expect_frames: [String]
    }

    @Test func chunksOfOneArrayGoOnWithEachOther() throws {
        let entries = try JSONDecoder().decode([Fragments].self, from: Data(try Vectors.bytes("fragments.json")))
        var compared = 0
        for entry in entries where (entry.chunks.first?.count ?? 0) >= 16 && entry.chunks[0].hasPrefix("aa") {
            let text = String(decoding: try JSONSerialization.data(withJSONObject: ["name": "x", "chunks": entry.chunks]), as: UTF8.self)
            // Behind a frame whose rest never came the end of the text shows the next; a link alone would wait on.
            let expected = entry.id == "w5-frag-stale-partial" ? [entry.chunks[1]] : entry.expect_frames
            #expect(Findings(text: text).frames == expected, "\(entry.id)")
            compared += 1
        }
        #expect(compared > 20)
    }

    @Test func sessionsComeBackInOrder() throws {
        struct Session: Decodable {
            struct Line: Decodable { var hex: String }
            struct Acknowledgement: Decodable { var frame_hex: String }
            var frames: [Line]
            var expect_acks: [Acknowledgement]
        }
        let bytes = try Vectors.bytes("history_sessions.json")
        let sessions = try JSONDecoder().decode([Session].self, from: Data(bytes))
        let whole = sessions.flatMap { $0.frames.map(\.hex) + $0.expect_acks.map(\.frame_hex) }
        let found = Findings(bytes)
        // Some sessions hold a damaged frame on purpose.
        let damaged = found.report.count(of: .damaged)
        #expect(damaged < 10 && found.frames.count == whole.count - damaged)
        var rest = found.frames[...]
        for frame in whole where rest.first == frame { rest = rest.dropFirst() }
        #expect(rest.isEmpty)
    }

    @Test func linesOfObjectsGoOnUnderOneKey() throws {
        let frames = Array(try Vectors.frames(.whoop4).prefix(40)) + Array(try Vectors.frames(.whoop5).prefix(40))
        var text = ""
        var number = 0
        for frame in frames {
            for part in HexTextTests.spaced(frame, by: 40, "\n").split(separator: "\n") {
                number += 1
                text += "{\"t\": \(number), \"stamp\": \"1767225600\", \"uuid\": \"61080005-8d6d-82b8-614a-1c8cb0f8dcc6\", \"family\": \"4.0\", \"value\": \"\(part)\"}\n"
            }
        }
        let found = Findings(text: text)
        #expect(found.frames == frames)
        #expect(found.places.last?.number == number && found.places.last?.unit == .line)
        #expect(found.troubles == [])
    }

    @Test func hexMayBeWrittenInManyWays() {
        let hex = Golden.end4
        for value in [hex, hex.uppercased(), "0x" + hex, HexTextTests.spaced(hex, " "), HexTextTests.spaced(hex, ":"), HexTextTests.spaced(hex, "-")] {
            let found = Findings(text: "{\"a\": [1, -2.5e3, true, null, {\"deep\": [[\"\(value)\"]]}], \"b\": \"\"}")
            #expect(found.frames == [hex], "\(value)")
            #expect(found.troubles == [], "\(value)")
        }
    }

    @Test func otherStringsAreNoFrames() {
        let text = #"{"a": "AA:64:00:A1:2F:18", "b": "aa", "c": "not hex", "d": "00112233445566778899", "e\"": "x\\", "f": "a\u00e9"}"#
        let found = Findings(text: text)
        #expect(found.frames == [] && found.troubles == [])
    }

    @Test func anotherKeyDoesNotGoOnWithAFrame() {
        let (head, tail) = (Golden.end4.prefix(40), Golden.end4.dropFirst(40))
        #expect(Findings(text: "[{\"value\": \"\(head)\", \"handle\": \"0015\"}, {\"value\": \"\(tail)\", \"handle\": \"0015\"}]").frames == [Golden.end4])
        #expect(Findings(text: "{\"value\": \"\(head)\", \"other\": \"\(tail)\"}").frames == [])
        #expect(Findings(text: "[[\"\(head)\"], [\"\(tail)\"]]").frames == [])
        #expect(Findings(text: "[\"\(head)\", \"\(Golden.realtime5)\", \"\(tail)\"]").frames == [Golden.realtime5, Golden.end4])
    }

    @Test func aBrokenLineCostsThatLine() {
        let good = "{\"hex\": \"\(Golden.end4)\"}"
        for bad in ["{\"hex\": \"\(Golden.end4)", "{]", "{\"a\" 1}", "[1 2]", "nonsense=", "{\"a\":1}}", "{\"a\":1,,}", "[\"\(Golden.end4.prefix(20))"] {
            let found = Findings(text: [good, bad, good].joined(separator: "\n"))
            #expect(found.frames.suffix(1) == [Golden.end4] && found.frames.count >= 2, "\(bad)")
            #expect(found.report.troubles.first { $0.reason == .malformedJSON }?.first.number == 2, "\(bad)")
            #expect(found.report.count(of: .malformedJSON) == 1, "\(bad)")
        }
    }

    @Test func jsonThatIsTooDeepIsTold() {
        #expect(Findings(text: String(repeating: "[", count: 100_000)).troubles == ["line 1: JSON nested more deeply than is read"])
        #expect(Findings(text: "[\"\(Golden.end4)\",").troubles == ["line 1: malformed JSON"])
    }
}
