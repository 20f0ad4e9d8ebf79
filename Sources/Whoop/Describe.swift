// Owns the names under which a frame's fields leave it, for the command line, the tests and the benchmark: one list for
// all. Names carry units; `Docs/FIELDS.md` is the dictionary. What would tell who somebody is goes out as `identity`, and
// the device token never does: the body of HELLO is not shown.
import Wire

extension Frame {
    /// Says every field that is known of this frame. False: nothing is known of such a frame beyond its envelope.
    @discardableResult
    public func describe(into sink: inout some FieldSink & ~Copyable) -> Bool {
        // From the strap to the app, as nearly all are, is not worth a word.
        if let destination, let source, destination != 1 || source != 0 {
            sink.field("destination", destination)
            sink.field("source", source)
        }
        guard isKnownRevision else {
            sink.field("frame_revision", bytes.u8(at: 1))
            return false
        }
        switch type {
        case PacketType.command, PacketType.packCommand:
            guard let view = Request(self) else { return false }
            view.describe(into: &sink)
        case PacketType.response, PacketType.packResponse:
            guard let view = Response(self) else { return false }
            view.describe(into: &sink)
        case PacketType.realtime:
            guard let view = Realtime(self) else { return false }
            view.describe(into: &sink)
        case PacketType.record, PacketType.liveRecord:
            guard let view = Record(self) else { return false }
            return view.describe(into: &sink)
        case PacketType.event:
            guard let view = Event(self) else { return false }
            view.describe(into: &sink)
        case PacketType.metadata, PacketType.packMetadata:
            guard let view = Metadata(self) else { return false }
            view.describe(into: &sink)
        case PacketType.console:
            guard let view = Console(self) else { return false }
            view.describe(into: &sink)
        case PacketType.motion, PacketType.storedMotion:
            guard let view = MotionBlock(self) else { return false }
            view.describe(into: &sink)
        case PacketType.packEvent:
            guard let view = PackEvent(self) else { return false }
            view.describe(into: &sink)
        default:
            return false
        }
        return true
    }
}

extension Request {
    func describe(into sink: inout some FieldSink & ~Copyable) {
        sink.field("sequence", sequence)
        sink.field("command", command)
        if let label = Label.command(command) { sink.field("command_name", word: label, .established) }
        // 77 and 140 set the strap's name.
        if command == 77 || command == 140 { sink.field("payload", identityHex: payload, .established) } else { sink.field("payload", hex: payload, .established) }
    }
}

extension Realtime {
    func describe(into sink: inout some FieldSink & ~Copyable) {
        sink.field("revision", revision)
        sink.field("unix", time.seconds)
        sink.field("subsecond", time.fraction)
        sink.field("heart_rate_bpm", heartRate)
        sink.field("rr_ms", rr, .established)
        sink.field("worn", flag: isWorn)
        sink.field("location", location)
    }
}

extension HeartRateMeasurement {
    /// Says every field of the value.
    public func describe(into sink: inout some FieldSink & ~Copyable) {
        sink.field("heart_rate_bpm", heartRate)
        sink.field("rr_ms", rr, .established)
        if let contact { sink.field("worn", flag: contact) }
        if let energy_kJ { sink.field("energy_kj", energy_kJ) }
    }
}

extension Metadata {
    func describe(into sink: inout some FieldSink & ~Copyable) {
        sink.field("sequence", sequence)
        switch kind {
        case .start: sink.field("kind", word: "HISTORY_START", .established)
        case .end: sink.field("kind", word: "HISTORY_END", .established)
        case .complete: sink.field("kind", word: "HISTORY_COMPLETE", .established)
        case .other(let raw): sink.field("kind_number", raw)
        }
        sink.field("unix", unix)
        sink.field("subsecond", subsecond)
        if kind == .end {
            sink.field("announced_frames", announced)
            sink.field("trim_page", token.map { UInt32(truncatingIfNeeded: $0) })
            sink.field("trim_wraps", token.map { UInt32(truncatingIfNeeded: $0 >> 32) })
        }
        if kind == .start {
            sink.field("hardware_family", hardwareFamily)
            if let firmware { sink.field("firmware", version: firmware) }
            if let signalProcessor { sink.field("signal_processor", version: signalProcessor) }
        }
    }
}

