// Owns the names of the fields of records (types 47 and 43): the header first, then what the version holds.
import Wire

extension Record {
    /// False when nothing is known of the version beyond its header.
    func describe(into sink: inout some FieldSink & ~Copyable) -> Bool {
        sink.field("version", version)
        sink.field("flags", flags, .unknown)
        sink.field("counter", counter)
        sink.field("unix", unix)
        sink.field("subsecond", subsecond)
        return describeV24(into: &sink) || describeV18(into: &sink) || describeOthers(into: &sink)
    }

    // A function for each layout of `Summary`: within it the compiler knows the layout, so every offset is a constant that the
    // record is known to reach.

    private func describeV24(into sink: inout some FieldSink & ~Copyable) -> Bool {
        guard let summary = Summary(v24: self) else { return false }
        summary.describe(into: &sink)
        return true
    }

    private func describeV18(into sink: inout some FieldSink & ~Copyable) -> Bool {
        guard let summary = Summary(v18: self) else { return false }
        summary.describe(into: &sink)
        return true
    }

    private func describeOthers(into sink: inout some FieldSink & ~Copyable) -> Bool {
        if let pulse {
            pulse.describe(into: &sink)
        } else if let motion {
            if let heart { heart.describe(into: &sink) }
            motion.describe(into: &sink)
        } else if let heart {
            heart.describe(into: &sink)
        } else if let optics {
            optics.describe(into: &sink)
        } else if let research {
            research.describe(into: &sink)
        } else {
            return false
        }
        return true
    }
}

extension Summary {
    @inline(__always)
    func describe(into sink: inout some FieldSink & ~Copyable) {
        sink.field("heart_rate_bpm", heartRate)
        sink.field("rr_ms", rr, .established)
        sink.field("quality", quality, layout == .v18 ? .disputed : .derived)
        sink.field("motion_g", real: dynamicAcceleration, .established)
        sink.field("gravity_g", gravity, .established)
        if layout != .v12 { sink.field("steps", steps, confidence) }
        sink.field("skin_temperature_c", skinTemperature_centi.map { Int64($0) }, places: 2, confidence)
        sink.field("sleep_state", sleepState.rawValue, confidence)
        sink.field("sleep_flags", sleepByte & 0x0f, .unknown)
        sink.field("spo2_percent", spo2, layout == .v18 ? .disputed : .derived)
        sink.field("spo2_code", spo2Byte, .unknown)
        sink.field("channel_words", channelWords, .established)
        if layout == .v18 {
            sink.field("activity", activity?.rawValue)
            sink.field("cadence", cadence, .single)
            sink.field("cell_temperature_c", cellTemperature_tenths.map { Int64($0) }, places: 1, .established)
            sink.field("board_temperature_c", boardTemperature_tenths.map { Int64($0) }, places: 1, .established)
            sink.field("signal_flags", signalFlags, .unknown)
            sink.field("raw_26", raw(at: 26), .unknown)
            sink.field("raw_28", raw(at: 28), .unknown)
            sink.field("raw_30", raw(at: 30), .unknown)
            sink.field("fit", fit)
            sink.field("second_heart_rate_bpm", secondHeartRate, .single)
            sink.field("photodiode_a_mean", photodiodeMean(0), .single)
            sink.field("photodiode_b_mean", photodiodeMean(1), .single)
            sink.field("signal_to_noise_a_db", signalToNoise_dB(0), .single)
            sink.field("signal_to_noise_b_db", signalToNoise_dB(1), .single)
            sink.field("log_variance", real: logVariance, .single)
        } else {
            sink.field("raw_27", raw(at: 27), .unknown)
            sink.field("raw_29", raw(at: 29), .unknown)
            sink.field("raw_48", real: rawReal, .unknown)
            sink.field("raw_64", raw(at: 64), .unknown)
            sink.field("raw_66", raw(at: 66), .unknown)
            sink.field("raw_68", raw(at: 68), .unknown)
            sink.field("raw_70", raw(at: 70), .unknown)
        }
    }
}

extension Heart {
    func describe(into sink: inout some FieldSink & ~Copyable) {
        sink.field("heart_rate_bpm", heartRate, confidence)
        sink.field("rr_ms", rr, confidence)
    }
}

extension Pulse {
    func describe(into sink: inout some FieldSink & ~Copyable) {
        sink.field("segment", segment)
        sink.field("first_sample", first)
        sink.field("deltas", deltas, .established)
        sink.field("motion_g", real: dynamicAcceleration, .established)
        sink.field("channel_word", channelWord.rawValue)
        sink.field("flag", flags, .unknown)
        sink.field("shape_good", flag: isShapeGood)
    }
}

extension Motion {
    func describe(into sink: inout some FieldSink & ~Copyable) {
        if hasMeans {
            sink.field("motion_g", real: dynamicAcceleration, .established)
            sink.field("gravity_g", gravity, .established)
            sink.field("steps", steps, .derived)
        }
        sink.acceleration(acceleration, .established)
        sink.rotation(rotation, .established)
        if let ambient {
            sink.field("ambient_a", ambient.a, .derived)
            sink.field("ambient_b", ambient.b, .derived)
        }
    }
}

extension Optics {
    func describe(into sink: inout some FieldSink & ~Copyable) {
        sink.field("samples_per_second", samplesPerSecond)
        for i in 0..<blockCount {
            guard let block = block(i) else { continue }
            sink.begin("block", i)
            for number in 0..<block.ledCount {
                guard let led = block.led(number) else { continue }
                sink.begin("led", number)
                sink.field("driver", led.driver)
                sink.field("current_ma", Int64(led.current_10uA), places: 2, .established)
                sink.end()
            }
            for number in 0..<2 {
                guard let diode = block.photodiode(number) else { continue }
                sink.begin("photodiode", number)
                sink.field("number", diode.number)
                sink.field("full_scale_ua", diode.fullScale_uA)
                sink.field("offset_ua", Int64(diode.offset_10nA), places: 2, .established)
                sink.end()
            }
            sink.field("a", block.a, .established)
            sink.field("b", block.b, .established)
            sink.end()
        }
    }
}

extension Research {
    func describe(into sink: inout some FieldSink & ~Copyable) {
        sink.field("tag", tag, .single)
        if let embeddedUnix { sink.field("embedded_unix", embeddedUnix, .single) }
        for i in 0..<windowCount {
            sink.begin("window", i)
            sink.field("first_sample", first(i), .single)
            sink.field("deltas", deltas(i), .single)
            sink.end()
        }
        if windowCount > 0 {
            sink.field("motion_g", real: dynamicAcceleration, .single)
            sink.field("channel_word", channelWord?.rawValue, .single)
            sink.field("flag", flag, .single)
        }
        if tag == 6 { sink.acceleration(acceleration, .single) }
    }
}
