// The demonstration's door. A program of its own, so that a board's firmware holds no simulator; `nightstand demo` runs it.
import CLinux
import Linux

func run() -> Int32 {
    var arguments = Arguments(programArguments())
    return demo(&arguments)
}

exit(run())
