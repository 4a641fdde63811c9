//! Reading `compile_commands.json`, and writing one.
//!
//! In: the file or the directory that holds it. Out: one [`CompileCommand`] per entry, in order, plus a failure for
//! each entry that cannot be understood. Both forms are read: `arguments` (preferred when both are there, as it needs
//! no quoting rules) and `command`. A relative `directory` starts where the database lies. Response files are
//! expanded. Nothing is merged here: the same source may well be compiled twice with different flags.
//!
//! A file that is not JSON at all is an error of the environment; one bad entry is a failure of that entry.

use std::path::{Path, PathBuf};

use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use crate::captured::{Failure, FailureKind};
use crate::command::{CompileCommand, Origin, name_below, own_environment, tidy};
use crate::error::Error;
use crate::messages;
use crate::plan::Job;
use crate::shell_words::{expand_responses, read_below, split};

/// The usual name of a database.
pub const FILE_NAME: &str = "compile_commands.json";

#[derive(Deserialize)]
struct Entry {
    directory: Option<PathBuf>,
    file: Option<String>,
    command: Option<String>,
    arguments: Option<Vec<String>>,
    output: Option<String>,
}

/// What a database holds.
#[derive(Debug, Default)]
pub(crate) struct Database {
    pub(crate) commands: Vec<CompileCommand>,
    pub(crate) failures: Vec<Failure>,
}

/// Reads a database. `path` is the file, or a directory that holds [`FILE_NAME`].
pub(crate) fn read(working_directory: &Path, path: &Path) -> Result<Database, Error> {
    let given = working_directory.join(path);
    let file = if given.is_dir() { given.join(FILE_NAME) } else { given };
    if !file.exists() {
        return Err(Error::Usage(messages::no_database(&file)));
    }
    let bytes = crate::plain::read(&file).map_err(|error| Error::file("read", &file, &error))?;
    let base = tidy(file.parent().unwrap_or(working_directory));
    entries(&bytes, &base, &name_below(working_directory, &file), working_directory)
        .map_err(|error| Error::Environment(messages::not_a_database(&file, error)))
}

/// The commands of a text. `base` is where it lies, `name` what it is called.
pub(crate) fn entries(
    bytes: &[u8],
    base: &Path,
    name: &str,
    working_directory: &Path,
) -> serde_json::Result<Database> {
    let entries: Vec<serde_json::Value> = serde_json::from_slice(bytes)?;
    let environment = own_environment();
    let mut database = Database::default();
    for (index, value) in entries.into_iter().enumerate() {
        let understood = serde_json::from_value::<Entry>(value)
            .map_err(|error| (None, error.to_string()))
            .and_then(|entry| understand(entry, base, &environment));
        match understood {
            Ok(command) => database.commands.push(command),
            Err((source, why)) => {
                let name = match source {
                    Some(path) => name_below(working_directory, &path),
                    None => messages::entry(index, name),
                };
                database.failures.push(Failure { name, kind: FailureKind::BadCommand, message: why });
            }
        }
    }
    Ok(database)
}

/// The sources that a database names, whether or not their commands can be understood.
///
/// # Errors
///
/// When the file cannot be read, or is no database.
pub fn sources(file: &Path) -> Result<Vec<PathBuf>, Error> {
    let base = tidy(file.parent().unwrap_or(Path::new("")));
    let database = read(&base, file)?;
    let source = |command: CompileCommand| command.file.map(|source| tidy(&command.directory.join(source)));
    Ok(database.commands.into_iter().filter_map(source).collect())
}

/// One entry as a command, or why not, with the source it is about when that much is known.
fn understand(
    entry: Entry,
    base: &Path,
    environment: &[(String, String)],
) -> Result<CompileCommand, (Option<PathBuf>, String)> {
    let directory = tidy(&base.join(entry.directory.unwrap_or_default()));
    let source = entry.file.as_ref().map(|file| tidy(&directory.join(file)));
    let arguments = match (entry.arguments, entry.command) {
        (Some(arguments), _) => arguments,
        (None, Some(command)) => {
            split(&command).map_err(|why| (source.clone(), messages::damaged_command(why)))?
        }
        (None, None) => return Err((source, messages::NO_COMMAND.to_owned())),
    };
    if arguments.is_empty() {
        return Err((source, messages::EMPTY_COMMAND.to_owned()));
    }
    let arguments =
        expand_responses(arguments, &read_below(&directory)).map_err(|why| (source, why.to_string()))?;
    Ok(CompileCommand {
        origin: Origin::Database,
        directory,
        arguments,
        file: entry.file,
        output: entry.output,
        environment: environment.to_vec(),
    })
}

/// An entry to be written.
#[derive(Serialize)]
struct Left<'a> {
    directory: &'a Path,
    file: &'a str,
    arguments: Vec<&'a str>,
}

/// Flags that search directories as a variable of the environment did: `CPATH` after the directories of `-I`,
/// `C_INCLUDE_PATH` after those of `-isystem`. An empty name means the directory of the command.
fn searched(variables: &[(String, String)]) -> impl Iterator<Item = &str> {
    let flag = |name: &str| match name {
        "CPATH" => Some("-I"),
        "C_INCLUDE_PATH" => Some("-isystem"),
        _ => None,
    };
    variables.iter().filter_map(move |(name, value)| Some((flag(name)?, value))).flat_map(|(flag, value)| {
        value.split(':').flat_map(move |directory| [flag, if directory.is_empty() { "." } else { directory }])
    })
}

