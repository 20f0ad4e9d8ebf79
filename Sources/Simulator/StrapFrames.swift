// Owns the frames of a strap's history, byte by byte after WHOOP's field maps (sections 6.5, 8.3, 8.7, 9.1).
import Whoop
import Wire

extension SimulatedStrap {
    func startFrame() -> [UInt8] {
        let isFour = identity.family == .whoop4
        var inner = Inner(49)
        inner.u8(nextSequence())
        inner.u8(1)
        inner.u32(time.seconds)
        inner.u16(time.fraction)
        inner.u32(isFour ? 6 : 13)
        inner.u32(isFour ? 16 : 82)
        inner.u32(isFour ? 2 : 0)
        inner.u32(identity.firmware.0)
        inner.u32(identity.firmware.1)
        inner.u32(identity.firmware.2)
        inner.u32(0)
        inner.fill(to: 40)
        return inner.frame(identity.family)
    }

    func endFrame(announced: UInt32, token: UInt64) -> [UInt8] {
        var inner = Inner(49)
        inner.u8(nextSequence())
        inner.u8(2)
        inner.u32(time.seconds)
        inner.u16(time.fraction)
        inner.u32(announced)
        inner.u32(UInt32(truncatingIfNeeded: token))
        inner.u32(UInt32(truncatingIfNeeded: token >> 32))
        inner.fill(to: 24)
        return inner.frame(identity.family)
    }

    /// One piece of the strap's log: revision, fifty bytes of text, NUL.
    func consoleFrame(_ text: String) -> [UInt8] {
        var inner = Inner(50)
        inner.u8(nextSequence())
        inner.u16(2)
        inner.u32(time.seconds)
        inner.u16(time.fraction)
        inner.u16(52)
        inner.u8(1)
        inner.text(text, width: 50)
        inner.u8(0)
        return inner.frame(identity.family)
    }

    /// A one-second summary: v24 of a 4.0, v18 of a 5.0.
    func recordFrame(_ counter: UInt32, _ unix: UInt32, _ second: BodySecond) -> [UInt8] {
        var inner = Inner(47)
        inner.u8(quirks.unknownVersion ?? (identity.family == .whoop4 ? 24 : 18))
        inner.u8(identity.family == .whoop4 ? 0x05 : 0x80)
        inner.u32(counter)
        inner.u32(unix)
        inner.u16(14_160)
        if identity.family == .whoop4 { summary4(second, into: &inner) } else { summary5(second, into: &inner) }
        return inner.frame(identity.family)
    }

    private func heart(_ second: BodySecond, into inner: inout Inner) {
        inner.u8(second.heartRate)
        inner.u8(UInt8(second.intervals.count))
        for i in 0..<4 { inner.u16(i < second.intervals.count ? second.intervals[i] : 0) }
    }

    private func gravity(into inner: inout Inner) {
        inner.f32(-0.41)
        inner.f32(0.45)
        inner.f32(0.79)
    }

    private func summary4(_ second: BodySecond, into inner: inout Inner) {
        inner.fill(to: 17)
        heart(second, into: &inner)
        inner.fill(to: 31)
        inner.u8(255)
        inner.f32(second.motion)
        gravity(into: &inner)
        inner.f32(4)
        gravity(into: &inner)
        inner.fill(to: 72)
        inner.u16(UInt16(second.skin / 10))
        inner.u16(0x0940)
        inner.u16(0x0c01)
        inner.u16(0x0c02)
        inner.u8(second.state << 4)
        inner.fill(to: 88)
        inner.u16(second.steps)
        inner.fill(to: 96)
    }

    private func summary5(_ second: BodySecond, into inner: inout Inner) {
        inner.fill(to: 14)
        heart(second, into: &inner)
        inner.fill(to: 32)
        inner.u8(255)
        inner.f32(second.motion)
        gravity(into: &inner)
        inner.u16(second.steps)
        inner.fill(to: 61)
        inner.u16(285)
        inner.u16(301)
        inner.u16(UInt16(bitPattern: second.skin))
        inner.u16(0x0940)
        inner.u16(0x0c01)
        inner.u16(0x0c02)
        inner.u8(second.state << 4)
        inner.fill(to: 96)
        inner.u8(1)
        inner.fill(to: 112)
    }
}
