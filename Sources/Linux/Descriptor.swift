// Owns one file descriptor and closes it once; and the form in which a failed call is told.
import CLinux

/// A system call that failed.
public struct SystemError: Error, Equatable, Sendable {
    public var call: StaticString
    public var errno: Int32

    public init(_ call: StaticString, _ errno: Int32 = nightstand_errno()) {
        self.call = call
        self.errno = errno
    }

    public static func == (a: SystemError, b: SystemError) -> Bool { a.errno == b.errno }
    public var text: String { "\(call): \(String(cString: strerror(errno)))" }
}

/// Closed when it ends. Empty is -1, because an optional of this kind in a class cannot be looked into.
struct Descriptor: ~Copyable {
    private(set) var raw: Int32

    init() { raw = -1 }
    init(_ raw: Int32, _ call: StaticString) throws(SystemError) {
        guard raw >= 0 else { throw SystemError(call) }
        self.raw = raw
    }
    deinit { if raw >= 0 { _ = close(raw) } }

    var isOpen: Bool { raw >= 0 }

    /// Gives the number away; who has it now must close it, or must not.
    mutating func release() -> Int32 {
        defer { raw = -1 }
        return raw
    }
}
