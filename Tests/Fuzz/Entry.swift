// Owns the door through which libFuzzer comes in. One program holds every target and the name it is called by picks one,
// so that all are built once. A target returns, or stops the process through `demand`: a stop is a finding.

/// One parser under fuzzing: it takes any bytes at all.
typealias Target = @Sendable (RawSpan) -> Void

private let targets: [(name: String, run: Target)] = [
    ("envelope", fuzzEnvelope),
    ("reassembler", fuzzReassembler),
    ("packets4", { fuzzPacket($0, .whoop4) }),
    ("packets5", { fuzzPacket($0, .whoop5) }),
    ("heart-rate", fuzzHeartRateMeasurement),
    ("attributes", fuzzAttributes),
    ("management", fuzzManagement),
    ("advertising", fuzzAdvertising),
    ("key-file", fuzzKeyFile),
    ("btsnoop", fuzzBtsnoop),
    ("hex-capture", fuzzCapture),
    ("json-capture", fuzzCapture),
    ("raw-capture", fuzzRawCapture),
]

/// Set once, before the first input: libFuzzer runs on one thread.
nonisolated(unsafe) private var chosen: Target?

@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>>>) -> CInt {
    let path = String(cString: arguments.pointee[0])
    let name = path.split(separator: "/").last.map(String.init) ?? path
    chosen = targets.first { $0.name == name }?.run
    demand(chosen != nil, "no target is called '\(name)'; there are: \(targets.map(\.name).joined(separator: " "))")
    return 0
}

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    chosen?(bytes.bytes)
    return 0
}

/// Stops the process with a sentence when something that must hold does not.
@inline(__always)
func demand(_ holds: Bool, _ sentence: @autoclosure () -> String) {
    if !holds { fatalError(sentence()) }
}
