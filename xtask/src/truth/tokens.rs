//! The words and marks of a C file, each with its place.
//!
//! In goes the text of a file, out comes a list of tokens in the order of the text. Comments, string and character
//! constants and preprocessor lines are left out or folded, so that what is counted in tokens does not change
//! when a file is laid out anew or explained better. Both sides of an `#if` are there.
//!
//! What must hold: any text gives a list, however broken it is.

/// What a token is, as far as anybody here asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// An identifier or a keyword.
    Word,
    /// A number, string or character constant.
    Constant,
    /// Everything else.
    Mark,
}

/// One token and where it begins; lines and columns are counted from 1, columns in bytes.
#[derive(Debug, Clone)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) text: String,
    pub(super) line: u32,
    pub(super) column: u32,
    /// The position in the text, in bytes.
    pub(super) offset: usize,
}

impl Token {
    /// Whether it is this word or mark.
    pub(super) fn is(&self, text: &str) -> bool {
        self.kind != Kind::Constant && self.text == text
    }
}

/// Marks of more than one character, the longest first.
const LONG_MARKS: &[&str] = &[
    "<<=", ">>=", "...", "->", "==", "!=", "<=", ">=", "&&", "||", "++", "--", "+=", "-=", "*=", "/=", "%=",
    "&=", "|=", "^=", "<<", ">>",
];

/// All tokens of a text.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut reader = Reader { bytes: text.as_bytes(), at: 0, line: 1, line_begin: 0, fresh_line: true };
    let mut tokens = Vec::new();
    while let Some((kind, begin, line, column)) = reader.next() {
        let text = String::from_utf8_lossy(&reader.bytes[begin..reader.at]).into_owned();
        tokens.push(Token { kind, text, line, column, offset: begin });
    }
    tokens
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    line: u32,
    line_begin: usize,
    /// Nothing but blanks has been on this line.
    fresh_line: bool,
}

impl Reader<'_> {
    fn next(&mut self) -> Option<(Kind, usize, u32, u32)> {
        self.skip();
        let begin = self.at;
        let first = *self.bytes.get(begin)?;
        let (line, column) = (self.line, (begin - self.line_begin) as u32 + 1);
        self.fresh_line = false;
        let kind = if is_word(first) && !first.is_ascii_digit() {
            self.advance_while(is_word);
            Kind::Word
        } else if first.is_ascii_digit() {
            self.advance_while(|byte| is_word(byte) || byte == b'.');
            Kind::Constant
        } else if first == b'"' || first == b'\'' {
            self.skip_constant(first);
            Kind::Constant
        } else {
            let rest = &self.bytes[begin..];
            let long = LONG_MARKS.iter().find(|mark| rest.starts_with(mark.as_bytes()));
            let length = long.map_or(1, |mark| mark.len());
            (0..length).for_each(|_| self.step());
            Kind::Mark
        };
        Some((kind, begin, line, column))
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn step(&mut self) {
        if self.peek(0) == b'\n' {
            self.line += 1;
            self.line_begin = self.at + 1;
            self.fresh_line = true;
        }
        self.at = (self.at + 1).min(self.bytes.len());
    }

    fn is_done(&self) -> bool {
        self.at >= self.bytes.len()
    }

    fn advance_while(&mut self, wanted: impl Fn(u8) -> bool) {
        while !self.is_done() && wanted(self.peek(0)) {
            self.step();
        }
    }

    /// Passes blanks, comments, preprocessor lines and joined line ends.
    fn skip(&mut self) {
        while !self.is_done() {
            match (self.peek(0), self.peek(1)) {
                (b'/', b'*') => self.skip_comment(),
                (b'/', b'/') => self.skip_line(),
                (b'#', _) if self.fresh_line => self.skip_line(),
                (b'\\', b'\n' | b'\r') => self.step(),
                (byte, _) if byte.is_ascii_whitespace() => self.step(),
                _ => return,
            }
        }
    }

    fn skip_comment(&mut self) {
        let fresh = self.fresh_line;
        (0..2).for_each(|_| self.step());
        while !self.is_done() && (self.peek(0), self.peek(1)) != (b'*', b'/') {
            self.step();
        }
        (0..2).for_each(|_| self.step());
        self.fresh_line |= fresh;
    }

    /// Passes the rest of the line, and the next ones as long as they are joined by a backslash.
    fn skip_line(&mut self) {
        while !self.is_done() && self.peek(0) != b'\n' {
            match (self.peek(0), self.peek(1)) {
                (b'/', b'*') => self.skip_comment(),
                (b'\\', _) => (0..2).for_each(|_| self.step()),
                _ => self.step(),
            }
        }
    }

    /// Passes a constant with its closing quote. One that is never closed ends with its line.
    fn skip_constant(&mut self, quote: u8) {
        self.step();
        while !self.is_done() && self.peek(0) != b'\n' {
            let byte = self.peek(0);
            self.step();
            if byte == quote {
                return;
            }
            if byte == b'\\' {
                self.step();
            }
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<String> {
        tokens(source).into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn comments_and_directives_are_left_out() {
        let source =
            "#define F(x) \\\n  g(x)\nint a; /* free(a) */ // free(b)\n  # if X\n\"/*\" 'x' a->b>=1.5e";
        assert_eq!(texts(source), ["int", "a", ";", "\"/*\"", "'x'", "a", "->", "b", ">=", "1.5e"]);
    }

    #[test]
    fn places_are_those_of_the_text() {
        let all = tokens("int x;\n\t  free (x);\n");
        assert_eq!((all[3].line, all[3].column, all[3].offset), (2, 4, 10));
        assert_eq!((all[4].line, all[4].column), (2, 9));
    }

    #[test]
    fn broken_text_ends() {
        for source in ["\"open", "/* open", "'", "#", "\\", "a /", "\"\\"] {
            tokens(source);
        }
    }
}
