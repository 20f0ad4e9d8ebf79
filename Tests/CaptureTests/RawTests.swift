// Raw bytes: frames one after the other, and what lies between.
import Capture
import Testing
import Whoop

@Suite struct RawTests {
    @Test func everyVectorOfBothFamiliesComesBackFromOneFile() throws {
        let frames = zip(try Vectors.frames(.whoop5), try Vectors.frames(.whoop4)).flatMap { [$0, $1] }
        let found = Findings(frames.flatMap { unhex($0) })
        #expect(found.report.format == .raw)
        #expect(found.frames == frames)
        #expect(found.troubles == [])
        var offset = 0
        for (frame, place) in zip(frames, found.places) {
            #expect(place.unit == .byte && place.number == offset)
            offset += frame.count / 2
        }
    }

    @Test func junkIsCountedAndSaidWhere() {
        let end = unhex(Golden.end4)
        let found = Findings(end + [1, 2, 3] + end + [0, 0, 0, 0] + [0xaa] + end + [0xaa, 0x1c])
        #expect(found.frames == [Golden.end4, Golden.end4, Golden.end4])
        #expect(found.places.map(\.number) == [0, 35, 72])
        #expect(found.troubles == ["byte 32: 4 bytes from here on that belong to no frame", "byte 104: a frame begins and never ends"])
    }

    @Test func aDamagedFrameDoesNotHideTheNext() {
        let end = unhex(Golden.end4)
        var bad = end
        bad[20] ^= 1
        let found = Findings(end + bad + end)
        #expect(found.frames.count == 2)
        #expect(found.troubles == ["byte 32: CRC-32 wrong"])
    }

    @Test func aHeaderWhoseFrameEndsBehindTheFileHidesNothing() {
        // A header that holds and claims 4,092 bytes.
        let found = Findings([0xaa, 0xfc, 0x0f, 0xc5] + unhex(Golden.end4) + unhex(Golden.realtime5))
        #expect(found.frames == [Golden.end4, Golden.realtime5])
        #expect(found.places.map(\.number) == [4, 36])
        #expect(found.troubles == ["byte 0: a frame begins and never ends"])
    }
}
