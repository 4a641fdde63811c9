//! The documents that the editor has open, and positions in files.
//!
//! The protocol counts columns in units of UTF-16, the compiler in bytes; what lies between is the text of the line.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lsp_types::{Position, Range};

/// Texts by path.
#[derive(Debug, Default)]
pub(crate) struct Documents {
    open: BTreeMap<PathBuf, String>,
}

/// A name of C in a line, and what follows it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Word<'t> {
    pub(crate) text: &'t str,
    pub(crate) range: Range,
    /// Whether an opening parenthesis follows, as after the name of a function.
    pub(crate) called: bool,
}

impl Documents {
    pub(crate) fn set(&mut self, path: PathBuf, text: String) {
        self.open.insert(path, text);
    }

    pub(crate) fn close(&mut self, path: &Path) {
        self.open.remove(path);
    }

    pub(crate) fn text(&self, path: &Path) -> Option<&str> {
        self.open.get(path).map(String::as_str)
    }
}

/// A line of a text, counted from zero.
pub(crate) fn line(text: &str, number: u32) -> Option<&str> {
    text.lines().nth(usize::try_from(number).ok()?)
}

/// How many units of UTF-16 the first bytes of a line are; a byte in the middle of a character counts as its start.
pub(crate) fn units(line: &str, bytes: usize) -> u32 {
    let whole = line.char_indices().take_while(|(at, c)| at + c.len_utf8() <= bytes);
    u32::try_from(whole.map(|(_, c)| c.len_utf16()).sum::<usize>()).unwrap_or(u32::MAX)
}

/// How many bytes the first units of UTF-16 of a line are.
fn bytes(line: &str, units: u32) -> usize {
    let mut left = units as usize;
    for (at, c) in line.char_indices() {
        match left.checked_sub(c.len_utf16()) {
            Some(rest) if left > 0 => left = rest,
            _ => return at,
        }
    }
    line.len()
}

/// The range of the word or sign at a place that the compiler names; lines and columns count from one.
pub(crate) fn range(text: Option<&str>, number: u32, column: u32) -> Range {
    let number = number.saturating_sub(1);
    let Some(line) = text.and_then(|text| line(text, number)) else {
        return Range::new(Position::new(number, 0), Position::new(number, u32::from(column > 0)));
    };
    let start = match column {
        0 => line.len() - line.trim_start().len(),
        column => (column as usize - 1).min(line.len()),
    };
    let length = line.as_bytes()[start..].iter().take_while(|&&byte| is_word(byte)).count();
    let end = match (column, length) {
        (0, _) => line.trim_end().len().max(start),
        (_, 0) => (start + 1).min(line.len()),
        (_, length) => start + length,
    };
    Range::new(Position::new(number, units(line, start)), Position::new(number, units(line, end)))
}

/// The name at a position.
pub(crate) fn word(text: &str, position: Position) -> Option<Word<'_>> {
    let line = line(text, position.line)?;
    let at = bytes(line, position.character);
    let all = line.as_bytes();
    let start = at - all[..at].iter().rev().take_while(|&&byte| is_word(byte)).count();
    let end = at + all[at..].iter().take_while(|&&byte| is_word(byte)).count();
    let text = line.get(start..end).filter(|text| text.starts_with(|c: char| !c.is_ascii_digit()))?;
    let place = |at| Position::new(position.line, units(line, at));
    let called = line[end..].trim_start().starts_with('(');
    Some(Word { text, range: Range::new(place(start), place(end)), called })
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(range: Range) -> String {
        let (start, end) = (range.start, range.end);
        format!("{}:{}-{}:{}", start.line, start.character, end.line, end.character)
    }

    #[test]
    fn places_of_the_compiler_become_ranges() {
        let text = "int x;\n  p = strdup(s); // é\n  é = 𝄞 + f(x);\n";
        assert_eq!(shown(range(Some(text), 2, 7)), "1:6-1:12");
        assert_eq!(shown(range(Some(text), 2, 5)), "1:4-1:5");
        assert_eq!(shown(range(Some(text), 2, 0)), "1:2-1:21");
        // é has two bytes and one unit, the clef four bytes and two units.
        assert_eq!(shown(range(Some(text), 3, 15)), "2:11-2:12");
        // Beyond the text, and without one.
        assert_eq!(shown(range(Some(text), 2, 900)), "1:21-1:21");
        assert_eq!(shown(range(Some(text), 90, 4)), "89:0-89:1");
        assert_eq!(shown(range(None, 7, 3)), "6:0-6:1");
        assert_eq!(shown(range(None, 0, 0)), "0:0-0:0");
    }

    #[test]
    fn words_are_found_at_positions() {
        let text = "é = free (name);\n\n";
        let at = |line, character| word(text, Position::new(line, character)).map(|w| (w.text, w.called));
        assert_eq!(at(0, 4), Some(("free", true)));
        assert_eq!(at(0, 8), Some(("free", true)));
        assert_eq!(at(0, 11), Some(("name", false)));
        assert_eq!(at(0, 9), None);
        assert_eq!(at(1, 0), None);
        assert_eq!(at(9, 0), None);
    }
}
