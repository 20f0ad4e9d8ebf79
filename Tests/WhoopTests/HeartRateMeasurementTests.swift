// Every value of hr_2a37.json, and the gates that the vectors do not have.
import Testing
import Wire
@testable import Whoop

@Suite struct HeartRateMeasurementTests {
    @Test func everyVectorReadsAsExpected() throws {
        let entries = try Vectors.load("hr_2a37")
        #expect(entries.count == 35)
        for entry in entries {
            let id = entry["id"]?.string ?? "?"
            let value = unhex(entry["hex"]?.string ?? "")
            guard let view = HeartRateMeasurement(value.span.bytes) else {
                #expect(entry["expect"] == .null || entry["expect"] == nil, "\(id) was refused")
                continue
            }
            guard let expect = entry["expect"], expect != .null else { Issue.record("\(id) was taken"); continue }
            let bpm = expect["hr"]?.int ?? -1
            let raw = (0..<view.rrCount).compactMap { view.rawRR(at: $0) }.map { Int($0) }
            let ms = (0..<view.rrCount).map { view.rr[$0].map { Int($0) } }
            #expect(Int(view.flags) == expect["flags"]?.int, "\(id)")
            #expect(Int(view.rawHeartRate) == bpm, "\(id)")
            #expect(view.heartRate.map { Int($0) } == (30...230 ~= bpm ? bpm : nil), "\(id)")
            #expect(view.contact == expect["contact"]?.bool, "\(id)")
            #expect(view.energy_kJ.map { Int($0) } == expect["energy_kj"]?.int, "\(id)")
            #expect(raw == expect["rr_raw"]?.array?.compactMap(\.int), "\(id)")
            #expect(ms == expect["rr_ms"]?.array?.compactMap(\.int).map { 200...2500 ~= $0 ? $0 : nil }, "\(id)")
        }
    }

    @Test func theGatesAreInclusive() {
        for (bpm, passes) in [(29, false), (30, true), (230, true), (231, false)] {
            let value: [UInt8] = [0, UInt8(bpm)]
            #expect((HeartRateMeasurement(value.span.bytes)?.heartRate != nil) == passes)
        }
        // 205/1024 s is 200.2 ms, 204 is 199.2; 2560 is 2500 ms, 2561 is 2501.
        for (raw, ms) in [(204, nil), (205, 200), (2560, 2500), (2561, nil)] as [(Int, Int32?)] {
            let value: [UInt8] = [16, 60, UInt8(raw & 0xff), UInt8(raw >> 8)]
            #expect(HeartRateMeasurement(value.span.bytes)?.rr[0] == ms)
        }
    }

    @Test func anIntervalBeyondTheLastIsNil() {
        let value: [UInt8] = [16, 60, 0, 4]
        let view = HeartRateMeasurement(value.span.bytes)
        #expect(view?.rr[1] == nil && view?.rr[-1] == nil && view?.rawRR(at: 1) == nil)
    }
}
