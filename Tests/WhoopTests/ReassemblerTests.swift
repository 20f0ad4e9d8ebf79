// Putting frames together: the vectors of fragments.json, and that where the cuts fall never matters.
import Testing
import Wire
@testable import Whoop

/// What came of feeding notifications.
struct Outcome: Equatable {
    var frames: [String] = []
    var perChunk: [Int] = []
    var damaged: UInt32 = 0
    var dropped: UInt32 = 0
}

func feed(_ chunks: [[UInt8]], _ family: Family) -> Outcome {
    let reassembler = Reassembler(family: family)
    var outcome = Outcome()
    for chunk in chunks {
        let before = outcome.frames.count
        reassembler.feed(chunk.span.bytes) { outcome.frames.append(hex($0.bytes)) }
        outcome.perChunk.append(outcome.frames.count - before)
    }
    outcome.damaged = reassembler.damaged
    outcome.dropped = reassembler.dropped
    return outcome
}

@Suite struct ReassemblerTests {
    static func chunks(_ entry: JSON) -> [[UInt8]] { (entry["chunks"]?.array ?? []).map { unhex($0.string ?? "") } }
    static func expected(_ entry: JSON) -> [String] { (entry["expect_frames"]?.array ?? []).compactMap(\.string) }

    @Test func everyVectorYieldsItsFramesWithItsChunks() throws {
        let entries = try Vectors.load("fragments")
        #expect(entries.count == 40)
        for entry in entries {
            let outcome = feed(Self.chunks(entry), Vectors.family(entry))
            #expect(outcome.frames == Self.expected(entry), "\(entry["id"] ?? .null)")
            #expect(outcome.perChunk == entry["expect_per_chunk"]?.array?.compactMap(\.int), "\(entry["id"] ?? .null)")
        }
    }

    @Test func whereAStreamIsCutNeverMatters() throws {
        for entry in try Vectors.load("fragments") {
            let stream = Self.chunks(entry).flatMap { $0 }
            let family = Vectors.family(entry)
            let whole = feed([stream], family)
            #expect(whole.frames == Self.expected(entry), "\(entry["id"] ?? .null)")
            // Long streams at every 61st place.
            for cut in stride(from: 0, through: stream.count, by: stream.count > 2000 ? 61 : 1) {
                let two = feed([Array(stream[..<cut]), Array(stream[cut...])], family)
                #expect(two.frames == whole.frames && two.damaged == whole.damaged && two.dropped == whole.dropped, "\(entry["id"] ?? .null) cut at \(cut)")
            }
            let bytewise = feed(stream.map { [$0] }, family)
            #expect(bytewise.frames == whole.frames && bytewise.damaged == whole.damaged && bytewise.dropped == whole.dropped, "\(entry["id"] ?? .null) bytewise")
        }
    }

    @Test(arguments: [("whoop4_frames", Family.whoop4), ("whoop5_frames", .whoop5)])
    func allFramesInOneStreamComeBackFromAnyNotificationSize(file: String, family: Family) throws {
        let frames = try Vectors.load(file).filter { $0["valid"]?.bool == true }.compactMap { $0["hex"]?.string }
        let stream = unhex("aaaa00") + frames.flatMap { unhex($0) }
        for size in [1, 20, 244, 509, stream.count] {
            let chunks = stride(from: 0, to: stream.count, by: size).map { Array(stream[$0..<min($0 + size, stream.count)]) }
            let outcome = feed(chunks, family)
            #expect(outcome.frames == frames)
            #expect(outcome.damaged == 0)
            #expect(outcome.dropped == 2)
        }
    }

