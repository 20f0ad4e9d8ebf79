// Owns the firmware's parts and their order: what is opened when, who hears whom, what is written before the end.
// Decides nothing about straps; that is the bridge's.
import Bridge
import CLinux
import Gateway
import Linux
import Ports
import Store
import Wire

final class Daemon: Timed, Handler, ButtonListener {
    private let loop: EventLoop
    private let clock: SystemClock
    private let log = ErrorLog()
    private let radio: KernelRadio
    private let store: StoreThread
    private let bridge: Bridge
    private var control: ControlSocket?
    private var button: LineButton?
    private var signals: Signals?

    init(settings: Settings, state: String, socket: String) throws(SystemError) {
        clock = SystemClock(trustedByPerson: settings.clock == .trust)
        loop = try EventLoop(clock: clock)
        let loop = loop
        // Before any thread: its mask is inherited.
        signals = try Signals(loop: loop) { loop.stop() }

        let database = state + "/nightstand.db"
        let frontier = newestSecond(of: database, clock)
        guard let store = StoreThread(clock: clock) else { throw SystemError("eventfd") }
        self.store = store
        radio = KernelRadio(loop: loop, clock: clock, log: log, keyFile: KeyFile(directory: state + "/keys", log: log), wanted: settings.adapter)
        bridge = Bridge(settings: settings, clock: clock, radio: radio, store: store, indicator: indicator(settings, log),
            notebook: NotebookFile(state + "/straps", log: log), log: log, frontier: frontier)

        guard store.start(Ring(path: database, limit: settings.ringBytes, clock: clock, listener: store)) else { throw SystemError("pthread_create") }
        try loop.add(store.descriptor, .readable, self)
        let answering = Control(bridge, version: version)
        control = try ControlSocket(socket, loop: loop, group: "nightstand") { answering.answer($0) }
        openButton(settings)
    }

    /// Until SIGTERM, SIGINT or SIGHUP; then everything that waits is written.
    func run() throws(SystemError) {
        log.say("nightstand \(version) is up.")
        loop.add(timed: self)
        bridge.start()
        try loop.run()
        bridge.stop()
        radio.stop()
        control?.end()
        store.stop()
        log.say("nightstand has ended; everything is written.")
    }

    // MARK: the loop

    var deadline: Instant { min(bridge.deadline, button?.deadline ?? .never) }

    func tick(_ now: Instant) {
        button?.expired(now: now)
        bridge.tick()
    }

    func ready(_ descriptor: Int32, _ events: Interest) {
        if descriptor == store.descriptor { return store.drain(bridge) }
        guard let button, descriptor == button.descriptor else { return }
        do throws(LineError) {
            try button.readable(now: clock.now)
        } catch {
            log.say("The button's GPIO chip is gone; presses are not seen until the next start.")
            loop.remove(descriptor)
            self.button = nil
        }
    }

    func button(pressed: Bool, at: Instant) { bridge.button(pressed: pressed, at: at) }

    private func openButton(_ settings: Settings) {
        guard let line = settings.button else { return }
        do throws(LineError) {
            let button = try LineButton(chip: settings.chip, line: "\(line)", listener: self)
            self.button = button
            do throws(SystemError) { try loop.add(button.descriptor, .readable, self) } catch { log.say(error.text) }
        } catch {
            log.say("No button: \(error.words)")
        }
    }
}

/// The newest durable second of history, unix; 0 where there is none or it cannot be read.
private func newestSecond(of database: String, _ clock: SystemClock) -> Int64 {
    do throws(SQLError) {
        return try RingReader(path: database, clock: clock).newestRecord()?.seconds ?? 0
    } catch {
        return 0
    }
}

/// No light at all, where there is no GPIO.
private final class NoIndicator: Indicator {
    var hasColours: Bool { false }
    func show(_ light: Light) {}
}

private func indicator(_ settings: Settings, _ log: ErrorLog) -> any Indicator {
    do throws(LineError) {
        if let red = settings.ledRed, let green = settings.ledGreen, let blue = settings.ledBlue {
            return try LineIndicator(chip: settings.chip, red: "\(red)", green: "\(green)", blue: "\(blue)")
        }
        if let led = settings.led { return try LineIndicator(chip: settings.chip, led: "\(led)") }
    } catch {
        log.say("No LED: \(error.words)")
    }
    return NoIndicator()
}

extension LineError {
    /// What is wrong with a line, and what to do.
    var words: String {
        switch self {
        case .absent: "this machine has no such GPIO line (gpio_chip and the line's number are in nightstand.conf); the rest runs."
        case .denied: "the GPIO chip may not be opened; the udev rule and the group gpio give that right."
        case .busy: "another program holds the GPIO line."
        case .failed(let errno): "the GPIO line fails (\(errorText(errno)))."
        }
    }
}
