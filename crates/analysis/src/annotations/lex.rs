//! Words and signs of a C text.
//!
//! In: a text, of which nothing is expected. Out: its words, numbers and signs with their places, without comments and
//! preprocessor lines; strings are there, but not what they say. Nothing is expanded.

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Name,
    Sign(u8),
    Other,
}

#[derive(Copy, Clone, Debug)]
pub(super) struct Token<'t> {
    pub(super) kind: Kind,
    pub(super) text: &'t str,
    pub(super) start: usize,
    pub(super) line: u32,
    pub(super) column: u32,
}

/// Words and signs of a text, without comments, strings and preprocessor lines.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let (mut at, mut line, mut line_start) = (0usize, 1u32, 0usize);
    let mut fresh_line = true;
    while at < bytes.len() {
        let byte = bytes[at];
        let start = at;
        let column = (at - line_start) as u32 + 1;
        let here = line;
        match byte {
            b'\n' => {
                (at, line, line_start, fresh_line) = (at + 1, line + 1, at + 1, true);
                continue;
            }
            b' ' | b'\t' | b'\r' | 0x0b | 0x0c => {
                at += 1;
                continue;
            }
            b'\\' if bytes.get(at + 1) == Some(&b'\n') => {
                (at, line, line_start) = (at + 2, line + 1, at + 2);
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                while at < bytes.len() && bytes[at] != b'\n' {
                    at += 1;
                }
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                at += 2;
                while at < bytes.len() && !(bytes[at] == b'*' && bytes.get(at + 1) == Some(&b'/')) {
                    if bytes[at] == b'\n' {
                        (line, line_start) = (line + 1, at + 1);
                    }
                    at += 1;
                }
                at = (at + 2).min(bytes.len());
                continue;
            }
            b'#' if fresh_line => {
                while at < bytes.len() && bytes[at] != b'\n' {
                    if bytes[at] == b'\\' && bytes.get(at + 1) == Some(&b'\n') {
                        (line, line_start) = (line + 1, at + 2);
                        at += 1;
                    }
                    at += 1;
                }
                continue;
            }
            b'"' | b'\'' => {
                at += 1;
                while at < bytes.len() && bytes[at] != byte && bytes[at] != b'\n' {
                    at += if bytes[at] == b'\\' && bytes.get(at + 1).is_some_and(|&next| next != b'\n') {
                        2
                    } else {
                        1
                    };
                }
                at = (at + usize::from(at < bytes.len() && bytes[at] == byte)).min(bytes.len());
                tokens.push(Token { kind: Kind::Other, text: "", start, line: here, column });
            }
            _ if byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' => {
                while at < bytes.len()
                    && (bytes[at].is_ascii_alphanumeric() || matches!(bytes[at], b'_' | b'$'))
                {
                    at += 1;
                }
                let kind = if byte.is_ascii_digit() { Kind::Other } else { Kind::Name };
                tokens.push(Token { kind, text: &text[start..at], start, line: here, column });
            }
            _ => {
                at += 1;
                while !text.is_char_boundary(at) {
                    at += 1;
                }
                let kind = if byte.is_ascii() { Kind::Sign(byte) } else { Kind::Other };
                tokens.push(Token { kind, text: &text[start..at], start, line: here, column });
            }
        }
        fresh_line = false;
    }
    tokens
}

/// The place of the sign that closes the one here, or the end.
pub(super) fn matching(tokens: &[Token<'_>], open: usize) -> usize {
    let (Kind::Sign(begin), mut depth) = (tokens[open].kind, 0usize) else { return open };
    let end = match begin {
        b'(' => b')',
        b'[' => b']',
        _ => b'}',
    };
    for (index, token) in tokens.iter().enumerate().skip(open) {
        if token.kind == Kind::Sign(begin) {
            depth += 1;
        } else if token.kind == Kind::Sign(end) {
            depth -= 1;
            if depth == 0 {
                return index;
            }
        }
    }
    tokens.len() - 1
}

/// Arguments, by the commas between them.
pub(super) fn split<'s, 't>(tokens: &'s [Token<'t>]) -> Vec<&'s [Token<'t>]> {
    let mut parts = Vec::new();
    let (mut start, mut depth) = (0usize, 0i32);
    for (index, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Sign(b'(') => depth += 1,
            Kind::Sign(b')') => depth -= 1,
            Kind::Sign(b',') if depth == 0 => {
                parts.push(&tokens[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    if start < tokens.len() {
        parts.push(&tokens[start..]);
    }
    parts
}
