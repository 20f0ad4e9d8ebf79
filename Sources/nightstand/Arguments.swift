// Owns reading a command's words: options with and without values, and what is left. A word nobody asked for is an
// error with its name.
import Gateway
import Linux

struct Arguments {
    private var words: [String]

    init(_ words: [String]) { self.words = words }

    /// The next word, whatever it is.
    mutating func next() -> String? { words.isEmpty ? nil : words.removeFirst() }

    /// Whether an option stands there; it is then taken away.
    mutating func flag(_ name: String) -> Bool {
        guard let at = words.firstIndex(of: name) else { return false }
        words.remove(at: at)
        return true
    }

    /// The value of `--name VALUE` or `--name=VALUE`; taken away. Empty text where the value is missing.
    mutating func option(_ name: String) -> String? {
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
    mutating func operand() -> String? {
        guard let at = words.firstIndex(where: { !$0.utf8.starts(with: "-".utf8) || $0 == "-" }) else { return nil }
        return words.remove(at: at)
    }

    /// All words that are left, with blanks between.
    mutating func rest() -> String {
        var text = ""
        for word in words { text += text.isEmpty ? word : " " + word }
        words = []
        return text
    }

    /// Complains about words nobody asked for; the exit status, or nil when there are none.
    func refuseRest(of command: StaticString) -> Int32? {
        guard let word = words.first else { return nil }
        complain("\(word) is not known to \(command); see: nightstand \(command) --help")
        return Int32(Exit.usage)
    }
}

/// Where things are when nobody says otherwise.
enum Place {
    static let socket = "/run/nightstand/control.sock"
    static let database = "/var/lib/nightstand/nightstand.db"
    static let configuration = "/etc/nightstand/nightstand.conf"
    static let state = "/var/lib/nightstand"
}
