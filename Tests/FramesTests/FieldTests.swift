// Fields as JSON and as words: valid JSON whatever the bytes, confidence shown, nothing that tells who somebody is.
import Foundation
import Testing
import Whoop
import Wire
@testable import nightstand_frames

@Suite struct FieldTests {
    static let v24 = "aa6400a12f18054c1c0a023ed0266a5037805418016d022b0234020000000000006b07ff0085593c1f65cebed7b3e63eb85a5f3f000080401f65cebed7b3e63eb85a5f3f500264025d03640229014009010c020c00000000000f0001c4020000000000008fdeb278"

    /// False: the bytes are no frame.
    static func describe(_ bytes: [UInt8], _ family: Family, into sink: inout some FieldSink) -> Bool {
        guard let frame = Frame(bytes.span.bytes, family: family) else { return false }
        frame.describe(into: &sink)
        return true
    }

    static func object(_ bytes: [UInt8], _ family: Family, identity: Bool = false) throws -> [String: Any] {
        var json = FieldJSON(showsIdentity: identity)
        let isFrame = describe(bytes, family, into: &json)
        try #require(isFrame)
        json.finish()
        let text = "{" + String(decoding: json.members.bytes, as: UTF8.self) + "}"
        return try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "\(text)")
    }

    @Test func aSecondAsJSON() throws {
        let object = try Self.object(try #require(bytes(hex: Self.v24)), .whoop4)
        #expect(object["heart_rate_bpm"] as? Int == 109 && object["rr_ms"] as? [Int] == [555, 564])
        #expect(object["skin_temperature_c"] as? Double == 29.7 && object["steps"] as? Int == 708)
        #expect(object["spo2_percent"] is NSNull)
        let confidence = try #require(object["confidence"] as? [String: String])
        #expect(confidence["skin_temperature_c"] == "derived" && confidence["steps"] == "derived" && confidence["sleep_state"] == "derived"
            && confidence["spo2_percent"] == "derived")
        #expect(confidence["heart_rate_bpm"] == nil)
    }

    /// Raw motion carries the same derived counter of steps as a second's summary.
    @Test func theStepsOfRawMotionAreDerived() throws {
        var inner = [UInt8](repeating: 0, count: 1920)
        inner[0] = 47
        inner[1] = 10
        inner[1293] = 0xc4
        inner[1294] = 0x02
        let object = try Self.object(Self.enveloped(inner), .whoop4)
        #expect(object["steps"] as? Int == 708 && (object["confidence"] as? [String: String])?["steps"] == "derived")
    }

    @Test func aSecondAsWords() throws {
        var text = FieldText(showsAll: false, showsIdentity: false)
        let isFrame = Self.describe(try #require(bytes(hex: Self.v24)), .whoop4, into: &text)
        try #require(isFrame)
        let words = String(decoding: text.words.bytes, as: UTF8.self)
        for part in [" unix=2026-06-08T14:22:54Z", " heart_rate_bpm=109 ", " rr_ms=555,564 ", " gravity_g=-0.403,0.451,0.872 ", " steps=708~", " skin_temperature_c=29.70~", " sleep_state=0~", " spo2_percent=-~"] {
            #expect(words.contains(part), "\(words)")
        }
        #expect(!words.contains("raw_"))
    }

    /// A frame of the 4.0 family around an inner record.
    static func sealed(_ inner: [UInt8]) -> [UInt8] {
        var packet = Packet()
        guard packet.seal(inner.span.bytes, family: .whoop4) else { return [] }
        return (0..<packet.count).map { packet.bytes.u8(at: $0) }
    }

    /// The same without `seal`, which refuses commands and has room for a short frame only.
    static func enveloped(_ inner: [UInt8]) -> [UInt8] {
        let padded = inner + [UInt8](repeating: 0, count: (4 - inner.count % 4) % 4)
        let length = [UInt8((padded.count + 4) & 255), UInt8((padded.count + 4) >> 8)], check = crc32(padded.span.bytes)
        return [0xaa] + length + [crc8(length.span.bytes)] + padded + (0..<4).map { UInt8(truncatingIfNeeded: check >> (8 * UInt32($0))) }
    }

    @Test func textFromTheAirCannotLeaveItsQuotes() throws {
        // A console line of all bytes but NUL.
        let body = [UInt8](1...255)
        for start in stride(from: 0, to: 250, by: 50) {
            let piece = [1] + Array(body[start..<(start + 50)]) + [0]
            let frame = Self.sealed([50, 7, 2, 0, 1, 2, 3, 4, 5, 0, 52, 0] + piece)
            let object = try Self.object(frame, .whoop4)
            #expect(object["text"] as? String == String(decoding: piece[1..<51], as: UTF8.self))
            var text = FieldText(showsAll: true, showsIdentity: false)
            let isFrame = Self.describe(frame, .whoop4, into: &text)
            #expect(isFrame && text.words.bytes.allSatisfy { $0 >= 0x20 && $0 < 0x7f })
            // Between its quotation marks none stands without a backslash.
            let words = String(decoding: text.words.bytes, as: UTF8.self)
            let said = words.components(separatedBy: "text=\"").last.map { $0.dropLast() } ?? ""
            #expect(!said.replacingOccurrences(of: "\\\\", with: "").replacingOccurrences(of: "\\\"", with: "").contains("\""), "\(words)")
        }
    }

    @Test func nobodyIsNamedUnlessAsked() throws {
        let name = Array("WHOOP OF JANE".utf8) + [0]
        let inner: [UInt8] = [36, 1, 76, 1, 1, 1, 1, UInt8(name.count)] + name
        let hidden = try Self.object(Self.sealed(inner), .whoop4)
        #expect(hidden["advertised_name"] as? String == "(13 bytes)" && hidden["body"] == nil)
        #expect(try Self.object(Self.sealed(inner), .whoop4, identity: true)["advertised_name"] as? String == "WHOOP OF JANE")
    }

    @Test func aPackBehindAnEmptyBodyIsNotNamed() throws {
        // Event 109 that says its body is empty, and a pack's address and serial behind it; then another event.
        let behind: [UInt8] = [1, 0xc0, 0xff, 0xee, 0xc0, 0xff, 0xee] + Array("WBB0123456789".utf8) + [0, 0, 0, 0]
        for (number, isShown) in [(UInt8(109), false), (14, true)] {
            let object = try Self.object(Self.sealed([48, 1, number, 0, 1, 2, 3, 4, 0, 0, 0, 0] + behind), .whoop4)
            let shown = object.values.contains { ($0 as? String)?.contains("c0ffee") == true }
            #expect(shown == isShown, "\(object)")
        }
    }

    @Test func theTokenOfHelloIsNeverShown() throws {
        // Serial at 14, token at 24 of a body of 131 bytes.
        var body = [UInt8](repeating: 0, count: 131)
        body[0] = 4
        body.replaceSubrange(14..<23, with: "4A0123456".utf8)
        body.replaceSubrange(24..<78, with: [UInt8](repeating: 0x66, count: 54))
        for (result, identity) in [(1, false), (1, true), (2, false), (0, true)] as [(UInt8, Bool)] {
            var json = FieldJSON(showsIdentity: identity), text = FieldText(showsAll: true, showsIdentity: identity)
            let bytes = Self.sealed([36, 1, 35, 0, result] + body)
            let isFrame = Self.describe(bytes, .whoop4, into: &json) && Self.describe(bytes, .whoop4, into: &text)
            try #require(isFrame)
            for out in [json.members.bytes, text.words.bytes] {
                let said = String(decoding: out, as: UTF8.self)
                #expect(!said.contains("ffffff") && !said.contains("666666"), "\(said)")
                #expect(said.contains("4A0123456") == (identity && result == 1))
            }
        }
    }

    /// A refused command's body is what the strap answered before, perhaps HELLO with its token (WHOOP.md 4.3).
    @Test(arguments: [UInt8(34), 22, 200])
    func theStaleBytesOfARefusalAreNotShown(command: UInt8) throws {
        let stale = [4, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 9) + Array("4A0123456".utf8) + [0] + [UInt8](repeating: 0x66, count: 54)
        for identity in [false, true] {
            #expect(try Self.object(Self.sealed([36, 1, command, 0, 0] + stale), .whoop4, identity: identity)["body"] == nil)
        }
        #expect(try Self.object(Self.sealed([36, 1, command, 0, 1] + stale), .whoop4)["body"] != nil)
    }

    /// SET_ADVERTISING_NAME of both families, its answer, and a pack's event too short for its name.
    @Test(arguments: [[35, 1, 77, 1, 4], [35, 1, 140, 1, 4], [36, 1, 140, 0, 1, 1, 4], [48, 1, 109, 0, 1, 2, 3, 4, 5, 0, 7, 0, 1]] as [[UInt8]])
    func aNameInAnyFrameIsHidden(head: [UInt8]) throws {
        let frame = Self.enveloped(head + Array("JANE".utf8) + [0, 0, 0, 0])
        func values(_ identity: Bool) throws -> String { try Self.object(frame, .whoop4, identity: identity).values.map { "\($0)" }.joined(separator: " ") }
        #expect(try !values(false).contains("4a414e45") && values(true).contains("4a414e45"))
    }

    @Test(arguments: [(0, 2, "0.00"), (5, 2, "0.05"), (-5, 2, "-0.05"), (2970, 2, "29.70"), (-12345, 1, "-1234.5"), (7, 0, "7"), (Int64.min, 1, "-922337203685477580.8")] as [(Int64, Int, String)])
    func decimals(value: Int64, places: Int, text: String) {
        var letters = Letters()
        letters.put(value, places: places)
        #expect(String(decoding: letters.bytes, as: UTF8.self) == text)
    }

    @Test func everyFieldIsInTheDictionary() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let dictionary = try String(contentsOf: root.appendingPathComponent("Docs/FIELDS.md"), encoding: .utf8)
        var names = Set<String>()
        func collect(_ object: [String: Any]) {
            for (name, value) in object where name != "confidence" {
                names.insert(name)
                if let part = value as? [String: Any] { collect(part) }
            }
        }
        for (file, family) in [("whoop4_frames", Family.whoop4), ("whoop5_frames", .whoop5)] {
            let data = try Data(contentsOf: root.appendingPathComponent("Tests/Vectors/\(file).json"))
            let entries = try #require(JSONSerialization.jsonObject(with: data) as? [[String: Any]])
            for entry in entries where entry["valid"] as? Bool == true {
                collect(try Self.object(try #require(bytes(hex: entry["hex"] as? String ?? "")), family))
            }
        }
        #expect(names.count > 80)
        for name in names.sorted() {
            // Parts are numbered, axes are named once.
            var known = name
            if let last = known.last, last.isNumber, let cut = known.lastIndex(of: "_"), !known.hasPrefix("raw_") { known = String(known[..<cut]) + "_0" }
            if known.hasPrefix("acceleration_") || known.hasPrefix("rotation_") { known = String(known.dropLast()) + "x" }
            #expect(dictionary.contains("`\(known)`"), "\(name) is not in Docs/FIELDS.md")
        }
    }
}
