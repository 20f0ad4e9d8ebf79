// Owns the gates of WHOOP.md 8.12. A value outside its gate is absent; it never makes the record absent.
import Wire

enum Gate {
    /// Beats per minute, 25...230.
    @inline(__always)
    static func heartRate(_ value: UInt8) -> UInt8? { value >= 25 && value <= 230 ? value : nil }

    /// 0...4; a greater count makes all intervals worthless.
    @inline(__always)
    static func rrCount(_ value: UInt8) -> Int { value <= 4 ? Int(value) : 0 }

    /// Milliseconds, 200...2500, of interval `index` of `count` 16-bit ones from offset `first`.
    @inline(__always)
    static func rr(_ bytes: RawSpan, first: Int, _ index: Int, of count: Int) -> UInt16? {
        guard index >= 0, index < count else { return nil }
        let value = bytes.u16(at: first + 2 * index)
        return value >= 200 && value <= 2500 ? value : nil
    }

    /// Finite, 0...16 g: dynamic acceleration.
    @inline(__always)
    static func motion(_ value: Float) -> Float? { value >= 0 && value <= 16 ? value : nil }

    /// Hundredths of a degree Celsius, 5...45 °C.
    @inline(__always)
    static func skin(_ hundredths: Int) -> Int16? { hundredths >= 500 && hundredths <= 4500 ? Int16(hundredths) : nil }

    /// Percent, 70...100; other values are status codes.
    @inline(__always)
    static func spo2(_ value: UInt8) -> UInt8? { value >= 70 && value <= 100 ? value : nil }

    /// Tenths of a percent, 0...1000.
    @inline(__always)
    static func battery(_ tenths: UInt32) -> UInt16? { tenths <= 1000 ? UInt16(tenths) : nil }
}
