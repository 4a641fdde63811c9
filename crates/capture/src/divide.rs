//! A large source divided, so that two clangs compile it side by side.
//!
//! In: the text of a C file. Out: two texts of the same length, in which every line and every column stands where it
//! stood. The body of a function is in one of them; in the other one it is a `;` and blanks, which leaves a
//! declaration. All else is in both, directives inside of bodies too: they hold for what comes after.
//!
//! Where bodies are is guessed from braces, without preprocessing. The guess need not be right: what is taken for a
//! body is in one of the parts, so nothing can get lost, and a cut through something else is an error for clang, after
//! which the file is compiled as a whole. `join::unite` of the front end puts the parts together again.

use std::ops::Range;

use memchr::{memchr_iter, memmem};

/// Bodies of fewer bytes than this are compiled as fast as a whole.
pub(crate) const WORTHWHILE: usize = 512 << 10;
/// Bytes of bodies that go to one part before it is the turn of the other one. Much smaller than a part: whole
/// chapters of a source may be switched off, and the parts are still to take equally long.
const TURN: usize = 16 << 10;

/// The two parts of a text, or `None` if dividing it is of no use.
pub(crate) fn divide(text: &[u8]) -> Option<[Vec<u8>; 2]> {
    // A name made from the number of its use would be another one in each part.
    if text.len() < WORTHWHILE || memmem::find(text, b"__COUNTER__").is_some() {
        return None;
    }
    let bodies = Scanner::new(text).bodies();
    let bytes: usize = bodies.iter().map(|body| body.range.len()).sum();
    (bytes >= WORTHWHILE).then(|| deal(text, &bodies, TURN))
}

/// Gives each body to one of the parts.
fn deal(text: &[u8], bodies: &[Body], turn: usize) -> [Vec<u8>; 2] {
    let mut parts = [text.to_vec(), text.to_vec()];
    let mut dealt = 0;
    for body in bodies {
        body.blank(&mut parts[1 - dealt / turn % 2]);
        dealt += body.range.len();
    }
    parts
}

/// From the opening brace to the closing one.
#[derive(Debug)]
struct Body {
    range: Range<usize>,
    /// Directives inside it that must stay.
    directives: Vec<Range<usize>>,
}

impl Body {
    fn blank(&self, text: &mut [u8]) {
        let mut at = self.range.start;
        for stays in &self.directives {
            blank(&mut text[at..stays.start]);
            at = stays.end;
        }
        blank(&mut text[at..self.range.end]);
        text[self.range.start] = b';';
    }
}

fn blank(text: &mut [u8]) {
    for byte in text.iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')) {
        *byte = b' ';
    }
}

/// Reads tokens, as far as braces need it.
struct Scanner<'t> {
    text: &'t [u8],
    at: usize,
    /// Braces that are open.
    depth: usize,
    /// For each open `#if`, the depth there.
    conditions: Vec<usize>,
    /// The last byte of code.
    last: u8,
    /// The declaration has an initialiser.
    is_initialised: bool,
    /// Parentheses that are open outside braces, and where the first of them is.
    parentheses: usize,
    opened: usize,
    body: Option<Body>,
    found: Vec<Body>,
}

