// Owns what the strap tells of its battery pack: the answer to GET_BATTERY_PACK_INFO (WHOOP.md 5.5) and event 109 (6.3)
// hold the same block, one byte apart. All zeros: there is no pack.
import Wire

/// The battery pack.
public struct PackInfo: ~Escapable {
    /// Address 6 bytes, name 16, charge 2.
    private let block: RawSpan
    public let isAttached: Bool
    /// 12 Puffin, 14 Penguin; 0 where it is not said.
    public let kind: UInt8
    /// Of an answer; its values are not mapped.
    public let status: UInt8?

    /// From an answer, which says whether there is a pack. Nil for a short body.
    @_lifetime(copy body)
    init?(answer body: RawSpan) {
        guard let block = body.slice(2, 26) else { return nil }
        self.block = block
        isAttached = body.u8(at: 1) == 1
        kind = body.u8(at: 26)
        status = body.byteCount > 27 ? body.u8(at: 27) : nil
    }

    /// From an event, where only zeros say that there is none. Nil for a short body.
    @_lifetime(copy body)
    init?(event body: RawSpan) {
        guard let block = body.slice(1, 25) else { return nil }
        self.block = block
        var isAttached = false
        for i in 0..<block.byteCount where block.u8(at: i) != 0 { isAttached = true }
        self.isAttached = isAttached
        kind = body.u8(at: 26)
        status = nil
    }

    /// Six bytes, the first first as the strap sends it.
    public var address: RawSpan {
        @_lifetime(copy self) get { block.extracting(0..<6) }
    }

    /// Serial number or name, ASCII.
    public var serial: RawSpan {
        @_lifetime(copy self) get { text(block.extracting(6..<22)) }
    }

    /// State of charge in tenths of a percent, 0...1000; inferred.
    public var charge_tenths: UInt16? { Gate.battery(UInt32(block.u16(at: 22))) }
}
