// stub
import Wire
struct JSONText {
    private let intake: Intake
    init(_ intake: Intake) { self.intake = intake }
    func read(_ bytes: RawSpan) { intake.report.format = .json }
}
