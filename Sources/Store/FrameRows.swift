// Owns what becomes of a frame: which row, which columns. Decoding itself is `Whoop`'s; a value that it withholds is
// NULL here, never zero. A frame that nothing can read becomes a row in `undecoded`.
import Ports
import Whoop
import Wire

/// Where a frame was seen.
enum Lane: Int64 {
    case history = 1, realtime = 2, standard = 3
}

/// What is known about a second's time (column `time_doubt`).
private func doubt(_ time: StrapTime, _ stamp: Stamp) -> Int64 {
    if time.seconds < StrapTime.earliest { return 1 }
    return stamp.trusted && !time.isPlausible(wall: stamp.wall) ? 2 : 0
}

extension RingFile {
    /// A frame of a burst. True: it is a record.
    func write(history frame: borrowing Frame, strap: Int64, _ stamp: Stamp) throws(SQLError) {
        switch frame.type {
        case PacketType.record:
            recordsAdded = 0
            guard let found = Record(frame) else { return try write(undecoded: frame, strap: strap, "record without a header") }
            try write(found, strap: strap, stamp)
            if !found.isLayoutKnown { try write(undecoded: frame, strap: strap, "unknown record version") }
        case PacketType.event:
            try write(event: frame, .history, strap: strap, stamp)
        case PacketType.console, PacketType.packConsole, PacketType.metadata, PacketType.packMetadata:
            break
        default:
            try write(undecoded: frame, strap: strap, "unknown packet type")
        }
    }

    /// A frame outside an offload.
    func write(live frame: borrowing Frame, strap: Int64, _ stamp: Stamp) throws(SQLError) {
        switch frame.type {
        case PacketType.realtime:
            guard let second = Realtime(frame) else { return try write(undecoded: frame, strap: strap, "realtime too short") }
            let time = second.time
            live.bind(1, time.seconds)
            live.bind(2, strap)
            live.bind(3, Lane.realtime.rawValue)
            live.bind(4, time.fraction)
            live.bind(5, doubt(time, stamp))
            live.bind(6, run)
            bind(live, 7, doubtfulOnly: stamp)
            live.bind(8, second.heartRate)
            bind(live, 9, second.rr)
            live.bind(10, second.isWorn.map { $0 ? Int64(1) : 0 })
            try live.run()
        case PacketType.event:
            try write(event: frame, .realtime, strap: strap, stamp)
        case PacketType.response:
            guard let answer = Response(frame), let tenths = answer.battery_tenths else { return }
            try write(battery: tenths, millivolts: nil, source: "answer", strap: strap, unix: stamp.wall.seconds, stamp)
        default:
            break
        }
    }

    /// A value of the standard heart rate characteristic. `fraction` tells values of one second apart.
    func write(heartRate value: RawSpan, strap: Int64, fraction: Int64, _ stamp: Stamp) throws(SQLError) {
        guard let heart = HeartRateMeasurement(value) else { return }
        live.bind(1, stamp.wall.seconds)
        live.bind(2, strap)
        live.bind(3, Lane.standard.rawValue)
        live.bind(4, fraction)
        live.bind(5, stamp.wall.seconds < Int64(StrapTime.earliest) ? 1 : 0)
        live.bind(6, run)
        bind(live, 7, doubtfulOnly: stamp)
        live.bind(8, heart.heartRate)
        bind(live, 9, heart.rr)
        live.bind(10, heart.contact.map { $0 ? Int64(1) : 0 })
        try live.run()
    }

    func write(battery tenths: UInt16, millivolts: UInt16?, source: String, strap: Int64, unix: Int64, _ stamp: Stamp) throws(SQLError) {
        battery.bind(1, unix)
        battery.bind(2, strap)
        battery.bind(3, text: source)
        battery.bind(4, tenths)
        battery.bind(5, millivolts)
        battery.bind(6, run)
        bind(battery, 7, doubtfulOnly: stamp)
        try battery.run()
    }

