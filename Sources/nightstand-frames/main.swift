// The door of what people read and write frames with: `nightstand decode` and `nightstand encode`. A program of its own,
// so that the firmware on a board holds none of it.
import CLinux
import Gateway
import Linux

func run() -> Int32 {
    var arguments = Arguments(programArguments())
    switch arguments.next() {
    case "decode": return decode(&arguments)
    case "encode": return encode(&arguments)
    default:
        complain("this program is for two commands: nightstand decode, nightstand encode")
        return Int32(Exit.usage)
    }
}

exit(run())