impl<'t> Scanner<'t> {
    fn new(text: &'t [u8]) -> Scanner<'t> {
        Scanner {
            text,
            at: 0,
            depth: 0,
            conditions: Vec::new(),
            last: 0,
            is_initialised: false,
            parentheses: 0,
            opened: 0,
            body: None,
            found: Vec::new(),
        }
    }

    fn bodies(mut self) -> Vec<Body> {
        let mut line_begins = true;
        while let Some(&byte) = self.text.get(self.at) {
            match byte {
                b'#' if line_begins => self.directive(),
                b'/' if self.skip_comment() => {}
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.at += 1,
                b'\n' => {
                    line_begins = true;
                    self.at += 1;
                }
                _ => {
                    line_begins = false;
                    match byte {
                        b'"' | b'\'' => self.skip_quoted(byte),
                        _ => self.code(byte),
                    }
                    self.last = byte;
                }
            }
        }
        self.found
    }

    fn code(&mut self, byte: u8) {
        match byte {
            b'{' => {
                if self.depth == 0 && self.last == b')' && !self.is_initialised && self.follows_parameters() {
                    self.body = Some(Body { range: self.at..self.at, directives: Vec::new() });
                }
                self.depth += 1;
            }
            b'}' => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    self.end_body();
                }
            }
            _ if self.depth > 0 => {}
            b'(' => {
                if self.parentheses == 0 {
                    self.opened = self.at;
                }
                self.parentheses += 1;
            }
            b')' => self.parentheses = self.parentheses.saturating_sub(1),
            b'=' => self.is_initialised = true,
            b';' => self.end_declaration(),
            _ => {}
        }
        self.at += 1;
    }

    /// Whether the parentheses that were closed last can hold parameters: `struct __attribute__((packed)) {` is no
    /// function.
    fn follows_parameters(&self) -> bool {
        let before = self.text[..self.opened].trim_ascii_end();
        let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let start = before.iter().rposition(|byte| !is_letter(byte)).map_or(0, |at| at + 1);
        !matches!(
            &before[start..],
            b"__attribute__" | b"__attribute" | b"__declspec" | b"_Alignas" | b"alignas"
        )
    }

    fn end_body(&mut self) {
        if let Some(mut body) = self.body.take() {
            body.range.end = self.at + 1;
            // `TABLE(x) { 1, 2 };` is a variable whose initialiser hides in a macro.
            let next = self.text[self.at + 1..].trim_ascii_start().first();
            if !matches!(next, Some(b';' | b',')) {
                self.found.push(body);
            }
        }
        self.end_declaration();
    }

    fn end_declaration(&mut self) {
        self.is_initialised = false;
        self.parentheses = 0;
    }

    /// Reads a directive with all its lines.
    fn directive(&mut self) {
        let start = self.at;
        let word = self.text[start + 1..].trim_ascii_start();
        let length = word.iter().position(|byte| !byte.is_ascii_lowercase()).unwrap_or(word.len());
        let word = &word[..length];
        while let Some(&byte) = self.text.get(self.at) {
            match byte {
                b'\n' => break,
                b'/' if self.skip_comment() => {}
                b'"' => self.skip_quoted(byte),
                b'\\' => self.skip_escape(),
                _ => self.at += 1,
            }
        }
        match word {
            b"if" | b"ifdef" | b"ifndef" => self.conditions.push(self.depth),
            b"else" | b"elif" | b"elifdef" | b"elifndef" => {
                if let Some(&depth) = self.conditions.last() {
                    self.turn_to(depth);
                }
            }
            b"endif" => {
                let before = self.conditions.pop().unwrap_or(self.depth);
                self.body = self.body.take().filter(|_| before == self.depth);
            }
            // What they bring belongs inside the body.
            b"include" | b"include_next" | b"import" | b"embed" | b"pragma" => return,
            _ => {}
        }
        if let Some(body) = &mut self.body {
            body.directives.push(start..self.at);
        }
    }

    /// Goes on at the depth at which another branch of a condition began. If that is not the depth now, the branches
    /// share a brace, and what belongs to what cannot be told without preprocessing.
    fn turn_to(&mut self, depth: usize) {
        if depth != self.depth {
            self.body = None;
            self.depth = depth;
        }
    }

    /// Skips a comment, if there is one here.
    fn skip_comment(&mut self) -> bool {
        let rest = &self.text[self.at..];
        let length = match rest.get(1) {
            Some(b'*') => memmem::find(&rest[2..], b"*/").map_or(rest.len(), |end| end + 4),
            Some(b'/') => {
                let mut ends = memchr_iter(b'\n', rest);
                ends.find(|end| !is_continued(&rest[..*end])).unwrap_or(rest.len())
            }
            _ => return false,
        };
        self.at += length;
        true
    }

    /// Goes behind the closing quote, or to the end of the line: text that is switched off may have apostrophes.
    fn skip_quoted(&mut self, quote: u8) {
        self.at += 1;
        while let Some(&byte) = self.text.get(self.at) {
            match byte {
                b'\\' => self.skip_escape(),
                b'\n' => return,
                _ => self.at += 1,
            }
            if byte == quote {
                return;
            }
        }
    }

    /// Skips a backslash and what it is for, which may be the end of a line.
    fn skip_escape(&mut self) {
        let is_return = self.text.get(self.at + 1) == Some(&b'\r');
        self.at = (self.at + 2 + usize::from(is_return)).min(self.text.len());
    }
}

