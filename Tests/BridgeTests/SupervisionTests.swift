// Owns proof that what the bridge does by itself is bounded and heals, and that a person is told (failures A6, A10, A24, B13).
@testable import Bridge
import Ports
import Simulator
import Testing
import Whoop
import Wire

@Suite struct SupervisionTests {
    @Test(arguments: [RadioCondition.absent, .blocked, .busy, .forbidden, .unsupported, .unresponsive])
    func `a radio that cannot be used is named, and everything goes on when the cause is gone`(_ condition: RadioCondition) {
        let world = World.settled(.whoop4)
        defer { world.end() }
        world.run(seconds: 20)
        world.radio.become(condition)
        world.run(seconds: 70)
        #expect(!world.radio.isUp)
        #expect(world.bridge.alert.trouble == .radio)
        #expect(world.bridge.status.sentence == condition.sentence && !condition.sentence.isEmpty)
        let attempts = world.radio.attempts.count
        world.run(seconds: 3_600)
        #expect(world.radio.attempts.count == attempts)
        world.radio.become(.ready)
        #expect(world.run(atMost: 20_000) { world.bridge.session?.isSession == true })
        world.run(seconds: 10)
        #expect(world.bridge.alert.trouble == nil)
        world.expectNoBreach()
    }

    @Test func `a start without a radio waits for it`() {
        let world = World(.whoop4)
        defer { world.end() }
        world.radio.startsAs = .absent
        world.start()
        world.run(seconds: 3_600)
        #expect(world.bridge.status.sentence == RadioCondition.absent.sentence)
        world.radio.startsAs = .ready
        world.radio.become(.ready)
        world.run(seconds: 1)
        world.bridge.openPairing(nil)
        #expect(world.run(atMost: 20_000) { world.isPaired })
        world.expectNoBreach()
    }

    @Test(arguments: [LinkLoss.Cause.remote, .timeout, .other(62)])
    func `links that break at once are made more and more rarely, and the adapter is power-cycled once`(_ cause: LinkLoss.Cause) {
        let world = World.settled(.whoop4)
        defer { world.end() }
        world.run(seconds: 90)
        let began = world.radio.attempts.count
        let end = world.clock.now + 3_600_000
        while world.clock.now < end {
            if world.radio.isUp { world.radio.breakLink(cause) }
            world.run(for: 500)
        }
        let attempts = world.radio.attempts.count - began
        #expect(attempts >= 50 && attempts <= 75, "\(attempts) in an hour")
        #expect(world.radio.powerCycles <= 2)
        // A strap that stays is kept, and the pause begins anew.
        #expect(world.run(atMost: 120_000) { world.radio.isUp })
        world.run(seconds: 120)
        world.radio.breakLink(cause)
        let broken = world.clock.now
        #expect(world.run(atMost: 10_000) { world.radio.isUp })
        #expect(world.clock.now - broken < 5_000)
        world.expectNoBreach()
    }

    @Test func `after five refusals of our key a strap is asked every ten minutes, until a person comes`() {
        var supervisor = Supervisor()
        var now = Instant(milliseconds: 0)
        #expect(supervisor.take(.radioReady, hasStrap: true, windowOpen: false, now: now) == .connect)
        var attempts = 1
        while now.milliseconds < 24 * 3_600_000 {
            _ = supervisor.take(.linkDown(LinkLoss(.authentication, wasUp: false)), hasStrap: true, windowOpen: false, now: now)
            now = supervisor.deadline
            if supervisor.take(.restOver, hasStrap: true, windowOpen: false, now: now) == .connect { attempts += 1 }
        }
        #expect(attempts <= 24 * 6 + 6)
        _ = supervisor.take(.linkDown(LinkLoss(.authentication, wasUp: false)), hasStrap: true, windowOpen: false, now: now)
        #expect(supervisor.take(.windowOpened, hasStrap: true, windowOpen: true, now: now) == .connect)
    }

    @Test func `a connect that was not reached is asked for again after a second, for ever`() {
        var supervisor = Supervisor()
        var now = Instant(milliseconds: 0)
        _ = supervisor.take(.radioReady, hasStrap: true, windowOpen: false, now: now)
        for _ in 0..<1_000 {
            let order = supervisor.take(.linkDown(LinkLoss(.notReached, wasUp: false)), hasStrap: true, windowOpen: false, now: now)
            #expect(order == .rest)
            #expect(supervisor.deadline - now == 1_000)
            now = supervisor.deadline + 40_000
            #expect(supervisor.take(.restOver, hasStrap: true, windowOpen: false, now: now) == .connect)
        }
    }

    @Test func `a strap that is away for two days costs one pending connect and next to no words`() {
        let world = World.settled(.whoop5)
        defer { world.end() }
        world.run(seconds: 20)
        world.strap.isInReach = false
        world.radio.breakLink(.timeout)
        world.run(seconds: 60)
        let (attempts, lines, saves) = (world.radio.attempts.count, world.log.lines.count, world.notebook.saves)
        world.run(seconds: 48 * 3_600)
        #expect(world.radio.attempts.count == attempts && !world.radio.isScanning)
        #expect(world.log.lines.count - lines <= 4)
        #expect(world.notebook.saves == saves)
        world.strap.isInReach = true
        #expect(world.run(atMost: 5_000) { world.radio.isUp })
        world.expectNoBreach()
    }

