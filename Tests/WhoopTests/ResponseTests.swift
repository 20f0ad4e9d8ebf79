// Answers, field by field, where the vectors do not go.
import Testing
import Wire
@testable import Whoop

@Suite struct ResponseTests {
    /// An answer with success to a command, sealed.
    func answer(_ command: Command, _ family: Family, _ body: [UInt8], result: UInt8 = 1, type: UInt8 = 36) -> [UInt8] {
        let inner = [type, 9, command.number(for: family) ?? 0, 5, result] + body
        return sealed(inner + [UInt8](repeating: 0, count: (4 - inner.count % 4) % 4), family)
    }

    func read<T>(_ frame: [UInt8], _ family: Family, _ body: (borrowing Response) -> T?) -> T? {
        let value = withFrame(frame, family) { frame -> T? in
            guard let response = Response(frame) else { Issue.record("no answer"); return nil }
            return body(response)
        }
        return value ?? nil
    }

    /// A hello whose fields all differ from zero, its serial as long as it can be, its token made of `T`.
    func hello(_ family: Family) -> [UInt8] {
        let (length, serial): (Int, Int) = family == .whoop4 ? (131, 10) : (104, 11)
        var body = [UInt8](repeating: 0, count: length)
        body.replaceSubrange(0..<14, with: [family == .whoop4 ? 4 : 1, 0x83, 0x03, 0, 0, 1, 0x40, 0x20, 0x26, 0x6a, 0x10, 0x20, 0, 0])
        body.replaceSubrange(14..<(14 + serial), with: Array("4C012345678".utf8.prefix(serial)))
        body.replaceSubrange((14 + serial)..<(68 + serial), with: [UInt8](repeating: 0x54, count: 54))
        switch family {
        case .whoop4:
            body[78] = 6
            for (i, part) in [41, 17, 6, 2].enumerated() { body[90 + 4 * i] = UInt8(part) }
            body[114] = 1
        case .whoop5:
            body[79] = 13
            body.replaceSubrange(91..<95, with: [50, 38, 1, 7])
            body[102] = 1
        }
        return body
    }

    @Test(arguments: [Family.whoop4, .whoop5])
    func hello(family: Family) {
        let found = read(answer(.hello, family, hello(family)), family) { response -> Bool? in
            guard let hello = response.hello else { return false }
            let battery = (hello.battery_tenths, hello.isCharging)
            #expect(battery == (899, true))
            let clock = hello.clock
            #expect(clock == StrapTime(seconds: 0x6a26_2040, fraction: 0x2010))
            let hardware = (hello.hardwareFamily, hello.firmware)
            #expect(hardware == (family == .whoop4 ? (6, Version(41, 17, 6, 2)) : (13, Version(50, 38, 1, 7))))
            let flags = (hello.isWorn, hello.broadcastsHeartRate)
            #expect(flags == (true, family == .whoop4 ? nil : false))
            let serial = optional(hello.serial)
            #expect(serial == (family == .whoop4 ? "4C01234567" : "4C012345678"), "the serial ends before the token")
            return true
        }
        #expect(found == true)
    }

    @Test(arguments: [Family.whoop4, .whoop5])
    func aHelloOfAnotherRevisionIsNone(family: Family) {
        var body = hello(family)
        body[0] ^= 2
        #expect(read(answer(.hello, family, body), family) { $0.hello == nil } == true)
    }

    @Test func aSerialOfZerosIsNone() {
        var body = hello(.whoop5)
        body.replaceSubrange(14..<25, with: Array("0000000000\0".utf8))
        #expect(read(answer(.hello, .whoop5, body), .whoop5) { $0.hello?.serial == nil } == true)
    }

    @Test func aClockIsReadOnlyWithSuccess() {
        let body: [UInt8] = [0x00, 0xb9, 0x55, 0x69, 0x00, 0x40, 0, 0]
        for (result, clock) in [(1, StrapTime(seconds: 1_767_225_600, fraction: 16384)), (0, nil), (2, nil)] as [(UInt8, StrapTime?)] {
            #expect(read(answer(.getClock, .whoop4, body, result: result), .whoop4) { $0.clock } == clock)
        }
    }

    @Test func anAnswerToAnotherCommandIsNotAClock() {
        let body: [UInt8] = [0x00, 0xb9, 0x55, 0x69, 0x00, 0x40, 0, 0]
        #expect(read(answer(.getBattery, .whoop4, body), .whoop4) { $0.clock } == nil)
    }

