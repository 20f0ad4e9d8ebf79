// Owns proof of what is live: heart rate, its stream, keep-alive, gestures of the strap (failures A22, B27, B31, B32).
@testable import Bridge
import Ports
import Simulator
import Testing
import Whoop
import Wire

@Suite struct LiveTests {
    @Test(arguments: bothFamilies) func `every second of live heart rate is kept`(_ family: Family) {
        let world = World.settled(family)
        defer { world.end() }
        world.run(seconds: 60)
        let before = world.store.entries.filter { if case .heartRate = $0.entry { true } else { false } }.count
        world.run(seconds: 100)
        let after = world.store.entries.filter { if case .heartRate = $0.entry { true } else { false } }.count
        #expect(after - before >= 99)
        world.expectNoBreach()
    }

    @Test(arguments: bothFamilies) func `the live stream is armed once history is complete, and again when it stops`(_ family: Family) {
        let world = World.settled(family) { $0.strap.quirks.streamStops = true; $0.strap.quirks.hasNoBroadcast = true }
        defer { world.end() }
        world.run(seconds: 300)
        let armed = world.told(3)
        #expect(armed.first!.at > world.told(22).first!.at)
        #expect(armed.count >= 8 && armed.count <= 11)
        #expect(armed.allSatisfy { $0.payload.first == 1 })
        #expect(world.strap.links == 1)
        world.expectNoBreach()
    }

    @Test func `live = off never arms the stream`() {
        var settings = Settings()
        settings.live = .off
        let world = World.settled(.whoop4, settings: settings)
        defer { world.end() }
        world.run(seconds: 600)
        #expect(world.told(3).isEmpty)
        world.expectNoBreach()
    }

    @Test(arguments: bothFamilies) func `live = worn arms the stream while the strap is worn`(_ family: Family) {
        var settings = Settings()
        settings.live = .worn
        let world = World.settled(family, settings: settings)
        defer { world.end() }
        world.run(seconds: 30)
        #expect(world.told(3).map { $0.payload.first } == [1])
        world.strap.isWorn = false
        world.run(seconds: 120)
        #expect(world.told(3).map { $0.payload.first } == [1, 0])
        world.strap.isWorn = true
        world.run(seconds: 30)
        #expect(world.told(3).map { $0.payload.first } == [1, 0, 1])
        world.expectNoBreach()
    }

    @Test func `a 4 is kept alive by asking for its battery once a minute`() {
        let world = World.settled(.whoop4)
        defer { world.end() }
        world.run(seconds: 60)
        let before = world.told(26).count
        world.run(seconds: 600)
        #expect((9...11).contains(world.told(26).count - before))
        world.expectNoBreach()
    }

    @Test func `a 5 is kept alive by reading its battery once a minute`() {
        let world = World.settled(.whoop5)
        defer { world.end() }
        func readings() -> Int { world.store.entries.filter { if case .battery = $0.entry { true } else { false } }.count }
        world.run(seconds: 60)
        let before = readings()
        world.run(seconds: 400)
        #expect((6...8).contains(readings() - before))
        #expect(world.told(26).isEmpty)
        #expect(world.bridge.battery_tenths == 730)
        world.expectNoBreach()
    }

    @Test func `the battery of a 4 is what it tells, never the hundred of its stub`() {
        let world = World.settled(.whoop4)
        defer { world.end() }
        world.run(seconds: 300)
        #expect(world.bridge.battery_tenths == 735)
        let all = world.store.entries.compactMap { if case .battery(_, let tenths) = $0.entry { tenths } else { nil } }
        #expect(!all.contains(1000))
    }

    @Test(arguments: bothFamilies) func `a strap that is worn at connect is known to be worn within ten seconds`(_ family: Family) {
        let world = World.settled(family)
        defer { world.end() }
        world.run(seconds: 10)
        #expect(world.bridge.worn == true)
    }

    @Test(arguments: bothFamilies) func `a double tap marks once though it is told twice, and buzzes when it is durable`(_ family: Family) {
        let world = World.settled(family)
        defer { world.end() }
        world.run(seconds: 30)
        world.strap.doubleTap()
        world.strap.doubleTap()
        world.run(seconds: 5)
        #expect(world.moments == [.strapTap])
        #expect(world.strap.buzzes.count == 1)
        world.expectNoBreach()
    }

