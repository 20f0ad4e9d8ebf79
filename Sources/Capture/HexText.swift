// Owns reading text with a notification, or a whole frame, on each line. Empty lines and what follows a `#` are passed over.
import Wire

struct HexText {
    private let intake: Intake
    private let finder: FrameFinder
    private let digits: HexDigits

    init(_ intake: Intake) {
        self.intake = intake
        finder = FrameFinder(intake)
        digits = HexDigits(finder)
    }

    func read(_ bytes: RawSpan) {
        intake.report.format = .hexText
        var number = 0
        var at = afterByteOrderMark(bytes)
        while at < bytes.byteCount {
            let start = at
            while at < bytes.byteCount, bytes.u8(at: at) != 0x0a { at += 1 }
            number += 1
            take(bytes.extracting(start..<at), Place(.line, number))
            at += 1
        }
        intake.report.length = number
        finder.finish()
    }

    private func take(_ whole: RawSpan, _ place: Place) {
        var end = 0
        var isEmpty = true
        while end < whole.byteCount, whole.u8(at: end) != 0x23 {
            if !isBlank(whole.u8(at: end)) { isEmpty = false }
            end += 1
        }
        if isEmpty { return }

        let text = whole.extracting(first: end)
        let line = HexLine(text)
        if let range = line.best ?? (finder.isWaiting ? line.tail : nil) {
            digits.feed(text.extracting(range), at: place)
        } else {
            intake.note(line.hasOddRun ? .oddDigits : .notHex, at: place)
        }
    }
}
