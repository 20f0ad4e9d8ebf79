import Bluetooth
import Testing
import Wire

/// A kernel of scripted bytes: it keeps what the adapter sends, and the test answers.
private final class Kernel: AdapterOwner {
    var sent: [[UInt8]] = []
    var news: [String] = []
    var disk: KeyRing? = KeyRing()
    var diskIsFull = false
    var saves = 0
    var hindrance = Hindrance.none
    var adapter: Adapter!
    var now = Instant(milliseconds: 1_000)

    init(wanted: Address? = nil) { adapter = Adapter(owner: self, wanted: wanted) }

    func transmit(_ packet: RawSpan) { sent.append((0..<packet.byteCount).map { packet.u8(at: $0) }) }
    func hindrance(index: UInt16?) -> Hindrance { hindrance }
    func keys(of adapter: Address) -> KeyRing? { disk }
    func keep(_ keys: KeyRing, of adapter: Address) -> Bool {
        guard !diskIsFull else { return false }
        disk = keys
        saves += 1
        return true
    }
    func keysRefused(_ status: ManagementStatus) { news.append("keys refused \(status.code)") }
    func adapter(is condition: AdapterCondition) { news.append("\(condition)") }
    func linked(_ peer: Peer) { news.append("linked") }
    func unlinked(_ peer: Peer, _ reason: DisconnectReason) { news.append("unlinked \(reason.code)") }
    func unapproachable(_ peer: Peer, _ status: ManagementStatus) { news.append("unapproachable \(status.code)") }
    func found(_ peer: Peer, signal_dBm: Int8, data: RawSpan) { news.append("found \(signal_dBm) \(data.byteCount)") }
    func signal(_ dBm: Int8) { news.append("signal \(dBm)") }
    func pairingEnded(_ end: PairingEnd) { news.append("pairing \(end)") }

    /// Opcodes sent since the last look.
    func taken() -> [Int] {
        defer { sent = [] }
        return sent.map { Int($0[0]) | Int($0[1]) << 8 }
    }

    func receive(_ event: Int, index: Int = 0, _ body: [UInt8]) {
        let packet = word(event) + word(index) + word(body.count) + body
        adapter.receive(packet.span.bytes, now)
    }
    func answer(_ opcode: Int, _ status: UInt8 = 0, index: Int = 0, with parameters: [UInt8] = []) {
        receive(status == 0 ? 1 : 2, index: index, word(opcode) + [status] + parameters)
    }
    func answerList(_ indices: [Int]) { answer(3, index: 0xffff, with: word(indices.count) + indices.flatMap(word)) }
    func answerInfo(powered: Bool, supported: UInt32 = 0x0001_be1b, address: [UInt8] = [1, 2, 3, 4, 5, 6], index: Int = 0) {
        let current: UInt32 = powered ? 1 : 0
        answer(4, index: index, with: address + [9, 0xff, 0xff] + long(supported) + long(current) + [UInt8](repeating: 0, count: 263))
    }
    func pass(_ milliseconds: Int64) {
        now = now + milliseconds
        adapter.tick(now)
    }

    /// Answers everything with success until the adapter is up.
    func bringUp() {
        adapter.start(now)
        answerList([0])
        answerInfo(powered: false)
        for opcode in [0x0d, 0x2d, 0x18, 0x09, 0x4c, 0x05] { answer(opcode) }
        answerInfo(powered: true)
        answer(0x13)
        answer(0x34)
        sent = []
        news = []
    }
}

private func word(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8)] }
private func long(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) } }
private let strapBytes: [UInt8] = [0xf5, 0xf4, 0xf3, 0xf2, 0xf1, 0xf0, 2]
private let strap = Peer(Address("F0:F1:F2:F3:F4:F5")!, .randomLE)
/// A key event as the kernel gave it (6.1.192): store, peer, kind, central, size, diversifier, random, value.
private func keyEvent(kind: UInt8 = 2, central: UInt8 = 0, peer: [UInt8] = strapBytes, value: UInt8 = 7) -> [UInt8] {
    [1] + peer + [kind, central, 16, 0, 0] + [UInt8](repeating: 0, count: 8) + [UInt8](repeating: value, count: 16)
}

