// Frames that WHOOP.md annotates byte by byte (3.7, 3.8, 15.3), field by field, and the gates at their edges.
import Testing
import Wire
@testable import Whoop

enum Golden {
    static let v24 = "aa6400a12f18054c1c0a023ed0266a5037805418016d022b0234020000000000006b07ff0085593c1f65cebed7b3e63eb85a5f3f000080401f65cebed7b3e63eb85a5f3f500264025d03640229014009010c020c00000000000f0001c4020000000000008fdeb278"
    static let v18 = "aa01740001003fb12f1280733d8401b69f266a66460066025a0265020000000000007b0a8d656463ff0012163cf6a439bf2924fd3ed763fe3e3200aa000000000000000000f7000901f10b0007010c020c00000000000000000000000000000000000000000000000100656f1e1e0000009d61a7c00000003e862817"
    static let v26 = "aa015000010035412f1a80ad418401f0a3266aae470100c3c5050068faccfa8dfb46fc8bfd4cfebafedafe6dff56ffd5fffbff37ff6afce5f9d7f8dffa5efc98fddbfe5afe84fe15ff5cff405fb33c50080101006cb67c17"
    static let realtime = "aa011800010022e128029ea0266aae4762025b024b020000000001005ed515dc"
    static let end4 = "aa1c00ab31370268ae7667702d32000000c7b6000010000000000000e01eba47"
    static let end5 = "aa011c00010023d1319102b949596a705d3b000000fdba010010000000000000f269faec"
    static let start4 = "aa2c005231010146fb8367404c0600000010000000020000002900000010000000030000000000000008020055fd251d"
    static let battery = "aa01240001002eb130350300a589266a5118140002f3010000f90e00000000340806003500000000358eb56f"
    static let range5 = "aa014c00010032d124982207010180b901005ab7010048b901005ab701001000000000000200da1b00000ee31d00b0e1ff69d7430000a3ab266a3d4a0000a3ab266a3d4a00007cc7266a5c4f00000000623977f5"
    static let range4 = "aa4c00a724042209010140f9010025f901002bf9010025f90100080000000000020006000000c4ff13008d574a6a583600005168606a684500005168606a684500006368606a303a000000003ea03f63"
}

@Suite struct GoldenRecordTests {
    /// Whether two floats are the same to four digits.
    func near(_ a: Float?, _ b: Float) -> Bool { a.map { abs($0 - b) <= 5e-4 * max(1, abs(b)) } ?? false }

