// Owns the one door through which everything found in a capture leaves: it counts, and passes on. It keeps no bytes.
import Wire
import Whoop

/// Whoever wants to know what is in a capture.
public protocol CaptureListener: AnyObject {
    /// A whole frame. It lies in the capture itself where it came in one piece, and is valid during the call only.
    func take(_ frame: borrowing Frame, at place: Place)
    /// A value of the standard Heart Rate Measurement (2A37) of a strap, valid during the call only.
    func take(heartRate value: RawSpan, at place: Place)
}

final class Intake {
    private let listener: any CaptureListener
    var report = CaptureReport()

    init(_ listener: any CaptureListener) { self.listener = listener }

    func take(_ frame: borrowing Frame, at place: Place) {
        report.frames &+= 1
        listener.take(frame, at: place)
    }

    func take(heartRate value: RawSpan, at place: Place) {
        report.heartRates &+= 1
        listener.take(heartRate: value, at: place)
    }

    /// Notes what could not be read.
    func note(_ reason: Trouble.Reason, at place: Place, count: Int = 1, kept: Int = 0, of whole: Int = 0) {
        for i in report.troubles.indices where report.troubles[i].reason == reason {
            report.troubles[i].count &+= count
            return
        }
        report.troubles.append(Trouble(reason: reason, count: count, first: place, kept: kept, whole: whole))
    }
}
