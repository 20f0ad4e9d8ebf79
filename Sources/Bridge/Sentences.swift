// Owns the sentence for each trouble: what is wrong and what to do. Nothing else in the house words a trouble.
import Ports

extension RadioCondition {
    /// One sentence; empty when there is no trouble.
    public var sentence: String {
        switch self {
        case .ready: ""
        case .starting: "The Bluetooth adapter is starting."
        case .absent: "There is no Bluetooth adapter; plug one in, or enable the Pi's own (remove dtoverlay=disable-bt)."
        case .busy: "Another program holds the Bluetooth adapter; stop it (often: sudo systemctl disable --now bluetooth), or name a second adapter in nightstand.conf."
        case .blocked: "Bluetooth is switched off by rfkill; run: sudo rfkill unblock bluetooth."
        case .forbidden: "The capability CAP_NET_ADMIN is missing; start Nightstand by its service, or with sudo."
        case .unsupported: "This kernel has no Bluetooth; load it (sudo modprobe bluetooth) or install a kernel that has it."
        case .noCryptography: "The kernel cannot pair because a crypto module is missing; run: sudo modprobe -a drbg ecdh_generic cmac."
        case .unresponsive: "The Bluetooth adapter does not answer; it is reset and asked again, and if this lasts, unplug it or reboot."
        case .keysUnusable(let errno): "The key file cannot be read or written (errno \(errno)); check /var/lib/nightstand/keys."
        }
    }
}

extension StoreTrouble {
    /// One sentence.
    public var sentence: String {
        switch self {
        case .full: "The card is full, or a reader holds the database open; history waits on the strap until there is room."
        case .readOnly: "The database cannot be written because its folder is read-only; history waits on the strap."
        case .failed(let code): "Writing to the card fails (SQLite \(code)); history waits on the strap, and the card may be dying."
        case .replaced: "The database was foreign or broken, was moved aside, and a new one began."
        }
    }
}

extension LinkLoss {
    /// A few words.
    public var words: String {
        switch cause {
        case .notReached: "not reached"
        case .timeout: "supervision timeout: out of range or asleep"
        case .remote: "the strap hung up"
        case .local: "we hung up"
        case .authentication: "encryption failed: the strap has lost our bond, or refuses it"
        case .adapter: "the adapter went away"
        case .other(let code): "reason \(code)"
        }
    }
}

extension PairingFailure {
    /// One sentence.
    public var sentence: String {
        switch self {
        case .refused: "The strap refuses to pair: it is not in pairing mode; tap it repeatedly until its LEDs flash blue."
        case .timedOut: "The strap did not finish pairing; bring it closer and try again."
        case .linkLost: "The link was lost while pairing; bring the strap closer."
        case .unable: "The kernel cannot pair; run: sudo modprobe -a drbg ecdh_generic cmac."
        case .keyNotKept: "The key could not be written, so the strap is not paired; check /var/lib/nightstand/keys and the card."
        case .other(let status): "Pairing failed (mgmt status \(status)); it is tried again while the window is open."
        }
    }
}
