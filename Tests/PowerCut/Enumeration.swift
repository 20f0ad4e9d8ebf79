// Owns which places are tried, how often each, and the count of what came of it.
import Glibc
import Simulator

/// What came of all cuts within one operation.
struct Score {
    var places = 0
    var points = 0
    var losses = 0
    var duplicates = 0
    var broken = 0
    var worst_us: Int64 = 0

    mutating func add(_ outcome: Outcome) {
        points += 1
        worst_us = max(worst_us, outcome.reopen_us)
        if outcome.breaches.contains(where: { $0.0 == .loss }) { losses += 1 }
        if outcome.breaches.contains(where: { $0.0 == .duplicate }) { duplicates += 1 }
        if outcome.breaches.contains(where: { $0.0 == .broken }) { broken += 1 }
    }

    mutating func add(_ other: Score) {
        places += other.places
        points += other.points
        losses += other.losses
        duplicates += other.duplicates
        broken += other.broken
        worst_us = max(worst_us, other.worst_us)
    }
}

struct Enumeration {
    let recordings: [Recording]
    let seed: UInt64
    /// Points wanted of each operation, at least.
    let least: Int
    /// Points wanted of all operations together, about; 0: a sample of `least` of each operation, wherever they fall.
    let total: Int
    /// At most so many breaches are told in full.
    private var untold = 20

    private(set) var scores: [Operation: Score] = [:]

    init(_ recordings: [Recording], seed: UInt64, least: Int, total: Int) {
        self.recordings = recordings
        self.seed = seed
        self.least = least
        self.total = total
    }

    /// What the ring was busy with at each change of the card.
    static func operations(_ recording: Recording) -> [Operation] {
        var found: [Operation] = []
        for step in recording.steps {
            while found.count < step.end {
                let isBackground = switch step.operation {
                case .offload11, .offload50, .live, .moment, .evict, .compact, .pair: recording.isDatabase[found.count]
                default: false
                }
                found.append(isBackground ? .checkpoint : step.operation)
            }
        }
        return found
    }

    mutating func run() {
        var places: [Operation: Int] = [:]
        let operations = recordings.map(Enumeration.operations)
        for operation in operations.joined() { places[operation, default: 0] += 1 }
        for (operation, count) in places { scores[operation, default: Score()].places = count }
        let everywhere = total == 0 ? 0 : (total + operations.reduce(0) { $0 + $1.count } - 1) / max(1, operations.reduce(0) { $0 + $1.count })
        for (number, recording) in recordings.enumerated() {
            var platter = Platter(recording.start)
            var step = 0
            var chance = Chance(seed: seed &+ UInt64(number))
            for (i, change) in recording.log.enumerated() {
                platter.apply(change)
                while recording.steps[step].end <= i { step += 1 }
                let operation = operations[number][i], count = places[operation] ?? 1
                // As many as it takes; of a fraction, chance decides.
                var variants = least / count + (chance.below(UInt64(count)) < UInt64(least % count) ? 1 : 0)
                if total > 0 { variants = max(everywhere, (least + count - 1) / count) }
                for variant in 0..<variants {
                    let first = total > 0 ? variant : variant + Int(chance.below(8))
                    attempt(number, Cut(position: i + 1, step: step, variant: first), operation, platter)
                }
            }
        }
    }

    /// One point again, as its line names it.
    mutating func run(only number: Int, _ position: Int, _ variant: Int) {
        guard recordings.indices.contains(number) else { return }
        let recording = recordings[number]
        var platter = Platter(recording.start)
        for change in recording.log.prefix(position) { platter.apply(change) }
        let step = recording.steps.firstIndex { $0.end >= position } ?? 0
        attempt(number, Cut(position: position, step: step, variant: variant), recording.steps[step].operation, platter)
    }

    private mutating func attempt(_ number: Int, _ cut: Cut, _ operation: Operation, _ platter: Platter) {
        var chance = Chance(seed: seed &* 1_000_003 &+ UInt64(number) << 48 &+ UInt64(cut.position) << 16 &+ UInt64(cut.variant))
        let mood: Platter.Mood? = cut.variant == 0 ? .all : cut.variant == 1 ? .nothing : nil
        let files = platter.afterPowerCut(mood, &chance)
        // Now and then the power goes again while the ring opens.
        let again = cut.variant > 1 && chance.below(256) == 0
        let outcome = Trial(recordings[number], cut).run(files, recordsReopening: again)
        tell(outcome, number, cut, operation)
        scores[operation, default: Score()].add(outcome)
        guard again, outcome.breaches.isEmpty else { return }
        var second = Platter(files)
        for (i, change) in outcome.log.enumerated() {
            second.apply(change)
            scores[.reopen, default: Score()].places += 1
            let rest = second.afterPowerCut(nil, &chance)
            let outcome = Trial(recordings[number], cut).run(rest)
            tell(outcome, number, cut, .reopen, after: i + 1)
            scores[.reopen, default: Score()].add(outcome)
        }
    }

    private mutating func tell(_ outcome: Outcome, _ number: Int, _ cut: Cut, _ operation: Operation, after reopening: Int = 0) {
        guard !outcome.breaches.isEmpty, untold > 0 else { return }
        untold -= 1
        print("seed \(seed) point \(number):\(cut.position):\(cut.variant) (\(recordings[number].name), step \(cut.step), \(operation.rawValue)\(reopening > 0 ? " after \(reopening) changes" : "")): "
            + outcome.breaches.prefix(4).map { "\($0.0.rawValue): \($0.1)" }.joined(separator: "; ") + (outcome.breaches.count > 4 ? " and \(outcome.breaches.count - 4) more" : ""))
        fflush(nil)
    }
}
