// Owns what a test sees of a capture, and the frames of Tests/Vectors that captures are made of.
import Capture
import Foundation
import Wire
import Whoop

final class Findings: CaptureListener {
    var frames: [String] = []
    var families: [Family] = []
    var places: [Place] = []
    var heartRates: [String] = []
    /// Where each frame begins in memory.
    var addresses: [UInt] = []
    var report: CaptureReport!

    init(_ bytes: [UInt8]) { report = read(capture: bytes.span.bytes, into: self) }
    convenience init(text: String) { self.init(Array(text.utf8)) }

    func take(_ frame: borrowing Frame, at place: Place) {
        frames.append(hex(frame.bytes))
        families.append(frame.family)
        places.append(place)
        frame.bytes.withUnsafeBytes { addresses.append(UInt(bitPattern: $0.baseAddress)) }
    }

    func take(heartRate value: RawSpan, at place: Place) { heartRates.append(hex(value)) }

    /// Every trouble as text.
    var troubles: [String] { report.troubles.map(\.text) }
}

enum Vectors {
    private struct Entry: Decodable {
        var hex: String
        var valid: Bool
    }

    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Vectors")

    static func text(_ name: String) throws -> String { try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8) }
    static func bytes(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: folder.appendingPathComponent(name))) }

    /// The whole frames of one family, hex, in the order of the file.
    static func frames(_ family: Family) throws -> [String] {
        let data = try Data(contentsOf: folder.appendingPathComponent(family == .whoop4 ? "whoop4_frames.json" : "whoop5_frames.json"))
        return try JSONDecoder().decode([Entry].self, from: data).filter(\.valid).map { $0.hex.lowercased() }
    }
}

func unhex(_ text: String) -> [UInt8] { Wire.bytes(hex: text) ?? [] }

/// Frames of WHOOP.md 3.7 and 3.8.
enum Golden {
    static let history4 = "aa0800a8230016001b6a5b8f"
    static let end4 = "aa1c00ab31370268ae7667702d32000000c7b6000010000000000000e01eba47"
    static let hello5 = "aa0108000001e67123019101363e5c8d"
    static let realtime5 = "aa011800010022e128029ea0266aae4762025b024b020000000001005ed515dc"
}
