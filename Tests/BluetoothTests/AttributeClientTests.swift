// Owns proof that the client keeps to the Attribute Protocol whatever the peer does (Core, Vol 3, Part F, 3.3, 3.4).
@testable import Bluetooth
import Testing
import Wire

@Suite struct AttributeClientTests {
    @Test func `one request is under way at a time, and its answer lets the next go`() {
        let script = Script()
        script.ask(.read(3, tag: 1))
        script.ask(.read(4, tag: 2))
        script.write(5, [9], tag: 3)
        #expect(script.sent == [[0x0a, 3, 0]])
        script.hear([0x0b, 42])
        #expect(script.sent == [[0x0a, 3, 0], [0x0a, 4, 0]])
        script.hear([0x01, 0x0a, 4, 0, 0x02])
        #expect(script.sent.last == [0x12, 5, 0, 9])
        script.hear([0x13])
        #expect(script.ended.map { $0.tag } == [1, 2, 3])
        #expect(script.ended[0].answer == [42] && script.ended[1].error == 2 && script.ended[2].answer == [])
        #expect(script.client.isIdle)
    }

    @Test func `an acknowledgement goes before a person's wish, and that before a poll, each in its own order`() {
        let script = Script()
        script.ask(.read(1, tag: 0))
        script.ask(.read(2, tag: 10))
        script.write(3, [1], tag: 20, .person)
        script.ask(.read(4, tag: 11))
        script.write(5, [1], tag: 30, .acknowledgement)
        script.write(6, [1], tag: 21, .person)
        script.write(7, [1], tag: 31, .acknowledgement)
        for _ in 0..<7 { script.hear([script.sent.last![0] + 1]) }
        #expect(script.ended.map { $0.tag } == [0, 30, 31, 20, 21, 10, 11])
    }