/// Whether a line without its end goes on in the next one.
fn is_continued(line: &[u8]) -> bool {
    line.strip_suffix(b"\r").unwrap_or(line).ends_with(b"\\")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Deals single bodies in turn, and shows the parts.
    fn parts(text: &str) -> [String; 2] {
        let bodies = Scanner::new(text.as_bytes()).bodies();
        let parts = deal(text.as_bytes(), &bodies, 1);
        for part in &parts {
            assert_eq!(part.len(), text.len());
        }
        parts.map(|part| String::from_utf8(part).unwrap())
    }

    /// The bodies found.
    fn bodies(text: &str) -> Vec<&str> {
        Scanner::new(text.as_bytes()).bodies().into_iter().map(|body| &text[body.range]).collect()
    }

    #[test]
    fn a_body_is_in_one_part_and_all_else_in_both() {
        // One byte a turn: bodies of an odd length go to one part after the other.
        let [one, other] = parts("int a;\nint f(void) {a}\nint g(void) {b\n}\nint b;\n");
        assert_eq!(one, "int a;\nint f(void) {a}\nint g(void) ; \n \nint b;\n");
        assert_eq!(other, "int a;\nint f(void) ;  \nint g(void) {b\n}\nint b;\n");
    }

    #[test]
    fn directives_hold_for_what_comes_after() {
        let text = "int f(void) {x\n# define A 1 /* {\n */ \\\n  2\n#include \"x.h\"\n  /*\n#if 0\n*/ }\nint g(void) {y}\n";
        let [one, other] = parts(text);
        let (_, blanked) = if one.contains('y') { (other, one) } else { (one, other) };
        let kept: Vec<&str> = blanked.lines().map(str::trim_end).collect();
        let expected =
            ["int f(void) ;", "# define A 1 /* {", " */ \\", "  2", "", "", "", "", "int g(void) {y}"];
        assert_eq!(kept, expected);
    }

    #[test]
    fn what_looks_like_a_body_and_is_none() {
        for text in [
            "int a[] = (int[]) { 1 };",
            "struct __attribute__((packed)) { int a; } s;",
            "struct s { int a; };",
            "enum e { A, B };",
            "TABLE(x) { 1, 2 };",
            "int f(a) int a; { return a; }",
            "#define F(x) { x }\n",
            "/* f() { } */ // f() { }\nchar *s = \"f() { }\";",
            "#if A\nint f(void) {\n#else\nint f(int a) {\n#endif\n}\n",
        ] {
            assert_eq!(bodies(text), Vec::<&str>::new(), "{text}");
        }
    }

    #[test]
    fn braces_that_do_not_count() {
        for body in [
            "{ '{'; \"{\\\"{\"; '\\''; }",
            "{ \"\" '{' \"}\"; }",
            "{\n#define SAID \"{\" /* { */\n}",
            "{ /* { */ // { \\\n {\n }",
            "{\n#if 0\n don't\n {\n }\n#else\n { }\n#endif\n}",
            "{\n#define BEGIN {\n}",
            "{ a[] = { 1, { 2 } }; }",
        ] {
            for begin in ["int f(void) ", "MACRO(f)\n", "int (*f(int a))(int)\n#ifdef X\n#endif\n"] {
                assert_eq!(bodies(&format!("{begin}{body}\nint b;")), [body], "{begin}{body}");
            }
        }
    }

    #[test]
    fn any_bytes_are_read_to_the_end() {
        for text in [
            "", "}", "}}{", "\"", "'\\", "/*", "//", "#", "#if", "#else\n", "#endif\n", "f(){", "\\",
            "f(){\\",
        ] {
            assert_eq!(bodies(text), Vec::<&str>::new(), "{text}");
        }
    }

    #[test]
    fn small_files_and_numbered_names_stay_whole() {
        let one = "int f(void) { return 1; }\n";
        let large = one.repeat(WORTHWHILE / 10);
        assert!(divide(one.as_bytes()).is_none());
        assert!(divide(large.as_bytes()).is_some());
        assert!(divide(format!("{large}int x = __COUNTER__;").as_bytes()).is_none());
        assert!(divide("int a;\n".repeat(WORTHWHILE).as_bytes()).is_none());
    }

    proptest::proptest! {
        /// Whatever the text is, each of its bytes is in one of the parts at least, where it was.
        #[test]
        fn nothing_is_lost(words in proptest::collection::vec(proptest::sample::select(WORDS), 0..60)) {
            let text = words.concat();
            let [one, other] = parts(&text);
            for ((byte, one), other) in text.bytes().zip(one.bytes()).zip(other.bytes()) {
                assert!(one == byte || other == byte);
                assert_eq!(one == b'\n', byte == b'\n');
            }
        }
    }

    const WORDS: &[&str] = &[
        "f",
        "(",
        ")",
        "{",
        "}",
        ";",
        "=",
        "\"",
        "'",
        "\\",
        "\n",
        "/*",
        "*/",
        "//",
        "\n#if 1\n",
        "\n#else\n",
        "\n#endif\n",
        "\n#define M \\\n",
        "\n#include <x>\n",
        "\r\n",
        " ",
        ",",
        "int f(void) {",
        "}\n",
        "é",
    ];
}
