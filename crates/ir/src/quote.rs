//! Names and strings of the text form: when they need quotes, and how odd characters are escaped.
//!
//! A name of letters, digits, `_`, `.` and `$` is written as it is, anything else in double quotes.
//! In quotes `\n`, `\t`, `\"`, `\\` mean what they mean in C, and `\` with two hexadecimal digits is that
//! byte. Both directions are exact: `unescape(escape(bytes)) == bytes`.

use std::borrow::Cow;
use std::fmt::{self, Write};

/// Whether `c` may stand in a word or symbol without quotes.
pub(crate) fn is_word_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$')
}

/// Whether `c` may begin a word.
pub(crate) fn is_word_start(c: char) -> bool {
    c.is_ascii_alphabetic() || matches!(c, '_' | '$')
}

/// Writes a name where a word is expected; a lone `_` is quoted because it stands for no name.
pub(crate) fn write_name(out: &mut dyn Write, name: &str) -> fmt::Result {
    let plain = name.starts_with(is_word_start) && name.chars().all(is_word_char) && name != "_";
    if plain { out.write_str(name) } else { write_quoted(out, name) }
}

/// Writes the name of a symbol, as it follows `@`.
pub(crate) fn write_symbol(out: &mut dyn Write, name: &str) -> fmt::Result {
    let plain = !name.is_empty() && name.chars().all(is_word_char);
    if plain { out.write_str(name) } else { write_quoted(out, name) }
}

/// Writes a text in quotes; characters outside ASCII stay as they are unless they control something.
pub(crate) fn write_quoted(out: &mut dyn Write, text: &str) -> fmt::Result {
    out.write_char('"')?;
    for c in text.chars() {
        if c.is_ascii() {
            write_byte(out, c as u8)?;
        } else if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}') {
            let mut buffer = [0; 4];
            c.encode_utf8(&mut buffer).bytes().try_for_each(|byte| write!(out, "\\{byte:02x}"))?;
        } else {
            out.write_char(c)?;
        }
    }
    out.write_char('"')
}

/// Writes bytes in quotes; everything that is not printable ASCII is escaped.
pub(crate) fn write_quoted_bytes(out: &mut dyn Write, bytes: &[u8]) -> fmt::Result {
    out.write_char('"')?;
    bytes.iter().try_for_each(|&byte| write_byte(out, byte))?;
    out.write_char('"')
}

fn write_byte(out: &mut dyn Write, byte: u8) -> fmt::Result {
    match byte {
        b'"' => out.write_str("\\\""),
        b'\\' => out.write_str("\\\\"),
        b'\n' => out.write_str("\\n"),
        b'\t' => out.write_str("\\t"),
        b' '..=b'~' => out.write_char(byte as char),
        _ => write!(out, "\\{byte:02x}"),
    }
}

/// The bytes that the text between two quotes stands for; `Err` is the position of a wrong escape.
pub(crate) fn unescape_bytes(text: &str) -> Result<Cow<'_, [u8]>, usize> {
    if !text.contains('\\') {
        return Ok(Cow::Borrowed(text.as_bytes()));
    }
    let bytes = text.as_bytes();
    let mut result = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] != b'\\' {
            result.push(bytes[at]);
            at += 1;
            continue;
        }
        let hex = |offset: usize| bytes.get(at + offset).and_then(|&digit| (digit as char).to_digit(16));
        let (byte, width) = match (bytes.get(at + 1), hex(1), hex(2)) {
            (Some(b'n'), ..) => (b'\n', 2),
            (Some(b't'), ..) => (b'\t', 2),
            (Some(b'"'), ..) => (b'"', 2),
            (Some(b'\\'), ..) => (b'\\', 2),
            (_, Some(high), Some(low)) => ((high * 16 + low) as u8, 3),
            _ => return Err(at),
        };
        result.push(byte);
        at += width;
    }
    Ok(Cow::Owned(result))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quoted(text: &str) -> String {
        let mut out = String::new();
        write_quoted(&mut out, text).unwrap();
        out
    }

    #[test]
    fn every_byte_and_odd_character_comes_back() {
        let bytes: Vec<u8> = (0..=255).collect();
        let mut out = String::new();
        write_quoted_bytes(&mut out, &bytes).unwrap();
        assert!(out.is_ascii());
        assert_eq!(&*unescape_bytes(&out[1..out.len() - 1]).unwrap(), &bytes[..]);
        let text = "a\"b\\c\n\u{85}ä€\u{2028}";
        assert_eq!(&*unescape_bytes(&quoted(text)[1..quoted(text).len() - 1]).unwrap(), text.as_bytes());
    }

    #[test]
    fn wrong_escapes_are_named_by_position() {
        assert_eq!(unescape_bytes("ab\\q"), Err(2));
        assert_eq!(unescape_bytes("\\0"), Err(0));
        assert_eq!(unescape_bytes("\\"), Err(0));
    }

    #[test]
    fn only_odd_names_are_quoted() {
        let name = |text: &str| {
            let mut out = String::new();
            write_name(&mut out, text).unwrap();
            out
        };
        assert_eq!(name("list_head"), "list_head");
        assert_eq!(name("_"), "\"_\"");
        assert_eq!(name("operator new"), "\"operator new\"");
        assert_eq!(name("1st"), "\"1st\"");
        assert_eq!(name(""), "\"\"");
    }
}
