// swift-tools-version: 6.2
// One tree, two builds: ordinary Swift for tests and tools, and with FIRMWARE=1 Embedded Swift for what ships.
// Each build takes a scratch path of its own; deploy.sh gives the linker its flags.
import PackageDescription

let firmware = Context.environment["FIRMWARE"] == "1"
/// A third build, board/fuzz's: FUZZ names the instruments that the product gets, such as -sanitize=address.
let instruments = Context.environment["FUZZ"].map { $0.split(separator: " ").map(String.init) } ?? []
/// Those of them that C and the fuzz targets get too; only the product's own branches are counted.
let addresses = instruments.filter { $0 == "-sanitize=address" }

/// Product modules hold only what Embedded Swift has; the ordinary build says so too.
let product: [SwiftSetting] = [
    .treatWarning("EmbeddedRestrictions", as: .error),
    .enableExperimentalFeature("Lifetimes"),
] + (firmware ? [.enableExperimentalFeature("Embedded"), .unsafeFlags(["-wmo", "-Osize", "-Xfrontend", "-function-sections"])] : [])
  + (instruments.isEmpty ? [] : [.unsafeFlags(instruments)])

/// Tests are ordinary Swift and may read views over bytes.
let test: [SwiftSetting] = [.enableExperimentalFeature("Lifetimes")]

let package = Package(
    name: "nightstand",
    products: [
        .executable(name: "nightstand", targets: ["nightstand"]),
    ] + (instruments.isEmpty ? [] : [.library(name: "Fuzz", type: .static, targets: ["Fuzz"])]),
    targets: [
        // What belongs to others, behind a few lines each.
        .target(name: "CLinux"),
        .target(name: "CGPIO", linkerSettings: [.linkedLibrary("gpiod")]),
        .systemLibrary(name: "CSQLite"),
        // The CPU's checksum instructions, which Swift cannot emit.
        .target(name: "CChecksum", cSettings: instruments.isEmpty ? [] : [.unsafeFlags(addresses.map { "-f" + $0.dropFirst() })]),

        // The house; arrows only point up this list.
        .target(name: "Wire", dependencies: ["CChecksum"], swiftSettings: product),
        .target(name: "Whoop", dependencies: ["Wire"], swiftSettings: product),
        .target(name: "Ports", dependencies: ["Wire"], swiftSettings: product),
        .target(name: "Bluetooth", dependencies: ["Wire"], swiftSettings: product),
        .target(name: "Capture", dependencies: ["Wire", "Bluetooth", "Whoop"], swiftSettings: product),
        .target(name: "Vitals", swiftSettings: product),
        .target(name: "Bridge", dependencies: ["Wire", "Ports", "Bluetooth", "Whoop", "Vitals"], swiftSettings: product),
        .target(name: "Gateway", dependencies: ["Wire", "Ports", "Whoop", "Bridge"], swiftSettings: product),
        .target(name: "Store", dependencies: ["Wire", "Ports", "Whoop", "CSQLite"], swiftSettings: product,
                linkerSettings: [.linkedLibrary("sqlite3"), .linkedLibrary("m")]),
        .target(name: "Linux", dependencies: ["Wire", "Ports", "Bluetooth", "CLinux", "CGPIO"], swiftSettings: product),
        .target(name: "Simulator", dependencies: ["Wire", "Ports", "Bluetooth", "Whoop", "Bridge", "CSQLite"], swiftSettings: product,
                linkerSettings: [.linkedLibrary("sqlite3")]),
        .executableTarget(name: "nightstand", dependencies: ["Gateway", "Store", "Linux", "Wire"], swiftSettings: product),
        // Programs of their own, so that a board's firmware holds neither a simulator nor a reader of captures.
        .executableTarget(name: "nightstand-frames", dependencies: ["Capture", "Gateway", "Linux", "Whoop", "Wire"], swiftSettings: product),
        .executableTarget(name: "nightstand-demo", dependencies: ["Gateway", "Store", "Linux", "Simulator"], swiftSettings: product),

        // The figures of ./deploy.sh bench.
        .target(name: "CCount"),
        .executableTarget(name: "nightstand-bench", dependencies: ["Bridge", "Simulator", "Linux", "CCount"], swiftSettings: product),

        // Drives the kernel's radio in the virtual machine of board/rig.
        .executableTarget(name: "radio-trial", dependencies: ["Linux"], path: "Tests/Kernel/RadioTrial", swiftSettings: product),

        .testTarget(name: "WireTests", dependencies: ["Wire"], swiftSettings: test),
        .testTarget(name: "PortsTests", dependencies: ["Ports"], swiftSettings: test),
        .testTarget(name: "BluetoothTests", dependencies: ["Bluetooth"], swiftSettings: test),
        .testTarget(name: "WhoopTests", dependencies: ["Whoop"], swiftSettings: test),
        .testTarget(name: "CaptureTests", dependencies: ["Capture", "Bluetooth", "Whoop", "Wire"], swiftSettings: test),
        .testTarget(name: "FramesTests", dependencies: ["nightstand-frames", "Capture", "Whoop", "Wire"], swiftSettings: test),
        .testTarget(name: "LinuxTests", dependencies: ["Linux", "Bluetooth", "Ports", "Wire"], swiftSettings: test),
    ] + (firmware ? [] : [
        // The bridge's tests kill a bridge at work, an ordinary program.
        .executableTarget(name: "OffloadVictim", dependencies: ["Bridge", "Simulator", "Store", "Whoop", "Ports", "Wire", "CSQLite"],
                          path: "Tests/OffloadVictim", swiftSettings: test),
        // Cuts the power of the ring at every write.
        .executableTarget(name: "nightstand-powercut", dependencies: ["Simulator", "Store", "Whoop", "Ports", "Wire", "CSQLite"],
                          path: "Tests/PowerCut", swiftSettings: test),
        .testTarget(name: "SimulatorTests", dependencies: ["Simulator", "Store", "Ports", "Wire", "CSQLite"], swiftSettings: test),
        .testTarget(name: "BridgeTests", dependencies: ["Bridge", "Simulator", "Store", "Bluetooth", "Whoop", "Ports", "Wire", "OffloadVictim"],
                    swiftSettings: test),
        .testTarget(name: "StoreTests", dependencies: ["Store", "Ports", "Whoop", "Wire", "CSQLite"], swiftSettings: test),
    ]) + (instruments.isEmpty ? [] : [
        // A library, because the program's main is libFuzzer's.
        .target(name: "Fuzz", dependencies: ["Wire", "Whoop", "Bluetooth", "Capture"], path: "Tests/Fuzz",
                exclude: ["corpus", "findings", "seeds"], swiftSettings: test + [.unsafeFlags(addresses)]),
    ])
)
