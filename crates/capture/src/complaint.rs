//! What clang says of a source that does not compile, as far as it may be shown.
//!
//! In: clang's error output, and the job. Out: the first errors. What is shown may end in a log that
//! strangers read, and clang quotes words: `unknown type name 'root'` is the first line of `/etc/passwd`, which a source
//! can include, by `#include` or by `.include` in inline assembly. So of a file that, with all links followed, is not called as
//! sources are only the place is told. A message without a place is about the command, or else about whatever the assembler has
//! read: it keeps the words that the command has.

use std::path::Path;
use std::process::ExitStatus;

use crate::flags::Flag;
use crate::messages;
use crate::plan::Job;
use crate::trust::is_source_name;

/// How much of clang's message is kept.
const MESSAGE_LINES: usize = 10;

/// What precedes the text of a message.
const KINDS: [&str; 4] = ["fatal error: ", "error: ", "warning: ", "note: "];

/// The beginning of what clang has to say.
pub(crate) fn shown(message: &str, status: &ExitStatus, job: &Job) -> String {
    let words: Vec<&str> = job.flags.iter().flat_map(Flag::arguments).chain([&*job.spelling]).collect();
    first_errors(message, status, &job.directory, &words)
}

fn first_errors(message: &str, status: &ExitStatus, directory: &Path, words: &[&str]) -> String {
    let lines = message.lines().filter(|line| !line.ends_with(" generated.") && !line.is_empty());
    let lines: Vec<String> = lines
        .map(|line| match place(line) {
            Some(place) if is_foreign(place, directory) => {
                format!("{place}: error: {}", messages::NOT_SHOWN)
            }
            Some(_) => line.to_owned(),
            None => of_the_command(line, words),
        })
        .collect();
    let first = lines.iter().position(|line| line.contains("error:")).unwrap_or(0);
    let kept = &lines[first..lines.len().min(first + MESSAGE_LINES)];
    // A compiler that crashed says so by its status.
    match (kept.is_empty(), status.code()) {
        (true, _) => messages::clang_ended(status),
        (false, None) => format!("{}\n{}", messages::clang_ended(status), kept.join("\n")),
        (false, Some(_)) => kept.join("\n"),
    }
}

/// A line without what it quotes, but for what stands in the command.
fn of_the_command(line: &str, words: &[&str]) -> String {
    let part = |(number, part): (usize, &str)| match number % 2 {
        1 if !words.iter().any(|word| word.contains(part)) => "...".to_owned(),
        _ => part.to_owned(),
    };
    line.split('\'').enumerate().map(part).collect::<Vec<_>>().join("'")
}

/// The place that a line is about: `a.c:3:4`.
fn place(line: &str) -> Option<&str> {
    let place =
        KINDS.iter().filter_map(|kind| Some(line.split_once(kind)?.0)).min_by_key(|before| before.len())?;
    let place = place.strip_suffix(": ")?;
    file(place).is_some().then_some(place)
}

/// The file of a place; nothing if it has no line.
fn file(place: &str) -> Option<&str> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (before, last) = place.rsplit_once(':').filter(|(_, last)| is_number(last))?;
    match before.rsplit_once(':') {
        Some((file, line)) if is_number(line) => Some(file),
        _ => Some(before).filter(|_| is_number(last)),
    }
}

/// Whether a place is in a file that is no source. What is no file at all (`<inline asm>`) is part of the source.
fn is_foreign(place: &str, directory: &Path) -> bool {
    let Some(file) = file(place) else { return false };
    let path = directory.join(file);
    match path.canonicalize() {
        Ok(real) => !is_source_name(&real) && !is_header(&real),
        // It cannot be asked, but has a name.
        Err(_) => !file.starts_with('<') && !is_source_name(&path),
    }
}

/// Headers of C++ have names without an end.
fn is_header(file: &Path) -> bool {
    ["/usr/include", "/usr/local/include", "/usr/lib", "/usr/lib64"]
        .iter()
        .any(|folder| file.starts_with(folder))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;

    #[test]
    fn words_of_other_files_are_not_shown() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["a.c", "b.h", "secret"] {
            std::fs::write(at(name), "text").unwrap();
        }
        std::os::unix::fs::symlink("secret", at("link.h")).unwrap();
        let failed = ExitStatus::from_raw(1 << 8);
        let not_shown = messages::NOT_SHOWN;
        for (message, expected) in [
            (
                "In file included from a.c:1:\nb.h:1:2: error: unknown type name 'x'\n1 error generated.\n",
                "b.h:1:2: error: unknown type name 'x'".to_owned(),
            ),
            ("secret:1:1: error: unknown type name 'x'\n", format!("secret:1:1: error: {not_shown}")),
            ("./link.h:1:1: error: unknown type name 'x'\n", format!("./link.h:1:1: error: {not_shown}")),
            ("gone:7: fatal error: 'x' file: error: y\n", format!("gone:7: error: {not_shown}")),
            (
                "error: symbol 'x' is already defined\nsecret:1:9: error: no 'x'\n",
                format!("error: symbol '...' is already defined\nsecret:1:9: error: {not_shown}"),
            ),
            (
                "error: unknown target CPU 'y86'\nnote: valid",
                "error: unknown target CPU 'y86'\nnote: valid".to_owned(),
            ),
            ("<inline asm>:1:1: error: invalid 'x'", "<inline asm>:1:1: error: invalid 'x'".to_owned()),
            ("a.c:1:1: error: this: error: 'x'\n", "a.c:1:1: error: this: error: 'x'".to_owned()),
            ("clang: error: no such file: 'a.c'", "clang: error: no such file: 'a.c'".to_owned()),
        ] {
            let words = ["-march=y86", "a.c"];
            assert_eq!(first_errors(message, &failed, folder.path(), &words), expected, "{message}");
        }
    }
}
