// Owns saying where in a capture something was found. Numbers are those a person finds again: records as Wireshark
// and btmon count them, lines as an editor does, bytes as a hex viewer does.

/// Which way a value went.
public enum Direction: UInt8, Sendable, BitwiseCopyable {
    case strapToApp, appToStrap
}

/// A place in a capture.
public struct Place: Equatable, Sendable, BitwiseCopyable {
    public enum Unit: UInt8, Sendable, BitwiseCopyable {
        /// A record of a btsnoop log, from 1.
        case record
        /// A line of text, from 1.
        case line
        /// An offset in a file of raw bytes, from 0.
        case byte
    }

    public var unit: Unit
    public var number: Int
    /// When it was captured, microseconds since 1970-01-01T00:00:00Z; nil where the capture does not say.
    public var time_us: Int64?
    /// Told by the ATT operation in a log, by the packet type elsewhere; nil where there is no frame to tell it.
    public var direction: Direction?
    /// Which link of a btsnoop log, from 1 in the order they appear; 0 in other captures.
    public var link: Int

    init(_ unit: Unit, _ number: Int, time_us: Int64? = nil) {
        self.unit = unit
        self.number = number
        self.time_us = time_us
        direction = nil
        link = 0
    }

    /// Text such as `record 812`.
    public var text: String {
        switch unit {
        case .record: "record \(number)"
        case .line: "line \(number)"
        case .byte: "byte \(number)"
        }
    }

    /// `offset` bytes further on, where places are bytes.
    func moved(by offset: Int) -> Place {
        var place = self
        if unit == .byte { place.number &+= offset }
        return place
    }

    /// The same on one link.
    func on(link: Int, _ direction: Direction? = nil) -> Place {
        var place = self
        place.link = link
        place.direction = direction
        return place
    }
}
