// A second daemon never takes the first one's socket away.
import Foundation
import Ports
import Testing
import Wire
@testable import Linux

private final class StillClock: Ports.Clock {
    let now = Wire.Instant(milliseconds: 0)
    let wall = WallTime(seconds: 0)
    let trusted = false
    let utcOffset_s = 0
}

struct ControlSocketTests {
    @Test func aSocketWhoseQueueOfCallersIsFullIsInUse() throws {
        let path = NSTemporaryDirectory() + "nightstand-\(UUID().uuidString.prefix(8))"
        defer { unlink(path) }
        func end() -> Int32 { socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0) }
        func with(_ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
            var address = socketAddress(path)!
            return withUnsafeBytes(of: &address) { call($0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count)) }
        }
        var ends = [end()]
        defer { for one in ends { close(one) } }
        #expect(with { bind(ends[0], $0, $1) } == 0 && listen(ends[0], 0) == 0)
        repeat { ends.append(end()) } while with { connect(ends.last!, $0, $1) } == 0
        let loop = try EventLoop(clock: StillClock())
        #expect(throws: SystemError("", EADDRINUSE)) { _ = try ControlSocket(path, loop: loop, group: "") { _ in "" } }
        #expect(access(path, F_OK) == 0)
    }
}