extension Console {
    func describe(into sink: inout some FieldSink & ~Copyable) {
        sink.field("sequence", sequence)
        sink.field("unix", unix)
        sink.field("subsecond", subsecond)
        if let text { sink.field("text", text: text, .established) } else { sink.field("text", Int64?.none, .established) }
    }
}

extension MotionBlock {
    func describe(into sink: inout some FieldSink & ~Copyable) {
        sink.field("unix", unix)
        sink.field("block", index)
        sink.acceleration(acceleration, .established)
        sink.rotation(rotation, .single)
    }
}

extension Event {
    func describe(into sink: inout some FieldSink & ~Copyable) {
        sink.field("sequence", sequence)
        sink.field("event", number.rawValue)
        if let label = Label.event(number.rawValue) { sink.field("event_name", word: label, Label.confidence(ofEvent: number.rawValue)) }
        sink.field("unix", unix)
        sink.field("subsecond", subsecond)
        if let battery {
            sink.field("battery_percent", battery.tenths.map { Int64($0) }, places: 1, .established)
            sink.field("battery_mv", battery.millivolts)
            sink.field("charging", flag: battery.chargingFlag, .disputed)
        }
        if let condition {
            sink.field("pages_behind", condition.pagesBehind)
            sink.field("backlog_percent", Int64(condition.backlog_tenths), places: 1, .established)
            sink.field("flash_status", condition.flashStatus, .unknown)
            sink.field("battery_percent", condition.battery_tenths.map { Int64($0) }, places: 1, .established)
            sink.field("charging", flag: condition.isCharging)
            sink.field("wrist", condition.wrist, .unknown)
        }
        if let extendedBattery { sink.field(extendedBattery) }
        if let hapticsCause { sink.field("haptics_cause", hapticsCause, .single) }
        if let firmwareEvent { sink.field("firmware_event", firmwareEvent, .single) }
        if let isLinkUp { sink.field("link_up", flag: isLinkUp) }
        if number != .packInfo, let undeclared { sink.field("undeclared", hex: undeclared, .unknown) }
        // A pack's block that is cut short may still hold its address.
        if let pack { sink.field(pack) } else if number == .packInfo { sink.field("body", identityHex: body, .established) } else { sink.field("body", hex: body, .established) }
    }
}

extension PackEvent {
    func describe(into sink: inout some FieldSink & ~Copyable) {
        sink.field("sequence", sequence)
        sink.field("event", number)
        if let name { sink.field("event_name", word: name, .single) }
        sink.field("unix", unix)
        sink.field("subsecond", subsecond)
        if number == 2 { sink.field("pack_percent", charge_tenths.map { Int64($0) }, places: 1, .single) }
        // HW_INFO holds serial and address.
        if number == 20 { sink.field("body", identityHex: body, .single) } else { sink.field("body", hex: body, .single) }
    }
}

extension Response {
    func describe(into sink: inout some FieldSink & ~Copyable) {
        sink.field("sequence", sequence)
        sink.field("command", command)
        if let label = Label.command(command) { sink.field("command_name", word: label, .established) }
        sink.field("answers_sequence", origin)
        sink.field("result", result.rawValue)
        if let label = Label.result(result) { sink.field("result_name", word: label, .established) }
        if !isFromPack, command == Command.getBattery.number(for: family) {
            sink.field("battery_percent", battery_tenths.map { Int64($0) }, places: 1, .established)
        }
        if let clock {
            sink.field("clock_unix", clock.seconds)
            sink.field("clock_subsecond", clock.fraction)
        }
        if let dataRange { dataRange.describe(into: &sink) }
        if let version { sink.field("firmware", version: version) }
        if let coprocessorVersion { sink.field("coprocessor_firmware", version: coprocessorVersion) }
        if let signalProcessorVersion { sink.field("signal_processor", version: signalProcessorVersion) }
        if let name { sink.field("advertised_name", identity: name, .established) }
        if let alarm {
            sink.field("alarm_enabled", flag: alarm.isEnabled)
            sink.field("alarm_unix", alarm.time?.seconds)
            sink.field("alarm_subsecond", alarm.time?.fraction)
        }
        if let hapticsStatus { sink.field("haptics_status", hapticsStatus, .single) }
        if let extendedBattery { sink.field(extendedBattery) }
        if let location { sink.field("location", location) }
        if let keyCount { sink.field("key_count", keyCount) }
        if let keyIndex { sink.field("key_index", keyIndex) }
        if let key { sink.field("key", text: key, .established) }
        if let value { sink.field("value", text: value, .established) }
        if let pack { return sink.field(pack) }
        if let hello { return hello.describe(into: &sink) }
        // What may hold a token is not shown, whatever its form: HELLO's answers, and a refusal's stale bytes, which are those
        // of some answer before.
        switch command {
        case _ where result == .failure: break
        case 35, 76, 141, 145, 151: break
        case 77, 140: sink.field("body", identityHex: body, .established)
        default: sink.field("body", hex: body, .established)
        }
    }
}

