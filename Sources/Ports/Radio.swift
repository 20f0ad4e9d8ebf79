// Owns what the bridge asks of a radio and hears from it. One adapter, one link at a time. The kernel's sockets, an
// exclusive controller or the simulator can stand behind it; nothing here names a file descriptor or an mgmt opcode.
import Wire

/// A host that scans, keeps one link, and pairs. No call blocks; every answer comes to the listener, on the loop's thread.
public protocol Radio: AnyObject {
    /// The adapter's own address, once it is known. Keys belong to it.
    var adapter: Address? { get }

    /// Opens what is needed and begins to bring the adapter up; trouble is told to the listener and heals by itself.
    func start(_ listener: any RadioListener)

    /// Looks for advertisers, or stops. Never called with true while `connect` is pending: a radio does one or the other.
    func scan(_ wanted: Bool)

    /// Connects to a peer as soon as it is heard, however long that takes: `linkUp`, or `linkDown` when the attempt ended.
    /// `linkDown` ends the wish: the radio is idle then, until `connect` is called again.
    /// With `secured`, a stored key encrypts the link before it is up. Without, no security is asked for.
    func connect(_ peer: Peer, secured: Bool)

    /// Gives up a pending connect or ends the link; `linkDown` follows when there was one.
    func disconnect()

    /// Sends one ATT PDU. `.busy`: try again at `writable`.
    func send(_ pdu: RawSpan) -> Sent

    /// Whether a long-term key for this peer is stored for this adapter.
    func hasKey(_ peer: Peer) -> Bool

    /// Pairs with the peer at the other end of the link (LE, bonding, no PIN). A person opened the window before.
    /// `paired` once the key is safe on disk, or `pairingFailed`.
    func pair()

    /// Ends a pairing under way.
    func cancelPairing()

    /// Deletes the key of a peer, on disk and in the kernel.
    func forget(_ peer: Peer)

    /// Asks for the link's signal strength; answered by `signal`.
    func measureSignal()

    /// Power-cycles the adapter; the link is lost.
    func powerCycle()

    /// Closes and opens again everything that `start` opened.
    func reopen()
}

/// What came of sending a PDU.
public enum Sent: Sendable {
    case sent
    /// Nothing was taken: the buffer is full, or the link waits for encryption.
    case busy
    /// There is no link.
    case gone
}

public protocol RadioListener: AnyObject {
    /// The adapter's condition changed.
    func radio(is condition: RadioCondition)
    /// An advertiser was heard. `advertisement` holds advertising and scan response structures; valid during the call only.
    func found(_ peer: Peer, signal_dBm: Int8, advertisement: RawSpan)
    /// ATT can be used. `encrypted`: the kernel's word that a key of at least 7 bytes is in use.
    func linkUp(encrypted: Bool)
    func linkDown(_ loss: LinkLoss)
    /// One ATT PDU from the peer, 1...517 bytes; valid during the call only.
    func received(_ pdu: RawSpan)
    /// After `.busy`: sending may work again.
    func writable()
    /// The link has become encrypted. `keyBytes` 7...16.
    func encrypted(keyBytes: Int)
    /// The new long-term key is on disk.
    func paired()
    func pairingFailed(_ failure: PairingFailure)
    /// Signal strength of the link in dBm, -127...20.
    func signal(_ dBm: Int8)
}

/// Why the radio cannot be used; each has one sentence in `Bridge` and heals by itself when the cause goes.
public enum RadioCondition: Equatable, Sendable {
    case starting
    case ready
    /// No adapter, or not the configured one.
    case absent
    /// Another program holds the adapter (user channel, or bluetoothd manages it).
    case busy
    /// rfkill.
    case blocked
    /// CAP_NET_ADMIN is missing.
    case forbidden
    /// The kernel has no Bluetooth (module missing).
    case unsupported
    /// The kernel lacks what pairing needs (`drbg`, `ecdh_generic`, `cmac`).
    case noCryptography
    /// Commands are not answered or the adapter will not power on.
    case unresponsive
    /// The key file could not be read or written; `errno`.
    case keysUnusable(Int32)
}

/// How a link or an attempt at one ended.
public struct LinkLoss: Equatable, Sendable {
    public enum Cause: Equatable, Sendable {
        /// No answer within the connection attempt's time.
        case notReached
        /// Supervision timeout: out of range or asleep.
        case timeout
        /// The strap hung up.
        case remote
        /// We hung up.
        case local
        /// Encryption failed: the strap no longer knows our key, or refuses it.
        case authentication
        /// The adapter went away or was powered off.
        case adapter
        /// Any other, with the kernel's reason or errno.
        case other(Int32)
    }
    public var cause: Cause
    /// Whether the link had been up.
    public var wasUp: Bool
    public init(_ cause: Cause, wasUp: Bool) {
        self.cause = cause
        self.wasUp = wasUp
    }
}

public enum PairingFailure: Equatable, Sendable {
    /// The strap answers that it does not pair: it is not in pairing mode.
    case refused
    case timedOut
    case linkLost
    /// The kernel cannot pair (`drbg` missing).
    case unable
    /// The key could not be written; the link ends, and the next one can pair.
    case keyNotKept
    /// An mgmt status (`mgmt-api.txt`).
    case other(UInt8)
}
