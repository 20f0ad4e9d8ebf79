// Owns the line that `decode` prints for a packet, as text or as JSON. Keeps no frame: a line is written when its packet
// is there, into one buffer that is emptied when it is full.
import Capture
import CLinux
import Gateway
import Linux
import Whoop
import Wire

/// Frames that nothing is known of beyond their envelope.
struct UnreadFrames {
    let type: UInt8
    /// Of a record.
    let version: UInt8?
    var count: Int
    let first: Place

    var text: String {
        var text = "\(first.text): "
        if let version { text += "record version \(version) is not known" } else { text += "a packet of type \(type) that is not known or too short" }
        return count > 1 ? text + ", \(count) times" : text
    }
}

final class FramePrinter: CaptureListener {
    private let file: String?
    private let isJSON: Bool
    private let showsIdentity: Bool
    private var json: FieldJSON
    private var text: FieldText
    private var out = Letters()
    /// Why output could not be written, an errno; the rest of it is not tried. 0: all is well.
    private(set) var failure: Int32 = 0
    /// Frames of each packet type.
    private(set) var counts = [Int](repeating: 0, count: 256)
    private(set) var unread: [UnreadFrames] = []
    /// Of each link.
    private(set) var signals: [Signals] = []
    /// Where in `signals` a link's are, by its number; -1 where there are none.
    private var signalsOfLink: [Int] = []

    init(file: String?, json: Bool, all: Bool, identity: Bool) {
        self.file = file
        isJSON = json
        showsIdentity = identity
        self.json = FieldJSON(showsIdentity: identity)
        text = FieldText(showsAll: all, showsIdentity: identity)
    }

    func take(_ frame: borrowing Frame, at place: Place) {
        let type = frame.type
        counts[Int(type)] += 1
        signals(of: place.link) { $0.take(frame) }
        let mayBeShown = mayBeShown(type)
        if isJSON {
            json.removeAll()
            let isKnown = frame.describe(into: &json)
            if !isKnown { note(frame, place) }
            begin(place)
            out.put(frame.family == .whoop4 ? "\"family\":\"4.0\"" : "\"family\":\"5.0\"")
            out.put(",\"type\":")
            out.put(Int64(type))
            if let label = Label.packet(type) {
                out.put(",\"name\":\"")
                out.put(label)
                out.put("\"")
            }
            if !isKnown {
                out.put(",\"known\":false")
                if mayBeShown {
                    out.put(",\"inner\":\"")
                    out.put(hex: frame.inner)
                    out.put("\"")
                }
            }
            end()
        } else {
            text.removeAll()
            let isKnown = frame.describe(into: &text)
            if !isKnown { note(frame, place) }
            begin(place, frame.family)
            if let label = Label.packet(type) { out.put(label) } else { out.put("type \(type)") }
            out.put(text.words)
            if !isKnown, mayBeShown {
                out.put(" unknown=")
                out.put(hex: frame.inner)
            }
            out.put("\n")
        }
        if out.bytes.count > 60_000 { flush() }
    }

    private func signals(of link: Int, _ change: (inout Signals) -> Void) {
        while signalsOfLink.count <= link { signalsOfLink.append(-1) }
        if signalsOfLink[link] < 0 {
            signalsOfLink[link] = signals.count
            signals.append(Signals(link: link))
        }
        change(&signals[signalsOfLink[link]])
    }

    func take(heartRate value: RawSpan, at place: Place) {
        guard let heart = HeartRateMeasurement(value) else { return }
        if isJSON {
            json.removeAll()
            heart.describe(into: &json)
            begin(place)
            out.put("\"characteristic\":\"2A37\",\"name\":\"HEART_RATE_MEASUREMENT\"")
            end()
        } else {
            text.removeAll()
            heart.describe(into: &text)
            begin(place, nil)
            out.put("HEART_RATE_MEASUREMENT")
            out.put(text.words)
            out.put("\n")
        }
        if out.bytes.count > 60_000 { flush() }
    }

    /// Writes what waits.
    func flush() {
        if failure == 0, !write(out.bytes, to: 1) { failure = nightstand_errno() }
        out.removeAll()
    }

    /// Whether the bytes of an unread frame may be shown: those of an answer may hold a token, those of commands, events and
    /// whatever is the pack's a name, a serial number or an address.
    private func mayBeShown(_ type: UInt8) -> Bool {
        switch type {
        case PacketType.response, PacketType.packResponse: false
        case PacketType.command, PacketType.packCommand, PacketType.event, PacketType.relativePackEvent, PacketType.packEvent,
            PacketType.packConsole: showsIdentity
        default: true
        }
    }

    private func begin(_ place: Place, _ family: Family?) {
        if let file { out.put(plain(file) + " ") }
        out.put(Int64(place.number))
        if let time = place.time_us {
            out.put(" ")
            out.put(WallTime(milliseconds: time / 1000).utc)
        }
        switch place.direction {
        case .strapToApp: out.put(" < ")
        case .appToStrap: out.put(" > ")
        case nil: out.put(" ")
        }
        if let family { out.put(family == .whoop4 ? "4.0 " : "5.0 ") }
    }

    private func begin(_ place: Place) {
        out.put("{")
        if let file { out.put("\"file\":\(quoted(plain(file))),") }
        switch place.unit {
        case .record: out.put("\"record\":")
        case .line: out.put("\"line\":")
        case .byte: out.put("\"offset\":")
        }
        out.put(Int64(place.number))
        out.put(",")
        if let time = place.time_us {
            out.put("\"captured_us\":")
            out.put(time)
            out.put(",")
        }
        if place.link > 0 {
            out.put("\"link\":")
            out.put(Int64(place.link))
            out.put(",")
        }
        switch place.direction {
        case .strapToApp: out.put("\"direction\":\"from strap\",")
        case .appToStrap: out.put("\"direction\":\"to strap\",")
        case nil: break
        }
    }

    private func end() {
        json.finish()
        if !json.members.isEmpty {
            out.put(",")
            out.put(json.members)
        }
        out.put("}\n")
    }

    private func note(_ frame: borrowing Frame, _ place: Place) {
        let version = Record(frame)?.version
        for i in unread.indices where unread[i].type == frame.type && unread[i].version == version {
            unread[i].count += 1
            return
        }
        unread.append(UnreadFrames(type: frame.type, version: version, count: 1, first: place))
    }
}
