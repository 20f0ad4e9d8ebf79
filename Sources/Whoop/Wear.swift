// Owns whether the strap is on a body, told from what it says: its events, its live frames, and heart rate (WHOOP.md 8.13).
// A missing heart rate says nothing, and neither does any byte that was once called "skin contact".

/// Whether the strap is worn, as of the newest thing it said.
public struct Wear: Sendable {
    /// Nil: nothing has been said yet.
    public private(set) var isWorn: Bool?
    /// When it was first said to be so.
    public private(set) var since: UInt32 = 0
    private var newest: UInt32 = 0

    public init() {}

    /// Takes a frame; what is older than something already taken changes nothing.
    public mutating func take(_ frame: borrowing Frame) {
        if let event = Event(frame) {
            switch event.number {
            case .wristOn: say(true, event.unix)
            case .wristOff: say(false, event.unix)
            default: break
            }
        } else if let live = Realtime(frame) {
            if let worn = live.isWorn { say(worn, live.time.seconds) } else if live.heartRate != nil { say(true, live.time.seconds) }
        } else if let record = Record(frame) {
            if record.summary?.heartRate ?? record.heart?.heartRate != nil { say(true, record.unix) }
        }
    }

    private mutating func say(_ worn: Bool, _ unix: UInt32) {
        guard unix >= newest else { return }
        newest = unix
        guard worn != isWorn else { return }
        isWorn = worn
        since = unix
    }
}
