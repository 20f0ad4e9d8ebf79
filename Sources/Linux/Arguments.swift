// Owns reading a command's words: options with and without values, and what is left. A word nobody asked for is an
// error with its name.
import CLinux

public struct Arguments {
    private var words: [String]

    public init(_ words: [String]) { self.words = words }

    /// The next word, whatever it is.
    public mutating func next() -> String? { words.isEmpty ? nil : words.removeFirst() }

    /// Whether an option stands there; it is then taken away.
    public mutating func flag(_ name: String) -> Bool {
        guard let at = words.firstIndex(of: name) else { return false }
        words.remove(at: at)
        return true
    }

    /// The value of `--name VALUE` or `--name=VALUE`; taken away. Empty text where the value is missing.
    public mutating func option(_ name: String) -> String? {
        for at in words.indices {
            if words[at] == name {
                words.remove(at: at)
                return at < words.count ? words.remove(at: at) : ""
            }
            if words[at].utf8.starts(with: (name + "=").utf8) {
                let value = String(decoding: Array(words[at].utf8.dropFirst(name.utf8.count + 1)), as: UTF8.self)
                words.remove(at: at)
                return value
            }
        }
        return nil
    }

    /// The next word that is no option.
    public mutating func operand() -> String? {
        guard let at = words.firstIndex(where: { !$0.utf8.starts(with: "-".utf8) || $0 == "-" }) else { return nil }
        return words.remove(at: at)
    }

    /// All words that are left, with blanks between.
    public mutating func rest() -> String {
        var text = ""
        for word in words { text += text.isEmpty ? word : " " + word }
        words = []
        return text
    }

    /// Complains about words nobody asked for; the exit status, or nil when there are none.
    public func refuseRest(of command: StaticString) -> Int32? {
        guard let word = words.first else { return nil }
        complain("\(word) is not known to \(command); see: nightstand \(command) --help")
        return EX_USAGE
    }
}
