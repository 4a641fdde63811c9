//! `--since REV`: which lines changed in a git work tree.
//!
//! Git is asked for the differences between the revision and the files as they are, with no lines around them, and for
//! files that it does not know yet, of which every line is new. Paths are absolute, as findings may name files by any
//! spelling.
//!
//! A work tree may be foreign, and its `.git/config` can make git run programs: filters, hooks, monitors, external
//! comparisons, transports. All of them are turned off.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use watertight_analysis::Changes;
use watertight_capture::program;

use crate::exit::Stop;
use crate::messages;

/// The lines that changed since a revision.
pub(crate) fn since(directory: &Path, revision: &str) -> Result<Changes, Stop> {
    if revision.starts_with('-') {
        return Err(messages::bad_revision(revision));
    }
    let root = root(directory)?;
    if commit(directory, revision).is_none() {
        return Err(messages::no_revision(revision));
    }
    let arguments = [
        "-c",
        "core.quotePath=false",
        "-c",
        "diff.noprefix=false",
        "-c",
        "diff.mnemonicPrefix=false",
        "diff",
        "--no-color",
        "--no-ext-diff",
        "--no-textconv",
        "--unified=0",
        "--find-renames",
        "--ignore-submodules=all",
        "--src-prefix=a/",
        "--dst-prefix=b/",
        revision,
        "--",
    ];
    let mut changes = Changes::default();
    parse(&git(&root, &arguments)?, &root, &mut changes);
    for name in git(&root, &["ls-files", "-z", "--others", "--exclude-standard"])?.split('\0') {
        if !name.is_empty() {
            changes.add(&root.join(name), 1, u32::MAX);
        }
    }
    Ok(changes)
}

/// The top of the work tree that a directory is in.
pub(crate) fn root(directory: &Path) -> Result<PathBuf, Stop> {
    let root = git(directory, &["rev-parse", "--show-toplevel"])?;
    Ok(PathBuf::from(root.trim_end_matches('\n')))
}

/// The commit that a text names, if it names one.
pub(crate) fn commit(directory: &Path, revision: &str) -> Option<String> {
    let name = format!("{revision}^{{commit}}");
    let found =
        (!revision.starts_with('-')).then(|| git(directory, &["rev-parse", "--verify", "-q", &name]))?;
    found.ok().map(|commit| commit.trim_end().to_owned())
}

/// Settings under which git runs nothing of a work tree.
const HARMLESS: &[&str] = &[
    "--no-pager",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.attributesFile=/dev/null",
    "-c",
    "diff.external=",
    "-c",
    "protocol.allow=never",
];

/// What a filter may be told to run.
const FILTER: &[&str] = &["clean=", "smudge=", "process=", "required=false"];

pub(crate) fn git(directory: &Path, arguments: &[&str]) -> Result<String, Stop> {
    git_with(directory, &[], arguments)
}

