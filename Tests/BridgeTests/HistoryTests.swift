// Owns proof that history is acknowledged when it is durable and never before, and that nothing is lost or stopped by
// what can go wrong on the way (failures B1, B3, B5, B13-B18, B32).
@testable import Bridge
import Ports
import Simulator
import Testing
import Whoop
import Wire

@Suite struct HistoryTests {
    @Test(arguments: bothFamilies) func `a night is taken whole, burst by burst, each acknowledged after it was stored`(_ family: Family) {
        let world = World.settled(family, history_s: 3_000)
        defer { world.end() }
        world.run(seconds: 60)
        world.expectCompleteHistory(1_000..<4_000)
        #expect(world.committedRecords.count == Set(world.committedRecords).count)
        #expect(world.strap.released.prefix(60) == world.store.bursts.prefix(60).map { $0.end.token }[...])
        #expect(world.bridge.frontier > world.clock.wall.seconds - 120)
        world.expectNoBreach()
    }

    @Test(arguments: bothFamilies) func `while the store holds its answer nothing is acknowledged, however often the strap serves again`(_ family: Family) {
        let world = World.settled(family, history_s: 500) { $0.store.health = .holding }
        defer { world.end() }
        world.run(seconds: 60)
        #expect(world.told(23).isEmpty && world.strap.released.isEmpty)
        #expect(world.strap.servings >= 4)
        world.store.health = .working
        world.run(seconds: 60)
        world.expectCompleteHistory(1_000..<1_500)
        world.expectNoBreach()
    }

    @Test(arguments: bothFamilies) func `a store slower than the strap's patience still gets on`(_ family: Family) {
        let world = World.settled(family, history_s: 200) { $0.store.latency_ms = 11_000 }
        defer { world.end() }
        world.run(seconds: 240)
        world.expectCompleteHistory(1_000..<1_200)
        #expect(world.committedRecords.count == Set(world.committedRecords).count)
        world.expectNoBreach()
    }

    @Test(arguments: bothFamilies) func `what is not stored is not acknowledged: history is aborted and goes on when storage heals`(_ family: Family) {
        let world = World.settled(family, history_s: 500) { $0.store.health = .refusing(.full) }
        defer { world.end() }
        world.run(seconds: 60)
        #expect(world.told(20).count == 1 && world.told(23).isEmpty)
        #expect(world.bridge.alert.trouble == .storage)
        #expect(world.reasons(containing: "could not be made durable") == 1)
        world.store.health = .working
        world.bridge.storage(has: nil)
        world.run(seconds: 60)
        world.expectCompleteHistory(1_000..<1_500)
        #expect(world.bridge.alert.trouble == nil)
        world.expectNoBreach()
    }

    @Test func `a full queue withholds the acknowledgement, and nothing of the burst is lost`() {
        let world = World.settled(.whoop4, history_s: 200)
        defer { world.end() }
        world.run(seconds: 5)
        world.strap.remember(seconds: 200)
        let all = 1_000..<world.strap.nextCounter / 10 * 10
        _ = world.bridge.sync()
        world.run(for: 300)
        world.store.health = .fullQueue
        world.run(for: 50)
        world.store.health = .working
        world.run(seconds: 60)
        world.expectCompleteHistory(all)
        #expect(world.store.bursts.allSatisfy { $0.frames.count == $0.end.announced })
        world.expectNoBreach()
    }

    @Test(arguments: bothFamilies) func `a short burst is not acknowledged, is asked for again, and passes whole`(_ family: Family) {
        let world = World.settled(family, history_s: 200) { $0.strap.quirks.missing = ([7, 8], 1) }
        defer { world.end() }
        world.run(seconds: 60)
        world.expectCompleteHistory(1_000..<1_200)
        #expect(world.told(20).count >= 1)
        #expect(world.store.bursts.allSatisfy { $0.end.received == $0.end.announced })
        #expect(world.reasons(containing: "was not acknowledged") >= 1)
        #expect(world.committedRecords.count == Set(world.committedRecords).count)
        world.expectNoBreach()
    }

