// The words for commands: each leads to its command, none to a number, and what is wrong is said.
import Testing
import Whoop
import Wire
@testable import nightstand_frames

@Suite struct CommandWordsTests {
    /// What each word needs, said well.
    static let sound: [(words: [String], command: Whoop.Command)] = [
        (["hello"], .hello), (["get-battery"], .getBattery), (["get-clock"], .getClock),
        (["set-clock", "2026-01-01T00:00:00.5Z"], .setClock(StrapTime(seconds: 1_767_225_600, fraction: 16384))),
        (["set-clock", "1767225600"], .setClock(StrapTime(seconds: 1_767_225_600, fraction: 0))),
        (["get-data-range"], .getDataRange), (["send-history"], .sendHistory),
        (["burst-stored", "c7b6000010000000"], .burstStored(token: 0x10_0000b6c7)), (["burst-failed"], .burstFailed),
        (["abort-history"], .abortHistory), (["realtime", "on"], .realtimeHeartRate(.on)), (["motion", "off"], .motionStream(.off)),
        (["raw-stream-off"], .rawStreamOff), (["stop-raw-data"], .stopRawData),
        (["set-alarm", "2026-01-01T00:00:00Z", "3"], .setAlarm(Alarm(at: StrapTime(seconds: 1_767_225_600, fraction: 0), slot: 3))),
        (["get-alarm"], .getAlarm(slot: 1)), (["run-alarm", "6"], .runAlarm(slot: 6)), (["disable-alarm"], .disableAlarm(.all)),
        (["disable-alarm", "2"], .disableAlarm(.slot(2))), (["buzz"], .buzz(loops: 1)), (["buzz", "2", "0"], .buzz(loops: 2, pattern: 0)),
        (["stop-haptics"], .stopHaptics), (["get-patterns"], .getPatterns), (["get-name"], .getName), (["get-version"], .getVersion),
        (["get-body-location"], .getBodyLocation), (["get-extended-battery"], .getExtendedBattery), (["get-pack-info"], .getPackInfo),
        (["get-gyroscope"], .getGyroscope), (["get-optics", "gain"], .getOptics(.gain)), (["get-front-end"], .getFrontEnd),
        (["get-key-count", "flags"], .getKeyCount(.flags)), (["get-next-key", "device"], .getNextKey(.device)),
        (["get-value", "flags", "sigproc_pdaf"], .getValue(.flags, StrapKey("sigproc_pdaf")!)),
        (["exit-high-frequency-sync"], .exitHighFrequencySync), (["greet"], .greet),
    ]

    @Test func everyWordLeadsToItsCommand() {
        for (words, command) in Self.sound {
            guard case .command(let named) = namedCommand(words) else { Issue.record("\(words) names nothing"); continue }
            #expect(named == command, "\(words)")
        }
        let said = Set(Self.sound.map { $0.words[0] })
        #expect(said == Set(commandWords().map { "\($0.name)" }))
    }

    @Test(arguments: ["reboot", "25", "0x19", "force-trim", "ship-mode", "power-cycle", "dfu", "set-value", "", "HELLO"])
    func thereIsNoWordForAnythingElse(word: String) {
        guard case .unknown = namedCommand([word]) else { Issue.record("\(word) is known"); return }
    }

    @Test(arguments: [["set-clock"], ["set-clock", "noon"], ["burst-stored", "c7"], ["realtime", "maybe"], ["set-alarm", "1", "7"], ["run-alarm", "0"],
                      ["buzz", "256"], ["buzz", "1", "7"], ["get-optics"], ["get-value", "flags"], ["get-value", "flags", "a key that is far too long for its 31 places"],
                      ["hello", "there"], ["disable-alarm", "1", "2"]])
    func whatIsWrongIsSaid(words: [String]) {
        guard case .wrong(let why) = namedCommand(words) else { Issue.record("\(words) passes"); return }
        #expect(!why.isEmpty)
    }
}
