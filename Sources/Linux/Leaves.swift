// Owns the small leaves: the clocks, the notebook's file, the log on standard error (which systemd keeps).
import CLinux
import Ports
import Wire

/// The kernel's clocks. Wall time is trusted on the kernel's word that it is synchronised, on a hardware clock, or on
/// a person's word in the configuration.
public final class SystemClock: Clock {
    private let trustedByPerson: Bool
    private let hasHardwareClock: Bool

    public init(trustedByPerson: Bool) {
        self.trustedByPerson = trustedByPerson
        hasHardwareClock = access("/dev/rtc0", F_OK) == 0
    }

    public var now: Instant {
        var t = timespec()
        clock_gettime(CLOCK_BOOTTIME, &t)
        return Instant(milliseconds: Int64(t.tv_sec) * 1000 + Int64(t.tv_nsec) / 1_000_000)
    }

    public var wall: WallTime {
        var t = timespec()
        clock_gettime(CLOCK_REALTIME, &t)
        return WallTime(milliseconds: Int64(t.tv_sec) * 1000 + Int64(t.tv_nsec) / 1_000_000)
    }

    public var trusted: Bool {
        // Before this firmware was written no clock can be right, whoever vouches for it.
        guard wall.seconds > 1_767_225_600 else { return false }
        if trustedByPerson || hasHardwareClock { return true }
        var t = timex()
        let state = adjtimex(&t)
        return state != TIME_ERROR && t.status & STA_UNSYNC == 0
    }

    public var utcOffset_s: Int {
        var now = time_t(wall.seconds)
        var local = tm()
        localtime_r(&now, &local)
        return local.tm_gmtoff
    }
}

/// A notebook in one file.
public final class NotebookFile: Notebook {
    private let path: String
    private let log: any Log

    public init(_ path: String, log: any Log) {
        self.path = path
        self.log = log
    }

    public func load() -> [UInt8] {
        do throws(FileError) {
            return try readFile(path, limit: 65_536)
        } catch {
            if error.errno != ENOENT { log.say("\(path) cannot be read: \(errorText(error.errno)).") }
            return []
        }
    }

    public func save(_ text: [UInt8]) -> Bool {
        do throws(FileError) {
            try replaceFile(path, text)
            return true
        } catch {
            log.say("\(path) cannot be written: \(errorText(error.errno)).")
            return false
        }
    }
}

/// One line of standard error each.
public final class ErrorLog: Log {
    public init() {}
    public func say(_ line: String) { write(line + "\n", to: 2) }
}
