// Owns reading a discovery as it passes by: an answer says what it is only together with its question, and either side of
// a link may ask (Core, Vol 3, Part F, 3.4.3 and 3.4.4). Believes no length it has not checked.
import Wire

/// ATT operations (Core, Vol 3, Part F, 3.4.8).
enum AttributeOperation {
    static var findInformation: UInt8 { 0x04 }
    static var findByTypeValue: UInt8 { 0x06 }
    static var readByType: UInt8 { 0x08 }
    static var readByGroupType: UInt8 { 0x10 }
    static var write: UInt8 { 0x12 }
    static var prepareWrite: UInt8 { 0x16 }
    static var executeWrite: UInt8 { 0x18 }
    static var notification: UInt8 { 0x1b }
    static var indication: UInt8 { 0x1d }
    static var multipleNotification: UInt8 { 0x23 }
    static var writeCommand: UInt8 { 0x52 }
}

/// The questions under way on one link.
struct Dialogue {
    /// Types of declarations (Assigned Numbers, 3.6).
    private static var primaryService: UInt16 { 0x2800 }
    private static var characteristic: UInt16 { 0x2803 }

    private struct Question {
        var operation: UInt8 = 0
        /// The attribute type asked for.
        var type: UUID128?
        /// The service looked for.
        var value: UUID128?
    }

    /// Asked by the host of the log, and asked by the other side.
    private var ours = Question()
    private var theirs = Question()

    /// Takes an operation of one side and tells each name learned from it: with a handle an attribute of that type, without
    /// one a service.
    mutating func take(_ operation: UInt8, _ body: RawSpan, isSent: Bool, _ learn: (UInt16?, UUID128) -> Void) {
        switch operation {
        case AttributeOperation.findInformation, AttributeOperation.findByTypeValue, AttributeOperation.readByType,
            AttributeOperation.readByGroupType:
            let question = Self.question(operation, body)
            if isSent { ours = question } else { theirs = question }
        case AttributeOperation.findInformation + 1, AttributeOperation.findByTypeValue + 1, AttributeOperation.readByType + 1,
            AttributeOperation.readByGroupType + 1:
            let question = isSent ? theirs : ours
            guard question.operation + 1 == operation else { return }
            Self.answer(question, body, learn)
        default: break
        }
    }

    private static func question(_ operation: UInt8, _ body: RawSpan) -> Question {
        var question = Question(operation: operation)
        if operation == AttributeOperation.findByTypeValue {
            question.type = UUID128(short: body.u16(at: 4))
            if let value = body.slice(6, body.byteCount) { question.value = UUID128(value) }
        } else if let type = body.slice(4, body.byteCount) {
            question.type = UUID128(type)
        }
        return question
    }

    private static func answer(_ question: Question, _ body: RawSpan, _ learn: (UInt16?, UUID128) -> Void) {
        var reader = Reader(body)
        switch question.operation {
        case AttributeOperation.findInformation:
            let size = switch reader.u8() { case 1: 2; case 2: 16; default: 0 }
            while size > 0, let handle = reader.u16(), let name = reader.take(size) {
                if let name = UUID128(name) { learn(handle, name) }
            }
        case AttributeOperation.findByTypeValue:
            // The answer holds handles only; one group of them is enough.
            if question.type?.short == primaryService, let service = question.value, body.byteCount >= 4 { learn(nil, service) }
        case AttributeOperation.readByGroupType:
            guard question.type?.short == primaryService, let size = reader.u8(), size >= 6 else { return }
            while let item = reader.take(Int(size)) {
                if let name = item.slice(4, Int(size)), let service = UUID128(name) { learn(nil, service) }
            }
        default:
            guard let type = question.type, let size = reader.u8(), size >= 2 else { return }
            while let item = reader.take(Int(size)) {
                if type.short != characteristic {
                    learn(item.u16(at: 0), type)
                } else if size >= 7, let name = item.slice(5, Int(size)), let uuid = UUID128(name) {
                    // Handle of the declaration, properties, handle of the value, name.
                    learn(item.u16(at: 3), uuid)
                }
            }
        }
    }
}

/// A value written in parts, which counts only once it is executed (Core, Vol 3, Part F, 3.4.6).
struct LongWrite {
    /// The longest value of an attribute (Core, Vol 3, Part F, 3.2.9).
    private static var longest: Int { 512 }

    private(set) var handle: UInt16 = 0
    private(set) var bytes: [UInt8] = []

    /// Adds a part; false, with everything forgotten, when it does not follow what is there.
    mutating func add(_ part: RawSpan, to handle: UInt16, at offset: Int) -> Bool {
        if bytes.isEmpty { self.handle = handle }
        guard handle == self.handle, offset == bytes.count, bytes.count + part.byteCount <= Self.longest else {
            self = LongWrite()
            return false
        }
        for i in 0..<part.byteCount { bytes.append(part.u8(at: i)) }
        return true
    }
}
