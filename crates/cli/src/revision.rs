//! A git revision, checked as the work tree would be.
//!
//! In: a commit. Out: the report of a check of its files. They are written to a temporary directory by git, without filters and hooks
//! (`changes.rs`), and the index of the work tree is not touched. What is generated is in no commit: headers and sources that git does
//! not track are copied beside. The compile commands are those of the project, with the folder of the project replaced by the copy, so
//! they must fit the revision; a file that it did not have yet is a problem of that report and not an error.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use watertight_capture::plain;
use watertight_report::diff::{self, Reported};

use crate::changes::{git, git_with, root};
use crate::exit::Stop;
use crate::messages;
use crate::output::say;
use crate::project;
use crate::settings::{Settings, Talk};

/// What a build generates that a compiler reads.
const GENERATED: [&str; 8] = ["c", "h", "hh", "hpp", "inc", "def", "tab", "i"];

/// Checks a commit.
pub(crate) fn check(settings: &Settings, revision: &str, commit: &str) -> Result<Reported, Stop> {
    let failed = |why: &dyn std::fmt::Display| messages::revision_not_checked(revision, &why.to_string());
    let scratch = tempfile::tempdir().map_err(messages::no_temporary_directory)?;
    let root = root(&settings.directory)?;
    let tree = scratch.path().join("tree");
    std::fs::create_dir(&tree).map_err(|error| failed(&error))?;
    write_files(&root, &tree, scratch.path(), commit)?;
    copy_generated(&root, &tree)?;
    let database = database(settings, &root, &tree, scratch.path()).map_err(|error| failed(&error))?;
    if settings.talk != Talk::Quiet {
        say(&format!("note: checking revision `{revision}`"));
    }
    let program = std::env::current_exe().map_err(messages::no_own_path)?;
    let below = settings.directory.strip_prefix(&root).unwrap_or(Path::new(""));
    let mut command = Command::new(program);
    command
        .args(["check", "-q", "--exit-zero", "--format", "json", "--cache-dir"])
        .arg(scratch.path().join("cache"))
        .args(database.iter().flat_map(|database| [OsStr::new("-p"), database.as_os_str()]))
        .current_dir(tree.join(below))
        .stdin(Stdio::null());
    let output = command.output().map_err(|error| failed(&error))?;
    diff::read(&String::from_utf8_lossy(&output.stdout)).map_err(|_| {
        let said = String::from_utf8_lossy(&output.stderr);
        let first = said.lines().find(|line| line.starts_with("watertight: "));
        failed(
            &first.and_then(|line| line.strip_prefix("watertight: ")).unwrap_or("the check wrote no report"),
        )
    })
}

/// The files of a commit, by an index of their own.
fn write_files(root: &Path, tree: &Path, scratch: &Path, commit: &str) -> Result<(), Stop> {
    let index = scratch.join("index");
    let variables = [("GIT_INDEX_FILE", index.as_path())];
    git_with(root, &variables, &["read-tree", commit])?;
    let prefix = format!("--prefix={}/", tree.display());
    git_with(root, &variables, &["checkout-index", "--all", "--quiet", &prefix]).map(|_| ())
}

/// Headers and sources that git does not track. Links and what the commit has are left alone.
fn copy_generated(root: &Path, tree: &Path) -> Result<(), Stop> {
    let untracked = git(root, &["ls-files", "-z", "--others", "--", ".", ":!.watertight"])?;
    for name in untracked.split('\0').filter(|name| !name.is_empty()) {
        let (from, to) = (root.join(name), tree.join(name));
        let is_generated =
            from.extension().and_then(OsStr::to_str).is_some_and(|end| GENERATED.contains(&end));
        let is_plain = from.symlink_metadata().is_ok_and(|data| data.is_file());
        if !is_generated || !is_plain || to.symlink_metadata().is_ok() {
            continue;
        }
        // What cannot be copied is missed by the compiler, which says so.
        let _ = to.parent().map(std::fs::create_dir_all);
        let _ = std::fs::copy(from, to);
    }
    Ok(())
}

/// The compile commands of the project for the copy, if it has any that are not part of the commit.
fn database(
    settings: &Settings,
    root: &Path,
    tree: &Path,
    scratch: &Path,
) -> Result<Option<PathBuf>, String> {
    let named = settings.config.database.as_ref().map(|path| project::file_of(path));
    let Some(path) = named.or_else(|| project::database(&settings.directory)) else { return Ok(None) };
    let text = plain::read_to_string(&path).map_err(|error| error.to_string())?;
    let mut entries: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    moved(&mut entries, &root.to_string_lossy(), &tree.to_string_lossy());
    for entry in entries.as_array().into_iter().flatten() {
        if let Some(folder) =
            entry["directory"].as_str().map(Path::new).filter(|folder| folder.starts_with(tree))
        {
            std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
        }
    }
    let copy = scratch.join("compile_commands.json");
    std::fs::write(&copy, entries.to_string()).map_err(|error| error.to_string())?;
    Ok(Some(copy))
}

/// Replaces a folder by another one, wherever it stands in the texts of a value.
fn moved(value: &mut Value, from: &str, to: &str) {
    match value {
        Value::String(text) => *text = moved_text(text, from, to),
        Value::Array(values) => values.iter_mut().for_each(|value| moved(value, from, to)),
        Value::Object(members) => members.values_mut().for_each(|value| moved(value, from, to)),
        _ => {}
    }
}

fn moved_text(text: &str, from: &str, to: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(from) {
        let after = &rest[at + from.len()..];
        // `/src/app` is not the folder of `/src/app2`.
        let whole = after.is_empty() || after.starts_with(['/', ' ', '"', '\'', ':']);
        out.push_str(&rest[..at]);
        out.push_str(if whole { to } else { from });
        rest = after;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_replaced_as_a_whole() {
        let moved = |text: &str| moved_text(text, "/p/app", "/tmp/x");
        assert_eq!(moved("cc -I/p/app/include -c /p/app/a.c"), "cc -I/tmp/x/include -c /tmp/x/a.c");
        assert_eq!(moved("/p/app"), "/tmp/x");
        assert_eq!(moved("-I/p/app2 /p/app"), "-I/p/app2 /tmp/x");
    }
}