    private func write(_ found: borrowing Record, strap: Int64, _ stamp: Stamp) throws(SQLError) {
        record.bind(1, found.unix)
        record.bind(2, strap)
        record.bind(3, found.counter)
        record.bind(4, found.version)
        record.bind(5, found.subsecond)
        var row = HistoryRow(doubt: doubt(found.time, stamp))
        if let second = found.summary {
            row.take(second)
            bind(record, beats: 7, second.rr)
        } else if let heart = found.heart {
            row.pulse(heart.heartRate, nil)
            bind(record, beats: 7, heart.rr)
            if let motion = found.motion {
                row.pulse(heart.heartRate, motion.dynamicAcceleration)
                row.gravity(motion.gravity)
                row.steps = motion.steps
            }
        } else if let pulse = found.pulse {
            row.pulse(nil, pulse.dynamicAcceleration)
            row.wordAlone(pulse.channelWord)
        }
        record.bind(6, row.pulse)
        record.bind(8, row.gravity)
        record.bind(9, row.skin_centi)
        record.bind(10, row.steps)
        record.bind(11, row.state)
        record.bind(12, row.optics)
        try record.run()
        recordsAdded = database.changes
    }

    /// R-R intervals as one number, the first in its lowest 12 bits; text where there are more than four; NULL where a record
    /// says more than there can be.
    private func bind(_ statement: borrowing Statement, beats place: Int32, _ intervals: borrowing Series) {
        guard !intervals.isAbsent else { return statement.bindNull(place) }
        guard intervals.count <= 4 else { return bind(statement, place, intervals) }
        var beats: Int64 = 0, shift: Int64 = 0
        intervals.forEach {
            beats |= Int64($0) << shift
            shift += 12
        }
        statement.bind(place, beats)
    }

    /// R-R intervals as text; NULL where a record says more than there can be.
    private func bind(_ statement: borrowing Statement, _ place: Int32, _ intervals: borrowing Series) {
        guard !intervals.isAbsent else { return statement.bindNull(place) }
        var text = NumberList(scratch)
        intervals.forEach { text.append(UInt32($0)) }
        statement.bind(place, text: text.bytes)
    }

    private func write(event frame: borrowing Frame, _ lane: Lane, strap: Int64, _ stamp: Stamp) throws(SQLError) {
        guard let found = Event(frame) else { return try write(undecoded: frame, strap: strap, "event too short") }
        event.bind(1, found.unix)
        event.bind(2, strap)
        event.bind(3, frame.type)
        event.bind(4, found.number.rawValue)
        event.bind(5, found.time.fraction)
        event.bind(6, blob: found.body)
        event.bind(7, doubt(found.time, stamp))
        event.bind(8, lane.rawValue)
        try event.run()
        if let level = found.battery, let tenths = level.tenths {
            try write(battery: tenths, millivolts: level.millivolts, source: "event", strap: strap, unix: Int64(found.unix), stamp)
        }
    }

    private func write(undecoded frame: borrowing Frame, strap: Int64, _ why: String) throws(SQLError) {
        undecoded.bind(1, strap)
        undecoded.bind(2, frame.type)
        if let found = Record(frame) {
            undecoded.bind(3, found.version)
            undecoded.bind(4, found.unix)
            undecoded.bind(5, found.counter)
        } else {
            // NULLs are never equal in an index: zeros let the same frame be recognised.
            undecoded.bind(4, 0)
            undecoded.bind(5, 0)
        }
        undecoded.bind(6, frame.bytes.u32(at: frame.bytes.byteCount - 4))
        undecoded.bind(7, text: why)
        undecoded.bind(8, blob: frame.bytes)
        try undecoded.run()
    }
}

extension Record {
    /// Whether the layout of this version is known (WHOOP.md 8.2), though not all of them become columns.
    var isLayoutKnown: Bool {
        summary != nil || pulse != nil || heart != nil || motion != nil || optics != nil || research != nil
    }
}
