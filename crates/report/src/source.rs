//! The text of source files, as reports see it.
//!
//! Reports show source but do not read files: the shell hands in a [`SourceProvider`]. [`Sources`] asks it
//! once per file and keeps the answer, together with the places where lines start.
//!
//! What must hold: nothing here can fail on what a file contains. A file is bytes; it may be missing, not
//! UTF-8, have lines of megabytes, or be shorter than the place somebody points at. Lines end as Clang counts
//! them, at `\n`, `\r\n` or a lone `\r`, because the places come from Clang.
//!
//! ```
//! use watertight_report::{Sources, SourceMap};
//! let map = SourceMap::from_iter([("a.c", "int x;\r\nint y;\n")]);
//! let mut sources = Sources::new(&map);
//! let file = sources.file("a.c").unwrap();
//! assert_eq!(file.line(2), Some(&b"int y;"[..]));
//! assert_eq!(file.line(9), None);
//! ```

use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

/// Whoever can read source files: a shell with a file system, an editor with unsaved buffers, a test.
pub trait SourceProvider {
    /// The bytes of a file, named as a [`Place`](watertight_finding::Place) names it; nothing if it cannot be
    /// read.
    fn read(&self, file: &str) -> Option<Vec<u8>>;
}

/// Sources held in memory, for tests and examples.
#[derive(Debug, Clone, Default)]
pub struct SourceMap(BTreeMap<String, Vec<u8>>);

impl<N: Into<String>, T: Into<Vec<u8>>> FromIterator<(N, T)> for SourceMap {
    fn from_iter<I: IntoIterator<Item = (N, T)>>(files: I) -> SourceMap {
        SourceMap(files.into_iter().map(|(name, text)| (name.into(), text.into())).collect())
    }
}

impl SourceProvider for SourceMap {
    fn read(&self, file: &str) -> Option<Vec<u8>> {
        self.0.get(file).cloned()
    }
}

/// A provider that has no files, for when no source may be shown.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoSources;

impl SourceProvider for NoSources {
    fn read(&self, _file: &str) -> Option<Vec<u8>> {
        None
    }
}

/// The files a report has looked at so far.
pub struct Sources<'p> {
    provider: &'p dyn SourceProvider,
    files: BTreeMap<String, Option<Rc<SourceFile>>>,
}

impl<'p> Sources<'p> {
    /// Nothing read yet.
    #[must_use]
    pub fn new(provider: &'p dyn SourceProvider) -> Sources<'p> {
        Sources { provider, files: BTreeMap::new() }
    }

    /// A file, read at the first question; nothing if it cannot be read.
    pub fn file(&mut self, name: &str) -> Option<Rc<SourceFile>> {
        if let Some(known) = self.files.get(name) {
            return known.clone();
        }
        let file = self.provider.read(name).map(|bytes| Rc::new(SourceFile::new(bytes)));
        self.files.insert(name.to_owned(), file.clone());
        file
    }
}

/// The bytes of a file and where its lines start.
#[derive(Debug)]
pub struct SourceFile {
    bytes: Vec<u8>,
    /// The offset of the first byte of each line.
    starts: Vec<usize>,
}

impl SourceFile {
    /// Finds the lines of a file.
    #[must_use]
    pub fn new(bytes: Vec<u8>) -> SourceFile {
        let mut starts = vec![0];
        for (i, &byte) in bytes.iter().enumerate() {
            let ends_line = byte == b'\n' || (byte == b'\r' && bytes.get(i + 1) != Some(&b'\n'));
            if ends_line {
                starts.push(i + 1);
            }
        }
        SourceFile { bytes, starts }
    }

    /// The whole file.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// A line without its end, counted from one; nothing beyond the end of the file.
    #[must_use]
    pub fn line(&self, number: u32) -> Option<&[u8]> {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        let start = *self.starts.get(index)?;
        let end = self.starts.get(index + 1).copied().unwrap_or(self.bytes.len());
        let mut line = &self.bytes[start..end];
        while let [rest @ .., b'\n' | b'\r'] = line {
            line = rest;
        }
        Some(line)
    }

    /// The line in which a byte lies, counted from one.
    pub(crate) fn line_of(&self, offset: usize) -> u32 {
        let line = self.starts.partition_point(|&start| start <= offset);
        u32::try_from(line).unwrap_or(u32::MAX)
    }

    /// The column of a byte in its line, counted from one.
    pub(crate) fn column_of(&self, offset: usize) -> u32 {
        let line = self.starts.partition_point(|&start| start <= offset);
        // The first line starts at zero, so at least one line starts at or before any offset.
        let start = self.starts[line - 1];
        u32::try_from(offset - start + 1).unwrap_or(u32::MAX)
    }

