// Owns recognising what a capture is, by its content and never by its name. A capture comes from outside: no content of
// it may trap, and nothing in it is believed before a checksum says so.
import Wire
import Whoop

/// Reads a whole capture and hands over each frame in it, in order.
///
/// Recognised are btsnoop logs (datalinks 1001, 1002, 2001), hex text with a notification a line, JSON and JSON lines with
/// hex strings, and raw frames one after the other; of both families, mixed where the format lets them be.
/// - Parameter bytes: the whole file; mapped, not read, when it is large. Frames that came in one piece point into it.
/// - Returns: what was found, and everything that could not be read.
public func read(capture bytes: RawSpan, into listener: any CaptureListener) -> CaptureReport {
    let intake = Intake(listener)
    if bytes.byteCount == 0 {
        intake.note(.empty, at: Place(.byte, 0))
    } else if BtsnoopLog.begins(bytes) {
        BtsnoopLog(intake).read(bytes)
    } else if isArchive(bytes) {
        intake.note(.foreign, at: Place(.byte, 0))
    } else if isWide(bytes) {
        intake.note(.wideText, at: Place(.byte, 0))
    } else if !isText(bytes) {
        readRaw(bytes, intake)
    } else if isJSON(bytes) {
        JSONText(intake).read(bytes)
    } else {
        HexText(intake).read(bytes)
    }
    return intake.report
}

/// Frames one after the other, of either family.
private func readRaw(_ bytes: RawSpan, _ intake: Intake) {
    intake.report.format = .raw
    intake.report.length = bytes.byteCount
    let finder = FrameFinder(intake)
    finder.feed(bytes, at: Place(.byte, 0))
    finder.finish()
}

/// Bytes looked at to tell text from raw frames; the first frame of a raw capture has several that text never has.
private var sample: Int { 4096 }

/// A zip archive (Android's bug report is one) or a gzip file.
private func isArchive(_ bytes: RawSpan) -> Bool {
    bytes.u32(at: 0) == 0x0403_4b50 || bytes.u16(at: 0) == 0x8b1f
}

/// The byte order mark of UTF-16.
private func isWide(_ bytes: RawSpan) -> Bool {
    bytes.u16(at: 0) == 0xfeff || bytes.u16(at: 0) == 0xfffe
}

private func isText(_ bytes: RawSpan) -> Bool {
    for i in 0..<min(sample, bytes.byteCount) {
        switch bytes.u8(at: i) {
        case 0x09, 0x0a, 0x0c, 0x0d, 0x1b, 0x20...0x7e, 0x80...0xff: continue
        default: return false
        }
    }
    return bytes.u8(at: 0) != 0xaa
}

/// Text that begins like a JSON object, or like an array of objects, arrays or strings; `[12:30:01] aa08…` does not.
private func isJSON(_ bytes: RawSpan) -> Bool {
    var at = afterByteOrderMark(bytes)
    func next() -> UInt8 {
        while at < bytes.byteCount, isBlank(bytes.u8(at: at)) { at += 1 }
        defer { at += 1 }
        return bytes.u8(at: at)
    }
    switch next() {
    case 0x7b: return true  // {
    case 0x5b:  // [
        switch next() {
        case 0x7b, 0x5b, 0x22, 0x5d: return true
        default: return false
        }
    default: return false
    }
}

/// Where text begins: after the mark that some editors put before UTF-8.
func afterByteOrderMark(_ bytes: RawSpan) -> Int {
    bytes.byteCount >= 3 && bytes.u8(at: 0) == 0xef && bytes.u8(at: 1) == 0xbb && bytes.u8(at: 2) == 0xbf ? 3 : 0
}

func isBlank(_ c: UInt8) -> Bool { c == 0x20 || c == 0x09 || c == 0x0a || c == 0x0d || c == 0x0c }
