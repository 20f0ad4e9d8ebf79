// The ring over a card that fails once at any write, read or sync: nothing is told to be stored that is not, and what is
// served again is there once.
import CSQLite
import Ports
@testable import Simulator
import Store
import Testing
import Wire

private final class TestClock: Ports.Clock {
    var now = Instant(milliseconds: 5_000)
    var wall = WallTime(seconds: 1_790_769_600)
    var trusted = true
    var utcOffset_s = 0
    func pass(_ milliseconds: Int64) {
        now = now + milliseconds
        wall.milliseconds += milliseconds
    }
}

private final class Witness: StoreListener {
    var stored: Set<UInt32> = []
    var refused: [UInt32] = []
    var replaced = false
    func stored(_ ticket: UInt32) { stored.insert(ticket) }
    func notStored(_ ticket: UInt32, _ trouble: StoreTrouble) { refused.append(ticket) }
    func storage(has trouble: StoreTrouble?) { if trouble == .replaced { replaced = true } }
}

@Suite struct RingOnDiskTests {
    private static let path = SimulatedDisk.directory + "/nightstand.db"

    enum Call: CaseIterable { case read, write, sync }

    @Test(arguments: Call.allCases) func oneFailedCallAnywhereCostsNothing(_ call: Call) throws {
        var refused = 0
        for spared in 0..<120 {
            let disk = SimulatedDisk(), clock = TestClock(), witness = Witness()
            let ring = Ring(path: Self.path, share: Share(limit: 4 << 20), clock: clock, listener: witness, on: disk)
            switch call {
            case .read: disk.trouble.read = Turn(after: spared)
            case .write: disk.trouble.write = Turn(after: spared)
            case .sync: disk.trouble.sync = Turn(after: spared)
            }
            for ticket in 0..<8 as Range<UInt32> {
                for _ in 0..<3 where !witness.stored.contains(ticket) {
                    ring.apply(.moment(Stamp(clock), .button, ticket: ticket), Array("\(ticket)".utf8).span.bytes)
                    clock.pass(16_000)
                }
            }
            refused += witness.refused.count
            #expect(witness.stored.count == 8, "\(call) \(spared): \(ring.sentence)")
            #expect(!witness.replaced, "\(call) \(spared)")
            ring.close()
            disk.trouble = DiskTrouble()
            let reading = try Database(path: Self.path, .reading, fileLayer: disk.fileLayer)
            #expect(try reading.text("SELECT group_concat(note, '') FROM (SELECT note FROM moment ORDER BY id)") == "01234567", "\(call) \(spared)")
            #expect(try reading.text("PRAGMA integrity_check") == "ok")
        }
        #expect(refused > 5, "no call ever failed")
    }

    @Test func aStallOfSevenSecondsLosesNothing() throws {
        let disk = SimulatedDisk(), clock = TestClock(), witness = Witness()
        disk.onStall = { clock.pass($0) }
        let ring = Ring(path: Self.path, share: Share(limit: 4 << 20), clock: clock, listener: witness, on: disk)
        _ = ring.tick(now: clock.now)
        disk.trouble.stall = Turn()
        let before = clock.now
        ring.apply(.moment(Stamp(clock), .button, ticket: 1), [UInt8]().span.bytes)
        #expect(witness.stored == [1] && clock.now - before == 7_000)
    }
}