    @Test func `sixteen wait at most`() {
        let script = Script()
        for tag in 0..<17 { #expect(script.ask(.read(1, tag: UInt16(tag)))) }
        #expect(!script.ask(.read(1, tag: 99)))
        script.hear([0x0b])
        #expect(script.ask(.read(1, tag: 17)))
        for _ in 0..<17 { script.hear([0x0b]) }
        #expect(script.ended.count == 18)
    }

    @Test func `an unanswered request ends the bearer after thirty seconds, and nothing is asked on it again`() {
        let script = Script()
        script.ask(.read(3, tag: 7))
        script.ask(.read(4, tag: 8))
        script.pass(29_999)
        #expect(script.timedOut.isEmpty)
        script.pass(1)
        #expect(script.timedOut == [7])
        #expect(!script.ask(.read(5, tag: 9)))
        script.hear([0x0b, 1])
        #expect(script.ended.isEmpty && script.sent.count == 1)
        #expect(script.client.deadline == .never)
        script.client.reset()
        #expect(script.ask(.read(5, tag: 9)))
    }

    @Test func `the size of PDUs is the smaller of both, and never below 23`() {
        for (theirs, mtu) in [(517 as UInt16, 247 as UInt16), (185, 185), (23, 23), (0, 23), (22, 23), (65_535, 247)] {
            let script = Script()
            script.ask(.exchangeMTU(tag: 1))
            #expect(script.sent == [[0x02, 247, 0]])
            script.hear([0x03, UInt8(theirs & 0xff), UInt8(theirs >> 8)])
            #expect(script.client.mtu == mtu)
            #expect(script.ended.map { $0.tag } == [1])
        }
    }

    @Test func `without an answer about the size 23 holds after a second and a half, and a late answer counts from then on`() {
        let script = Script()
        script.ask(.exchangeMTU(tag: 1))
        script.ask(.read(3, tag: 2))
        script.pass(1_499)
        #expect(script.ended.isEmpty)
        script.pass(1)
        #expect(script.ended.map { $0.tag } == [1] && script.ended[0].error == 6)
        #expect(script.client.mtu == 23 && script.timedOut.isEmpty)
        #expect(script.sent.last == [0x0a, 3, 0])
        script.hear([0x03, 185, 0])
        #expect(script.client.mtu == 185)
        #expect(script.ended.count == 1)
        script.hear([0x0b, 5])
        #expect(script.ended.last?.tag == 2)
    }

    @Test func `a refused request for a larger size leaves 23`() {
        let script = Script()
        script.ask(.exchangeMTU(tag: 1))
        script.hear([0x01, 0x02, 0, 0, 0x06])
        #expect(script.client.mtu == 23 && script.ended[0].error == 6)
    }

    @Test func `a value that does not fit goes as prepared writes and is executed`() {
        let script = Script()
        let value = (0..<36).map { UInt8($0) }
        script.write(9, value, tag: 4)
        #expect(script.sent == [[0x16, 9, 0, 0, 0] + value[0..<18]])
        script.hear([0x17, 9, 0, 0, 0] + value[0..<18])
        #expect(script.sent.last == [0x16, 9, 0, 18, 0] + value[18..<36])
        script.hear([0x17, 9, 0, 18, 0] + value[18..<36])
        #expect(script.sent.last == [0x18, 1])
        #expect(script.ended.isEmpty)
        script.hear([0x19])
        #expect(script.ended.map { $0.tag } == [4])
    }

    @Test func `a prepared write that is refused is an end, and the next request is whole`() {
        let script = Script()
        script.write(9, [UInt8](repeating: 1, count: 30), tag: 4)
        script.hear([0x01, 0x16, 9, 0, 0x05])
        #expect(script.ended[0].error == 5)
        script.write(9, [UInt8](repeating: 2, count: 20), tag: 5)
        #expect(script.sent.last == [0x12, 9, 0] + [UInt8](repeating: 2, count: 20))
    }

    @Test func `what the bearer does not take now is sent when it can, once`() {
        let script = Script()
        script.isOpen = false
        script.write(9, [1], tag: 1)
        script.hear([0x13])
        #expect(script.ended.isEmpty, "the answer to a request that was never sent")
        script.isOpen = true
        script.client.resume(now: script.now)
        script.client.resume(now: script.now)
        #expect(script.sent == [[0x12, 9, 0, 1]])
        script.hear([0x13])
        #expect(script.ended.count == 1)
    }

    @Test func `notifications are handed on at any time, indications confirmed first`() {
        let script = Script()
        script.ask(.read(3, tag: 1))
        script.hear([0x1b, 0x21, 0, 7, 8])
        script.hear([0x1d, 0x07, 0, 1, 0, 0xff, 0xff])
        #expect(script.changes.map { $0.handle } == [0x21, 7])
        #expect(script.changes[0].value == [7, 8])
        #expect(script.sent.last == [0x1e])
        #expect(script.ended.isEmpty)
        script.isOpen = false
        script.hear([0x1d, 0x07, 0, 1, 0, 0xff, 0xff])
        script.isOpen = true
        script.client.resume(now: script.now)
        #expect(script.sent.filter { $0 == [0x1e] }.count == 2)
    }

    @Test func `the peer's own requests get our size or the error that we serve nothing`() {
        let script = Script()
        script.hear([0x02, 100, 0])
        #expect(script.sent == [[0x03, 247, 0]] && script.client.mtu == 100)
        for opcode in [UInt8(0x04), 0x06, 0x08, 0x0a, 0x0c, 0x0e, 0x10, 0x12, 0x16, 0x18, 0x20, 0x3e] {
            script.sent = []
            script.hear([opcode, 1, 0, 0xff, 0xff])
            #expect(script.sent == [[0x01, opcode, 0, 0, 0x06]])
        }
        for opcode in [UInt8(0x52), 0xd2, 0x1e, 0x13, 0x0b, 0x19, 0x05] {
            script.sent = []
            script.hear([opcode, 1, 0])
            #expect(script.sent == [], "a command, a confirmation and answers to nothing get no answer")
        }
        #expect(script.ended.isEmpty)
    }

    @Test func `an answer of another kind, or an error about another request, ends nothing`() {
        let script = Script()
        script.ask(.read(3, tag: 1))
        for pdu: [UInt8] in [[0x13], [0x11, 6, 1, 0, 2, 0, 0, 0x18], [0x01, 0x12, 3, 0, 5], [0x01, 0x0a], [0x01], [0x19], [0x17]] { script.hear(pdu) }
        #expect(script.ended.isEmpty && script.sent.count == 1)
        script.hear([0x0b])
        #expect(script.ended.count == 1)
    }

    @Test(arguments: [UInt64(1), 2, 3, 4])
    func `no bytes trap the client, and it never has two requests under way`(_ seed: UInt64) {
        var chance = Chance(state: seed)
        let script = Script()
        var open = 0
        script.onEnd = { _, _ in open -= 1 }
        for _ in 0..<20_000 {
            switch chance.next() % 8 {
            case 0: if script.ask(.read(UInt16(truncatingIfNeeded: chance.next()), tag: 1)) { open += 1 }
            case 1: if script.write(3, [UInt8](repeating: 7, count: Int(chance.next() % 65)), tag: 2) { open += 1 }
            case 2: if script.ask(.services(from: 1, tag: 3)) { open += 1 }
            case 3: script.isOpen.toggle(); script.client.resume(now: script.now)
            case 4: script.pass(Int64(chance.next() % 700))
            default:
                var pdu = (0..<Int(chance.next() % 24)).map { _ in UInt8(truncatingIfNeeded: chance.next()) }
                if !pdu.isEmpty, chance.next() % 2 == 0 { pdu[0] = [0x01, 0x03, 0x05, 0x09, 0x0b, 0x11, 0x13, 0x17, 0x19, 0x1b, 0x1d][Int(chance.next() % 11)] }
                script.hear(pdu)
            }
            #expect(script.client.mtu >= 23 && script.client.mtu <= 247)
            #expect(open >= 0 && open <= 17)
            if !script.timedOut.isEmpty {
                script.timedOut = []
                script.client.reset()
                open = 0
            }
            script.sent = []
        }
    }

    @Test func `a size that becomes known in the middle of a prepared write changes nothing about it`() {
        let script = Script()
        let value = (0..<40).map { UInt8($0) }
        script.write(9, value, tag: 1)
        script.hear([0x03, 247, 0])
        var got: [UInt8] = []
        while let last = script.sent.last, last[0] == 0x16, got.count < 40 {
            got += last.dropFirst(5)
            script.hear([0x17] + last.dropFirst())
        }
        #expect(got == value)
        #expect(script.sent.last == [0x18, 1])
        script.hear([0x19])
        #expect(script.ended.count == 1)
        script.write(9, value, tag: 2)
        #expect(script.sent.last == [0x12, 9, 0] + value)
    }
}
