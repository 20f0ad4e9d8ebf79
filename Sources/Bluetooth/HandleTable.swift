// Owns what was learned of a peer's attributes: which characteristic lies at which handle. A plain value, so that it
// can be remembered for a peer and a firmware revision.
import Wire

/// One characteristic of a peer.
public struct GATTCharacteristic: Equatable, Sendable, BitwiseCopyable {
    public var uuid: UUID128
    public var service: UUID128
    /// Handle of the value.
    public var value: UInt16
    /// Last handle that belongs to the characteristic.
    public var last: UInt16
    /// Client GATTCharacteristic Configuration, 0 where there is none.
    public var configuration: UInt16 = 0
    /// Bits of Core, Vol 3, Part G, 3.3.1.1.
    public var properties: UInt8

    public var notifies: Bool { properties & 0x10 != 0 }
    public var indicates: Bool { properties & 0x20 != 0 }
}

/// At most 32 characteristics; a WHOOP has about 13 that matter.
public struct HandleTable: Sendable, BitwiseCopyable {
    private var items = InlineArray<32, GATTCharacteristic>(
        repeating: GATTCharacteristic(uuid: UUID128(short: 0), service: UUID128(short: 0), value: 0, last: 0, properties: 0))
    public private(set) var count = 0

    public init() {}

    /// Adds one; false when the table is full.
    public mutating func add(_ characteristic: GATTCharacteristic) -> Bool {
        guard count < 32 else { return false }
        items[count] = characteristic
        count += 1
        return true
    }

    /// The characteristic at a place 0..<count.
    public subscript(place: Int) -> GATTCharacteristic {
        get { items[min(max(0, place), 31)] }
        set { items[min(max(0, place), 31)] = newValue }
    }

    public func find(_ uuid: UUID128) -> GATTCharacteristic? {
        for i in 0..<count where items[i].uuid == uuid { return items[i] }
        return nil
    }
}

/// Tables of peers met before, by address. Whoever remembers one must have seen that its handles are right.
public struct HandleCache: ~Copyable {
    private struct Line { var peer: Peer; var table: HandleTable }
    /// At most four peers; the one longest not used goes.
    private var lines: [Line] = []

    public init() { lines.reserveCapacity(4) }

    public func table(of peer: Peer) -> HandleTable? {
        for line in lines where line.peer == peer { return line.table }
        return nil
    }

    public mutating func remember(_ table: HandleTable, of peer: Peer) {
        forget(peer)
        if lines.count == 4 { lines.removeFirst() }
        lines.append(Line(peer: peer, table: table))
    }

    public mutating func forget(_ peer: Peer) {
        for i in lines.indices where lines[i].peer == peer { lines.remove(at: i); return }
    }
}
