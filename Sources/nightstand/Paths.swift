// Owns where things are when nobody says otherwise.

enum Paths {
    static let socket = "/run/nightstand/control.sock"
    static let database = "/var/lib/nightstand/nightstand.db"
    static let configuration = "/etc/nightstand/nightstand.conf"
    static let state = "/var/lib/nightstand"
}