    @Test func v24() throws {
        try #require(withFrame(Golden.v24, .whoop4) { frame in
            guard let record = Record(frame), let s = record.summary else { Issue.record("no summary"); return }
            let identity = (record.version, record.counter, record.unix, record.subsecond, record.isLive)
            #expect(identity == (24, 34_217_036, 1_780_928_574, 14160, false))
            let beats = (s.heartRate, s.rr.count, s.rr[0], s.rr[1], s.rr[2])
            #expect(beats == (109, 2, 555, 564, nil))
            let motion = (s.dynamicAcceleration, s.gravity)
            #expect(near(motion.0, 0.01328) && near(motion.1?.x, -0.4031) && near(motion.1?.y, 0.4506) && near(motion.1?.z, 0.8725))
            let (skin, derived, steps) = (s.skinTemperature_centi, s.confidence == .derived, s.steps)
            #expect(skin == 2970 && derived && steps == 708)
            let (quality, state, oxygen, window) = (s.quality, s.sleepState, s.spo2, s.isOxygenWindow)
            #expect(quality == 255 && state == .wake && oxygen == nil && !window)
            let words = (s.channelWord(0).rawValue, s.channelWord(1).rawValue, s.channelWord(2).rawValue)
            #expect(words == (0x0940, 0x0c01, 0x0c02))
            let others = (s.activity, s.cadence, s.cellTemperature_tenths, s.boardTemperature_tenths, s.logVariance)
            #expect(others == (nil, nil, nil, nil, nil))
        })
    }

    @Test func v18() throws {
        try #require(withFrame(Golden.v18, .whoop5) { frame in
            guard let record = Record(frame), let s = record.summary else { Issue.record("no summary"); return }
            let identity = (record.version, record.counter, record.unix)
            #expect(identity == (18, 25_443_699, 1_780_916_150))
            let beats = (s.heartRate, s.rr.count, s.rr[0], s.rr[1])
            #expect(beats == (102, 2, 602, 613))
            let motion = (s.dynamicAcceleration, s.gravity)
            #expect(near(motion.0, 0.00916) && near(motion.1?.x, -0.7252) && near(motion.1?.y, 0.4944) && near(motion.1?.z, 0.4969))
            let walk = (s.steps, s.cadence, s.activity)
            #expect(walk == (50, 170, .unclassified))
            let heat = (s.cellTemperature_tenths, s.boardTemperature_tenths, s.skinTemperature_centi)
            #expect(heat == (247, 265, 3057))
            let derived = s.confidence == .derived
            #expect(!derived)
            let words = (s.channelWord(0).rawValue, s.channelWord(1).rawValue, s.channelWord(2).rawValue)
            #expect(words == (0x0700, 0x0c01, 0x0c02))
            let (state, oxygen, byte) = (s.sleepState, s.spo2, s.spo2Byte)
            #expect(state == .wake && oxygen == nil && byte == 0)
            let noise = (s.signalToNoise_dB(0), s.signalToNoise_dB(1), s.signalToNoise_dB(2))
            #expect(noise == (30, 30, nil))
            let variance = s.logVariance
            #expect(near(variance, -5.2307))
        })
    }

    func codes(_ frame: borrowing Frame) -> [Int32]? {
        guard let pulse = Pulse(frame) else { return nil }
        var samples = pulse.samples, out: [Int32] = []
        while let sample = samples.next() { out.append(sample) }
        return out
    }

    @Test func v26() throws {
        try #require(withFrame(Golden.v26, .whoop5) { frame in
            guard let record = Record(frame), let p = record.pulse else { Issue.record("no pulse"); return }
            let identity = (record.unix, record.counter, record.summary == nil ? 0 : 1)
            #expect(identity == (1_780_917_232, 25_444_781, 0))
            let deltas = (p.first, p.deltas[0], p.deltas[1], p.deltas[2], p.deltas[24])
            #expect(deltas == (378_307, -1432, -1332, -1139, nil))
            let samples = codes(frame) ?? []
            #expect(samples.count == 25 && samples[0] == 378_307 && samples[24] == 362_532)
            let (motion, word, good) = (p.dynamicAcceleration, p.channelWord.rawValue, p.isShapeGood)
            #expect(near(motion, 0.0219) && word == 0x0850 && good)
        })
    }

    @Test func aRailEndsThePulse() throws {
        for (rail, at) in [([0xff, 0x7f], 3), ([0x00, 0x80], 0)] as [([UInt8], Int)] {
            let bytes = patched(Golden.v26, .whoop5, [(19 + 2 * at, rail)])
            let count = withFrame(bytes, .whoop5) { codes($0)?.count }
            #expect(count == at + 1)
        }
        // A sum beyond 20 bits: first 524,000, then +400.
        let bytes = patched(Golden.v26, .whoop5, [(15, [0xe0, 0xfe, 0x07, 0x00]), (19, [0x90, 0x01])])
        #expect(withFrame(bytes, .whoop5) { codes($0)?.count } == 1)
        // A first sample beyond 20 bits.
        let none = patched(Golden.v26, .whoop5, [(15, [0x00, 0x00, 0x08, 0x00])])
        #expect(withFrame(none, .whoop5) { codes($0)?.count } == 0)
    }

    @Test func realtime() throws {
        try #require(withFrame(Golden.realtime, .whoop5) { frame in
            guard let r = Realtime(frame) else { Issue.record("no view"); return }
            let values = (r.time, r.heartRate, r.rr.count, r.rr[0], r.rr[1])
            #expect(values == (StrapTime(seconds: 1_780_916_382, fraction: 18350), 98, 2, 603, 587))
            let (worn, location) = (r.isWorn, r.location)
            #expect(worn == true && location == 0)
        })
    }

    @Test func metadata() throws {
        for (text, family, announced, token) in [(Golden.end4, Family.whoop4, 50, 0x10_0000b6c7), (Golden.end5, .whoop5, 59, 0x10_0001bafd)] as [(String, Family, UInt32, UInt64)] {
            try #require(withFrame(text, family) { frame in
                guard let m = Metadata(frame) else { Issue.record("no view"); return }
                let values = (m.kind, m.announced, m.token)
                #expect(values == (.end, announced, token))
            })
        }
        try #require(withFrame(Golden.start4, .whoop4) { frame in
            guard let m = Metadata(frame) else { Issue.record("no view"); return }
            let values = (m.kind, m.unix, m.announced, m.token, m.firmware)
            #expect(values == (.start, 1_736_702_790, nil, nil, Version(41, 16, 3, 0)))
        })
    }

    @Test func anEndCutBeforeItsTokenHasNone() throws {
        let inner = Array(unhex(Golden.end4)[4..<24])
        try #require(withFrame(sealed(inner, .whoop4), .whoop4) { frame in
            guard let m = Metadata(frame) else { Issue.record("no view"); return }
            let values = (m.kind, m.announced, m.token)
            #expect(values == (.end, nil, nil))
        })
    }

    @Test func batteryEvent() throws {
        try #require(withFrame(Golden.battery, .whoop5) { frame in
            guard let e = Event(frame) else { Issue.record("no view"); return }
            let values = (e.number, e.sequence, e.unix, e.subsecond, e.body.byteCount)
            #expect(values == (.batteryLevel, 0x35, 1_780_910_501, 6225, 20))
            let battery = e.battery
            #expect(battery?.tenths == 499 && battery?.millivolts == 3833)
        })
    }

    @Test func dataRange() throws {
        let five = withFrame(Golden.range5, .whoop5) { Response($0)?.dataRange } ?? nil
        #expect(five?.oldestPage == 113_024 && five?.writePage == 112_968 && five?.trimPage == 112_474 && five?.wraps == 16)
        #expect(five?.pagesBehind == 494 && five?.unreadRecords == 7130 && five?.freeRecords == 1_958_670)
        #expect(five?.oldest?.seconds == 1_778_377_136 && five?.trim?.seconds == 1_780_919_203)
        #expect(five?.read?.seconds == 1_780_919_203 && five?.newest?.seconds == 1_780_926_332)
        let four = withFrame(Golden.range4, .whoop4) { Response($0)?.dataRange } ?? nil
        #expect(four?.oldestPage == 129_344 && four?.readPage == 129_317 && four?.writePage == 129_323 && four?.wraps == 8)
        #expect(four?.unreadRecords == 6 && four?.newest?.seconds == 1_784_703_075)
    }

    @Test func aPendingAnswerHasNoDataRange() throws {
        let pending = "aa010c000100271124bd229802000000c29da758"
        try #require(withFrame(pending, .whoop5) { frame in
            guard let r = Response(frame) else { Issue.record("no view"); return }
            let values = (r.command, r.origin, r.result, r.dataRange)
            #expect(values == (34, 0x98, .pending, nil))
        })
    }
}
