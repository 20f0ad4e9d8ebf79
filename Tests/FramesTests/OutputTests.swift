// The program itself, as a person runs it: what its exit status says of its output.
import Foundation
import Testing

@Suite struct OutputTests {
    @Test func outputThatCannotBeWrittenIsNoSuccess() throws {
        // Beside the test bundle, where SwiftPM builds every program.
        let bundle = try #require(CommandLine.arguments.first { $0.hasSuffix(".xctest") })
        let program = URL(fileURLWithPath: bundle).deletingLastPathComponent().appendingPathComponent("nightstand-frames")
        let capture = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Vectors/captures/four.btsnoop")
        func status(_ output: String) throws -> Int32 {
            let decode = Process()
            decode.executableURL = program
            decode.arguments = ["decode", capture.path]
            decode.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
            decode.standardError = FileHandle.nullDevice
            try decode.run()
            decode.waitUntilExit()
            return decode.terminationStatus
        }
        #expect(try status("/dev/null") == 0)
        #expect(try status("/dev/full") == 74)
    }
}