    /// A column that counts bytes as one that counts characters. A column beyond the line stays beyond it.
    #[must_use]
    pub fn character_column(&self, line: u32, column: u32) -> u32 {
        self.converted_column(line, column, |_| 1)
    }

    /// A column that counts bytes as one that counts UTF-16 units. A column beyond the line stays beyond it.
    #[must_use]
    pub fn utf16_column(&self, line: u32, column: u32) -> u32 {
        self.converted_column(line, column, char::len_utf16)
    }

    fn converted_column(&self, line: u32, column: u32, size: impl Fn(char) -> usize) -> u32 {
        let Some(text) = self.line(line) else { return column };
        let before = usize::try_from(column.saturating_sub(1)).unwrap_or(usize::MAX);
        let inside = before.min(text.len());
        let text = String::from_utf8_lossy(&text[..floor_boundary(text, inside)]);
        let units = text.chars().map(size).sum::<usize>() + (before - inside);
        u32::try_from(units + 1).unwrap_or(u32::MAX)
    }
}

/// The nearest edge of a character at or before an offset.
pub(crate) fn floor_boundary(line: &[u8], offset: usize) -> usize {
    character_around(line, offset).map_or(offset, |character| character.start)
}

/// The nearest edge of a character at or after an offset.
pub(crate) fn ceil_boundary(line: &[u8], offset: usize) -> usize {
    character_around(line, offset).map_or(offset, |character| character.end)
}

/// The character that an offset would cut in two. In bytes that are not UTF-8 every offset is an edge.
fn character_around(line: &[u8], offset: usize) -> Option<Range<usize>> {
    let inside = 1..=offset.min(3);
    inside.map(|before| offset - before).find_map(|start| {
        let length = match line.get(start)? {
            0xC2..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xF4 => 4,
            _ => return None,
        };
        let end = start + length;
        let is_whole =
            end > offset && line.get(start..end).is_some_and(|bytes| std::str::from_utf8(bytes).is_ok());
        is_whole.then_some(start..end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        let file = SourceFile::new(text.into());
        (1..).map_while(|n| file.line(n).map(|l| String::from_utf8_lossy(l).into_owned())).collect()
    }

    #[test]
    fn lines_end_as_clang_counts_them() {
        assert_eq!(lines("a\nb\r\nc\rd"), ["a", "b", "c", "d"]);
        assert_eq!(lines("a\n"), ["a", ""]);
        assert_eq!(lines("\n\r\n\r"), ["", "", "", ""]);
        assert_eq!(lines(""), [""]);
        assert_eq!(SourceFile::new(vec![]).line(0), None);
        assert_eq!(SourceFile::new(vec![]).line(u32::MAX), None);
    }

    #[test]
    fn columns_count_characters_when_asked() {
        let file = SourceFile::new("é = \"日本\"; f()\n".into());
        assert_eq!(file.character_column(1, 1), 1);
        assert_eq!(file.character_column(1, 3), 2);
        let f = "é = \"日本\"; ".len() as u32 + 1;
        assert_eq!(file.character_column(1, f), 11);
        assert_eq!(file.character_column(1, 2), 1, "a column inside a character is the character's");
        assert_eq!(file.character_column(1, 1000), 1000 - 5, "beyond the line the difference stays");
        assert_eq!(file.character_column(7, 12), 12, "beyond the file nothing is known");
    }

    #[test]
    fn columns_count_utf16_units_when_asked() {
        let file = SourceFile::new("😀é f()".into());
        assert_eq!(file.utf16_column(1, 1), 1);
        assert_eq!(file.utf16_column(1, 5), 3);
        assert_eq!(file.utf16_column(1, 8), 5);
    }

    #[test]
    fn bytes_that_are_not_text_do_not_break_a_column() {
        let file = SourceFile::new(b"\xFF\xFEx = \x80\x80\x80\x80\x80y".to_vec());
        assert_eq!(file.character_column(1, 3), 3);
        assert_eq!(file.character_column(1, 9), 9);
    }

    #[test]
    fn offsets_find_their_line_and_column() {
        let file = SourceFile::new("ab\ncd\n".into());
        assert_eq!((file.line_of(0), file.column_of(0)), (1, 1));
        assert_eq!((file.line_of(2), file.column_of(2)), (1, 3));
        assert_eq!((file.line_of(4), file.column_of(4)), (2, 2));
    }

    #[test]
    fn a_file_is_read_once() {
        struct Counting(std::cell::Cell<u32>);
        impl SourceProvider for Counting {
            fn read(&self, _: &str) -> Option<Vec<u8>> {
                self.0.set(self.0.get() + 1);
                None
            }
        }
        let provider = Counting(std::cell::Cell::new(0));
        let mut sources = Sources::new(&provider);
        assert!(sources.file("a.c").is_none());
        assert!(sources.file("a.c").is_none());
        assert_eq!(provider.0.get(), 1);
    }
}
