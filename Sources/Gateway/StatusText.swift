// Owns how a status is written: as JSON for programs, as lines for people.
import Bridge
import Ports
import Whoop
import Wire

/// The whole status as one JSON object, with `text` for people.
func statusJSON(_ s: Status, version: StaticString) -> String {
    var json = JSONWriter()
    json.field("ok", true)
    json.field("version", "\(version)")
    json.field("sentence", s.sentence)
    json.field("uptime_s", s.uptime_ms / 1000)
    json.field("link", "\(s.link.name)")
    json.field("radio", s.radio == .ready ? "ready" : s.radio.sentence)
    json.field("truth_link", s.truths.link)
    json.field("truth_att", s.truths.attribute)
    json.field("truth_encrypted", s.truths.encrypted)
    json.field("truth_session", s.truths.session)
    json.field("truth_heart_rate", s.truths.heartRate)
    json.field("truth_history", s.truths.history)
    json.field("strap", s.strap?.peer.address.text ?? "")
    json.field("family", s.strap?.family.map { Int64($0.rawValue) })
    json.field("serial", s.strap?.serial ?? "")
    json.field("firmware", s.strap?.firmware ?? "")
    json.field("heart_rate_bpm", s.heartRate.map { Int64($0) })
    json.field("zone", s.zone.map { Int64($0) })
    json.field("zones_assumed", s.zonesAssumed)
    if let worn = s.worn { json.field("worn", worn) } else { json.null("worn") }
    json.field("battery_tenths", s.battery_tenths.map { Int64($0) })
    json.field("signal_dbm", s.signal_dBm.map { Int64($0) })
    json.field("mtu", Int64(s.mtu))
    json.field("clock_trusted", s.clockTrusted)
    json.field("strap_clock", "\(s.strapClock.name)")
    json.field("drift_ms", s.drift_ms)
    json.field("syncing", s.syncing)
    json.field("records_received", Int64(s.recordsReceived))
    json.field("records_stored", Int64(s.recordsStored))
    json.field("bursts_acknowledged", s.burstsAcknowledged)
    json.field("ack_delay_last_ms", s.ackDelay_ms.last)
    json.field("ack_delay_mean_ms", s.ackDelay_ms.mean)
    json.field("ack_delay_longest_ms", s.ackDelay_ms.longest)
    json.field("pages_behind", s.pagesBehind.map { Int64($0) })
    json.field("history_until_unix", s.frontier)
    json.field("lag_s", s.lag_s)
    json.field("links", Int64(s.links))
    json.field("last_loss", s.lastLoss?.words ?? "")
    json.field("moments", Int64(s.moments))
    json.field("led", "\(s.led.name)")
    json.field("alert", s.alert)
    json.field("storage", s.storage?.sentence ?? "ok")
    json.field("pairing_left_s", (s.pairing_ms + 999) / 1000)
    json.field("pairing", s.pairingSentence)
    json.field("text", statusText(s))
    return json.closed()
}

/// Lines for people.
private func statusText(_ s: Status) -> String {
    var text = s.sentence + "\n\n"
    func line(_ name: StaticString, _ value: String) {
        var padded = "\(name)"
        while padded.utf8.count < 14 { padded += " " }
        text += "  \(padded)\(value)\n"
    }
    func mark(_ holds: Bool) -> String { holds ? "yes" : "no" }
    if let strap = s.strap {
        var who = strap.peer.address.text
        if let family = strap.family { who += family == .whoop4 ? "  WHOOP 4.0" : "  WHOOP 5.0/MG" }
        if !strap.serial.isEmpty { who += "  \(strap.serial)" }
        if !strap.firmware.isEmpty { who += "  firmware \(strap.firmware)" }
        line("strap", who)
    }
    var link = "\(s.link.name)"
    if let dBm = s.signal_dBm { link += ", \(dBm) dBm" }
    if s.mtu > 0, s.truths.link { link += ", MTU \(s.mtu)" }
    if !s.truths.link, let loss = s.lastLoss { link += " (last: \(loss.words))" }
    line("link", link)
    line("att", mark(s.truths.attribute))
    line("encrypted", mark(s.truths.encrypted))
    line("session", mark(s.truths.session))
    if let bpm = s.heartRate, let zone = s.zone {
        line("heart rate", "\(bpm) bpm, zone \(zone)\(s.zonesAssumed ? " (maximum 190 assumed: set age or hr_max)" : "")")
    } else {
        line("heart rate", "none")
    }
    var history = s.syncing ? "coming in: \(s.recordsStored) records, \(s.burstsAcknowledged) bursts acknowledged" : s.truths.history ? "up to date" : "not advancing"
    if let lag = s.lag_s { history += ", \(duration(lag)) behind" }
    line("history", history)
    if s.burstsAcknowledged > 0 { line("acknowledged", "\(s.ackDelay_ms.mean) ms after the strap's END on average, \(s.ackDelay_ms.longest) ms at worst") }
    line("strap clock", "\(s.strapClock.name)" + (s.drift_ms.map { ", \($0) ms off when read" } ?? ""))
    if let tenths = s.battery_tenths { line("battery", "\(tenths / 10).\(tenths % 10) %") }
    line("moments", "\(s.moments) since start")
    line("led", "\(s.led.name)")
    line("storage", s.storage?.sentence ?? "ok")
    line("up", duration(s.uptime_ms / 1000))
    return text
}

/// `3 d 4 h`, `5 h 6 min`, `7 min`, `8 s`.
private func duration(_ seconds: Int64) -> String {
    let s = max(0, seconds)
    if s >= 86_400 { return "\(s / 86_400) d \(s % 86_400 / 3600) h" }
    if s >= 3600 { return "\(s / 3600) h \(s % 3600 / 60) min" }
    if s >= 60 { return "\(s / 60) min" }
    return "\(s) s"
}
