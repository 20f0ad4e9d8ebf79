// Owns the figures of ./deploy.sh bench: one a line, name, value and unit with tabs between. Measures the shipping path
// and says nothing else. Times are noisy; counts are not. board/bench adds the instructions, counted from outside:
//   nightstand-bench                        every figure but those
//   nightstand-bench --list                 the names of the work that instructions are counted of
//   nightstand-bench --only NAME --rounds N does that work N times and says nothing
import CCount
import CLinux
import Linux
import Whoop
import Wire

func figure(_ name: String, _ value: String, _ unit: StaticString) { say("\(name)\t\(value)\t\(unit)") }

/// The CPU's CRC-32 against the table's, on every length a frame can have and every alignment. An emulated CPU shows here
/// that its instruction is used rightly.
func crc32Mismatches() -> Int {
    var state: UInt64 = 1
    let noise = (0..<(Frame.longest + 16)).map { _ in
        state = state &* 6364136223846793005 &+ 1442695040888963407 // Knuth, MMIX
        return UInt8(truncatingIfNeeded: state >> 56)
    }
    var wrong = 0
    for length in 0...Frame.longest {
        for start in 0...15 {
            let some = noise.span.bytes.extracting(start..<(start + length))
            if crc32(some) != crc32ByTable(some) { wrong += 1 }
        }
    }
    return wrong
}

/// A number with one digit after the point.
func tenths(_ value: Double) -> String { "\(Int(value * 10) / 10).\(Int(value * 10) % 10)" }

func frameFigures(_ works: [Work]) {
    figure("crc32_instruction", "\(crc32Instruction)", "of this CPU")
    figure("crc32_mismatches", "\(crc32Mismatches())", "of all lengths and alignments, instruction against table")
    for work in works {
        let nanoseconds = work.nanoseconds()
        figure("nanoseconds_\(work.name)", tenths(nanoseconds), "ns a frame")
        figure("frames_\(work.name)", "\(nanoseconds > 0 ? Int(1e9 / nanoseconds) : 0)", "frames/s")
        figure("allocations_\(work.name)", "\(work.allocations())", "allocations in 10000 frames")
    }
}

/// False when the simulated strap did not get to serving history.
func pathFigures() -> Bool {
    for family in [Family.whoop4, Family.whoop5] {
        let number = family == .whoop4 ? "4" : "5"
        let path = QueuePath(family)
        guard path.warmUp(), let counted = path.count(frames: 10_000) else { return false }
        figure("allocations_socket_to_queue_\(number)", "\(counted.allocations)", "allocations in 10000 frames")
        figure("nanoseconds_socket_to_queue_\(number)", "\(counted.nanoseconds / 10_000)", "ns a frame, socket read included")
    }
    return true
}

func bench() -> Int32 {
    var arguments = Arguments(programArguments())
    let list = arguments.flag("--list"), only = arguments.option("--only"), rounds = arguments.option("--rounds")
    if let status = arguments.refuseRest(of: "nightstand-bench") { return status }
    guard let works = Work.all() else {
        complain("a frame of the benchmark is no frame")
        return EX_SOFTWARE
    }
    if list {
        for work in works { say(work.name) }
        return 0
    }
    if let only {
        guard let rounds = rounds.flatMap({ Int($0) }), let work = works.first(where: { $0.name == only }) else {
            complain("usage: nightstand-bench --only NAME --rounds N; NAME is one of --list")
            return EX_USAGE
        }
        return work.run(rounds) == 0 && rounds > 0 ? EX_SOFTWARE : 0
    }
    frameFigures(works)
    guard pathFigures() else {
        complain("the simulated strap did not get to serving history")
        return EX_SOFTWARE
    }
    return 0
}

exit(bench())
