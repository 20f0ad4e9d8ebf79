// Owns the way of a notification from a socket to the store's queue: the shipping bridge, session, reassembler and
// queue. Each PDU of a simulated strap goes through a real socket into one fixed buffer, as KernelRadio reads it. Only
// what happens from that read to the queued row is counted; the simulated strap's own work is not.
import Bridge
import CCount
import CLinux
import Ports
import Simulator
import Whoop
import Wire

final class QueuePath: RadioListener, Radio, Store {
    private let world: World
    private var bridge: Bridge!
    private let queue = EntryQueue(capacity: 256 << 10)
    private let buffer = UnsafeMutableRawPointer.allocate(byteCount: 4096, alignment: 8)
    private var ends: (Int32, Int32) = (-1, -1)
    private var answers: [UInt32] = []

    private var frames = 0
    private var isCounting = false
    /// Between the bridge's call to the simulated radio and its return nothing is counted.
    private var outside = (allocations: 0, nanoseconds: Int64(0))
    private var allocations = 0
    private var nanoseconds: Int64 = 0

    init(_ family: Family) {
        world = World(family, seed: 7)
        world.strap.isInPairingMode = true
        // Ten thousand seconds and some more.
        world.strap.remember(seconds: 14_000)
        answers.reserveCapacity(64)
        _ = withUnsafeMutableBytes(of: &ends) { socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, $0.baseAddress!.assumingMemoryBound(to: Int32.self)) }
        bridge = Bridge(settings: Settings(), clock: world.clock, radio: self, store: self, indicator: world.indicator,
            notebook: world.notebook, log: world.log, frontier: 0)
    }

    /// Pairs and gets history going. False when it does not come to that.
    func warmUp() -> Bool {
        bridge.start()
        run(for: 1_000)
        bridge.openPairing(nil)
        for _ in 0..<60 where frames < 1_000 { run(for: 1_000) }
        return frames >= 1_000
    }

    /// Counts over so many frames of history; nil when they do not come.
    func count(frames wanted: Int) -> (allocations: Int, nanoseconds: Int64)? {
        frames = 0
        allocations = 0
        nanoseconds = 0
        isCounting = true
        for _ in 0..<600 where frames < wanted { run(for: 1_000) }
        isCounting = false
        return frames >= wanted ? (allocations, nanoseconds) : nil
    }

    private func run(for milliseconds: Int64) {
        let end = world.clock.now + milliseconds
        while world.clock.now < end {
            world.schedule.advance(to: min(end, bridge.deadline))
            while world.schedule.runOne() {}
            measure { bridge.tick() }
            // The store's thread, as fast as it can be.
            while queue.pop({ entry, _ in
                if case .historyFrame = entry { frames += 1 }
                if case .burst(_, _, let ticket) = entry { answers.append(ticket) }
            }) {}
            while let ticket = answers.popLast() { measure { bridge.stored(ticket) } }
        }
    }

    // MARK: between the simulated radio and the bridge

    func received(_ pdu: RawSpan) {
        _ = pdu.withUnsafeBytes { write(ends.0, $0.baseAddress, $0.count) }
        measure {
            let count = recv(ends.1, buffer, 4096, 0)
            if count > 0 { bridge.received(RawSpan(_unsafeStart: buffer, byteCount: count)) }
        }
    }

    /// Counts what `work` costs, all of it the bridge's.
    private func measure(_ work: () -> Void) {
        outside = (0, 0)
        let before = Int(nightstand_allocations()), began = now()
        work()
        guard isCounting else { return }
        allocations += Int(nightstand_allocations()) - before - outside.allocations
        nanoseconds += now() - began - outside.nanoseconds
    }

    func radio(is condition: RadioCondition) { bridge.radio(is: condition) }
    func found(_ peer: Peer, signal_dBm: Int8, advertisement: RawSpan) { bridge.found(peer, signal_dBm: signal_dBm, advertisement: advertisement) }
    func linkUp(encrypted: Bool) { bridge.linkUp(encrypted: encrypted) }
    func linkDown(_ loss: LinkLoss) { bridge.linkDown(loss) }
    func writable() { bridge.writable() }
    func encrypted(keyBytes: Int) { bridge.encrypted(keyBytes: keyBytes) }
    func paired() { bridge.paired() }
    func pairingFailed(_ failure: PairingFailure) { bridge.pairingFailed(failure) }
    func signal(_ dBm: Int8) { bridge.signal(dBm) }

    var adapter: Address? { world.radio.adapter }
    func start(_ listener: any RadioListener) { world.radio.start(self) }
    func scan(_ wanted: Bool) { world.radio.scan(wanted) }
    func connect(_ peer: Peer, secured: Bool) { world.radio.connect(peer, secured: secured) }
    func disconnect() { world.radio.disconnect() }
    func send(_ pdu: RawSpan) -> Sent {
        let began = leave()
        defer { come(back: began) }
        return world.radio.send(pdu)
    }
    func hasKey(_ peer: Peer) -> Bool { world.radio.hasKey(peer) }
    func pair() { world.radio.pair() }
    func cancelPairing() { world.radio.cancelPairing() }
    func forget(_ peer: Peer) { world.radio.forget(peer) }
    func measureSignal() {
        let began = leave()
        defer { come(back: began) }
        world.radio.measureSignal()
    }
    func powerCycle() { world.radio.powerCycle() }
    func reopen() { world.radio.reopen() }

    func put(_ entry: Entry, _ bytes: RawSpan) -> Bool { queue.push(entry, bytes) }

    /// From here to `come(back:)` the simulated radio works, and that is its own affair.
    private func leave() -> (allocations: Int, nanoseconds: Int64) { (Int(nightstand_allocations()), now()) }

    private func come(back began: (allocations: Int, nanoseconds: Int64)) {
        outside.allocations += Int(nightstand_allocations()) - began.allocations
        outside.nanoseconds += now() - began.nanoseconds
    }
}
