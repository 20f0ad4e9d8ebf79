// The loop is never held up by the card, and hears of every ticket.
import Foundation
import Linux
import Ports
import Synchronization
import Testing
import Wire

private final class BoardClock: Ports.Clock {
    var now: Wire.Instant { Wire.Instant(milliseconds: Int64(ProcessInfo.processInfo.systemUptime * 1000)) }
    var wall: WallTime { WallTime(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }
    let trusted = true
    let utcOffset_s = 0
}

private final class Witness: StoreListener {
    var stored: [UInt32] = []
    var refused: [UInt32] = []
    var troubles: [StoreTrouble?] = []
    func stored(_ ticket: UInt32) { stored.append(ticket) }
    func notStored(_ ticket: UInt32, _ trouble: StoreTrouble) { refused.append(ticket) }
    func storage(has trouble: StoreTrouble?) { troubles.append(trouble) }
}

/// A keeper as slow as it is told to be.
private final class SlowKeeper: Keeper, @unchecked Sendable {
    let listener: any StoreListener
    let delay_us: UInt32
    let applied = Atomic<Int>(0)
    let ticks = Atomic<Int>(0)
    let isClosed = Atomic<Bool>(false)
    init(_ listener: any StoreListener, delay_us: UInt32) {
        self.listener = listener
        self.delay_us = delay_us
    }
    func apply(_ entry: Entry, _ bytes: RawSpan) {
        applied.add(1, ordering: .relaxed)
        guard case .moment(_, _, let ticket) = entry else { return }
        if delay_us > 0 { usleep(delay_us) }
        if ticket % 7 == 3 { listener.notStored(ticket, .full) } else { listener.stored(ticket) }
    }
    func tick(now: Wire.Instant) -> Wire.Instant { ticks.add(1, ordering: .relaxed); return .never }
    func close() { isClosed.store(true, ordering: .relaxed) }
}

@Suite struct StoreThreadTests {
    private func waitUntil(_ seconds: Double, _ condition: () -> Bool) -> Bool {
        let end = Date().addingTimeInterval(seconds)
        while Date() < end {
            if condition() { return true }
            usleep(500)
        }
        return condition()
    }

    @Test func everyTicketComesBackInOrder() throws {
        let clock = BoardClock()
        let thread = try #require(StoreThread(clock: clock))
        let keeper = SlowKeeper(thread, delay_us: 0)
        #expect(thread.start(keeper))
        let witness = Witness()
        let count: UInt32 = 20_000
        for i in 0..<count {
            let isTaken = waitUntil(10) {
                thread.drain(witness)
                return thread.put(.moment(Stamp(clock), .command, ticket: i), RawSpan())
            }
            try #require(isTaken)
        }
        #expect(waitUntil(10) {
            thread.drain(witness)
            return witness.stored.count + witness.refused.count == Int(count)
        })
        #expect(witness.stored == (0..<count).filter { $0 % 7 != 3 })
        #expect(witness.refused == (0..<count).filter { $0 % 7 == 3 })
        thread.stop()
        let isClosed = keeper.isClosed.load(ordering: .relaxed)
        #expect(isClosed)
    }

    @Test func theDescriptorBecomesReadableAndPuttingNeverWaits() throws {
        let clock = BoardClock()
        let thread = try #require(StoreThread(clock: clock))
        #expect(thread.start(SlowKeeper(thread, delay_us: 300_000)))
        // By now it sleeps and has to be woken.
        usleep(200_000)
        let begin = clock.now
        let isTaken = thread.put(.moment(Stamp(clock), .button, ticket: 1), RawSpan())
        #expect(isTaken)
        #expect(clock.now - begin < 100)
        var poll = pollfd(fd: thread.descriptor, events: Int16(POLLIN), revents: 0)
        #expect(Foundation.poll(&poll, 1, 0) == 0)
        #expect(Foundation.poll(&poll, 1, 5000) == 1)
        let witness = Witness()
        thread.drain(witness)
        #expect(witness.stored == [1])
        #expect(Foundation.poll(&poll, 1, 0) == 0)
        thread.stop()
    }

    @Test func aFullQueueSaysSo() throws {
        let clock = BoardClock()
        let thread = try #require(StoreThread(clock: clock))
        let keeper = SlowKeeper(thread, delay_us: 500_000)
        #expect(thread.start(keeper))
        let isTaken = thread.put(.moment(Stamp(clock), .button, ticket: 1), RawSpan())
        #expect(isTaken)
        let frame = [UInt8](repeating: 1, count: 96)
        var taken = 0
        while thread.put(.historyFrame(Stamp(clock)), frame.span.bytes) { taken += 1 }
        #expect(taken > 1000)
        #expect(waitUntil(5) { keeper.applied.load(ordering: .relaxed) == taken + 1 })
        let isTakenAgain = thread.put(.historyFrame(Stamp(clock)), frame.span.bytes)
        #expect(isTakenAgain)
        thread.stop()
        let applied = keeper.applied.load(ordering: .relaxed)
        #expect(applied == taken + 2)
    }

    @Test func anIdleThreadSleeps() throws {
        let thread = try #require(StoreThread(clock: BoardClock()))
        let keeper = SlowKeeper(thread, delay_us: 0)
        #expect(thread.start(keeper))
        usleep(300_000)
        let ticks = keeper.ticks.load(ordering: .relaxed)
        #expect(ticks >= 1 && ticks <= 2)
        thread.stop()
    }

    @Test func anEndWaitsForNobodyWhoNoLongerListens() throws {
        let clock = BoardClock()
        let thread = try #require(StoreThread(clock: clock))
        let keeper = SlowKeeper(thread, delay_us: 0)
        #expect(thread.start(keeper))
        for i in 0..<1_000 {
            let isTaken = thread.put(.moment(Stamp(clock), .command, ticket: UInt32(i)), RawSpan())
            #expect(isTaken)
        }
        thread.stop()
        let applied = keeper.applied.load(ordering: .relaxed)
        #expect(applied == 1_000)
    }
}
