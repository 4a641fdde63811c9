//! Moving over the tokens of a file of models or of a property, and saying what is wrong with them.
//!
//! In: a text whose entries begin in the first column. Out: its words, numbers and signs, one after the other, and all that
//! was complained of, with line and caret. What the words mean is for the parsers to know.

use super::error::{ModelError, Source, nearest};
use super::lex::{Sign, Token, TokenKind, tokens};

/// A file with more errors than this is probably of another kind.
pub(crate) const MOST_ERRORS: usize = 50;

/// An error that has been told already.
#[derive(Debug)]
pub(crate) struct Told;
pub(crate) type Parsed<T> = Result<T, Told>;

pub(crate) struct Cursor<'t> {
    pub(crate) source: Source<'t>,
    pub(crate) tokens: Vec<Token<'t>>,
    pub(crate) at: usize,
    pub(crate) errors: Vec<ModelError>,
    /// How many braces around cases are open: there a line may begin with any word.
    pub(crate) braces: u32,
    /// The token that the entry being read begins with.
    pub(crate) entry: usize,
}

impl<'t> Cursor<'t> {
    pub(crate) fn new(file_name: &'t str, text: &'t str) -> Cursor<'t> {
        let source = Source { name: file_name, text };
        let mut errors = Vec::new();
        let tokens = tokens(source, &mut errors);
        Cursor { source, tokens, at: 0, errors, braces: 0, entry: 0 }
    }

    /// Whether there is more to read, and reason to read it.
    pub(crate) fn goes_on(&self) -> bool {
        self.token().kind != TokenKind::End && self.errors.len() < MOST_ERRORS
    }

    /// What was complained of. Letters that cannot be read are found before everything else; readers go from top to bottom.
    pub(crate) fn complaints(mut self) -> Vec<ModelError> {
        self.errors.sort_by_key(|error| (error.line, error.column));
        self.errors.truncate(MOST_ERRORS);
        self.errors
    }

    pub(crate) fn token(&self) -> Token<'t> {
        self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    /// The token so many places further on.
    pub(crate) fn peek(&self, ahead: usize) -> Token<'t> {
        self.tokens[self.at.saturating_add(ahead).min(self.tokens.len() - 1)]
    }

    pub(crate) fn advance(&mut self) {
        self.at += 1;
    }

    /// Whether the token here begins another entry, so that something is missing in this one.
    pub(crate) fn at_next_entry(&self) -> bool {
        let token = self.token();
        token.first && self.braces == 0 && self.at > self.entry && matches!(token.kind, TokenKind::Name(_))
    }

    pub(crate) fn next_is_sign(&self, sign: Sign) -> bool {
        self.tokens.get(self.at + 1).is_some_and(|token| token.kind == TokenKind::Sign(sign))
    }

    pub(crate) fn word_is(&self, word: &str) -> bool {
        self.token().kind == TokenKind::Name(word)
    }

    /// Takes a word of the language, unless an entry begins with it: functions can have such names.
    pub(crate) fn take_word(&mut self, word: &str) -> bool {
        let taken = self.word_is(word) && (self.braces > 0 || !self.token().first);
        self.at += usize::from(taken);
        taken
    }

    pub(crate) fn take(&mut self, sign: Sign) -> bool {
        let taken = self.token().kind == TokenKind::Sign(sign);
        self.at += usize::from(taken);
        taken
    }

    pub(crate) fn expect(&mut self, sign: Sign) -> Parsed<()> {
        if self.take(sign) { Ok(()) } else { Err(self.expected(&format!("`{}`", sign.text()))) }
    }

    pub(crate) fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.take_word(word) { Ok(()) } else { Err(self.unknown_word(&[word], &format!("`{word}`"))) }
    }

    pub(crate) fn name(&mut self, what: &str) -> Parsed<&'t str> {
        match self.token().kind {
            TokenKind::Name(name) if !self.at_next_entry() => {
                self.at += 1;
                Ok(name)
            }
            _ => Err(self.expected(what)),
        }
    }

    pub(crate) fn number(&mut self) -> Parsed<u64> {
        match self.token().kind {
            TokenKind::Number(number) => {
                self.at += 1;
                Ok(number)
            }
            _ => Err(self.expected("a number")),
        }
    }

    /// A text in quotation marks.
    pub(crate) fn quoted(&mut self, what: &str) -> Parsed<Box<str>> {
        match self.token().kind {
            TokenKind::Quoted(text) => {
                self.at += 1;
                Ok(text.into())
            }
            _ => Err(self.expected(what)),
        }
    }

    pub(crate) fn signed_number(&mut self) -> Parsed<i64> {
        let token = self.token();
        let negative = self.take(Sign::Minus);
        let magnitude = self.number()?;
        let number =
            if negative { 0i64.checked_sub_unsigned(magnitude) } else { i64::try_from(magnitude).ok() };
        number.ok_or_else(|| self.tell(token, "this number does not fit into 64 bits with a sign"))
    }

    pub(crate) fn tell(&mut self, token: Token<'t>, message: impl Into<Box<str>>) -> Told {
        self.errors.push(self.source.error(token.start, token.end, message));
        Told
    }

    pub(crate) fn expected(&mut self, what: &str) -> Told {
        let token = self.token();
        let found = match token.kind {
            TokenKind::End => "the file ends here".into(),
            TokenKind::Name(name) => format!("found `{name}`"),
            TokenKind::Number(number) => format!("found `{number}`"),
            TokenKind::Quoted(_) => "found a quotation".into(),
            TokenKind::Sign(sign) => format!("found `{}`", sign.text()),
        };
        self.tell(token, format!("expected {what}, {found}"))
    }

    /// A word that is none of those that can stand here.
    pub(crate) fn unknown_word(&mut self, words: &[&str], what: &str) -> Told {
        let token = self.token();
        let TokenKind::Name(name) = token.kind else { return self.expected(what) };
        match nearest(name, words.iter().copied()) {
            Some(word) if word != name => {
                self.tell(token, format!("unknown word `{name}`, did you mean `{word}`?"))
            }
            _ => self.expected(what),
        }
    }
}