    @Test(arguments: bothFamilies) func `the third serving that is short in the same way is passed with a gap`(_ family: Family) {
        let world = World.settled(family, history_s: 100) { $0.strap.quirks.missing = ([7], 1_000); $0.strap.isWorn = false }
        defer { world.end() }
        world.run(seconds: 60)
        let gaps = world.store.entries.compactMap { if case .gap(_, let from, let to) = $0.entry { (from, to) } else { nil } }
        #expect(world.store.bursts.count == 2)
        #expect(gaps.count == 2)
        #expect(gaps.allSatisfy { $0.0 > 1_700_000_000 && $0.1 >= $0.0 })
        #expect(world.strap.servings == 6)
        #expect(world.strap.trim >= 1_100)
        #expect(Set(world.committedRecords).count == 98)
        world.expectNoBreach()
    }

    @Test(arguments: bothFamilies) func `a burst with a damaged frame is served again`(_ family: Family) {
        let world = World.settled(family, history_s: 200) { $0.strap.quirks.damagedServings = 1 }
        defer { world.end() }
        world.run(seconds: 60)
        world.expectCompleteHistory(1_000..<1_200)
        #expect(world.store.bursts.allSatisfy { $0.end.received == $0.end.announced })
        world.expectNoBreach()
    }

    @Test(arguments: [UInt64(1), 2, 3]) func `with a bit in a hundred notifications flipped everything arrives in the end`(_ seed: UInt64) {
        let world = World.settled(.whoop4, history_s: 1_000, seed: seed) { $0.radio.flipsOneIn = 100 }
        defer { world.end() }
        world.run(seconds: 1_500)
        world.expectCompleteHistory(1_000..<2_000)
        world.expectNoBreach()
    }

    @Test func `an END with a token of all ones is not acknowledged, and the link stays up over hours of nothing new`() {
        let world = World.settled(.whoop5, history_s: 100) {
            $0.strap.quirks.endsWithSentinel = true
            $0.strap.records = false
        }
        defer { world.end() }
        world.run(seconds: 30)
        let acknowledged = world.told(23).count
        #expect(acknowledged == 2)
        world.run(seconds: 4 * 3600)
        #expect(world.strap.links == 1)
        #expect(world.told(23).count == acknowledged)
        #expect(world.reasons(containing: "fell silent") == 0)
        #expect(world.bridge.lastOffload == .complete)
        world.expectNoBreach()
    }

    @Test func `empty offloads become rarer: never more than four in the first quarter of an hour, thirty in a day`() {
        let world = World.settled(.whoop4, history_s: 100) { $0.strap.isWorn = false }
        defer { world.end() }
        world.run(seconds: 900)
        #expect(world.told(22).count <= 3)
        world.run(seconds: 24 * 3600)
        #expect(world.told(22).count <= 30)
        #expect(world.told(22).count >= 24)
        world.expectNoBreach()
    }

    @Test(arguments: bothFamilies) func `history follows the wearer: it is never more than half an hour behind`(_ family: Family) {
        let world = World.settled(family)
        defer { world.end() }
        for _ in 0..<24 {
            world.run(seconds: 600)
            #expect(world.clock.wall.seconds - world.bridge.frontier < 1_800)
        }
        world.expectNoBreach()
    }

    @Test func `history that stops in the middle is asked for again, and a link on which it stops twice is made anew`() {
        let world = World.settled(.whoop4, history_s: 200) { $0.strap.quirks.stalls = 4 }
        defer { world.end() }
        world.run(seconds: 600)
        world.expectCompleteHistory(1_000..<1_200)
        #expect(world.strap.links <= 3)
        world.expectNoBreach()
    }

    @Test(arguments: bothFamilies) func `a link lost at any frame of an offload costs nothing`(_ family: Family) {
        // The offload of 60 s of history takes about 70 notifications; each is the last one once.
        for lastOne in 0..<90 {
            let world = World(family)
            world.strap.remember(seconds: 60)
            world.strap.isInPairingMode = true
            world.strap.isWorn = false
            world.start()
            world.bridge.openPairing(nil)
            _ = world.run(atMost: 30_000) { world.told(22).count == 1 }
            world.radio.losesAfter = lastOne
            world.run(seconds: 30)
            #expect(world.strap.links == 2, "lost after \(lastOne)")
            world.expectCompleteHistory(1_000..<1_060)
            // A burst can be committed twice only where its acknowledgement was lost on the way.
            let twice = world.committedRecords.count - Set(world.committedRecords).count
            #expect(twice == 0 || twice == 10 || twice == 50, "lost after \(lastOne): \(twice) twice")
            world.expectNoBreach()
            world.end()
        }
    }

