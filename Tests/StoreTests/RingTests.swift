// What a ring keeps, lane by lane, and when.
import Ports
@testable import Store
import Testing
import Whoop
import Wire

private let t: UInt32 = 1_767_225_600

/// A type 40 frame of 4.0.
private func realtime(unix: UInt32, heartRate: UInt8, rr: [UInt16] = []) -> [UInt8] {
    var inner = [UInt8](repeating: 0, count: 20)
    inner[0] = 40
    inner[1] = 2
    for i in 0..<4 { inner[2 + i] = UInt8(truncatingIfNeeded: unix >> (8 * UInt32(i))) }
    inner[8] = heartRate
    inner[9] = UInt8(rr.count)
    for (i, ms) in rr.enumerated() {
        inner[10 + 2 * i] = UInt8(ms & 255)
        inner[11 + 2 * i] = UInt8(ms >> 8)
    }
    inner[18] = 1
    return frame4(inner)
}

/// A type 48 frame of 4.0.
private func event(_ number: UInt16, unix: UInt32, body: [UInt8] = [], sequence: UInt8 = 0) -> [UInt8] {
    var inner = [UInt8](repeating: 0, count: 12)
    inner[0] = 48
    inner[1] = sequence
    inner[2] = UInt8(number & 255)
    for i in 0..<4 { inner[4 + i] = UInt8(truncatingIfNeeded: unix >> (8 * UInt32(i))) }
    inner[10] = UInt8(body.count)
    return frame4(inner + body)
}

/// A 2A37 value with intervals in 1/1024 s.
private func heartRate(_ bpm: UInt8, _ rr: [UInt16] = []) -> [UInt8] {
    [rr.isEmpty ? 0 : 16, bpm] + rr.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
}

@Suite struct RingTests {
    @Test func twoEqualBeatsInOneSecondStayTwo() throws {
        let bench = try Bench()
        bench.burst([record(counter: 1, unix: t, rr: [800, 800])], token: 1)
        #expect(try bench.rows("SELECT unix, ordinal, ms FROM rr") == ["\(t)|0|800", "\(t)|1|800"])
    }

    @Test func twoRecordsOfOneSecondAreBothKeptAndTheViewShowsOne() throws {
        let bench = try Bench()
        bench.burst([record(counter: 7, unix: t, heartRate: 60, rr: [1000]), record(counter: 8, unix: t, heartRate: 61, rr: [990])], token: 1)
        #expect(try bench.rows("SELECT counter, heart_rate_bpm FROM record ORDER BY counter") == ["7|60", "8|61"])
        #expect(try bench.rows("SELECT unix, heart_rate_bpm, lane FROM second") == ["\(t)|60|history"])
        #expect(try bench.count("SELECT count(*) FROM rr") == 2)
    }

