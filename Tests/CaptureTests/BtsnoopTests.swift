// Logs of Bluetooth controllers: frames come back from every kind of log, in order, whatever cut them; and only a strap's.
import Bluetooth
import Capture
import Testing
import Whoop

@Suite struct BtsnoopTests {
    static let kinds: [LogWriter.Kind] = [.hci, .serial, .monitor]

    @Test(arguments: kinds, [Family.whoop4, .whoop5])
    func everyVectorComesBackFromEveryKindOfLog(kind: LogWriter.Kind, family: Family) throws {
        let frames = try Vectors.frames(family)
        var log = LogWriter(kind)
        log.connect(0x40)
        log.discover(family, on: 0x40)
        for frame in frames { log.stream(Handles.data, unhex(frame), size: 244, on: 0x40) }
        log.disconnect(0x40)
        let found = Findings(log.bytes)
        #expect(found.frames == frames)
        #expect(found.families.allSatisfy { $0 == family })
        #expect(found.troubles == [])
        let strap = try #require(found.report.straps.first)
        #expect(found.report.straps.count == 1 && found.report.otherLinks == 0)
        #expect(strap.family == family && strap.recognition == .discovery && strap.connectionHandle == 0x40)
        #expect(strap.framesFromStrap == frames.count && strap.framesToStrap == 0)
        #expect(strap.peer?.text == "F0:05:04:03:02:01 random")
        #expect(strap.firstRecord == 1 && strap.lastRecord == log.records && found.report.length == log.records)
    }

    @Test(arguments: [20, 23, 27, 244], [12, 27, 251])
    func cutsOfNotificationsAndDataPacketsNeverMatter(size: Int, packet: Int) throws {
        let frames = Array(try Vectors.frames(.whoop4).prefix(80))
        var log = LogWriter(.serial)
        log.packetSize = packet
        log.connect(0x41)
        log.discover(.whoop4, on: 0x41)
        log.stream(Handles.data, frames.flatMap { unhex($0) }, size: size, on: 0x41)
        let found = Findings(log.bytes)
        #expect(found.frames == frames)
        #expect(found.troubles == [])
    }

    @Test func aFrameInOnePieceIsNotCopied() {
        var log = LogWriter(.serial)
        log.connect(1)
        log.discover(.whoop5, on: 1)
        log.notify(Handles.data, unhex(Golden.realtime5), on: 1)
        let bytes = log.bytes
        bytes.withUnsafeBytes { buffer in
            let found = Findings([])
            found.addresses = []
            _ = read(capture: buffer.bytes, into: found)
            let start = UInt(bitPattern: buffer.baseAddress)
            #expect(found.addresses.count == 1)
            #expect(found.addresses.allSatisfy { $0 > start && $0 < start + UInt(bytes.count) })
        }
    }

    @Test func aFrameTellsWhereItWas() throws {
        var log = LogWriter(.monitor)
        log.connect(0x40, adapter: 1)
        log.discover(.whoop4, on: 0x40, adapter: 1)
        log.time_us = 1_767_225_600_123_456
        log.write(Handles.command, unhex(Golden.history4), on: 0x40, adapter: 1)
        log.stream(Handles.data, unhex(Golden.end4), size: 20, on: 0x40, adapter: 1)
        let found = Findings(log.bytes)
        #expect(found.frames == [Golden.history4, Golden.end4])
        let (write, notification) = (found.places[0], found.places[1])
        #expect(write.direction == .appToStrap && write.time_us == 1_767_225_600_123_456 && write.link == 1)
        #expect(write.unit == .record && write.number == log.records - 2)
        // The second of two notifications made it whole.
        #expect(notification.direction == .strapToApp && notification.number == log.records)
        #expect(notification.time_us == 1_767_225_600_125_456)
        let strap = try #require(found.report.straps.first)
        #expect(strap.adapter == 1 && strap.framesFromStrap == 1 && strap.framesToStrap == 1)
    }

    @Test func aHeadsetBesideTheStrapIsToldApart() throws {
        var log = LogWriter(.serial)
        log.connect(0x40)
        log.connect(0x41, [9, 9, 9, 9, 9, 9])
        log.discover(.whoop4, on: 0x40)
        // Battery and volume of a headset, and its audio.
        for value in 0..<10 {
            log.notify(0x21, [UInt8(value)], on: 0x41)
            log.unit([UInt8](repeating: 0xaa, count: 600), on: 0x41, sent: true, channel: 0x0041)
            log.notify(Handles.data, unhex(Golden.end4), on: 0x40)
        }
        let found = Findings(log.bytes)
        #expect(found.frames == [String](repeating: Golden.end4, count: 10))
        #expect(found.report.straps.count == 1 && found.report.otherLinks == 1)
        #expect(found.troubles == ["link 2: attribute traffic that is no strap's (10 operations on this link and others like it)"])
    }

