// Owns heart rate and R-R of records that are no modern summaries but carry them all the same: the old one-second records
// v5, v7, v9 and the raw motion record v10 of 4.0 (WHOOP.md 8.2, 8.5). All keep them where v12 does.
// v7 is disputed (its heart rate may lie at 27): both values are gated, and nothing else of it is read.
import Wire

/// Heart rate and beats of a second.
public struct Heart: ~Escapable {
    private let inner: RawSpan

    /// Nil for another version, or a record too short for it.
    @_lifetime(copy record)
    init?(_ record: borrowing Record) {
        guard record.family == .whoop4 else { return nil }
        switch record.version {
        case 5, 7, 9: guard record.inner.byteCount >= 27 else { return nil }
        case 10: guard record.inner.byteCount >= 35 else { return nil }
        default: return nil
        }
        inner = record.inner
    }

    /// v7 is disputed; v5 and v9 are known from one source.
    public var confidence: Confidence {
        switch inner.u8(at: 1) {
        case 10: .established
        case 7: .disputed
        default: .single
        }
    }

    /// Beats per minute, 25...230.
    public var heartRate: UInt8? { Gate.heartRate(inner.u8(at: 17)) }

    /// R-R intervals in milliseconds, in order, at most 4, in v10 8; those outside 200...2500 are absent, and all are when there
    /// are said to be more.
    public var rr: Series {
        @_lifetime(copy self) get { Series(inner, at: 19, .interval, count: Gate.rrCount(inner.u8(at: 18), most: inner.u8(at: 1) == 10 ? 8 : 4)) }
    }
}

extension Record {
    /// Heart rate and beats, when the record is none of the modern summaries and has them.
    public var heart: Heart? {
        @_lifetime(copy self) get { Heart(self) }
    }
}