    @Test func realtimeWinsOverStandardAndHistoryOverBoth() throws {
        let bench = try Bench()
        bench.clock.wall = WallTime(seconds: Int64(t))
        for i in 0..<10 {
            bench.put(.heartRate(Stamp(bench.clock)), heartRate(70, [1024]))
            if i >= 4 { bench.put(.liveFrame(Stamp(bench.clock)), realtime(unix: t + UInt32(i), heartRate: 80, rr: [750])) }
            bench.pass(1000)
        }
        bench.burst([record(counter: 1, unix: t + 8, heartRate: 90, rr: [666]), record(counter: 2, unix: t + 9, heartRate: 90, rr: [667])], token: 1)
        #expect(try bench.rows("SELECT lane, count(*), min(heart_rate_bpm), max(heart_rate_bpm) FROM second GROUP BY lane ORDER BY min(unix)")
            == ["standard|4|70|70", "realtime|4|80|80", "history|2|90|90"])
        // Beats of a lane end a second before the better lane begins.
        #expect(try bench.rows("SELECT lane, min(unix) - \(t), max(unix) - \(t), count(*) FROM rr GROUP BY lane ORDER BY 2")
            == ["standard|0|2|3", "realtime|4|6|3", "history|8|9|2"])
        #expect(try bench.count("SELECT sum(ms) FROM rr") <= 10_000)
    }

    @Test func valuesReadInOneGoAreAllKept() throws {
        let bench = try Bench()
        for bpm in [61, 62, 63] as [UInt8] { bench.put(.heartRate(Stamp(bench.clock)), heartRate(bpm)) }
        bench.ring.close()
        #expect(try bench.rows("SELECT heart_rate_bpm FROM live") == ["61", "62", "63"])
    }

    @Test func liveRowsAreOnTheCardAfterTwoMinutesAtTheLatest() throws {
        let bench = try Bench()
        _ = bench.ring.tick(now: bench.clock.now)
        bench.put(.heartRate(Stamp(bench.clock)), heartRate(61))
        #expect(bench.ring.tick(now: bench.clock.now) == bench.clock.now + Int64(120_000))
        #expect(try bench.count("SELECT count(*) FROM live") == 0)
        bench.pass(119_999)
        _ = bench.ring.tick(now: bench.clock.now)
        #expect(try bench.count("SELECT count(*) FROM live") == 0)
        bench.pass(1)
        #expect(bench.ring.tick(now: bench.clock.now) == .never)
        #expect(try bench.count("SELECT count(*) FROM live") == 1)
    }

    @Test func aMomentIsOnTheCardAtOnceAndTakesAlongWhatWaits() throws {
        let bench = try Bench()
        bench.put(.heartRate(Stamp(bench.clock)), heartRate(61))
        bench.put(.moment(Stamp(bench.clock), .button, ticket: 42), "felt odd")
        #expect(bench.witness.stored == [42])
        #expect(try bench.rows("SELECT unix, source, note, clock_trusted FROM moment") == ["1790769600|button|felt odd|1"])
        #expect(try bench.count("SELECT count(*) FROM live") == 1)
    }

    @Test func anEventSeenLiveAndInHistoryIsOneRow() throws {
        let bench = try Bench()
        bench.put(.liveFrame(Stamp(bench.clock)), event(14, unix: t, sequence: 3))
        bench.burst([event(14, unix: t, sequence: 9), event(14, unix: t + 1)], token: 1)
        #expect(try bench.rows("SELECT unix, number, lane FROM event") == ["\(t)|14|2", "\(t + 1)|14|1"])
    }

    @Test func aBatteryEventBecomesALevel() throws {
        let bench = try Bench()
        var body = [UInt8](repeating: 0, count: 20)
        body[0] = 2
        (body[1], body[2]) = (0xf4, 0x01)
        (body[5], body[6]) = (0xa0, 0x0f)
        bench.burst([event(3, unix: t, body: body)], token: 1)
        #expect(try bench.rows("SELECT unix, source, tenths_percent, millivolts FROM battery") == ["\(t)|event|500|4000"])
    }

    @Test func recordsWithAnImpossibleTimeAreKeptAndMarked() throws {
        let bench = try Bench()
        let future = UInt32(bench.clock.wall.seconds + 86_401)
        bench.burst([record(counter: 1, unix: 31_600_000), record(counter: 2, unix: t), record(counter: 3, unix: future)], token: 1)
        #expect(try bench.rows("SELECT unix, time_doubt FROM record") == ["31600000|1", "\(t)|0", "\(future)|2"])
    }

    @Test func withoutATrustedClockTheFutureIsNotJudged() throws {
        let bench = try Bench()
        bench.clock.trusted = false
        bench.clock.wall = WallTime(seconds: 0)
        bench.put(.heartRate(Stamp(bench.clock)), heartRate(61))
        bench.burst([record(counter: 1, unix: t)], token: 1)
        #expect(try bench.rows("SELECT unix, time_doubt FROM record") == ["\(t)|0"])
        #expect(try bench.rows("SELECT unix, run, monotonic_ms FROM live") == ["0|1|5000"])
        // Later the clock is right: the run can be dated, and so its rows.
        bench.clock.now = Instant(milliseconds: 65_000)
        bench.clock.trusted = true
        bench.clock.wall = WallTime(seconds: Int64(t) + 60)
        bench.put(.reason(Stamp(bench.clock)), "clock set")
        bench.ring.close()
        #expect(try bench.rows("SELECT (live.monotonic_ms + wall_minus_monotonic_ms) / 1000 FROM live JOIN run ON run.id = live.run") == ["\(t)"])
    }

    @Test func aRecordOfAnUnknownVersionIsKeptRaw() throws {
        let bench = try Bench()
        var inner = [UInt8](repeating: 7, count: 32)
        inner[0] = 47
        inner[1] = 77
        let bytes = frame4(inner)
        for _ in 0..<2 { bench.burst([bytes], token: 5) }
        bench.burst([bytes, record(counter: 1, unix: t)], token: 6)
        #expect(try bench.rows("SELECT kind, version, reason, lower(hex(frame)) FROM undecoded") == ["47|77|unknown record version|\(hex(bytes.span.bytes))"])
        #expect(try bench.count("SELECT count(*) FROM record WHERE version = 77") == 1)
    }

    @Test func rawHoldsTheFramesAsReceived() throws {
        let bench = try Bench()
        let frames = [record(counter: 1, unix: t), event(9, unix: t), record(counter: 2, unix: t + 1)]
        bench.burst(frames, token: 0x10_0000_b6c7)
        #expect(try bench.rows("SELECT lower(hex(frames)) FROM raw") == [frames.map { hex($0.span.bytes) }.joined()])
        #expect(try bench.rows("SELECT token_page, token_wraps, records, first_unix, last_unix FROM burst") == ["46791|16|2|\(t)|\(t + 1)"])
    }

    @Test func aDroppedBurstLeavesAReasonAndNothingElse() throws {
        let bench = try Bench()
        bench.put(.historyFrame(Stamp(bench.clock)), record(counter: 1, unix: t))
        bench.put(.burstDropped(Stamp(bench.clock)), "short burst")
        bench.burst([record(counter: 2, unix: t + 1)], token: 1)
        #expect(try bench.rows("SELECT counter FROM record") == ["2"])
        #expect(try bench.rows("SELECT sentence FROM reason") == ["short burst"])
    }

    @Test func aBurstLongerThanTheArenaIsRefusedAndTheNextIsNot() throws {
        let bench = try Bench()
        let many = (0..<3000).map { record(counter: $0, unix: t + $0) }
        let refused = bench.burst(many, token: 1)
        #expect(bench.witness.refused.map(\.ticket) == [refused])
        let kept = bench.burst(Array(many[..<50]), token: 2)
        #expect(bench.witness.stored == [kept])
        #expect(try bench.count("SELECT count(*) FROM record") == 50)
        #expect(try bench.rows("SELECT sentence FROM reason") == ["A burst was longer than 262144 bytes and was not kept."])
    }

    @Test func aBurstWithBytesThatAreNoFrameIsRefused() throws {
        let bench = try Bench()
        var damaged = record(counter: 1, unix: t)
        damaged[20] ^= 1
        bench.burst([record(counter: 2, unix: t), damaged], token: 1)
        #expect(bench.witness.stored.isEmpty && bench.witness.refused.count == 1)
        #expect(try bench.count("SELECT count(*) FROM record") == 0)
    }

    @Test func everyOtherEntryHasItsRow() throws {
        let bench = try Bench()
        let stamp = Stamp(bench.clock)
        bench.put(.identity(stamp), "4A0123\u{0}41.17.6.0\u{0}Nightstand \u{2764}")
        bench.put(.battery(stamp, tenths: 437))
        bench.put(.gap(stamp, from: 100, to: 200), "another collector")
        bench.put(.epitaph(stamp, Epitaph(uptime_ms: 61_000, frames: 9, damaged: 1, signals_dBm: (-60, -61, 127))), "supervision timeout")
        bench.put(.clockPair(stamp, seconds: t, fraction: 16384, roundTrip_ms: 40))
        bench.put(.reason(stamp), "why")
        bench.put(.bond(stamp, made: true))
        bench.ring.close()
        #expect(try bench.rows("SELECT address, address_type, generation, serial, firmware, name FROM strap")
            == ["F0:F1:F2:F3:F4:F5|random|4|4A0123|41.17.6.0|Nightstand \u{2764}"])
        #expect(try bench.rows("SELECT source, tenths_percent FROM battery") == ["answer|437"])
        #expect(try bench.rows("SELECT strap, from_unix, to_unix, cause FROM gap") == ["1|100|200|another collector"])
        #expect(try bench.rows("SELECT uptime_ms, frames, damaged, signal_1_dbm, signal_2_dbm, signal_3_dbm, cause FROM epitaph")
            == ["61000|9|1|-60|-61||supervision timeout"])
        #expect(try bench.rows("SELECT strap_unix, strap_fraction, wall_ms, monotonic_ms, round_trip_ms FROM clock_pair")
            == ["\(t)|16384|1790769600000|5000|40"])
        #expect(try bench.rows("SELECT sentence FROM reason") == ["why"])
        #expect(try bench.rows("SELECT strap, made FROM bond") == ["1|1"])
    }

    @Test func rowsBelongToTheStrapOfTheirTime() throws {
        let bench = try Bench()
        bench.put(.reason(Stamp(bench.clock)), "first")
        bench.put(.strap(Peer(Address("00:11:22:33:44:55")!, .publicLE), generation: 5))
        bench.put(.reason(Stamp(bench.clock)), "second")
        bench.put(.strap(Bench.peer, generation: 4))
        bench.put(.reason(Stamp(bench.clock)), "third")
        bench.ring.close()
        #expect(try bench.rows("SELECT sentence, address FROM reason JOIN strap ON strap.id = reason.strap ORDER BY reason.id")
            == ["first|F0:F1:F2:F3:F4:F5", "second|00:11:22:33:44:55", "third|F0:F1:F2:F3:F4:F5"])
    }
}
