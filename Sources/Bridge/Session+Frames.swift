// Owns the way of what the strap notifies: characteristic, frame, and whose it is. Decides nothing about it.
import Bluetooth
import Ports
import Whoop
import Wire

extension Session {
    func attribute(_ handle: UInt16, changed value: RawSpan) {
        guard let table = handles else { return }
        for i in 0..<table.count where table[i].value == handle {
            return changed(table[i].uuid, value)
        }
    }

    func changed(_ uuid: UUID128, _ value: RawSpan) {
        if uuid.short == 0x2a37 { return heartRate(value) }
        if uuid.short == 0x2a19 { if value.byteCount >= 1, value.u8(at: 0) <= 100 { charged(UInt16(value.u8(at: 0)) * 10) }; return }
        guard let family = strap.family else { return }
        if uuid == family.uuid(of: .data) {
            noticingDamage { data.feed(value, family: family, now: clock.now) { frame in take(frame, from: .data) } }
        } else if uuid == family.uuid(of: .responses) {
            responses.feed(value, family: family, now: clock.now) { frame in take(frame, from: .responses) }
        } else if uuid == family.uuid(of: .events) {
            events.feed(value, family: family, now: clock.now) { frame in take(frame, from: .events) }
        }
    }

    private func noticingDamage(_ work: () -> Void) {
        let before = data.damaged
        work()
        if data.damaged != before { offload.damage() }
    }

    func tickStreams(_ now: Instant) {
        noticingDamage { data.tick(now: now) { frame in take(frame, from: .data) } }
        responses.tick(now: now) { frame in take(frame, from: .responses) }
        events.tick(now: now) { frame in take(frame, from: .events) }
    }

    func take(_ frame: borrowing Frame, from characteristic: Whoop.Characteristic) {
        frames &+= 1
        let type = frame.type
        switch type {
        case PacketType.response, PacketType.packResponse:
            if let response = Response(frame) { answered(response) }
            return
        case PacketType.metadata, PacketType.packMetadata:
            if let metadata = Metadata(frame) { history(metadata, frame.bytes) }
            return
        case PacketType.liveRecord:
            return  // the flood of raw records: switched off in the handshake, not kept
        case PacketType.realtime:
            if let realtime = Realtime(frame) { live(realtime) }
        case PacketType.event:
            if let event = Event(frame) { happened(event) }
        default:
            break
        }
        if characteristic == .data, PacketType.countsInBurst(type),
            offload.frame(isRecord: type == PacketType.record, checksum: frame.bytes.u32(at: frame.bytes.byteCount - 4), now: clock.now) {
            if type == PacketType.record, let record = Record(frame) {
                burstRecords &+= 1
                records &+= 1
                if record.time.isPlausible(wall: clock.wall) || !clock.trusted {
                    let second = Int64(record.unix)
                    if burstSeconds.first == 0 { burstSeconds.first = second }
                    burstSeconds.last = max(burstSeconds.last, second)
                }
            }
            if !store.put(.historyFrame(Stamp(clock)), frame.bytes) { offload.lose() }
        } else if type != PacketType.record, characteristic != .data || !offload.discardsFrames {
            keep(.liveFrame(Stamp(clock)), frame.bytes)
        }
        // What is left is history that was not acknowledged: the strap serves it again.
    }

    func answered(_ response: borrowing Response) {
        if let tenths = response.battery_tenths { charged(tenths) }
        guard let waited = awaited, waited.number == response.command else { return }
        let now = clock.now
        switch step {
        case .hello, .helloAgain:
            // A 5.0 answers "pending" first; the real answer follows.
            guard response.result != .pending else { return }
            if let hello = response.hello { greet(hello) }
            enter(.readClock)
        case .readClock, .verifyClock:
            guard response.result != .pending else { return }
            if let time = response.clock { read(time, sent: waited.sent, now: now) } else { finish(step) }
        case .setClock:
            enter(.verifyClock)
        case .range:
            guard response.result != .pending else { return }
            range = response.dataRange
            finish(step)
        default:
            finish(step)
        }
    }

    private func greet(_ hello: borrowing Hello) {
        if let serial = hello.serial { strap.serial = printable(serial) }
        if let version = hello.firmware { strap.firmware = version.text }
        strap.helloRefusals = 0
        provesHandles = owner.identified(strap)
        if let tenths = hello.battery_tenths { charged(tenths) }
        heard(nil, worn: hello.isWorn ? true : nil)
    }
}