struct AdapterLadderTests {
    @Test func everyRungIsAskedForInOrder() {
        let kernel = Kernel()
        kernel.adapter.start(kernel.now)
        #expect(kernel.sent == [[3, 0, 255, 255, 0, 0]])
        kernel.answerList([0])
        kernel.answerInfo(powered: false)
        for opcode in [0x0d, 0x2d, 0x18, 0x09, 0x4c, 0x05] { kernel.answer(opcode) }
        kernel.answerInfo(powered: true)
        kernel.answer(0x13)
        #expect(kernel.news.isEmpty)
        kernel.answer(0x34)
        #expect(kernel.taken() == [3, 4, 0x0d, 0x2d, 0x18, 0x09, 0x4c, 0x05, 4, 0x13, 0x34])
        #expect(kernel.news == ["ready"])
        #expect(kernel.adapter.deadline == .never)
    }

    @Test func aPowerOnThatDoesNotHoldIsAskedForAgainEachSecond() {
        let kernel = Kernel()
        kernel.adapter.start(kernel.now)
        kernel.answerList([0])
        kernel.answerInfo(powered: false)
        for opcode in [0x0d, 0x2d, 0x18, 0x09, 0x4c, 0x05] { kernel.answer(opcode) }
        kernel.answerInfo(powered: false)
        _ = kernel.taken()
        kernel.pass(999)
        #expect(kernel.taken() == [])
        kernel.pass(1)
        #expect(kernel.taken() == [5])
        kernel.answer(5)
        kernel.answerInfo(powered: true)
        #expect(kernel.taken() == [4, 0x13])
    }

    @Test func theAdapterIsTakenByAddressNotByNumber() {
        let kernel = Kernel(wanted: Address("0C:0B:0A:09:08:07"))
        kernel.adapter.start(kernel.now)
        kernel.answerList([0, 1])
        kernel.answerInfo(powered: false)
        kernel.answerInfo(powered: false, address: [7, 8, 9, 10, 11, 12], index: 1)
        #expect(kernel.sent.last.map { [$0[0], $0[2]] } == [0x0d, 1])
    }

    @Test func anAdapterWithoutLEIsNone() {
        let kernel = Kernel()
        kernel.adapter.start(kernel.now)
        kernel.answerList([0])
        kernel.answerInfo(powered: true, supported: 0xff)
        #expect(kernel.news == ["absent"])
    }

    @Test func noAdapterIsSaidOnceAndAnAddedOneIsTaken() {
        let kernel = Kernel()
        kernel.adapter.start(kernel.now)
        kernel.answerList([])
        for _ in 0..<3 {
            kernel.pass(1_000)
            kernel.answerList([])
        }
        #expect(kernel.news == ["absent"])
        kernel.receive(4, [])
        #expect(kernel.sent.last == [3, 0, 255, 255, 0, 0])
    }

    @Test func eachTroubleHasItsName() {
        for (status, hindrance, name) in [(UInt8(0x14), Hindrance.none, "forbidden"), (3, .blocked, "blocked"), (0x12, .none, "blocked")] {
            let kernel = Kernel()
            kernel.adapter.start(kernel.now)
            kernel.answerList([0])
            kernel.answerInfo(powered: false)
            for opcode in [0x0d, 0x2d, 0x18, 0x09, 0x4c] { kernel.answer(opcode) }
            kernel.hindrance = hindrance
            kernel.answer(5, status)
            #expect(kernel.news == [name])
            #expect(kernel.adapter.deadline - kernel.now == 5_000)
        }
        let held = Kernel()
        held.hindrance = .held
        held.adapter.start(held.now)
        held.answerList([0])
        held.answerInfo(powered: true)
        #expect(held.news == ["held"])
    }

    @Test func silenceIsTrouble() {
        let kernel = Kernel()
        kernel.adapter.start(kernel.now)
        kernel.pass(4_999)
        #expect(kernel.news.isEmpty)
        kernel.pass(1)
        #expect(kernel.news == ["unresponsive"])
    }

    @Test func unreadableKeysKeepTheAdapterFromUse() {
        let kernel = Kernel()
        kernel.disk = nil
        kernel.bringUp()
        #expect(kernel.adapter.condition == .keysUnusable)
    }

    @Test func powerTakenAwayIsNoticedAndGivenBack() {
        let kernel = Kernel()
        kernel.bringUp()
        kernel.receive(6, long(0x0a10))
        #expect(kernel.news == ["starting"])
        kernel.pass(1_000)
        #expect(kernel.taken() == [3])
    }

