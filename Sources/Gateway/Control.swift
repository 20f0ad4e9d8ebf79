// Owns what can be asked over the control socket: one JSON object a line, one answer a line. Knows the bridge's read
// model and its few verbs; opens nothing itself.
import Bridge
import Ports
import Whoop
import Wire

/// Exit statuses of sysexits.h that the command line gives.
public enum Exit {
    public static let ok: Int64 = 0
    public static let usage: Int64 = 64
    public static let data: Int64 = 65
    public static let noInput: Int64 = 66
    /// No link to the strap, or no daemon.
    public static let unavailable: Int64 = 69
    public static let software: Int64 = 70
    public static let osError: Int64 = 71
    public static let cannotCreate: Int64 = 73
    public static let ioError: Int64 = 74
    public static let temporary: Int64 = 75
    public static let noPermission: Int64 = 77
    public static let config: Int64 = 78
}

/// The commands of the socket. `status` and `devices` also answer with `text` for people.
public struct Control {
    private let bridge: Bridge
    private let version: StaticString

    public init(_ bridge: Bridge, version: StaticString) {
        self.bridge = bridge
        self.version = version
    }

    /// Answers one line, without its end; the answer has none either.
    public func answer(_ line: [UInt8]) -> String {
        guard let request = JSONObject(line), let command = request.text("command") else {
            return refusal("a request is one JSON object with a member \"command\"", Exit.usage)
        }
        switch command {
        case "status":
            return statusJSON(bridge.status, version: version)
        case "devices":
            return devices()
        case "pair":
            var address: Address?
            if let text = request.text("address"), !text.isEmpty {
                address = Address(text)
                if address == nil { return refusal("\(text) is not an address such as F0:F1:F2:F3:F4:F5", Exit.usage) }
            }
            bridge.openPairing(address)
            return done("The pairing window is open for 120 s.")
        case "forget":
            return bridge.forget() ? done("The strap is forgotten.") : refusal("no strap is paired", Exit.unavailable)
        case "buzz":
            return bridge.buzz() ? done("The strap buzzes.") : refusal("there is no session with the strap: \(bridge.status.sentence)", Exit.unavailable)
        case "mark":
            return bridge.mark(.command, request.text("note") ?? "") ? done("Marked.")
                : refusal("storage has no room for the moment now; try again", Exit.temporary)
        case "sync":
            return bridge.sync() ? done("History is asked for.") : refusal("there is no session with the strap: \(bridge.status.sentence)", Exit.unavailable)
        case "version":
            return done("\(version)")
        default:
            return refusal("\(command) is not a command", Exit.usage)
        }
    }

    private func done(_ text: String) -> String {
        var json = JSONWriter()
        json.field("ok", true)
        json.field("text", text)
        return json.closed()
    }

    private func refusal(_ text: String, _ exit: Int64) -> String {
        var json = JSONWriter()
        json.field("ok", false)
        json.field("error", text)
        json.field("exit", exit)
        return json.closed()
    }

    private func devices() -> String {
        var list = "["
        var text = ""
        for device in bridge.devices {
            var one = JSONWriter()
            one.field("address", device.strap.peer.address.text)
            one.field("family", device.strap.family.map { Int64($0.rawValue) })
            one.field("name", device.strap.name)
            one.field("serial", device.strap.serial)
            one.field("firmware", device.strap.firmware)
            one.field("active", device.isActive)
            one.field("paired", device.isPaired)
            one.field("bond_lost", device.strap.keySuspect)
            if list.utf8.count > 1 { list += "," }
            list += one.closed()
            text += device.isActive ? "* " : "  "
            text += "\(device.strap.peer.address.text)  WHOOP \(device.strap.family.map { $0 == .whoop4 ? "4.0" : "5.0/MG" } ?? "?")"
            if !device.strap.serial.isEmpty { text += "  serial \(device.strap.serial)" }
            if !device.strap.firmware.isEmpty { text += "  firmware \(device.strap.firmware)" }
            text += device.isPaired ? (device.strap.keySuspect ? "  bond lost by the strap" : "  paired") : "  not paired"
            text += "\n"
        }
        if text.isEmpty { text = "No strap is known; hold the button for 3 s, or run: nightstand pair\n" }
        var json = JSONWriter()
        json.field("ok", true)
        json.raw("devices", list + "]")
        json.field("text", text)
        return json.closed()
    }
}
