// The demonstration's door. A program of its own, so that a board's firmware holds no simulator; `nightstand demo` runs it.
import CLinux
import Linux

var arguments = Arguments(programArguments())
exit(demo(&arguments))
