//! Making text from a program harmless before people see it.
//!
//! File names, function names and messages come from the program under analysis, which may be hostile: an
//! escape sequence could repaint the terminal, a direction mark could show code in another order than it
//! runs, a line break could forge another finding. In running text such characters are shown as escapes
//! ([`one_line`]); in source lines, where columns must not move, each becomes one visible character
//! (`source_line`).
//!
//! ```
//! assert_eq!(watertight_report::one_line("a\u{1b}[2Jb\nc"), r"a\x1b[2Jb\nc");
//! ```

use std::borrow::Cow;
use std::fmt::Write as _;

/// Whether a character can change how the text around it is shown without showing itself.
pub(crate) fn is_hostile(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{00AD}' | '\u{061C}' | '\u{180E}'
            | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
            | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}')
}

/// Text as one line in which every character shows itself.
#[must_use]
pub fn one_line(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hostile) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_hostile(c) && u32::from(c) < 0x80 => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\x{:02x}", u32::from(c));
            }
            c if is_hostile(c) => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// A source line in which every hostile character is replaced by one visible character. Tabs stay, since the
/// renderer expands them.
pub(crate) fn source_line(line: &str) -> Cow<'_, str> {
    if !line.chars().any(|c| is_hostile(c) && c != '\t') {
        return Cow::Borrowed(line);
    }
    let show = |c: char| match c {
        '\t' => '\t',
        '\u{7F}' => '\u{2421}',
        // The block of control pictures has the order of the characters it shows.
        c if u32::from(c) < 0x20 => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{FFFD}'),
        c if is_hostile(c) => '\u{FFFD}',
        c => c,
    };
    Cow::Owned(line.chars().map(show).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_text_is_not_touched() {
        for text in ["", "plain `code` = 3", "naïve 日本 😀", "<b>&amp;</b>"] {
            assert!(matches!(one_line(text), Cow::Borrowed(_)), "{text}");
            assert!(matches!(source_line(text), Cow::Borrowed(_)), "{text}");
        }
    }

    #[test]
    fn hostile_characters_show_themselves() {
        assert_eq!(one_line("\u{1b}]0;owned\u{7}"), r"\x1b]0;owned\x07");
        assert_eq!(one_line("a\r\n\tb"), r"a\r\n\tb");
        assert_eq!(one_line("\u{9b}31m"), r"\u{9b}31m");
        assert_eq!(one_line("if \u{202e}x\u{2066}"), r"if \u{202e}x\u{2066}");
        assert_eq!(one_line("\u{feff}\u{200b}\u{e0041}"), r"\u{feff}\u{200b}\u{e0041}");
    }

    #[test]
    fn source_lines_keep_their_columns() {
        let hostile = "\u{1b}\u{7f}\ta\u{202e}\u{9b}\u{200b}é";
        assert_eq!(source_line(hostile), "␛␡\ta\u{FFFD}\u{FFFD}\u{FFFD}é");
        assert_eq!(source_line(hostile).chars().count(), hostile.chars().count());
    }
}
