// Owns the settling of a contact that bounces. Every edge counts: none is suppressed, so none can be lost; what decides
// is the level the contact has once it is quiet. It reads no line and no clock, the one who does asks for the deadline.
import Wire

public struct Debounce: BitwiseCopyable, Sendable {
    /// Quiet time after which a level counts, in milliseconds. A tactile switch bounces for 1 to 5.
    public static let quietMilliseconds: Int64 = 8
    /// A contact that never gets quiet is read all the same so long after its first edge, in milliseconds.
    public static let patienceMilliseconds: Int64 = 40

    /// The settled level.
    public private(set) var pressed: Bool
    /// When to read the level and call `settle`; `.never` while nothing is open.
    public private(set) var deadline = Instant.never
    private var firstEdge = Instant.never

    /// A level that is there from the start is nobody's doing: it is settled and tells nothing.
    public init(pressed: Bool) { self.pressed = pressed }

    /// An edge came at this time.
    public mutating func edge(at: Instant) {
        if firstEdge == .never { firstEdge = at }
        deadline = min(at + Self.quietMilliseconds, firstEdge + Self.patienceMilliseconds)
    }

    /// The level, read at the deadline. Gives the time of the first edge when the settled level has changed.
    public mutating func settle(pressed level: Bool) -> Instant? {
        let began = firstEdge
        firstEdge = .never
        deadline = .never
        guard level != pressed, began != .never else { return nil }
        pressed = level
        return began
    }
}
