// Owns what our views say of a frame, under the keys of the vectors. A key that is missing here is one that no view
// answers; a null is a view's word that the value is absent.
import Wire
@testable import Whoop

typealias Fields = [String: JSON]

func decoded(_ frame: borrowing Frame) -> Fields {
    var f: Fields = [
        "frame_len": JSON(frame.bytes.byteCount), "packet_type": JSON(frame.type),
        "header_crc_ok": .bool(true), "payload_crc_ok": .bool(true),
    ]
    if let view = Realtime(frame) { read(view, into: &f) }
    if let view = Response(frame) { read(view, into: &f) }
    if let view = Event(frame) { read(view, into: &f) }
    if let view = Metadata(frame) { read(view, into: &f) }
    if let view = Console(frame) {
        f["seq"] = JSON(view.sequence)
        f["unix"] = JSON(view.unix)
        f["subsec"] = JSON(view.subsecond)
        f["text"] = .string(string(view.text))
    }
    if let view = Record(frame) { read(view, into: &f) }
    if let view = Summary(frame) { read(view, into: &f) }
    if let view = Pulse(frame) { read(view, into: &f) }
    return f
}

private func read(_ view: borrowing Realtime, into f: inout Fields) {
    f["unix"] = JSON(view.time.seconds)
    f["subsec"] = JSON(view.time.fraction)
    f["hr"] = JSON(view.heartRate)
    f["rr_count"] = JSON(view.rrCount)
    f["rr"] = .array((0..<view.rrCount).compactMap { view.rr(at: $0) }.map { JSON($0) })
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
        if let name = view.name { f["advertising_name"] = .string(string(name)) }
    }
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
    }
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
    f["rr_count"] = JSON(view.rrCount)
    f["rr"] = .array((0..<view.rrCount).compactMap { view.rr(at: $0) }.map { JSON($0) })
    f["quality_u8"] = JSON(view.quality)
    f["motion_f32"] = JSON(view.dynamicAcceleration)
    f["gravity"] = view.gravity.map { .array([JSON($0.x), JSON($0.y), JSON($0.z)]) } ?? .null
    for i in 0..<3 { f["chan_word_\(i)"] = JSON(view.channelWord(i).rawValue) }
    f["spo2_u8"] = JSON(view.spo2Byte)
    f["sleep_state"] = JSON(view.sleepState.rawValue)
    switch view.layout {
    case .v12, .v24:
        // The vectors' name for the tenths of a degree at 72.
        f["led_raw"] = JSON(view.skinTemperature_centi.map { $0 / 10 })
    case .v18:
        f["skin_temp_raw"] = JSON(view.skinTemperature_centi)
        f["temp_aux_1_raw"] = JSON(view.cellTemperature_tenths)
        f["temp_aux_2_raw"] = JSON(view.boardTemperature_tenths)
        f["step_counter"] = JSON(view.steps)
        f["activity_u8"] = JSON(view.activity?.rawValue)
        f["raw_u8_51"] = JSON(view.cadence)
        f["raw_f32_105"] = JSON(view.logVariance)
        f["state_u8"] = JSON(view.sleepByte)
        f["wake_quality"] = JSON(view.sleepByte >> 2 & 3)
        f["onwrist"] = JSON(view.sleepByte & 3)
    }
}

private func read(_ view: borrowing Pulse, into f: inout Fields) {
    f["burst_u16"] = JSON(view.segment)
    f["dc_u32"] = JSON(view.first)
    let deltas = (0..<Pulse.deltaCount).compactMap { view.delta(at: $0) }.map { Int($0) }
    f["ppg"] = .array(deltas.map { JSON($0) })
    f["ppg_count"] = JSON(deltas.count)
    f["ppg_first"] = JSON(deltas.first)
    f["ppg_last"] = JSON(deltas.last)
    f["ppg_sum"] = JSON(deltas.reduce(0, +))
    f["motion_f32"] = JSON(view.dynamicAcceleration)
    f["chan_word_0"] = JSON(view.channelWord.rawValue)
}