    @Test func anotherAdaptersNewsIsNotOurs() {
        let kernel = Kernel()
        kernel.bringUp()
        kernel.receive(6, index: 1, long(0x0a10))
        kernel.receive(5, index: 1, [])
        #expect(kernel.news.isEmpty)
        kernel.receive(5, index: 0, [])
        #expect(kernel.news == ["absent"])
    }
}

struct AdapterPeerTests {
    @Test func anApproachCarriesTheLinksParameters() {
        let kernel = Kernel()
        kernel.bringUp()
        kernel.adapter.approach(strap, secured: false, kernel.now)
        kernel.answer(0x35)
        // 30...50 ms in units of 1.25 ms, latency 0, timeout 4 s in units of 10 ms.
        #expect(kernel.sent[0] == [0x35, 0, 0, 0, 17, 0, 1, 0] + strapBytes + [24, 0, 40, 0, 0, 0, 0x90, 1])
        #expect(kernel.sent[1] == [0x33, 0, 0, 0, 8, 0] + strapBytes + [2])
        kernel.receive(0x0b, strapBytes + [8, 0, 0, 0, 0, 0])
        kernel.receive(0x0c, strapBytes + [1])
        #expect(kernel.news == ["linked", "unlinked 1"])
    }

    @Test func anApproachTheKernelRefusesIsTold() {
        let kernel = Kernel()
        kernel.bringUp()
        kernel.adapter.approach(strap, secured: false, kernel.now)
        kernel.answer(0x35)
        kernel.answer(0x33, 0x0d, with: strapBytes)
        #expect(kernel.news == ["unapproachable 13"])
    }

    @Test func aLinkNobodyWantsIsEnded() {
        let kernel = Kernel()
        kernel.bringUp()
        kernel.receive(0x0b, strapBytes + [8, 0, 0, 0, 0, 0])
        #expect(kernel.taken() == [0x14])
        #expect(kernel.news.isEmpty)
    }

    @Test func aLinkThatIsAlreadyThereIsTaken() {
        let kernel = Kernel()
        kernel.bringUp()
        kernel.receive(0x0b, strapBytes + [8, 0, 0, 0, 0, 0])
        kernel.adapter.approach(strap, secured: false, kernel.now)
        #expect(kernel.news == ["linked"])
    }

    @Test func aConfirmationIsGivenOnlyForAPairingWeAskedFor() {
        let kernel = Kernel()
        kernel.bringUp()
        kernel.receive(0x0f, strapBytes + [1, 0, 0, 0, 0])
        #expect(kernel.taken() == [0x1d])
        kernel.adapter.pair(strap, kernel.now)
        kernel.answer(0x09)
        #expect(kernel.taken() == [0x09, 0x19])
        var other = strapBytes
        other[0] = 0
        kernel.receive(0x0f, other + [1, 0, 0, 0, 0])
        #expect(kernel.taken() == [0x1d])
        kernel.receive(0x0f, strapBytes + [1, 0, 0, 0, 0])
        #expect(kernel.taken() == [0x1c])
    }

    @Test func keysNobodyAskedForAreNotLearnt() {
        let kernel = Kernel()
        kernel.bringUp()
        kernel.receive(0x0a, keyEvent())
        #expect(kernel.saves == 0)
        #expect(!kernel.adapter.holdsKey(strap))
    }

    @Test func aKeyThatIsNoBondDoesNotTakeThePlaceOfOne() {
        let kernel = Kernel()
        kernel.disk = KeyRing()
        _ = kernel.disk?.put(LongTermKey(Array(keyEvent().dropFirst()).span.bytes)!)
        kernel.bringUp()
        let bond = kernel.disk
        var event = keyEvent(value: 9)
        event[0] = 0
        kernel.receive(0x0a, event)
        #expect(kernel.disk == bond && kernel.saves == 0)
    }

    @Test func bothKeysOfALegacyBondGoToDiskTogether() {
        let kernel = Kernel()
        kernel.bringUp()
        kernel.adapter.pair(strap, kernel.now)
        kernel.answer(0x09)
        kernel.receive(0x0a, keyEvent(kind: 0, central: 1))
        kernel.receive(0x0a, keyEvent(kind: 0, central: 0))
        kernel.answer(0x19, with: strapBytes)
        #expect(kernel.news == ["pairing paired"])
        #expect(kernel.saves == 1)
        #expect(kernel.disk?.keys.count == 2)
        // Bondable only while a person asked.
        #expect(kernel.sent.last == [0x09, 0, 0, 0, 1, 0, 0])
    }

