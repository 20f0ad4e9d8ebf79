// Owns reading advertising data: a row of structures, each length, kind, bytes (Core Supplement, Part A).
// A length that runs past the end ends the reading; nothing is guessed.
import Wire

public struct Advertisement: ~Escapable {
    let bytes: RawSpan

    @_lifetime(copy bytes)
    public init(_ bytes: RawSpan) { self.bytes = bytes }

    /// Whether a service is named in any list of services, complete or not, of any width, in advertising data or scan response.
    public func names(_ service: UUID128) -> Bool {
        var reader = Reader(bytes)
        while let length = reader.u8(), length > 0, let kind = reader.u8(), let data = reader.take(Int(length) - 1) {
            let width = switch kind { case 0x02, 0x03: 2; case 0x04, 0x05: 4; case 0x06, 0x07: 16; default: 0 }
            guard width > 0 else { continue }
            var list = Reader(data)
            while let one = list.take(width) { if UUID128(one) == service { return true } }
        }
        return false
    }

    /// The local name, whole or shortened, as UTF-8; nil where there is none.
    public var name: RawSpan? {
        @_lifetime(copy self) get {
            var reader = Reader(bytes)
            while let length = reader.u8(), length > 0, let kind = reader.u8(), let data = reader.take(Int(length) - 1) {
                if kind == 0x08 || kind == 0x09 { return data }
            }
            return nil
        }
    }
}
