// Owns the list of commands: their names, what they do in one line, their help, and what runs them.
import Gateway
import Linux

/// The firmware's version.
let version: StaticString = "0.1.0"

struct Command {
    var name: StaticString
    var summary: StaticString
    /// What follows the name, and what it means; whole lines. Nil: the command tells it itself.
    var help: StaticString?
    var run: (inout Arguments) -> Int32
}

func commands() -> [Command] {
    [
        Command(name: "run", summary: "be the firmware: own the strap, keep what it recorded", help: runHelp, run: run),
        Command(name: "status", summary: "what is connected, how far history has come, and why there is no data", help: statusHelp, run: status),
        Command(name: "pair", summary: "make a strap ours", help: pairHelp, run: pair),
        Command(name: "forget", summary: "let the strap go, so that another can have it", help: forgetHelp, run: forget),
        Command(name: "devices", summary: "the straps that are known", help: devicesHelp, run: devices),
        Command(name: "live", summary: "heart rate as it comes", help: liveHelp, run: live),
        Command(name: "sync", summary: "fetch history now", help: syncHelp, run: sync),
        Command(name: "buzz", summary: "one short buzz of the strap", help: buzzHelp, run: buzz),
        Command(name: "mark", summary: "mark this moment", help: markHelp, run: mark),
        Command(name: "moments", summary: "the moments that were marked", help: momentsHelp, run: moments),
        Command(name: "query", summary: "ask the database in SQL", help: queryHelp, run: query),
        Command(name: "decode", summary: "read captures: btsnoop, hex, JSON, raw", help: nil, run: decode),
        Command(name: "encode", summary: "show the frame of a command to the strap", help: nil, run: encode),
        Command(name: "demo", summary: "the whole of it with a simulated strap, in half a minute", help: nil, run: demo),
        Command(name: "config", summary: "check the configuration", help: configHelp, run: config),
    ]
}

func runCommand(_ words: [String]) -> Int32 {
    var arguments = Arguments(words)
    guard let first = arguments.next() else {
        write(overview(), to: 1)
        return Int32(Exit.ok)
    }
    switch first {
    case "--version", "version":
        say("nightstand \(version)")
        return Int32(Exit.ok)
    case "--help", "-h", "help":
        guard let name = arguments.next() else {
            write(overview(), to: 1)
            return Int32(Exit.ok)
        }
        return runCommand([name, "--help"])
    default:
        for command in commands() where "\(command.name)" == first {
            if let help = command.help, words.contains("--help") || words.contains("-h") {
                write("\(help)\n", to: 1)
                return Int32(Exit.ok)
            }
            return command.run(&arguments)
        }
        complain("\(first) is not a command; the list is at: nightstand --help")
        return Int32(Exit.usage)
    }
}

private func overview() -> String {
    var text = "nightstand \(version): keeps every second of a WHOOP strap you own.\n\n"
    for command in commands() {
        var name = "\(command.name)"
        while name.utf8.count < 9 { name += " " }
        text += "  \(name) \(command.summary)\n"
    }
    return text + """

          nightstand COMMAND --help   more on one command
          nightstand --version

        Independent of WHOOP, Inc. Not a medical device.

        """
}
