import Linux
import Testing

@Suite struct TerminalTests {
    @Test(arguments: [("note", "note"), ("a\u{1b}[2Jb", "a?[2Jb"), ("tab\tline\n", "tab?line?"), ("\u{9b}31m", "?31m"), ("é ü €", "é ü €"), ("\u{7f}", "?")])
    func whatWouldSteerATerminalIsShownAsAQuestionMark(text: String, shown: String) { #expect(plain(text) == shown) }
}
