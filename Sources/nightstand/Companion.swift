// Owns finding the programs that lie beside this one, so that a board's firmware holds neither a simulator nor what people
// read captures with. Their own help is asked of them.
import CLinux
import Gateway
import Linux

/// Becomes `nightstand-demo`.
func demo(_ arguments: inout Arguments) -> Int32 {
    become("nightstand-demo", [], &arguments, missing: "the demonstration is not installed here", instead: "./deploy.sh demo")
}

/// Becomes `nightstand-frames`.
func decode(_ arguments: inout Arguments) -> Int32 {
    become("nightstand-frames", ["decode"], &arguments, missing: "the decoder is not installed here", instead: "./deploy.sh decode FILE")
}

/// Becomes `nightstand-frames`.
func encode(_ arguments: inout Arguments) -> Int32 {
    become("nightstand-frames", ["encode"], &arguments, missing: "the encoder is not installed here", instead: "./deploy.sh encode COMMAND")
}

private func become(_ program: StaticString, _ first: [String], _ arguments: inout Arguments, missing: StaticString, instead: StaticString) -> Int32 {
    let beside = folder(of: ownPath()) + "/\(program)"
    var words = [beside] + first
    while let word = arguments.next() { words.append(word) }
    var pointers: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
    pointers.append(nil)
    execv(beside, &pointers)
    complain("\(missing) (\(beside): \(errorText(nightstand_errno()))); on the machine you build on, run: \(instead)")
    return Int32(Exit.unavailable)
}
