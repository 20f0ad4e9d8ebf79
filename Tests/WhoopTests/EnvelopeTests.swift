import Testing
@testable import Whoop
