//! A program with one release taken out, in place, and back again.
//!
//! In goes a statement that releases something, out comes the same text with blanks in its place: lines and columns of all
//! else stay what they are, so that what is said of the mutant can be held against the original text.
//!
//! What must hold: the original comes back, with its time, also after a kill. It is kept beside the tree before the text is
//! touched, and put back by [`restore`], which runs before every check.

use std::fs;
use std::path::{Path, PathBuf};

use super::bench::{Room, at};
use super::source::Text;

/// A call that is a statement of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Statement {
    /// The token of the name that is called.
    pub(super) callee: usize,
    /// The first and the last byte of the call, with a cast to `void` in front.
    begin: usize,
    end: usize,
}

/// The statement at a call, if the call is one: `free(p);`, `(void) close(fd);`, `if (f) fclose(f);`.
pub(super) fn statement(text: &Text, callee: usize) -> Option<Statement> {
    let tokens = &text.tokens;
    if !text.is_call(callee) {
        return None;
    }
    let close = text.closing(callee + 1, "(", ")")?;
    tokens.get(close + 1).filter(|token| token.is(";"))?;
    let mut first = callee;
    if callee >= 3
        && tokens[callee - 1].is(")")
        && tokens[callee - 2].is("void")
        && tokens[callee - 3].is("(")
    {
        first = callee - 3;
    }
    let before = tokens.get(first.checked_sub(1)?)?;
    let begins = [";", "{", "}", ")", ":", "else"].iter().any(|mark| before.is(mark));
    let back =
        (0..first).rev().take(40).take_while(|&i| ![";", "{", "}"].iter().any(|mark| tokens[i].is(mark)));
    let chooses = back.into_iter().any(|i| tokens[i].is("?"));
    let (begin, end) = (tokens[first].offset, tokens[close].offset);
    (begins && !chooses).then_some(Statement { callee, begin, end })
}

/// The statement that is the given call of a function, counted from 1.
pub(super) fn find(text: &Text, function: &str, callee: &str, ordinal: usize) -> Option<Statement> {
    let wanted = format!("{callee}#{ordinal}");
    let calls = (0..text.tokens.len()).filter(|&i| text.tokens[i].is(callee) && text.is_call(i));
    calls.into_iter().find_map(|i| {
        let begin = text.function_begin(function, i);
        let inside =
            text.tokens[begin].is(function) && text.is_definition(begin) && text.body(begin)?.contains(&i);
        (inside && text.numbered(begin, i) == wanted).then(|| statement(text, i))?
    })
}

/// The bytes of a file with a statement replaced by blanks, after an optional mark.
fn blanked(bytes: &[u8], statement: Statement, mark: &str) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for (i, byte) in bytes[statement.begin..=statement.end].iter_mut().enumerate() {
        *byte = match mark.as_bytes().get(i) {
            Some(&mark) => mark,
            None if *byte == b'\n' => b'\n',
            None => b' ',
        };
    }
    bytes
}

/// Where the original of a program is kept while it is changed.
fn kept(room: &Room) -> (PathBuf, PathBuf) {
    (room.path.join("original"), room.path.join("original-path"))
}

/// Takes a statement out of a file of a program, or puts a mark in its place that no compiler accepts.
pub(super) fn take_out(room: &Room, file: &str, statement: Statement, mark: &str) -> Result<(), String> {
    let path = room.tree().join(file);
    let (original, name) = kept(room);
    let bytes = fs::read(&path).map_err(at(&path))?;
    copy_with_time(&path, &original)?;
    fs::write(&name, file).map_err(at(&name))?;
    fs::write(&path, blanked(&bytes, statement, mark)).map_err(at(&path))
}

/// Puts the original back, if one was taken away.
pub(super) fn restore(room: &Room) -> Result<(), String> {
    let (original, name) = kept(room);
    let Ok(file) = fs::read_to_string(&name) else { return Ok(()) };
    copy_with_time(&original, &room.tree().join(file))?;
    fs::remove_file(&name).map_err(at(&name))
}

/// Copies a file with the time of its last change, which caches of bitcode ask first.
fn copy_with_time(from: &Path, to: &Path) -> Result<(), String> {
    let time = fs::metadata(from).and_then(|data| data.modified()).map_err(at(from))?;
    fs::copy(from, to).map_err(at(to))?;
    fs::File::options().write(true).open(to).and_then(|file| file.set_modified(time)).map_err(at(to))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "void f(char *p, int x)\n{\n    if (x)\n        free(p);\n    y = x ? g(p) : h(p);\n    (void) free(\n      p);\n    z = free(p);\n}\n";

    fn without(ordinal: usize) -> Option<String> {
        let statement = find(&Text::new(TEXT), "f", "free", ordinal)?;
        Some(String::from_utf8(blanked(TEXT.as_bytes(), statement, "")).unwrap())
    }

    #[test]
    fn a_statement_is_blanked_and_lines_stay() {
        let first = without(1).unwrap();
        assert!(first.contains("if (x)\n               ;\n"), "{first}");
        let second = without(2).unwrap();
        assert!(second.contains("    \n        ;\n    z"), "{second}");
        assert!(!second.contains("void)"), "{second}");
        assert_eq!(without(3), None, "its result is used");
        assert_eq!(without(4), None);
        assert!(find(&Text::new(TEXT), "f", "h", 1).is_none());
    }
}
