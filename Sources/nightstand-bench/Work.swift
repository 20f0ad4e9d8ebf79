// Owns what is measured of a frame: decoding all its fields, its envelope alone, its CRC-32 alone, and a copy of the same
// bytes. Each is a loop over sixteen copies of one real frame, which all fit into the CPU's nearest cache.
import CCount
import CLinux
import Whoop
import Wire

/// A real frame (WHOOP.md 3.7 (c), 15.3, and a v12 of a public capture).
struct Golden {
    let name: StaticString
    let family: Family
    let hex: StaticString

    static func all() -> [Golden] {
        [
            Golden(name: "4_v24", family: .whoop4, hex: "aa6400a12f18054c1c0a023ed0266a5037805418016d022b0234020000000000006b07ff0085593c1f65cebed7b3e63eb85a5f3f000080401f65cebed7b3e63eb85a5f3f500264025d03640229014009010c020c00000000000f0001c4020000000000008fdeb278"),
            Golden(name: "4_v12", family: .whoop4, hex: "aa5c00f02f0c0792b70900cf326966381a8054cc015701fb0200000000000000008c6aff00c8b43bec71aebe33c35b3e9ac1743f000050c5ec71aebe33c35b3e9ac1743fe50146021c03440287016004010c020c300000000000000276ae1006"),
            Golden(name: "5_v18", family: .whoop5, hex: "aa01740001003fb12f1280733d8401b69f266a66460066025a0265020000000000007b0a8d656463ff0012163cf6a439bf2924fd3ed763fe3e3200aa000000000000000000f7000901f10b0007010c020c00000000000000000000000000000000000000000000000100656f1e1e0000009d61a7c00000003e862817"),
            Golden(name: "5_v26", family: .whoop5, hex: "aa015000010035412f1a80ad418401f0a3266aae470100c3c5050068faccfa8dfb46fc8bfd4cfebafedafe6dff56ffd5fffbff37ff6afce5f9d7f8dffa5efc98fddbfe5afe84fe15ff5cff405fb33c50080101006cb67c17"),
        ]
    }
}

struct Work {
    enum Kind: UInt8, CaseIterable {
        case decode, envelope, crc, memcpy

        var name: StaticString {
            switch self {
            case .decode: "decode"
            case .envelope: "envelope"
            case .crc: "crc"
            case .memcpy: "memcpy"
            }
        }
    }

    let kind: Kind
    let golden: Golden
    private let length: Int
    private let copies: UnsafeMutableRawPointer
    private let target: UnsafeMutableRawPointer
    /// A power of two.
    private static var count: Int { 16 }

    var name: String { "\(kind.name)_\(golden.name)" }

    /// Nil when the frame is none.
    init?(_ kind: Kind, _ golden: Golden) {
        guard let frame = bytes(hex: "\(golden.hex)"), Frame(frame.span.bytes, family: golden.family) != nil else { return nil }
        self.kind = kind
        self.golden = golden
        length = frame.count
        copies = .allocate(byteCount: length * Work.count, alignment: 16)
        target = .allocate(byteCount: length * Work.count, alignment: 16)
        for i in 0..<Work.count { frame.withUnsafeBytes { copies.advanced(by: i * length).copyMemory(from: $0.baseAddress!, byteCount: length) } }
    }

    /// Every kind of work on every frame; nil when a frame is none.
    static func all() -> [Work]? {
        var works: [Work] = []
        for golden in Golden.all() {
            for kind in Kind.allCases {
                guard let work = Work(kind, golden) else { return nil }
                works.append(work)
            }
        }
        return works
    }

    /// Does the work on so many frames. What comes out depends on every one.
    func run(_ frames: Int) -> UInt64 {
        switch kind {
        case .decode: decode(frames)
        case .envelope: envelope(frames)
        case .crc: checksum(frames)
        case .memcpy: copy(frames)
        }
    }

    @inline(__always)
    private func offset(_ i: Int) -> Int { (i & (Work.count - 1)) * length }

    @inline(never)
    private func decode(_ frames: Int) -> UInt64 {
        var sum = Sum()
        for i in 0..<frames {
            guard let frame = Frame(RawSpan(_unsafeStart: copies + offset(i), byteCount: length), family: golden.family) else { continue }
            frame.describe(into: &sum)
        }
        return sum.total
    }

    @inline(never)
    private func envelope(_ frames: Int) -> UInt64 {
        var whole: UInt64 = 0
        for i in 0..<frames {
            if Frame(RawSpan(_unsafeStart: copies + offset(i), byteCount: length), family: golden.family) != nil { whole += 1 }
        }
        return whole
    }

    @inline(never)
    private func checksum(_ frames: Int) -> UInt64 {
        let header = golden.family.headerLength
        var sum: UInt64 = 0
        for i in 0..<frames {
            sum &+= UInt64(crc32(RawSpan(_unsafeStart: copies + offset(i) + header, byteCount: length - header - 4)))
        }
        return sum
    }

    @inline(never)
    private func copy(_ frames: Int) -> UInt64 {
        for i in 0..<frames { memcpy(target + offset(i), copies + offset(i), length) }
        return UInt64(RawSpan(_unsafeStart: target, byteCount: length).u8(at: 0))
    }

    /// Nanoseconds a frame, of the quickest of some turns: what disturbs only ever adds.
    func nanoseconds() -> Double {
        var best = Int64.max
        for _ in 0..<20 {
            let began = now()
            let sum = run(20_000)
            best = min(best, now() - began)
            if sum == 0 { return 0 }
        }
        return Double(best) / 20_000
    }

    /// Heap allocations in 10,000 frames.
    func allocations() -> Int {
        let before = Int(nightstand_allocations())
        let sum = run(10_000)
        return sum == 0 ? -1 : Int(nightstand_allocations()) - before
    }
}

func now() -> Int64 {
    var t = timespec()
    clock_gettime(CLOCK_MONOTONIC, &t)
    return Int64(t.tv_sec) * 1_000_000_000 + Int64(t.tv_nsec)
}
