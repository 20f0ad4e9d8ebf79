// Owns knowing kernels by their version, for the one fault that has to be worked around.
import CLinux

public struct KernelVersion: Equatable, Sendable {
    public var major: Int
    public var minor: Int
    public var patch: Int

    public init(_ major: Int, _ minor: Int, _ patch: Int) {
        self.major = major
        self.minor = minor
        self.patch = patch
    }

    /// Of the running kernel. Debian keeps the patch level out of the release and says it in the version
    /// ("6.1.0-57-arm64", "#1 SMP Debian 6.1.192-3 (2026-…)").
    public static var running: KernelVersion? {
        var name = utsname()
        guard uname(&name) == 0 else { return nil }
        let release = withUnsafeBytes(of: &name.release) { Array($0.prefix { $0 != 0 }) }
        let version = withUnsafeBytes(of: &name.version) { Array($0.prefix { $0 != 0 }) }
        return KernelVersion(release: release, version: version)
    }

    init?(release: [UInt8], version: [UInt8]) {
        guard let plain = Self.numbers(release[...]) else { return nil }
        self = plain
        for word in version.split(separator: 0x20) {
            if let debian = Self.numbers(word), debian.major == major, debian.minor == minor { self = debian }
        }
    }

    /// Closing an L2CAP socket whose link has already gone frees an `hci_chan` twice: the stable patch "L2CAP: Fix UAF in
    /// channel timeout by holding conn ref" moved `hci_chan_del` behind `hci_conn_cleanup`, which had freed it. In Debian
    /// since 6.1.187-1, seen on 6.1.192; 6.12.95 frees it in its old place. No fixed 6.1 is known.
    public var freesLostLinksTwice: Bool { major == 6 && minor == 1 && patch >= 187 }

    /// Three numbers with dots at the start of a word.
    private static func numbers(_ word: ArraySlice<UInt8>) -> KernelVersion? {
        var parts: [Int] = [], digits = 0, value = 0
        for c in word {
            if (0x30...0x39).contains(c), digits < 6 {
                value = value * 10 + Int(c - 0x30)
                digits += 1
            } else if c == 0x2e, digits > 0, parts.count < 2 {
                parts.append(value)
                (value, digits) = (0, 0)
            } else { break }
        }
        guard parts.count == 2, digits > 0 else { return nil }
        return KernelVersion(parts[0], parts[1], value)
    }
}
