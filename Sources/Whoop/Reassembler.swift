// Owns putting frames together from the notifications of one characteristic (WHOOP.md 3.6). One per characteristic:
// sharing one corrupts interleaved streams. Never allocates after init, never copies a frame that arrived whole, and
// after a wrong CRC-32 looks again from the second byte of that frame, because its length may have been the lie.
import Wire

/// Finds frames in the notifications of one characteristic.
public final class Reassembler {
    public let family: Family
    /// Frames whose header held and whose CRC-32 did not.
    public private(set) var damaged: UInt32 = 0
    /// Bytes that belonged to no frame. Zeros are not counted: straps fill with them between frames.
    public private(set) var dropped: UInt32 = 0

    /// A frame that came in pieces, and what followed it: `pending[head..<tail]`.
    private let pending: UnsafeMutableRawBufferPointer
    private var head = 0
    private var tail = 0

    public init(family: Family) {
        self.family = family
        pending = .allocate(byteCount: Frame.longest, alignment: 16)
    }

    deinit { pending.deallocate() }

    /// Bytes held back because their frame is not whole yet. Held for some seconds, it will never be: `abandon`.
    public var waiting: Int { tail - head }

    /// Forgets what is held back. To be called at every connect.
    public func reset() {
        head = 0
        tail = 0
    }

    /// Takes one notification, of any length, and hands over each frame that it completes, in order.
    /// The frame is valid during the call only. `body` may call `reset`, and must not call `feed` or `abandon`.
    public func feed(_ notification: RawSpan, _ body: (borrowing Frame) -> Void) {
        var rest = notification
        while waiting > 0 {
            let missing = settle(body)
            if missing == 0 { continue }
            if rest.byteCount == 0 { return }
            let taken = min(missing, rest.byteCount)
            append(rest.extracting(first: taken))
            rest = rest.extracting(taken..<rest.byteCount)
        }
        scan(rest, body)
    }

    /// Gives up the frame that is waited for: its first byte is dropped, and what follows is looked at again.
    public func abandon(_ body: (borrowing Frame) -> Void) {
        guard waiting > 0 else { return }
        drop()
        while waiting > 0, settle(body) == 0 {}
    }

    /// Hands over frames straight from the notification and holds back the beginning of one that goes on in the next.
    private func scan(_ notification: RawSpan, _ body: (borrowing Frame) -> Void) {
        var rest = notification
        while rest.byteCount > 0 {
            switch Frame.check(rest, family: family) {
            case .whole(let length):
                body(Frame(checked: rest.extracting(first: length), family: family))
                rest = rest.extracting(length..<rest.byteCount)
            case .damaged:
                damaged &+= 1
                count(dropped: rest.u8(at: 0))
                rest = rest.extracting(1..<rest.byteCount)
            case .notAFrame:
                count(dropped: rest.u8(at: 0))
                rest = rest.extracting(1..<rest.byteCount)
            case .partial:
                append(rest)
                return
            }
        }
    }

    /// Looks at what is held back: hands over or drops what can be, and then answers 0, or says how many bytes are missing.
    private func settle(_ body: (borrowing Frame) -> Void) -> Int {
        let held = UnsafeRawBufferPointer(rebasing: pending[head..<tail])
        switch Frame.check(held.bytes, family: family) {
        case .whole(let length):
            // Before the call, so that `body` may reset.
            head += length
            body(Frame(checked: held.bytes.extracting(first: length), family: family))
        case .damaged:
            damaged &+= 1
            drop()
        case .notAFrame:
            drop()
        case .partial(let needed):
            return needed - waiting
        }
        return 0
    }

    /// Drops the first byte held back.
    private func drop() {
        count(dropped: pending[head])
        head += 1
    }

    private func count(dropped byte: UInt8) {
        if byte != 0 { dropped &+= 1 }
    }

    /// Holds back more bytes. A frame is at most as long as the buffer, so what is missing of one always fits. Each byte is
    /// copied here and nowhere else, unless a damaged frame was searched for others.
    private func append(_ bytes: RawSpan) {
        if head == tail { reset() }
        if tail + bytes.byteCount > pending.count {
            let count = waiting
            pending.copyMemory(from: UnsafeRawBufferPointer(rebasing: pending[head..<tail]))
            head = 0
            tail = count
        }
        guard tail + bytes.byteCount <= pending.count else { return }
        bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: pending[tail...]).copyMemory(from: $0) }
        tail += bytes.byteCount
    }
}
