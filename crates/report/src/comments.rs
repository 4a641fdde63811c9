//! The comments of a C file, and which lines have code.
//!
//! Input: the bytes of a file. Output: every comment with its text and place, which lines have code, and
//! where statements end. Strings, character constants, header names and numbers with digit separators are
//! followed just well enough that a `//` or `/*` inside them is not taken for a comment, and a quote inside a
//! comment is not taken for a string.
//!
//! This is not a C front end: the file is read as it is written, without preprocessing, so code under `#if 0`
//! counts as code. What must hold: it ends on any bytes, in linear time, and a mistake in one line (an
//! apostrophe in an `#error` line) does not outlive that line.

use std::ops::Range;

/// A comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Comment {
    /// The bytes between the marks that open and close it.
    pub(crate) text: Range<usize>,
    /// The lines it touches, counted from zero.
    pub(crate) first_line: usize,
    pub(crate) last_line: usize,
}

/// What was seen in a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Scan {
    pub(crate) comments: Vec<Comment>,
    /// For each line, whether there is anything but comments and white space.
    pub(crate) has_code: Vec<bool>,
    /// For each line, whether a statement or block can end in it: a `;` outside of parentheses, or a brace.
    pub(crate) ends_statement: Vec<bool>,
}

/// Reads a file once, from its start to its end.
pub(crate) fn scan(bytes: &[u8]) -> Scan {
    let mut scanner = Scanner {
        bytes,
        at: 0,
        line: 0,
        depth: 0,
        out: Scan { comments: Vec::new(), has_code: vec![false], ends_statement: vec![false] },
    };
    while scanner.at < bytes.len() {
        scanner.next();
    }
    scanner.out
}

struct Scanner<'b> {
    bytes: &'b [u8],
    at: usize,
    line: usize,
    /// How many parentheses are open.
    depth: usize,
    out: Scan,
}

