// Owns driving the kernel's radio by hand or by script: one word a line on standard input, what happened on standard
// output. It holds the same leaves as the daemon and nothing else, so that what it shows is the kernel's doing.
import Bluetooth
import CLinux
import Linux
import Ports
import Wire

final class Trial: RadioListener, Handler {
    let radio: KernelRadio
    let clock: SystemClock
    var peer: Peer?
    var pending: [UInt8] = []
    var pdus = 0
    var over = false
    let input: UnsafeMutableRawPointer

    init(_ radio: KernelRadio, _ clock: SystemClock) {
        self.radio = radio
        self.clock = clock
        input = .allocate(byteCount: 256, alignment: 1)
    }

    func say(_ line: String) {
        print("\(clock.now.milliseconds) \(line)")
        fflush(nil)
    }

    // MARK: heard

    func radio(is condition: RadioCondition) { say("radio \(word(condition))") }
    func found(_ peer: Peer, signal_dBm: Int8, advertisement: RawSpan) {
        self.peer = peer
        say("found \(peer.text) \(signal_dBm) \(advertisement.byteCount)")
    }
    func linkUp(encrypted: Bool) { say("up \(encrypted ? "encrypted" : "plain")") }
    func linkDown(_ loss: LinkLoss) { say("down \(word(loss.cause)) \(loss.wasUp ? "was-up" : "never-up")") }
    func received(_ pdu: RawSpan) {
        pdus += 1
        if pdu.u8(at: 0) != 0x1b { say("pdu \(hex(pdu))") }
    }
    func writable() { say("writable") }
    func encrypted(keyBytes: Int) { say("encrypted \(keyBytes)") }
    func paired() { say("paired") }
    func pairingFailed(_ failure: PairingFailure) {
        switch failure {
        case .refused: say("pairing refused")
        case .timedOut: say("pairing timed-out")
        case .linkLost: say("pairing link-lost")
        case .unable: say("pairing unable")
        case .keyNotKept: say("pairing key-not-kept")
        case .other(let status): say("pairing other \(status)")
        }
    }
    func signal(_ dBm: Int8) { say("signal \(dBm)") }

    // MARK: told

    func ready(_ descriptor: Int32, _ events: Interest) {
        let count = read(descriptor, input, 256)
        guard count > 0 else { return quit() }
        for i in 0..<count {
            let c = input.load(fromByteOffset: i, as: UInt8.self)
            if c != 0x0a { pending.append(c); continue }
            let words = String(decoding: pending, as: UTF8.self)
            pending = []
            obey(words)
        }
    }

    func quit() {
        radio.stop()
        over = true
    }

    func obey(_ command: String) {
        switch command {
        case "scan": radio.scan(true)
        case "still": radio.scan(false)
        case "connect": if let peer { radio.scan(false); radio.connect(peer, secured: false) }
        case "secured": if let peer { radio.scan(false); radio.connect(peer, secured: true) }
        case "disconnect": radio.disconnect()
        case "pair": radio.pair()
        case "cancel": radio.cancelPairing()
        case "forget": if let peer { radio.forget(peer) }
        case "key": if let peer { say("key \(radio.hasKey(peer) ? "yes" : "no")") }
        case "signal": radio.measureSignal()
        case "cycle": radio.powerCycle()
        case "reopen": radio.reopen()
        case "count": say("pdus \(pdus)")
        case "quit": quit()
        default:
            // `peer ADDRESS` names one of random type, `send HEX` an ATT PDU.
            if command.utf8.starts(with: "peer ".utf8), let address = Address(String(command.utf8.dropFirst(5))!) {
                peer = Peer(address, .randomLE)
            } else if command.utf8.starts(with: "send ".utf8), let pdu = bytes(hex: String(command.utf8.dropFirst(5))!) {
                switch radio.send(pdu.span.bytes) {
                case .sent: say("sent")
                case .busy: say("busy")
                case .gone: say("gone")
                }
            } else { say("what? \(command)") }
        }
    }

    func word(_ condition: RadioCondition) -> StaticString {
        switch condition {
        case .starting: "starting"
        case .ready: "ready"
        case .absent: "absent"
        case .busy: "busy"
        case .blocked: "blocked"
        case .forbidden: "forbidden"
        case .unsupported: "unsupported"
        case .noCryptography: "no-cryptography"
        case .unresponsive: "unresponsive"
        case .keysUnusable: "keys-unusable"
        }
    }

    func word(_ cause: LinkLoss.Cause) -> String {
        switch cause {
        case .notReached: "not-reached"
        case .timeout: "timeout"
        case .remote: "remote"
        case .local: "local"
        case .authentication: "authentication"
        case .adapter: "adapter"
        case .other(let n): "other \(n)"
        }
    }
}

/// The first word on the command line is the folder for keys.
func runTrial(_ arguments: [String]) -> Int32 {
    let clock = SystemClock(trustedByPerson: false), log = ErrorLog()
    do throws(SystemError) {
        let loop = try EventLoop(clock: clock)
        let keys = KeyFile(directory: arguments.first ?? "/tmp/keys", log: log)
        let wanted = arguments.count > 1 ? Address(arguments[1]) : nil
        let radio = KernelRadio(loop: loop, clock: clock, log: log, keyFile: keys, wanted: wanted)
        let trial = Trial(radio, clock)
        try loop.add(0, .readable, trial)
        radio.start(trial)
        while !trial.over { try loop.turn() }
        return 0
    } catch {
        log.say(error.text)
        return 1
    }
}

// Embedded Swift on a bare triple has no CommandLine; the kernel knows the words too.
let words = (try? readFile("/proc/self/cmdline"))?.split(separator: 0).map { String(decoding: $0, as: UTF8.self) } ?? []
exit(runTrial(Array(words.dropFirst())))
