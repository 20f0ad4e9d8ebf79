// Fuzzes the reading of advertising data against a second reading of its own, by plain indices.
import Bluetooth
import Whoop
import Wire

func fuzzAdvertising(_ data: RawSpan) {
    let advertisement = Advertisement(data)
    for service in [Family.whoop4.service, Family.whoop5.service, UUID128(short: 0x180d)] {
        demand(advertisement.names(service) == isNamed(service, in: data), "the list of services is read in two ways")
    }
    var expected: (at: Int, count: Int)?
    structures(data) { kind, at, count in
        if expected == nil, kind == 8 || kind == 9 { expected = (at, count) }
    }
    guard let name = advertisement.name else { return demand(expected == nil, "a name was not found") }
    demand(name.byteCount == expected?.count, "the name has \(name.byteCount) bytes")
    demand(name.byteCount == 0 || data.byteOffsets(of: name)?.lowerBound == expected?.at, "the name lies elsewhere")
}

/// Calls with kind, first offset and count of each structure that lies inside the data.
private func structures(_ data: RawSpan, _ body: (_ kind: UInt8, _ at: Int, _ count: Int) -> Void) {
    var at = 0
    while at + 1 < data.byteCount {
        let length = Int(data.u8(at: at))
        guard length > 0, at + 1 + length <= data.byteCount else { return }
        body(data.u8(at: at + 1), at + 2, length - 1)
        at += 1 + length
    }
}

private func isNamed(_ service: UUID128, in data: RawSpan) -> Bool {
    // The whole name, least significant byte first.
    var name: [UInt8] = []
    for half in [service.low, service.high] { for i in 0..<8 { name.append(UInt8(truncatingIfNeeded: half >> (8 * UInt64(i)))) } }
    let isShort = name[..<12].elementsEqual([0xfb, 0x34, 0x9b, 0x5f, 0x80, 0, 0, 0x80, 0, 0x10, 0, 0])
    var found = false
    structures(data) { kind, at, count in
        let width = switch kind { case 2, 3: 2; case 4, 5: 4; case 6, 7: 16; default: 0 }
        guard width > 0, width == 16 || isShort else { return }
        let wanted = width == 16 ? name : Array(name[12..<(12 + width)])
        if width == 2, name[14] != 0 || name[15] != 0 { return }
        for item in 0..<(count / width) {
            var same = true
            for i in 0..<width where data.u8(at: at + item * width + i) != wanted[i] { same = false }
            if same { found = true }
        }
    }
    return found
}
