import Bluetooth
import Foundation
import Ports
import Testing
import Wire
@testable import Linux

private final class Words: Log {
    var lines: [String] = []
    func say(_ line: String) { lines.append(line) }
}

/// A folder of its own for each test.
private struct Shelf {
    let directory = NSTemporaryDirectory() + "keys-\(UUID().uuidString)"
    let log = Words()
    var file: KeyFile { KeyFile(directory: directory, log: log) }
    var path: String { directory + "/001a7dda7113" }
    func write(_ text: String, _ suffix: String = "") throws { try text.write(toFile: path + suffix, atomically: false, encoding: .utf8) }
    func mode(_ suffix: String = "") throws -> Int { try FileManager.default.attributesOfItem(atPath: path + suffix)[.posixPermissions] as! Int }
}

private let adapter = Address("00:1A:7D:DA:71:13")!

/// A bond of one strap; the number tells bonds apart.
private func ring(_ number: UInt8) -> KeyRing {
    let bytes: [UInt8] = [0xf5, 0xf4, 0xf3, 0xf2, 0xf1, 0xf0, 2, 2, 0, 16, 0, 0] + [UInt8](repeating: 0, count: 8) + [UInt8](repeating: number, count: 16)
    var ring = KeyRing()
    _ = ring.put(LongTermKey(bytes.span.bytes)!)
    return ring
}

struct KeyFileTests {
    @Test func whatWasSavedIsLoadedAndNobodyElseMayReadIt() throws {
        let shelf = Shelf()
        #expect(try shelf.file.load(adapter) == KeyRing())
        try shelf.file.save(ring(1), adapter)
        #expect(try shelf.file.load(adapter) == ring(1))
        #expect(try shelf.mode() == 0o600)
        #expect(try shelf.file.load(Address("00:1A:7D:DA:71:14")!) == KeyRing())
        #expect(shelf.log.lines.isEmpty)
    }

    @Test func aBrokenFileFallsBackToTheCopyBefore() throws {
        let shelf = Shelf()
        try shelf.file.save(ring(1), adapter)
        try shelf.file.save(ring(2), adapter)
        try shelf.file.save(ring(2), adapter)
        #expect(try shelf.mode(".previous") == 0o600)
        try shelf.write("nightstand keys 1\n")
        #expect(try shelf.file.load(adapter) == ring(1))
        #expect(shelf.log.lines.count == 1)
        #expect(FileManager.default.fileExists(atPath: shelf.path + ".broken"))
        // The broken one does not come back as the copy before.
        try shelf.file.save(ring(3), adapter)
        #expect(try shelf.file.load(adapter) == ring(3))
        try shelf.write("")
        #expect(try shelf.file.load(adapter) == ring(1))
    }

    @Test func aFileLostBetweenTwoRenamesFallsBackToo() throws {
        let shelf = Shelf()
        try shelf.file.save(ring(1), adapter)
        try shelf.file.save(ring(2), adapter)
        try FileManager.default.removeItem(atPath: shelf.path)
        #expect(try shelf.file.load(adapter) == ring(1))
    }

    @Test func twoBrokenFilesAreNoKeysAndAClearWord() throws {
        let shelf = Shelf()
        try shelf.file.save(ring(1), adapter)
        try shelf.write("x")
        try shelf.write("y", ".previous")
        #expect(try shelf.file.load(adapter) == KeyRing())
        #expect(shelf.log.lines == ["The key file \(shelf.path) is broken and so is the copy before it; every strap has to be paired again."])
    }

    @Test func aFileThatCannotBeReadIsAnErrorAndNotAnEmptyRing() throws {
        let shelf = Shelf()
        try FileManager.default.createDirectory(atPath: shelf.path, withIntermediateDirectories: true)
        #expect(throws: FileError(errno: EISDIR)) { try shelf.file.load(adapter) }
    }

    @Test func whatIsForgottenIsInNoCopy() throws {
        let shelf = Shelf()
        try shelf.file.save(ring(1), adapter)
        try shelf.file.save(KeyRing(), adapter)
        #expect(try shelf.file.load(adapter) == KeyRing())
        for suffix in ["", ".previous"] {
            #expect(try !String(contentsOfFile: shelf.path + suffix, encoding: .utf8).contains("F0:F1"))
        }
    }
}

struct KernelVersionTests {
    private func version(_ release: String, _ version: String) -> KernelVersion? {
        KernelVersion(release: Array(release.utf8), version: Array(version.utf8))
    }

    @Test func debianSaysThePatchLevelInItsVersion() {
        #expect(version("6.1.0-57-arm64", "#1 SMP Debian 6.1.192-3 (2026-11-02)") == KernelVersion(6, 1, 192))
        #expect(version("6.12.95+deb12-arm64", "#1 SMP Debian 6.12.95-1~bpo12+1 (2026-10-01)") == KernelVersion(6, 12, 95))
        #expect(version("6.6.51+rpt-rpi-v8", "#1 SMP PREEMPT Debian 1:6.6.51-1+rpt3 (2024-10-08)") == KernelVersion(6, 6, 51))
        #expect(version("7.2", "") == nil)
    }

    @Test func onlyTheKernelsThatWereReadAreCalledFaulty() {
        #expect(KernelVersion(6, 1, 192).freesLostLinksTwice)
        #expect(KernelVersion(6, 1, 187).freesLostLinksTwice)
        #expect(!KernelVersion(6, 1, 180).freesLostLinksTwice)
        #expect(!KernelVersion(6, 12, 95).freesLostLinksTwice)
    }
}
