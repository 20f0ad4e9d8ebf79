// The command line's door: finds the command, runs it, gives its exit status.
import CLinux
import Linux

exit(runCommand(programArguments()))
