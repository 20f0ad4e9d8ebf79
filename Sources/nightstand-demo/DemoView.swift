// Owns what a person sees of a demonstration: a picture redrawn ten times a second on a terminal, plain lines elsewhere.
// Reads the bridge's read model and the world; changes nothing.
import Bridge
import Linux
import Ports
import Simulator
import Whoop
import Wire

final class DemoView {
    private let world: World
    private let speed: Int64?
    private let isTerminal: Bool
    private let clock = SystemClock(trustedByPerson: true)
    private var frameBegan = Instant(milliseconds: 0)
    private var rates: [UInt8] = []
    private var pendingAtFirst: UInt32 = 0
    private var toldLines = 0
    private var toldAt = Instant(milliseconds: 0)
    /// Records and bursts of links that have ended.
    private var before: (records: UInt32, bursts: Int64) = (0, 0)
    private var last: (links: UInt32, records: UInt32, bursts: Int64) = (0, 0, 0)

    init(_ world: World, speed: Int64?, isTerminal: Bool) {
        self.world = world
        self.speed = speed
        self.isTerminal = isTerminal
    }

    func begin() {
        pendingAtFirst = max(1, world.strap.pendingRecords)
        frameBegan = clock.now
        say("A simulated strap with \(world.strap.pendingRecords) records of history; the bridge and the database are the shipping ones.")
        if isTerminal { write("\u{1b}[?25l\u{1b}[2J", to: 1) }
    }

    /// Milliseconds until the next frame is due.
    func left_ms(of frame_ms: Int64) -> Int64 {
        let spent = clock.now - frameBegan
        frameBegan = clock.now + max(0, frame_ms - spent)
        return max(0, frame_ms - spent)
    }

    /// One more point of the line of heart rates.
    func remember() {
        rates.append(world.bridge?.status.heartRate ?? 0)
        if rates.count > 60 { rates.removeFirst() }
    }

    func draw() {
        let status = world.bridge.status
        count(status)
        if isTerminal { picture(status) } else { lines(status) }
    }

    func end(_ interrupted: Bool) {
        if isTerminal { write("\u{1b}[?25h", to: 1) } else { lines(world.bridge.status, last: true) }
        if interrupted { say("\nInterrupted; everything that waited has been written.") }
    }

    private func count(_ status: Status) {
        if status.links != last.links { before = (before.records + last.records, before.bursts + last.bursts) }
        if status.truths.link { last = (status.links, status.recordsStored, status.burstsAcknowledged) }
    }

    private var records: UInt32 { before.records + last.records }
    private var bursts: Int64 { before.bursts + last.bursts }

    // MARK: plain lines

    private func lines(_ status: Status, last: Bool = false) {
        let log = world.log.lines
        while toldLines < log.count {
            say("\(world.clock.wall.utc)  \(log[toldLines])")
            toldLines += 1
        }
        guard last || world.clock.now - toldAt >= 60_000 else { return }
        toldAt = world.clock.now
        var heart = "no heart rate"
        if let bpm = status.heartRate { heart = "\(bpm) bpm, zone \(status.zone ?? 0)" }
        say("\(world.clock.wall.utc)  \(heart); LED: \(status.led.name); \(records) records in \(bursts) bursts stored, then acknowledged; the strap holds \(world.strap.pendingRecords); \(status.moments) moments")
    }

    // MARK: the picture

    private func picture(_ s: Status) {
        var out = "\u{1b}[H"
        func line(_ text: String) { out += text + "\u{1b}[K\n" }
        line("\u{1b}[1mnightstand demo\u{1b}[0m   \(world.clock.wall.utc)   simulated WHOOP \(world.strap.identity.family.rawValue).0, \(speed ?? 1) times as fast as life")
        line("")
        if let bpm = s.heartRate {
            line("  \u{1b}[31m♥\u{1b}[0m \u{1b}[1m\(padded("\(bpm)", 3))\u{1b}[0m bpm  zone \(s.zone ?? 0)   \(sparkline)")
        } else {
            line("  ♡  no heart rate      \(sparkline)")
        }
        line("  \(lamp(s)) LED: \(s.led.name)")
        line("")
        line("  \(dot(s.truths.link)) link  \(dot(s.truths.attribute)) services  \(dot(s.truths.encrypted)) encrypted  \(dot(s.truths.session)) session  \(dot(s.truths.heartRate)) heart rate  \(dot(s.truths.history)) history")
        line("")
        line("  history   \(bar)  \(records) records in \(bursts) bursts")
        line("            each on this disk before it was acknowledged\(s.ackDelay_ms.mean > 0 ? ", \(s.ackDelay_ms.mean) ms from END to acknowledgement" : "")")
        line("  moments   \(s.moments)    buzzes \(world.strap.buzzes.count)    strap \((s.battery_tenths ?? 0) / 10) %")
        line("")
        line("  \(s.sentence)")
        line("")
        for text in world.log.lines.suffix(8) { line("  \u{1b}[2m\(String(decoding: Array(text.utf8.prefix(150)), as: UTF8.self))\u{1b}[0m") }
        write(out + "\u{1b}[J", to: 1)
    }

    private func dot(_ on: Bool) -> String { on ? "\u{1b}[32m●\u{1b}[0m" : "○" }

    /// The LED flashes in the time of life; at this speed nobody would see it otherwise.
    private func lamp(_ s: Status) -> String {
        let (light, _) = s.led.pattern.light(after: clock.now.milliseconds)
        if light.isEmpty { return "\u{1b}[2m●\u{1b}[0m" }
        let red = light.contains(.red) ? 255 : 60, green = light.contains(.green) ? 255 : 60, blue = light.contains(.blue) ? 255 : 60
        return "\u{1b}[38;2;\(red);\(green);\(blue)m●\u{1b}[0m"
    }

    private var sparkline: String {
        let blocks: [StaticString] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
        var text = ""
        for rate in rates { text += rate == 0 ? " " : "\(blocks[max(0, min(7, (Int(rate) - 45) / 16))])" }
        return text
    }

    private var bar: String {
        let all = 30, done = all - Int(min(pendingAtFirst, world.strap.pendingRecords)) * all / Int(pendingAtFirst)
        var text = ""
        for i in 0..<all { text += i < done ? "█" : "░" }
        return text
    }

    private func padded(_ text: String, _ width: Int) -> String {
        var out = text
        while out.utf8.count < width { out = " " + out }
        return out
    }
}
