// Logs that are cut, damaged or lie: what can be read is read, and the rest is told with its reason and its place.
import Capture
import Testing
import Whoop

@Suite struct BtsnoopTroubleTests {
    /// A strap's log with one good frame, `body`, and another good frame.
    static func log(_ kind: LogWriter.Kind = .serial, _ body: (inout LogWriter) -> Void) -> (found: Findings, record: Int) {
        var log = LogWriter(kind)
        log.connect(0x40)
        log.discover(.whoop4, on: 0x40)
        log.notify(Handles.data, unhex(Golden.end4), on: 0x40)
        let record = log.records + 1
        body(&log)
        log.notify(Handles.data, unhex(Golden.end4), on: 0x40)
        return (Findings(log.bytes), record)
    }

    @Test func aValueCutByTheCaptureIsToldAndTheFrameItBelongedToGivenUp() {
        let (found, record) = Self.log { log in
            log.notify(Handles.data, Array(unhex(Golden.end4)[..<20]), on: 0x40)
            log.keeps = 14
            log.notify(Handles.data, Array(unhex(Golden.end4)[20...]), on: 0x40)
            log.keeps = .max
        }
        #expect(found.frames == [Golden.end4, Golden.end4])
        #expect(found.troubles == ["record \(record + 1): truncated by the capture (kept 5 of 15 bytes)",
                                   "record \(record): a frame begins and never ends"])
    }

    @Test func whatFollowsABeginningThatWasCutIsNotToldAgain() {
        for first in [5, 14, 27] {
            let (found, record) = Self.log { log in
                log.packetSize = 27
                log.keeps = first
                // Three data packets; the first is cut, the others are not.
                let unit = [UInt8(0x1b), 0x1a, 0] + [UInt8](repeating: 9, count: 60)
                let whole = little(UInt16(unit.count)) + little(4) + unit
                log.record(.received, little(0x2040) + little(27) + whole[..<27])
                log.keeps = .max
                log.record(.received, little(0x1040) + little(27) + whole[27..<54])
                log.record(.received, little(0x1040) + little(13) + whole[54...])
                log.packetSize = 251
            }
            #expect(found.frames.count == 2)
            #expect(found.report.troubles.map(\.reason) == [.truncated], "\(first)")
            #expect(found.report.troubles.first?.first.number == record && found.report.count(of: .truncated) == 1)
        }
    }

    @Test func whatIsCutOfOtherChannelsIsOfNoInterest() {
        let (found, _) = Self.log { log in
            log.keeps = 20
            log.unit([UInt8](repeating: 1, count: 600), on: 0x40, sent: true, channel: 0x41)
            log.keeps = .max
        }
        #expect(found.frames.count == 2 && found.troubles == [])
    }

    @Test func aWrongChecksumIsToldOnce() {
        let (found, record) = Self.log { log in
            var bad = unhex(Golden.end4)
            bad[12] ^= 1
            log.notify(Handles.data, bad, on: 0x40)
        }
        #expect(found.frames.count == 2)
        #expect(found.troubles == ["record \(record): CRC-32 wrong"])
    }

    @Test func aUnitThatNeverEndsDoesNotSwallowTheNext() {
        let (found, record) = Self.log { log in
            // The first half of a unit.
            log.record(.received, little(0x2040) + little(10) + little(35) + little(4) + [0x1b, 0x1a, 0, 0xaa, 0x1c, 0])
        }
        #expect(found.frames.count == 2)
        #expect(found.troubles == ["record \(record + 1): a unit begins and never ends"])
    }

    @Test func lengthsThatLieAreNotBelieved() {
        let cases: [(String, (inout LogWriter) -> Void)] = [
            ("a data packet whose length is not what it says (8 of 80 bytes)", { $0.record(.received, little(0x2040) + little(80) + little(4) + little(4) + [1, 2, 3, 4]) }),
            ("a data packet whose length is not what it says (3 of 4 bytes)", { $0.record(.received, [0x40, 0x20, 1]) }),
            ("a unit longer than it says (6 of 2 bytes)", { $0.record(.received, little(0x2040) + little(10) + little(2) + little(4) + [0x1b, 1, 2, 3, 4, 5]) }),
            ("a fragment whose beginning is missing", { $0.record(.received, little(0x1040) + little(3) + [1, 2, 3]) }),
            ("an attribute operation shorter than it must be", { $0.unit([0x1b, 0x1a], on: 0x40, sent: false) }),
            ("an attribute operation shorter than it must be", { $0.unit([0x23, 0x1a, 0, 200, 0, 1], on: 0x40, sent: false) }),
            ("an event shorter than it must be", { $0.record(.event, [0x3e, 3, 0x01, 0, 0x40]) }),
            ("an event shorter than it must be", { $0.record(.event, [0x05]) }),
            ("a prepared write that does not fit together", { $0.unit([0x16, 0x12, 0, 9, 0, 1, 2], on: 0x40, sent: true) }),
            ("a packet of no known kind", { $0.raw([9, 1, 2, 3], flags: 0) }),
        ]
        for (text, body) in cases {
            let (found, record) = Self.log { body(&$0) }
            #expect(found.frames.count == 2, "\(text)")
            #expect(found.troubles == ["record \(record): \(text)"])
        }
    }

    @Test func behindARecordThatLiesAboutItsLengthTheNextIsFound() {
        let (found, record) = Self.log { $0.record(.received, [1, 2, 3], claims: 0x7000_0000) }
        #expect(found.frames == [Golden.end4, Golden.end4])
        #expect(found.troubles == ["record \(record): a length that no record has; what follows was searched for the next record"])
    }

    @Test func aLogThatEndsWithinARecordSaysSo() {
        var log = LogWriter(.serial)
        log.connect(0x40)
        log.notify(9, unhex(Golden.end4), on: 0x40)
        log.notify(9, unhex(Golden.end4), on: 0x40)
        let found = Findings(Array(log.bytes.dropLast(10)))
        #expect(found.frames == [Golden.end4])
        #expect(found.troubles == ["record 3: the file ends within it (34 of 44 bytes)"])
        let shorter = Findings(Array(log.bytes.dropLast(50)))
        #expect(shorter.troubles == ["record 3: the file ends within it (18 of 24 bytes)"])
    }

    @Test func packetsLostByTheCaptureAreCounted() {
        let (found, record) = Self.log { $0.drops = 7 }
        #expect(found.troubles == ["record \(record): 7 packets lost by the capture before here"])
    }

    @Test func whatIsNoLogOfAKnownKindSaysSo() {
        var bytes = LogWriter(.serial).bytes
        bytes[15] = 0xeb
        #expect(Findings(bytes).troubles == ["record 0: a btsnoop log of a kind that is not read (1001, 1002 and 2001 are)"])
        bytes[11] = 2
        #expect(Findings(bytes).troubles == ["record 0: a btsnoop log of a version other than 1"])
        #expect(Findings(Array(bytes[..<12])).troubles == ["record 0: the file ends within it (12 of 16 bytes)"])
    }

    @Test func aFrameWhoseRestWasLostIsGivenUpAfterSomeSeconds() {
        let (found, record) = Self.log { log in
            log.notify(Handles.data, Array(unhex(Golden.end4)[..<20]), on: 0x40)
            log.time_us += 6_000_000
        }
        #expect(found.frames.count == 2)
        #expect(found.troubles == ["record \(record): a frame begins and never ends"])
    }

    @Test func manyLinksAtOnceAreBounded() {
        var log = LogWriter(.serial)
        for handle in 0..<200 { log.connect(UInt16(handle)) }
        let found = Findings(log.bytes)
        #expect(found.report.otherLinks == 200)
        #expect(found.report.count(of: .tooManyLinks) == 136)
    }
}
