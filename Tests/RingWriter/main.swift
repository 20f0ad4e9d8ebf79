// A program that writes bursts into a ring until it is killed, and says which are stored. The tests kill it.
// Arguments: the ring's path, the number of the first burst. Prints one burst number a line, after it was stored.
import Foundation
import Ports
import Store
import Wire

final class BoardClock: Ports.Clock {
    var now: Wire.Instant { Wire.Instant(milliseconds: Int64(ProcessInfo.processInfo.systemUptime * 1000)) }
    var wall: WallTime { WallTime(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }
    let trusted = true
    let utcOffset_s = 0
}

final class Speaker: StoreListener {
    func stored(_ ticket: UInt32) {
        let line = Array("\(ticket)\n".utf8)
        _ = line.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
    }
    func notStored(_ ticket: UInt32, _ trouble: StoreTrouble) { exit(3) }
    func storage(has trouble: StoreTrouble?) { exit(4) }
}

/// Record `counter` of 4.0, version 12.
func frame(_ counter: UInt32) -> [UInt8] {
    var inner = [UInt8](repeating: 0, count: 88)
    (inner[0], inner[1], inner[17]) = (47, 12, 60)
    for i in 0..<4 {
        inner[3 + i] = UInt8(truncatingIfNeeded: counter >> (8 * UInt32(i)))
        inner[7 + i] = UInt8(truncatingIfNeeded: (1_767_225_600 + counter) >> (8 * UInt32(i)))
    }
    let length: [UInt8] = [92, 0]
    let check = crc32(inner.span.bytes)
    return [0xaa] + length + [crc8(length.span.bytes)] + inner + (0..<4).map { UInt8(truncatingIfNeeded: check >> (8 * UInt32($0))) }
}

let clock = BoardClock()
let ring = Ring(path: CommandLine.arguments[1], limit: Ring.smallestLimit, clock: clock, listener: Speaker())
ring.apply(.strap(Peer(Address("F0:F1:F2:F3:F4:F5")!, .randomLE), generation: 4), RawSpan())
var burst = UInt32(CommandLine.arguments[2])!
while true {
    for i in 0..<50 as Range<UInt32> {
        let bytes = frame(burst * 50 + i)
        ring.apply(.historyFrame(Stamp(clock)), bytes.span.bytes)
    }
    ring.apply(.heartRate(Stamp(clock)), [0 as UInt8, 61].span.bytes)
    ring.apply(.burst(BurstEnd(announced: 50, received: 50, token: UInt64(burst)), Stamp(clock), ticket: burst), RawSpan())
    burst += 1
}
