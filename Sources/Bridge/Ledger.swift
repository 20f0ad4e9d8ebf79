// Owns the way into the store: every row comes after the word whose it is, and no burst after the remains of another. The
// queue can be full when such a word is due; it is then owed, and nothing else is put before it.
import Ports
import Whoop
import Wire

final class Ledger: Store {
    private let store: any Store
    private let clock: any Clock
    private var strap: Strap?
    /// The strap's word is not in the queue yet.
    private var owesStrap = false
    /// When a burst was dropped and the queue had no room for that.
    private var owedDrop: Stamp?

    init(_ store: any Store, clock: any Clock) {
        self.store = store
        self.clock = clock
    }

    /// From now on rows are this strap's.
    func announce(_ strap: Strap) {
        self.strap = strap
        owesStrap = true
        _ = settle()
    }

    func put(_ entry: Entry, _ bytes: RawSpan) -> Bool {
        if settle(), store.put(entry, bytes) { return true }
        // Its reason is lost; that it was dropped must not be.
        if case .burstDropped(let stamp) = entry { owedDrop = stamp }
        return false
    }

    /// Puts what is owed. False: there is no room yet.
    private func settle() -> Bool {
        if let stamp = owedDrop {
            let why = "A burst was dropped while the store's queue was full."
            guard store.put(.burstDropped(stamp), why.utf8Span.span.bytes) else { return false }
            owedDrop = nil
        }
        guard owesStrap, let strap else { return true }
        guard store.put(.strap(strap.peer, generation: strap.family?.rawValue ?? 0), RawSpan()) else { return false }
        if !strap.serial.isEmpty {
            var bytes = Array(strap.serial.utf8)
            bytes.append(0)
            bytes += Array(strap.firmware.utf8)
            bytes.append(0)
            bytes += Array(strap.name.utf8)
            guard store.put(.identity(Stamp(clock)), bytes.span.bytes) else { return false }
        }
        owesStrap = false
        return true
    }
}
