// Owns writing an envelope around an inner record: padding, length, checksums (WHOOP.md 3.1-3.4). Commands come here from
// `Command` alone; what a simulated strap says goes through `seal`, which refuses commands.
import Wire

/// The two ends of the link, as 5.0 headers name them (WHOOP.md 3.2).
enum Direction {
    case strap, app
}

extension Packet {
    /// Appends a whole frame around `inner`. False, with nothing appended, when there is no room.
    mutating func append(inner: RawSpan, family: Family, to direction: Direction) -> Bool {
        let padding = (4 - inner.byteCount % 4) % 4
        let counted = inner.byteCount + padding + 4
        guard count + family.headerLength + counted <= Packet.capacity, !overflowed else { return false }

        let start = count
        u8(Frame.start)
        if family == .whoop5 { u8(1) }
        u16(UInt16(counted))
        switch family {
        case .whoop4:
            u8(crc8(bytes.extracting((start + 1)..<(start + 3))))
        case .whoop5:
            u8(direction == .strap ? 0 : 1)
            u8(direction == .strap ? 1 : 0)
            u16(crc16(bytes.extracting(start..<(start + 6))))
        }
        let body = count
        append(inner)
        zeros(padding)
        u32(crc32(bytes.extracting(body..<count)))
        return true
    }

    /// Appends the frame that a strap would send around `inner`, padded. False, with nothing appended, when it is empty, is a
    /// command, or there is no room.
    public mutating func seal(_ inner: RawSpan, family: Family) -> Bool {
        guard inner.byteCount > 0, inner.u8(at: 0) != PacketType.command, inner.u8(at: 0) != PacketType.packCommand else { return false }
        return append(inner: inner, family: family, to: .app)
    }
}