    @Test func twoAdaptersMayUseOneHandle() {
        var log = LogWriter(.monitor)
        log.connect(0x40, [1, 1, 1, 1, 1, 1], adapter: 0)
        log.connect(0x40, [2, 2, 2, 2, 2, 2], adapter: 1)
        log.discover(.whoop4, on: 0x40, adapter: 0)
        log.discover(.whoop5, on: 0x40, adapter: 1)
        let four = unhex(Golden.end4), five = unhex(Golden.realtime5)
        log.notify(Handles.data, Array(four[..<20]), on: 0x40, adapter: 0)
        log.notify(Handles.data, Array(five[..<20]), on: 0x40, adapter: 1)
        log.notify(Handles.data, Array(four[20...]), on: 0x40, adapter: 0)
        log.notify(Handles.data, Array(five[20...]), on: 0x40, adapter: 1)
        let found = Findings(log.bytes)
        #expect(found.frames == [Golden.end4, Golden.realtime5])
        #expect(found.report.straps.map(\.adapter) == [0, 1])
        #expect(found.report.straps.map(\.family) == [.whoop4, .whoop5])
    }

    @Test(arguments: [Family.whoop4, .whoop5])
    func withoutDiscoveryTheFramesTellTheLinkAndTheHandles(family: Family) throws {
        let frames = try Vectors.frames(family)
        var log = LogWriter(.serial)
        // The log begins in the middle of a frame.
        log.notify(0x99, Array(unhex(frames[0]).dropFirst(9)), on: 0x40)
        log.notify(0x42, [80], on: 0x40)
        for frame in frames { log.stream(0x99, unhex(frame), size: 100, on: 0x40) }
        log.notify(0x98, unhex(frames[0]), on: 0x40)
        let found = Findings(log.bytes)
        #expect(found.frames == frames + [frames[0]])
        let strap = try #require(found.report.straps.first)
        #expect(strap.recognition == .frames && strap.family == family && strap.peer == nil)
        #expect(found.troubles == ["record 1: 1 values before the link or the attribute was recognised",
                                   "record 2: 1 values of attributes that the log does not name (heart rate and battery are such)"])
    }

    @Test func bytesLikeAHeaderMakeNoStrap() {
        var log = LogWriter(.serial)
        log.connect(0x40)
        // The header of a frame, and never its end.
        log.notify(0x20, Array(unhex(Golden.end4)[..<20]), on: 0x40)
        log.notify(0x20, [UInt8](repeating: 7, count: 40), on: 0x40)
        let found = Findings(log.bytes)
        #expect(found.frames == [] && found.report.straps.isEmpty && found.report.otherLinks == 1)
        #expect(found.troubles == ["link 1: attribute traffic that is no strap's (2 operations on this link and others like it)"])
    }

    @Test func handlesAreRememberedForTheNextLinkOfAPeer() {
        var log = LogWriter(.serial)
        log.connect(0x40)
        log.discover(.whoop5, on: 0x40)
        log.disconnect(0x40)
        log.connect(0x41)
        log.notify(Handles.heartRate, [0, 72], on: 0x41)
        log.notify(Handles.data, unhex(Golden.realtime5), on: 0x41)
        log.connect(0x42, [7, 7, 7, 7, 7, 7])
        log.notify(Handles.heartRate, [0, 99], on: 0x42)
        let found = Findings(log.bytes)
        #expect(found.report.straps.map(\.recognition) == [.discovery, .earlierLink])
        #expect(found.heartRates == ["0048"] && found.frames == [Golden.realtime5])
        #expect(found.report.otherLinks == 1)
    }

    @Test func otherWaysOfDiscoveryTeachToo() {
        // Find By Type Value for the service, Find Information for the value's own type, Read By Type with 2A37.
        var log = LogWriter(.serial)
        log.connect(0x40)
        log.unit([0x06, 1, 0, 0xff, 0xff, 0x00, 0x28] + uuid(.whoop4, 1), on: 0x40, sent: true)
        log.unit([0x07] + little(0x10) + little(0x20), on: 0x40, sent: false)
        log.unit([0x08, 1, 0, 0xff, 0xff, 0x37, 0x2a], on: 0x40, sent: true)
        log.unit([0x09, 4] + little(0x32) + [0, 60], on: 0x40, sent: false)
        log.notify(0x32, [0, 61], on: 0x40)
        log.connect(0x41, [3, 3, 3, 3, 3, 3])
        log.unit([0x04] + little(0x10) + little(0x20), on: 0x41, sent: true)
        log.unit([0x05, 2] + little(0x55) + uuid(.whoop5, 5), on: 0x41, sent: false)
        log.stream(0x55, unhex(Golden.realtime5), size: 5, on: 0x41)
        let found = Findings(log.bytes)
        #expect(found.report.straps.map(\.recognition) == [.service, .discovery])
        #expect(found.report.straps.map(\.family) == [.whoop4, .whoop5])
        #expect(found.heartRates == ["003d"] && found.frames == [Golden.realtime5])
    }

    @Test func anAnswerToAnotherQuestionTeachesNothing() {
        var log = LogWriter(.serial)
        log.connect(0x40)
        // Included services are asked for; the answer must not be taken for characteristics.
        log.unit([0x08, 1, 0, 0xff, 0xff, 0x02, 0x28], on: 0x40, sent: true)
        log.unit([0x09, 21] + little(0x19) + [0x10] + little(0x1a) + uuid(.whoop4, 5), on: 0x40, sent: false)
        log.notify(0x1a, [1, 2, 3], on: 0x40)
        #expect(Findings(log.bytes).report.straps.isEmpty)
    }

    @Test func everyWayToSendAValueIsRead() {
        var log = LogWriter(.serial)
        log.connect(0x40)
        log.discover(.whoop4, on: 0x40)
        let end = unhex(Golden.end4), command = unhex(Golden.history4)
        log.notify(Handles.data, end, on: 0x40, operation: 0x1d)
        log.unit([0x23] + little(Handles.events) + little(UInt16(end.count)) + end + little(Handles.heartRate) + little(2) + [0, 70], on: 0x40, sent: false)
        log.write(Handles.command, command, on: 0x40, operation: 0x52)
        // Prepared, dropped, prepared again, executed.
        log.write(Handles.command, little(0) + command[..<6], on: 0x40, operation: 0x16)
        log.unit([0x18, 0], on: 0x40, sent: true)
        log.write(Handles.command, little(0) + command[..<6], on: 0x40, operation: 0x16)
        log.write(Handles.command, little(6) + command[6...], on: 0x40, operation: 0x16)
        log.unit([0x18, 1], on: 0x40, sent: true)
        let found = Findings(log.bytes)
        #expect(found.frames == [Golden.end4, Golden.end4, Golden.history4, Golden.history4])
        #expect(found.heartRates == ["0046"])
        #expect(found.troubles == [])
    }

    @Test(arguments: [UInt8(0x01), 0x0a, 0x29])
    func everyEventThatBeginsALinkNamesThePeer(event: UInt8) {
        var log = LogWriter(.serial)
        log.connect(0x40, [1, 2, 3, 4, 5, 6], event: event)
        log.notify(9, unhex(Golden.end4), on: 0x40)
        #expect(Findings(log.bytes).report.straps.first?.peer?.text == "06:05:04:03:02:01 random")
    }

    /// An event, a reset, the adapter closed; or nothing but the next link on the handle.
    enum End: CaseIterable { case event, reset, closing, none }

    @Test(arguments: End.allCases)
    func aFrameThatALinkLeftUnfinishedDoesNotGoOnInTheNext(end: End) throws {
        var log = LogWriter(.monitor)
        log.connect(0x40)
        log.discover(.whoop4, on: 0x40)
        let frame = unhex(Golden.end4)
        log.notify(Handles.data, Array(frame[..<20]), on: 0x40)
        switch end {
        case .event: log.disconnect(0x40)
        case .reset: log.record(.command, [0x03, 0x0c, 0])
        case .closing: log.raw([], flags: 9)
        case .none: break
        }
        let ended = end == .none ? log.records + 1 : log.records
        log.connect(0x40)
        log.notify(Handles.data, Array(frame[20...]), on: 0x40)
        log.notify(Handles.data, frame, on: 0x40)
        let found = Findings(log.bytes)
        #expect(found.frames == [Golden.end4])
        #expect(found.troubles.first?.hasSuffix("a frame begins and never ends") == true)
        #expect(found.report.straps.map(\.lastRecord) == [ended, log.records])
    }
}