    @Test func successWithoutAKeyIsNoBond() {
        let kernel = Kernel()
        kernel.bringUp()
        kernel.adapter.pair(strap, kernel.now)
        kernel.answer(0x09)
        kernel.answer(0x19, with: strapBytes)
        #expect(kernel.news == ["pairing keyless"])
    }

    @Test func aKeyThatDoesNotReachTheDiskIsNoBond() {
        let kernel = Kernel()
        kernel.bringUp()
        kernel.diskIsFull = true
        kernel.adapter.pair(strap, kernel.now)
        kernel.answer(0x09)
        kernel.receive(0x0a, keyEvent())
        kernel.answer(0x19, with: strapBytes)
        #expect(kernel.news == ["pairing unkept"])
        _ = kernel.taken()
        kernel.answer(0x09)
        // The kernel forgets the key too, or it would call the strap paired already.
        #expect(kernel.taken() == [0x13])
        #expect(!kernel.adapter.holdsKey(strap))
    }

    @Test func theOldKeyStaysOnDiskUntilTheNewOneIsThere() {
        let kernel = Kernel()
        var ring = KeyRing()
        _ = ring.put(LongTermKey(Array(keyEvent(value: 1).dropFirst()).span.bytes)!)
        kernel.disk = ring
        kernel.bringUp()
        kernel.adapter.pair(strap, kernel.now)
        // The kernel is given the list without it, or it would answer that the peer is paired.
        #expect(kernel.sent[0] == [0x13, 0, 0, 0, 2, 0, 0, 0])
        kernel.answer(0x13)
        kernel.answer(0x09)
        kernel.answer(0x19, 5, with: strapBytes)
        #expect(kernel.news == ["pairing refused"])
        #expect(kernel.disk == ring)
        kernel.answer(0x09)
        _ = kernel.taken()
        kernel.adapter.approach(strap, secured: true, kernel.now)
        #expect(kernel.sent[0].count == 6 + 2 + 36)
        #expect(kernel.sent[0][0] == 0x13)
    }

    @Test func statusesOfAPairingAreTold() {
        for (status, word) in [(UInt8(5), "refused"), (8, "timedOut"), (0x0e, "linkLost"), (0x10, "cancelled"), (0xee, "failed(Bluetooth.ManagementStatus(code: 238))")] {
            let kernel = Kernel()
            kernel.bringUp()
            kernel.adapter.pair(strap, kernel.now)
            kernel.answer(0x09)
            kernel.answer(0x19, status, with: strapBytes)
            #expect(kernel.news == ["pairing \(word)"])
        }
    }

    @Test func discoveryGoesOnUntilItIsNoLongerWanted() {
        let kernel = Kernel()
        kernel.bringUp()
        kernel.adapter.discover(true, kernel.now)
        kernel.answer(0x23, with: [6])
        kernel.receive(0x13, [6, 1])
        kernel.receive(0x12, strapBytes + [0xce, 0, 0, 0, 0, 3, 0, 2, 1, 6])
        #expect(kernel.news == ["found -50 3"])
        kernel.receive(0x13, [6, 0])
        _ = kernel.taken()
        kernel.pass(200)
        #expect(kernel.taken() == [0x23])
        kernel.answer(0x23, with: [6])
        kernel.adapter.discover(false, kernel.now)
        #expect(kernel.taken() == [0x24])
        kernel.receive(0x13, [6, 0])
        #expect(kernel.adapter.deadline > kernel.now + 1_000)
    }

    @Test func anUnknownSignalStrengthIsNotTold() {
        let kernel = Kernel()
        kernel.bringUp()
        kernel.receive(0x0b, strapBytes + [8, 0, 0, 0, 0, 0])
        kernel.answer(0x14)
        for rssi in [UInt8(127), 0xc4] {
            kernel.adapter.measureSignal(kernel.now)
            kernel.answer(0x31, with: strapBytes + [rssi, 127, 127])
        }
        #expect(kernel.news == ["signal -60"])
    }
}
