// Owns the strap's ring of flash: which seconds are recorded, what has been released, and the burst that is served next.
// A burst stays until it is released with its own token. Records are made from the wearer when they are served.
import Whoop
import Wire

/// What is served between one START and its END.
struct ServedBurst {
    /// Whole frames, without START and END.
    var frames: [[UInt8]]
    /// Whole frames; made by the strap for a burst of its own, as captured for a captured one.
    var start: [UInt8]
    var end: [UInt8]
    /// The eight bytes of the END, little-endian.
    var token: UInt64
    /// Records, for progress.
    var records: Int
    /// The first counter after the burst; 0 for a captured one.
    var through: UInt32
}

struct Flash {
    /// Consecutive seconds, one record each.
    private struct Run { var counter: UInt32; var unix: UInt32; var count: UInt32 }

    /// Records on one page (WHOOP.md 5.7) and pages of the ring.
    static let perPage: UInt32 = 10
    static let pages: UInt32 = 131_072
    /// Pages in a burst, as in 249 of 263 bursts of a real night.
    static let burstPages: UInt32 = 5

    private var runs: [Run] = []
    /// The counter that the next record gets.
    private(set) var next: UInt32
    /// Records before this one are released.
    private(set) var trim: UInt32
    /// Captured bursts, served first.
    var captured: [ServedBurst] = []
    /// Events that are replayed with the next burst: when, number, body.
    var events: [(time: UInt32, number: UInt16, body: [UInt8])] = []

    init(firstCounter: UInt32) {
        next = firstCounter
        trim = firstCounter
    }

    mutating func record(unix: UInt32) {
        if let last = runs.last, last.unix &+ last.count == unix {
            runs[runs.count - 1].count += 1
        } else {
            runs.append(Run(counter: next, unix: unix, count: 1))
        }
        next += 1
    }

    /// Seconds recorded in a row, ending before `unix`.
    mutating func record(seconds: UInt32, before unix: UInt32) {
        runs.append(Run(counter: next, unix: unix &- seconds, count: seconds))
        next += seconds
    }

    /// Everything before this counter is released already.
    mutating func release(before counter: UInt32) { trim = min(max(trim, counter), next) }

    func unix(of counter: UInt32) -> UInt32? {
        for run in runs.reversed() where counter >= run.counter { return counter < run.counter + run.count ? run.unix &+ (counter - run.counter) : nil }
        return nil
    }

    /// Records on full pages that have not been released. A page that is not full yet is not served.
    var pending: UInt32 { next / Self.perPage * Self.perPage > trim ? next / Self.perPage * Self.perPage - trim : 0 }
    var isEmpty: Bool { captured.isEmpty && pending == 0 }

    var oldest: UInt32? { pending > 0 ? unix(of: trim) : nil }
    var newest: UInt32? { next > 0 ? unix(of: next - 1) : nil }

    /// Counters of the burst that is served next.
    var nextCounters: Range<UInt32>? {
        guard pending > 0 else { return nil }
        let firstPage = trim / Self.perPage
        let lastPage = min(firstPage + Self.burstPages, next / Self.perPage)
        return trim..<(lastPage * Self.perPage)
    }

    /// The trim page after a counter, in the low, and the wrap count in the high word.
    static func token(after counter: UInt32) -> UInt64 {
        let page = counter / perPage
        return UInt64(page / pages) << 32 | UInt64(page % pages)
    }
}