impl Scanner<'_> {
    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    /// The length of the line end at some offset; zero if there is none. Lines end as in [`crate::source`].
    fn line_end(&self, ahead: usize) -> usize {
        match (self.peek(ahead), self.peek(ahead + 1)) {
            (Some(b'\r'), Some(b'\n')) => 2,
            (Some(b'\n' | b'\r'), _) => 1,
            _ => 0,
        }
    }

    fn new_line(&mut self, length: usize) {
        self.at += length;
        self.line += 1;
        self.out.has_code.push(false);
        self.out.ends_statement.push(false);
    }

    fn next(&mut self) {
        let Some(byte) = self.peek(0) else { return };
        let end = self.line_end(0);
        match byte {
            _ if end > 0 => self.new_line(end),
            b' ' | b'\t' | b'\x0b' | b'\x0c' => self.at += 1,
            b'/' if self.peek(1) == Some(b'/') => self.line_comment(),
            b'/' if self.peek(1) == Some(b'*') => self.block_comment(),
            _ => self.code(byte),
        }
    }

    fn code(&mut self, byte: u8) {
        let first_on_line = !self.out.has_code[self.line];
        self.out.has_code[self.line] = true;
        match byte {
            b'"' | b'\'' => self.constant(byte),
            b'#' if first_on_line => self.directive(),
            b'0'..=b'9' => self.number(),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | 0x80.. => self.word(),
            b'(' => {
                self.depth += 1;
                self.at += 1;
            }
            b')' => {
                self.depth = self.depth.saturating_sub(1);
                self.at += 1;
            }
            b';' => {
                self.out.ends_statement[self.line] |= self.depth == 0;
                self.at += 1;
            }
            b'{' | b'}' => {
                // Macros may leave parentheses open; a brace is where we trust the count again.
                self.depth = 0;
                self.out.ends_statement[self.line] = true;
                self.at += 1;
            }
            _ => self.at += 1,
        }
    }

    fn word(&mut self) {
        while self.peek(0).is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'$' || b >= 0x80) {
            self.at += 1;
        }
    }

    /// A number, in which a quote between digits separates groups (`1'000`).
    fn number(&mut self) {
        while let Some(byte) = self.peek(0) {
            let separates = byte == b'\'' && self.peek(1).is_some_and(|b| b.is_ascii_alphanumeric());
            if !(byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'_' || separates) {
                break;
            }
            self.at += 1;
        }
    }

    /// The name after `#include` may contain what elsewhere opens a comment or a string.
    fn directive(&mut self) {
        self.at += 1;
        while matches!(self.peek(0), Some(b' ' | b'\t')) {
            self.at += 1;
        }
        if !self.bytes[self.at..].starts_with(b"include") {
            return;
        }
        self.at += b"include".len();
        while matches!(self.peek(0), Some(b' ' | b'\t')) {
            self.at += 1;
        }
        if self.peek(0) == Some(b'<') {
            while self.at < self.bytes.len() && self.line_end(0) == 0 && self.peek(0) != Some(b'>') {
                self.at += 1;
            }
        }
    }

    /// A string or character constant. It ends at the line end if it is not closed before.
    fn constant(&mut self, quote: u8) {
        self.at += 1;
        while let Some(byte) = self.peek(0) {
            if self.line_end(0) > 0 {
                return;
            }
            self.at += 1;
            if byte == quote {
                return;
            }
            if byte == b'\\' {
                match self.line_end(0) {
                    0 => self.at += 1,
                    end => {
                        self.new_line(end);
                        self.out.has_code[self.line] = true;
                    }
                }
            }
        }
        // An escape at the very end steps over it.
        self.at = self.at.min(self.bytes.len());
    }

    fn line_comment(&mut self) {
        let first_line = self.line;
        self.at += 2;
        let start = self.at;
        while self.at < self.bytes.len() {
            let end = self.line_end(0);
            if end > 0 {
                // A backslash before the line end carries the comment on.
                if self.bytes[start..self.at].last() != Some(&b'\\') {
                    break;
                }
                self.new_line(end);
            } else {
                self.at += 1;
            }
        }
        self.out.comments.push(Comment { text: start..self.at, first_line, last_line: self.line });
    }

    fn block_comment(&mut self) {
        let first_line = self.line;
        self.at += 2;
        let start = self.at;
        while self.at < self.bytes.len() {
            let end = self.line_end(0);
            if end > 0 {
                self.new_line(end);
            } else if self.bytes[self.at..].starts_with(b"*/") {
                self.out.comments.push(Comment { text: start..self.at, first_line, last_line: self.line });
                self.at += 2;
                return;
            } else {
                self.at += 1;
            }
        }
        // A comment that is never closed is not a comment to any compiler.
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(source: &str, expected: &[(&str, usize, usize)]) {
        let found = scan(source.as_bytes());
        let found: Vec<_> =
            found.comments.iter().map(|c| (&source[c.text.clone()], c.first_line, c.last_line)).collect();
        assert_eq!(found, expected, "{source}");
    }

    #[test]
    fn comments_are_found() {
        check("a // b\nc", &[(" b", 0, 0)]);
        check("a /* b */ c /**/", &[(" b ", 0, 0), ("", 0, 0)]);
        check("/* a\n b */\n// c", &[(" a\n b ", 0, 1), (" c", 2, 2)]);
        check("// a \\\n b\nc", &[(" a \\\n b", 0, 1)]);
        check("// a \\\r\n b\r\nc // d\r\n", &[(" a \\\r\n b", 0, 1), (" d", 2, 2)]);
        check("x = a / b; // c", &[(" c", 0, 0)]);
        check("/*/ a */", &[("/ a ", 0, 0)]);
        check("// a /* b\nc */ // d", &[(" a /* b", 0, 0), (" d", 1, 1)]);
        check("/* // */ b // c", &[(" // ", 0, 0), (" c", 0, 0)]);
    }

    #[test]
    fn strings_and_constants_hide_comments() {
        check(r#"f("// a", "/* b"); // c"#, &[(" c", 0, 0)]);
        check(r#"f("\"// a"); // c"#, &[(" c", 0, 0)]);
        check(r"x = '\''; y = '/'; // c", &[(" c", 0, 0)]);
        check("x = '\"'; // c", &[(" c", 0, 0)]);
        check("s = \"a\\\n// b\"; // c", &[(" c", 1, 1)]);
        check("n = 1'000; // c", &[(" c", 0, 0)]);
        check("n = 0xFF'FFu; m = L'//'; // c", &[(" c", 0, 0)]);
        check("#include <sys//a.h> // c", &[(" c", 0, 0)]);
        check("#  include <a/*b> // c", &[(" c", 0, 0)]);
        check("if (a <b) // c", &[(" c", 0, 0)]);
    }

    #[test]
    fn a_mistake_does_not_outlive_its_line() {
        check("#error don't // a\nx // b", &[(" b", 1, 1)]);
        check("s = \"open // a\nx // b", &[(" b", 1, 1)]);
        check("/* never closed // a\nx // b", &[]);
        check("\"\\", &[]);
        check("'", &[]);
        check("/", &[]);
    }

    fn lines(flags: &[bool]) -> String {
        flags.iter().map(|&flag| if flag { 'x' } else { '.' }).collect()
    }

    #[test]
    fn lines_with_code_are_known() {
        let found = scan(b"a;\n\n// b\n/* c\n*/ d;\n  \n\"s\\\nt\";\n");
        assert_eq!(lines(&found.has_code), "x...x.xx.");
        assert_eq!(lines(&found.ends_statement), "x...x..x.");
    }

    #[test]
    fn statements_end_outside_of_parentheses() {
        let found = scan(b"for (;\n;)\n{\nx =\n f(1,\n 2);\n}");
        assert_eq!(lines(&found.ends_statement), "..x..xx");
    }

    proptest! {
        #[test]
        fn any_bytes_can_be_scanned(bytes in proptest::collection::vec(
            prop_oneof![proptest::sample::select(b"/*\"'\\\n\r#<>(){};a1 ".to_vec()), any::<u8>()], 0..200)) {
            let found = scan(&bytes);
            let lines = crate::source::SourceFile::new(bytes.clone());
            prop_assert_eq!(found.has_code.len(), (1..).take_while(|&n| lines.line(n).is_some()).count());
            for comment in &found.comments {
                prop_assert_eq!(comment.first_line + 1, lines.line_of(comment.text.start) as usize);
                prop_assert!(comment.text.end <= bytes.len());
            }
        }
    }
}
