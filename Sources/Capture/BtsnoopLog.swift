// Owns the btsnoop file: a header of 16 bytes, then records of 24 bytes and a packet, all big-endian. The layout is that of
// RFC 1761 (snoop); what datalinks, flags and the epoch mean is from BlueZ's btsnoop(7) and the frontline format page.
// A record that lies about its length is not believed: the next one that could be a record is looked for.
import Wire

final class BtsnoopLog {
    /// Microseconds from midnight, 1 January of the year 0, from which records count, to 1970.
    private static var epoch_us: UInt64 { 0x00dc_ddb3_0f2f_8000 }
    private static var headerLength: Int { 16 }
    private static var recordHeaderLength: Int { 24 }
    /// The longest HCI packet: an ACL packet, whose length has 16 bits, behind 5 bytes of header.
    private static var longestPacket: Int { 65_540 }
    /// A day: what follows a broken record is looked for no further away than that.
    private static var near_us: Int64 { 86_400_000_000 }

    private struct Record {
        var original: Int
        var included: Int
        var flags: UInt32
        var drops: UInt32
        var time_us: Int64

        init(_ bytes: RawSpan) {
            original = Int(bytes.u32(at: 0).byteSwapped)
            included = Int(bytes.u32(at: 4).byteSwapped)
            flags = bytes.u32(at: 8).byteSwapped
            drops = bytes.u32(at: 12).byteSwapped
            time_us = Int64(bitPattern: bytes.u64(at: 16).byteSwapped &- BtsnoopLog.epoch_us)
        }
    }

    private let intake: Intake
    private let links: Links
    private var format = CaptureFormat.btsnoopSerial
    private var drops: UInt32 = 0

    init(_ intake: Intake) {
        self.intake = intake
        links = Links(intake)
    }

    static func begins(_ bytes: RawSpan) -> Bool {
        bytes.u64(at: 0) == 0x0070_6f6f_6e73_7462  // "btsnoop\0"
    }

    func read(_ bytes: RawSpan) {
        guard let rest = bytes.slice(Self.headerLength, bytes.byteCount) else {
            intake.note(.fileEnds, at: Place(.record, 0), kept: bytes.byteCount, of: Self.headerLength)
            return
        }
        guard bytes.u32(at: 8).byteSwapped == 1 else { return intake.note(.version, at: Place(.record, 0)) }
        switch bytes.u32(at: 12).byteSwapped {
        case 1001: format = .btsnoopHCI
        case 1002: format = .btsnoopSerial
        case 2001: format = .btsnoopMonitor
        default: return intake.note(.datalink, at: Place(.record, 0))
        }
        intake.report.format = format
        readRecords(rest)
        links.endAll(at: Place(.record, intake.report.length))
    }

    private func readRecords(_ bytes: RawSpan) {
        var at = 0
        var last_us: Int64?
        while at < bytes.byteCount {
            intake.report.length += 1
            let place = Place(.record, intake.report.length)
            guard let head = bytes.slice(at, at + Self.recordHeaderLength) else {
                intake.note(.fileEnds, at: place, kept: bytes.byteCount - at, of: Self.recordHeaderLength)
                return
            }
            let record = Record(head)
            let start = at + Self.recordHeaderLength
            guard record.included <= Self.longestPacket, let packet = bytes.slice(start, start + record.included) else {
                // The last record of a log that was cut off, or a length that is not one.
                guard let next = nextRecord(bytes, after: at, near: last_us) else {
                    intake.note(.fileEnds, at: place, kept: bytes.byteCount - start, of: record.included)
                    return
                }
                intake.note(.recordLength, at: place)
                at = next
                continue
            }
            last_us = record.time_us
            if record.drops > drops { intake.note(.captureDropped, at: place, count: Int(record.drops - drops)) }
            drops = record.drops
            var timed = place
            timed.time_us = record.time_us
            take(packet, record, timed)
            at = start + record.included
        }
    }

    /// The next offset at which a record can be believed: its lengths, its kind, its time, and another like it behind it or
    /// the end of the file.
    private func nextRecord(_ bytes: RawSpan, after at: Int, near last_us: Int64?) -> Int? {
        guard let last_us else { return nil }
        var candidate = at + 1
        while candidate + Self.recordHeaderLength <= bytes.byteCount {
            if let end = believable(bytes, candidate, near: last_us), end == bytes.byteCount || believable(bytes, end, near: last_us) != nil {
                return candidate
            }
            candidate += 1
        }
        return nil
    }

    /// Where the record at `at` ends, if it could be one.
    private func believable(_ bytes: RawSpan, _ at: Int, near last_us: Int64) -> Int? {
        guard let head = bytes.slice(at, at + Self.recordHeaderLength) else { return nil }
        let record = Record(head)
        let end = at + Self.recordHeaderLength + record.included
        let apart = record.time_us.subtractingReportingOverflow(last_us)
        guard record.included > 0, record.included <= record.original, record.original <= Self.longestPacket, end <= bytes.byteCount,
            format == .btsnoopMonitor || record.flags <= 3, !apart.overflow, apart.partialValue.magnitude <= UInt64(Self.near_us)
        else { return nil }
        return end
    }

    private func take(_ packet: RawSpan, _ record: Record, _ place: Place) {
        let missing = max(0, record.original - record.included)
        switch format {
        case .btsnoopSerial:
            guard let body = packet.slice(1, packet.byteCount) else {
                intake.note(record.original > 0 ? .truncated : .unknownPacket, at: place, kept: record.included, of: record.original)
                return
            }
            let isSent = record.flags & 1 == 0
            switch packet.u8(at: 0) {
            case 1: links.command(body, adapter: 0, at: place)
            case 2: links.data(body, missing: missing, isSent: isSent, adapter: 0, at: place)
            case 3, 5: break  // synchronous and isochronous data
            case 4: links.event(body, missing: missing, adapter: 0, at: place)
            default: intake.note(.unknownPacket, at: place)
            }
        case .btsnoopHCI:
            switch record.flags & 3 {
            case 0: links.data(packet, missing: missing, isSent: true, adapter: 0, at: place)
            case 1: links.data(packet, missing: missing, isSent: false, adapter: 0, at: place)
            case 2: links.command(packet, adapter: 0, at: place)
            default: links.event(packet, missing: missing, adapter: 0, at: place)
            }
        default:
            let adapter = UInt16(truncatingIfNeeded: record.flags >> 16)
            switch UInt16(truncatingIfNeeded: record.flags) {
            case 1, 9: links.end(adapter: adapter, at: place)  // the adapter is gone, or closed
            case 2: links.command(packet, adapter: adapter, at: place)
            case 3: links.event(packet, missing: missing, adapter: adapter, at: place)
            case 4: links.data(packet, missing: missing, isSent: true, adapter: adapter, at: place)
            case 5: links.data(packet, missing: missing, isSent: false, adapter: adapter, at: place)
            case 0, 6...8, 10...19: break  // names, notes, audio, management
            default: intake.note(.unknownPacket, at: place)
            }
        }
    }
}
