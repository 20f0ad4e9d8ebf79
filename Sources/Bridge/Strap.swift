// Owns what is known of straps across links and restarts: which is ours, its family, its verdicts. Written to the
// notebook as `key value` lines. The key itself is never here.
import Ports
import Whoop
import Wire

/// A strap met before.
public struct Strap: Equatable, Sendable {
    public var peer: Peer
    public var family: Family?
    public var name = ""
    public var serial = ""
    public var firmware = ""
    /// Encryption with our key failed: the strap has lost the bond. No security is raised until a person pairs again.
    public var keySuspect = false
    /// How often a 5.0 refused the hello on an encrypted link; at three it is not sent any more.
    public var helloRefusals = 0

    public static let helloRefusalLimit = 3

    public init(_ peer: Peer) { self.peer = peer }
}

/// The straps that are known; at most eight. One is active.
public struct Roster: Equatable, Sendable {
    public private(set) var straps: [Strap] = []
    /// Place of the active strap; nil when none is ours.
    public private(set) var activePlace: Int?

    public init() {}

    public var active: Strap? {
        guard let place = activePlace, place < straps.count else { return nil }
        return straps[place]
    }

    public func strap(_ peer: Peer) -> Strap? {
        for one in straps where one.peer == peer { return one }
        return nil
    }

    /// Adds or replaces.
    public mutating func put(_ strap: Strap) {
        for i in straps.indices where straps[i].peer == strap.peer { straps[i] = strap; return }
        if straps.count == 8 { remove(straps[activePlace == 0 ? 1 : 0].peer) }
        straps.append(strap)
    }

    public mutating func activate(_ peer: Peer) {
        for i in straps.indices where straps[i].peer == peer { activePlace = i }
    }

    /// None is ours for now; all stay known.
    public mutating func deactivate() { activePlace = nil }

    public mutating func remove(_ peer: Peer) {
        guard let place = straps.firstIndex(where: { $0.peer == peer }) else { return }
        straps.remove(at: place)
        if let active = activePlace { activePlace = active == place ? nil : active > place ? active - 1 : active }
    }

    // MARK: the notebook's text

    public var text: [UInt8] {
        var lines = "nightstand 1\n"
        for (i, strap) in straps.enumerated() {
            lines += "strap \(strap.peer.text)\n"
            if let family = strap.family { lines += "family \(family.rawValue)\n" }
            if !strap.name.isEmpty { lines += "name \(oneLine(strap.name))\n" }
            if !strap.serial.isEmpty { lines += "serial \(oneLine(strap.serial))\n" }
            if !strap.firmware.isEmpty { lines += "firmware \(oneLine(strap.firmware))\n" }
            if strap.keySuspect { lines += "key suspect\n" }
            if strap.helloRefusals > 0 { lines += "refusals \(strap.helloRefusals)\n" }
            if i == activePlace { lines += "active\n" }
        }
        return Array(lines.utf8)
    }

    /// Reads what `text` wrote. Lines it does not know are passed over, so that an older firmware can read a newer book.
    public init(parsing text: [UInt8]) {
        for line in text.split(separator: 0x0a) {
            let words = line.split(separator: 0x20, maxSplits: 1)
            guard let first = words.first else { continue }
            let key = String(decoding: first, as: UTF8.self)
            let rest = words.count > 1 ? String(decoding: words[1], as: UTF8.self) : ""
            if key == "strap" {
                let parts = rest.utf8.split(separator: 0x20)
                guard parts.count == 2, straps.count < 8, let address = Address(String(decoding: Array(parts[0]), as: UTF8.self)) else { continue }
                straps.append(Strap(Peer(address, Array(parts[1]) == Array("random".utf8) ? .randomLE : .publicLE)))
                continue
            }
            guard let last = straps.indices.last else { continue }
            switch key {
            case "family": straps[last].family = UInt8(rest).flatMap { Family(rawValue: $0) }
            case "name": straps[last].name = rest
            case "serial": straps[last].serial = rest
            case "firmware": straps[last].firmware = rest
            case "key": straps[last].keySuspect = rest == "suspect"
            case "refusals": straps[last].helloRefusals = min(max(0, Int(rest) ?? 0), Strap.helloRefusalLimit)
            case "active": activePlace = last
            default: break
            }
        }
    }
}

private func oneLine(_ text: String) -> String {
    var bytes: [UInt8] = []
    for c in text.utf8.prefix(64) { bytes.append(c < 0x20 ? 0x3f : c) }
    return String(decoding: bytes, as: UTF8.self)
}