    @Test func `every state of the supervisor has an answer to every event`() {
        let events: [Supervisor.Event] = [.radioReady, .radioGone, .strapChosen, .strapForgotten, .windowOpened, .windowClosed, .linkUp,
            .linkDown(LinkLoss(.timeout, wasUp: true)), .linkDown(LinkLoss(.authentication, wasUp: false)), .restOver]
        var chance = Chance(seed: 7)
        var supervisor = Supervisor()
        var now = Instant(milliseconds: 0)
        for _ in 0..<20_000 {
            now = now + Int64(chance.below(5_000))
            let event = events[Int(chance.below(UInt64(events.count)))]
            let order = supervisor.take(event, hasStrap: chance.below(2) == 0, windowOpen: chance.below(2) == 0, now: now)
            if order == .rest { #expect(supervisor.state == .resting && supervisor.deadline > now) }
            if order == .connect { #expect(supervisor.state == .connecting) }
            if order == .scan { #expect(supervisor.state == .searching) }
        }
    }

    // MARK: alerts

    /// 2026-06-01 23:00:00 UTC.
    static let evening = WallTime(seconds: 1_780_354_800)

    @Test func `a night that has not arrived by its hour is an alert, which goes when it comes`() {
        let world = World.settled(.whoop4, wall: Self.evening)
        defer { world.end() }
        world.run(seconds: 60)
        world.strap.isInReach = false
        world.radio.breakLink(.timeout)
        world.run(to: Instant(milliseconds: 10 * 3_600_000 + 3_590_000))
        #expect(world.bridge.alert.trouble == nil)
        world.run(seconds: 700)
        #expect(world.bridge.alert.trouble == .nightMissing)
        #expect(world.bridge.lamp.signal == .trouble(.nightMissing))
        #expect(world.reasons(containing: "Last night has not arrived") == 1)
        world.strap.isInReach = true
        #expect(world.run(atMost: 600_000) { world.bridge.alert.trouble == nil })
        world.run(seconds: 900)
        #expect(world.bridge.frontier > world.clock.wall.seconds - 1_800)
        world.expectNoBreach()
    }

    @Test func `the hour of the night is local, and off is off`() {
        for (nightBy, offset, expected) in [(600 as Int?, 7_200, true), (600, 0, false), (nil, 7_200, false)] {
            var settings = Settings()
            settings.nightBy = nightBy
            let world = World.settled(.whoop4, settings: settings, wall: Self.evening) { $0.clock.utcOffset_s = offset }
            world.run(seconds: 60)
            world.strap.isInReach = false
            world.radio.breakLink(.timeout)
            world.run(seconds: 9 * 3_600 + 1_800)  // 08:30 UTC
            #expect((world.bridge.alert.trouble == .nightMissing) == expected)
            world.end()
        }
    }

    @Test func `a strap paired in the evening owes no night`() {
        let world = World.settled(.whoop4, wall: Self.evening) { $0.strap.isWorn = false }
        defer { world.end() }
        world.run(seconds: 1_800)
        #expect(world.bridge.alert.trouble == nil)
        #expect(world.reasons(containing: "Last night") == 0)
    }

    @Test func `storage that fails is an alert at once, and live rows that find no room are counted`() {
        let world = World.settled(.whoop4)
        defer { world.end() }
        world.run(seconds: 20)
        world.bridge.storage(has: .failed(10))
        world.run(seconds: 6)
        #expect(world.bridge.alert.trouble == .storage && world.bridge.status.sentence.contains("SQLite 10"))
        // A heart that beats hides no trouble.
        #expect(world.bridge.status.heartRate != nil && world.bridge.lamp.signal == .trouble(.storage))
        world.bridge.storage(has: nil)
        world.run(seconds: 6)
        #expect(world.bridge.alert.trouble == nil)
        world.store.health = .fullQueue
        world.run(seconds: 10)
        world.store.health = .working
        world.radio.breakLink(.timeout)
        world.run(seconds: 1)
        #expect(world.reasons(containing: "found no room") == 1)
        world.expectNoBreach()
    }

    @Test func `a clock that stays untrusted is an alert after ten minutes`() {
        let world = World.settled(.whoop4) { $0.clock.trusted = false }
        defer { world.end() }
        world.run(seconds: 500)
        #expect(world.bridge.alert.trouble == nil)
        world.run(seconds: 200)
        #expect(world.bridge.alert.trouble == .clock)
        world.clock.trusted = true
        world.run(seconds: 30)
        #expect(world.bridge.alert.trouble == nil)
    }

    @Test func `status says when history did not come, and calls nothing up to date then`() {
        let world = World.settled(.whoop4, history_s: 300) { $0.strap.isWorn = false }
        defer { world.end() }
        world.run(seconds: 60)
        world.bridge.offloadEnded(.unanswered)
        #expect(world.bridge.status.sentence.hasPrefix("History did not come in"))
        #expect(world.bridge.sync())
        world.run(seconds: 60)
        #expect(world.bridge.status.sentence == "The strap is not worn; history is up to date.")
    }

    @Test func `a strap that lies on the table for a day is up to date all the time`() {
        let world = World.settled(.whoop4) { $0.strap.isWorn = false }
        defer { world.end() }
        for _ in 0..<96 {
            world.run(seconds: 900)
            #expect(world.bridge.status.truths.history)
        }
        world.expectNoBreach()
    }
}
