// Owns what the Adapter machine asks of the board (files under /sys, the key file) and turns its news into the radio's.
import Bluetooth
import CLinux
import Ports
import Wire

extension KernelRadio: AdapterOwner {
    public func transmit(_ packet: RawSpan) { writeControl(packet) }

    public func hindrance(index: UInt16?) -> Hindrance {
        if let index {
            for i in 0..<32 {
                let rfkill = "/sys/class/bluetooth/hci\(index)/rfkill\(i)"
                if isOne(rfkill + "/soft") || isOne(rfkill + "/hard") { return .blocked }
            }
            // bluetoothd takes every adapter. A person who names one for us is believed.
            return wanted == nil && isRunning("bluetooth.service") ? .held : .none
        }
        // The kernel does not list an adapter whose user channel is taken, but it is there.
        for i in 0..<8 where access("/sys/class/bluetooth/hci\(i)", F_OK) == 0 { return wanted == nil ? .held : .none }
        return .none
    }

    public func keys(of adapter: Address) -> KeyRing? {
        do throws(FileError) {
            keyTrouble = 0
            return try keyFile.load(adapter)
        } catch {
            keyTrouble = error.errno
            return nil
        }
    }

    public func keep(_ keys: KeyRing, of adapter: Address) -> Bool {
        do throws(FileError) {
            try keyFile.save(keys, adapter)
            return true
        } catch {
            log.say("The keys cannot be written (errno \(error.errno)).")
            return false
        }
    }

    public func keysRefused(_ status: ManagementStatus) {
        log.say("The kernel takes none of the stored keys (status \(status.code)); links go unencrypted until a strap is paired again.")
    }

    public func adapter(is condition: AdapterCondition) {
        // The links are gone already: power-off has no event of its own for them.
        if condition != .ready { lose(.adapter, closing: false) }
        listener?.radio(is: RadioCondition(condition, keys: keyTrouble))
    }

    public func linked(_ peer: Peer) { open(peer) }

    public func unapproachable(_ peer: Peer, _ status: ManagementStatus) { lose(.other(Int32(status.code)), closing: true) }

    public func unlinked(_ peer: Peer, _ reason: DisconnectReason) {
        switch reason {
        case .timeout: ended(.timeout)
        // Not by us: when we hang up, nobody asks for the cause any more. Newer kernels end links so at power-off.
        case .local: ended(.adapter)
        case .remote: ended(.remote)
        case .authentication: ended(.authentication)
        default: ended(.other(Int32(reason.code)))
        }
    }

    public func found(_ peer: Peer, signal_dBm: Int8, data: RawSpan) {
        listener?.found(peer, signal_dBm: signal_dBm, advertisement: data)
    }

    public func signal(_ dBm: Int8) { listener?.signal(dBm) }

    public func pairingEnded(_ end: PairingEnd) {
        switch end {
        case .paired:
            tellEncryption()
            listener?.paired()
        case .refused: listener?.pairingFailed(.refused)
        case .timedOut: listener?.pairingFailed(.timedOut)
        case .linkLost: listener?.pairingFailed(.linkLost)
        case .cancelled: listener?.pairingFailed(.other(ManagementStatus.cancelled.code))
        case .keyless: listener?.pairingFailed(.unable)
        case .unkept:
            listener?.pairingFailed(.keyNotKept)
            disconnect()
        case .failed(let status): listener?.pairingFailed(.other(status.code))
        }
    }

    private func isOne(_ path: String) -> Bool {
        guard let text = try? readFile(path, limit: 16) else { return false }
        return text.first == 0x31
    }

    /// systemd keeps a link for each unit that runs.
    private func isRunning(_ unit: String) -> Bool {
        var target: CChar = 0
        return readlink("/run/systemd/units/invocation:" + unit, &target, 1) >= 0
    }
}

extension RadioCondition {
    init(_ condition: AdapterCondition, keys errno: Int32) {
        switch condition {
        case .starting: self = .starting
        case .ready: self = .ready
        case .absent: self = .absent
        case .held: self = .busy
        case .blocked: self = .blocked
        case .forbidden: self = .forbidden
        case .unresponsive: self = .unresponsive
        case .keysUnusable: self = .keysUnusable(errno)
        }
    }
}

extension LinkLoss.Cause {
    /// What a socket's error says, where the kernel gave no reason.
    init(errno: Int32) {
        switch errno {
        case ETIMEDOUT: self = .timeout
        case ECONNRESET, ECONNREFUSED: self = .remote
        case EHOSTUNREACH, EHOSTDOWN: self = .notReached
        case ECONNABORTED, ENODEV, ENETDOWN, ENETUNREACH: self = .adapter
        default: self = .other(errno)
        }
    }
}
