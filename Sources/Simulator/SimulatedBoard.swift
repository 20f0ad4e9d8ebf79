// Owns what hangs on the board in the simulation: an LED that remembers, a button that a script presses, a notebook and a
// log in memory.
import Ports
import Wire

public final class SimulatedIndicator: Indicator {
    public let hasColours: Bool
    public private(set) var light: Light = []
    /// Every change of light, with its time. Kept only while `remembers`.
    public private(set) var changes: [(at: Instant, light: Light)] = []
    public var remembers = true
    private let clock: SimulatedClock

    public init(clock: SimulatedClock, hasColours: Bool = true) {
        self.clock = clock
        self.hasColours = hasColours
    }

    public func show(_ light: Light) {
        self.light = light
        if remembers { changes.append((clock.now, light)) }
    }

    public func forget() { changes.removeAll() }
}

/// A button that is pressed by a script.
public final class SimulatedButton {
    private let schedule: Schedule
    public var listener: (any ButtonListener)?

    public init(schedule: Schedule) { self.schedule = schedule }

    /// Down now, up again after `held_ms`.
    public func press(for held_ms: Int64) {
        let clock = schedule.clock
        listener?.button(pressed: true, at: clock.now)
        schedule.after(held_ms) { [self] in listener?.button(pressed: false, at: clock.now) }
    }
}

public final class SimulatedNotebook: Notebook {
    public var text: [UInt8] = []
    /// Whether saving works.
    public var isWritable = true
    public private(set) var saves = 0

    public init() {}

    public func load() -> [UInt8] { text }

    public func save(_ text: [UInt8]) -> Bool {
        guard isWritable else { return false }
        self.text = text
        saves += 1
        return true
    }
}

public final class SimulatedLog: Log {
    /// At most `capacity` lines, the newest last.
    public private(set) var lines: [String] = []
    public var capacity = 1_000

    public init() {}

    public func say(_ line: String) {
        if lines.count >= capacity { lines.removeFirst() }
        lines.append(line)
    }
}
