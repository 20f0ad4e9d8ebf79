// Logs that other programs wrote (Tests/Vectors/captures): what the application above the stack saw is what is found.
import Capture
import Testing
import Whoop

@Suite struct RecordedLogTests {
    struct Log: CustomTestStringConvertible {
        var name: String
        var format: CaptureFormat
        var family: Family
        var recognition: Recognition
        /// The attribute of 2A37 is known.
        var knowsHeartRate: Bool
        /// There is a headset in it.
        var hasHeadset = true
        var testDescription: String { name }
    }

    static let logs = [
        Log(name: "four", format: .btsnoopSerial, family: .whoop4, recognition: .discovery, knowsHeartRate: true),
        Log(name: "five-mtu23", format: .btsnoopSerial, family: .whoop5, recognition: .discovery, knowsHeartRate: true),
        Log(name: "five-late", format: .btsnoopSerial, family: .whoop5, recognition: .frames, knowsHeartRate: false),
        Log(name: "btmon", format: .btsnoopMonitor, family: .whoop4, recognition: .discovery, knowsHeartRate: true, hasHeadset: false),
    ]

    @Test(arguments: logs)
    func everyFrameAndNothingElseIsFound(log: Log) throws {
        let lines = try Vectors.text("captures/\(log.name).frames").split(separator: "\n")
        func expected(_ mark: String) -> [String] { lines.filter { $0.hasPrefix(mark) }.map { String($0.dropFirst(2)) } }
        let found = Findings(try Vectors.bytes("captures/\(log.name).btsnoop"))
        func frames(_ direction: Direction) -> [String] {
            zip(found.frames, found.places).filter { $0.1.direction == direction }.map(\.0)
        }
        #expect(found.report.format == log.format)
        #expect(frames(.strapToApp) == expected("<") && !expected("<").isEmpty)
        #expect(frames(.appToStrap) == expected(">") && !expected(">").isEmpty)
        #expect(found.heartRates == (log.knowsHeartRate ? expected("h") : []))
        #expect(found.families.allSatisfy { $0 == log.family })
        #expect(found.report.straps.map(\.recognition) == [log.recognition])
        #expect(found.report.otherLinks == (log.hasHeadset ? 1 : 0))
        var troubles: Set<Trouble.Reason> = []
        if log.hasHeadset { troubles.insert(.notAStrap) }
        if !log.knowsHeartRate { troubles.insert(.unnamedAttribute) }
        #expect(Set(found.report.troubles.map(\.reason)) == troubles)
        if !log.knowsHeartRate { #expect(found.report.count(of: .unnamedAttribute) >= expected("h").count) }
        // Recorded this decade, in order.
        let times = found.places.compactMap(\.time_us)
        #expect(times.count == found.frames.count && times == times.sorted())
        #expect(times.allSatisfy { $0 > 1_700_000_000_000_000 && $0 < 2_000_000_000_000_000 })
    }
}
