import Testing
import Wire
@testable import Bluetooth

struct ManagementEventTests {
    @Test func noPacketTrapsAtAnyLength() {
        // Every event number, every length up to one past what any needs, two fillings.
        for fill in [UInt8(0), 0xff] {
            for code in 0...0x40 {
                for length in 0...48 {
                    let packet = [UInt8(code), 0, 0, 0, UInt8(length), 0] + [UInt8](repeating: fill, count: length)
                    for cut in Set([0, 1, 5, 6, packet.count - 1, packet.count]) where cut <= packet.count {
                        var index: UInt16 = 0
                        _ = ManagementEvent.read(packet.span.bytes.extracting(0..<max(0, cut)), index: &index)
                    }
                }
            }
        }
    }

    @Test func everyReasonIsKept() {
        for reason in UInt8.min...UInt8.max {
            let packet: [UInt8] = [0x0c, 0, 3, 0, 8, 0, 1, 2, 3, 4, 5, 6, 1, reason]
            var index: UInt16 = 0
            guard case .disconnected(let peer, let told) = ManagementEvent.read(packet.span.bytes, index: &index) else {
                Issue.record("not read")
                continue
            }
            #expect(told.code == reason && index == 3 && peer.type == .publicLE)
        }
    }

    @Test func aPeerThatIsNotLEIsNoPeer() {
        let packet: [UInt8] = [0x0b, 0, 0, 0, 13, 0, 1, 2, 3, 4, 5, 6, 0, 0, 0, 0, 0, 0, 0]
        var index: UInt16 = 0
        guard case .other(0x0b) = ManagementEvent.read(packet.span.bytes, index: &index) else {
            Issue.record("a BR/EDR peer was taken")
            return
        }
    }

    @Test func aLengthThatRunsPastTheEndIsNotBelieved() {
        // Device Found that announces four bytes of data and brings three.
        let packet: [UInt8] = [0x12, 0, 0, 0, 17, 0, 1, 2, 3, 4, 5, 0xc6, 2, 0xce, 0, 0, 0, 0, 4, 0, 2, 1, 6]
        var index: UInt16 = 0
        guard case .other(0x12) = ManagementEvent.read(packet.span.bytes, index: &index) else {
            Issue.record("it was believed")
            return
        }
    }
}

struct KeyRingTests {
    static let adapter = Address("00:1A:7D:DA:71:13")!
    static func key(_ last: UInt8, central: Bool = false, kind: UInt8 = 0) -> LongTermKey {
        LongTermKey(peer: Peer(Address("F0:F1:F2:F3:F4:\(hexPair(last))")!, .randomLE), kind: kind, isCentral: central, size: 16,
            diversifier: 0x0538, random: 0xf8eb_295b_bdc4_9afe, low: 0x0123_4567_89ab_cdef, high: 0xfedc_ba98_7654_3210 &+ UInt64(last))
    }

    @Test func theTextGivesBackTheSameKeys() throws {
        var ring = KeyRing()
        for key in [Self.key(1), Self.key(1, central: true), Self.key(2)] { _ = ring.put(key) }
        #expect(ring.keys.count == 3)
        let text = ring.text(of: Self.adapter)
        #expect(KeyRing(text, adapter: Self.adapter) == ring)
        #expect(String(decoding: text, as: UTF8.self).contains("key F0:F1:F2:F3:F4:01 random 0 central 16 0538 f8eb295bbdc49afe 0123456789abcdef"))
    }

    @Test func oneChangedByteAnywhereIsNoRing() {
        var ring = KeyRing()
        _ = ring.put(Self.key(1))
        let text = ring.text(of: Self.adapter)
        for i in text.indices {
            var broken = text
            broken[i] ^= 0x01
            #expect(KeyRing(broken, adapter: Self.adapter) == nil)
            #expect(KeyRing(Array(text[..<i]), adapter: Self.adapter) == nil)
        }
        #expect(KeyRing(text, adapter: Address("00:1A:7D:DA:71:14")!) == nil)
    }

    @Test func aFullRingSaysSo() {
        var ring = KeyRing()
        var taken = 0
        for i in 0..<UInt8(KeyRing.capacity) where ring.put(Self.key(i)) { taken += 1 }
        let oneMore = ring.put(Self.key(200)), replaced = ring.put(Self.key(3, kind: 2))
        #expect(taken == KeyRing.capacity && !oneMore && replaced)
    }

    @Test func aKeyTheKernelWouldRefuseIsNoKey() {
        var bytes: [UInt8] = []
        Self.key(1).append(to: &bytes)
        #expect(LongTermKey(bytes.span.bytes) == Self.key(1))
        #expect(LongTermKey(bytes.span.bytes.extracting(0..<35)) == nil)
        for (at, value) in [(6, UInt8(0)), (5, 0x40), (7, 9), (8, 2), (9, 17), (9, 6)] {
            var bad = bytes
            bad[at] = value
            #expect(LongTermKey(bad.span.bytes) == nil, "byte \(at)")
        }
    }
}
