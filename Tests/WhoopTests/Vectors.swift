// Owns the golden vectors under Tests/Vectors: reading them, and the form of their values.
// A null in a vector means "must be absent"; floats agree within 1e-4 of their size.
import Foundation
import Testing
import Wire
@testable import Whoop

/// A JSON value.
enum JSON: Decodable, Equatable, CustomStringConvertible {
    case null, bool(Bool), number(Double), string(String), array([JSON]), object([String: JSON])

    init(from decoder: Decoder) throws {
        let c = try decoder.singleValueContainer()
        if c.decodeNil() { self = .null }
        else if let v = try? c.decode(Bool.self) { self = .bool(v) }
        else if let v = try? c.decode(Double.self) { self = .number(v) }
        else if let v = try? c.decode(String.self) { self = .string(v) }
        else if let v = try? c.decode([JSON].self) { self = .array(v) }
        else { self = .object(try c.decode([String: JSON].self)) }
    }

    init(_ value: (some BinaryInteger)?) { self = value.map { .number(Double($0)) } ?? .null }
    init(_ value: Float?) { self = value.map { .number(Double($0)) } ?? .null }
    init(_ value: String?) { self = value.map { .string($0) } ?? .null }

    subscript(key: String) -> JSON? { if case .object(let o) = self { o[key] } else { nil } }
    var number: Double? { if case .number(let v) = self { v } else { nil } }
    var string: String? { if case .string(let v) = self { v } else { nil } }
    var array: [JSON]? { if case .array(let v) = self { v } else { nil } }
    var bool: Bool? { if case .bool(let v) = self { v } else { nil } }
    var int: Int? { number.map { Int($0) } }

    /// Equal, numbers within 1e-4 of their size.
    func agrees(with other: JSON) -> Bool {
        switch (self, other) {
        case (.number(let a), .number(let b)): abs(a - b) <= 1e-4 * max(abs(a), abs(b))
        case (.array(let a), .array(let b)): a.count == b.count && zip(a, b).allSatisfy { $0.agrees(with: $1) }
        default: self == other
        }
    }

    var description: String {
        switch self {
        case .null: "null"
        case .bool(let v): "\(v)"
        case .number(let v): "\(v)"
        case .string(let v): v
        case .array(let v): "\(v)"
        case .object(let v): "\(v)"
        }
    }
}

enum Vectors {
    /// The entries of one file under Tests/Vectors.
    static func load(_ name: String) throws -> [JSON] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let data = try Data(contentsOf: folder.appendingPathComponent("Vectors/\(name).json"))
        return try JSONDecoder().decode([JSON].self, from: data)
    }

    /// Files of frames: the two under Tests/Vectors, and every `*_frames.json` in the folder that NIGHTSTAND_VECTORS names.
    static func frameFiles() throws -> [(name: String, entries: [JSON])] {
        var files = try ["whoop4_frames", "whoop5_frames"].map { ($0, try load($0)) }
        if let folder = ProcessInfo.processInfo.environment["NIGHTSTAND_VECTORS"] {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix("_frames.json") }.sorted()
            try #require(!names.isEmpty, "NIGHTSTAND_VECTORS names a folder without *_frames.json")
            for name in names {
                let data = try Data(contentsOf: URL(fileURLWithPath: folder).appendingPathComponent(name))
                files.append((folder + "/" + name, try JSONDecoder().decode([JSON].self, from: data)))
            }
        }
        return files
    }

    static func family(_ entry: JSON) -> Family { entry["family"]?.string == "4.0" ? .whoop4 : .whoop5 }
}

func unhex(_ text: String) -> [UInt8] { Wire.bytes(hex: text) ?? [] }

/// Calls `body` with the frame that the bytes are; nil when they are none.
func withFrame<R>(_ bytes: [UInt8], _ family: Family, _ body: (borrowing Frame) throws -> R) rethrows -> R? {
    guard let frame = Frame(bytes.span.bytes, family: family) else { return nil }
    return try body(frame)
}

func withFrame<R>(_ text: String, _ family: Family, _ body: (borrowing Frame) throws -> R) rethrows -> R? {
    try withFrame(unhex(text), family, body)
}

/// The bytes as text.
func string(_ bytes: RawSpan) -> String {
    var out: [UInt8] = []
    for i in 0..<bytes.byteCount { out.append(bytes.u8(at: i)) }
    return String(decoding: out, as: UTF8.self)
}

/// The bytes as text, where there are any.
func optional(_ bytes: RawSpan?) -> String? {
    guard let bytes else { return nil }
    return string(bytes)
}

/// The frame with some inner bytes replaced and its checksums done again.
func patched(_ text: String, _ family: Family, _ patches: [(at: Int, bytes: [UInt8])]) -> [UInt8] {
    var frame = unhex(text)
    for patch in patches {
        for (i, byte) in patch.bytes.enumerated() { frame[family.headerLength + patch.at + i] = byte }
    }
    return sealed(Array(frame[family.headerLength..<(frame.count - 4)]), family)
}

/// A frame of the strap around an inner record of any length, unpadded; written without the code under test.
func sealed(_ inner: [UInt8], _ family: Family) -> [UInt8] {
    let length = UInt16(inner.count + 4)
    let two = [UInt8(length & 0xff), UInt8(length >> 8)]
    var frame: [UInt8]
    switch family {
    case .whoop4: frame = [0xaa] + two + [crc8(two.span.bytes)]
    case .whoop5:
        frame = [0xaa, 1] + two + [1, 0]
        let crc = crc16(frame.span.bytes)
        frame += [UInt8(crc & 0xff), UInt8(crc >> 8)]
    }
    frame += inner
    let crc = crc32(inner.span.bytes)
    return frame + (0..<4).map { UInt8(truncatingIfNeeded: crc >> (8 * UInt32($0))) }
}

/// The low `count` bytes of a number, the lowest first.
func little(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }

func little(_ value: Float) -> [UInt8] { little(Int(value.bitPattern), 4) }
