// Owns proof that pairing happens inside the window a person opened and nowhere else (failures A1, A6, A18, C18).
@testable import Bridge
import Ports
import Simulator
import Testing
import Whoop
import Wire

@Suite struct PairingTests {
    @Test(arguments: bothFamilies) func `pairs inside the window and never outside it`(_ family: Family) {
        let world = World(family)
        defer { world.end() }
        world.strap.isInPairingMode = true
        world.start()
        world.run(seconds: 600)
        #expect(world.radio.attempts.isEmpty && world.radio.pairings.isEmpty && !world.radio.isScanning)

        world.bridge.openPairing(nil)
        #expect(world.run(atMost: 20_000) { world.isPaired })
        #expect(world.radio.pairings.count == 1)
        world.run(seconds: 600)
        #expect(world.radio.pairings.count == 1)
        #expect(!world.bridge.pairing.isOpen)
        world.expectNoBreach()
    }

    @Test func `a window in which no strap is near closes after two minutes and leaves nothing behind`() {
        let world = World(.whoop4)
        defer { world.end() }
        world.strap.isInReach = false
        world.start()
        world.bridge.openPairing(nil)
        world.run(seconds: 119)
        #expect(world.bridge.pairing.isOpen && world.radio.isScanning)
        world.run(seconds: 2)
        #expect(!world.bridge.pairing.isOpen && !world.radio.isScanning)
        #expect(world.radio.attempts.isEmpty)
        #expect(world.reasons(containing: "No strap was heard") == 1)
        world.expectNoBreach()
    }

    @Test func `a 5 outside pairing mode refuses, is asked again every few seconds, and bonds once it is in it`() {
        let world = World(.whoop5)
        defer { world.end() }
        world.start()
        world.bridge.openPairing(nil)
        world.run(seconds: 30)
        let refused = world.radio.pairings.count
        #expect(refused >= 4 && refused <= 8)
        #expect(world.bridge.pairing.last == .refused)
        #expect(!world.isPaired)
        world.strap.isInPairingMode = true
        #expect(world.run(atMost: 10_000) { world.isPaired })
        #expect(!world.bridge.pairing.isOpen)
        let asked = world.radio.pairings.count
        world.run(seconds: 300)
        #expect(world.radio.pairings.count == asked)
        world.expectNoBreach()
    }

    @Test func `a strap that was only tried is not kept, and pairing is not asked for after the window`() {
        let world = World(.whoop5)
        defer { world.end() }
        world.start()
        world.bridge.openPairing(nil)
        world.run(seconds: 125)
        #expect(!world.bridge.pairing.isOpen)
        #expect(world.bridge.roster.active == nil)
        let (asked, attempts) = (world.radio.pairings.count, world.radio.attempts.count)
        #expect(!world.radio.isUp)
        world.run(seconds: 600)
        #expect(world.radio.pairings.count == asked && world.radio.attempts.count == attempts)
        world.expectNoBreach()
    }

    @Test func `of two straps about as near none is taken, until one is nearer`() {
        let world = World(.whoop4)
        defer { world.end() }
        let other = SimulatedStrap(StrapIdentity(.whoop5, serial: "5AG0000002"), address: Address("F0:F1:F2:F3:F4:00")!, schedule: world.schedule, seed: 9)
        other.signal_dBm = -60
        world.radio.straps.append(other)
        world.start()
        world.bridge.openPairing(nil)
        world.run(seconds: 20)
        #expect(world.radio.attempts.isEmpty && world.bridge.pairing.ambiguous)
        world.strap.signal_dBm = -40
        #expect(world.run(atMost: 10_000) { world.isPaired })
        world.expectNoBreach()
    }

    @Test func `pairing by address takes that strap though another is nearer`() {
        let world = World(.whoop4)
        defer { world.end() }
        let other = SimulatedStrap(StrapIdentity(.whoop4, serial: "4A0000002"), address: Address("F0:F1:F2:F3:F4:00")!, schedule: world.schedule, seed: 9)
        other.signal_dBm = -20
        world.radio.straps.append(other)
        world.start()
        world.bridge.openPairing(world.strap.peer.address)
        #expect(world.run(atMost: 20_000) { world.isPaired })
        #expect(!world.radio.hasKey(other.peer))
        world.expectNoBreach()
    }

