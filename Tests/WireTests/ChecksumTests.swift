import Testing
@testable import Wire

@Suite struct ChecksumTests {
    static let digits: [UInt8] = Array("123456789".utf8)

    @Test func crc8OfTheCheckString() { #expect(crc8(Self.digits.span.bytes) == 0xf4) }
    @Test func crc16OfTheCheckString() { #expect(crc16(Self.digits.span.bytes) == 0x4b37) }
    @Test func crc32OfTheCheckString() { #expect(crc32(Self.digits.span.bytes) == 0xcbf4_3926) }
    @Test func crc32OfNothingIsZero() { #expect(crc32([UInt8]().span.bytes) == 0) }
}
