// Owns the numbers of events (WHOOP.md 6.2). Numbers decide, names do not: those of 17, 23 and 31 and beyond 100 differ
// between sources, and a number without a name here is kept like any other.

/// The number of an event of type 48.
public struct EventNumber: Equatable, Hashable, Sendable, BitwiseCopyable {
    public var rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    public static var error: EventNumber { EventNumber(rawValue: 1) }
    public static var batteryLevel: EventNumber { EventNumber(rawValue: 3) }
    public static var systemControl: EventNumber { EventNumber(rawValue: 4) }
    public static var external5VOn: EventNumber { EventNumber(rawValue: 5) }
    public static var external5VOff: EventNumber { EventNumber(rawValue: 6) }
    public static var chargingOn: EventNumber { EventNumber(rawValue: 7) }
    public static var chargingOff: EventNumber { EventNumber(rawValue: 8) }
    public static var wristOn: EventNumber { EventNumber(rawValue: 9) }
    public static var wristOff: EventNumber { EventNumber(rawValue: 10) }
    public static var connectionUp: EventNumber { EventNumber(rawValue: 11) }
    public static var connectionDown: EventNumber { EventNumber(rawValue: 12) }
    public static var rtcLost: EventNumber { EventNumber(rawValue: 13) }
    public static var doubleTap: EventNumber { EventNumber(rawValue: 14) }
    public static var boot: EventNumber { EventNumber(rawValue: 15) }
    public static var clockSet: EventNumber { EventNumber(rawValue: 16) }
    public static var pairingMode: EventNumber { EventNumber(rawValue: 18) }
    public static var serialHeadConnected: EventNumber { EventNumber(rawValue: 19) }
    public static var serialHeadRemoved: EventNumber { EventNumber(rawValue: 20) }
    public static var packConnected: EventNumber { EventNumber(rawValue: 21) }
    public static var packRemoved: EventNumber { EventNumber(rawValue: 22) }
    public static var bonded: EventNumber { EventNumber(rawValue: 23) }
    public static var heartRateProfileEnabled: EventNumber { EventNumber(rawValue: 24) }
    public static var heartRateProfileDisabled: EventNumber { EventNumber(rawValue: 25) }
    public static var trimAll: EventNumber { EventNumber(rawValue: 26) }
    public static var trimAllEnded: EventNumber { EventNumber(rawValue: 27) }
    public static var flashReady: EventNumber { EventNumber(rawValue: 28) }
    public static var strapConditionReport: EventNumber { EventNumber(rawValue: 29) }
    public static var bootReport: EventNumber { EventNumber(rawValue: 30) }
    public static var realtimeHeartRateOn: EventNumber { EventNumber(rawValue: 33) }
    public static var realtimeHeartRateOff: EventNumber { EventNumber(rawValue: 34) }
    public static var rawCollectionOn: EventNumber { EventNumber(rawValue: 46) }
    public static var rawCollectionOff: EventNumber { EventNumber(rawValue: 47) }
    public static var alarmSet: EventNumber { EventNumber(rawValue: 56) }
    public static var alarmExecuted: EventNumber { EventNumber(rawValue: 57) }
    public static var appAlarmExecuted: EventNumber { EventNumber(rawValue: 58) }
    public static var alarmDisabled: EventNumber { EventNumber(rawValue: 59) }
    public static var hapticsFired: EventNumber { EventNumber(rawValue: 60) }
    public static var extendedBattery: EventNumber { EventNumber(rawValue: 63) }
    public static var highFrequencySyncPrompt: EventNumber { EventNumber(rawValue: 96) }
    public static var highFrequencySyncEnabled: EventNumber { EventNumber(rawValue: 97) }
    public static var highFrequencySyncDisabled: EventNumber { EventNumber(rawValue: 98) }
    public static var hapticsTerminated: EventNumber { EventNumber(rawValue: 100) }
    public static var packInfo: EventNumber { EventNumber(rawValue: 109) }
    public static var firmwareEvent: EventNumber { EventNumber(rawValue: 123) }
}