    @Test func `pairing another strap by its address lets the first go, and both stay known`() {
        let world = World.settled(.whoop4)
        defer { world.end() }
        let other = SimulatedStrap(StrapIdentity(.whoop4, serial: "4A0000002"), address: Address("F0:F1:F2:F3:F4:00")!, schedule: world.schedule, seed: 9)
        world.radio.straps.append(other)
        world.bridge.openPairing(other.peer.address)
        #expect(world.run(atMost: 30_000) { world.radio.hasKey(other.peer) })
        #expect(other.isConnected && !world.strap.isConnected)
        #expect(world.bridge.roster.active?.peer == other.peer)
        #expect(world.bridge.roster.straps.count == 2)
        world.expectNoBreach()
    }

    @Test func `a window for another strap that does not come gives the first one back`() {
        let world = World.settled(.whoop4)
        defer { world.end() }
        world.bridge.openPairing(Address("F0:F1:F2:F3:F4:00")!)
        world.run(seconds: 60)
        #expect(!world.strap.isConnected && world.bridge.roster.active == nil)
        #expect(world.run(atMost: 90_000) { world.strap.isConnected })
        #expect(world.bridge.roster.active?.peer == world.strap.peer)
        world.expectNoBreach()
    }

    @Test func `forget drops the link and the key and stays off the strap for a minute`() {
        let world = World.settled(.whoop4)
        defer { world.end() }
        #expect(world.bridge.forget())
        world.run(seconds: 1)
        #expect(!world.radio.isUp && !world.isPaired && world.bridge.roster.active == nil)
        let attempts = world.radio.attempts.count
        world.bridge.openPairing(nil)
        world.run(seconds: 58)
        #expect(world.radio.attempts.count == attempts)
        #expect(world.run(atMost: 30_000) { world.isPaired })
        world.expectNoBreach()
    }

    @Test(arguments: bothFamilies) func `a lost bond leaves live heart rate, keeps the key, and a new window mends it`(_ family: Family) {
        let world = World.settled(family)
        defer { world.end() }
        world.run(seconds: 20)
        world.strap.loseBond()
        world.strap.isInPairingMode = false
        world.radio.breakLink(.timeout)
        #expect(world.run(atMost: 60_000) { world.strap.isConnected })
        #expect(world.radio.attempts.suffix(1).allSatisfy { !$0.secured })
        #expect(world.isPaired && world.bridge.roster.active?.keySuspect == true)
        let (pairings, rows) = (world.radio.pairings.count, world.liveRows)
        world.run(seconds: 120)
        #expect(world.liveRows > rows + 60)
        #expect(world.radio.pairings.count == pairings)
        #expect(world.reasons(containing: "lost our bond") == 1)

        world.strap.isInPairingMode = true
        world.bridge.openPairing(nil)
        #expect(world.run(atMost: 10_000) { world.bridge.roster.active?.keySuspect == false })
        let bursts = world.store.bursts.count
        #expect(world.run(atMost: 60_000) { world.store.bursts.count > bursts })
        world.expectNoBreach()
    }

    @Test func `a verdict about a bond survives a restart`() {
        let world = World.settled(.whoop4)
        defer { world.end() }
        world.strap.loseBond()
        world.radio.breakLink(.timeout)
        #expect(world.run(atMost: 60_000) { world.bridge.roster.active?.keySuspect == true })
        world.restart()
        #expect(world.bridge.roster.active?.keySuspect == true)
        let before = world.radio.attempts.count
        world.run(seconds: 60)
        #expect(world.radio.attempts.dropFirst(before).allSatisfy { !$0.secured })
        world.expectNoBreach()
    }

