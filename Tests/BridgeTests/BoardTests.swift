// Owns proof of what the button means and what the LED says (failures B27, F5; the tables of the LED's language).
@testable import Bridge
import Ports
import Simulator
import Testing
import Whoop
import Wire

@Suite struct BoardTests {
    @Test(arguments: [(Int64(50), nil as Int64?, Gesture.short), (2_999, nil, .short), (3_000, nil, .long), (9_900, nil, .long), (10_000, nil, .veryLong), (60, 60, .double)])
    func `each length of press has its meaning`(_ first: Int64, _ second: Int64?, _ meaning: Gesture) {
        var reader = GestureReader()
        var heard: [Gesture] = []
        var now: Int64 = 0
        func at(_ ms: Int64, _ body: () -> Gesture?) {
            while now < ms { now += 1; if let g = reader.tick(now: Instant(milliseconds: now)) { heard.append(g) } }
            if let g = body() { heard.append(g) }
        }
        at(100) { reader.button(pressed: true, at: Instant(milliseconds: 100)) }
        at(100 + first) { reader.button(pressed: false, at: Instant(milliseconds: 100 + first)) }
        if let second {
            at(300 + first) { reader.button(pressed: true, at: Instant(milliseconds: 300 + first)) }
            at(300 + first + second) { reader.button(pressed: false, at: Instant(milliseconds: 300 + first + second)) }
        }
        at(30_000) { nil }
        #expect(heard == [meaning])
    }

    @Test func `ten seconds are decided at ten seconds, three on release`() {
        var reader = GestureReader()
        _ = reader.button(pressed: true, at: Instant(milliseconds: 0))
        #expect(reader.tick(now: Instant(milliseconds: 9_999)) == nil)
        #expect(reader.tick(now: Instant(milliseconds: 10_000)) == .veryLong)
        #expect(reader.button(pressed: false, at: Instant(milliseconds: 12_000)) == nil)
    }

    @Test func `a short press is a row first, and then one buzz`() {
        let world = World.settled(.whoop4)
        defer { world.end() }
        world.run(seconds: 30)
        world.store.health = .holding
        world.button.press(for: 100)
        world.run(seconds: 3)
        #expect(world.strap.buzzes.isEmpty)
        world.store.health = .working
        world.run(seconds: 2)
        #expect(world.moments == [.button])
        #expect(world.strap.buzzes.count == 1 && world.bridge.moments == 1)
        world.expectNoBreach()
    }

    @Test func `a moment that cannot be kept is refused on the LED and does not buzz`() {
        let world = World.settled(.whoop4)
        defer { world.end() }
        world.run(seconds: 30)
        world.store.health = .refusing(.full)
        world.indicator.forget()
        world.button.press(for: 100)
        world.run(seconds: 2)
        #expect(world.strap.buzzes.isEmpty && world.bridge.moments == 0)
        #expect(world.indicator.changes.filter { $0.light == .red }.count >= 3)
        world.expectNoBreach()
    }

    @Test func `a double press buzzes and marks nothing; without a link the LED refuses`() {
        let world = World.settled(.whoop5)
        defer { world.end() }
        world.run(seconds: 30)
        func pressTwice() {
            world.button.press(for: 80)
            world.run(for: 200)
            world.button.press(for: 80)
            world.run(seconds: 1)
        }
        pressTwice()
        #expect(world.strap.buzzes.count == 1 && world.moments.isEmpty)
        world.strap.isInReach = false
        world.radio.breakLink(.timeout)
        world.run(seconds: 15)
        world.indicator.forget()
        pressTwice()
        #expect(world.strap.buzzes.count == 1)
        #expect(world.indicator.changes.contains { $0.light == .red })
        world.expectNoBreach()
    }

