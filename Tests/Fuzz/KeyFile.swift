// Fuzzes the text of the key file: the input is its lines, to which the right sum is added. A ring that is read comes back
// from its own text, and text without the sum is none.
import Bluetooth
import Wire

func fuzzKeyFile(_ data: RawSpan) {
    let adapter = Address(number: 0x0102_0304_0506)
    var text = Array("nightstand keys 1\nadapter \(adapter.text)\n".utf8)
    // Half of the inputs have a head of their own.
    if data.u8(at: 0) & 1 == 1 { text = [] }
    for i in 0..<data.byteCount where i > 0 { text.append(data.u8(at: i)) }
    demand(text.count < 13 || KeyRing(text, adapter: adapter) == nil || data.byteCount > 13, "text without its sum was read")

    var sum = String(crc32(text.span.bytes), radix: 16)
    while sum.utf8.count < 8 { sum = "0" + sum }
    text += Array("sum \(sum)\n".utf8)
    guard let ring = KeyRing(text, adapter: adapter) else { return }
    demand(ring.keys.count <= KeyRing.capacity, "\(ring.keys.count) keys")
    demand(KeyRing(ring.text(of: adapter), adapter: adapter) == ring, "a ring does not come back from its text")
    demand(KeyRing(text, adapter: Address(number: 7)) == nil, "another adapter's ring was read")
}
