//! Reads tokens one after the other and says what was expected when they do not fit.

use super::Fault;
use super::lexer::{Kind, Lexer, Token};
use crate::quote::unescape_bytes;
use std::borrow::Cow;

/// The current token and the one after it.
#[derive(Debug)]
pub(super) struct Cursor<'t> {
    lexer: Lexer<'t>,
    current: Token<'t>,
    next: Token<'t>,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str) -> Result<Cursor<'t>, Fault> {
        let mut lexer = Lexer::new(text);
        let current = lexer.next()?;
        let next = lexer.next()?;
        Ok(Cursor { lexer, current, next })
    }

    pub(super) fn kind(&self) -> Kind<'t> {
        self.current.kind
    }
    pub(super) fn next_kind(&self) -> Kind<'t> {
        self.next.kind
    }
    /// Byte offset of the current token.
    pub(super) fn at(&self) -> usize {
        self.current.at
    }
    /// Whether the current token begins a line, or the text is at its end.
    pub(super) fn at_line_start(&self) -> bool {
        self.current.first_on_line || self.current.kind == Kind::End
    }

    pub(super) fn advance(&mut self) -> Result<Token<'t>, Fault> {
        let token = self.current;
        self.current = self.next;
        if self.next.kind != Kind::End {
            self.next = self.lexer.next()?;
        }
        Ok(token)
    }

    /// The fault that the current token is not what is `expected`.
    pub(super) fn unexpected(&self, expected: &str) -> Fault {
        let found = match self.current.kind {
            Kind::Word(text) | Kind::Number(text) => format!("`{}`", shorten(text)),
            Kind::Value(text) => format!("`%{}`", shorten(text)),
            Kind::Symbol(text) => format!("`@{}`", shorten(text)),
            Kind::Text(_) | Kind::Hex(_) => "a quoted text".into(),
            Kind::Mark(mark) => format!("`{mark}`"),
            Kind::End => "the end of the text".into(),
        };
        Fault::new(self.current.at, format!("expected {expected}, found {found}"))
    }

    pub(super) fn is_mark(&self, mark: &str) -> bool {
        matches!(self.current.kind, Kind::Mark(found) if found == mark)
    }
    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(self.current.kind, Kind::Word(found) if found == word)
    }

    /// Takes the mark if it is next.
    pub(super) fn eat_mark(&mut self, mark: &str) -> Result<bool, Fault> {
        let found = self.is_mark(mark);
        if found {
            self.advance()?;
        }
        Ok(found)
    }
    /// Takes the word if it is next.
    pub(super) fn eat_word(&mut self, word: &str) -> Result<bool, Fault> {
        let found = self.is_word(word);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    pub(super) fn mark(&mut self, mark: &str) -> Result<(), Fault> {
        if self.eat_mark(mark)? { Ok(()) } else { Err(self.unexpected(&format!("`{mark}`"))) }
    }
    pub(super) fn keyword(&mut self, word: &str) -> Result<(), Fault> {
        if self.eat_word(word)? { Ok(()) } else { Err(self.unexpected(&format!("`{word}`"))) }
    }

    /// Takes any word.
    pub(super) fn word(&mut self, expected: &str) -> Result<&'t str, Fault> {
        let Kind::Word(word) = self.current.kind else { return Err(self.unexpected(expected)) };
        self.advance()?;
        Ok(word)
    }

    /// Takes a quoted text.
    pub(super) fn text(&mut self, expected: &str) -> Result<Cow<'t, str>, Fault> {
        let Kind::Text(raw) = self.current.kind else { return Err(self.unexpected(expected)) };
        let at = self.advance()?.at;
        unescape(raw, at + 1)
    }

    /// Takes a name: a word, or a quoted text for odd ones.
    pub(super) fn name(&mut self, expected: &str) -> Result<Cow<'t, str>, Fault> {
        match self.current.kind {
            Kind::Word(word) => {
                self.advance()?;
                Ok(Cow::Borrowed(word))
            }
            _ => self.text(expected),
        }
    }

    pub(super) fn u64(&mut self, expected: &str) -> Result<u64, Fault> {
        self.fitting(
            expected,
            |(negative, magnitude)| {
                if negative && magnitude != 0 { None } else { u64::try_from(magnitude).ok() }
            },
        )
    }
    pub(super) fn u32(&mut self, expected: &str) -> Result<u32, Fault> {
        self.fitting(
            expected,
            |(negative, magnitude)| {
                if negative && magnitude != 0 { None } else { u32::try_from(magnitude).ok() }
            },
        )
    }
    pub(super) fn i64(&mut self, expected: &str) -> Result<i64, Fault> {
        self.fitting(expected, signed)
    }

    /// Takes an integer as sign and magnitude, through `convert`, which refuses what does not fit.
    pub(super) fn fitting<T>(
        &mut self,
        expected: &str,
        convert: impl FnOnce((bool, u128)) -> Option<T>,
    ) -> Result<T, Fault> {
        let Kind::Number(text) = self.current.kind else { return Err(self.unexpected(expected)) };
        let Some(number) = integer(text) else { return Err(self.unexpected(expected)) };
        let Some(number) = convert(number) else {
            return Err(Fault::new(self.current.at, format!("`{}` is out of range", shorten(text))));
        };
        self.advance()?;
        Ok(number)
    }
}

/// A signed number from sign and magnitude.
pub(super) fn signed((negative, magnitude): (bool, u128)) -> Option<i64> {
    let value = i128::try_from(magnitude).ok()?;
    i64::try_from(if negative { -value } else { value }).ok()
}

/// Sign and magnitude of a decimal or hexadecimal integer.
pub(super) fn integer(text: &str) -> Option<(bool, u128)> {
    let negative = text.starts_with('-');
    let digits = text.trim_start_matches(['+', '-']);
    let magnitude = match digits.strip_prefix("0x") {
        Some(hex) if !hex.starts_with('+') => u128::from_str_radix(hex, 16).ok()?,
        Some(_) => return None,
        None => digits.parse().ok()?,
    };
    Some((negative, magnitude))
}

/// The name that stands between two quotes; `at` is the position of its first character.
pub(super) fn unescape(raw: &str, at: usize) -> Result<Cow<'_, str>, Fault> {
    match unescape_bytes(raw).map_err(|offset| Fault::new(at + offset, "wrong escape"))? {
        Cow::Borrowed(_) => Ok(Cow::Borrowed(raw)),
        Cow::Owned(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Cow::Owned(text)),
            Err(_) => Err(Fault::new(at, "the escapes do not give valid UTF-8")),
        },
    }
}

/// Long tokens are cut in messages.
pub(super) fn shorten(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(40) {
        Some((end, _)) => Cow::Owned(format!("{}...", &text[..end])),
        None => Cow::Borrowed(text),
    }
}
