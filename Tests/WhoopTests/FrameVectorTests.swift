// Every frame of whoop4_frames.json and whoop5_frames.json: what is expected must be said, what is bad must be refused.
import Testing
import Wire
@testable import Whoop

@Suite struct FrameVectorTests {
    /// Labels of the vectors; numbers decide, names do not.
    static let labels: Set = ["packet_type_name", "event_name", "command", "result_name"]

    /// Fields asserted, required absent by a gate, and read by no view yet. A view that loses a field changes these.
    @Test(arguments: [("whoop4_frames", 3655, 9, 1019), ("whoop5_frames", 3817, 11, 950)])
    func everyFrameSaysWhatItsVectorExpects(file: String, asserted: Int, absent: Int, unread: Int) throws {
        var agreed = 0, gated: [String: Int] = [:], open: [String: [String: Int]] = [:]
        for entry in try Vectors.load(file) where entry["valid"]?.bool == true {
            let id = entry["id"]?.string ?? "?"
            guard case .object(let expect)? = entry["expect"] else { Issue.record("\(id): no expectation"); continue }
            guard let fields = withFrame(entry["hex"]?.string ?? "", Vectors.family(entry), { decoded($0) }) else {
                Issue.record("\(id) was refused")
                continue
            }
            for (key, value) in expect where !Self.labels.contains(key) {
                if let ours = fields[key] {
                    if let gate = Self.gate(key, value, expect) {
                        gated[gate, default: 0] += 1
                        #expect(ours == .null, "\(id): \(key) \(value) does not pass its gate and must be absent")
                    } else {
                        agreed += 1
                        #expect(ours.agrees(with: value), "\(id): \(key) is \(ours), expected \(value)")
                    }
                } else if value != .null {
                    let sub = expect["record_version"] ?? expect["cmd"]
                    open["type \(expect["packet_type"]?.int ?? 0)" + (sub.map { " / \($0.int ?? 0)" } ?? ""), default: [:]][Self.series(key), default: 0] += 1
                }
            }
        }
        let count = open.values.flatMap(\.values).reduce(0, +)
        print("\(file): \(agreed) fields agree; absent by gate: \(gated.map { "\($0.key) \($0.value)" }.sorted().joined(separator: ", "))")
        print("\(file): \(count) fields not asserted, because no view reads them:")
        for (kind, keys) in open.sorted(by: { $0.key < $1.key }) {
            print("  \(kind): \(keys.map { "\($0.key) \($0.value)" }.sorted().joined(separator: ", "))")
        }
        #expect(agreed == asserted)
        #expect(gated.values.reduce(0, +) == absent)
        #expect(count == unread)
    }

    @Test(arguments: ["whoop4_frames", "whoop5_frames"])
    func everyBadFrameIsRefused(file: String) throws {
        let bad = try Vectors.load(file).filter { $0["valid"]?.bool == false }
        #expect(bad.count >= 10)
        for entry in bad {
            let frame = unhex(entry["hex"]?.string ?? "")
            let family = Vectors.family(entry)
            #expect(withFrame(frame, family) { _ in true } == nil, "\(entry["id"] ?? .null) was taken")
            // The header's verdict alone: with a good one there is a length to wait for or a frame to find damaged.
            let headerHolds = entry["expect"]?["header_crc_ok"]?.bool == true
            switch Frame.check(frame.span.bytes, family: family) {
            case .notAFrame: #expect(!headerHolds || frame.count == 8, "\(entry["id"] ?? .null)")
            case .damaged, .whole: #expect(headerHolds, "\(entry["id"] ?? .null)")
            case .partial(let needed): #expect(headerHolds == (needed > family.headerLength), "\(entry["id"] ?? .null)")
            }
        }
    }

    /// A gate that an expected value does not pass, or nil. The vectors hold what was sent; views say what can be true.
    static func gate(_ key: String, _ value: JSON, _ expect: [String: JSON]) -> String? {
        switch key {
        case "hr": (value.int ?? 0) < 25 || (value.int ?? 0) > 230 ? "hr" : nil
        case "battery_pct": expect["result"]?.int == 3 ? "battery unsupported" : nil
        case "activity_u8": (value.int ?? 0) > 2 ? "activity" : nil
        case "hello_unix", "hello_subsec", "serial", "fw_version":
            expect["cmd"] != nil && expect["result"]?.int != 1 && value != .null ? "hello without success" : nil
        default: nil
        }
    }

    /// `accel_x_first` and its like under one name.
    static func series(_ key: String) -> String {
        for prefix in ["accel_", "gyro_", "ch_"] where key.hasPrefix(prefix) { return prefix + "…" }
        return key
    }
}
