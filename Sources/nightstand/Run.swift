// Owns putting the firmware together: the real leaves, the store on its thread, the bridge, and the loop they share.
import Bridge
import CLinux
import Gateway
import Linux
import Ports
import Store
import Wire

let runHelp: StaticString = """
    nightstand run [--config FILE] [--state FOLDER] [--socket PATH]

    The firmware itself; systemd starts it. FOLDER holds the database, the keys and the notebook
    (/var/lib/nightstand). It runs without a radio, without a strap and without GPIO, says which is missing, and goes
    on when it comes.
    Exit status: 0 after SIGTERM or SIGINT; 78 the configuration is wrong; 73 the folder cannot be used.
    """

func run(_ arguments: inout Arguments) -> Int32 {
    let configuration = arguments.option("--config")
    let state = arguments.option("--state") ?? Paths.state
    let socket = arguments.option("--socket") ?? Paths.socket
    if let refused = arguments.refuseRest(of: "run") { return refused }

    let settings: Settings
    switch readSettings(configuration ?? Paths.configuration, mustExist: configuration != nil) {
    case .failed(let status): return status
    case .settings(let read): settings = read
    }
    guard access(state, W_OK | X_OK) == 0 else {
        complain("\(state): \(errorText(nightstand_errno())); Nightstand keeps everything there, so create it and give it to the user that runs this")
        return Int32(Exit.cannotCreate)
    }
    if !settings.timezone.isEmpty {
        setenv("TZ", settings.timezone, 1)
        tzset()
    }

    do throws(SystemError) {
        let daemon = try Daemon(settings: settings, state: state, socket: socket)
        try daemon.run()
        return Int32(Exit.ok)
    } catch {
        complain("\(error.call): \(errorText(error.errno))")
        return Int32(Exit.osError)
    }
}
