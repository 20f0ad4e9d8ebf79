// Owns what our views say of a frame, under the keys of the vectors. A key that is missing here is one that no view
// answers; a null is a view's word that the value is absent.
import Wire
@testable import Whoop

typealias Fields = [String: JSON]

func decoded(_ frame: borrowing Frame) -> Fields {
    var f: Fields = [
        "frame_len": JSON(frame.bytes.byteCount), "packet_type": JSON(frame.type),
        "header_crc_ok": .bool(true), "payload_crc_ok": .bool(true),
        // A layout's revision, a version or a counter: byte 1 of every inner record, also of unknown types.
        "seq": JSON(frame.inner.u8(at: 1)),
    ]
    if let to = frame.destination, let from = frame.source { f["roles_hex"] = .string(hexPair(to) + hexPair(from)) }
    if let view = Realtime(frame) { read(view, into: &f) }
    if let view = Response(frame) { read(view, into: &f) }
    if let view = Event(frame) { read(view, into: &f) }
    if let view = Metadata(frame) { read(view, into: &f) }
    if let view = Console(frame) {
        f["seq"] = JSON(view.sequence)
        f["unix"] = JSON(view.unix)
        f["subsec"] = JSON(view.subsecond)
        if let text = view.text { f["text"] = .string(string(text)) }
        f["event"] = JSON(view.number)
        f["payload_len"] = JSON(view.body.byteCount)
        f["payload_hex"] = .string(hex(view.body))
    }
    if let view = PackEvent(frame) {
        f["event"] = JSON(view.number)
        f["unix"] = JSON(view.unix)
        f["subsec"] = JSON(view.subsecond)
        f["payload_len"] = JSON(view.body.byteCount)
        f["payload_hex"] = .string(hex(view.body))
        if view.number == 2 { f["pack_soc_pct"] = tenths(view.charge_tenths) }
    }
    if let view = Record(frame) { read(view, into: &f) }
    if let view = Summary(frame) { read(view, into: &f) }
    if let view = Pulse(frame) { read(view, into: &f) }
    if let record = Record(frame) {
        // The strap writes the mean twice; nothing reads the copy but this test.
        if record.version == 12 || record.version == 24 {
            f["gravity2"] = .array([52, 56, 60].map { JSON(record.inner.f32(at: $0)) })
        }
        if let view = record.heart {
            f["hr"] = JSON(view.heartRate)
            f["rr_count"] = JSON(view.rr.count)
            f["rr"] = list(view.rr)
        }
        if let view = record.motion {
            f["count_accel"] = JSON(view.acceleration.count)
            f["count_gyro"] = JSON(view.rotation.count)
            series("accel_x", view.acceleration.x, into: &f)
            series("accel_y", view.acceleration.y, into: &f)
            series("accel_z", view.acceleration.z, into: &f)
            series("gyro_x", view.rotation.x, into: &f)
            series("gyro_y", view.rotation.y, into: &f)
            series("gyro_z", view.rotation.z, into: &f)
        }
        if let view = record.optics {
            f["blocks"] = .array((0..<view.blockCount).map { JSON(view.block($0)?.count) })
            for i in 0..<view.blockCount {
                guard let block = view.block(i) else { continue }
                series("ch_\(i)_0", block.a, into: &f)
                series("ch_\(i)_1", block.b, into: &f)
            }
        }
        if let view = record.research { f["r22_tag"] = JSON(view.tag) }
    }
    return f
}

private func tenths(_ value: UInt16?) -> JSON { value.map { .number(Double($0) / 10) } ?? .null }

private func list(_ values: borrowing Series) -> JSON {
    var out: [JSON] = []
    values.forEach { out.append(JSON($0)) }
    return .array(out)
}

private func series(_ name: String, _ values: borrowing Series, into f: inout Fields) {
    f[name] = list(values)
    f[name + "_count"] = JSON(values.count)
    f[name + "_first"] = JSON(values[0])
    f[name + "_last"] = JSON(values[values.count - 1])
    var sum = 0
    values.forEach { sum += Int($0) }
    f[name + "_sum"] = JSON(sum)
}

