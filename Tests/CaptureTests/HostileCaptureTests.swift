// A capture is a stranger's file: whatever is in it, nothing traps, and no frame is invented. Seeded, so that a failure
// comes again.
import Capture
import Testing
import Whoop

@Suite struct HostileCaptureTests {
    /// SplitMix64.
    struct Seeded: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var z = state
            z = (z ^ z >> 30) &* 0xbf58_476d_1ce4_e5b9
            z = (z ^ z >> 27) &* 0x94d0_49bb_1331_11eb
            return z ^ z >> 31
        }
    }

    /// One capture of each kind, with everything in it that a reader looks at.
    static func seeds() throws -> [[UInt8]] {
        var seeds = try ["four", "five-mtu23", "five-late"].map { Array(try Vectors.bytes("captures/\($0).btsnoop").prefix(9000)) }
        for kind in BtsnoopTests.kinds {
            var log = LogWriter(kind)
            log.packetSize = 27
            log.connect(0x40, event: 0x0a)
            log.discover(.whoop5, on: 0x40)
            log.unit([0x04, 1, 0, 9, 0], on: 0x40, sent: true)
            log.unit([0x05, 2, 8, 0] + uuid(.whoop5, 5), on: 0x40, sent: false)
            log.unit([0x06, 1, 0, 0xff, 0xff, 0x00, 0x28] + uuid(.whoop5, 1), on: 0x40, sent: true)
            log.unit([0x07, 1, 0, 9, 0], on: 0x40, sent: false)
            log.unit([0x23] + little(Handles.data) + little(32) + unhex(Golden.realtime5), on: 0x40, sent: false)
            log.write(Handles.command, little(0) + unhex(Golden.hello5), on: 0x40, operation: 0x16)
            log.unit([0x18, 1], on: 0x40, sent: true)
            log.notify(Handles.heartRate, [0, 70], on: 0x40)
            log.disconnect(0x40)
            seeds.append(log.bytes)
        }
        let lines = [Golden.end4, "12:00:01 " + HexTextTests.spaced(Golden.realtime5, " "), String(Golden.end4.prefix(40)), String(Golden.end4.dropFirst(40))]
        seeds.append(Array(lines.joined(separator: "\n").utf8))
        seeds.append(Array("[{\"a\": \"\(lines[0])\", \"b\": [1, true]}, {\"chunks\": [\"\(lines[2])\", \"\(lines[3])\"]}]\n{\"hex\": \"\(HexTextTests.spaced(Golden.realtime5, ":"))\"}".utf8))
        seeds.append(unhex(Golden.end4) + [1, 2] + unhex(Golden.realtime5))
        return seeds
    }

    @Test func noChangeOfBytesTrapsOrInventsAFrame() throws {
        var chance = Seeded(state: 7)
        for seed in try Self.seeds() {
            let good = Set(Findings(seed).frames)
            #expect(!good.isEmpty)
            for _ in 0..<400 {
                var bytes = seed
                for _ in 0..<Int.random(in: 1...6, using: &chance) {
                    let at = Int.random(in: 0..<bytes.count, using: &chance)
                    switch Int.random(in: 0..<5, using: &chance) {
                    case 0: bytes[at] = UInt8.random(in: 0...255, using: &chance)
                    case 1: bytes[at] = [0, 0xff, 0x7f, 0x80, 0xaa, 0x22, 0x5b, 0x7b].randomElement(using: &chance)!
                    case 2: bytes.removeSubrange(at..<min(bytes.count, at + Int.random(in: 1...40, using: &chance)))
                    case 3: bytes.insert(contentsOf: bytes[at..<min(bytes.count, at + 30)], at: at)
                    default: bytes[at] ^= 1 << UInt8.random(in: 0...7, using: &chance)
                    }
                    if bytes.isEmpty { bytes = [0] }
                }
                let found = Findings(bytes)
                // Both checksums of every frame held, so it is one that was there.
                #expect(Set(found.frames).subtracting(good) == [])
                #expect(found.report.frames == found.frames.count)
            }
        }
    }

    @Test func aCaptureMayEndAnywhere() throws {
        for seed in try Self.seeds() {
            let good = Findings(seed).frames
            for end in stride(from: 0, to: min(seed.count, 1500), by: seed.count > 2000 ? 7 : 1) {
                let found = Findings(Array(seed[..<end])).frames
                #expect(found.elementsEqual(good.prefix(found.count)))
            }
        }
    }

    @Test func noiseHoldsNoFrames() {
        var chance = Seeded(state: 1)
        for _ in 0..<200 {
            let noise = (0..<2000).map { _ in UInt8.random(in: 0...255, using: &chance) }
            #expect(Findings(noise).frames == [])
            for kind: UInt8 in [0xe9, 0xea, 0xd1] {
                let header: [UInt8] = Array("btsnoop".utf8) + [0, 0, 0, 0, 1, 0, 0, kind == 0xd1 ? 7 : 3, kind]
                #expect(Findings(header + noise).frames == [])
            }
        }
    }
}
