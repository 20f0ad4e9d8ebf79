// Owns the bytes after a command's number (WHOOP.md 5.2-5.9, 9.3). On 5.0 nearly every payload begins with a revision.
// Padding to four bytes is the envelope's; it makes an empty payload and `00` the same bytes.
import Wire

extension Command {
    func payload4(into inner: inout Packet) {
        switch self {
        case .setAlarm(let alarm):
            inner.u8(1)
            inner.u32(alarm.time.seconds)
            inner.u16(alarm.time.fraction)
            inner.u16(0)
        case .getAlarm, .runAlarm, .disableAlarm:
            inner.u8(1)
        case .buzz(let loops, let pattern):
            inner.u8(pattern)
            inner.u8(loops)
            inner.zeros(3)
        case .motionStream(let stream):
            inner.u8(stream.rawValue)
        case .hello, .getName, .getVersion, .rawStreamOff, .stopHaptics:
            inner.u8(0)
        default:
            shared(into: &inner)
        }
    }

    func payload5(into inner: inout Packet) {
        switch self {
        case .setAlarm(let alarm):
            inner.u8(4)
            inner.u8(alarm.slot)
            inner.u32(alarm.time.seconds)
            inner.u16(alarm.time.fraction)
            stockEffect(into: &inner)
            inner.u16(0)
            inner.u8(alarm.loops)
            inner.u8(alarm.duration_s)
            inner.u8(0)
        case .getAlarm(let slot):
            inner.u8(4)
            inner.u8(slot)
        case .runAlarm(let slot):
            inner.u8(2)
            inner.u8(slot)
        case .disableAlarm(.all):
            inner.u8(2)
            inner.u8(0xff)
        case .disableAlarm(.slot(let slot)):
            inner.u8(2)
            inner.u8(slot)
        case .buzz(let loops, _):
            inner.u8(1)
            stockEffect(into: &inner)
            inner.u16(0)
            inner.u8(loops)
        case .motionStream(let stream):
            inner.u8(1)
            inner.u8(stream.rawValue)
        case .hello, .getName, .stopHaptics, .getPackInfo, .getGyroscope:
            inner.u8(1)
        default:
            shared(into: &inner)
        }
    }

    /// Payloads that are the same for both families.
    private func shared(into inner: inout Packet) {
        switch self {
        case .realtimeHeartRate(let stream):
            inner.u8(stream.rawValue)
        case .setClock(let time):
            inner.u32(time.seconds)
            inner.u32(UInt32(time.fraction))
        case .burstStored(let token):
            inner.u8(1)
            inner.u64(token)
        case .burstFailed:
            inner.zeros(2)
        case .getFrontEnd, .stopRawData, .getBodyLocation, .getKeyCount, .getNextKey:
            inner.u8(1)
        case .getValue(_, let key):
            inner.u8(1)
            key.append(to: &inner)
        default:
            inner.u8(0)
        }
    }

    /// The vendor's app's effects 47 and 152 and six empty places.
    private func stockEffect(into inner: inout Packet) {
        inner.u8(0x2f)
        inner.u8(0x98)
        inner.zeros(6)
    }
}
