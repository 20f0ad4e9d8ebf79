// The command line's door: finds the command, runs it, gives its exit code.
import CLinux
print("nightstand 0.1")