/// The same, with variables of the environment.
pub(crate) fn git_with(
    directory: &Path,
    variables: &[(&str, &Path)],
    arguments: &[&str],
) -> Result<String, Stop> {
    // To list settings runs nothing. A filter is known by its name only, so each is turned off by name.
    let listed = command(directory)?.args(["config", "--name-only", "--get-regexp", r"^filter\."]).output();
    let listed =
        listed.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let mut names: Vec<&str> =
        listed.lines().filter_map(|key| Some(key.strip_prefix("filter.")?.rsplit_once('.')?.0)).collect();
    names.sort_unstable();
    names.dedup();
    let filters =
        names.iter().flat_map(|name| FILTER.iter().map(move |what| format!("filter.{name}.{what}")));
    let output = command(directory)?
        .args(HARMLESS)
        .args(filters.flat_map(|setting| ["-c".to_owned(), setting]))
        .args(arguments)
        .envs(variables.iter().copied())
        .output()
        .map_err(messages::git_does_not_run)?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        let first = message.lines().next().unwrap_or("no reason given");
        return Err(messages::git_failed(first));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// git itself, never one of the work tree, which fetches nothing and does not refresh its index.
fn command(directory: &Path) -> Result<Command, Stop> {
    let program = program("git").ok_or_else(messages::no_git)?;
    let mut command = Command::new(program);
    command
        .current_dir(directory)
        .stdin(Stdio::null())
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_ALLOW_PROTOCOL", "none")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env_remove("GIT_EXTERNAL_DIFF");
    Ok(command)
}

/// Reads a difference: `+++ b/file`, then `@@ -old,count +new,count @@`.
fn parse(text: &str, root: &Path, changes: &mut Changes) {
    let mut file = None;
    // Lines of the hunk that are still to come; a line of text may look like a header.
    let (mut old, mut new) = (0u32, 0u32);
    for line in text.lines() {
        if old > 0 && line.starts_with('-') {
            old -= 1;
        } else if new > 0 && line.starts_with('+') {
            new -= 1;
        } else if let Some(name) = line.strip_prefix("+++ ") {
            let name = name.trim_end_matches('\t');
            file = unquoted(name).and_then(|name| name.strip_prefix("b/").map(|name| root.join(name)));
        } else if let Some(header) = line.strip_prefix("@@ ")
            && let Some(((_, removed), (start, added))) = ranges(header)
        {
            (old, new) = (removed, added);
            if let Some(file) = &file {
                match added {
                    // Lines that are gone are between this one and the next.
                    0 => changes.add(file, start.max(1), start.saturating_add(1)),
                    _ => changes.add(file, start, start.saturating_add(added - 1)),
                }
            }
        }
    }
}

/// The name of a file as git writes it: in quotes, with escapes, if it has unusual characters.
fn unquoted(name: &str) -> Option<String> {
    let Some(inside) = name.strip_prefix('"').and_then(|name| name.strip_suffix('"')) else {
        return Some(name.to_owned());
    };
    let mut bytes = Vec::new();
    let mut rest = inside.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next()? {
            b'n' => bytes.push(b'\n'),
            b't' => bytes.push(b'\t'),
            digit @ b'0'..=b'3' => {
                let mut number = u32::from(digit - b'0');
                for _ in 0..2 {
                    number = number * 8 + u32::from(rest.next()?.checked_sub(b'0')?);
                }
                bytes.push(u8::try_from(number).ok()?);
            }
            other => bytes.push(other),
        }
    }
    String::from_utf8(bytes).ok()
}

/// Start and count of the old and of the new lines of a hunk.
fn ranges(header: &str) -> Option<((u32, u32), (u32, u32))> {
    let mut words = header.split(' ');
    let range = |word: &str| {
        let (start, count) = word.split_once(',').unwrap_or((word, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    let old = range(words.next()?.strip_prefix('-')?)?;
    let new = range(words.next()?.strip_prefix('+')?)?;
    Some((old, new))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hunks_become_lines() {
        let text = "diff --git a/src/a.c b/src/a.c\n--- a/src/a.c\n+++ b/src/a.c\n@@ -3,2 +4 @@ int f\n-x\n--- y\n+z\n\
                    @@ -20 +30,3 @@\n-a\n+b\n+++ c\n+d\n@@ -40,2 +50,0 @@\n-e\n-f\n\
                    diff --git a/gone.c b/gone.c\n--- a/gone.c\n+++ /dev/null\n@@ -1 +0,0 @@\n-g\n\
                    --- a/new.c\n+++ \"b/n\\303\\244.c\"\n@@ -0,0 +1,2 @@\n+h\n+i\n";
        let mut changes = Changes::default();
        parse(text, Path::new("/r"), &mut changes);
        let touched = |file: &str| -> Vec<u32> {
            (0..60).filter(|&line| changes.touches(Path::new(file), line, line)).collect()
        };
        assert_eq!(touched("/r/src/a.c"), [4, 30, 31, 32, 50, 51]);
        assert_eq!(touched("/r/n\u{e4}.c"), [1, 2]);
        assert!(touched("/r/gone.c").is_empty());
        assert!(touched("/r/src/other.c").is_empty());
    }
}
