// Owns proof of the order in which a link becomes a session (failures A2, A3, A11-A15, B8, E1).
@testable import Bridge
import Ports
import Simulator
import Testing
import Whoop
import Wire

@Suite struct HandshakeTests {
    @Test(arguments: bothFamilies) func `each command of the handshake is sent once on each link, padded and in order`(_ family: Family) {
        let world = World.settled(family)
        defer { world.end() }
        world.run(seconds: 30)
        for _ in 0..<3 {
            world.radio.breakLink(.timeout)
            #expect(world.run(atMost: 60_000) { world.strap.isConnected })
            world.run(seconds: 70)
        }
        #expect(world.strap.links == 4)
        for link in 1...4 {
            for command in [world.hello, 11, 34] { #expect(world.times(command, link: link) == 1, "command \(command) on link \(link)") }
            #expect(world.times(63, link: link) == (family == .whoop4 ? 1 : 0))
            #expect(world.times(10, link: link) == 0)
            let order = world.strap.told.filter { $0.link == link }.map { $0.command }
            let wanted: [UInt8] = [world.hello, 11, 34, 22]
            #expect(order.filter { wanted.contains($0) }.prefix(4) == wanted[...])
        }
        world.expectNoBreach()
    }

    @Test(arguments: bothFamilies) func `history is asked for with a zero byte and high-frequency sync is only ever left`(_ family: Family) {
        let world = World.settled(family)
        defer { world.end() }
        world.run(seconds: 3 * 3600)
        #expect(world.told(22).count > 3)
        #expect(world.told(22).allSatisfy { $0.payload.first == 0 })
        #expect(world.told(96).isEmpty)
        #expect(world.told(97).count == 1)
        world.expectNoBreach()
    }

    @Test(arguments: bothFamilies) func `a strap left in high-frequency sync is taken out of it by the next start`(_ family: Family) {
        let world = World.settled(family) { $0.strap.isInHighFrequencySync = true }
        defer { world.end() }
        world.run(seconds: 30)
        let before = world.strap.nextCounter
        world.run(seconds: 60)
        #expect(world.strap.nextCounter >= before + 59)
    }

    @Test(arguments: bothFamilies) func `nothing is written to a strap's commands before the link is encrypted`(_ family: Family) {
        let world = World(family)
        defer { world.end() }
        if family == .whoop5 { world.strap.isInPairingMode = false } else { world.strap.isInReach = true }
        world.start()
        world.bridge.openPairing(nil)
        world.run(seconds: family == .whoop5 ? 60 : 1)
        #expect(world.strap.told.isEmpty)
        world.expectNoBreach()
    }

    @Test func `a hello refused on an encrypted link is sent three times in all, over restarts too, while live heart rate goes on`() {
        let world = World.settled(.whoop5) { $0.strap.quirks.refusesHello = true }
        defer { world.end() }
        world.run(seconds: 600)
        #expect(world.radio.isUp)
        for _ in 0..<5 {
            world.radio.breakLink(.remote)
            _ = world.run(atMost: 120_000) { world.strap.isConnected }
            world.run(seconds: 120)
        }
        #expect(world.told(145).count == 3)
        world.restart()
        world.run(seconds: 120)
        #expect(world.told(145).count == 3)
        #expect(world.bridge.session?.isSession == false)
        let rows = world.liveRows
        world.run(seconds: 600)
        #expect(world.liveRows > rows + 500)
        #expect(world.told(22).isEmpty)
        world.expectNoBreach()
    }

    @Test func `a hello that is not answered is sent once more and then done without`() {
        let world = World.settled(.whoop5) { $0.strap.quirks.ignoresHello = true }
        defer { world.end() }
        world.run(seconds: 60)
        #expect(world.told(145).count == 2)
        #expect(world.reasons(containing: "did not answer the hello") == 1)
        #expect(!world.told(22).isEmpty)
        world.expectNoBreach()
    }

    @Test(arguments: bothFamilies) func `a wrong clock is set to ours, read back, and believed only then`(_ family: Family) {
        let world = World.settled(family) { $0.strap.clockOffset_ms -= 3_600_000 }
        defer { world.end() }
        #expect(world.run(atMost: 30_000) { world.bridge.session?.strapClock == .verified })
        #expect(world.told(10).count == 1 && world.told(11).count == 2)
        #expect(world.told(10)[0].payload.count == 9)
        let strap = world.strap.clockOffset_ms, ours = world.clock.wall.milliseconds - world.clock.now.milliseconds
        #expect(abs(strap - ours) < 500)
        world.expectNoBreach()
    }

    @Test(arguments: bothFamilies) func `a strap that ignores its clock is reported, not set again and again`(_ family: Family) {
        let world = World.settled(family) { $0.strap.quirks.ignoresClock = true; $0.strap.clockOffset_ms = 31_600_000_000 }
        defer { world.end() }
        world.run(seconds: 1200)
        #expect(world.bridge.session?.strapClock == .invalid)
        #expect(world.told(10).count == 1 && world.told(11).count == 2)
        #expect(world.reasons(containing: "did not take the time") == 1)
        #expect(world.bridge.alert.trouble == .clock)
        world.strap.quirks.ignoresClock = false
        world.radio.breakLink(.timeout)
        #expect(world.run(atMost: 60_000) { world.bridge.session?.strapClock == .verified })
        world.run(seconds: 20)
        #expect(world.bridge.alert.trouble == nil)
        world.expectNoBreach()
    }

    @Test(arguments: bothFamilies) func `with an untrusted wall clock the strap's is not touched, until ours becomes trusted`(_ family: Family) {
        let world = World.settled(family, wall: WallTime(seconds: 86_400)) {
            $0.clock.trusted = false
            $0.strap.clockOffset_ms = 1_780_000_000_000
        }
        defer { world.end() }
        world.run(seconds: 300)
        #expect(world.told(10).isEmpty)
        #expect(world.bridge.session?.strapClock == .untouched)
        #expect(!world.store.bursts.isEmpty)
        world.clock.wall = WallTime(seconds: 1_780_050_000)
        world.clock.trusted = true
        #expect(world.run(atMost: 60_000) { world.bridge.session?.strapClock == .verified })
        #expect(world.told(10).count == 1)
        #expect(world.times(world.hello) == 1)
        world.run(seconds: 60)
        #expect(world.bridge.session?.step == .running)
        world.expectNoBreach()
    }

    @Test(arguments: bothFamilies) func `a clock told after two seconds is not used as a pair`(_ family: Family) {
        let world = World.settled(family) { $0.strap.quirks.clockDelay_ms = 4_000 }
        defer { world.end() }
        world.run(seconds: 60)
        let pairs = world.store.entries.filter { if case .clockPair = $0.entry { true } else { false } }
        #expect(pairs.isEmpty)
        #expect(world.told(10).isEmpty)
        #expect(!world.told(22).isEmpty)
        world.expectNoBreach()
    }

    @Test func `a strap whose clock is days ahead is not asked for history until it has been set, and live goes on`() {
        let world = World.settled(.whoop4) { $0.strap.quirks.ignoresClock = true; $0.strap.clockOffset_ms += 28_000 * 3_600_000 }
        defer { world.end() }
        world.run(seconds: 600)
        #expect(world.told(22).isEmpty)
        #expect(world.liveRows > 500)
        world.expectNoBreach()
    }

    @Test(arguments: [MTUAnswer.size(185), .size(23), .none, .late(2_500, 185), .refused])
    func `any size of MTU gives the same history`(_ answer: MTUAnswer) {
        let world = World.settled(.whoop4, history_s: 300) { $0.strap.quirks.mtu = answer }
        defer { world.end() }
        world.run(seconds: 60)
        world.expectCompleteHistory(1_000..<1_300)
        #expect(world.store.bursts.allSatisfy { $0.end.received == $0.end.announced })
        world.expectNoBreach()
    }

    @Test func `handles are remembered: the second link asks for none`() {
        let world = World.settled(.whoop5)
        defer { world.end() }
        world.run(seconds: 30)
        let began = world.clock.now
        world.radio.breakLink(.timeout)
        #expect(world.run(atMost: 60_000) { world.strap.isConnected })
        let up = world.clock.now
        #expect(world.run(atMost: 2_000) { world.bridge.session?.step ?? .exchangeMTU > .subscribeData })
        #expect(world.clock.now - up < 700)
        #expect(up > began)
        world.expectNoBreach()
    }

    @Test func `a clock that is not told is asked for once more when ours becomes trusted, not for ever`() {
        let world = World.settled(.whoop4) {
            $0.clock.trusted = false
            $0.strap.clockOffset_ms += 60_000
        }
        defer { world.end() }
        world.run(seconds: 30)
        #expect(world.bridge.session?.strapClock == .untouched)
        world.strap.quirks.clockDelay_ms = 7_000
        world.clock.trusted = true
        world.run(seconds: 600)
        #expect(world.told(11).count == 2)
        world.expectNoBreach()
    }

    @Test func `a clock days ahead is set again once in a quarter of an hour, live is armed meanwhile, and history follows`() {
        let world = World.settled(.whoop4) {
            $0.strap.quirks.ignoresClock = true
            $0.strap.quirks.hasNoBroadcast = true
            $0.strap.clockOffset_ms += 28_000 * 3_600_000
        }
        defer { world.end() }
        world.run(seconds: 3_000)
        #expect((3...5).contains(world.told(10).count))
        #expect(world.told(3).first?.payload.first == 1)
        #expect(world.told(22).isEmpty)
        #expect(world.reasons(containing: "did not take the time") == 1)
        world.strap.quirks.ignoresClock = false
        #expect(world.run(atMost: 1_000_000) { world.bridge.session?.strapClock == .verified })
        world.run(seconds: 5)
        #expect(!world.told(22).isEmpty)
        #expect(world.strap.links == 1)
        world.expectNoBreach()
    }

    @Test func `handles are read anew after a link on which the hello was not answered`() {
        let world = World.settled(.whoop5) { $0.strap.quirks.ignoresHello = true }
        defer { world.end() }
        world.run(seconds: 30)
        world.strap.quirks.ignoresHello = false
        for isRemembered in [false, true] {
            world.radio.breakLink(.timeout)
            #expect(world.run(atMost: 60_000) { world.strap.isConnected })
            world.run(for: 100)
            #expect((world.bridge.session?.handles != nil) == isRemembered)
            #expect(world.run(atMost: 10_000) { world.bridge.session?.step == .running })
        }
        world.expectNoBreach()
    }

    @Test func `a frame that never ends does not swallow what comes after it`() {
        let world = World.settled(.whoop4)
        defer { world.end() }
        world.run(seconds: 30)
        let events = world.bridge.session!.handles!.find(Family.whoop4.uuid(of: .events))!.value
        var head: [UInt8] = [0xaa, 0xa0, 0x0f, 0]
        head[3] = crc8(head[1..<3].span.bytes)
        world.radio.inject([0x1b, UInt8(events & 255), UInt8(events >> 8)] + head)
        world.run(seconds: 1)
        world.strap.doubleTap()
        world.run(seconds: 1)
        #expect(world.moments.isEmpty)
        world.run(seconds: 6)
        #expect(world.moments == [.strapTap])
        world.expectNoBreach()
    }

    @Test func `what a strap calls itself is shown without what a terminal would obey`() {
        let name: [UInt8] = [0x41, 0x1b, 0x5b, 0x32, 0x4a, 0xff, 0x0a] + [UInt8](repeating: 0x42, count: 100)
        let shown = printable(name.span.bytes)
        #expect(shown == "A?[2J??" + String(repeating: "B", count: 57))
    }
}
