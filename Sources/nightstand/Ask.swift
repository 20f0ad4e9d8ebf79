// Owns asking the daemon: a request as JSON, the answer as an object, and the sentence when nobody answers.
import Gateway
import Linux

enum Answer {
    case object(JSONObject, raw: [UInt8])
    /// Already complained; the exit status.
    case failed(Int32)
}

/// Asks the daemon. Members are pairs of names and text.
func ask(_ socket: String, _ command: String, _ members: [(StaticString, String)] = []) -> Answer {
    var request = JSONWriter()
    request.field("command", command)
    for (name, value) in members { request.field(name, value) }
    let line: [UInt8]
    do throws(ControlFailure) {
        line = try askDaemon(socket, request.closed())
    } catch {
        switch error {
        case .notRunning:
            complain("Nightstand does not run (nobody listens at \(socket)); start it: sudo systemctl start nightstand")
            return .failed(Int32(Exit.unavailable))
        case .notAllowed:
            complain("you may not talk to Nightstand; join its group (sudo usermod -aG nightstand $USER) and log in again")
            return .failed(Int32(Exit.noPermission))
        case .noAnswer:
            complain("Nightstand does not answer; see: journalctl -u nightstand")
            return .failed(Int32(Exit.temporary))
        case .other(let errno):
            complain("\(socket): \(errorText(errno))")
            return .failed(Int32(Exit.osError))
        }
    }
    guard let object = JSONObject(line) else {
        complain("Nightstand's answer cannot be read; daemon and command may be of different versions")
        return .failed(Int32(Exit.software))
    }
    if object.text("ok") == "false" {
        complain(object.text("error") ?? "refused")
        return .failed(Int32(object.text("exit") ?? "") ?? Int32(Exit.software))
    }
    return .object(object, raw: line)
}

/// Asks, and says the answer's text. The exit status.
func askAndSay(_ arguments: inout Arguments, _ command: StaticString, _ members: [(StaticString, String)] = []) -> Int32 {
    let socket = arguments.option("--socket") ?? Paths.socket
    let json = arguments.flag("--json")
    if let refused = arguments.refuseRest(of: command) { return refused }
    switch ask(socket, "\(command)", members) {
    case .failed(let status): return status
    case .object(let object, let raw):
        if json {
            say(String(decoding: raw, as: UTF8.self))
        } else {
            let text = object.text("text") ?? ""
            write(text.utf8.last == 0x0a ? text : text + "\n", to: 1)
        }
        return Int32(Exit.ok)
    }
}
