// Owns `config check`, and reading the configuration for those commands that need it.
import Bridge
import CLinux
import Gateway
import Linux

let configHelp: StaticString = """
    nightstand config check [FILE]

    Reads the configuration (/etc/nightstand/nightstand.conf) and says what is wrong in which line.
    Exit status: 0 sound; 78 wrong; 66 the file cannot be read.
    """

func config(_ arguments: inout Arguments) -> Int32 {
    guard arguments.operand() == "check" else {
        complain("config has one verb; say: nightstand config check")
        return Int32(Exit.usage)
    }
    let path = arguments.operand() ?? Paths.configuration
    if let refused = arguments.refuseRest(of: "config") { return refused }
    switch readSettings(path, mustExist: true) {
    case .failed(let status): return status
    case .settings: say("\(path) is sound."); return Int32(Exit.ok)
    }
}

enum SettingsAnswer {
    case settings(Settings)
    /// Already complained; the exit status.
    case failed(Int32)
}

/// The settings of a file. One that is not there means the defaults, unless it must exist.
func readSettings(_ path: String, mustExist: Bool) -> SettingsAnswer {
    let text: [UInt8]
    do throws(FileError) {
        text = try readFile(path)
    } catch {
        if error.errno == ENOENT, !mustExist { return .settings(Settings()) }
        complain("\(path): \(errorText(error.errno))")
        return .failed(Int32(Exit.noInput))
    }
    do throws(SettingsError) {
        return .settings(try Settings(parsing: text))
    } catch {
        complain("\(path), line \(error.line): \(error.sentence)")
        return .failed(Int32(Exit.config))
    }
}
