// Owns proof that no row is put under another strap's name, nor behind a burst that was given up, because a queue was full.
@testable import Bridge
import Ports
import Simulator
import Testing
import Whoop
import Wire

private final class Shelf: Store {
    var isFull = false
    var taken: [String] = []
    func put(_ entry: Entry, _ bytes: RawSpan) -> Bool {
        guard !isFull else { return false }
        switch entry {
        case .strap(let peer, _): taken.append("strap " + peer.address.text)
        case .identity: taken.append("identity")
        case .burstDropped: taken.append("dropped")
        case .historyFrame: taken.append("frame")
        case .heartRate: taken.append("heart rate")
        default: taken.append("other")
        }
        return true
    }
}

@Suite struct LedgerTests {
    private let shelf = Shelf()
    private let clock = SimulatedClock(wall: WallTime(seconds: 1_780_000_000))
    private let strap = Strap(Peer(Address("F0:F1:F2:F3:F4:F5")!, .randomLE))

    private func put(_ entry: Entry, _ ledger: Ledger) -> Bool { ledger.put(entry, RawSpan()) }

    @Test func `a strap the queue had no room for is named before the first row of it`() {
        let ledger = Ledger(shelf, clock: clock)
        var strap = strap
        strap.serial = "4A0000001"
        shelf.isFull = true
        ledger.announce(strap)
        #expect(!put(.heartRate(Stamp(clock)), ledger))
        shelf.isFull = false
        #expect(put(.heartRate(Stamp(clock)), ledger))
        #expect(put(.heartRate(Stamp(clock)), ledger))
        #expect(shelf.taken == ["strap F0:F1:F2:F3:F4:F5", "identity", "heart rate", "heart rate"])
    }

    @Test func `a burst given up while the queue was full is given up before the next`() {
        let ledger = Ledger(shelf, clock: clock)
        #expect(put(.historyFrame(Stamp(clock)), ledger))
        shelf.isFull = true
        #expect(!put(.burstDropped(Stamp(clock)), ledger))
        shelf.isFull = false
        #expect(put(.historyFrame(Stamp(clock)), ledger))
        #expect(shelf.taken == ["frame", "dropped", "frame"])
    }

    @Test func `a moment that finds no room is refused in words`() {
        let world = World.settled(.whoop4)
        defer { world.end() }
        world.store.health = .fullQueue
        #expect(!world.bridge.mark(.command, "lunch"))
        world.store.health = .working
        #expect(world.bridge.mark(.command, "lunch"))
    }
}
