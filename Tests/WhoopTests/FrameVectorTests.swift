// Every frame of whoop4_frames.json and whoop5_frames.json: what is expected must be said, what is bad must be refused.
import Testing
import Wire
@testable import Whoop

@Suite struct FrameVectorTests {
    /// Labels of the vectors; numbers decide, names do not.
    static let labels: Set = ["packet_type_name", "event_name", "command", "result_name"]

    /// Every field of every vector is asserted, or must be absent because its value does not pass its gate.
    @Test func everyFrameSaysWhatItsVectorExpects() throws {
        for (file, entries) in try Vectors.frameFiles() {
            var agreed = 0, gated: [String: Int] = [:]
            for entry in entries where entry["valid"]?.bool == true {
                let id = entry["id"]?.string ?? "?"
                guard case .object(let expect)? = entry["expect"] else { Issue.record("\(id): no expectation"); continue }
                guard let fields = withFrame(entry["hex"]?.string ?? "", Vectors.family(entry), { decoded($0) }) else {
                    Issue.record("\(id) was refused")
                    continue
                }
                for (key, value) in expect where !Self.labels.contains(key) {
                    if let gate = Gates.refuses(key, value, expect) {
                        gated[gate, default: 0] += 1
                        #expect((fields[key] ?? .null) == .null, "\(id): \(key) \(value) does not pass its gate and must be absent")
                    } else if value == .null {
                        #expect((fields[key] ?? .null) == .null, "\(id): \(key) must be absent")
                    } else {
                        agreed += 1
                        #expect(fields[key]?.agrees(with: Gates.passing(key, value)) == true,
                                "\(id): \(key) is \(fields[key].map { "\($0)" } ?? "read by no view"), expected \(value)")
                    }
                }
            }
            print("\(file): \(agreed) fields agree; absent by gate: \(gated.map { "\($0.key) \($0.value)" }.sorted().joined(separator: ", "))")
            #expect(agreed > 0)
            // A view that loses a field, or a gate that grows, changes these.
            switch file {
            case "whoop4_frames": #expect(agreed == 4673 && gated.values.reduce(0, +) == 10)
            case "whoop5_frames": #expect(agreed == 4765 && gated.values.reduce(0, +) == 11)
            default: break
            }
        }
    }

    @Test func everyBadFrameIsRefused() throws {
        for (file, entries) in try Vectors.frameFiles() {
            let bad = entries.filter { $0["valid"]?.bool == false }
            if file == "whoop4_frames" || file == "whoop5_frames" { #expect(bad.count >= 10) }
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
    }
}
