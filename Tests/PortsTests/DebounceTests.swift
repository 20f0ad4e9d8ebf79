import Ports
import Testing
import Wire

@Suite struct DebounceTests {
    func at(_ milliseconds: Int64) -> Instant { Instant(milliseconds: milliseconds) }

    @Test func `A press counts from its first edge, however it bounces`() {
        var contact = Debounce(pressed: false)
        for time: Int64 in [1000, 1001, 1003, 1004, 1006] { contact.edge(at: at(time)) }
        #expect(contact.deadline == at(1014))
        #expect(contact.settle(pressed: true) == at(1000))
        #expect(contact.pressed)
        #expect(contact.deadline == .never)
    }

    @Test func `A spike that leaves the level as it was is no press`() {
        var contact = Debounce(pressed: false)
        contact.edge(at: at(1000))
        contact.edge(at: at(1001))
        #expect(contact.settle(pressed: false) == nil)
        #expect(contact.deadline == .never)
    }

    @Test func `Each settled change is told once, with its own time`() {
        var contact = Debounce(pressed: false)
        contact.edge(at: at(1000))
        #expect(contact.settle(pressed: true) == at(1000))
        #expect(contact.settle(pressed: true) == nil)
        contact.edge(at: at(1200))
        #expect(contact.settle(pressed: false) == at(1200))
        contact.edge(at: at(1300))
        #expect(contact.settle(pressed: true) == at(1300))
    }

    @Test func `A contact that never gets quiet is read 40 ms after its first edge`() {
        var contact = Debounce(pressed: false)
        for time in stride(from: Int64(1000), through: 1039, by: 3) { contact.edge(at: at(time)) }
        #expect(contact.deadline == at(1040))
        #expect(contact.settle(pressed: true) == at(1000))
    }

    @Test func `A button held since before the start tells its release only`() {
        var contact = Debounce(pressed: true)
        #expect(contact.settle(pressed: true) == nil)
        contact.edge(at: at(500))
        #expect(contact.settle(pressed: false) == at(500))
    }

    @Test func `A level that changed without an edge is not told, there is no time to tell`() {
        var contact = Debounce(pressed: false)
        #expect(contact.settle(pressed: true) == nil)
        #expect(!contact.pressed)
    }
}