    @Test func aFrameThatArrivedWholeIsReadWhereItLies() {
        let reassembler = Reassembler(family: .whoop4)
        let notification = unhex("aa100057307e0900c2e96e67685d0000a2a61c12")
        var frames = 0
        notification.withUnsafeBytes { there in
            reassembler.feed(there.bytes) { frame in
                frames += 1
                frame.bytes.withUnsafeBytes { #expect($0.baseAddress == there.baseAddress) }
            }
        }
        #expect(frames == 1)
    }

    @Test func aLengthBeyondTheLongestIsNotBelieved() {
        for (counted, check) in [(4092, .partial(needed: 4096)), (4093, .notAFrame), (4, .notAFrame), (5, .partial(needed: 9))] as [(Int, Frame.Check)] {
            let length = [UInt8(counted & 0xff), UInt8(counted >> 8)]
            let header = [0xaa] + length + [crc8(length.span.bytes)]
            #expect(Frame.check(header.span.bytes, family: .whoop4) == check)
        }
    }

    @Test func aFlippedLengthIsFoundByTheHeaderAlone() {
        let frame = unhex("aa100057307e0900c2e96e67685d0000a2a61c12")
        for bit in 0..<16 {
            var bad = frame
            bad[1 + bit / 8] ^= 1 << (bit % 8)
            #expect(Frame.check(bad.span.bytes, family: .whoop4) == .notAFrame)
        }
    }

    @Test func aFlippedInnerByteIsFoundByTheChecksum() {
        let frame = unhex("aa100057307e0900c2e96e67685d0000a2a61c12")
        for i in 4..<frame.count {
            var bad = frame
            bad[i] ^= 0x10
            #expect(Frame.check(bad.span.bytes, family: .whoop4) == .damaged(length: 20))
        }
    }

    @Test func aFrameOfAnUnknownRevisionIsHandedOverAndNotDecoded() {
        var frame = unhex("aa01100001002081300709006603556aa350000070131d21")
        frame[1] = 2
        let crc = crc16(Array(frame[..<6]).span.bytes)
        frame[6] = UInt8(crc & 0xff)
        frame[7] = UInt8(crc >> 8)
        let reassembler = Reassembler(family: .whoop5)
        var seen = 0
        reassembler.feed(frame.span.bytes) {
            seen += 1
            let (known, decodes) = ($0.isKnownRevision, Event($0) != nil)
            #expect(!known && !decodes)
        }
        #expect(seen == 1)
    }

    @Test func whatIsAbandonedDoesNotSwallowWhatFollowed() {
        let event = "aa100057307e0900c2e96e67685d0000a2a61c12"
        let reassembler = Reassembler(family: .whoop4)
        var frames: [String] = []
        // A record of 104 bytes of which one notification was lost, and then one frame: fewer bytes than it waits for.
        let cut = unhex("aa6400a12f18054c1c0a02") + unhex(event)
        reassembler.feed(cut.span.bytes) { frames.append(hex($0.bytes)) }
        #expect(frames.isEmpty && reassembler.waiting == 31)
        reassembler.abandon { frames.append(hex($0.bytes)) }
        #expect(frames == [event] && reassembler.waiting == 0)
    }

    @Test func aResetForgetsTheBeginning() {
        let event = unhex("aa100057307e0900c2e96e67685d0000a2a61c12")
        let reassembler = Reassembler(family: .whoop4)
        var frames = 0
        let beginning = Array(event[..<7])
        reassembler.feed(beginning.span.bytes) { _ in frames += 1 }
        reassembler.reset()
        reassembler.feed(event.span.bytes) { _ in frames += 1 }
        #expect(frames == 1)
    }

    @Test func aResetFromWithinIsSafe() {
        let event = unhex("aa100057307e0900c2e96e67685d0000a2a61c12")
        let reassembler = Reassembler(family: .whoop4)
        var frames = 0
        let beginning = Array(event[..<7])
        reassembler.feed(beginning.span.bytes) { _ in frames += 1 }
        let rest = Array(event[7...] + event)
        reassembler.feed(rest.span.bytes) { _ in
            frames += 1
            reassembler.reset()
        }
        #expect(frames == 2 && reassembler.waiting == 0)
    }
}
