// Owns the LED's language: which signal follows from what is known, and what each signal looks like. Both are tables;
// Docs/OPERATIONS.md prints the same ones. Dim by nature: flashes are short, nothing glows for long.
import Ports
import Wire

/// What the LED says.
public enum LampSignal: Equatable, Sendable, BitwiseCopyable {
    case trouble(Trouble)
    case pairing
    /// No strap is known and nobody has opened the window.
    case noStrap
    /// The strap is known and not reached.
    case noLink
    /// There is a link, and for 10 s no heart rate.
    case noData
    /// History comes in and there is no heart rate to show.
    case syncing
    /// Zone 0...5 of a heart rate that is at most 10 s old.
    case zone(Int)
    /// A press was understood but cannot be done now.
    case refused
    /// The button has been held long enough to mean more: released now it opens pairing.
    case holding

    public enum Trouble: UInt8, Equatable, Sendable, BitwiseCopyable {
        case radio, storage, clock, nightMissing
    }
}

/// Flashes in a row, then a pause, for ever.
public struct LampPattern: Equatable, Sendable, BitwiseCopyable {
    public var light: Light
    public var flashes: Int
    public var on_ms: Int64
    public var off_ms: Int64
    public var pause_ms: Int64

    public var cycle_ms: Int64 { Int64(flashes) * (on_ms + off_ms) + pause_ms }

    /// The light so many milliseconds after the signal began, and how long it stays so.
    public func light(after elapsed_ms: Int64) -> (light: Light, left_ms: Int64) {
        let phase = max(0, elapsed_ms) % cycle_ms
        let flashing = Int64(flashes) * (on_ms + off_ms)
        guard phase < flashing else { return ([], cycle_ms - phase) }
        let inFlash = phase % (on_ms + off_ms)
        return inFlash < on_ms ? (light, on_ms - inFlash) : ([], on_ms + off_ms - inFlash)
    }
}

extension LampSignal {
    /// Short flashes tell zones, long ones tell trouble; the number tells which. So one LED is enough, and colour only helps.
    public var pattern: LampPattern {
        switch self {
        case .zone(0): LampPattern(light: .white, flashes: 1, on_ms: 40, off_ms: 0, pause_ms: 3_960)
        case .zone(1): LampPattern(light: .blue, flashes: 1, on_ms: 80, off_ms: 220, pause_ms: 1_700)
        case .zone(2): LampPattern(light: [.blue, .green], flashes: 2, on_ms: 80, off_ms: 220, pause_ms: 1_400)
        case .zone(3): LampPattern(light: .green, flashes: 3, on_ms: 80, off_ms: 220, pause_ms: 1_100)
        case .zone(4): LampPattern(light: [.red, .green], flashes: 4, on_ms: 80, off_ms: 220, pause_ms: 800)
        case .zone: LampPattern(light: .red, flashes: 5, on_ms: 80, off_ms: 220, pause_ms: 500)
        case .syncing: LampPattern(light: [.blue, .green], flashes: 1, on_ms: 250, off_ms: 250, pause_ms: 0)
        case .noData: LampPattern(light: .white, flashes: 2, on_ms: 40, off_ms: 160, pause_ms: 3_600)
        case .noLink: LampPattern(light: [.red, .blue], flashes: 1, on_ms: 40, off_ms: 0, pause_ms: 7_960)
        case .noStrap: LampPattern(light: .white, flashes: 3, on_ms: 40, off_ms: 160, pause_ms: 9_400)
        case .pairing: LampPattern(light: .blue, flashes: 1, on_ms: 100, off_ms: 100, pause_ms: 0)
        case .holding: LampPattern(light: .white, flashes: 1, on_ms: 50, off_ms: 50, pause_ms: 0)
        case .refused: LampPattern(light: .red, flashes: 6, on_ms: 50, off_ms: 50, pause_ms: 200)
        case .trouble(.radio): LampPattern(light: .red, flashes: 2, on_ms: 500, off_ms: 300, pause_ms: 2_400)
        case .trouble(.storage): LampPattern(light: .red, flashes: 3, on_ms: 500, off_ms: 300, pause_ms: 2_400)
        case .trouble(.clock): LampPattern(light: .red, flashes: 4, on_ms: 500, off_ms: 300, pause_ms: 2_400)
        case .trouble(.nightMissing): LampPattern(light: .red, flashes: 1, on_ms: 500, off_ms: 300, pause_ms: 2_400)
        }
    }

    /// The word `status` uses.
    public var name: StaticString {
        switch self {
        case .trouble(.radio): "trouble: radio"
        case .trouble(.storage): "trouble: storage"
        case .trouble(.clock): "trouble: clock"
        case .trouble(.nightMissing): "trouble: night missing"
        case .pairing: "pairing"
        case .noStrap: "no strap"
        case .noLink: "no link"
        case .noData: "no data"
        case .syncing: "syncing"
        case .zone(0): "zone 0"
        case .zone(1): "zone 1"
        case .zone(2): "zone 2"
        case .zone(3): "zone 3"
        case .zone(4): "zone 4"
        case .zone: "zone 5"
        case .refused: "refused"
        case .holding: "holding"
        }
    }
}

/// Shows one signal on an indicator, flash by flash.
public struct Lamp: ~Copyable {
    private let indicator: any Indicator
    public private(set) var signal = LampSignal.noStrap
    private var since: Instant
    private var shown: Light = []
    private var changes: Instant
    /// A signal shown for a short while over the lasting one.
    private var passing: LampSignal?
    private var passingEnds = Instant.never

    public init(_ indicator: any Indicator, now: Instant) {
        self.indicator = indicator
        since = now
        changes = now
        indicator.show([])
    }

    public var deadline: Instant { min(changes, passing == nil ? .never : passingEnds) }
    /// What is lit at this moment.
    public var light: Light { shown }

    public mutating func say(_ next: LampSignal, now: Instant) {
        guard next != signal else { return }
        signal = next
        if passing == nil { since = now; changes = now }
    }

    /// Shows `signal` for a while, then goes back.
    public mutating func flash(_ signal: LampSignal, for_ms: Int64, now: Instant) {
        passing = signal
        passingEnds = now + for_ms
        since = now
        changes = now
    }

    public mutating func tick(now: Instant) {
        if passing != nil, now >= passingEnds { passing = nil; since = now; changes = now }
        guard now >= changes else { return }
        let (light, left) = (passing ?? signal).pattern.light(after: now - since)
        changes = now + max(1, left)
        guard light != shown else { return }
        shown = light
        indicator.show(light)
    }

    public mutating func off() {
        shown = []
        indicator.show([])
    }
}
