//! Marks for proofs: what a fixture in `tests/c/prove` says about what its lines can lose.
//!
//! In: the text of a C file. Out: its marks, or, for every line with a mark that cannot be read, the reason. A mark is
//! a comment that begins with `//?` and ends with the line; `tests/c/README.md` says what each means. A line without a
//! mark says that nothing can be lost there, so every line says something.
//!
//! ```c
//! last->next = first; //? violated: what came after `last`, when it was not the last
//! ```

use watertight_prove::ProbeKind;

/// What a mark says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Says {
    /// Nothing can be lost, and there is a question of this kind.
    Proved,
    /// Something can be lost, and the engine says so.
    Violated,
    /// Something can be lost; the engine gives up.
    Unknown,
    /// Something can be lost, but nothing is asked, or it is proved: a known mistake.
    Missed,
    /// Nothing can be lost, but the engine has no proof.
    False,
}

impl Says {
    /// Whether the line can lose a cell, in truth.
    pub(crate) fn loses(self) -> bool {
        matches!(self, Says::Violated | Says::Unknown | Says::Missed)
    }
}

/// One mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark {
    /// The line that it is about, counted from one.
    pub(crate) line: u32,
    pub(crate) says: Says,
    /// The kind of question that it is about; any when absent.
    pub(crate) kind: Option<ProbeKind>,
}

/// Reads the marks of a file, and lists the lines with marks that cannot be read.
pub(crate) fn read(text: &str) -> (Vec<Mark>, Vec<String>) {
    let mut marks = Vec::new();
    let mut unreadable = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if let Some((_, mark)) = line.split_once("//?") {
            match one(mark, number) {
                Ok(mark) => marks.push(mark),
                Err(why) => unreadable.push(format!("{number}: {why}")),
            }
        }
    }
    (marks, unreadable)
}

fn one(text: &str, line: u32) -> Result<Mark, String> {
    let body = text.trim_start_matches('^');
    let up = u32::try_from(text.len() - body.len()).expect("a line is short");
    if up >= line {
        return Err("it belongs to a line before the first".to_owned());
    }
    let Some((words, why)) = body.split_once(':') else {
        return Err("a colon and a reason must follow".to_owned());
    };
    if why.trim().is_empty() {
        return Err("the reason is missing".to_owned());
    }
    let mut words = words.split_whitespace();
    let says = match words.next() {
        Some("proved") => Says::Proved,
        Some("violated") => Says::Violated,
        Some("unknown") => Says::Unknown,
        Some("missed") => Says::Missed,
        Some("false") => Says::False,
        Some(word) => return Err(format!("`{word}` is not a verdict")),
        None => return Err("it says nothing".to_owned()),
    };
    let kind = match words.next() {
        None => None,
        Some(word) => match ProbeKind::ALL.into_iter().find(|kind| kind.name() == word) {
            Some(kind) => Some(kind),
            None => return Err(format!("`{word}` is not a kind of question")),
        },
    };
    match words.next() {
        Some(word) => Err(format!("`{word}` is too much")),
        None if says == Says::Proved && kind.is_none() => Err("the kind of question is missing".to_owned()),
        None => Ok(Mark { line: line - up, says, kind }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str) -> String {
        let (marks, unreadable) = read(text);
        let mark = |mark: &Mark| {
            let kind = mark.kind.map_or(String::new(), |kind| format!(" {}", kind.name()));
            format!("{}: {:?}{kind}", mark.line, mark.says)
        };
        marks.iter().map(mark).chain(unreadable).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn every_kind_of_mark_is_read() {
        assert_eq!(show("x = y;\n//~ memory-leak"), "");
        assert_eq!(show("x = y; //? violated: the old x"), "1: Violated");
        assert_eq!(show("free(x); //? violated release: x->next"), "1: Violated release");
        assert_eq!(show("f();\n//?^ unknown dropped-result: the result"), "1: Unknown dropped-result");
        assert_eq!(show("\nx = f(); //? false assigned-result: why: so"), "2: False assigned-result");
        assert_eq!(show("u.n = 1; //? missed: u.p"), "1: Missed");
        assert_eq!(show("} //? proved scope: x is NULL"), "1: Proved scope");
    }

    #[test]
    fn marks_that_cannot_be_read_are_told() {
        assert_eq!(show("//?^ violated: x"), "1: it belongs to a line before the first");
        assert_eq!(show("//? violated"), "1: a colon and a reason must follow");
        assert_eq!(show("//? violated: "), "1: the reason is missing");
        assert_eq!(show("//? : x"), "1: it says nothing");
        assert_eq!(show("//? leaks: x"), "1: `leaks` is not a verdict");
        assert_eq!(show("//? violated return: x"), "1: `return` is not a kind of question");
        assert_eq!(show("//? violated scope twice: x"), "1: `twice` is too much");
        assert_eq!(show("//? proved: x"), "1: the kind of question is missing");
    }
}
