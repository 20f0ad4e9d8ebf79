// Owns what a simulated strap remembers between two demonstrations: its clock, how far its history was released, the bond.
// It is not synced: lost, the strap serves some bursts again, and the ring takes each record once, as after a real loss.
import CLinux
import Linux
import Simulator
import Whoop
import Wire

final class StrapMemory {
    private let path: String
    private let family: Family
    private let seed: UInt64
    /// The night before the first demonstration: eight hours, to 2026-03-02 06:52 UTC.
    private static let firstMorning: Int64 = 1_772_434_320
    private static let night_s: Int64 = 8 * 3600
    private static let firstCounter: UInt32 = 1_000

    private(set) var wall = WallTime(seconds: firstMorning)
    private var trim = firstCounter
    private var captured = 0
    private var key: UInt64?
    private var notebook: [UInt8] = []

    init(path: String, family: Family, seed: UInt64) {
        self.path = path
        self.family = family
        self.seed = seed
        do throws(FileError) { read(try readFile(path)) } catch {}
    }

    /// Another strap or another seed is another strap: then nothing is remembered.
    private func read(_ text: [UInt8]) {
        var lines = text.split(separator: 0x0a, omittingEmptySubsequences: false)[...]
        guard let first = lines.popFirst(), String(decoding: first, as: UTF8.self) == "strap \(family.rawValue) \(seed)" else { return }
        while let line = lines.popFirst(), !line.isEmpty {
            let words = line.split(separator: 0x20)
            guard words.count == 2, let value = UInt64(String(decoding: words[1], as: UTF8.self)) else { continue }
            switch String(decoding: words[0], as: UTF8.self) {
            case "wall": wall = WallTime(seconds: max(Self.firstMorning, Int64(truncatingIfNeeded: value)))
            case "trim": trim = UInt32(truncatingIfNeeded: value)
            case "captured": captured = Int(truncatingIfNeeded: value & 0xff)
            case "key": key = value
            default: break
            }
        }
        for line in lines { notebook += Array(line) + [0x0a] }
    }

    /// Puts the strap where it was. It recorded every second since the night began.
    func restore(_ world: World) {
        world.strap.remember(seconds: UInt32(wall.seconds - Self.firstMorning + Self.night_s))
        world.strap.trim = trim
        world.strap.remember(captured: captured)
        captured += world.strap.capturedBursts
        if let key { world.bond(key: key, notebook: notebook) }
    }

    func save(_ world: World) {
        var text = "strap \(family.rawValue) \(seed)\nwall \(world.clock.wall.seconds)\ntrim \(world.strap.trim)\n"
        text += "captured \(captured - world.strap.capturedBursts)\n"
        if let key = world.radio.key(of: world.strap.peer) { text += "key \(key)\n" }
        text += "\n"
        replace(Array(text.utf8) + world.notebook.text)
    }

    private func replace(_ bytes: [UInt8]) {
        let file = nightstand_open(path + ".new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        let written = bytes.withUnsafeBytes { write(file, $0.baseAddress!, $0.count) }
        guard close(file) == 0, written == bytes.count else { return }
        _ = rename(path + ".new", path)
    }
}
