// Owns the gates of WHOOP.md 8.12. A value outside its gate is absent; it never makes the record absent.
import Wire

enum Gate {
    /// Beats per minute, 25...230.
    @inline(__always)
    static func heartRate(_ value: UInt8) -> UInt8? { value >= 25 && value <= 230 ? value : nil }

    /// 0...most; a greater count makes all intervals worthless.
    @inline(__always)
    static func rrCount(_ value: UInt8, most: UInt8 = 4) -> Int? { value <= most ? Int(value) : nil }

    /// Finite, 0...16 g: dynamic acceleration.
    @inline(__always)
    static func motion(_ value: Float) -> Float? { value >= 0 && value <= 16 ? value : nil }

    /// Mean acceleration in g, three components from `offset`, on 4.0: its magnitude is 0.5...1.8.
    @inline(__always)
    static func gravity(_ bytes: RawSpan, at offset: Int) -> Vector? {
        let mean = Vector(x: bytes.f32(at: offset), y: bytes.f32(at: offset + 4), z: bytes.f32(at: offset + 8))
        let square = mean.x * mean.x + mean.y * mean.y + mean.z * mean.z
        return square >= 0.25 && square <= 3.24 ? mean : nil
    }

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