    @Test func `a paired strap is found again after a restart without a window`() {
        let world = World.settled(.whoop5)
        defer { world.end() }
        world.run(seconds: 20)
        world.restart()
        #expect(world.run(atMost: 10_000) { world.strap.isConnected })
        #expect(world.radio.attempts.last?.secured == true)
        #expect(world.run(atMost: 10_000) { world.bridge.session?.isSession == true })
        world.expectNoBreach()
    }

    @Test func `a new bond clears the verdict on the old one, on the same link`() {
        let world = World.settled(.whoop5) { $0.strap.quirks.refusesHello = true }
        defer { world.end() }
        for _ in 0..<3 {
            world.run(seconds: 60)
            world.radio.breakLink(.remote)
            _ = world.run(atMost: 120_000) { world.strap.isConnected }
        }
        world.run(seconds: 30)
        #expect(world.bridge.roster.active?.helloRefusals == 3)
        world.strap.quirks.refusesHello = false
        world.strap.loseBond()
        world.radio.breakLink(.remote)
        #expect(world.run(atMost: 200_000) { world.strap.isConnected && world.bridge.roster.active?.keySuspect == true })
        world.bridge.openPairing(nil)
        #expect(world.run(atMost: 20_000) { world.bridge.session?.isSession == true })
        #expect(world.bridge.roster.active?.helloRefusals == 0)
        world.expectNoBreach()
    }

    @Test func `a notebook with blank lines and absurd numbers is read`() {
        let text = "nightstand 1\n   \nstrap F0:F1:F2:F3:F4:F5 random\n \nrefusals 9223372036854775807\nactive\n"
        let roster = Roster(parsing: Array(text.utf8))
        #expect(roster.active?.helloRefusals == Strap.helloRefusalLimit)
    }

    @Test(arguments: bothFamilies) func `a strap forgotten at any moment of the handshake stays forgotten`(_ family: Family) {
        for ms in stride(from: Int64(0), through: 1_200, by: 12) {
            let world = World.settled(family)
            world.run(for: ms)
            _ = world.bridge.forget()
            world.run(seconds: 10)
            #expect(world.bridge.roster.straps.isEmpty && !world.isPaired, "after \(ms) ms")
            world.expectNoBreach()
            world.end()
        }
    }

    @Test func `a window for a strap that refuses its bond makes a new one`() {
        let world = World.settled(.whoop5) { $0.strap.quirks.refusesHello = true }
        defer { world.end() }
        world.run(seconds: 60)
        #expect(world.bridge.roster.active?.helloRefusals == 1 && world.bridge.session?.encrypted == true)
        world.strap.quirks.refusesHello = false
        let before = world.radio.pairings.count
        world.bridge.openPairing(nil)
        #expect(world.run(atMost: 30_000) { world.bridge.session?.isSession == true })
        #expect(world.radio.pairings.count == before + 1)
        #expect(world.bridge.roster.active?.keySuspect == false && !world.bridge.pairing.isOpen)
        world.expectNoBreach()
    }

    @Test func `after windows for two others that do not bond the first strap is ours again, and alone`() {
        let world = World.settled(.whoop4)
        defer { world.end() }
        let other = SimulatedStrap(StrapIdentity(.whoop5, serial: "5AG0000002"), address: Address("F0:F1:F2:F3:F4:00")!, schedule: world.schedule, seed: 9)
        world.radio.straps.append(other)
        world.bridge.openPairing(other.peer.address)
        #expect(world.run(atMost: 30_000) { other.isConnected })
        world.bridge.openPairing(Address("F0:F1:F2:F3:F4:01")!)
        world.run(seconds: 130)
        #expect(world.bridge.roster.straps.map(\.peer) == [world.strap.peer])
        #expect(world.bridge.roster.active?.peer == world.strap.peer && world.strap.isConnected)
        world.expectNoBreach()
    }

    @Test func `a pairing that ends after its window says nothing any more`() {
        var pairing = Pairing()
        pairing.open(nil, now: Instant(milliseconds: 0))
        let wants = pairing.wants(now: Instant(milliseconds: 0))
        #expect(wants)
        pairing.close()
        pairing.failed(.other(16), now: Instant(milliseconds: 1))
        #expect(pairing.last == nil)
    }
}
