// Owns the figures of ./deploy.sh bench: one a line, name, value and unit with tabs between. Measures the shipping path
// and says nothing else. Times are noisy; counts are not.
import CCount
import CLinux
import Linux
import Whoop
import Wire

func figure(_ name: StaticString, _ value: String, _ unit: StaticString) { say("\(name)\t\(value)\t\(unit)") }

for family in [Family.whoop4, Family.whoop5] {
    let name: StaticString = family == .whoop4 ? "allocations_socket_to_queue_4" : "allocations_socket_to_queue_5"
    let path = QueuePath(family)
    guard path.warmUp(), let counted = path.count(frames: 10_000) else {
        complain("the simulated strap did not get to serving history")
        exit(70)
    }
    figure(name, "\(counted.allocations)", "allocations in 10000 frames")
    figure(family == .whoop4 ? "nanoseconds_socket_to_queue_4" : "nanoseconds_socket_to_queue_5", "\(counted.nanoseconds / 10_000)", "ns a frame, socket read included")
}
