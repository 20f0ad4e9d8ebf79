// Owns what the store answers and what people ask: presses, moments, buzzes.
import Bluetooth
import Ports
import Whoop
import Wire

extension Bridge {
    // MARK: the store

    public func stored(_ ticket: UInt32) {
        guard ticket >= Self.momentTickets else { session?.stored(ticket); return }
        guard let i = pendingMoments.firstIndex(where: { $0.ticket == ticket }) else { return }
        let moment = pendingMoments.remove(at: i)
        moments &+= 1
        if moment.buzz { _ = buzz() }
    }

    public func notStored(_ ticket: UInt32, _ trouble: StoreTrouble) {
        if ticket < Self.momentTickets { session?.notStored(ticket) } else {
            pendingMoments.removeAll { $0.ticket == ticket }
            lamp.flash(.refused, for_ms: 2_000, now: clock.now)
        }
        storage(has: trouble)
    }

    public func storage(has trouble: StoreTrouble?) {
        guard trouble != storeTrouble else { return }
        let before = storeTrouble
        storeTrouble = trouble
        if let trouble { log.say(trouble.sentence) } else if before != nil {
            log.say("Storage works again.")
            _ = session?.sync()
        }
        refresh()
    }

    // MARK: the button, and what people ask

    public func button(pressed: Bool, at: Instant) {
        if let gesture = gesture.button(pressed: pressed, at: at) { act(gesture) }
    }

    func act(_ gesture: Gesture) {
        switch gesture {
        case .short: mark(.button, "")
        case .double: if !buzz() { lamp.flash(.refused, for_ms: 1_500, now: clock.now) }
        case .long: openPairing(nil)
        case .veryLong: if !forget() { lamp.flash(.refused, for_ms: 1_500, now: clock.now) }
        }
    }

    /// Marks a moment; once it is on the card the strap gives one short buzz, unless it came from the command line.
    /// False: storage has no room for it, and it is lost.
    @discardableResult
    public func mark(_ source: MomentSource, _ note: String) -> Bool {
        let number = Self.momentTickets | newTicket()
        guard keep(.moment(Stamp(clock), source, ticket: number), note) else {
            lamp.flash(.refused, for_ms: 2_000, now: clock.now)
            return false
        }
        pendingMoments.append((number, source != .command))
        return true
    }

    /// One short buzz of the strap. False: there is no session.
    public func buzz() -> Bool { session?.buzz() ?? false }

    /// Asks for history now. False: there is no session.
    public func sync() -> Bool { session?.sync() ?? false }

    /// The last thing before the process ends.
    public func stop() {
        session?.farewell()
        lamp.off()
    }
}
