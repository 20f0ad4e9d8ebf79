// Owns what could not be read of a capture and why. Every byte that is neither a frame nor known to be something else
// is told here; nothing is left out silently.

/// One kind of trouble with a capture.
public struct Trouble: Sendable, BitwiseCopyable {
    public enum Reason: UInt8, Sendable, BitwiseCopyable {
        // Of any capture.
        case damaged, junk, unfinished, empty, foreign
        // Of a btsnoop log.
        case version, datalink, fileEnds, recordLength, captureDropped
        case unknownPacket, shortEvent, truncated, dataLength, fragmentWithoutStart, unfinishedUnit, unitLength
        case shortAttribute, longWrite, tooManyLinks, tooManyHandles, beforeRecognition, unnamedAttribute, notAStrap
        // Of text.
        case notHex, oddDigits, malformedJSON, deepJSON, wideText
    }

    public let reason: Reason
    /// How often; for `.junk` bytes, for `.captureDropped` packets, for `.notAStrap` ATT units, for `.beforeRecognition`
    /// and `.unnamedAttribute` values.
    public internal(set) var count: Int
    /// Where it happened first.
    public let first: Place
    /// Bytes there and bytes that should have been, the first time; both 0 where the reason is not one of lengths.
    public let kept: Int
    public let whole: Int

    /// One line, such as `record 812: truncated by the capture (kept 20 of 247 bytes), 3 times`.
    public var text: String {
        let place = reason == .notAStrap ? "link \(first.link)" : first.text
        var line = "\(place): \(reason.text(count))"
        if whole > 0 { line += " (\(reason == .truncated ? "kept " : "")\(kept) of \(whole) bytes)" }
        if count > 1, !reason.countsInText { line += ", \(count) times" }
        return line
    }
}

extension Trouble.Reason {
    /// Whether `text` says the count itself.
    var countsInText: Bool {
        switch self {
        case .junk, .captureDropped, .notAStrap, .beforeRecognition, .unnamedAttribute: true
        default: false
        }
    }

    func text(_ count: Int) -> String {
        switch self {
        case .damaged: "CRC-32 wrong"
        case .junk: "\(count) bytes from here on that belong to no frame"
        case .unfinished: "a frame begins and never ends"
        case .empty: "nothing in it"
        case .foreign: "an archive or a compressed file: unpack it first"
        case .version: "a btsnoop log of a version other than 1"
        case .datalink: "a btsnoop log of a kind that is not read (1001, 1002 and 2001 are)"
        case .fileEnds: "the file ends within it"
        case .recordLength: "a length that no record has; what follows was searched for the next record"
        case .captureDropped: "\(count) packets lost by the capture before here"
        case .unknownPacket: "a packet of no known kind"
        case .shortEvent: "an event shorter than it must be"
        case .truncated: "truncated by the capture"
        case .dataLength: "a data packet whose length is not what it says"
        case .fragmentWithoutStart: "a fragment whose beginning is missing"
        case .unfinishedUnit: "a unit begins and never ends"
        case .unitLength: "a unit longer than it says"
        case .shortAttribute: "an attribute operation shorter than it must be"
        case .longWrite: "a prepared write that does not fit together"
        case .tooManyLinks: "more links at once than are followed"
        case .tooManyHandles: "more attributes on one link than are followed"
        case .beforeRecognition: "\(count) values before the link or the attribute was recognised"
        case .unnamedAttribute: "\(count) values of attributes that the log does not name (heart rate and battery are such)"
        case .notAStrap: "attribute traffic that is no strap's (\(count) operations on this link and others like it)"
        case .notHex: "no hex"
        case .oddDigits: "an odd number of hex digits"
        case .malformedJSON: "malformed JSON"
        case .deepJSON: "JSON nested more deeply than is read"
        case .wideText: "UTF-16 text: save it as UTF-8 first"
        }
    }
}
