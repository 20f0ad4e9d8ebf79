// Owns the command that shows what Nightstand would say to a strap. It sends nothing.
import Gateway
import Linux
import Whoop
import Wire

func encodeHelp() -> String {
    var text = """
        nightstand encode COMMAND [ARGUMENT...] [--family 4|5] [--sequence N]

        Prints the frame of a command to the strap, in hex; for both families unless one is named. Nothing is sent.
        Commands that erase, brick or change a strap for good do not exist here, and a number is no command.
        Times are UTC, such as 2026-01-01T07:00:00Z, or seconds since 1970.


        """
    for word in commandWords() {
        var line = "  \(word.name) \(word.needs)"
        while line.utf8.count < 34 { line += " " }
        text += line + " \(word.does)\n"
    }
    return text + "\nExit status: 0; 64 there is no such command, or the family does not have it.\n"
}

func encode(_ arguments: inout Arguments) -> Int32 {
    if arguments.flag("--help") || arguments.flag("-h") {
        write(encodeHelp(), to: 1)
        return Int32(Exit.ok)
    }
    let family = arguments.option("--family")
    let sequence = arguments.option("--sequence") ?? "0"
    guard let number = UInt8(sequence) else {
        complain("--sequence \(sequence): must be a whole number 0 to 255")
        return Int32(Exit.usage)
    }
    guard let families: [Family] = family == nil ? [.whoop4, .whoop5] : family == "4" || family == "4.0" ? [.whoop4] : family == "5" || family == "5.0" ? [.whoop5] : nil else {
        complain("--family \(family ?? ""): must be 4 or 5")
        return Int32(Exit.usage)
    }
    var words: [String] = []
    while let word = arguments.operand() { words.append(word) }
    if let refused = arguments.refuseRest(of: "encode") { return refused }

    switch namedCommand(words) {
    case .unknown:
        complain(words.isEmpty ? "encode needs a command; the list is at: nightstand encode --help"
            : "\(plain(words[0])) is not a command to a strap; the list is at: nightstand encode --help")
        return Int32(Exit.usage)
    case .wrong(let why):
        complain(plain(why))
        return Int32(Exit.usage)
    case .command(let command):
        var isSaid = false
        for family in families {
            var packet = Packet()
            guard command.encode(family, sequence: number, into: &packet) else { continue }
            isSaid = true
            let frame = hex(packet.bytes)
            say(families.count == 1 ? frame : "\(family == .whoop4 ? "4.0" : "5.0")  \(frame)")
        }
        guard isSaid else {
            complain("\(words[0]) is not a command of this family")
            return Int32(Exit.usage)
        }
        return Int32(Exit.ok)
    }
}
