// Owns what may be said to a strap (WHOOP.md 5.1). The enum is the allowlist: commands that erase, brick, or persist a
// setting have no case, and nothing else in this module writes a packet of type 35. A number never comes from outside.
import Wire

/// A command.
public enum Command: Equatable, Sendable, BitwiseCopyable {
    /// 1, 4.0: a greeting.
    case greet
    /// 3. Live heart rate on or off; forgotten by the strap at every connect.
    case realtimeHeartRate(LiveStream)
    /// 7. Firmware versions, 4.0.
    case getVersion
    /// 10. Confirmed only by reading the clock back.
    case setClock(StrapTime)
    /// 11.
    case getClock
    /// 20. Stops an offload.
    case abortHistory
    /// 22. Starts an offload.
    case sendHistory
    /// 23, success, with the token of the END. The strap then releases the burst: only after it is on the card.
    case burstStored(token: UInt64)
    /// 23, failure: the strap sends the burst again.
    case burstFailed
    /// 26. On 4.0 also what triggers bonding.
    case getBattery
    /// 34.
    case getDataRange
    /// 35 on 4.0, 145 on 5.0.
    case hello
    /// 40, 42, 44 on 4.0: the optical front end's drive, gain, offset; zeros unless it runs.
    case getOptics(OpticalSetting)
    /// 62. The optical front end's parameters.
    case getFrontEnd
    /// 63 on 4.0: stops the flood of raw frames, whose switch survives reconnects.
    case rawStreamOff
    /// 66.
    case setAlarm(Alarm)
    /// 67. Slot 1...6; 4.0 has one.
    case getAlarm(slot: UInt8)
    /// 68: buzzes now. Slot 1...6; 4.0 has one.
    case runAlarm(slot: UInt8)
    /// 69.
    case disableAlarm(AlarmScope)
    /// 76 on 4.0, 141 on 5.0.
    case getName
    /// 79 on 4.0 with one of its patterns 0...6 (2 is a short pulse), 19 on 5.0 with its one stock effect.
    case buzz(loops: UInt8, pattern: UInt8 = 2)
    /// 80 on 4.0: its patterns.
    case getPatterns
    /// 82. Stops raw collection that somebody started.
    case stopRawData
    /// 84. Where the strap is worn.
    case getBodyLocation
    /// 97. Safe at any time.
    case exitHighFrequencySync
    /// 98 on 4.0: the battery in detail.
    case getExtendedBattery
    /// 106. Live motion at 100 Hz, for the length of the link.
    case motionStream(LiveStream)
    /// 115 or 117. How many keys a store has; the next one asked for is then the first.
    case getKeyCount(KeyStore)
    /// 116 or 118.
    case getNextKey(KeyStore)
    /// 121 or 128.
    case getValue(KeyStore, StrapKey)
    /// 122.
    case stopHaptics
    /// 151 on 5.0.
    case getPackInfo
    /// 152 on 5.0, single source.
    case getGyroscope

    /// The command's number, or nil when the family has no such command.
    public func number(for family: Family) -> UInt8? {
        switch self {
        case .greet: family == .whoop4 ? 1 : nil
        case .realtimeHeartRate: 3
        case .getVersion: family == .whoop4 ? 7 : nil
        case .setClock: 10
        case .getClock: 11
        case .abortHistory: 20
        case .sendHistory: 22
        case .burstStored, .burstFailed: 23
        case .getBattery: 26
        case .getDataRange: 34
        case .hello: family == .whoop4 ? 35 : 145
        case .getOptics(let setting): family == .whoop4 ? setting.rawValue : nil
        case .getFrontEnd: 62
        case .rawStreamOff: family == .whoop4 ? 63 : nil
        case .setAlarm: 66
        case .getAlarm: 67
        case .runAlarm: 68
        case .disableAlarm: 69
        case .getName: family == .whoop4 ? 76 : 141
        case .buzz: family == .whoop4 ? 79 : 19
        case .getPatterns: family == .whoop4 ? 80 : nil
        case .stopRawData: 82
        case .getBodyLocation: 84
        case .exitHighFrequencySync: 97
        case .getExtendedBattery: family == .whoop4 ? 98 : nil
        case .motionStream: 106
        case .getKeyCount(let store): store == .device ? 115 : 117
        case .getNextKey(let store): store == .device ? 116 : 118
        case .getValue(let store, _): store == .device ? 121 : 128
        case .stopHaptics: 122
        case .getPackInfo: family == .whoop5 ? 151 : nil
        case .getGyroscope: family == .whoop5 ? 152 : nil
        }
    }

    /// Appends the command's frame to `packet`. False, with nothing appended, when the family has no such command, a slot
    /// or pattern does not exist, or the packet has no room.
    public func encode(_ family: Family, sequence: UInt8, into packet: inout Packet) -> Bool {
        guard let number = number(for: family), isSound(for: family) else { return false }
        var inner = Packet()
        inner.u8(PacketType.command)
        inner.u8(sequence)
        inner.u8(number)
        switch family {
        case .whoop4: payload4(into: &inner)
        case .whoop5: payload5(into: &inner)
        }
        return packet.append(inner: inner.bytes, family: family, to: .strap)
    }

    private func isSound(for family: Family) -> Bool {
        switch (self, family) {
        case (.setAlarm(let alarm), .whoop5): isSlot(alarm.slot)
        case (.getAlarm(let slot), .whoop5), (.runAlarm(let slot), .whoop5), (.disableAlarm(.slot(let slot)), .whoop5): isSlot(slot)
        case (.buzz(_, let pattern), .whoop4): pattern <= 6
        // Nothing is pending then, and nothing is to be acknowledged (WHOOP.md 9.2).
        case (.burstStored(let token), _): token != Metadata.nothingPending
        default: true
        }
    }

    private func isSlot(_ slot: UInt8) -> Bool { slot >= 1 && slot <= 6 }
}

/// Whether the live stream is to run.
public enum LiveStream: UInt8, Sendable, BitwiseCopyable {
    case off = 0, on = 1
}

/// What can be asked of 4.0's optical front end.
public enum OpticalSetting: UInt8, Sendable, BitwiseCopyable {
    case drive = 40, gain = 42, offset = 44
}
