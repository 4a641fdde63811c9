//! The commands of a build that ran before.
//!
//! A build only compiles what is out of date, so watching it a second time shows little or nothing, while the program
//! to analyse is still the whole. After each watched build its commands are kept under the working directory and the
//! words that say what was built (`make all`, whatever the options and variables); the next time they fill in for what the build did not
//! do again. Whether a remembered command still counts is decided by `plan.rs`: its source and its output must exist.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::cache::{Cache, KeyBuilder};
use crate::command::{CompileCommand, Origin, VARIABLES};
use crate::error::Error;

/// A command on disk.
#[derive(Serialize, Deserialize)]
struct Remembered {
    directory: PathBuf,
    arguments: Vec<String>,
    environment: Vec<(String, String)>,
}

/// The file for a build.
fn file_of(cache: &Cache, directory: &Path, build: &[OsString]) -> PathBuf {
    let mut key = KeyBuilder::new("build");
    key.path(directory);
    for word in build.iter().map(|word| word.as_encoded_bytes()) {
        if !is_manner(word) {
            key.field(word);
        }
    }
    cache.place("builds", &key.finish().0.to_hex())
}

/// Whether a word says how something is built and not what: an option, a number of jobs, a variable. A build that is
/// continued with `-k` or other flags belongs to the one before.
fn is_manner(word: &[u8]) -> bool {
    word.starts_with(b"-") || word.contains(&b'=') || word.iter().all(u8::is_ascii_digit)
}

/// The commands of earlier runs; none when there were none or the file is damaged.
pub(crate) fn recall(cache: &Cache, directory: &Path, build: &[OsString]) -> Vec<CompileCommand> {
    let Ok(bytes) = crate::plain::read(file_of(cache, directory, build)) else { return Vec::new() };
    let commands: Vec<Remembered> = serde_json::from_slice(&bytes).unwrap_or_default();
    commands
        .into_iter()
        .map(|command| CompileCommand {
            origin: Origin::Remembered,
            directory: command.directory,
            arguments: command.arguments,
            file: None,
            output: None,
            // Whoever could write the file could name any variable.
            environment: command
                .environment
                .into_iter()
                .filter(|(name, _)| VARIABLES.contains(&name.as_str()))
                .collect(),
        })
        .collect()
}

/// Keeps commands for the next run.
pub(crate) fn remember(
    cache: &Cache,
    directory: &Path,
    build: &[OsString],
    commands: &[&CompileCommand],
) -> Result<(), Error> {
    let remembered: Vec<Remembered> = commands
        .iter()
        .map(|command| Remembered {
            directory: command.directory.clone(),
            arguments: command.arguments.clone(),
            environment: command.environment.clone(),
        })
        .collect();
    // A directory that is not UTF-8 cannot be stored; then nothing is remembered.
    match serde_json::to_vec(&remembered) {
        Ok(bytes) => cache.write(&file_of(cache, directory, build), &bytes),
        Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_come_back_whatever_the_number_of_jobs() {
        let directory = tempfile::tempdir().unwrap();
        let (cache, _) = Cache::open(directory.path()).unwrap();
        let build = |line: &str| -> Vec<OsString> { line.split(' ').map(OsString::from).collect() };
        let command = CompileCommand {
            origin: Origin::Build,
            directory: "/w".into(),
            arguments: vec!["cc".into(), "a.c".into()],
            file: None,
            output: None,
            environment: vec![("CPATH".into(), "/x".into())],
        };
        // A file that somebody else wrote may name any variable.
        let mut hostile = command.clone();
        hostile.environment.push(("CCC_OVERRIDE_OPTIONS".into(), "+-fplugin=x.so".into()));
        remember(&cache, Path::new("/h"), &build("make"), &[&hostile]).unwrap();
        assert_eq!(recall(&cache, Path::new("/h"), &build("make"))[0].environment, command.environment);
        remember(&cache, Path::new("/w"), &build("make -j2 all"), &[&command]).unwrap();
        let expected = CompileCommand { origin: Origin::Remembered, ..command };
        for same in [
            "make all",
            "make -j all",
            "make --jobs=4 all",
            "make -j 8 all",
            "make -k all",
            "make CFLAGS=-O0 all",
        ] {
            assert_eq!(
                recall(&cache, Path::new("/w"), &build(same)),
                std::slice::from_ref(&expected),
                "{same}"
            );
        }
        assert!(recall(&cache, Path::new("/w"), &build("make other")).is_empty());
        assert!(recall(&cache, Path::new("/v"), &build("make all")).is_empty());
    }
}
