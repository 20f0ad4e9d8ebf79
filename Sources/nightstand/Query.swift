// Owns the commands that read the database beside the daemon: moments, and questions in SQL.
import Gateway
import Linux
import Store
import Wire

let queryHelp: StaticString = """
    nightstand query "SELECT ..." [--database FILE]

    Runs one SQL statement that only reads, and prints its rows: names first, then values, with tabs between. A question
    that takes longer than 5 s is given up, so that the daemon's log can be emptied. Worth knowing:
      second    one row per second, history before live
      record    history as the strap recorded it       rr      one row per beat
      moment, event, battery, gap, epitaph, reason      what happened
    Exit status: 0; 65 the statement is wrong; 66 there is no database; 75 it took too long.
    """

func query(_ arguments: inout Arguments) -> Int32 {
    let path = arguments.option("--database") ?? Paths.database
    guard let sql = arguments.operand() else {
        complain("query needs a statement, such as: nightstand query \"SELECT * FROM second ORDER BY unix DESC LIMIT 5\"")
        return Int32(Exit.usage)
    }
    if let refused = arguments.refuseRest(of: "query") { return refused }
    return read(path) { reader throws(SQLError) in
        var isFirst = true
        let toTerminal = isTerminal(1)
        try reader.query(sql) { row in
            if isFirst {
                isFirst = false
                var names = ""
                for i in 0..<row.columns { names += (i > 0 ? "\t" : "") + row.name(i) }
                guard write(names + "\n", to: 1) else { return false }
            }
            var line = ""
            for i in 0..<row.columns { line += (i > 0 ? "\t" : "") + (toTerminal ? plain(row[i] ?? "") : row[i] ?? "") }
            return write(line + "\n", to: 1)
        }
    }
}

let momentsHelp: StaticString = """
    nightstand moments [--limit N] [--database FILE]

    The moments that were marked, newest first, 20 of them if nothing else is said: time (UTC), who marked it, note.
    A time followed by ? was stamped while the board's clock was not to be believed.
    """

func moments(_ arguments: inout Arguments) -> Int32 {
    let path = arguments.option("--database") ?? Paths.database
    let limit = arguments.option("--limit") ?? "20"
    guard let count = Int(limit), (1...100_000).contains(count) else {
        complain("--limit \(limit): must be a whole number 1 to 100000")
        return Int32(Exit.usage)
    }
    if let refused = arguments.refuseRest(of: "moments") { return refused }
    return read(path) { reader throws(SQLError) in
        let moments = try reader.lastMoments(count)
        if moments.isEmpty { say("No moment has been marked yet.") }
        for moment in moments {
            say("\(moment.at.utc)\(moment.trusted ? " " : "?")  \(moment.source)\(moment.note.isEmpty ? "" : "  \(plain(moment.note))")")
        }
    }
}

/// Opens the database for reading and says what is wrong with it or the question. The exit status.
private func read(_ path: String, _ body: (RingReader) throws(SQLError) -> Void) -> Int32 {
    do throws(SQLError) {
        let reader = try RingReader(path: path, clock: SystemClock(trustedByPerson: false))
        try body(reader)
        return Int32(Exit.ok)
    } catch {
        switch error.primary {
        case 14:  // SQLITE_CANTOPEN
            complain("there is no database at \(path) that may be read; it begins with the first `nightstand run` or `nightstand demo`")
            return Int32(Exit.noInput)
        case 9:  // SQLITE_INTERRUPT
            complain("the question took longer than 5 s and was given up; narrow it, for example by unix")
            return Int32(Exit.temporary)
        default:
            complain(error.text)
            return Int32(Exit.data)
        }
    }
}
