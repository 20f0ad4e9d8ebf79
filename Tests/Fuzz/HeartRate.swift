// Fuzzes the value of the standard Heart Rate Measurement (2A37).
import Wire
import Whoop

func fuzzHeartRateMeasurement(_ data: RawSpan) {
    guard let v = HeartRateMeasurement(data) else { return demand(data.byteCount < 3, "a value of \(data.byteCount) bytes was refused") }
    if let bpm = v.heartRate { demand((30...230).contains(bpm) && UInt16(bpm) == v.rawHeartRate, "a heart rate of \(bpm)") }
    demand(v.rrCount >= 0 && 2 * v.rrCount <= data.byteCount, "\(v.rrCount) R-R intervals in \(data.byteCount) bytes")
    demand(v.rawRR(at: -1) == nil && v.rawRR(at: v.rrCount) == nil, "an R-R interval outside the count")
    let intervals = v.rr
    demand(intervals.count == v.rrCount && intervals[-1] == nil && intervals[v.rrCount] == nil, "\(intervals.count) intervals of \(v.rrCount)")
    for i in 0..<v.rrCount {
        guard let raw = v.rawRR(at: i) else { return demand(false, "interval \(i) of \(v.rrCount) is absent") }
        if let ms = intervals[i] {
            demand((200...2500).contains(ms) && abs(Int(ms) * 1024 - Int(raw) * 1000) <= 512, "\(raw)/1024 s are not \(ms) ms")
        }
    }
    demand((v.energy_kJ == nil) || v.flags & 8 != 0, "energy without its flag")
    demand((v.contact == nil) == (v.flags & 4 == 0), "contact without its flag")
}
