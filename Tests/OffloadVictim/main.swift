// A bridge and its ring at work on a simulated strap until the process is killed at a chosen place. The tests start it,
// again and again, on the same files. What the strap released lies in a file of its own, one token a line, written the
// moment the strap takes an acknowledgement: memory that is not this process's.
// Arguments: family, seed, records, database, the strap's file, where to die (see Death) with its numbers.
// Exit status: 0 the strap holds nothing any more; 64 usage; 65 a promise was broken, which is named; 75 history did not
// come; 74 a file could not be written.
import Bridge
import Glibc
import Ports
import Simulator
import Store
import Whoop
import Wire

func end(_ status: Int32, _ why: String) -> Never {
    let line = Array((why + "\n").utf8)
    _ = line.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
    exit(status)
}

/// The strap as it is found: its flash is full of the same seconds every time, less what was released.
func strapWorld(_ family: Family, seed: UInt64, records: UInt32, released: [UInt64]) -> World {
    let world = World(family, seed: seed)
    world.strap.records = false
    world.strap.remember(seconds: records)
    // A token is the page after the burst, ten records each.
    if let last = released.last { world.strap.trim = UInt32(truncatingIfNeeded: last) * 10 }
    world.strap.keepsTold = false
    world.indicator.remembers = false
    // A card so slow that an acknowledgement sent too early would be at the strap before the burst is on it.
    world.store.latency_ms = 120
    var strap = Strap(world.strap.peer)
    strap.family = family
    var roster = Roster()
    roster.put(strap)
    roster.activate(strap.peer)
    world.bond(key: seed &+ 1, notebook: roster.text)
    return world
}

let arguments = CommandLine.arguments
guard arguments.count >= 7, let family = UInt8(arguments[1]).flatMap({ Family(rawValue: $0) }), let seed = UInt64(arguments[2]),
      let records = UInt32(arguments[3]), let place = Death.Place(Array(arguments[6...])) else {
    end(64, "usage: OffloadVictim 4|5 SEED RECORDS DATABASE STRAP-FILE PLACE [N [M]]")
}
let strapFile = StrapFile(path: arguments[5])
let world = strapWorld(family, seed: seed, records: records, released: strapFile.tokens)
let death = Death(place, telling: world.store)
let ring = Ring(path: arguments[4], limit: Ring.smallestLimit, clock: world.clock, listener: death)

world.store.sink = { entry, bytes in
    death.comes(before: entry)
    ring.apply(entry, bytes)
}
world.schedule.every(500) { _ = ring.tick(now: world.clock.now) }
let check = world.strap.onAcknowledgement
world.strap.onAcknowledgement = { token in
    strapFile.append(token)
    death.comesAfterAcknowledgement()
    check?(token)
}
do throws(SQLError) {
    world.frontier = try RingReader(path: arguments[4], clock: world.clock).newestRecord()?.seconds ?? 0
} catch {}  // there is no database yet

world.start()
death.comesWithTime()
let isDone = world.run(atMost: 3_600_000) { world.strap.pendingRecords == 0 || !world.breaches.isEmpty }
ring.close()
if let breach = world.breaches.first { end(65, breach) }
exit(isDone ? 0 : 75)
