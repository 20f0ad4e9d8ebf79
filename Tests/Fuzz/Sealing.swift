// Owns valid frames around any inner record, so that the fuzzer need not guess a checksum. Written from WHOOP.md 3.1-3.4
// without the product's own writer, which is compared with this one.
import Wire
import Whoop

/// Bytes of a frame that are not its inner record and padding.
func overhead(_ family: Family) -> Int { family.headerLength + 4 }

/// The longest inner record that fits a believed frame, bytes.
func longestInner(_ family: Family) -> Int { Frame.longest - overhead(family) }

/// The frame a strap sends around `inner`, of at most `longestInner` bytes; padded to four.
func seal(_ inner: RawSpan, _ family: Family, odd: UInt8 = 0) -> Block {
    let padding = (4 - inner.byteCount % 4) % 4
    var frame = Block(capacity: inner.byteCount + padding + overhead(family))
    appendHeader(&frame, counted: inner.byteCount + padding + 4, family, odd: odd)
    frame.append(inner)
    for _ in 0..<padding { frame.append(0 as UInt8) }
    frame.append(crc32(frame.bytes.extracting(family.headerLength..<frame.bytes.byteCount)))
    return frame
}

/// A header that holds and announces `counted` bytes after it. `odd`: what bits of a 5.0 header's revision (0),
/// destination (1, 2) and source (3, 4) differ from what a strap sends.
func appendHeader(_ frame: inout Block, counted: Int, _ family: Family, odd: UInt8 = 0) {
    let start = frame.bytes.byteCount
    frame.append(0xaa as UInt8)
    switch family {
    case .whoop4:
        frame.append(UInt16(truncatingIfNeeded: counted))
        frame.append(crc8(frame.bytes.extracting((start + 1)..<(start + 3))))
    case .whoop5:
        frame.append(1 ^ odd & 1)
        frame.append(UInt16(truncatingIfNeeded: counted))
        frame.append(1 ^ odd >> 1 & 3)
        frame.append(odd >> 3 & 3)
        frame.append(crc16(frame.bytes.extracting(start..<(start + 6))))
    }
}
