//! Cuts the text form into tokens.
//!
//! White space separates tokens and is otherwise ignored, but each token knows whether it is the first
//! on its line: what may follow an instruction ends with its line. `;` begins a comment.

use super::Fault;
use crate::quote::{is_word_char, is_word_start};

/// One token; texts borrow from the input.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind<'t> {
    /// A keyword, type, label or other plain name.
    Word(&'t str),
    /// `%name`, without the sign.
    Value(&'t str),
    /// `@name`, `@"odd name"`, `@name#tag`, without the sign.
    Symbol(&'t str),
    /// The inside of a quoted text, escapes not resolved.
    Text(&'t str),
    /// The inside of `x"..."`.
    Hex(&'t str),
    /// A number, possibly with sign, fraction, exponent or `0x`.
    Number(&'t str),
    /// Punctuation.
    Mark(&'static str),
    End,
}

#[derive(Copy, Clone, Debug)]
pub(super) struct Token<'t> {
    pub(super) kind: Kind<'t>,
    /// Byte offset in the input.
    pub(super) at: usize,
    pub(super) first_on_line: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

const MARKS: [&str; 14] = ["->", "...", "(", ")", "{", "}", "[", "]", ",", ":", "=", "!", "-", "+"];

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Lexer<'t> {
        Lexer { text, at: 0 }
    }

    pub(super) fn next(&mut self) -> Result<Token<'t>, Fault> {
        let first_on_line = self.skip_blanks();
        let at = self.at;
        let rest = &self.text[at..];
        let kind = match rest.chars().next() {
            None => Kind::End,
            Some('%') => Kind::Value(self.plain(1, "a value name after `%`")?),
            Some('@') => Kind::Symbol(self.symbol()?),
            Some('"') => Kind::Text(self.quoted(at + 1)?),
            Some('x') if rest.starts_with("x\"") => Kind::Hex(self.quoted(at + 2)?),
            Some(c) if is_word_start(c) => Kind::Word(self.plain(0, "a word")?),
            Some(c) if c.is_ascii_digit() => Kind::Number(self.number()),
            Some('+' | '-') if rest[1..].starts_with(|c: char| c.is_ascii_digit()) => {
                Kind::Number(self.number())
            }
            Some(c) => match MARKS.iter().find(|mark| rest.starts_with(**mark)) {
                Some(mark) => {
                    self.at += mark.len();
                    Kind::Mark(mark)
                }
                None => return Err(Fault::new(at, format!("unexpected character {c:?}"))),
            },
        };
        Ok(Token { kind, at, first_on_line })
    }

    /// Skips white space and comments; tells whether a line began.
    fn skip_blanks(&mut self) -> bool {
        let bytes = self.text.as_bytes();
        let mut first_on_line = self.at == 0;
        while let Some(&byte) = bytes.get(self.at) {
            match byte {
                b'\n' => first_on_line = true,
                b' ' | b'\t' | b'\r' => {}
                b';' => {
                    let line = &bytes[self.at..];
                    self.at += line.iter().position(|&byte| byte == b'\n').unwrap_or(line.len());
                    continue;
                }
                _ => break,
            }
            self.at += 1;
        }
        first_on_line
    }

    /// Word characters after `skip` bytes of prefix.
    fn plain(&mut self, skip: usize, what: &str) -> Result<&'t str, Fault> {
        let start = self.at + skip;
        let rest = &self.text[start..];
        let len = rest.find(|c| !is_word_char(c)).unwrap_or(rest.len());
        if len == 0 {
            return Err(Fault::new(self.at, format!("expected {what}")));
        }
        self.at = start + len;
        Ok(&rest[..len])
    }

    fn symbol(&mut self) -> Result<&'t str, Fault> {
        let start = self.at + 1;
        if self.text[start..].starts_with('"') {
            self.quoted(start + 1)?;
        } else {
            self.plain(1, "a name after `@`")?;
        }
        if self.text[self.at..].starts_with('#') {
            self.plain(1, "a tag after `#`")?;
        }
        Ok(&self.text[start..self.at])
    }

    /// The text from `start` to the closing quote on the same line.
    fn quoted(&mut self, start: usize) -> Result<&'t str, Fault> {
        let bytes = self.text.as_bytes();
        let mut end = start;
        loop {
            match bytes.get(end) {
                Some(b'"') => break,
                Some(b'\\') => end += 2,
                Some(b'\n') | None => {
                    return Err(Fault::new(self.at, "the quoted text has no end on this line"));
                }
                Some(_) => end += 1,
            }
        }
        self.at = end + 1;
        Ok(&self.text[start..end])
    }

    fn number(&mut self) -> &'t str {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut end = start + 1;
        let hex = self.text[start..].trim_start_matches(['+', '-']).starts_with("0x");
        while let Some(&byte) = bytes.get(end) {
            let signed_exponent =
                matches!(byte, b'+' | b'-') && !hex && matches!(bytes[end - 1], b'e' | b'E');
            // `...` after a number is not part of it.
            let point = byte == b'.' && bytes.get(end + 1) != Some(&b'.');
            if !(byte.is_ascii_alphanumeric() || byte == b'_' || signed_exponent || point) {
                break;
            }
            end += 1;
        }
        self.at = end;
        &self.text[start..end]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Kind<'_>> {
        let mut lexer = Lexer::new(text);
        let mut kinds = Vec::new();
        loop {
            match lexer.next().unwrap().kind {
                Kind::End => return kinds,
                kind => kinds.push(kind),
            }
        }
    }

    #[test]
    fn tokens_of_a_line() {
        use Kind::*;
        assert_eq!(
            kinds("%v2: ptr = call @\"a b\"#fn1(i64 16, ...) ; comment"),
            [
                Value("v2"),
                Mark(":"),
                Word("ptr"),
                Mark("="),
                Word("call"),
                Symbol("\"a b\"#fn1"),
                Mark("("),
                Word("i64"),
                Number("16"),
                Mark(","),
                Mark("..."),
                Mark(")"),
            ]
        );
        assert_eq!(
            kinds("@g+8 -1e-7 0x1e-3"),
            [Symbol("g"), Number("+8"), Number("-1e-7"), Number("0x1e"), Number("-3")]
        );
        assert_eq!(kinds("x\"00ff\" \"a\\\"b\" ->"), [Hex("00ff"), Text("a\\\"b"), Mark("->")]);
    }

    #[test]
    fn faults_have_positions() {
        let fault = |text: &str| {
            let mut lexer = Lexer::new(text);
            loop {
                if let Err(fault) = lexer.next() {
                    return (fault.at, fault.message);
                }
            }
        };
        assert_eq!(fault("  \"ab").0, 2);
        assert_eq!(fault("a \u{1}").0, 2);
        assert_eq!(fault("@ x").0, 0);
    }
}
