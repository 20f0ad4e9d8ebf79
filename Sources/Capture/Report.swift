// Owns what a reading comes to: the kind of capture, the straps found in it, and what could not be read.
import Bluetooth
import Wire
import Whoop

/// What a capture turned out to be.
public enum CaptureFormat: UInt8, Sendable, BitwiseCopyable {
    /// Nothing that can be read.
    case unknown
    /// btsnoop, datalink 1001: HCI without framing.
    case btsnoopHCI
    /// btsnoop, datalink 1002: HCI as on a serial line (Android).
    case btsnoopSerial
    /// btsnoop, datalink 2001: the kernel's monitor (btmon).
    case btsnoopMonitor
    case hexText
    case json
    case raw
}

/// How a link was known to be a strap's.
public enum Recognition: UInt8, Sendable, BitwiseCopyable {
    /// The log holds the discovery of the vendor characteristics.
    case discovery
    /// The log holds the discovery of the vendor service only; the handles were learned from the frames.
    case service
    /// An earlier link with the same peer holds the discovery.
    case earlierLink
    /// The log holds no discovery: link and handles were learned from the frames.
    case frames
}

/// One link to a strap in a btsnoop log.
public struct StrapLink: Sendable, BitwiseCopyable {
    /// Which link of the log, from 1.
    public let number: Int
    /// 0 in logs of one adapter.
    public let adapter: UInt16
    public let connectionHandle: UInt16
    public let family: Family
    /// Nil when the log began after the connection. Not to be shown in full where others read.
    public let peer: Peer?
    public let recognition: Recognition
    /// Records of the log in which the link begins and ends.
    public let firstRecord: Int
    public let lastRecord: Int
    public let framesFromStrap: Int
    public let framesToStrap: Int
    public let heartRates: Int
}

/// What one reading came to.
public struct CaptureReport: Sendable {
    public internal(set) var format = CaptureFormat.unknown
    /// Records, lines, or bytes looked at.
    public internal(set) var length = 0
    /// Frames handed over.
    public internal(set) var frames = 0
    /// Values of 2A37 handed over.
    public internal(set) var heartRates = 0
    public internal(set) var straps: [StrapLink] = []
    /// Links that are no strap's.
    public internal(set) var otherLinks = 0
    /// In the order of their first appearance.
    public internal(set) var troubles: [Trouble] = []

    /// How often something could not be read.
    public func count(of reason: Trouble.Reason) -> Int {
        for trouble in troubles where trouble.reason == reason { return trouble.count }
        return 0
    }
}
