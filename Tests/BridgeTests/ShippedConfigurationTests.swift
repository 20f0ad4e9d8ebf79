// The configuration that is installed must say the truth: it is read as it stands, and again with every default it
// states taken at its word.
@testable import Bridge
import Foundation
import Testing

@Suite struct ShippedConfigurationTests {
    let shipped: String
    /// Lines of the form `#key = value`, without the `#`.
    let stated: [Substring]
    /// Keys that have no default: the file shows an example of each.
    let examples: Set<Substring> = ["timezone", "age", "hr_max", "resting_hr", "sex", "weight_kg", "height_cm"]

    init() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        shipped = try String(contentsOf: root.appending(path: "board/nightstand.conf"), encoding: .utf8)
        stated = shipped.split(separator: "\n").filter { $0.contains(#/^#[a-z_]+ = /#) }.map { $0.dropFirst() }
    }

    func key(_ line: Substring) -> Substring { line.prefix { $0 != " " } }

    @Test func `As it is shipped it changes nothing`() throws {
        #expect(try Settings(parsing: Array(shipped.utf8)) == Settings())
    }

    @Test func `The defaults it states are the defaults`() throws {
        let defaults = stated.filter { !examples.contains(key($0)) }
        #expect(defaults.count == 11)
        #expect(try Settings(parsing: Array(defaults.joined(separator: "\n").utf8)) == Settings())
    }

    @Test func `Each example it gives is accepted`() throws {
        let read = try Settings(parsing: Array(stated.joined(separator: "\n").utf8))
        #expect(read.age == 40)
        #expect(read.weight_kg == 70)
        #expect(Set(stated.map(key)).isSuperset(of: examples))
    }
}
