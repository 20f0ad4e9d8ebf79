// Cuts the power of the shipping ring at every write and every sync of a script, lets a card decide what stays of the
// rest, opens what is left and looks for everything that was promised. Prints a line for each operation.
// Arguments: --sample N for so many points of all operations together instead of the whole, --seed S, --lives N rings,
// --point RECORDING:POSITION:VARIANT for one point that a line has named, --vectors FOLDER, where the rings of earlier schemas are.
// Exit status: 0 nothing was lost; 1 something was, or a file was broken; 64 usage; 65 the script itself failed.
import CSQLite
import Glibc
import Simulator

func end(_ status: Int32, _ why: String) -> Never {
    print("powercut: " + why)
    fflush(nil)
    exit(status)
}

func option(_ name: String) -> String? {
    guard let at = CommandLine.arguments.firstIndex(of: name) else { return nil }
    guard at + 1 < CommandLine.arguments.count else { end(64, "\(name) needs a value") }
    return CommandLine.arguments[at + 1]
}

func number(_ name: String, _ usual: UInt64) -> UInt64 {
    guard let text = option(name) else { return usual }
    guard let value = UInt64(text) else { end(64, "\(name) takes a number, not \(text)") }
    return value
}

/// The bytes of a command's output.
func output(of command: String) -> [UInt8] {
    guard let pipe = popen(command, "r") else { return [] }
    defer { pclose(pipe) }
    var bytes: [UInt8] = [], buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = fread(&buffer, 1, buffer.count, pipe)
        guard count > 0 else { return bytes }
        bytes += buffer[..<count]
    }
}

let seed = number("--seed", 1)
let sample = number("--sample", 0)
nightstand_sqlite_seed(Int32(truncatingIfNeeded: seed | 1))
let vectors = option("--vectors") ?? "Tests/Vectors"

var recordings = (0..<number("--lives", sample > 0 ? 1 : 4)).map { Script.life(seed: seed &* 100 &+ $0) }
for schema in 1...2 {
    let old = output(of: "gunzip -c '\(vectors)/ring-schema-\(schema).db.gz'")
    guard old.count > 4096 else { end(65, "there is no ring of schema \(schema) in \(vectors); name the folder with --vectors") }
    recordings.append(Script.migration("schema \(schema)", seed: seed, from: old))
}
for recording in recordings {
    if let mistake = recording.mistakes.first { end(65, "the script failed while power lasted: \(mistake)") }
}

let kinds = Operation.allCases.count - 1
var enumeration = Enumeration(recordings, seed: seed, least: sample > 0 ? max(1, Int(sample) / kinds) : 5_000, total: sample > 0 ? 0 : 90_000)
if let point = option("--point") {
    let parts = point.split(separator: ":").compactMap { Int($0) }
    guard parts.count == 3 else { end(64, "--point takes RECORDING:POSITION:VARIANT") }
    enumeration.run(only: parts[0], parts[1], parts[2])
} else {
    enumeration.run()
}

func column(_ value: some CustomStringConvertible, _ width: Int) -> String {
    let text = value.description
    return String(repeating: " ", count: max(1, width - text.utf8.count)) + text
}

func line(_ name: String, _ score: Score) {
    print(name + String(repeating: " ", count: max(1, 16 - name.utf8.count)) + column(score.places, 8) + column(score.points, 9) + column(score.losses, 8)
        + column(score.duplicates, 11) + column(score.broken, 8) + column("\(score.worst_us / 1000).\(score.worst_us / 100 % 10)", 16))
}

print("operation" + "         places   points  losses duplicates  broken worst reopen ms")
var all = Score()
var passed = 0
for operation in Operation.allCases {
    guard let score = enumeration.scores[operation] else { continue }
    line(operation.rawValue, score)
    all.add(score)
    if score.points > 0, score.losses + score.duplicates + score.broken == 0 { passed += 1 }
}
line("all", all)
print("seed \(seed)")
print("\(passed) tests passed")
fflush(nil)
exit(all.losses + all.duplicates + all.broken == 0 ? 0 : 1)
