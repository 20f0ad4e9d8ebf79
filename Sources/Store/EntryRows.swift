// Owns what becomes of each entry that is not a frame of history, and of a whole burst.
import CSQLite
import Ports
import Whoop
import Wire

extension RingFile {
    static func family(_ generation: UInt8) -> Family? { Family(rawValue: generation) }

    /// Whether the bytes are whole frames, one after the other, with nothing between or after.
    static func isWhole(_ frames: RawSpan, _ family: Family) -> Bool {
        var rest = frames
        while rest.byteCount > 0 {
            guard case .whole(let length) = Frame.check(rest, family: family) else { return false }
            rest = rest.extracting(length..<rest.byteCount)
        }
        return true
    }

    /// A whole burst with its END. Records that are already there stay as they are; a burst that brings nothing new, because
    /// it was served before, is counted and not kept twice.
    func write(burst frames: RawSpan, _ family: Family, _ end: BurstEnd, strap: Int64, _ stamp: Stamp) throws(SQLError) {
        // Before the first row: without any burst they are counted.
        var held = try totals()
        var records = 0, fresh = 0
        var digest: UInt64 = 0xcbf2_9ce4_8422_2325
        var first: UInt32 = .max, last: UInt32 = 0
        var rest = frames
        while rest.byteCount > 0 {
            guard case .whole(let length) = Frame.check(rest, family: family),
                  let frame = Frame(rest.extracting(first: length), family: family) else { break }
            try write(history: frame, strap: strap, stamp)
            if frame.type == PacketType.record {
                records += 1
                fresh += recordsAdded
                digest = (digest ^ UInt64(rest.u32(at: length - 4))) &* 0x0000_0100_0000_01b3
                if let record = Record(frame) {
                    first = min(first, record.unix)
                    last = max(last, record.unix)
                }
            }
            rest = rest.extracting(length..<rest.byteCount)
        }
        let page = Int64(end.token & 0xffff_ffff), wraps = Int64(end.token >> 32)
        let known = fresh > 0 ? nil : try seen(strap: strap, page, wraps, Int64(bitPattern: digest))
        if let known {
            burstRepeated.bind(1, known)
            return try burstRepeated.run()
        }
        if records > 0, fresh == 0 { return }
        burst.bind(1, strap)
        burst.bind(2, page)
        burst.bind(3, wraps)
        burst.bind(4, Int64(bitPattern: digest))
        burst.bind(5, end.announced)
        burst.bind(6, end.received)
        burst.bind(7, records)
        burst.bind(8, records > 0 ? Int64(first) : nil)
        burst.bind(9, records > 0 ? Int64(last) : nil)
        burst.bind(10, stamp.wall.seconds)
        burst.bind(11, run)
        bind(burst, 12, doubtfulOnly: stamp)
        burst.bind(13, blob: frames)
        held.secondsIn += Int64(fresh)
        held.rawIn += Int64(frames.byteCount)
        burst.bind(14, held.secondsIn)
        burst.bind(15, held.rawIn)
        try burst.run()
        self.held = held
    }

    private func seen(strap: Int64, _ page: Int64, _ wraps: Int64, _ digest: Int64) throws(SQLError) -> Int64? {
        burstSeen.bind(1, strap)
        burstSeen.bind(2, page)
        burstSeen.bind(3, wraps)
        burstSeen.bind(4, digest)
        defer { burstSeen.reset() }
        return try burstSeen.step() ? burstSeen.integer(0) : nil
    }

    func write(moment note: RawSpan, _ source: MomentSource, strap: Int64, _ stamp: Stamp) throws(SQLError) {
        moment.bind(1, stamp.wall.seconds)
        moment.bind(2, stamp.wall.milliseconds - stamp.wall.seconds * 1000)
        moment.bind(3, stamp.trusted ? Int64(1) : 0)
        moment.bind(4, run)
        moment.bind(5, stamp.monotonic.milliseconds)
        moment.bind(6, strap)
        moment.bind(7, text: source.word)
        moment.bind(8, text: note)
        try moment.run()
    }

    /// An entry that waited. `generation` is that of the strap it belongs to, 0 where none is known.
    func write(_ entry: Entry, _ bytes: RawSpan, strap: Int64, generation: UInt8) throws(SQLError) {
        switch entry {
        case .liveFrame(let stamp):
            guard let family = RingFile.family(generation), let frame = Frame(bytes, family: family) else { return }
            try write(live: frame, strap: strap, stamp)
        case .battery(let stamp, let tenths):
            try write(battery: tenths, millivolts: nil, source: "answer", strap: strap, unix: stamp.wall.seconds, stamp)
        case .identity:
            var rest = bytes
            identity.bind(1, text: takeText(&rest))
            identity.bind(2, text: takeText(&rest))
            identity.bind(3, text: takeText(&rest))
            identity.bind(4, strap)
            try identity.run()
        case .burstDropped(let stamp), .reason(let stamp):
            bind(reason, stamp, strap)
            bind(reason, 5, sentence: bytes)
            try reason.run()
        case .gap(let stamp, let from, let to):
            gap.bind(1, strap)
            gap.bind(2, from)
            gap.bind(3, to)
            gap.bind(4, stamp.wall.seconds)
            gap.bind(5, run)
            bind(gap, 6, sentence: bytes)
            try gap.run()
        case .epitaph(let stamp, let life):
            bind(epitaph, stamp, strap)
            epitaph.bind(5, life.uptime_ms)
            epitaph.bind(6, life.frames)
            epitaph.bind(7, life.damaged)
            epitaph.bind(8, present(life.signals_dBm.0))
            epitaph.bind(9, present(life.signals_dBm.1))
            epitaph.bind(10, present(life.signals_dBm.2))
            bind(epitaph, 11, sentence: bytes)
            try epitaph.run()
        case .clockPair(let stamp, let seconds, let fraction, let roundTrip_ms):
            clockPair.bind(1, strap)
            clockPair.bind(2, seconds)
            clockPair.bind(3, fraction)
            clockPair.bind(4, stamp.wall.milliseconds)
            clockPair.bind(5, stamp.trusted ? Int64(1) : 0)
            clockPair.bind(6, run)
            clockPair.bind(7, stamp.monotonic.milliseconds)
            clockPair.bind(8, roundTrip_ms)
            try clockPair.run()
        case .bond(let stamp, let made):
            bind(bond, stamp, strap)
            bond.bind(5, made ? Int64(1) : 0)
            try bond.run()
        case .strap, .heartRate, .historyFrame, .burst, .moment:
            // These never wait, or were taken by the ring itself.
            break
        }
    }

    /// Text that may not be NULL.
    private func bind(_ statement: borrowing Statement, _ index: Int32, sentence bytes: RawSpan) {
        if bytes.byteCount > 0 { statement.bind(index, text: bytes) } else { statement.bind(index, text: "") }
    }

    /// 127 stands for none.
    private func present(_ dBm: Int8) -> Int64? { dBm == 127 ? nil : Int64(dBm) }
}

/// The bytes up to a NUL, which is taken too.
@_lifetime(copy bytes)
private func takeText(_ bytes: inout RawSpan) -> RawSpan {
    var end = 0
    while end < bytes.byteCount, bytes.u8(at: end) != 0 { end += 1 }
    let text = bytes.extracting(0..<end)
    bytes = bytes.extracting(min(end + 1, bytes.byteCount)..<bytes.byteCount)
    return text
}

extension MomentSource {
    /// As it stands in the file.
    var word: String {
        switch self {
        case .button: "button"
        case .strapTap: "strap tap"
        case .command: "command"
        }
    }
}
