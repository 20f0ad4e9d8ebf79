// Owns what the ring asks of files beyond what SQLite does with them: names, sizes, leave to write. SQLite goes to the
// same files through its own file layer, whose name a disk knows; a simulated disk has one of its own.

/// The card's files. Paths are the caller's, errors errno. Called from one thread at a time.
public protocol Disk: AnyObject {
    /// The name of SQLite's file layer (VFS) over the same files; nil: SQLite's usual one.
    var fileLayer: String? { get }

    /// Bytes of a file; nil when there is none (or it cannot be seen).
    func size(_ path: String) -> Int64?

    func isDirectory(_ path: String) -> Bool

    /// Whether a file can be created in this directory.
    func canWrite(in directory: String) -> Bool

    func canReadAndWrite(_ path: String) -> Bool

    /// Gives a file a new name; errno when that failed. An existing file of that name is never replaced.
    func move(_ path: String, to new: String) -> Int32

    func remove(_ path: String)

    /// Names in a directory that begin with `prefix`.
    func names(in directory: String, beginning prefix: String) -> [String]

    /// Makes names in a directory last.
    func sync(directory: String)
}