    @Test func `held for three seconds the LED says so and release opens pairing; held for ten the strap is forgotten`() {
        let world = World.settled(.whoop4)
        defer { world.end() }
        world.run(seconds: 30)
        world.button.press(for: 11_000)
        world.run(for: 2_900)
        #expect(world.bridge.lamp.signal != .holding)
        world.run(for: 200)
        #expect(world.bridge.lamp.signal == .holding)
        world.run(for: 6_800)
        #expect(world.isPaired)
        world.run(for: 200)
        #expect(!world.isPaired && world.bridge.roster.active == nil)
        world.run(seconds: 2)
        world.button.press(for: 3_200)
        world.run(seconds: 4)
        #expect(world.bridge.pairing.isOpen && world.bridge.lamp.signal == .pairing)
        world.expectNoBreach()
    }

    @Test(arguments: [(UInt8(99), 0), (100, 1), (119, 1), (120, 2), (140, 3), (160, 4), (179, 4), (180, 5), (229, 5)])
    func `the zone of a heart rate is shown in its colour and number of flashes`(_ bpm: UInt8, _ zone: Int) {
        var settings = Settings()
        settings.hrMax = 200
        let world = World.settled(.whoop4, settings: settings) { $0.strap.fixedHeartRate = bpm }
        defer { world.end() }
        world.run(seconds: 20)
        #expect(world.bridge.lamp.signal == .zone(zone))
        world.indicator.forget()
        let pattern = LampSignal.zone(zone).pattern
        world.run(for: pattern.cycle_ms * 5)
        let lit = world.indicator.changes.filter { !$0.light.isEmpty }
        #expect(lit.allSatisfy { $0.light == pattern.light })
        #expect((pattern.flashes * 5 - 1...pattern.flashes * 5 + 1).contains(lit.count))
    }

    @Test func `ten seconds without a heart rate are no data, and never the zone of before`() {
        let world = World.settled(.whoop4)
        defer { world.end() }
        world.run(seconds: 30)
        #expect(world.bridge.lamp.signal == .zone(0))
        world.strap.quirks.isDead = true
        world.run(for: 9_000)
        #expect(world.bridge.lamp.signal == .zone(0))
        world.run(for: 2_000)
        #expect(world.bridge.lamp.signal == .noData)
        world.expectNoBreach()
    }

    @Test func `after a reconnect nothing is shown of the heart rate before it`() {
        let world = World.settled(.whoop4) { $0.strap.fixedHeartRate = 180 }
        defer { world.end() }
        world.run(seconds: 30)
        world.strap.isInReach = false
        world.radio.breakLink(.timeout)
        world.run(for: 100)
        #expect(world.bridge.lamp.signal == .noLink)
        world.strap.fixedHeartRate = 60
        world.strap.isInReach = true
        var seen: [LampSignal] = []
        for _ in 0..<200 {
            world.run(for: 100)
            if seen.last != world.bridge.lamp.signal { seen.append(world.bridge.lamp.signal) }
        }
        #expect(!seen.contains(.zone(5)) && seen.last == .zone(0))
    }

    @Test func `history without a heart rate is shown as syncing`() {
        let world = World.settled(.whoop4, history_s: 2_000) { $0.strap.isWorn = false }
        defer { world.end() }
        #expect(world.run(atMost: 30_000) { world.store.bursts.count > 2 })
        #expect(world.bridge.lamp.signal == .syncing)
        world.run(seconds: 60)
        #expect(world.bridge.lamp.signal == .noData)
    }

    @Test func `no strap, no link and no radio each have a signal of their own`() {
        let world = World(.whoop4)
        defer { world.end() }
        world.start()
        world.run(seconds: 2)
        #expect(world.bridge.lamp.signal == .noStrap)
        world.radio.become(.blocked)
        world.run(seconds: 5)
        #expect(world.bridge.lamp.signal == .trouble(.radio))
        let signals: [LampSignal] = [.noStrap, .noLink, .noData, .syncing, .pairing, .holding, .refused]
            + (0...5).map { .zone($0) } + [.trouble(.radio), .trouble(.storage), .trouble(.clock), .trouble(.nightMissing)]
        for (i, a) in signals.enumerated() { for b in signals[(i + 1)...] { #expect(a.pattern != b.pattern, "\(a) looks like \(b)") } }
    }
}
