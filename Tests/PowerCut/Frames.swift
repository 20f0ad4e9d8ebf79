// Owns frames made to order for the script: whole, of either family, each recognisable by its number. Written from the
// field maps and not with the product's encoder.
import Whoop
import Wire

enum Frames {
    /// A second of history; its heart rate follows from its counter.
    static func record(_ family: Family, counter: UInt32, unix: UInt32) -> [UInt8] {
        let isFour = family == .whoop4
        var inner = [UInt8](repeating: 0, count: isFour ? 96 : 112)
        inner[0] = 47
        inner[1] = isFour ? 24 : 18
        inner[2] = isFour ? 0x05 : 0x80
        put(counter, at: 3, in: &inner)
        put(unix, at: 7, in: &inner)
        let heart = isFour ? 17 : 14
        inner[heart] = heartRate(counter)
        inner[heart + 1] = 1
        inner[heart + 2] = 0x20
        inner[heart + 3] = 0x03
        // Gravity, without which a record of 4.0 is no second.
        put(Float(1).bitPattern, at: isFour ? 44 : 45, in: &inner)
        return frame(family, inner)
    }

    static func heartRate(_ counter: UInt32) -> UInt8 { UInt8(50 + counter % 100) }

    static func event(_ family: Family, unix: UInt32) -> [UInt8] {
        var inner = [UInt8](repeating: 0, count: 12)
        inner[0] = 48
        inner[2] = 14
        put(unix, at: 4, in: &inner)
        return frame(family, inner)
    }

    static func end(_ family: Family, unix: UInt32, announced: UInt32, token: UInt32) -> [UInt8] {
        var inner = [UInt8](repeating: 0, count: 24)
        inner[0] = 49
        inner[2] = 2
        put(unix, at: 3, in: &inner)
        put(announced, at: 9, in: &inner)
        put(token, at: 13, in: &inner)
        return frame(family, inner)
    }

    /// A second of the strap's live stream (4.0).
    static func realtime(unix: UInt32) -> [UInt8] {
        var inner = [UInt8](repeating: 0, count: 20)
        inner[0] = 40
        inner[1] = 2
        put(unix, at: 2, in: &inner)
        inner[8] = 64
        inner[18] = 1
        return frame(.whoop4, inner)
    }

    private static func put(_ value: UInt32, at: Int, in bytes: inout [UInt8]) {
        for i in 0..<4 { bytes[at + i] = UInt8(truncatingIfNeeded: value >> UInt32(8 * i)) }
    }

    private static func frame(_ family: Family, _ inner: [UInt8]) -> [UInt8] {
        let length = UInt16(inner.count + 4)
        let size = [UInt8(truncatingIfNeeded: length), UInt8(length >> 8)]
        var out: [UInt8]
        switch family {
        case .whoop4: out = [0xaa] + size + [crc8(size.span.bytes)]
        case .whoop5:
            out = [0xaa, 1] + size + [1, 0]
            let check = crc16(out.span.bytes)
            out += [UInt8(truncatingIfNeeded: check), UInt8(check >> 8)]
        }
        let check = crc32(inner.span.bytes)
        return out + inner + (0..<4).map { UInt8(truncatingIfNeeded: check >> UInt32(8 * $0)) }
    }
}
