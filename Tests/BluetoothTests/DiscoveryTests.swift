// Owns proof that a peer's handles are learned from any sound answer, and that no unsound one traps, loops or is believed.
@testable import Bluetooth
import Testing
import Wire

@Suite struct DiscoveryTests {
    static let vendor = UUID128(high: 0xfd4b_0001_cce1_4033, low: 0x93ce_002d_5875_f58a)
    static func name(_ number: UInt16) -> [UInt8] {
        [0x8a, 0xf5, 0x75, 0x58, 0x2d, 0x00, 0xce, 0x93, 0x33, 0x40, 0xe1, 0xcc, UInt8(number & 0xff), UInt8(number >> 8), 0x4b, 0xfd]
    }

    /// Runs a discovery against answers; nil: the answers ran out.
    func discover(_ wanted: [UUID128], _ answers: [[UInt8]], limit: Int = 300) -> (Discovery.Progress, HandleTable, [[UInt8]]) {
        let script = Script()
        let box = Box(wanted)
        var progress = Discovery.Progress.going
        script.onEnd = { request, outcome in progress = box.discovery.take(outcome, of: request, script.client, now: script.now) }
        box.discovery.begin(script.client, now: script.now)
        for answer in answers.prefix(limit) where progress == .going { script.hear(answer) }
        return (progress, box.discovery.table, script.sent)
    }

    final class Box {
        var discovery: Discovery
        init(_ wanted: [UUID128]) { discovery = Discovery(wanted: wanted) }
    }

    static let sound: [[UInt8]] = [
        [0x11, 6, 1, 0, 5, 0, 0x00, 0x18, 0x10, 0, 0x13, 0, 0x0d, 0x18],
        [0x11, 20, 0x20, 0, 0xff, 0xff] + name(1),
        [0x09, 7, 0x11, 0, 0x10, 0x12, 0, 0x37, 0x2a],
        [0x01, 0x08, 0x12, 0, 0x0a],
        [0x09, 21, 0x21, 0, 0x08, 0x22, 0] + name(2) + [0x23, 0, 0x10, 0x24, 0] + name(5),
        [0x01, 0x08, 0x24, 0, 0x0a],
        [0x05, 1, 0x13, 0, 0x02, 0x29],
        [0x05, 1, 0x25, 0, 0x02, 0x29],
    ]

    @Test func `services that are wanted are looked into, and the configuration of what notifies is found`() {
        let (progress, table, sent) = discover([Self.vendor, UUID128(short: 0x180d)], Self.sound)
        #expect(progress == .complete)
        #expect(table.count == 3)
        let rate = table.find(UUID128(short: 0x2a37))
        #expect(rate?.value == 0x12 && rate?.configuration == 0x13 && rate?.last == 0x13)
        let command = table.find(UUID128(Self.name(2).span.bytes)!)
        #expect(command?.value == 0x22 && command?.last == 0x22 && command?.configuration == 0)
        let data = table.find(UUID128(Self.name(5).span.bytes)!)
        #expect(data?.value == 0x24 && data?.configuration == 0x25 && data?.last == 0xffff)
        #expect(sent.first == [0x10, 1, 0, 0xff, 0xff, 0x00, 0x28])
        #expect(sent[2] == [0x08, 0x10, 0, 0x13, 0, 0x03, 0x28])
    }

    @Test func `a peer without the service has an empty table`() {
        let (progress, table, _) = discover([Self.vendor], [[0x11, 6, 1, 0, 5, 0, 0x00, 0x18], [0x01, 0x10, 6, 0, 0x0a]])
        #expect(progress == .complete && table.count == 0)
    }

    @Test func `an error that is no end of a list fails the discovery`() {
        let (progress, _, _) = discover([Self.vendor], [[0x01, 0x10, 1, 0, 0x0e]])
        #expect(progress == .failed)
    }

    @Test func `a peer that always answers the same list does not hold the discovery for ever`() {
        let again = [UInt8](Self.sound[0])
        let (progress, _, sent) = discover([Self.vendor], Array(repeating: again, count: 300))
        #expect(progress != .going, "still asking after \(sent.count) requests")
    }

    @Test(arguments: [UInt64(11), 12, 13])
    func `no answer traps a discovery, and it always ends`(_ seed: UInt64) {
        var chance = Chance(state: seed)
        for _ in 0..<500 {
            var answers: [[UInt8]] = []
            for _ in 0..<2_000 {
                var pdu = Self.sound[Int(chance.next() % UInt64(Self.sound.count))]
                for _ in 0..<(chance.next() % 4) { pdu[Int(chance.next() % UInt64(pdu.count))] = UInt8(truncatingIfNeeded: chance.next()) }
                if chance.next() % 3 == 0 { pdu.removeLast(Int(chance.next() % UInt64(pdu.count))) }
                if !pdu.isEmpty { answers.append(pdu) }
            }
            let (progress, table, sent) = discover([Self.vendor, UUID128(short: 0x180d)], answers, limit: 2_000)
            #expect(progress != .going || sent.count < 1_000)
            #expect(table.count <= 32)
        }
    }
}
