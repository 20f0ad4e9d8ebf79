// Owns the backfill: when a burst of history is whole, what is done about one that is not, and when the strap may be
// told to let go. Given frames, the store's word and the time; gives back one action at a time. Never writes, never
// waits, never acknowledges what the store has not confirmed.
import Wire

/// One run of history offload over a link (WHOOP.md section 9.2).
public struct Offload: Sendable {
    public enum State: Equatable, Sendable {
        case idle
        /// History was asked for; nothing has come.
        case requested
        /// Between an END that is done with and the next START.
        case between
        case inBurst
        /// The store has the burst; the strap waits.
        case committing
        /// A burst was not taken; the strap was told to stop and is asked again after a pause.
        case pausing
    }

    public enum Action: Equatable, Sendable {
        case none
        /// Write SEND_HISTORICAL_DATA.
        case request
        /// Forget the frames of the burst under way: they will be served again.
        case drop(Refusal)
        /// Make the burst durable and come back with `stored` or `notStored`.
        case commit(Burst)
        /// Write HISTORICAL_DATA_RESULT with this token.
        case acknowledge(UInt64)
        /// Forget the frames and write ABORT_HISTORICAL_TRANSMITS; `tick` asks again after the pause.
        case abort(Refusal)
        case finished(Outcome)
    }

    public struct Burst: Equatable, Sendable {
        public var announced: UInt32
        public var received: UInt32
        /// The END's eight bytes, little-endian.
        public var token: UInt64
        /// The third identical short serving: committed as far as it goes, so that one bad page cannot stop history for ever.
        public var isShort: Bool
    }

    public enum Refusal: Equatable, Sendable {
        /// Fewer frames than the END announced.
        case short(received: UInt32, announced: UInt32)
        /// A frame of the burst failed its checksum.
        case damaged
        /// The store could not make it durable.
        case notStored
        /// The store had no room for a frame of it.
        case notTaken
        /// A new START before the END.
        case restarted
        /// No frame for the family's idle time.
        case idle
        /// The link went away inside the burst.
        case linkLost
    }

    public enum Outcome: Equatable, Sendable {
        /// The strap said COMPLETE, or that nothing is pending.
        case complete
        /// No answer to two requests.
        case unanswered
        /// Silence after a restart: the link is of no use for history.
        case stalled
        /// The store does not take bursts; ask again when it does.
        case notStored
    }

    /// No START for so long after a request: asked again once (section 9.2).
    static let startLimit_ms: Int64 = 10_000
    /// No record for so long after a START: asked again once.
    static let kick_ms: Int64 = 15_000
    /// Between ABORT and the next request.
    static let pause_ms: Int64 = 3_000
    /// Waited for COMPLETE after the strap said that nothing is pending. A 5.0 was seen never to send it.
    static let completeLimit_ms: Int64 = 2_000
    /// Servings of the same short burst before it is passed.
    static let shortServings = 3

    public private(set) var state = State.idle
    /// Frames of the burst under way.
    public private(set) var received: UInt32 = 0
    /// Bursts acknowledged in this run.
    public private(set) var acknowledged: UInt32 = 0

    private let idleLimit_ms: Int64
    private var damaged = false
    /// A frame of the burst arrived and the store did not take it.
    private var lost = false
    /// The last END said so.
    private var nothingPending = false
    private var token: UInt64 = 0
    private var timer = Instant.never
    private var requests = 0
    private var kicked = false
    private var restarts = 0
    /// Tells apart which frames of the burst under way arrived, not only how many.
    private var digest: UInt32 = 0
    private var lastShort: (token: UInt64, digest: UInt32, servings: Int) = (0, 0, 0)

    /// - Parameter idleLimit_ms: silence that ends a run: 60 s on 4.0, 20 s on 5.0 (section 9.2).
    public init(idleLimit_ms: Int64) { self.idleLimit_ms = idleLimit_ms }

    public var isRunning: Bool { state != .idle }

    /// Whether history that comes now is of a burst that the store has already, or that was given up: it is not kept.
    public var discardsFrames: Bool { state == .committing || state == .pausing }

    /// When `tick` wants to be called.
    public var deadline: Instant { timer }

    public mutating func start(now: Instant) -> Action {
        guard state == .idle else { return .none }
        requests = 0
        restarts = 0
        kicked = false
        acknowledged = 0
        lastShort = (0, 0, 0)
        return ask(now)
    }

    /// The link is gone; whatever was not acknowledged will be served again.
    public mutating func reset() {
        state = .idle
        received = 0
        damaged = false
        lost = false
        nothingPending = false
        timer = .never
    }

