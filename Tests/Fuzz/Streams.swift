// Fuzzes the reassembler. The input is a stream in steps - loose bytes, sealed frames, damaged ones, headers that lie - and
// a row of lengths that cut it into notifications. What comes out must not depend on the cuts, every byte must be
// accounted for, and no more than one frame may be held back.
import Wire
import Whoop

func fuzzReassembler(_ data: RawSpan) {
    var input = Input(data)
    let family = input.byte() & 1 == 0 ? Family.whoop4 : .whoop5
    let cuts = Block(input.take(Int(input.byte() % 16)))
    let stream = written(&input, family)

    let whole = Outcome(stream.bytes, cuts: nil, family)
    let cut = Outcome(stream.bytes, cuts: cuts.bytes, family)
    demand(whole == cut, "frames depend on where the stream is cut: \(whole), then \(cut)")

    var zeros = 0
    for i in 0..<stream.bytes.byteCount where stream.bytes.u8(at: i) == 0 { zeros += 1 }
    let accounted = whole.delivered + Int(whole.dropped)
    demand(accounted <= stream.bytes.byteCount && accounted + zeros >= stream.bytes.byteCount,
           "of \(stream.bytes.byteCount) bytes \(accounted) were delivered or dropped, \(zeros) are zeros")
}

/// The stream that the rest of the input describes.
func written(_ input: inout Input, _ family: Family) -> Block {
    let capacity = 2 * Frame.longest
    var stream = Block(capacity: capacity)
    while !input.isEmpty {
        let step = input.byte()
        // Long frames in few bytes: the same piece several times.
        let times = step & 0x80 == 0 ? 1 : 1 + Int(step >> 2 & 0x1f)
        let piece = input.take(Int(input.byte()))
        let body = repeated(piece, min(piece.byteCount * times, longestInner(family)))
        guard stream.bytes.byteCount + body.bytes.byteCount + 16 <= capacity else { break }
        switch step & 3 {
        case 1 where piece.byteCount > 0:
            stream.append(seal(body.bytes, family).bytes)
        case 2 where piece.byteCount > 0:
            var frame = seal(body.bytes, family)
            frame.flip(8 * (family.headerLength + Int(step >> 2 & 1)))
            stream.append(frame.bytes)
        case 3:
            appendHeader(&stream, counted: Int(piece.u16(at: 0) % 5000), family)
        default:
            stream.append(body.bytes)
        }
    }
    return stream
}

/// What a reassembler made of a stream.
private struct Outcome: Equatable {
    var frames = 0
    /// Bytes of all frames.
    var delivered = 0
    /// Over every byte and every border of the frames in order.
    var digest = Digest()
    var damaged: UInt32 = 0
    var dropped: UInt32 = 0

    /// `cuts`: lengths of the first 64 notifications, again and again; nil, or none: all in one.
    init(_ stream: RawSpan, cuts: RawSpan?, _ family: Family) {
        let reassembler = Reassembler(family: family)
        var rest = stream
        var turn = 0
        while rest.byteCount > 0 {
            var length = rest.byteCount
            if let cuts, cuts.byteCount > 0, turn < 64 { length = min(length, Int(cuts.u8(at: turn % cuts.byteCount))) }
            turn += 1
            let notification = Block(rest.extracting(first: length))
            reassembler.feed(notification.bytes) { take($0) }
            demand(reassembler.waiting <= Frame.longest, "\(reassembler.waiting) bytes are held back")
            rest = rest.extracting(length..<rest.byteCount)
        }
        while reassembler.waiting > 0 {
            let before = reassembler.waiting
            reassembler.abandon { take($0) }
            demand(reassembler.waiting < before, "a frame given up is still waited for")
        }
        damaged = reassembler.damaged
        dropped = reassembler.dropped
    }

    private mutating func take(_ frame: borrowing Frame) {
        demand(Frame.check(frame.bytes, family: frame.family) == .whole(length: frame.bytes.byteCount), "what was handed over is no frame")
        frames += 1
        delivered += frame.bytes.byteCount
        digest.add(frame.bytes.byteCount)
        digest.add(frame.bytes)
    }
}
