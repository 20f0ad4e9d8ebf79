// The command line's door: finds the command, runs it, gives its exit status.
import CLinux

exit(runCommand(Array(CommandLine.arguments.dropFirst())))
