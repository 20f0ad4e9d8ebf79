// Owns the gates of WHOOP.md 8.12 as the tests know them, apart from the product's. The vectors hold what was sent; views
// say what can be true.
import Testing

enum Gates {
    /// The gate that an expected value does not pass, or nil.
    static func refuses(_ key: String, _ value: JSON, _ expect: [String: JSON]) -> String? {
        guard value != .null else { return nil }
        let number = value.number ?? 0
        func unless(_ passes: Bool) -> String? { passes ? nil : key }
        switch key {
        case "hr": return unless(number >= 25 && number <= 230)
        case "activity_u8": return unless(number <= 2)
        case "motion_f32": return unless(number >= 0 && number <= 16)
        case "gravity":
            let parts = (value.array ?? []).compactMap(\.number)
            let square = parts.reduce(0) { $0 + $1 * $1 }
            return unless(expect["record_version"]?.int == 18 ? parts.allSatisfy { abs($0) <= 16 } : square >= 0.25 && square <= 3.24)
        case "led_raw": return unless(number >= 50 && number <= 450)
        case "skin_temp_raw" where expect["record_version"]?.int == 18: return unless(number >= 500 && number <= 4500)
        case "temp_aux_1_raw", "temp_aux_2_raw": return unless(number >= -400 && number <= 1000)
        case "battery_pct": return expect["result"]?.int == 3 ? "battery unsupported" : unless(number >= 0 && number <= 100)
        case "battery_mv": return unless(number >= 3000 && number <= 4500)
        case "pack_soc_pct": return unless(number >= 0 && number <= 100)
        case "dc_u32": return unless(number <= 524_287 || number >= 4_294_443_008)
        case "oldest_unix", "newest_unix":
            return unless(number >= 1_700_000_000 && (key != "oldest_unix" || number <= expect["newest_unix"]?.number ?? number))
        case "hello_unix", "hello_subsec", "serial", "fw_version":
            return expect["cmd"] != nil && expect["result"]?.int != 1 ? "hello without success" : nil
        default: return nil
        }
    }

    /// What of an expected value a view is to say: of intervals, those from 200 to 2500 ms.
    static func passing(_ key: String, _ value: JSON) -> JSON {
        // The vectors write a code with sign as a number without.
        if key == "dc_u32", let code = value.number, code >= 2_147_483_648 { return .number(code - 4_294_967_296) }
        guard key == "rr", case .array(let intervals) = value else { return value }
        return .array(intervals.filter { ($0.number ?? 0) >= 200 && ($0.number ?? 0) <= 2500 })
    }
}
