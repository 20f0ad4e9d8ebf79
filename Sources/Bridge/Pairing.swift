// Owns the pairing window: opened by a person, closed by time or success. Inside it straps are looked for, the nearest
// is taken, and pairing is asked for again every few seconds. Outside it nothing pairs.
import Ports
import Whoop
import Wire

struct Pairing {
    /// How long a person has.
    static let window_ms: Int64 = 120_000
    /// Listened for so long before the strongest strap is taken.
    static let listen_ms: Int64 = 4_000
    /// Between two requests to pair.
    static let again_ms: Int64 = 4_000

    struct Candidate: Equatable {
        var peer: Peer
        var family: Family
        var signal_dBm: Int8
        var name: String
    }

    private(set) var opened: Instant?
    /// Only this strap, where a person named one.
    private(set) var wanted: Address?
    private(set) var candidates: [Candidate] = []
    private(set) var underWay = false
    private var choose = Instant.never
    private var again = Instant.never
    private(set) var last: PairingFailure?
    /// Two straps are near and nobody said which.
    private(set) var ambiguous = false

    var isOpen: Bool { opened != nil }

    func left_ms(now: Instant) -> Int64 { opened.map { max(0, $0 + Self.window_ms - now) } ?? 0 }

    /// - Parameters:
    ///   - choosing: a strap is being looked for, so `chosen` will be asked.
    ///   - asking: there is a link to pair on, so `wants` will be asked.
    func deadline(choosing: Bool, asking: Bool) -> Instant {
        guard let opened else { return .never }
        return min(opened + Self.window_ms, min(choosing ? choose : .never, asking ? again : .never))
    }

    mutating func open(_ wanted: Address?, now: Instant) {
        self = Pairing()
        opened = now
        self.wanted = wanted
        again = now
    }

    mutating func close() {
        let failure = last
        self = Pairing()
        last = failure
    }

    /// A strap was heard.
    mutating func heard(_ candidate: Candidate, now: Instant) {
        guard isOpen, wanted == nil || candidate.peer.address == wanted else { return }
        for i in candidates.indices where candidates[i].peer == candidate.peer {
            candidates[i].signal_dBm = max(candidates[i].signal_dBm, candidate.signal_dBm)
            if !candidate.name.isEmpty { candidates[i].name = candidate.name }
            return
        }
        guard candidates.count < 8 else { return }
        candidates.append(candidate)
        if choose == .never { choose = now + (wanted == nil ? Self.listen_ms : 0) }
    }

    /// The strap to take, once listening is over. With two as near as 10 dB, none, and listening goes on: a person has to
    /// say which, or bring it nearer.
    mutating func chosen(now: Instant) -> Candidate? {
        guard now >= choose, let best = candidates.max(by: { $0.signal_dBm < $1.signal_dBm }) else { return nil }
        ambiguous = candidates.contains { $0.peer != best.peer && Int(best.signal_dBm) - Int($0.signal_dBm) < 10 }
        choose = ambiguous ? now + Self.listen_ms : .never
        return ambiguous ? nil : best
    }

    /// Whether pairing is to be asked for now, on a link that is not encrypted.
    mutating func wants(now: Instant) -> Bool {
        guard isOpen, !underWay, now >= again else { return false }
        underWay = true
        again = .never
        last = nil
        return true
    }

    mutating func failed(_ failure: PairingFailure, now: Instant) {
        // The end of one that was cancelled with the window is no news.
        guard isOpen else { return }
        underWay = false
        last = failure
        again = now + Self.again_ms
    }

    /// The link went away under a pairing.
    mutating func interrupted(now: Instant) {
        if underWay { failed(.linkLost, now: now) }
    }

    func isOver(now: Instant) -> Bool { opened.map { now - $0 >= Self.window_ms } ?? false }
}