    private mutating func ask(_ now: Instant) -> Action {
        requests += 1
        state = .requested
        received = 0
        damaged = false
        lost = false
        nothingPending = false
        timer = now + Self.startLimit_ms
        return .request
    }

    // MARK: what the strap sends on the data characteristic

    /// Counts a frame whose checksums held, of a type that END counts. True: it belongs to the burst and is to be kept with it.
    /// - Parameters:
    ///   - isRecord: a historical record, which opens a burst where the START was not sent again.
    ///   - checksum: the frame's CRC-32, by which a second serving is known to be the same as the first.
    public mutating func frame(isRecord: Bool, checksum: UInt32 = 0, now: Instant) -> Bool {
        switch state {
        case .inBurst: break
        case .requested where isRecord, .between where isRecord: state = .inBurst
        default: return false
        }
        digest = (received == 0 ? 0 : digest) &* 31 &+ checksum
        received &+= 1
        timer = now + idleLimit_ms
        return true
    }

    /// A frame on the data characteristic failed a checksum.
    public mutating func damage() {
        if state == .inBurst { damaged = true }
    }

    /// A frame of the burst arrived and the store had no room for it. However often that happens, such a burst is never
    /// passed: the strap has it whole.
    public mutating func lose() {
        if state == .inBurst { lost = true }
    }

    public mutating func historyStart(now: Instant) -> Action {
        // While the store is at work the strap may lose patience and serve the same burst again.
        guard state != .idle, state != .pausing, state != .committing else { return .none }
        nothingPending = false
        let action: Action = state == .inBurst && received > 0 ? .drop(.restarted) : .none
        state = .inBurst
        received = 0
        damaged = false
        lost = false
        timer = now + (kicked ? idleLimit_ms : Self.kick_ms)
        return action
    }

    public mutating func historyEnd(announced: UInt32, token: UInt64, now: Instant) -> Action {
        switch state {
        case .idle, .pausing, .committing: return .none
        case .requested, .between, .inBurst: break
        }
        // All ones: nothing is pending, nothing to acknowledge.
        if token == .max {
            let action: Action = received > 0 ? .drop(.restarted) : .none
            state = .between
            received = 0
            nothingPending = true
            timer = now + Self.completeLimit_ms
            return action
        }
        if lost { return pause(.notTaken, now) }
        let isWhole = received >= announced && !damaged
        if !isWhole {
            let which = received == 0 ? 0 : digest
            let servings = lastShort.token == token && lastShort.digest == which ? lastShort.servings + 1 : 1
            lastShort = (token, which, servings)
            if servings < Self.shortServings {
                return pause(damaged ? .damaged : .short(received: received, announced: announced), now)
            }
        }
        self.token = token
        state = .committing
        timer = .never
        return .commit(Burst(announced: announced, received: received, token: token, isShort: !isWhole))
    }

    public mutating func historyComplete() -> Action {
        guard state != .idle, state != .pausing, state != .committing else { return .none }
        reset()
        return .finished(.complete)
    }

    // MARK: what the store says

    public mutating func stored(now: Instant) -> Action {
        guard state == .committing else { return .none }
        state = .between
        received = 0
        damaged = false
        lost = false
        requests = 0
        restarts = 0
        kicked = false
        acknowledged &+= 1
        timer = now + idleLimit_ms
        return .acknowledge(token)
    }

    public mutating func notStored() -> Action {
        guard state == .committing else { return .none }
        reset()
        return .abort(.notStored)
    }

    // MARK: time

    public mutating func tick(now: Instant) -> Action {
        guard now >= timer else { return .none }
        timer = .never
        switch state {
        case .idle, .committing:
            return .none
        case .pausing:
            return ask(now)
        case .requested:
            if requests < 2 { return ask(now) }
            reset()
            return .finished(.unanswered)
        case .between where nothingPending:
            reset()
            return .finished(.complete)
        case .inBurst where received == 0 && !kicked:
            kicked = true
            timer = now + idleLimit_ms
            return .request
        case .between, .inBurst:
            restarts += 1
            if restarts < 2 { return pause(.idle, now) }
            reset()
            return .finished(.stalled)
        }
    }

    private mutating func pause(_ refusal: Refusal, _ now: Instant) -> Action {
        state = .pausing
        received = 0
        damaged = false
        lost = false
        requests = 0
        timer = now + Self.pause_ms
        return .abort(refusal)
    }
}