    @Test func `a power cut at any moment of an offload costs nothing`() {
        for cut in stride(from: Int64(0), through: 1_500, by: 23) {
            let world = World(.whoop4)
            world.strap.remember(seconds: 100)
            world.strap.isWorn = false
            world.start()
            world.bridge.openPairing(nil)
            _ = world.run(atMost: 30_000) { world.told(22).count == 1 }
            world.run(for: cut)
            world.restart()
            world.run(seconds: 30)
            world.expectCompleteHistory(1_000..<1_100)
            world.expectNoBreach()
            world.end()
        }
    }

    @Test(arguments: bothFamilies) func `a buzz asked for in the middle of an offload is felt within a second`(_ family: Family) {
        let world = World.settled(family, history_s: 3_000)
        defer { world.end() }
        #expect(world.run(atMost: 60_000) { world.store.bursts.count > 3 })
        #expect(world.bridge.session?.offload.isRunning == true)
        let asked = world.clock.now
        #expect(world.bridge.buzz())
        #expect(world.run(atMost: 1_000) { world.strap.buzzes.count == 1 })
        #expect(world.clock.now - asked <= 1_000)
        world.run(seconds: 60)
        world.expectCompleteHistory(1_000..<4_000)
        #expect(world.strap.buzzes.count == 1)
        world.expectNoBreach()
    }

    @Test(arguments: bothFamilies) func `a double tap marks one moment during an offload, and yesterday's taps in history mark none`(_ family: Family) {
        let world = World.settled(family, history_s: 3_000) {
            for hours in 1...5 { $0.strap.remember(event: 14, secondsAgo: UInt32(hours) * 3_600) }
        }
        defer { world.end() }
        #expect(world.run(atMost: 60_000) { world.store.bursts.count > 3 })
        #expect(world.moments.isEmpty)
        world.strap.doubleTap()
        world.run(seconds: 60)
        #expect(world.moments == [.strapTap])
        #expect(world.bridge.moments == 1)
        world.expectNoBreach()
    }

    @Test func `a record that nobody can decode is kept raw and acknowledged`() {
        let world = World.settled(.whoop4, history_s: 100) { $0.strap.quirks.unknownVersion = 99 }
        defer { world.end() }
        world.run(seconds: 30)
        #expect(world.store.bursts.count == 2)
        #expect(world.store.bursts[0].frames.filter { $0.count > 5 && $0[4] == 47 && $0[5] == 99 }.count == 50)
        world.expectNoBreach()
    }

    @Test(arguments: bothFamilies) func `a burst of which the store had no room for a frame is never passed, however often it is served`(_ family: Family) {
        let world = World.settled(family, history_s: 100) { $0.strap.isWorn = false }
        defer { world.end() }
        world.run(seconds: 30)
        let first = world.strap.nextCounter
        world.strap.remember(seconds: 50)
        world.store.refusesFrame = 20
        _ = world.bridge.sync()
        world.run(seconds: 60)
        #expect(world.strap.servings >= 6)
        #expect(world.strap.trim == first)
        #expect(world.reasons(containing: "no room for a frame") >= 3)
        world.store.refusesFrame = nil
        world.run(seconds: 30)
        world.expectCompleteHistory(first..<(first + 50))
        #expect(world.store.bursts.allSatisfy { $0.frames.count == $0.end.announced })
        world.expectNoBreach()
    }

    @Test(arguments: bothFamilies) func `frames of a burst that never ended are not in the burst after it`(_ family: Family) {
        let world = World.settled(family, history_s: 100) { $0.strap.isWorn = false }
        defer { world.end() }
        world.run(seconds: 30)
        world.strap.remember(seconds: 100)
        _ = world.bridge.sync()
        #expect(world.run(atMost: 10_000) { (world.bridge.session?.offload.received ?? 0) > 10 })
        world.strap.completeEarly()
        world.run(seconds: 2)
        _ = world.bridge.sync()
        world.run(seconds: 30)
        #expect(world.store.bursts.allSatisfy { $0.frames.count == $0.end.announced })
        world.expectNoBreach()
    }
}