extension Hello {
    func describe(into sink: inout some FieldSink & ~Copyable) {
        sink.field("battery_percent", battery_tenths.map { Int64($0) }, places: 1, .established)
        sink.field("charging", flag: isCharging)
        sink.field("clock_unix", clock.seconds)
        sink.field("clock_subsecond", clock.fraction)
        if let serial { sink.field("serial", identity: serial, .established) }
        sink.field("hardware_family", hardwareFamily)
        if let firmware { sink.field("firmware", version: firmware) }
        if let signalProcessor { sink.field("signal_processor", version: signalProcessor) }
        if let board { sink.field("board", board) }
        if let optics { sink.field("optics", optics) }
        if let errorCode { sink.field("error_code", errorCode) }
        sink.field("worn", flag: isWorn, family == .whoop4 ? .derived : .established)
        if let broadcastsHeartRate { sink.field("heart_rate_broadcast", flag: broadcastsHeartRate) }
    }
}

extension DataRange {
    func describe(into sink: inout some FieldSink & ~Copyable) {
        sink.field("oldest_page", oldestPage)
        sink.field("read_page", readPage)
        sink.field("write_page", writePage)
        sink.field("trim_page", trimPage)
        sink.field("wraps", wraps)
        sink.field("pages", pages)
        sink.field("pages_behind", pagesBehind)
        sink.field("unread_records", unreadRecords)
        sink.field("free_records", freeRecords)
        sink.field("oldest_unix", oldest?.seconds)
        sink.field("trim_unix", trim?.seconds)
        sink.field("read_unix", read?.seconds)
        sink.field("newest_unix", newest?.seconds)
    }
}

extension FieldSink where Self: ~Copyable {
    mutating func field(_ pack: borrowing PackInfo) {
        field("pack_attached", flag: pack.isAttached)
        field("pack_address", identityHex: pack.address, .established)
        field("pack_serial", identity: pack.serial, .established)
        field("pack_percent", pack.charge_tenths.map { Int64($0) }, places: 1, .derived)
        field("pack_kind", pack.kind, .single)
        if let status = pack.status { field("pack_status", status, .unknown) }
    }

    mutating func field(_ battery: ExtendedBattery) {
        field("battery_current", battery.current, battery.averageCurrent == nil ? .single : .established)
        if let average = battery.averageCurrent { field("battery_average_current", average) }
        if let millivolts = battery.millivolts { field("battery_mv", millivolts) }
        field("battery_temperature_c", battery.temperature_tenths.map { Int64($0) }, places: 1, .established)
        if let second = battery.secondTemperature_tenths { field("board_temperature_c", Int64(second), places: 1, .established) }
        if let remaining = battery.remaining { field("battery_remaining", remaining) }
    }

    mutating func acceleration(_ axes: borrowing Axes, _ confidence: Confidence) {
        field("acceleration_x", axes.x, confidence)
        field("acceleration_y", axes.y, confidence)
        field("acceleration_z", axes.z, confidence)
    }

    mutating func rotation(_ axes: borrowing Axes, _ confidence: Confidence) {
        field("rotation_x", axes.x, confidence)
        field("rotation_y", axes.y, confidence)
        field("rotation_z", axes.z, confidence)
    }
}
