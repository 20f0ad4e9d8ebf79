// Owns finding the hex in a line of text that people and programs wrote: with or without blanks, colons, dashes, commas
// or `0x` between the bytes, behind a time, a label or an offset. What counts is the last run of at least eight bytes.
import Wire

/// The hex of one line, as offsets into it.
struct HexLine {
    /// The last run of at least eight bytes.
    private(set) var best: Range<Int>?
    /// The run with which the line ends, however short: the end of a frame that began on another line.
    private(set) var tail: Range<Int>?
    /// Whether there is a long run that cannot be bytes.
    private(set) var hasOddRun = false

    /// Eight bytes; the shortest frame has twelve, and times and labels have fewer.
    private static var shortest: Int { 16 }
    /// Digits of the widest group that goes on behind a blank: dumps show at most eight bytes in one.
    private static var widestGroup: Int { 16 }

    /// Groups of digits that go together: all of one width, the last perhaps narrower, with one kind of separator.
    private struct Run {
        var from: Int
        var to: Int
        var digits: Int
        var width: Int
        var separator: UInt8?
        var lastFrom: Int
        var lastWidth: Int

        init(_ group: Range<Int>) {
            from = group.lowerBound
            to = group.upperBound
            digits = group.count
            width = group.count
            separator = nil
            lastFrom = group.lowerBound
            lastWidth = group.count
        }
    }

    init(_ line: RawSpan) {
        var run: Run?
        var at = 0
        var end = 0
        while at < line.byteCount {
            guard isWordCharacter(line.u8(at: at)) else { at += 1; continue }
            let start = at
            while at < line.byteCount, isWordCharacter(line.u8(at: at)) { at += 1 }
            guard let group = group(line, start, at) else { run = nil; continue }
            run = joined(run, group, separator(line, end, start))
            end = at
            if let run, run.digits >= Self.shortest { best = run.from..<run.to }
        }
        // Behind the tail only what is no word.
        if let run, run.to == end { tail = run.from..<run.to }
    }

    /// The digits of the word `from..<to`, without its prefix; nil when it is no bytes.
    private mutating func group(_ line: RawSpan, _ from: Int, _ to: Int) -> Range<Int>? {
        var start = from
        if line.u8(at: from) == 0x30, line.u8(at: from + 1) | 0x20 == 0x78, to - from > 2 { start += 2 }
        for i in start..<to where hexDigit(line.u8(at: i)) == nil { return nil }
        // A part of a decimal fraction is no bytes.
        if from > 0, line.u8(at: from - 1) == 0x2e { return nil }
        guard (to - start) % 2 == 0 else {
            if to - start > Self.shortest { hasOddRun = true }
            return nil
        }
        return start..<to
    }

    /// The run that goes on with `group`, or the one that begins with it.
    private func joined(_ run: Run?, _ group: Range<Int>, _ separator: UInt8?) -> Run {
        guard var run, let separator, run.separator == nil || run.separator == separator, run.width <= Self.widestGroup,
            group.count <= run.lastWidth
        else { return Run(group) }
        // An offset or a label, narrower or wider than what follows, is not a part of it.
        if run.lastWidth < run.width {
            run.from = run.lastFrom
            run.digits = run.lastWidth
            run.width = run.lastWidth
        }
        run.to = group.upperBound
        run.digits += group.count
        run.separator = separator
        run.lastFrom = group.lowerBound
        run.lastWidth = group.count
        return run
    }

    /// What lies between two groups: a blank, or one of `:` `-` `,` perhaps with blanks behind a comma; nil for anything else.
    private func separator(_ line: RawSpan, _ from: Int, _ to: Int) -> UInt8? {
        var found: UInt8 = 0x20
        for i in from..<max(from, to) {
            let c = line.u8(at: i)
            switch c {
            case 0x20, 0x09: if found == 0x3a || found == 0x2d { return nil }
            case 0x3a, 0x2d: if to - from != 1 { return nil } else { found = c }
            case 0x2c: if found == 0x2c { return nil } else { found = c }
            default: return nil
            }
        }
        return found
    }

    private func isWordCharacter(_ c: UInt8) -> Bool {
        switch c {
        case 0x30...0x39, 0x41...0x5a, 0x5f, 0x61...0x7a, 0x80...0xff: true
        default: false
        }
    }
}
