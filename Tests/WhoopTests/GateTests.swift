// The gates of WHOOP.md 8.12 at their edges: a value outside is absent, and the rest of the record stays.
import Testing
import Wire
@testable import Whoop

@Suite struct GateTests {
    func summary<T>(_ text: String, _ family: Family, _ patches: [(at: Int, bytes: [UInt8])], _ read: (borrowing Summary) -> T?) -> T? {
        let value = withFrame(patched(text, family, patches), family) { frame -> T? in
            guard let summary = Summary(frame) else { Issue.record("the record was lost"); return nil }
            return read(summary)
        }
        return value ?? nil
    }

    @Test(arguments: [(0, nil), (24, nil), (25, 25), (230, 230), (231, nil), (255, nil)] as [(UInt8, UInt8?)])
    func heartRate(sent: UInt8, read: UInt8?) {
        #expect(summary(Golden.v24, .whoop4, [(17, [sent])]) { $0.heartRate } == read)
        #expect(summary(Golden.v18, .whoop5, [(14, [sent])]) { $0.heartRate } == read)
    }

    @Test func moreThanFourIntervalsAreNone() {
        #expect(summary(Golden.v24, .whoop4, [(18, [5])]) { $0.rr.isAbsent && $0.rr.count == 0 } == true)
        #expect(summary(Golden.v24, .whoop4, [(18, [5])]) { $0.rr[0] } == nil)
        #expect(summary(Golden.v24, .whoop4, [(18, [4])]) { $0.rr.count } == 4)
    }

    @Test(arguments: [(199, false), (200, true), (2500, true), (2501, false)])
    func interval(ms: Int, passes: Bool) {
        #expect(summary(Golden.v24, .whoop4, [(19, little(ms, 2))]) { $0.rr[0] } == (passes ? Int32(ms) : nil))
        #expect(summary(Golden.v18, .whoop5, [(16, little(ms, 2))]) { $0.rr[0] } == (passes ? Int32(ms) : nil))
    }

    @Test(arguments: [(-0.01, false), (0, true), (16, true), (16.01, false), (.nan, false), (.infinity, false)] as [(Float, Bool)])
    func dynamicAcceleration(g: Float, passes: Bool) {
        #expect((summary(Golden.v18, .whoop5, [(33, little(g))]) { $0.dynamicAcceleration } != nil) == passes)
    }

    @Test func gravityOfFourIsNearOneG() {
        for (g, passes) in [(0.49, false), (0.51, true), (1.79, true), (1.81, false), (.nan, false)] as [(Float, Bool)] {
            let patch = [(at: 36, bytes: little(g) + little(Float(0)) + little(Float(0)))]
            #expect((summary(Golden.v24, .whoop4, patch) { $0.gravity } != nil) == passes)
        }
    }

    @Test func gravityOfFiveMayBeAnyMovement() {
        for (g, passes) in [(0.1, true), (3, true), (-16, true), (-16.1, false), (.nan, false)] as [(Float, Bool)] {
            #expect((summary(Golden.v18, .whoop5, [(37, little(g))]) { $0.gravity } != nil) == passes)
        }
    }

    @Test func skinTemperature() {
        for (tenths, read) in [(49, nil), (50, 500), (450, 4500), (451, nil), (0xffff, nil)] as [(Int, Int16?)] {
            #expect(summary(Golden.v24, .whoop4, [(72, little(tenths, 2))]) { $0.skinTemperature_centi } == read)
        }
        for (hundredths, read) in [(499, nil), (500, 500), (4500, 4500), (4501, nil), (-5000, nil)] as [(Int, Int16?)] {
            #expect(summary(Golden.v18, .whoop5, [(65, little(hundredths, 2))]) { $0.skinTemperature_centi } == read)
        }
    }

    @Test func oxygen() {
        for (byte, read) in [(0, nil), (69, nil), (70, 70), (100, 100), (101, nil), (168, nil)] as [(UInt8, UInt8?)] {
            #expect(summary(Golden.v24, .whoop4, [(82, [byte])]) { $0.spo2 } == read)
            #expect(summary(Golden.v18, .whoop5, [(74, [byte])]) { $0.spo2 } == read)
        }
    }

    @Test func sleepStates() {
        for (bits, state) in [(0, .wake), (1, .still), (2, .asleep), (3, .up)] as [(UInt8, SleepState)] {
            #expect(summary(Golden.v24, .whoop4, [(80, [bits << 4 | 0x0f])]) { $0.sleepState } == state)
            #expect(summary(Golden.v18, .whoop5, [(73, [bits << 4 | 0xc0])]) { $0.sleepState } == state)
        }
    }

    @Test func activityBeyondItsClassesIsNone() {
        #expect(summary(Golden.v18, .whoop5, [(55, [2])]) { $0.activity } == .run)
        #expect(summary(Golden.v18, .whoop5, [(55, [3])]) { $0.activity } == nil)
    }

    @Test func noSignalToNoiseIsNone() {
        #expect(summary(Golden.v18, .whoop5, [(100, [0x80, 0xff])]) { $0.signalToNoise_dB(1) } == nil)
        #expect(summary(Golden.v18, .whoop5, [(100, [0x80, 0xff])]) { $0.signalToNoise_dB(0) } == -1)
    }

    @Test func aSummaryOfTheOtherFamilyIsNone() {
        // v24 bytes in a 5.0 envelope.
        let inner = Array(unhex(Golden.v24)[4...].dropLast(4))
        let found = withFrame(sealed(inner, .whoop5), .whoop5) { (Record($0) != nil, Summary($0) != nil) }
        #expect(found?.0 == true && found?.1 == false)
    }

    @Test func aRecordCutShortIsOnlyAHeader() {
        for (text, family, least) in [(Golden.v24, Family.whoop4, 84), (Golden.v18, .whoop5, 109)] {
            let inner = Array(unhex(text)[family.headerLength...].dropLast(4))
            for count in [13, least - 1, least] {
                let found = withFrame(sealed(Array(inner[..<count]), family), family) { (Record($0) != nil, Summary($0) != nil) }
                #expect(found?.0 == true && found?.1 == (count == least))
            }
        }
        // Steps of v24 lie beyond what every v24 has.
        let short = Array(unhex(Golden.v24)[4..<90])
        #expect(withFrame(sealed(short, .whoop4), .whoop4) { Summary($0)?.steps } == .some(nil))
    }

    @Test func plausibleTime() {
        let wall = WallTime(seconds: 1_780_000_000)
        for (seconds, passes) in [(1_699_999_999, false), (1_700_000_000, true), (1_780_086_400, true), (1_780_086_401, false), (31_626_929, false)] as [(UInt32, Bool)] {
            #expect(StrapTime(seconds: seconds, fraction: 0).isPlausible(wall: wall) == passes)
        }
    }

    @Test func wallTimeBecomesStrapTime() {
        #expect(StrapTime(WallTime(milliseconds: 1_767_225_600_500)) == StrapTime(seconds: 1_767_225_600, fraction: 16384))
        #expect(StrapTime(WallTime(milliseconds: 1_767_225_600_999)) == StrapTime(seconds: 1_767_225_600, fraction: 32735))
        #expect(StrapTime(WallTime(milliseconds: -1)) == nil)
        #expect(StrapTime(WallTime(seconds: 4_294_967_296)) == nil)
    }
}
