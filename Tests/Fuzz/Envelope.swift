// Fuzzes `Frame.check` and the writing of frames. Raw bytes: whatever the verdict, it must not change with what follows
// the frame, and "not yet" must name a length that is really missing. The same bytes sealed: they open again, and no
// frame survives the flip of one bit, wherever it lies.
import Wire
import Whoop

func fuzzEnvelope(_ data: RawSpan) {
    for family in [Family.whoop4, .whoop5] {
        checkVerdict(data, family)
        checkSealed(data, family)
        checkCommand(data, family)
    }
    let defined = definedCRC32(data)
    demand(crc32(data) == defined && crc32ByTable(data) == defined, "CRC-32 of \(data.byteCount) bytes is not what its definition says")
    checkHeaderSums(data.extracting(first: min(16, data.byteCount)))
}

private func checkVerdict(_ data: RawSpan, _ family: Family) {
    let verdict = Frame.check(data, family: family)
    let isWhole: Bool
    switch verdict {
    case .partial(let needed):
        demand(needed > data.byteCount && needed <= Frame.longest, "\(data.byteCount) bytes are there and \(needed) are asked for")
        isWhole = false
    case .notAFrame:
        isWhole = false
    case .damaged(let length), .whole(let length):
        demand(length > overhead(family) && length <= min(data.byteCount, Frame.longest), "a frame of \(length) bytes in \(data.byteCount)")
        let alone = Block(data.extracting(first: length))
        demand(Frame.check(alone.bytes, family: family) == verdict, "the verdict depends on what follows the frame")
        let short = Frame.check(data.extracting(first: length - 1), family: family)
        demand(short == .partial(needed: length), "one byte short of \(length) bytes is \(short)")
        isWhole = verdict == .whole(length: data.byteCount)
    }
    if let frame = Frame(data, family: family) {
        demand(isWhole && frame.inner.byteCount == data.byteCount - overhead(family), "a frame was made of \(verdict)")
    } else {
        demand(!isWhole, "no frame was made of a whole one")
    }
}

private func checkSealed(_ data: RawSpan, _ family: Family) {
    guard data.byteCount > 0, data.byteCount <= longestInner(family) else { return }
    var sealed = seal(data, family)
    do {
        guard let frame = Frame(sealed.bytes, family: family) else { return demand(false, "a sealed frame does not open") }
        let inner = frame.inner
        demand(inner.extracting(first: data.byteCount).equals(data), "what was sealed is not what came out")
        for i in data.byteCount..<inner.byteCount { demand(inner.u8(at: i) == 0, "padding is not zero") }
        demand(frame.type == data.u8(at: 0) && frame.isKnownRevision, "the type or the revision is wrong")
        demand((frame.source == nil) == (family == .whoop4) && frame.destination ?? 1 == 1, "the header is read wrong")
    }

    // The product's own writer: the same bytes, or none at all.
    var packet = Packet()
    let isCommand = data.u8(at: 0) == PacketType.command || data.u8(at: 0) == PacketType.packCommand
    if packet.seal(data, family: family) {
        demand(!isCommand && packet.bytes.equals(sealed.bytes), "the frame written differs from the one defined")
    } else {
        demand(packet.count == 0 && (isCommand || sealed.bytes.byteCount > Packet.capacity), "a frame with room was not written")
    }

    // Any one bit, chosen by the data.
    sealed.flip(Int(definedCRC32(data.extracting(first: min(4, data.byteCount)))) % (8 * sealed.bytes.byteCount))
    demand(Frame(sealed.bytes, family: family) == nil, "a frame with one bit flipped is whole")
}

/// A command's frame opens as one, to the strap, and brings its token back byte by byte (WHOOP.md 9.2).
private func checkCommand(_ data: RawSpan, _ family: Family) {
    var packet = Packet()
    let token = data.u64(at: 0)
    let isWritten = Command.burstStored(token: token).encode(family, sequence: data.u8(at: 8), into: &packet)
    // The token of an END after which nothing is pending is never acknowledged.
    demand(isWritten == (token != Metadata.nothingPending), "a command was written or not against the rule")
    guard isWritten else { return }
    guard let frame = Frame(packet.bytes, family: family) else { return demand(false, "the frame of a command does not open") }
    demand(frame.type == PacketType.command && frame.destination ?? 0 == 0 && frame.source ?? 1 == 1, "a command is not for the strap")
    demand(frame.inner.u8(at: 1) == data.u8(at: 8) && frame.inner.u64(at: 4) == data.u64(at: 0), "the token is not the one that was given")
    demand(!PacketType.countsInBurst(frame.type), "a command counts in a burst")
}

/// The two sums of headers by their definitions, bit by bit: CRC-8 with 0x07, CRC-16/MODBUS.
private func checkHeaderSums(_ bytes: RawSpan) {
    var eight: UInt8 = 0, sixteen: UInt16 = 0xffff
    for i in 0..<bytes.byteCount {
        eight ^= bytes.u8(at: i)
        sixteen ^= UInt16(bytes.u8(at: i))
        for _ in 0..<8 {
            eight = eight & 0x80 == 0 ? eight << 1 : eight << 1 ^ 0x07
            sixteen = sixteen & 1 == 0 ? sixteen >> 1 : sixteen >> 1 ^ 0xa001
        }
    }
    demand(crc8(bytes) == eight && crc16(bytes) == sixteen, "a header's sum is not what its definition says")
}

/// CRC-32 by its definition (reflected 0xEDB88320, as in zlib), by way of a table worked out bit by bit.
private func definedCRC32(_ bytes: RawSpan) -> UInt32 {
    let table = table
    var crc: UInt32 = 0xffff_ffff
    for i in 0..<bytes.byteCount { crc = crc >> 8 ^ table[Int((crc ^ UInt32(bytes.u8(at: i))) & 0xff)] }
    return ~crc
}

private let table: [UInt32] = (0..<256).map { byte in
    var crc = UInt32(byte)
    for _ in 0..<8 { crc = crc >> 1 ^ (crc & 1 == 0 ? 0 : 0xedb8_8320) }
    return crc
}