    @Test(arguments: bothFamilies) func `a link that falls silent is given up after two minutes and made anew`(_ family: Family) {
        let world = World.settled(family)
        defer { world.end() }
        world.run(seconds: 30)
        world.strap.quirks.isDead = true
        let silent = world.clock.now
        #expect(world.run(atMost: 200_000) { !world.radio.isUp })
        #expect(world.clock.now - silent <= 125_000)
        world.strap.quirks.isDead = false
        #expect(world.run(atMost: 30_000) { world.bridge.session?.isSession == true })
        world.expectNoBreach()
    }

    @Test(arguments: [true, false]) func `a link on which nothing is ever heard is given up after ten seconds`(_ known: Bool) {
        let world = World.settled(.whoop4)
        defer { world.end() }
        world.run(seconds: 90)
        if !known { world.restart() } else { world.radio.breakLink(.timeout) }
        world.radio.nextLinkIsGhost = true
        #expect(world.run(atMost: 20_000) { world.radio.isUp })
        let up = world.clock.now
        #expect(world.run(atMost: 60_000) { !world.radio.isUp })
        #expect(world.clock.now - up <= 11_000)
        #expect(world.run(atMost: 30_000) { world.bridge.session?.isSession == true })
        world.expectNoBreach()
    }

    @Test func `each link leaves an epitaph with how long it lived, its frames and signal strengths`() {
        let world = World.settled(.whoop4)
        defer { world.end() }
        world.run(seconds: 120)
        world.radio.breakLink(.timeout)
        world.run(for: 100)
        let epitaphs = world.store.entries.compactMap { if case .epitaph(_, let epitaph) = $0.entry { (epitaph, String(decoding: $0.bytes, as: UTF8.self)) } else { nil } }
        #expect(epitaphs.count == 1)
        #expect(epitaphs[0].0.uptime_ms >= 119_000 && epitaphs[0].0.frames > 200)
        #expect(epitaphs[0].0.signals_dBm == (-58, -58, -58))
        #expect(epitaphs[0].1.contains("supervision timeout"))
        world.expectNoBreach()
    }

    @Test func `a strap taken off on a link without a bond keeps no processor busy and stays linked`() {
        let world = World(.whoop5)
        defer { world.end() }
        world.start()
        world.bridge.openPairing(nil)
        #expect(world.run(atMost: 60_000) { world.liveRows > 10 })
        world.strap.isWorn = false
        world.run(seconds: 50)
        #expect(world.strap.links == 1)
        world.expectNoBreach()
    }

    @Test(arguments: bothFamilies) func `a strap taken off in an offload, whose stream stops, keeps no processor busy`(_ family: Family) {
        var settings = Settings()
        settings.live = .worn
        let world = World.settled(family, settings: settings)
        defer { world.end() }
        world.run(seconds: 30)
        #expect(world.told(3).map { $0.payload.first } == [1])
        world.strap.remember(seconds: 300)
        world.store.health = .holding
        world.strap.quirks.streamStops = true
        _ = world.bridge.sync()
        world.run(seconds: 5)
        world.strap.isWorn = false
        world.run(seconds: 60)
        #expect(world.bridge.session?.offload.isRunning == true)
        world.store.health = .working
        world.run(seconds: 120)
        #expect(world.told(3).map { $0.payload.first } == [1, 0])
        world.expectNoBreach()
    }

    @Test func `a link on which no command may be sent is kept alive by reading a battery`() {
        let world = World(.whoop5)
        defer { world.end() }
        world.strap.isWorn = false
        world.strap.quirks.hasNoBroadcast = true
        world.bond(key: 7, notebook: Array("nightstand 1\nstrap \(world.strap.peer.text)\nfamily 5\nkey suspect\nactive\n".utf8))
        world.start()
        world.run(seconds: 1_200)
        #expect(world.strap.links == 1)
        #expect(world.bridge.status.battery_tenths == 730)
        world.expectNoBreach()
    }

    @Test func `live data waits for no history that storage does not take`() {
        let world = World.settled(.whoop4, history_s: 500) {
            $0.store.health = .refusing(.full)
            $0.strap.quirks.hasNoBroadcast = true
        }
        defer { world.end() }
        world.run(seconds: 30)
        #expect(world.told(3).map { $0.payload.first } == [1])
        #expect(world.bridge.status.heartRate != nil)
        world.expectNoBreach()
    }
}
