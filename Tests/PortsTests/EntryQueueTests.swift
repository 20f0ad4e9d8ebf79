// A queue between two threads loses nothing, changes nothing, and says when it is full.
import Foundation
import Ports
import Testing
import Wire

@Suite struct EntryQueueTests {
    private static let stamp = Stamp(monotonic: Instant(milliseconds: 1), wall: WallTime(milliseconds: 2), trusted: true)

    /// Bytes that tell which message they belong to.
    private static func bytes(_ i: UInt32, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: Int(i) &* 31 &+ $0 &* 7) }
    }

    @Test func messagesComeOutInOrderAndUnchangedAcrossTheEnd() {
        let queue = EntryQueue(capacity: 1000)
        var pushed: UInt32 = 0, popped: UInt32 = 0
        // Sizes that meet the end of the memory everywhere.
        for _ in 0..<1000 {
            while pushed - popped < 100,
                  queue.push(.moment(Self.stamp, .button, ticket: pushed), Self.bytes(pushed, Int(pushed % 117)).span.bytes) { pushed += 1 }
            #expect(pushed > popped)
            for _ in 0...(popped % 3) {
                _ = queue.pop { entry, bytes in
                    #expect(entry.ticket == popped)
                    let same = bytes.equals(Self.bytes(popped, Int(popped % 117)).span.bytes)
                #expect(same)
                    popped += 1
                }
            }
        }
        var isLeft = true
        while isLeft {
            isLeft = queue.pop { entry, _ in
                #expect(entry.ticket == popped)
                popped += 1
            }
        }
        #expect(popped == pushed && queue.isEmpty)
    }

    @Test func aFullQueueRefusesAndKeepsWhatItHas() {
        let queue = EntryQueue(capacity: 4096)
        var taken: UInt32 = 0
        while taken < 100, queue.push(.moment(Self.stamp, .button, ticket: taken), Self.bytes(taken, 100).span.bytes) { taken += 1 }
        #expect(taken > 20 && taken < 42)
        for count in [100, 8000] {
            let fits = queue.push(.reason(Self.stamp), Self.bytes(0, count).span.bytes)
            #expect(!fits)
        }
        for i in 0..<taken {
            let isThere = queue.pop { entry, bytes in
                let count = bytes.byteCount
                #expect(entry.ticket == i && count == 100)
            }
            #expect(isThere)
        }
        let isThere = queue.pop { _, _ in }
        #expect(!isThere)
        let fits = queue.push(.reason(Self.stamp), Self.bytes(0, 2000).span.bytes)
        #expect(fits)
    }

    @Test func theLongestFrameFits() {
        let queue = EntryQueue(capacity: 256 << 10)
        var count = 0
        while count < 100, queue.push(.historyFrame(Self.stamp), Self.bytes(9, 4096).span.bytes) { count += 1 }
        #expect(count == 63)
    }

    @Test func twoThreadsLoseNothing() {
        let queue = EntryQueue(capacity: 8192)
        let messages: UInt32 = 40_000
        let producer = Thread {
            var i: UInt32 = 0
            while i < messages {
                if queue.push(.moment(Self.stamp, .command, ticket: i), Self.bytes(i, Int(i % 200)).span.bytes) { i += 1 } else { sched_yield() }
            }
        }
        producer.start()
        var next: UInt32 = 0
        var wrong = 0
        while next < messages {
            let got = queue.pop { entry, bytes in
                if entry.ticket != next || bytes.byteCount != Int(next % 200) { wrong += 1 }
                if bytes.byteCount > 0, bytes.u8(at: bytes.byteCount - 1) != UInt8(truncatingIfNeeded: Int(next) &* 31 &+ (bytes.byteCount - 1) &* 7) { wrong += 1 }
                next += 1
            }
            if !got { sched_yield() }
        }
        #expect(wrong == 0 && queue.isEmpty)
    }
}

extension Entry {
    fileprivate var ticket: UInt32? {
        if case .moment(_, _, let ticket) = self { ticket } else { nil }
    }
}
