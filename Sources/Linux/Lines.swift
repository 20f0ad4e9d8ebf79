// Owns the lines on the board's header: the LED's and the button's, through libgpiod. It finds a chip by its label or a
// line by its name, never by a number that the kernel dealt out. What a light or a press means is the bridge's.
import CGPIO
import CLinux
import Ports
import Wire

public enum LineError: Error, Equatable {
    /// No chip has the label (or one of a Pi's), or no chip has the line. Look at `gpiodetect` and `gpioinfo`.
    case absent
    /// The chip may not be opened: the udev rule and the group `gpio` give that right.
    case denied
    /// Another program or driver holds the line.
    case busy
    /// The kernel's word, an errno.
    case failed(Int32)

    init(errno: Int32) {
        switch errno {
        case ENODEV, ENOENT: self = .absent
        case EACCES, EPERM: self = .denied
        case EBUSY: self = .busy
        default: self = .failed(errno)
        }
    }
}

/// An opened chip with its requested lines.
struct Lines: ~Copyable {
    /// The chips that carry the header of a Raspberry Pi: 0 to 3, 4, 5.
    static let headerLabels: [String] = ["pinctrl-bcm2835", "pinctrl-bcm2711", "pinctrl-rp1"]

    let handle: OpaquePointer
    deinit { nightstand_gpio_close(handle) }

    /// Opens the chip with this label, or with an empty label a Pi's header, or else the chip that has the line.
    /// `line` is an offset ("17") or a name ("GPIO17", "BUTTON").
    init(chip label: String, line: String) throws(LineError) {
        var opened: OpaquePointer?
        var error = -ENODEV
        for candidate in label.isEmpty ? Self.headerLabels : [label] {
            error = candidate.withCString { nightstand_gpio_open($0, nil, &opened) }
            guard error == -ENODEV else { break }
        }
        if error == -ENODEV, label.isEmpty, Int32(line) == nil {
            error = line.withCString { nightstand_gpio_open(nil, $0, &opened) }
        }
        guard error == 0, let opened else { throw LineError(errno: -error) }
        handle = opened
    }

    /// The offset of a line of this chip.
    func offset(of line: String) throws(LineError) -> UInt32 {
        if let number = UInt32(line) { return number }
        let offset = line.withCString { nightstand_gpio_offset(handle, $0) }
        guard offset >= 0 else { throw LineError(errno: -offset) }
        return UInt32(offset)
    }
}

/// One LED, or three lines of a coloured one.
public final class LineIndicator: Indicator {
    public let hasColours: Bool
    private let lines: Lines
    private var shown: Light?

    /// One LED.
    public convenience init(chip: String, led: String) throws(LineError) { try self.init(chip: chip, lines: [led]) }

    /// A coloured LED. All its lines are on one chip.
    public convenience init(chip: String, red: String, green: String, blue: String) throws(LineError) {
        try self.init(chip: chip, lines: [red, green, blue])
    }

    private init(chip: String, lines names: [String]) throws(LineError) {
        let lines = try Lines(chip: chip, line: names[0])
        var offsets: [UInt32] = []
        for name in names { offsets.append(try lines.offset(of: name)) }
        let error = nightstand_gpio_request_outputs(lines.handle, offsets, Int32(offsets.count))
        guard error == 0 else { throw LineError(errno: -error) }
        self.lines = lines
        hasColours = names.count == 3
    }

    /// A line that fails while it is held has lost its chip; there is nothing better to show that with.
    public func show(_ light: Light) {
        guard light != shown else { return }
        shown = light
        let levels = hasColours ? UInt32(light.rawValue & Light.white.rawValue) : light.isEmpty ? 0 : 1
        _ = nightstand_gpio_set(lines.handle, levels)
    }
}

/// A push button to ground. The loop that owns it watches `descriptor` and keeps `deadline`.
public final class LineButton {
    public let descriptor: Int32
    private let lines: Lines
    private var debounce: Debounce
    private let listener: any ButtonListener

    public init(chip: String, line: String, listener: any ButtonListener) throws(LineError) {
        let lines = try Lines(chip: chip, line: line)
        let error = nightstand_gpio_request_button(lines.handle, try lines.offset(of: line))
        guard error == 0 else { throw LineError(errno: -error) }
        descriptor = nightstand_gpio_fd(lines.handle)
        debounce = Debounce(pressed: nightstand_gpio_get(lines.handle) == 1)
        self.lines = lines
        self.listener = listener
    }

    /// When `expired` is to be called; `.never` while the button is quiet.
    public var deadline: Instant { debounce.deadline }

    /// The descriptor is readable: takes every edge that waits. Gives an error when the chip is gone.
    public func readable(now: Instant) throws(LineError) {
        var edge = nightstand_edge()
        while true {
            let error = nightstand_gpio_read(lines.handle, &edge)
            if error == -EAGAIN { return }
            guard error == 0 else { throw LineError(errno: -error) }
            debounce.edge(at: now + -Self.age(of: edge))
        }
    }

    /// The deadline has passed: reads the level.
    public func expired(now: Instant) {
        guard debounce.deadline <= now else { return }
        let level = nightstand_gpio_get(lines.handle)
        // A level that cannot be read is no change; the edges' descriptor reports the lost chip.
        guard let at = debounce.settle(pressed: level < 0 ? debounce.pressed : level == 1) else { return }
        listener.button(pressed: debounce.pressed, at: at)
    }

    /// Milliseconds since the edge. The kernel stamps it on the monotonic clock, `Instant` counts suspended time too.
    private static func age(of edge: nightstand_edge) -> Int64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return max(0, (Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec) - edge.monotonic_ns) / 1_000_000)
    }
}
