// Owns putting captured history into a strap's flash: bursts with the strap's own START, END and token, byte for byte.
import Whoop
import Wire

extension SimulatedStrap {
    /// Serves a captured session before anything else, without its first bursts.
    public func remember(captured released: Int) {
        let frames = split(decoded(CapturedSession.base64(identity.family)))
        var bursts: [ServedBurst] = []
        var current = ServedBurst(frames: [], start: [], end: [], token: 0, records: 0, through: 0)
        for frame in frames {
            let inner = identity.family.headerLength
            switch (frame[inner], frame[inner + 2]) {
            case (49, 1):
                current = ServedBurst(frames: [], start: frame, end: [], token: 0, records: 0, through: 0)
            case (49, 2):
                current.end = frame
                current.token = frame.span.bytes.u64(at: inner + 13)
                bursts.append(current)
            default:
                if frame[inner] == 47 { current.records += 1 }
                current.frames.append(frame)
            }
        }
        flash.captured = Array(bursts.dropFirst(released))
    }

    /// Bursts of the captured session that are still held.
    public var capturedBursts: Int { flash.captured.count }

    /// The bytes of the captured session, whole frames one after the other.
    public static func captured(_ family: Family) -> [UInt8] { decoded(CapturedSession.base64(family)) }

    private func split(_ bytes: [UInt8]) -> [[UInt8]] {
        let at = identity.family == .whoop4 ? 1 : 2
        var frames: [[UInt8]] = []
        var from = 0
        while from + at + 1 < bytes.count {
            let length = identity.family.headerLength + Int(bytes[from + at]) + Int(bytes[from + at + 1]) << 8
            guard from + length <= bytes.count else { break }
            frames.append(Array(bytes[from..<(from + length)]))
            from += length
        }
        return frames
    }
}

private func decoded(_ text: StaticString) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(text.utf8CodeUnitCount * 3 / 4)
    var bits: UInt32 = 0
    var count = 0
    for i in 0..<text.utf8CodeUnitCount {
        let value: UInt32
        switch text.utf8Start[i] {
        case let c where c >= 0x41 && c <= 0x5a: value = UInt32(c) - 0x41
        case let c where c >= 0x61 && c <= 0x7a: value = UInt32(c) - 0x61 + 26
        case let c where c >= 0x30 && c <= 0x39: value = UInt32(c) - 0x30 + 52
        case 0x2b: value = 62
        case 0x2f: value = 63
        default: continue
        }
        bits = bits << 6 | value
        count += 6
        if count >= 8 {
            count -= 8
            out.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
    }
    return out
}
