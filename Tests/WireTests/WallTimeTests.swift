import Testing
import Wire

@Suite struct WallTimeTests {
    @Test(arguments: [(0, "1970-01-01T00:00:00Z"), (1_767_225_600, "2026-01-01T00:00:00Z"), (1_709_164_799, "2024-02-28T23:59:59Z"),
        (1_709_164_800, "2024-02-29T00:00:00Z"), (951_782_400, "2000-02-29T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"), (4_102_444_800, "2100-01-01T00:00:00Z")])
    func secondsAsACivilDate(seconds: Int, text: String) {
        #expect(WallTime(seconds: Int64(seconds)).utc == text)
        #expect(WallTime(utc: text) == WallTime(seconds: Int64(seconds)))
    }

    @Test(arguments: [("2026-01-01T01:00:00+01:00", 1_767_225_600_000), ("2025-12-31T19:30:00.25-04:30", 1_767_225_600_250), ("2026-01-01t00:00:00.0019z", 1_767_225_600_001)])
    func otherFormsOfATime(text: String, milliseconds: Int) { #expect(WallTime(utc: text)?.milliseconds == Int64(milliseconds)) }

    @Test(arguments: ["", "2026-01-01", "2026-01-01T00:00:00", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-01T24:00:00Z",
                      "2026-01-01T00:00:60Z", "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00Z ", "26-01-01T00:00:00Z", "2026-01-01T00:00:00+1:00", "-026-01-01T00:00:00Z"])
    func whatIsNoTime(text: String) { #expect(WallTime(utc: text) == nil) }
}
