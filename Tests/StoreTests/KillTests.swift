// A writer that is killed at any moment leaves a whole ring with everything it said was stored.
import Foundation
import Ports
@testable import Store
import Testing
import Wire

@Suite struct KillTests {
    @Test func whatWasAcknowledgedIsThereAfterEveryKill() throws {
        let folder = try Folder()
        let program = try #require(Self.program)
        var next = 0, kills = 0, unacknowledged = 0
        var generator = SystemRandomNumberGenerator()
        while kills < 60 {
            let writer = Process()
            writer.executableURL = program
            writer.arguments = [folder.ring, "\(next)"]
            let pipe = Pipe()
            writer.standardOutput = pipe
            try writer.run()
            usleep(UInt32.random(in: 5_000...200_000, using: &generator))
            kill(writer.processIdentifier, SIGKILL)
            let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            writer.waitUntilExit()
            #expect(writer.terminationReason == .uncaughtSignal, "\(writer.terminationStatus)")
            kills += 1

            // Only whole lines count: a ticket cut short was not told.
            let told = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().compactMap { Int($0) }
            #expect(told == Array(next..<(next + told.count)))
            next += told.count
            guard FileManager.default.fileExists(atPath: folder.ring) else {
                #expect(next == 0)
                continue
            }
            let database = try Database(path: folder.ring, .existing)
            #expect(try database.text("PRAGMA integrity_check") == "ok")
            let records = Int(try database.integer("SELECT count(*) FROM record") ?? 0)
            let distinct = Int(try database.integer("SELECT count(DISTINCT counter) FROM record") ?? 0)
            let after = Int(try database.integer("SELECT max(counter) + 1 FROM record") ?? -1)
            #expect(records == distinct && records == after && records % 50 == 0)
            #expect(records >= next * 50, "acknowledged \(next) bursts, stored \(records / 50)")
            // At most the burst under way is there without having been told.
            #expect(records <= (next + 1) * 50)
            #expect(Int(try database.integer("SELECT count(*) FROM burst") ?? 0) == records / 50)
            if records > next * 50 { unacknowledged += 1 }
        }
        print("kills: \(kills), bursts acknowledged \(next), stored but not told \(unacknowledged) times, files \(folder.names)")
        #expect(next > 60)
        #expect(folder.names.allSatisfy { !$0.contains("broken") && !$0.contains("foreign") })
    }

    /// The writer lies where the tests were built.
    private static var program: URL? {
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        var places = [folder]
        for argument in CommandLine.arguments where argument.contains(".xctest") {
            folder = URL(fileURLWithPath: argument).deletingLastPathComponent()
            places.append(folder)
        }
        return places.map { $0.appendingPathComponent("RingWriter") }.first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }
}
