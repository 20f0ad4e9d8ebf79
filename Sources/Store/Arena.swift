// Owns a fixed stretch of memory that things are appended to and that is cleared at once. Allocated once; what does
// not fit is refused, never grown into.
import Wire

/// Bytes in order of arrival, at most `capacity`.
final class Arena {
    private let memory: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    init(capacity: Int) {
        memory = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit { memory.deallocate() }

    var capacity: Int { memory.count }

    /// Appends all the bytes, or nothing and says false.
    func append(_ bytes: RawSpan) -> Bool {
        guard bytes.byteCount <= memory.count - count else { return false }
        bytes.withUnsafeBytes { source in
            if source.count > 0 {
                UnsafeMutableRawBufferPointer(rebasing: memory[count..<(count + source.count)]).copyMemory(from: source)
            }
        }
        count += bytes.byteCount
        return true
    }

    /// Appends a value of a few bytes, or nothing and says false.
    func append<Value: BitwiseCopyable>(value: Value) -> Bool {
        let size = MemoryLayout<Value>.size
        guard size <= memory.count - count else { return false }
        memory.storeBytes(of: value, toByteOffset: count, as: Value.self)
        count += size
        return true
    }

    func removeAll() { count = 0 }

    /// Everything appended so far.
    var bytes: RawSpan {
        @_lifetime(borrow self) get {
            let span = RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: memory[0..<count]))
            return _overrideLifetime(span, borrowing: self)
        }
    }
}
