// Owns finding frames of either family where nothing else tells the family: text and raw bytes. A link in a log has one
// family and uses `Whoop.Reassembler`; here each header says by its own CRC which it is. The rules are those of
// WHOOP.md 3.6: a header is believed only with its CRC, and after a wrong CRC-32 the search goes on from the second byte.
import Wire
import Whoop

/// Finds frames in values that follow one another.
final class FrameFinder {
    private let intake: Intake
    /// The beginning of a frame that goes on in the next value: `held[head..<tail]`.
    private let held = UnsafeMutableRawBufferPointer.allocate(byteCount: Frame.longest, alignment: 16)
    private var head = 0
    private var tail = 0
    /// Where what is held began.
    private var begun = Place(.byte, 0)
    /// How often a value ended within a frame that none before it had begun.
    private(set) var beginnings = 0
    /// Bytes of a damaged frame still to be looked at: they are told once, as damage, and not again as junk.
    private var forgiven = 0

    init(_ intake: Intake) { self.intake = intake }

    deinit { held.deallocate() }

    /// Whether a frame is not whole yet.
    var isWaiting: Bool { tail > head }

    /// Takes one value, of any length. One that is a frame by itself is handed over also while another frame is waited for:
    /// captures of several characteristics interleave them. One that begins with a whole frame and goes on says that the
    /// rest of the other never comes.
    func feed(_ value: RawSpan, at place: Place) {
        if isWaiting {
            let (family, check) = look(value)
            if case .whole(let length) = check {
                if length == value.byteCount { return hand(value, family, at: place) }
                finish()
            }
        }
        var rest = value
        while isWaiting {
            let missing = settle(at: place)
            if missing == 0 { continue }
            if rest.byteCount == 0 { return }
            let taken = min(missing, rest.byteCount)
            hold(rest.extracting(first: taken))
            rest = rest.extracting(taken..<rest.byteCount)
        }
        scan(rest, at: place.moved(by: value.byteCount - rest.byteCount))
    }

    /// Takes a value that does not go on with what is waited for: that is given up, unless the value is a frame by itself.
    func begin(_ value: RawSpan, at place: Place) {
        if isWaiting {
            let (family, check) = look(value)
            if case .whole(let length) = check, length == value.byteCount { return hand(value, family, at: place) }
            finish()
        }
        scan(value, at: place)
    }

    /// Nothing follows: what is held is told as unfinished, and searched for whole frames behind its first byte.
    func finish() {
        while isWaiting {
            if forgiven == 0 { intake.note(.unfinished, at: begun) }
            forgiven = max(forgiven, tail - head)
            drop()
            // Until a further beginning that is not whole, if there is one.
            while isWaiting, settle(at: begun) == 0 {}
        }
        forgiven = 0
    }

    private func scan(_ value: RawSpan, at place: Place) {
        var at = 0
        while at < value.byteCount {
            let rest = value.extracting(at..<value.byteCount)
            let (family, check) = look(rest)
            switch check {
            case .whole(let length):
                hand(rest.extracting(first: length), family, at: place.moved(by: at))
                at += length
            case .damaged(let length):
                damage(length, at: place.moved(by: at))
                skip(rest.u8(at: 0), at: place.moved(by: at))
                at += 1
            case .notAFrame:
                // To the next byte that could begin one.
                var end = at + 1
                while end < value.byteCount, value.u8(at: end) != 0xaa { end += 1 }
                skip(value.extracting(at..<end), at: place.moved(by: at))
                at = end
            case .partial:
                begun = place.moved(by: at)
                beginnings &+= 1
                hold(rest)
                return
            }
        }
    }

    /// Looks at what is held: hands over or drops what can be, and then answers 0, or says how many bytes are missing.
    private func settle(at place: Place) -> Int {
        let bytes = UnsafeRawBufferPointer(rebasing: held[head..<tail]).bytes
        let (family, check) = look(bytes)
        switch check {
        case .whole(let length):
            let frame = bytes.extracting(first: length)
            head += length
            hand(frame, family, at: place.unit == .byte ? begun : place)
            begun = place.unit == .byte ? begun.moved(by: length) : place
        case .damaged(let length):
            damage(length, at: begun)
            drop()
        case .notAFrame:
            drop()
        case .partial(let needed):
            return needed - (tail - head)
        }
        return 0
    }

    /// What the bytes begin with. The 5.0 header is tried first: its CRC has twice as many bits.
    private func look(_ bytes: RawSpan) -> (Family, Frame.Check) {
        let five = Frame.check(bytes, family: .whoop5)
        switch five {
        case .whole, .damaged: return (.whoop5, five)
        case .partial(let needed) where needed > Family.whoop5.headerLength: return (.whoop5, five)
        default: break
        }
        let four = Frame.check(bytes, family: .whoop4)
        if four != .notAFrame { return (.whoop4, four) }
        return (.whoop5, five)
    }

    private func hand(_ bytes: RawSpan, _ family: Family, at place: Place) {
        guard let frame = Frame(bytes, family: family) else { return }
        forgiven = max(0, forgiven - bytes.byteCount)
        let fromApp = frame.type == PacketType.command || frame.type == PacketType.packCommand
        intake.take(frame, at: place.on(link: 0, fromApp ? .appToStrap : .strapToApp))
    }

    private func damage(_ length: Int, at place: Place) {
        if forgiven == 0 { intake.note(.damaged, at: place) }
        forgiven = max(forgiven, length)
    }

    /// One byte that belongs to no frame. Straps fill with zeros between frames.
    private func skip(_ byte: UInt8, at place: Place) {
        if forgiven > 0 {
            forgiven -= 1
        } else if byte != 0 {
            intake.note(.junk, at: place)
        }
    }

    /// Bytes of which only the first could have begun a frame.
    private func skip(_ bytes: RawSpan, at place: Place) {
        let known = min(forgiven, bytes.byteCount)
        forgiven -= known
        var junk = 0
        var first = 0
        for i in known..<bytes.byteCount where bytes.u8(at: i) != 0 {
            if junk == 0 { first = i }
            junk += 1
        }
        if junk > 0 { intake.note(.junk, at: place.moved(by: first), count: junk) }
    }

    /// Drops the first byte held.
    private func drop() {
        skip(held[head], at: begun)
        head += 1
        begun = begun.moved(by: 1)
    }

    /// Holds more bytes. A frame is at most as long as the buffer, so what is missing of one always fits.
    private func hold(_ bytes: RawSpan) {
        if tail + bytes.byteCount > held.count {
            let count = tail - head
            held.copyMemory(from: UnsafeRawBufferPointer(rebasing: held[head..<tail]))
            head = 0
            tail = count
        }
        guard tail + bytes.byteCount <= held.count else { return }
        bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: held[tail...]).copyMemory(from: $0) }
        tail += bytes.byteCount
    }
}
