// Owns what a simulated strap does when it is told something (WHOOP.md 4.3, 5). A command that no bridge of ours may send
// is a breach, and one that the family does not have is answered as unsupported.
import Whoop
import Wire

extension SimulatedStrap {
    func obey(_ command: UInt8, _ payload: [UInt8], sequence: UInt8) {
        let isFour = identity.family == .whoop4
        func answer(_ result: UInt8, _ body: [UInt8] = []) { respond(command, origin: sequence, result: result, body) }
        /// 5.0 says "pending" first.
        func answerTwice(_ body: [UInt8]) {
            guard !isFour else { return answer(1, body) }
            answer(2)
            schedule.after(30) { answer(1, body) }
        }

        switch command {
        case hello:
            if !quirks.ignoresHello { answerTwice(isFour ? hello4 : hello5) }
        case 3:
            isArmed = payload.first == 1
            answer(isFour ? 2 : 1)
        case 7 where isFour:
            answer(1, [1] + words([identity.firmware.0, identity.firmware.1, identity.firmware.2, 0]))
        case 10:
            guard payload.count >= 8 else { return answer(0) }
            if !quirks.ignoresClock {
                let ms = Int64(word(payload, 0)) * 1000 + Int64(word(payload, 4) & 0x7fff) * 1000 / 32768
                clockOffset_ms = ms - schedule.clock.now.milliseconds
                happen(16)
            }
            answer(1)
        case 11:
            schedule.after(quirks.clockDelay_ms) { [self] in
                answer(1, words([time.seconds]) + little(time.fraction) + [0, 0])
            }
        case 20:
            abortHistory()
            answer(1)
        case 22:
            guard payload.first == 0 else { return }
            answer(isFour ? 2 : 1, [0x0b])
            startHistory()
        case 23:
            guard payload.count >= 9 || payload.first == 0 else { return }
            let success = payload[0] == 1
            let token = success ? UInt64(word(payload, 1)) | UInt64(word(payload, 5)) << 32 : 0
            answer(1)
            acknowledged(token, success: success)
        case 26:
            answer(1, isFour ? little(battery_tenths) : [UInt8(battery_tenths / 10)])
        case 34:
            answerTwice(range)
        case 63 where isFour:
            answer(2)
        case 76 where isFour, 141 where !isFour:
            let name = Array(identity.name.utf8)
            answer(1, [1, 1, UInt8(name.count)] + name)
        case 79 where isFour, 19 where !isFour:
            buzzes.append(schedule.clock.now)
            answer(isFour ? 1 : 2, isFour ? [] : [1, 1])
            happen(60)
        case 96:
            isInHighFrequencySync = true
            breaches.append("high-frequency sync was entered")
            answer(1)
        case 97:
            isInHighFrequencySync = false
            answer(1)
        case 122:
            answer(1)
        case 15, 25, 29, 32, 33, 36, 37, 38, 45, 83, 99, 142, 143, 144, 153, 154:
            breaches.append("command \(command) must never be sent")
        default:
            answer(3)
        }
    }

    private func word(_ bytes: [UInt8], _ at: Int) -> UInt32 { bytes.span.bytes.u32(at: at) }

    private func words(_ values: [UInt32]) -> [UInt8] {
        var out: [UInt8] = []
        for value in values { for shift in [UInt32(0), 8, 16, 24] { out.append(UInt8(truncatingIfNeeded: value >> shift)) } }
        return out
    }

    /// A body without its answer's header: five bytes of an inner record, then these.
    private func body(_ write: (inout Inner) -> Void) -> [UInt8] {
        var inner = Inner(0)
        write(&inner)
        return Array(inner.bytes.dropFirst())
    }

    private var hello4: [UInt8] {
        body { inner in
            inner.u8(4)
            inner.u32(UInt32(battery_tenths))
            inner.u8(0)
            inner.u32(time.seconds)
            inner.u32(UInt32(time.fraction))
            inner.text(identity.serial, width: 10)
            inner.fill(to: 1 + 78)
            inner.u32(6)
            inner.u32(2)
            inner.u32(16)
            inner.append(words([identity.firmware.0, identity.firmware.1, identity.firmware.2, 0]))
            inner.fill(to: 1 + 114)
            inner.u8(isWorn ? 1 : 0)
            inner.fill(to: 1 + 131)
        }
    }

    private var hello5: [UInt8] {
        body { inner in
            inner.u8(1)
            inner.u32(UInt32(battery_tenths))
            inner.u8(0)
            inner.u32(time.seconds)
            inner.u32(UInt32(time.fraction))
            inner.text(identity.serial, width: 11)
            inner.fill(to: 1 + 79)
            inner.u32(13)
            inner.u32(1)
            inner.u32(82)
            inner.u8(UInt8(identity.firmware.0))
            inner.u8(UInt8(identity.firmware.1))
            inner.u8(UInt8(identity.firmware.2))
            inner.fill(to: 1 + 102)
            inner.u8(isWorn ? 1 : 0)
            inner.u8(0)
        }
    }

    private var range: [UInt8] {
        let page = Flash.perPage
        return body { inner in
            inner.u8(1)
            inner.u32(flash.trim / page / 64 * 64)
            inner.u32(flash.trim / page)
            inner.u32(flash.next / page)
            inner.u32(flash.trim / page)
            inner.u32(0)
            inner.u32(Flash.pages)
            inner.u32(flash.pending)
            inner.u32(Flash.pages * page - flash.pending)
            for seconds in [flash.oldest ?? 0, flash.oldest ?? 0, flash.oldest ?? 0, flash.newest ?? 0] {
                inner.u32(seconds)
                inner.u32(0)
            }
        }
    }
}