private func read(_ view: borrowing PackInfo, into f: inout Fields) {
    f["pack_addr"] = .string(hex(view.address))
    f["pack_serial"] = .string(string(view.serial))
    f["pack_soc_pct"] = tenths(view.charge_tenths)
}

private func read(_ view: borrowing Realtime, into f: inout Fields) {
    f["unix"] = JSON(view.time.seconds)
    f["subsec"] = JSON(view.time.fraction)
    f["hr"] = JSON(view.heartRate)
    f["rr_count"] = JSON(view.rr.count)
    f["rr"] = list(view.rr)
    let worn = view.isWorn.map { hexPair($0 ? 1 : 0) } ?? ""
    f["tail_hex"] = .string(worn + (view.location.map { hexPair($0) } ?? ""))
}

private func read(_ view: borrowing Response, into f: inout Fields) {
    f["seq"] = JSON(view.sequence)
    f["cmd"] = JSON(view.command)
    f["origin_seq"] = JSON(view.origin)
    f["result"] = JSON(view.result.rawValue)
    f["body_hex"] = .string(hex(view.body))
    if view.command == Command.getBattery.number(for: view.family) {
        f["battery_pct"] = view.battery_tenths.map { .number(Double($0) / 10) } ?? .null
    }
    if view.command == Command.getDataRange.number(for: view.family) {
        let range = view.dataRange
        f["page_read"] = JSON(range?.readPage)
        f["page_write"] = JSON(range?.writePage)
        f["page_trim"] = JSON(range?.trimPage)
        f["page_wraps"] = JSON(range?.wraps)
        f["page_capacity"] = JSON(range?.pages)
        f["pages_behind"] = JSON(range?.pagesBehind)
        f["oldest_unix"] = JSON(range?.oldest?.seconds)
        f["newest_unix"] = JSON(range?.newest?.seconds)
    }
    if view.command == Command.hello.number(for: view.family) {
        f["hello_unix"] = .null
        f["hello_subsec"] = .null
        f["serial"] = .null
        f["fw_version"] = .null
        if let hello = view.hello {
            f["hello_unix"] = JSON(hello.clock.seconds)
            f["hello_subsec"] = JSON(hello.clock.fraction)
            if let serial = hello.serial { f["serial"] = .string(string(serial)) }
            f["fw_version"] = JSON(hello.firmware?.text)
        }
    }
    if view.command == Command.getVersion.number(for: view.family) { f["fw_harvard"] = JSON(view.version?.text) }
    if view.command == Command.getName.number(for: view.family) {
        f["advertising_name"] = .null
        if let name = view.name {
            f["advertising_name"] = .string(string(name))
            // With its NUL, as the strap counts it.
            f["name_len"] = JSON(name.byteCount + 1)
        }
    }
    if view.command == Command.getVersion.number(for: view.family) { f["fw_boylston"] = JSON(view.coprocessorVersion?.text) }
    if let pack = view.pack { read(pack, into: &f) }
    if let count = view.keyCount { f["flag_count"] = JSON(count) }
    if let index = view.keyIndex { f["flag_index"] = JSON(index) }
    if let key = view.key { f["flag_name"] = .string(string(key)) }
    if let value = view.value { f["flag_value"] = .string(string(value)) }
}

private func read(_ view: borrowing Event, into f: inout Fields) {
    f["seq"] = JSON(view.sequence)
    f["event"] = JSON(view.number.rawValue)
    f["unix"] = JSON(view.unix)
    f["subsec"] = JSON(view.subsecond)
    f["payload_len"] = JSON(view.body.byteCount)
    f["payload_hex"] = .string(hex(view.body))
    if view.number == .batteryLevel {
        f["battery_pct"] = view.battery?.tenths.map { .number(Double($0) / 10) } ?? .null
        f["battery_mv"] = JSON(view.battery?.millivolts)
        f["charging"] = JSON(view.battery?.chargingFlag.map { $0 ? 1 : 0 })
    }
    if let pack = view.pack { read(pack, into: &f) }
}

