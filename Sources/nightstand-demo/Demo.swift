// Owns the demonstration: the shipping bridge and the shipping ring, on a simulated radio, strap, button and LED. Time runs
// faster than life, acknowledgements do not: a burst is on this machine's disk before the strap is told to let go.
import Bridge
import CLinux
import Gateway
import Linux
import Ports
import Simulator
import Store
import Whoop
import Wire

let demoHelp: StaticString = """
    nightstand demo [--strap 4|5] [--seed N] [--database FILE] [--fast]

    Twenty minutes of a morning with a simulated strap, in about 25 s: it is paired, last night is fetched, the button
    and a double tap mark moments, the strap goes out of range and comes back, a run begins. Heart rate and night are
    made up from the seed (1); the first bursts of history are those of a real strap, byte for byte. FILE is
    nightstand-demo.db here; what the strap still holds is in FILE-strap. Started again, it goes on where it was.
    --fast    as fast as this machine can, without drawing
    Exit status: 0; 70 when a promise was broken, which is named; 73 FILE cannot be written.
    """

func demo(_ arguments: inout Arguments) -> Int32 {
    if arguments.flag("--help") || arguments.flag("-h") {
        write("\(demoHelp)\n", to: 1)
        return Int32(Exit.ok)
    }
    let isFast = arguments.flag("--fast")
    let path = arguments.option("--database") ?? "nightstand-demo.db"
    let strap = arguments.option("--strap") ?? "4"
    let seedText = arguments.option("--seed") ?? "1"
    if let refused = arguments.refuseRest(of: "demo") { return refused }
    guard let family = UInt8(strap).flatMap({ Family(rawValue: $0) }) else {
        complain("--strap \(strap): must be 4 or 5")
        return Int32(Exit.usage)
    }
    guard let seed = UInt64(seedText) else {
        complain("--seed \(seedText): must be a whole number")
        return Int32(Exit.usage)
    }
    guard access(folder(of: path), W_OK | X_OK) == 0 else {
        complain("\(folder(of: path)): \(errorText(nightstand_errno())); name another place: nightstand demo --database FILE")
        return Int32(Exit.cannotCreate)
    }
    return Demonstration(family: family, seed: seed, path: path, isFast: isFast).run()
}

private final class Demonstration {
    /// Simulated time passes so much faster than life.
    private static let speed: Int64 = 45
    private static let frame_ms: Int64 = 100
    private static let length_s: Int64 = 1_140

    private let world: World
    private let ring: Ring
    private let memory: StrapMemory
    private let path: String
    private let isFast: Bool
    private let view: DemoView

    init(family: Family, seed: UInt64, path: String, isFast: Bool) {
        self.path = path
        self.isFast = isFast
        memory = StrapMemory(path: path + "-strap", family: family, seed: seed)
        world = World(family, seed: seed, wall: memory.wall)
        memory.restore(world)
        ring = Ring(path: path, limit: Ring.smallestLimit, clock: world.clock, listener: world.store)
        view = DemoView(world, speed: isFast ? nil : Self.speed, isTerminal: isTerminal(1) && !isFast)
        let (ring, world, view) = (ring, world, view)
        world.store.sink = { ring.apply($0, $1) }
        world.schedule.every(500) { _ = ring.tick(now: world.clock.now) }
        world.schedule.every(10_000) { view.remember() }
        world.indicator.remembers = false
        world.strap.keepsTold = false
        do throws(SQLError) {
            world.frontier = try RingReader(path: path, clock: world.clock).newestRecord()?.seconds ?? 0
        } catch {}
    }

    func run() -> Int32 {
        let signals = Interruption()
        plan()
        view.begin()
        world.start()
        let end = world.clock.now + Self.length_s * 1000
        var isInterrupted = false
        while world.clock.now < end, !isInterrupted {
            world.run(for: Self.frame_ms * Self.speed)
            memory.save(world)
            view.draw()
            isInterrupted = signals.came(within_ms: isFast ? 0 : view.left_ms(of: Self.frame_ms))
        }
        world.bridge.stop()
        world.run(seconds: 1)
        ring.close()
        memory.save(world)
        view.end(isInterrupted)
        return report()
    }

    /// What happens on this morning, in seconds from the start.
    private func plan() {
        let (world, schedule) = (world, world.schedule)
        if !world.radio.hasKey(world.strap.peer) {
            world.strap.isInPairingMode = true
            schedule.after(3_000) { world.button.press(for: 3_400) }
        }
        schedule.after(120_000) { world.button.press(for: 120) }
        schedule.after(430_000) { world.strap.doubleTap() }
        schedule.after(520_000) {
            world.strap.isInReach = false
            world.radio.breakLink(.timeout)
        }
        schedule.after(600_000) { world.strap.isInReach = true }
        schedule.after(900_000) { world.button.press(for: 120) }
        schedule.after(900_240) { world.button.press(for: 120) }
    }

    private func report() -> Int32 {
        let stored = Set(world.store.durable)
        say("")
        do throws(SQLError) {
            let counts = try RingReader(path: path, clock: SystemClock(trustedByPerson: false)).counts()
            say("\(path) holds \(counts.records) records of history in \(counts.bursts) bursts, \(counts.seconds) seconds with a heart rate or more,")
            say("\(counts.beats) beats, \(counts.liveRows) live rows, \(counts.moments) moments, \(counts.events) events, \(counts.gaps) gaps, \(counts.undecoded) frames kept unread.")
        } catch {
            complain("\(path): \(error.text)")
            return Int32(Exit.cannotCreate)
        }
        say("The strap let go of \(world.strap.released.count) bursts in this run, \(world.strap.released.filter { stored.contains($0) }.count) of them after they were on this disk; it holds \(world.strap.pendingRecords) records.")
        say("Look inside:  sqlite3 \(path) 'SELECT datetime(unix, \"unixepoch\"), heart_rate_bpm, rr_ms FROM second ORDER BY unix DESC LIMIT 5'")
        guard world.breaches.isEmpty else {
            for breach in world.breaches { complain("broken promise: \(breach)") }
            return Int32(Exit.software)
        }
        return Int32(Exit.ok)
    }
}

/// SIGINT and SIGTERM, taken between two frames.
private struct Interruption {
    private var set = sigset_t()

    init() {
        sigemptyset(&set)
        sigaddset(&set, SIGINT)
        sigaddset(&set, SIGTERM)
        sigprocmask(SIG_BLOCK, &set, nil)
        nightstand_ignore_signal(SIGPIPE)
    }

    /// Waits; true when one came.
    func came(within_ms milliseconds: Int64) -> Bool {
        var set = set
        var left = timespec(tv_sec: Int(milliseconds / 1000), tv_nsec: Int(milliseconds % 1000) * 1_000_000)
        return sigtimedwait(&set, nil, &left) > 0
    }
}
