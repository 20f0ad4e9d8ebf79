// Owns long-term keys on disk: one file for each adapter, 0600, replaced as a whole, and the copy before the last
// change beside it. A key leaves this file in one direction only, to the kernel; nothing logs it.
import Bluetooth
import CLinux
import Ports
import Wire

public final class KeyFile {
    private let directory: String
    private let log: any Log

    public init(directory: String, log: any Log) {
        self.directory = directory
        self.log = log
    }

    /// The keys of an adapter; none where there is no file. A broken file is set aside for a person to see, and the
    /// copy before it is taken.
    public func load(_ adapter: Address) throws(FileError) -> KeyRing {
        let path = path(adapter)
        let previous = path + ".previous"
        let text: [UInt8]
        do throws(FileError) {
            text = try readFile(path)
        } catch {
            // Lost between two renames, or never there.
            guard error.errno == ENOENT, access(previous, F_OK) == 0 else {
                if error.errno == ENOENT { return KeyRing() }
                throw error
            }
            text = []
        }
        if let ring = KeyRing(text, adapter: adapter) { return ring }
        if !text.isEmpty { _ = rename(path, path + ".broken") }
        if access(previous, F_OK) == 0, let ring = KeyRing(try readFile(previous), adapter: adapter) {
            log.say("The key file \(path) was broken; the copy before the last change is used. A strap paired since then has to be paired again.")
            return ring
        }
        log.say("The key file \(path) is broken and so is the copy before it; every strap has to be paired again.")
        return KeyRing()
    }

    public func save(_ ring: KeyRing, _ adapter: Address) throws(FileError) {
        let path = path(adapter)
        _ = mkdir(directory, 0o700)
        // The present file becomes the copy only if it is good.
        if let text = try? readFile(path), let old = KeyRing(text, adapter: adapter) {
            if old == ring { return }
            // What was forgotten is not kept in the copy either.
            let isForgotten = old.keys.contains { !ring.holds($0.peer) }
            try replaceFile(path + ".previous", isForgotten ? ring.text(of: adapter) : text)
        }
        try replaceFile(path, ring.text(of: adapter))
    }

    private func path(_ adapter: Address) -> String {
        var name = ""
        for i in 0..<6 { name += hexPair(adapter[5 - i]) }
        return directory + "/" + name
    }
}
