//! What is wrong with a model file, shown with the line and a caret.
//!
//! ```text
//! my.model:3:13: unknown word `relases`, did you mean `releases`?
//!   |
//! 3 | free(block) relases block
//!   |             ^^^^^^^
//! ```

use std::fmt;

/// A place in a model file that could not be understood.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModelError {
    pub file: Box<str>,
    /// Counted from 1.
    pub line: u32,
    /// Counted from 1, in characters.
    pub column: u32,
    /// How many characters are underlined: at least 1.
    pub width: u32,
    pub message: Box<str>,
    /// The whole line, without its end.
    pub text: Box<str>,
}

impl std::error::Error for ModelError {}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}:{}:{}: {}", self.file, self.line, self.column, self.message)?;
        let number = self.line.to_string();
        let margin = " ".repeat(number.len());
        writeln!(f, "{margin} |")?;
        writeln!(f, "{number} | {}", self.text)?;
        // Tabs stay tabs, so that the caret stands below its place whatever a tab means.
        let before = self.text.chars().take(self.column as usize - 1);
        let indent: String = before.map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        write!(f, "{margin} | {indent}{}", "^".repeat(self.width as usize))
    }
}

/// The file that errors are about; finds lines and columns.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Source<'t> {
    pub(crate) name: &'t str,
    pub(crate) text: &'t str,
}

impl Source<'_> {
    /// An error about the bytes from `start` to `end`, which lie on the edges of characters.
    pub(crate) fn error(&self, start: usize, end: usize, message: impl Into<Box<str>>) -> ModelError {
        let before = &self.text[..start];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line_end = self.text[start..].find('\n').map_or(self.text.len(), |at| start + at);
        let line = self.text[line_start..line_end].trim_end_matches('\r');
        let width = self.text[start..end.clamp(start, line_end)].chars().count().max(1);
        ModelError {
            file: self.name.into(),
            line: number(before.bytes().filter(|&byte| byte == b'\n').count() + 1),
            column: number(self.text[line_start..start].chars().count() + 1),
            width: number(width),
            message: message.into(),
            text: line.into(),
        }
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// The word of a list that someone probably meant.
pub(crate) fn nearest<'w>(word: &str, words: impl Iterator<Item = &'w str>) -> Option<&'w str> {
    // One or two letters are near to too much.
    let limit = match word.chars().count() {
        0..=2 => 0,
        3..=4 => 1,
        _ => 2,
    };
    let close = words.map(|known| (distance(word, known), known)).filter(|entry| entry.0 <= limit);
    close.min_by_key(|entry| entry.0).map(|entry| entry.1)
}

/// How many letters must be changed, added or taken away.
fn distance(a: &str, b: &str) -> usize {
    if a.len().abs_diff(b.len()) > 8 {
        return usize::MAX;
    }
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, letter) in a.chars().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, &other) in b.iter().enumerate() {
            let change = corner + usize::from(letter != other);
            corner = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(corner + 1);
        }
    }
    row[b.len()]
}
