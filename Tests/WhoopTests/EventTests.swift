// Events and the log, where the vectors do not go: lengths that lie, bodies, and the names of the families.
import Testing
import Wire
@testable import Whoop

@Suite struct EventTests {
    func event(_ number: UInt16, declared: UInt16, _ body: [UInt8], type: UInt8 = 48) -> [UInt8] {
        [type, 7, UInt8(number & 0xff), UInt8(number >> 8), 0x00, 0xb9, 0x55, 0x69, 0x00, 0x40, UInt8(declared & 0xff), UInt8(declared >> 8)] + body
    }

    func body(_ inner: [UInt8]) -> String? {
        let text = withFrame(sealed(inner, .whoop4), .whoop4) { frame -> String? in
            guard let event = Event(frame) else { return nil }
            return hex(event.body)
        }
        return text ?? nil
    }

    @Test func paddingIsNotBody() { #expect(body(event(56, declared: 3, [1, 2, 3, 0])) == "010203") }
    @Test func aBodyNeverReachesBeyondItsRecord() { #expect(body(event(56, declared: 60_000, [1, 2, 3, 4])) == "01020304") }
    @Test func anUndeclaredBodyIsNone() { #expect(body(event(56, declared: 0, [1, 2, 3, 4])) == "") }

    @Test func theStrapsCondition() {
        let inner = event(29, declared: 12, [0x5e, 0, 0, 0, 0, 0, 0x76, 0x02, 0x0b, 0, 1, 0])
        let condition = withFrame(sealed(inner, .whoop4), .whoop4) { Event($0)?.condition } ?? nil
        #expect(condition?.pagesBehind == 94 && condition?.battery_tenths == 630 && condition?.isCharging == false && condition?.wrist == 1)
    }

    @Test func aBatteryBodyCutShortIsNone() {
        let inner = event(3, declared: 8, [2, 0xf3, 1, 0, 0, 0xf9, 0x0e, 0])
        #expect((withFrame(sealed(inner, .whoop4), .whoop4) { Event($0)?.battery } ?? nil) == nil)
    }

    @Test func millivoltsBeyondACellAreNone() {
        for (mv, passes) in [(2999, false), (3000, true), (4500, true), (4501, false)] {
            let inner = event(3, declared: 12, [2, 0xf3, 1, 0, 0, UInt8(mv & 0xff), UInt8(mv >> 8), 0, 0, 0, 0, 0])
            let battery = withFrame(sealed(inner, .whoop4), .whoop4) { Event($0)?.battery } ?? nil
            #expect(battery?.tenths == 499 && (battery?.millivolts != nil) == passes)
        }
    }

    @Test func theLogEndsAtItsNULAndItsLength() {
        for (declared, text) in [(6, "abc"), (3, "ab"), (1, ""), (0, nil), (60_000, "abc")] as [(UInt16, String?)] {
            let inner = event(2, declared: declared, [1] + Array("abc\0x".utf8), type: 50)
            let read = withFrame(sealed(inner, .whoop4), .whoop4) { frame -> String? in
                guard let text = Console(frame)?.text else { return nil }
                return string(text)
            }
            #expect(read == text)
        }
    }
}

@Suite struct FamilyTests {
    @Test func theServiceTellsTheFamily() {
        let four = UUID128(high: 0x6108_0001_8d6d_82b8, low: 0x614a_1c8c_b0f8_dcc6)
        let five = UUID128(high: 0xfd4b_0001_cce1_4033, low: 0x93ce_002d_5875_f58a)
        #expect(Family.whoop4.service == four && Family.whoop5.service == five)
        #expect(Family(service: four) == .whoop4 && Family(service: five) == .whoop5)
        #expect(Family(service: Family.whoop4.uuid(of: .command)) == nil)
    }

    @Test func characteristicsDifferInTheirNumberOnly() {
        #expect(Family.whoop4.uuid(of: .data) == UUID128(high: 0x6108_0005_8d6d_82b8, low: 0x614a_1c8c_b0f8_dcc6))
        #expect(Family.whoop5.uuid(of: .diagnostics) == UUID128(high: 0xfd4b_0007_cce1_4033, low: 0x93ce_002d_5875_f58a))
    }

    @Test func whatEndAnnounces() {
        let counted = (UInt8(0)...255).filter { PacketType.countsInBurst($0) }
        #expect(counted == [47, 48, 50, 53, 54, 55])
    }
}
