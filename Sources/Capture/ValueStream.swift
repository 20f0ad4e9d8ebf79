// Owns the way of one attribute's values in one direction to frames, and the patience for a frame that is not finished
// (WHOOP.md 3.6 point 8): one whose rest the capture lost must not swallow what comes after it.
import Wire
import Whoop

final class ValueStream {
    /// A frame that is not whole so long after its beginning never will be.
    static var patience_us: Int64 { 5_000_000 }

    let handle: UInt16
    let direction: Direction
    let family: Family
    private let reassembler: Reassembler
    /// Where the beginning came of the frame that is waited for.
    private var begun = Place(.record, 0)

    init(handle: UInt16, direction: Direction, family: Family) {
        self.handle = handle
        self.direction = direction
        self.family = family
        reassembler = Reassembler(family: family)
    }

    /// Takes one value and answers how many frames it made whole. What could not be read of it is noted only when
    /// `isStrap`: on a link that is not known to be a strap's, bytes that look like a header may be chance.
    func feed(_ value: RawSpan, _ intake: Intake, isStrap: Bool, at place: Place) -> Int {
        var frames = 0
        if let began = begun.time_us, let now = place.time_us, now &- began > Self.patience_us {
            frames += giveUp(intake, isStrap: isStrap)
        }
        let damaged = reassembler.damaged
        let dropped = reassembler.dropped
        var hasBegun = reassembler.waiting == 0
        reassembler.feed(value) { frame in
            hasBegun = true
            frames += 1
            intake.take(frame, at: place)
        }
        if hasBegun { begun = place }

        guard isStrap || frames > 0 else { return 0 }
        // The bytes of a damaged frame are told once, as damage, and not again as junk.
        if reassembler.damaged != damaged {
            intake.note(.damaged, at: place, count: Int(reassembler.damaged &- damaged))
        } else if reassembler.dropped != dropped {
            intake.note(.junk, at: place, count: Int(reassembler.dropped &- dropped))
        }
        return frames
    }

    /// Gives up the frame that is waited for, and answers how many whole ones lay behind its first byte.
    func giveUp(_ intake: Intake, isStrap: Bool) -> Int {
        guard reassembler.waiting > 0 else { return 0 }
        if isStrap { intake.note(.unfinished, at: begun) }
        var frames = 0
        while reassembler.waiting > 0 {
            reassembler.abandon { frame in
                frames += 1
                intake.take(frame, at: begun)
            }
        }
        return frames
    }
}
