// Owns proof that the configuration takes what it should, names what it does not, and never guesses.
@testable import Bridge
import Testing
import Wire

@Suite struct SettingsTests {
    func parse(_ text: String) -> Result<Settings, SettingsError> {
        do throws(SettingsError) { return .success(try Settings(parsing: Array(text.utf8))) } catch { return .failure(error) }
    }

    func value<T: Equatable>(_ text: String, _ path: (Settings) -> T) -> T? {
        if case .success(let settings) = parse(text) { path(settings) } else { nil }
    }

    @Test func `an empty file gives what the documentation promises`() {
        #expect(parse("") == .success(Settings()))
        #expect(parse("# nothing\n\n   \n") == .success(Settings()))
        let usual = Settings()
        #expect(usual.ringBytes == 512 << 20 && usual.button == 17 && usual.led == 27 && usual.nightBy == 600 && usual.live == .always)
    }

    @Test func `each key sets what it names`() {
        #expect(value("adapter = B8:27:EB:12:34:56", { $0.adapter }) == Address("B8:27:EB:12:34:56"))
        #expect(value("adapter = auto", { $0.adapter }) == .some(nil))
        #expect(value("ring_bytes = 2G", { $0.ringBytes }) == 2 << 30)
        #expect(value("ring_bytes = 64M", { $0.ringBytes }) == 64 << 20)
        #expect(value("ring_bytes = 67108864", { $0.ringBytes }) == 64 << 20)
        #expect(value("live = worn", { $0.live }) == .worn)
        #expect(value("live = off", { $0.live }) == .off)
        #expect(value("clock = trust", { $0.clock }) == .trust)
        #expect(value("gpio_chip = pinctrl-rp1", { $0.chip }) == "pinctrl-rp1")
        #expect(value("gpio_chip = auto", { $0.chip }) == "")
        #expect(value("button = 5", { $0.button }) == 5)
        #expect(value("button = none", { $0.button }) == .some(nil))
        #expect(value("led = 53", { $0.led }) == 53)
        #expect(value("led_red = 22\nled_green = 23\nled_blue = 24", { [$0.ledRed, $0.ledGreen, $0.ledBlue] }) == [22, 23, 24])
        #expect(value("age = 41", { $0.age }) == 41)
        #expect(value("hr_max = 186", { $0.hrMax }) == 186)
        #expect(value("resting_hr = 48", { $0.restingHR }) == 48)
        #expect(value("sex = female", { $0.sex }) == .female)
        #expect(value("weight_kg = 70.5", { $0.weight_kg }) == 70.5)
        #expect(value("height_cm = 181", { $0.height_cm }) == 181)
        #expect(value("timezone = Europe/Berlin", { $0.timezone }) == "Europe/Berlin")
        #expect(value("night_by = 9:30", { $0.nightBy }) == 570)
        #expect(value("night_by = off", { $0.nightBy }) == .some(nil))
    }

    @Test func `blanks, comments and line ends of other systems do not matter`() {
        #expect(value("\t age=41 # years\r\n\r\n  hr_max  =  186\r\n", { [$0.age, $0.hrMax] }) == [41, 186])
    }

    @Test(arguments: [
        ("age = 41\nhr_mx = 186", 2, "hr_mx"), ("\n\n\nage 41", 4, "key = value"), ("age = 41\n# x\nage = 42", 3, "second time"),
        ("live = sometimes", 1, "always, worn or off"), ("age = 9", 1, "10 to 110"), ("age = forty", 1, "whole number"), ("age =", 1, "whole number"),
        ("hr_max = 231", 1, "100 to 230"), ("ring_bytes = 63M", 1, "at least 64M"), ("ring_bytes = -1G", 1, "at least 64M"),
        ("ring_bytes = 99999999999999999999", 1, "at least 64M"), ("ring_bytes = 9999999999G", 1, "at least 64M"), ("ring_bytes = G", 1, "at least 64M"),
        ("button = 54", 1, "0 to 53"), ("adapter = hci0", 1, "address"), ("night_by = 24:00", 1, "10:00"), ("night_by = 9:5", 1, "10:00"),
        ("weight_kg = nan", 1, "20 to 300 kg"), ("weight_kg = inf", 1, "20 to 300 kg"), ("sex = x", 1, "female or male"), ("= 5", 1, "not a key"),
    ])
    func `what is wrong is named with its line`(_ text: String, _ line: Int, _ words: String) {
        guard case .failure(let error) = parse(text) else { Issue.record("\(text) was taken"); return }
        #expect(error.line == line)
        #expect(error.sentence.contains(words), "\(error.sentence)")
    }

    @Test func `no bytes trap the parser`() {
        var chance = UInt64(5)
        for _ in 0..<3_000 {
            var text: [UInt8] = []
            for _ in 0..<40 {
                chance = chance &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let pieces = ["age", " = ", "\n", "#", "512M", "ring_bytes", ":", "night_by", "9", "\u{fe}", "=", "-", "none"]
                text += chance >> 60 == 0 ? [UInt8(truncatingIfNeeded: chance >> 33)] : Array(pieces[Int(chance >> 33) % pieces.count].utf8)
            }
            _ = parse(String(decoding: text, as: UTF8.self))
        }
    }
}
