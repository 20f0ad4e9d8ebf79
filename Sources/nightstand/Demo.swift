// Owns finding the demonstration, which is a program of its own beside this one.
import CLinux
import Gateway
import Linux

/// Becomes `nightstand-demo`. Its own help is asked of it.
func demo(_ arguments: inout Arguments) -> Int32 {
    let beside = folder(of: ownPath()) + "/nightstand-demo"
    var words = [beside]
    while let word = arguments.next() { words.append(word) }
    var pointers: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
    pointers.append(nil)
    execv(beside, &pointers)
    complain("the demonstration is not installed here (\(beside): \(errorText(nightstand_errno()))); on the machine you build on, run: ./deploy.sh demo")
    return Int32(Exit.unavailable)
}