private func read(_ view: borrowing Metadata, into f: inout Fields) {
    f["seq"] = JSON(view.sequence)
    switch view.kind {
    case .start: f["meta_type"] = .number(1); f["meta_name"] = .string("HISTORY_START")
    case .end: f["meta_type"] = .number(2); f["meta_name"] = .string("HISTORY_END")
    case .complete: f["meta_type"] = .number(3); f["meta_name"] = .string("HISTORY_COMPLETE")
    case .other(let raw): f["meta_type"] = JSON(raw)
    }
    f["unix"] = JSON(view.unix)
    f["subsec"] = JSON(view.subsecond)
    f["burst_frames"] = JSON(view.announced)
    f["fw_version"] = JSON(view.firmware?.text)
    f["trim"] = JSON(view.token.map { UInt32(truncatingIfNeeded: $0) })
    f["trim_wraps"] = JSON(view.token.map { UInt32(truncatingIfNeeded: $0 >> 32) })
    f["ack_token_hex"] = JSON(view.token.map { token in (0..<8).map { hexPair(UInt8(truncatingIfNeeded: token >> (8 * UInt64($0)))) }.joined() })
}

private func read(_ view: borrowing Record, into f: inout Fields) {
    f["seq"] = JSON(view.version)
    f["record_version"] = JSON(view.version)
    f["marker_u8"] = JSON(view.flags)
    f["record_index"] = JSON(view.counter)
    f["unix"] = JSON(view.unix)
    f["subsec"] = JSON(view.subsecond)
}

private func read(_ view: borrowing Summary, into f: inout Fields) {
    f["hr"] = JSON(view.heartRate)
    f["rr_count"] = JSON(view.rr.count)
    f["rr"] = list(view.rr)
    f["quality_u8"] = JSON(view.quality)
    f["motion_f32"] = JSON(view.dynamicAcceleration)
    f["gravity"] = view.gravity.map { .array([JSON($0.x), JSON($0.y), JSON($0.z)]) } ?? .null
    for i in 0..<3 { f["chan_word_\(i)"] = JSON(view.channelWords[i]) }
    f["spo2_u8"] = JSON(view.spo2Byte)
    f["sleep_state"] = JSON(view.sleepState.rawValue)
    switch view.layout {
    case .v12, .v24:
        // The vectors' name for the tenths of a degree at 72.
        f["led_raw"] = JSON(view.skinTemperature_centi.map { $0 / 10 })
        // Old names of the vectors; WHOOP.md says what these bytes are not.
        for (name, offset) in [("spo2_red_raw", 64), ("spo2_ir_raw", 66), ("skin_temp_raw", 68), ("ambient_raw", 70), ("raw_u16_27", 27), ("raw_u16_29", 29)] {
            f[name] = JSON(view.raw(at: offset))
        }
        f["raw_f32_48"] = JSON(view.rawReal)
    case .v18:
        f["skin_temp_raw"] = JSON(view.skinTemperature_centi)
        f["temp_aux_1_raw"] = JSON(view.cellTemperature_tenths)
        f["temp_aux_2_raw"] = JSON(view.boardTemperature_tenths)
        f["step_counter"] = JSON(view.steps)
        f["activity_u8"] = JSON(view.activity?.rawValue)
        f["raw_u8_51"] = JSON(view.cadence)
        f["flags_u8"] = JSON(view.signalFlags)
        for offset in [26, 28, 30] { f["raw_u16_\(offset)"] = JSON(view.raw(at: offset)) }
        f["raw_f32_105"] = JSON(view.logVariance)
        f["state_u8"] = JSON(view.sleepByte)
        f["wake_quality"] = JSON(view.sleepByte >> 2 & 3)
        f["onwrist"] = JSON(view.sleepByte & 3)
    }
}

private func read(_ view: borrowing Pulse, into f: inout Fields) {
    f["burst_u16"] = JSON(view.segment)
    f["dc_u32"] = JSON(view.first)
    series("ppg", view.deltas, into: &f)
    f["motion_f32"] = JSON(view.dynamicAcceleration)
    f["chan_word_0"] = JSON(view.channelWord.rawValue)
}
