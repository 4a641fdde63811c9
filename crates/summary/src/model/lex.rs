//! The tokens of a model file.
//!
//! Input: the text. Output: names, numbers, quoted words and signs, each with the bytes it stands on.
//! A `#` begins a comment that goes to the end of the line. Line ends mean nothing, except that an entry
//! begins at the start of a line: the parser goes on there after an error, so a token knows whether it
//! stands in the first column.

use super::error::{ModelError, Source};

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum TokenKind<'t> {
    Name(&'t str),
    Number(u64),
    Quoted(&'t str),
    Sign(Sign),
    End,
}

macro_rules! signs {
    ($($name:ident = $text:literal,)*) => {
        #[derive(Copy, Clone, PartialEq, Eq, Debug)]
        pub(crate) enum Sign { $($name,)* }
        impl Sign {
            pub(crate) fn text(self) -> &'static str {
                match self { $(Sign::$name => $text,)* }
            }
        }
    };
}

signs! {
    Dots = "...", Arrow = "->", Same = "==", NotSame = "!=", LessSame = "<=", GreaterSame = ">=",
    UnsignedLess = "<u", UnsignedGreater = ">u", UnsignedLessSame = "<=u", UnsignedGreaterSame = ">=u",
    Less = "<", Greater = ">", Is = "=", Star = "*", Dot = ".", Question = "?", Colon = ":", Comma = ",",
    Bar = "|", And = "&", Plus = "+", Minus = "-", At = "@", Open = "(", Close = ")", Begin = "{", Finish = "}",
}

#[derive(Copy, Clone, Debug)]
pub(crate) struct Token<'t> {
    pub(crate) kind: TokenKind<'t>,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Counted from 1.
    pub(crate) line: u32,
    /// It stands at the beginning of a line.
    pub(crate) first: bool,
}

/// Cuts a text into tokens; the last one is `End`. What cannot be cut is told and left out.
pub(crate) fn tokens<'t>(source: Source<'t>, errors: &mut Vec<ModelError>) -> Vec<Token<'t>> {
    let text = source.text;
    let mut tokens = Vec::with_capacity(text.len() / 5);
    let mut at = 0;
    let mut line = 1;
    while let Some(&byte) = text.as_bytes().get(at) {
        let start = at;
        let first = start == 0 || text.as_bytes()[start - 1] == b'\n';
        let kind = match byte {
            b' ' | b'\t' | b'\r' | b'\n' => {
                at += 1;
                line += u32::from(byte == b'\n');
                continue;
            }
            b'#' => {
                at = run(text, at, |byte| byte != b'\n');
                continue;
            }
            b'"' => match text[at + 1..].find(['"', '\n']) {
                Some(length) if text.as_bytes()[at + 1 + length] == b'"' => {
                    at += length + 2;
                    TokenKind::Quoted(&text[start + 1..at - 1])
                }
                _ => {
                    at = run(text, at, |byte| byte != b'\n');
                    errors.push(source.error(start, at, "this quotation does not end on its line"));
                    continue;
                }
            },
            b'0'..=b'9' => {
                at = run(text, at, is_word);
                match parse_number(&text[start..at]) {
                    Some(number) => TokenKind::Number(number),
                    None => {
                        errors.push(source.error(start, at, "this is not a number of 64 bits"));
                        TokenKind::Number(0)
                    }
                }
            }
            byte if is_word(byte) => {
                at = run(text, at, is_word);
                TokenKind::Name(&text[start..at])
            }
            _ => match sign(&text.as_bytes()[at..]) {
                Some(sign) => {
                    at += sign.text().len();
                    TokenKind::Sign(sign)
                }
                None => {
                    let letter = text[at..].chars().next().expect("there is a byte, so there is a letter");
                    at += letter.len_utf8();
                    let message = format!("a model file has no use for `{}`", letter.escape_debug());
                    errors.push(source.error(start, at, message));
                    continue;
                }
            },
        };
        tokens.push(Token { kind, start, end: at, line, first });
    }
    tokens.push(Token { kind: TokenKind::End, start: text.len(), end: text.len(), line, first: true });
    tokens
}

/// The sign that some bytes begin with; the longest one counts.
fn sign(bytes: &[u8]) -> Option<Sign> {
    // An `u` makes a comparison unsigned, unless it begins a word.
    let unsigned =
        |at: usize| bytes.get(at) == Some(&b'u') && !bytes.get(at + 1).is_some_and(|&byte| is_word(byte));
    Some(match bytes {
        [b'<', b'=', ..] if unsigned(2) => Sign::UnsignedLessSame,
        [b'>', b'=', ..] if unsigned(2) => Sign::UnsignedGreaterSame,
        [b'<', ..] if unsigned(1) => Sign::UnsignedLess,
        [b'>', ..] if unsigned(1) => Sign::UnsignedGreater,
        [b'.', b'.', b'.', ..] => Sign::Dots,
        [b'-', b'>', ..] => Sign::Arrow,
        [b'=', b'=', ..] => Sign::Same,
        [b'!', b'=', ..] => Sign::NotSame,
        [b'<', b'=', ..] => Sign::LessSame,
        [b'>', b'=', ..] => Sign::GreaterSame,
        [b'<', ..] => Sign::Less,
        [b'>', ..] => Sign::Greater,
        [b'=', ..] => Sign::Is,
        [b'*', ..] => Sign::Star,
        [b'.', ..] => Sign::Dot,
        [b'?', ..] => Sign::Question,
        [b':', ..] => Sign::Colon,
        [b',', ..] => Sign::Comma,
        [b'|', ..] => Sign::Bar,
        [b'&', ..] => Sign::And,
        [b'+', ..] => Sign::Plus,
        [b'-', ..] => Sign::Minus,
        [b'@', ..] => Sign::At,
        [b'(', ..] => Sign::Open,
        [b')', ..] => Sign::Close,
        [b'{', ..] => Sign::Begin,
        [b'}', ..] => Sign::Finish,
        _ => return None,
    })
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}

fn run(text: &str, from: usize, belongs: impl Fn(u8) -> bool) -> usize {
    text.as_bytes()[from..].iter().position(|&byte| !belongs(byte)).map_or(text.len(), |length| from + length)
}

fn parse_number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}
