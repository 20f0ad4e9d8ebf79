// Owns the commands that ask one thing of the daemon and say its answer.
import Gateway
import Linux

let statusHelp: StaticString = """
    nightstand status [--json] [--socket PATH]

    Says in one sentence whether data is coming in and, if not, why not and what to do. Then the six truths that
    "connected" is made of, how far history has come, battery, clocks, LED and storage.
    Exit status: 0; 69 when the daemon does not run.
    """

func status(_ arguments: inout Arguments) -> Int32 { askAndSay(&arguments, "status") }

let devicesHelp: StaticString = """
    nightstand devices [--json] [--socket PATH]

    Lists the straps that are known. A star marks the active one.
    """

func devices(_ arguments: inout Arguments) -> Int32 { askAndSay(&arguments, "devices") }

let syncHelp: StaticString = """
    nightstand sync [--json] [--socket PATH]

    Fetches history now. It is fetched every 15 minutes anyway, day and night.
    Exit status: 0; 69 when there is no session with the strap.
    """

func sync(_ arguments: inout Arguments) -> Int32 { askAndSay(&arguments, "sync") }

let buzzHelp: StaticString = """
    nightstand buzz [--json] [--socket PATH]

    One short buzz of the strap: to find it, or to be told something.
    Exit status: 0; 69 when there is no session with the strap.
    """

func buzz(_ arguments: inout Arguments) -> Int32 { askAndSay(&arguments, "buzz") }

let markHelp: StaticString = """
    nightstand mark [NOTE...] [--socket PATH]

    Marks this moment, with a note if there is one. A short press of the button and a double tap on the strap do the same.
    """

func mark(_ arguments: inout Arguments) -> Int32 {
    let socket = arguments.option("--socket") ?? Paths.socket
    let note = arguments.rest()
    switch ask(socket, "mark", [("note", note)]) {
    case .failed(let status): return status
    case .object: say("Marked."); return Int32(Exit.ok)
    }
}

let liveHelp: StaticString = """
    nightstand live [--json] [--socket PATH]

    Heart rate and zone once a second, until interrupted. With --json one status object a line.
    """

func live(_ arguments: inout Arguments) -> Int32 {
    let socket = arguments.option("--socket") ?? Paths.socket
    let json = arguments.flag("--json")
    if let refused = arguments.refuseRest(of: "live") { return refused }
    let redraw = isTerminal(1) && !json
    while true {
        switch ask(socket, "status") {
        case .failed(let status):
            return status
        case .object(let object, let raw):
            if json {
                guard write(String(decoding: raw, as: UTF8.self) + "\n", to: 1) else { return Int32(Exit.ok) }
                break
            }
            var line = object.text("sentence") ?? ""
            if let bpm = object.text("heart_rate_bpm"), bpm != "null" {
                line = "\(bpm) bpm  zone \(object.text("zone") ?? "?")"
                if let tenths = object.text("battery_tenths"), let n = Int(tenths) { line += "  strap \(n / 10) %" }
                if object.text("syncing") == "true" { line += "  fetching history: \(object.text("records_stored") ?? "0") records" }
            }
            guard write(redraw ? "\r\u{1b}[K" + line : line + "\n", to: 1) else { return Int32(Exit.ok) }
        }
        pause(milliseconds: 1000)
    }
}

let forgetHelp: StaticString = """
    nightstand forget [--yes] [--socket PATH]

    Lets the strap go: the link ends, our key is deleted, and for a minute we stay away so that it can enter pairing
    mode. What was recorded stays. Afterwards pair it in the official app as if it were new.
    """

func forget(_ arguments: inout Arguments) -> Int32 {
    let socket = arguments.option("--socket") ?? Paths.socket
    let yes = arguments.flag("--yes")
    if let refused = arguments.refuseRest(of: "forget") { return refused }
    if !yes, isTerminal(0) {
        write("Forget the strap? Its recorded data stays here. Type yes: ", to: 1)
        guard readLineFromInput() == "yes" else { say("Nothing was changed."); return Int32(Exit.ok) }
    }
    switch ask(socket, "forget") {
    case .failed(let status): return status
    case .object: break
    }
    say("""
        The strap is forgotten and Nightstand stays away from it for a minute.
        To hand it back to the official app:
          1. Put the strap into pairing mode (5.0 and MG: tap it until its LEDs flash blue; 4.0 needs nothing).
          2. In the phone's Bluetooth settings remove the old WHOOP entry, if there is one.
          3. Pair it in the app.
        Nights that Nightstand has fetched are no longer on the strap, so the app will not have them.
        """)
    return Int32(Exit.ok)
}
