// Owns what the bridge hands to storage and hears from it. Entries are plain values beside bytes, so that the queue
// between the radio's thread and the card's allocates nothing. A full queue says so; nothing is dropped in silence.
import Wire

public protocol Store: AnyObject {
    /// Queues one entry with its bytes (0...4096), copied during the call. False: the queue is full and nothing was queued.
    func put(_ entry: Entry, _ bytes: RawSpan) -> Bool
}

public protocol StoreListener: AnyObject {
    /// The entry with this ticket, and everything before it, is on the card: synced.
    func stored(_ ticket: UInt32)
    /// The entry with this ticket is not on the card and will not be; the strap must not be told otherwise.
    func notStored(_ ticket: UInt32, _ trouble: StoreTrouble)
    /// Storage works again (nil) or does not.
    func storage(has trouble: StoreTrouble?)
}

public enum StoreTrouble: Equatable, Sendable, BitwiseCopyable {
    /// No space left on the card, or the ring's share is pinned by a reader.
    case full
    case readOnly
    /// An I/O error; SQLite's extended result code.
    case failed(Int32)
    /// The file was foreign or broken, was moved aside, and a new one began.
    case replaced
}

/// One thing to keep. Bytes that go with it are named in each case.
public enum Entry: Sendable, BitwiseCopyable {
    /// Everything after this belongs to this strap. Bytes: none.
    case strap(Peer, generation: UInt8)
    /// What the strap says it is. Bytes: serial, NUL, firmware version, NUL, name (ASCII/UTF-8).
    case identity(Stamp)
    /// A 2A37 value. Bytes: the value.
    case heartRate(Stamp)
    /// A frame outside an offload (types 40, 48, 36 with battery…). Bytes: the whole frame, checksums right.
    case liveFrame(Stamp)
    /// A frame of the burst under way. Bytes: the whole frame, checksums right.
    case historyFrame(Stamp)
    /// The burst is whole: one transaction, synced, then `stored(ticket)`. Bytes: the END frame.
    case burst(BurstEnd, Stamp, ticket: UInt32)
    /// The burst under way is given up; its frames are forgotten. Bytes: why, as text.
    case burstDropped(Stamp)
    /// A moment somebody marked; durable at once, then `stored(ticket)`. Bytes: a note, UTF-8, may be empty.
    case moment(Stamp, MomentSource, ticket: UInt32)
    /// State of charge in tenths of a percent 0...1000. Bytes: none.
    case battery(Stamp, tenths: UInt16)
    /// A hole in the strap's history, unix seconds. Bytes: why, as text.
    case gap(Stamp, from: Int64, to: Int64)
    /// A link has ended. Bytes: why, as text.
    case epitaph(Stamp, Epitaph)
    /// Strap clock against ours, read at the same instant: strap seconds and 1/32768 s. Bytes: none.
    case clockPair(Stamp, seconds: UInt32, fraction: UInt16, roundTrip_ms: Int32)
    /// Something a person may ask about later: held acknowledgement, refused field, alert. Bytes: one sentence.
    case reason(Stamp)
    /// The strap was paired or forgotten. Bytes: none.
    case bond(Stamp, made: Bool)
}

/// The end of a burst of history as the strap told it (WHOOP.md section 9.1).
public struct BurstEnd: Equatable, Sendable, BitwiseCopyable {
    /// Frames the strap says it sent.
    public var announced: UInt32
    /// Frames that arrived whole.
    public var received: UInt32
    /// The eight bytes to echo, little-endian: trim page in the low, wrap count in the high word.
    public var token: UInt64
    public init(announced: UInt32, received: UInt32, token: UInt64) {
        self.announced = announced
        self.received = received
        self.token = token
    }
}

public enum MomentSource: UInt8, Sendable, BitwiseCopyable {
    case button = 1, strapTap = 2, command = 3
}

/// What is remembered of a link.
public struct Epitaph: Equatable, Sendable, BitwiseCopyable {
    /// How long the link was up, milliseconds.
    public var uptime_ms: Int64
    /// Frames whose checksums held, over the link's life.
    public var frames: UInt32
    /// Frames whose checksums did not.
    public var damaged: UInt32
    /// The last three signal strengths in dBm, newest first; 127 where there was none.
    public var signals_dBm: (Int8, Int8, Int8)
    public init(uptime_ms: Int64, frames: UInt32, damaged: UInt32, signals_dBm: (Int8, Int8, Int8)) {
        self.uptime_ms = uptime_ms
        self.frames = frames
        self.damaged = damaged
        self.signals_dBm = signals_dBm
    }
    public static func == (a: Epitaph, b: Epitaph) -> Bool {
        a.uptime_ms == b.uptime_ms && a.frames == b.frames && a.damaged == b.damaged && a.signals_dBm == b.signals_dBm
    }
}
