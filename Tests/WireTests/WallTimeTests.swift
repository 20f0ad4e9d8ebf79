import Testing
import Wire

@Suite struct WallTimeTests {
    @Test(arguments: [(0, "1970-01-01T00:00:00Z"), (1_767_225_600, "2026-01-01T00:00:00Z"), (1_709_164_799, "2024-02-28T23:59:59Z"),
        (1_709_164_800, "2024-02-29T00:00:00Z"), (951_782_400, "2000-02-29T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"), (4_102_444_800, "2100-01-01T00:00:00Z")])
    func secondsAsACivilDate(seconds: Int, text: String) { #expect(WallTime(seconds: Int64(seconds)).utc == text) }
}
