// Owns the command that reads capture files: what it is told, and what it says at the end. Frames go to standard output,
// the summary to standard error, so that a pipe gets frames only.
import Capture
import CLinux
import Gateway
import Linux
import Whoop
import Wire

let decodeHelp: StaticString = """
    nightstand decode [--json] [--all] [--identity] FILE...

    Reads captures and prints a line for each packet of a strap: btsnoop logs (Android's HCI log, btmon -w), hex text with a
    frame or a notification a line, JSON with hex strings, raw frames. What a file is, is told by its content; - is
    standard input. The end, on standard error, says which link is the strap and what could not be read and why.
      --json      one JSON object a line; Docs/FIELDS.md names the fields
      --all       also fields whose meaning nobody knows, and series as a whole
      --identity  also serial numbers, names and addresses
    After a value: ~ derived from the data of few straps; ? one source only, or disputed. - failed its gate.
    Exit status: 0; 65 no frame could be read; 66 a file cannot be read; 74 the output cannot be written.
    """

func decode(_ arguments: inout Arguments) -> Int32 {
    if arguments.flag("--help") || arguments.flag("-h") {
        write("\(decodeHelp)\n", to: 1)
        return Int32(Exit.ok)
    }
    let json = arguments.flag("--json"), all = arguments.flag("--all"), identity = arguments.flag("--identity")
    var files: [String] = []
    while let file = arguments.operand() { files.append(file) }
    if let refused = arguments.refuseRest(of: "decode") { return refused }
    guard !files.isEmpty else {
        complain("decode needs a file, such as: nightstand decode btsnoop_hci.log")
        return Int32(Exit.usage)
    }
    var status = Exit.ok
    for file in files {
        do throws(FileError) {
            let map = try MappedFile(file)
            let printer = FramePrinter(file: files.count > 1 ? file : nil, json: json, all: all, identity: identity)
            let report = read(capture: map.bytes, into: printer)
            printer.flush()
            // A reader that has seen enough is no trouble; a full disk is.
            if printer.failure == EPIPE { return Int32(Exit.ok) }
            guard printer.failure == 0 else {
                complain("the output cannot be written: \(errorText(printer.failure))")
                return Int32(Exit.ioError)
            }
            write(summary(file, report, printer, identity: identity), to: 2)
            if report.frames == 0, report.heartRates == 0, status == Exit.ok { status = Exit.data }
        } catch {
            complain("\(plain(file)): \(errorText(error.errno))")
            status = Exit.noInput
        }
    }
    return Int32(status)
}

private func summary(_ file: String, _ report: CaptureReport, _ printer: FramePrinter, identity: Bool) -> String {
    let (kind, unit): (StaticString, StaticString) = switch report.format {
    case .btsnoopHCI: ("a btsnoop log (HCI)", "records")
    case .btsnoopSerial: ("a btsnoop log (HCI over a serial line)", "records")
    case .btsnoopMonitor: ("a btsnoop log (monitor)", "records")
    case .hexText: ("hex text", "lines")
    case .json: ("JSON", "lines")
    case .raw: ("raw bytes", "bytes")
    case .unknown: ("nothing that can be read", "bytes")
    }
    var text = "\n\(plain(file)): \(kind)"
    if report.format != .unknown { text += ", \(report.length) \(unit): \(counted(report.frames, "frame"))" }
    if report.heartRates > 0 { text += " and \(counted(report.heartRates, "heart rate"))" }
    text += "\n"
    for (type, count) in printer.counts.enumerated() where count > 0 {
        var line = "  \(count)"
        while line.utf8.count < 9 { line = " " + line }
        if let label = Label.packet(UInt8(type)) { text += "\(line)  \(label)\n" } else { text += "\(line)  type \(type), which nobody knows\n" }
    }
    for strap in report.straps {
        let how: StaticString = switch strap.recognition {
        case .discovery: "its characteristics were discovered"
        case .service: "its service was discovered, its handles were learned from the frames"
        case .earlierLink: "an earlier link to it holds the discovery"
        case .frames: "the log holds no discovery; link and handles were learned from the frames"
        }
        let who = strap.peer.map { identity ? $0.address.text : "its address is shown with --identity" } ?? "its address is not in the log"
        text += "  link \(strap.number) is a WHOOP \(strap.family == .whoop4 ? "4.0" : "5.0 or MG") (\(who), connection \(strap.connectionHandle)"
        if strap.adapter > 0 { text += ", hci\(strap.adapter)" }
        text += ", records \(strap.firstRecord) to \(strap.lastRecord)): \(how). "
        text += "\(counted(strap.framesFromStrap, "frame")) from it, \(strap.framesToStrap) to it\n"
    }
    if report.otherLinks > 0 { text += "  \(counted(report.otherLinks, "other link")), of no strap\n" }
    for one in printer.signals { text += one.text }
    if !printer.unread.isEmpty || !report.troubles.isEmpty { text += "could not be read:\n" }
    for one in printer.unread { text += "  \(one.text)\n" }
    for trouble in report.troubles { text += "  \(trouble.text)\n" }
    if report.frames == 0, report.heartRates == 0, report.troubles.isEmpty {
        text += "nothing in it looks like a frame: in text and JSON that is hex which begins with aa\n"
    }
    return text
}

private func counted(_ count: Int, _ noun: StaticString) -> String { count == 1 ? "1 \(noun)" : "\(count) \(noun)s" }
