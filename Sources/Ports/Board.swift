// Owns what the bridge asks of the lines on the board: an indicator and a button.
import Wire

/// Light to show. One LED shows any colour as on.
public struct Light: OptionSet, Sendable, BitwiseCopyable {
    public var rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    public static let red = Light(rawValue: 1)
    public static let green = Light(rawValue: 2)
    public static let blue = Light(rawValue: 4)
    public static let white: Light = [.red, .green, .blue]
}

public protocol Indicator: AnyObject {
    /// Whether colours can be told apart (three lines) or not (one LED).
    var hasColours: Bool { get }
    func show(_ light: Light)
}

public protocol ButtonListener: AnyObject {
    /// The button has settled at a new level. `at` is when its edge came.
    func button(pressed: Bool, at: Instant)
}