/// Writes a database of jobs, one entry for each, in their order. A command that compiles several sources is written once
/// for each of them, without the others. A database has no place for variables of the environment, so those that name
/// directories to search become flags.
pub(crate) fn write(path: &Path, commands: &[CompileCommand], jobs: &[Job]) -> Result<(), Error> {
    let spelled =
        |command: usize| jobs.iter().filter(move |job| job.command == command).map(|job| &*job.spelling);
    let entries: Vec<Left<'_>> = (jobs.iter())
        .map(|job| {
            let others: FxHashSet<&str> =
                spelled(job.command).filter(|&other| other != job.spelling).collect();
            let arguments = commands[job.command].arguments.iter().map(String::as_str);
            let own = arguments.filter(|argument| !others.contains(argument));
            let arguments = own.chain(searched(&commands[job.command].environment)).collect();
            Left { directory: &job.directory, file: &job.spelling, arguments }
        })
        .collect();
    let text = serde_json::to_string_pretty(&entries)
        .map_err(|error| Error::Environment(format!("{}: {error}", path.display())))?;
    std::fs::write(path, text + "\n").map_err(|error| Error::file("write", path, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn database(text: &str) -> (tempfile::TempDir, Result<Database, Error>) {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join(FILE_NAME), text).unwrap();
        std::fs::write(directory.path().join("flags.rsp"), "-DA '-DB=c d' @more.rsp").unwrap();
        std::fs::write(directory.path().join("more.rsp"), "-DE").unwrap();
        let read = read(directory.path(), Path::new("."));
        (directory, read)
    }

    #[test]
    fn directories_of_the_environment_become_flags() {
        let variables = [("CPATH", "/a::/b"), ("SDKROOT", "/sdk"), ("C_INCLUDE_PATH", "/c")];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let flags: Vec<&str> = searched(&variables).collect();
        assert_eq!(flags, ["-I", "/a", "-I", ".", "-I", "/b", "-isystem", "/c"]);
    }

    fn show(text: &str) -> Vec<String> {
        let (directory, database) = database(text);
        let database = database.unwrap();
        let here = directory.path().to_string_lossy().into_owned();
        let commands = database.commands.iter().map(|command| {
            format!(
                "{} | {} | {} | {}",
                command.directory.display().to_string().replace(&here, "HERE"),
                command.file.as_deref().unwrap_or("-"),
                command.output.as_deref().unwrap_or("-"),
                command.arguments.join("~")
            )
        });
        commands.chain(database.failures.iter().map(|failure| failure.to_string())).collect()
    }

    #[test]
    fn forms() {
        assert_eq!(
            show(
                r#"[
                {"directory": "/b", "file": "a.c", "command": "cc '-DX=\"a b\"' -c a.c"},
                {"directory": "sub/../x", "file": "../a.c", "arguments": ["cc", "-c", "../a.c"], "output": "a.o"},
                {"directory": ".", "file": "a.c", "arguments": ["cc", "@flags.rsp", "-c", "a.c"], "command": "bad '"},
                {"file": "a.c", "command": "cc -c a.c", "unknown": 3}
            ]"#
            ),
            [
                "/b | a.c | - | cc~-DX=\"a b\"~-c~a.c",
                "HERE/x | ../a.c | a.o | cc~-c~../a.c",
                "HERE | a.c | - | cc~-DA~-DB=c d~-DE~-c~a.c",
                "HERE | a.c | - | cc~-c~a.c",
            ]
        );
    }

    #[test]
    fn one_bad_entry_leaves_the_others() {
        let lines = show(
            r#"[
            {"directory": "/b", "file": "a.c", "command": "cc 'a.c"},
            {"directory": ".", "file": "b.c"},
            {"directory": ".", "file": "c.c", "arguments": []},
            {"directory": 7},
            {"directory": "/b", "file": "d.c", "command": "cc d.c"}
        ]"#,
        );
        assert_eq!(lines[0], "/b | d.c | - | cc~d.c");
        assert_eq!(
            lines[1],
            "/b/a.c: the command in the compilation database is damaged: the quote ' is never closed"
        );
        assert_eq!(lines[2], "b.c: the entry has neither `command` nor `arguments`");
        assert_eq!(lines[3], "c.c: the entry has an empty command");
        assert!(lines[4].starts_with("entry 3 of compile_commands.json: "), "{}", lines[4]);
        assert_eq!(lines.len(), 5);
    }

    #[test]
    fn not_a_database() {
        for text in ["", "{", "{}", "[1, 2", "\u{1}"] {
            let error = database(text).1.unwrap_err();
            assert_eq!(error.exit_code(), 3, "{text}");
            assert!(error.to_string().contains("compile_commands.json"), "{error}");
        }
        let empty = tempfile::tempdir().unwrap();
        let error = read(empty.path(), Path::new("build")).unwrap_err();
        assert_eq!(error.exit_code(), 2);
        assert!(error.to_string().contains("build"), "{error}");
    }
}
