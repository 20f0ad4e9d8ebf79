// Owns guiding a person through pairing: what it means, what to do with each family, and how it goes.
import Gateway
import Linux

let pairHelp: StaticString = """
    nightstand pair [ADDRESS] [--yes] [--socket PATH]

    Opens the pairing window for 120 s and tells how it goes. With ADDRESS only that strap is taken; otherwise the
    nearest. --yes opens the window without asking. Holding the button for 3 s does the same without a keyboard.
    Exit status: 0 paired; 75 the window closed without a strap; 69 the daemon does not run.
    """

func pair(_ arguments: inout Arguments) -> Int32 {
    let socket = arguments.option("--socket") ?? Paths.socket
    let yes = arguments.flag("--yes")
    let address = arguments.operand() ?? ""
    if let refused = arguments.refuseRest(of: "pair") { return refused }

    say("""
        Before you begin
          A strap serves one owner. Once it is paired here, Nightstand fetches its nights, and a night that was fetched
          is released by the strap: the official app will not get it. `nightstand forget` hands the strap back.

          1. Switch Bluetooth off on every phone that uses the strap. While a phone holds it, it cannot be heard.
          2. WHOOP 4.0: wear it or move it; it needs no pairing mode.
             WHOOP 5.0 and MG: tap the strap repeatedly until its LEDs flash blue. That is pairing mode.
          3. Hold it near the board.
        """)
    if !yes, isTerminal(0) {
        write("\nPress Enter to open the window for two minutes, or Ctrl-C to leave things as they are. ", to: 1)
        guard readLineFromInput() != nil else { return Int32(Exit.ok) }
    }
    switch ask(socket, "pair", [("address", address)]) {
    case .failed(let status): return status
    case .object: break
    }

    var said = ""
    while true {
        pause(milliseconds: 500)
        guard case .object(let status, _) = ask(socket, "status") else { return Int32(Exit.unavailable) }
        if status.text("pairing_left_s") == "0" {
            guard status.text("truth_encrypted") == "true" else {
                complain("no strap was paired. \(status.text("pairing") ?? "") Try again: nightstand pair")
                return Int32(Exit.temporary)
            }
            say("Paired with \(status.text("strap") ?? "the strap"). History follows by itself; see: nightstand status")
            return Int32(Exit.ok)
        }
        let sentence = status.text("pairing") ?? ""
        if sentence != said {
            said = sentence
            say(sentence)
        }
    }
}