    @Test func whatThePackSaysIsNotTheStraps() {
        let frame = answer(.getBattery, .whoop5, [47], type: 38)
        #expect(read(frame, .whoop5) { $0.isFromPack } == true)
        #expect(read(frame, .whoop5) { $0.battery_tenths } == nil)
        #expect(read(answer(.getBattery, .whoop5, [47]), .whoop5) { $0.battery_tenths } == 470)
    }

    @Test func aBatteryBeyondItsRangeIsNone() {
        #expect(read(answer(.getBattery, .whoop4, [0xe8, 0x03]), .whoop4) { $0.battery_tenths } == 1000)
        #expect(read(answer(.getBattery, .whoop4, [0xe9, 0x03]), .whoop4) { $0.battery_tenths } == nil)
        #expect(read(answer(.getBattery, .whoop5, [101]), .whoop5) { $0.battery_tenths } == nil)
    }

    @Test func aNameLongerThanItsAnswerIsNone() {
        #expect(read(answer(.getName, .whoop4, [1, 1, 3] + Array("abcd".utf8)), .whoop4) { optional($0.name) } == "abc")
        #expect(read(answer(.getName, .whoop4, [1, 1, 200] + Array("abcd".utf8)), .whoop4) { optional($0.name) } == nil)
    }

    @Test func alarms() {
        let four = answer(.getAlarm(slot: 1), .whoop4, [1, 1, 0x00, 0xb9, 0x55, 0x69, 0, 0, 4, 0, 0x20])
        #expect(read(four, .whoop4) { $0.alarm.map { $0.isEnabled == true && $0.time == CommandTests.t } } == true)
        let none = answer(.getAlarm(slot: 1), .whoop4, [1, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0x20])
        #expect(read(none, .whoop4) { $0.alarm.map { $0.isEnabled == false && $0.time == nil } } == true)
        let five = answer(.getAlarm(slot: 1), .whoop5, [4, 1, 0x00, 0xb9, 0x55, 0x69, 0x00, 0x40])
        #expect(read(five, .whoop5) { $0.alarm.map { $0.isEnabled == true && $0.time == CommandTests.halfPast } } == true)
        #expect(read(answer(.getAlarm(slot: 1), .whoop5, [1, 1, 0, 0, 0, 0, 0, 0]), .whoop5) { $0.alarm } == nil)
    }

    @Test func aDataRangeAcrossTheWrapCountsForward() {
        let body = Array(unhex(Golden.range5)[13..<78])
        var wrapped = body
        // Write page 10, trim page 131,070 of 131,072.
        wrapped.replaceSubrange(9..<17, with: [10, 0, 0, 0, 0xfe, 0xff, 0x01, 0])
        #expect(read(answer(.getDataRange, .whoop5, wrapped), .whoop5) { $0.dataRange?.pagesBehind } == 12)
        // No pages, no ring: never a division by zero.
        wrapped.replaceSubrange(21..<25, with: [0, 0, 0, 0])
        #expect(read(answer(.getDataRange, .whoop5, wrapped), .whoop5) { $0.dataRange } == nil)
        // Garbage for the oldest time drops that field.
        var garbage = body
        garbage.replaceSubrange(33..<37, with: [0x00, 0x01, 0x00, 0x20])
        let range = read(answer(.getDataRange, .whoop5, garbage), .whoop5) { $0.dataRange }
        #expect(range != nil && range?.oldest == nil && range?.newest?.seconds == 1_780_926_332)
    }

    /// WHOOP.md 5.6's real reply to 19, 5.8's status and 5.1's body of 84.
    @Test func hapticsStatusAndLocationLieWhereTheyAreSaid() {
        #expect(read(answer(.buzz(loops: 1), .whoop5, [1, 5, 9], result: 2), .whoop5) { $0.hapticsStatus } == 5)
        #expect(read(answer(.runAlarm(slot: 1), .whoop4, [1, 5, 9]), .whoop4) { $0.hapticsStatus } == nil)
        #expect(read(answer(.getBodyLocation, .whoop4, [1, 0, 0xff, 3, 9]), .whoop4) { $0.location } == 3)
        #expect(read(answer(.getBodyLocation, .whoop4, [1, 0, 0xff, 3], result: 0), .whoop4) { $0.location } == nil)
    }
}
