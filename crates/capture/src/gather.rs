//! From a request to compile commands: files as typed, directories searched, databases read, builds watched.
//!
//! In: a checked [`Request`], its flags after [`typed_flags`]. Out: [`Gathered`] commands in input order, with failures
//! for inputs that cannot even be looked at. A directory that holds a `compile_commands.json` is read through it, unless the user gave flags; every
//! other directory is searched for `*.c` files, hidden folders, folders that a build made and links to folders left out.

use std::path::{Path, PathBuf};

use rustc_hash::FxHashSet;

use crate::captured::{Failure, FailureKind, Note, NoteKind};
use crate::command::{CompileCommand, Origin, name_below, own_environment, tidy};
use crate::compile_db::{self, FILE_NAME};
use crate::error::Error;
use crate::flags::{Driver, parse};
use crate::messages;
use crate::request::Request;
use crate::shell_words::{expand_responses, read_below};

/// What a request comes down to.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    pub(crate) commands: Vec<CompileCommand>,
    pub(crate) failures: Vec<Failure>,
    pub(crate) notes: Vec<Note>,
}

/// The flags of a request as a compiler would see them: with the words of response files in place of their names.
pub(crate) fn typed_flags(request: &Request, directory: &Path) -> Result<Vec<String>, Error> {
    let flags = expand_responses(request.flags.clone(), &read_below(directory))
        .map_err(|why| Error::Usage(why.to_string()))?;
    // A file name among the flags is most likely a flag value that went astray; better to ask than to guess.
    match parse(&flags, Driver::C).inputs.first() {
        None => Ok(flags),
        Some(stray) => Err(Error::Usage(about_stray(&stray.path, directory))),
    }
}

/// What to say about an input among the flags.
fn about_stray(stray: &str, directory: &Path) -> String {
    if let Some(name) = stray.strip_prefix('@') {
        let why = match crate::plain::read(directory.join(name)) {
            Err(error) => error.to_string(),
            Ok(_) => messages::TEXT_NOT_UTF8.to_owned(),
        };
        return messages::no_response_file(name, &why);
    }
    messages::stray_input(stray)
}

/// Gathers the commands of a request that wraps no build.
pub(crate) fn gather(request: &Request, directory: &Path) -> Result<Gathered, Error> {
    let mut gathered = Gathered::default();
    match &request.compile_db {
        Some(path) => {
            read_database(directory, path, &mut gathered)?;
            select(request, directory, &mut gathered)?;
        }
        None => {
            let environment = own_environment();
            for input in &request.inputs {
                gather_input(request, directory, input, &environment, &mut gathered)?;
            }
        }
    }
    Ok(gathered)
}

fn read_database(directory: &Path, path: &Path, gathered: &mut Gathered) -> Result<(), Error> {
    let database = compile_db::read(directory, path)?;
    gathered.commands.extend(database.commands);
    gathered.failures.extend(database.failures);
    Ok(())
}

/// Keeps the entries of a database that the inputs name: a file, or everything below a directory.
fn select(request: &Request, directory: &Path, gathered: &mut Gathered) -> Result<(), Error> {
    if request.inputs.is_empty() {
        return Ok(());
    }
    let wanted: Vec<PathBuf> = request.inputs.iter().map(|input| tidy(&directory.join(input))).collect();
    let mut matched = FxHashSet::default();
    gathered.commands.retain(|command| {
        let file = command.file.as_deref().unwrap_or_default();
        let source = tidy(&command.directory.join(file));
        let hit = wanted.iter().position(|path| source.starts_with(path));
        matched.extend(hit);
        hit.is_some()
    });
    for (index, input) in request.inputs.iter().enumerate() {
        if !matched.contains(&index) {
            let name = input.to_string_lossy().into_owned();
            let (kind, message) = if directory.join(input).exists() {
                (FailureKind::BadCommand, messages::NO_ENTRY)
            } else {
                (FailureKind::Missing, messages::NO_FILE)
            };
            gathered.failures.push(Failure { name, kind, message: message.to_owned() });
        }
    }
    Ok(())
}

/// One typed input: a file or a directory.
fn gather_input(
    request: &Request,
    directory: &Path,
    input: &Path,
    environment: &[(String, String)],
    gathered: &mut Gathered,
) -> Result<(), Error> {
    let Some(spelling) = input.to_str() else {
        gathered.failures.push(Failure {
            name: input.to_string_lossy().into_owned(),
            kind: FailureKind::Unreadable,
            message: messages::NAME_NOT_UTF8.to_owned(),
        });
        return Ok(());
    };
    let mut push = |file: String| gathered.commands.push(typed(request, directory, file, environment));
    let path = directory.join(input);
    if !path.is_dir() {
        push(spelling.to_owned());
        return Ok(());
    }
    let database = path.join(FILE_NAME);
    if database.is_file() {
        if request.flags.is_empty() {
            read_database(directory, &database, gathered)?;
            let text = messages::database_used(&name_below(directory, &tidy(&database)), spelling);
            gathered.notes.push(Note::new(NoteKind::Input, text));
            return Ok(());
        }
        let text = messages::database_not_used(&name_below(directory, &tidy(&database)));
        gathered.notes.push(Note::new(NoteKind::Input, text));
    }
    let mut found = Found::default();
    search(input, directory, &mut found);
    let mut push = |file: String| gathered.commands.push(typed(request, directory, file, environment));
    found.files.sort();
    found.files.into_iter().for_each(&mut push);
    gathered.failures.extend(found.failures);
    if let Some(first) = found.other.first() {
        let text = messages::passed_over(found.other.len(), first);
        gathered.notes.push(Note::new(NoteKind::Input, text));
    }
    Ok(())
}

fn typed(
    request: &Request,
    directory: &Path,
    file: String,
    environment: &[(String, String)],
) -> CompileCommand {
    let mut arguments = vec!["cc".to_owned()];
    arguments.extend(request.flags.iter().cloned());
    arguments.extend(["--".to_owned(), file.clone()]);
    CompileCommand {
        origin: Origin::Typed,
        directory: directory.to_path_buf(),
        arguments,
        file: Some(file),
        output: None,
        environment: environment.to_vec(),
    }
}

/// How the names of C++ sources end.
const CXX: [&str; 4] = ["cc", "cpp", "cxx", "c++"];

#[derive(Default)]
struct Found {
    files: Vec<String>,
    failures: Vec<Failure>,
    /// C++ sources, which are passed over.
    other: Vec<String>,
}

/// What build systems leave in folders that they make, and the file by which a source folder is known that was built in itself.
const OUTPUTS: [(&str, &str); 3] =
    [("CMakeCache.txt", "CMakeLists.txt"), ("meson-private", "meson.build"), ("CACHEDIR.TAG", "")];

/// Whether a build made this folder: the C files in it are generated, or probe the compiler.
#[must_use]
pub fn is_build_output(folder: &Path) -> bool {
    let made = |(left, source): &(&str, &str)| {
        folder.join(left).exists() && (source.is_empty() || !folder.join(source).is_file())
    };
    OUTPUTS.iter().any(made) || folder.file_name().is_some_and(|name| name == "CMakeFiles")
}

/// Searches a directory for C sources. `folder` is as the user would write it.
fn search(folder: &Path, directory: &Path, found: &mut Found) {
    let mut fail = |path: &Path, message: String| {
        let name = path.to_string_lossy().into_owned();
        found.failures.push(Failure { name, kind: FailureKind::Unreadable, message });
    };
    let entries = match std::fs::read_dir(directory.join(folder)) {
        Ok(entries) => entries,
        Err(error) => return fail(folder, messages::directory_not_read(error)),
    };
    let mut entries: Vec<_> = entries.flatten().collect();
    entries.sort_by_key(|entry| entry.file_name());
    for entry in entries {
        let name = entry.file_name();
        let path = if folder == Path::new(".") { PathBuf::from(&name) } else { folder.join(&name) };
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && name.as_encoded_bytes().starts_with(b".") => {}
            Ok(kind) if kind.is_dir() && is_build_output(&directory.join(&path)) => {}
            Ok(kind) if kind.is_dir() => search(&path, directory, found),
            Ok(_) if path.extension().is_some_and(|end| CXX.iter().any(|one| end == *one)) => {
                found.other.push(path.to_string_lossy().into_owned());
            }
            Ok(_) if path.extension().is_some_and(|extension| extension == "c") => match path.to_str() {
                Some(text) => found.files.push(text.to_owned()),
                None => {
                    let name = path.to_string_lossy().into_owned();
                    let message = messages::NAME_NOT_UTF8.to_owned();
                    found.failures.push(Failure { name, kind: FailureKind::Unreadable, message });
                }
            },
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project() -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        for file in [
            "b.c",
            "a.c",
            "x.h",
            "sub/z.c",
            "sub/deep/y.c",
            ".hidden/h.c",
            "db/q.c",
            "db/r.c",
            "made/CMakeCache.txt",
            "made/probe.c",
            "meson/meson-private/x.c",
            "in/CMakeLists.txt",
            "in/CMakeCache.txt",
            "in/CMakeFiles/x.c",
            "in/i.c",
            "cxx/b.cpp",
            "cxx/a.c",
        ] {
            let path = directory.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let database = r#"[{"directory": ".", "file": "r.c", "command": "cc -DDB r.c"},
                           {"directory": ".", "file": "q.c", "command": "cc q.c"}]"#;
        std::fs::write(directory.path().join("db/compile_commands.json"), database).unwrap();
        directory
    }

    fn show(inputs: &[&str], flags: &[&str], db: Option<&str>) -> Vec<String> {
        let directory = project();
        let mut request = Request::new(directory.path());
        request.inputs = inputs.iter().map(PathBuf::from).collect();
        request.flags = flags.iter().map(|flag| flag.to_string()).collect();
        request.compile_db = db.map(PathBuf::from);
        std::fs::write(directory.path().join("typed.rsp"), "-DY='a b' @db/nested.rsp\n").unwrap();
        std::fs::write(directory.path().join("db/nested.rsp"), "-Iinc").unwrap();
        std::fs::write(directory.path().join("stray.rsp"), "-DX b.c").unwrap();
        std::fs::write(directory.path().join("latin.rsp"), b"-DX=\xe9").unwrap();
        let gathered = typed_flags(&request, directory.path()).and_then(|flags| {
            request.flags = flags;
            gather(&request, directory.path())
        });
        match gathered {
            Err(error) => vec![format!("{} {error}", error.exit_code())],
            Ok(gathered) => {
                let commands = gathered.commands.iter().map(|command| command.arguments.join(" "));
                let failures = gathered.failures.iter().map(|failure| format!("! {failure}"));
                let notes = gathered.notes.iter().map(|note| format!("# {note}"));
                commands.chain(failures).chain(notes).collect()
            }
        }
    }

    #[test]
    fn files_and_directories() {
        assert_eq!(show(&["b.c", "a.c"], &["-DX"], None), ["cc -DX -- b.c", "cc -DX -- a.c"]);
        assert_eq!(show(&["sub"], &[], None), ["cc -- sub/deep/y.c", "cc -- sub/z.c"]);
        assert_eq!(
            show(&["."], &[], None),
            [
                "cc -- a.c",
                "cc -- b.c",
                "cc -- cxx/a.c",
                "cc -- db/q.c",
                "cc -- db/r.c",
                "cc -- in/i.c",
                "cc -- sub/deep/y.c",
                "cc -- sub/z.c",
                "# 1 C++ source is not checked, because only C files are looked for in directories; name it to check it: `cxx/b.cpp`"
            ]
        );
        // What is named is what is meant.
        assert_eq!(show(&["made"], &[], None), ["cc -- made/probe.c"]);
        assert_eq!(show(&["absent.c"], &[], None), ["cc -- absent.c"]);
    }

    #[test]
    fn databases() {
        assert_eq!(
            show(&["db"], &[], None),
            ["cc -DDB r.c", "cc q.c", "# `db/compile_commands.json` is used for `db`"]
        );
        assert_eq!(
            show(&["db"], &["-DX"], None),
            [
                "cc -DX -- db/q.c",
                "cc -DX -- db/r.c",
                "# `db/compile_commands.json` is not used, because flags are given"
            ]
        );
        assert_eq!(show(&[], &[], Some("db")), ["cc -DDB r.c", "cc q.c"]);
        assert_eq!(show(&["db/q.c"], &[], Some("db/compile_commands.json")), ["cc q.c"]);
        assert_eq!(show(&["./db"], &[], Some("db")), ["cc -DDB r.c", "cc q.c"]);
        assert_eq!(
            show(&["a.c", "no.c"], &[], Some("db")),
            ["! a.c: the compilation database has no entry for it", "! no.c: no such file"]
        );
    }

    #[test]
    fn stray_files_among_the_flags() {
        assert_eq!(
            show(&["a.c"], &["-DX", "b.c"], None),
            ["2 `b.c` after `--` is not a compiler flag; name files before it"]
        );
    }

    #[test]
    fn response_files_among_the_flags() {
        assert_eq!(show(&["a.c"], &["-DX", "@typed.rsp"], None), ["cc -DX -DY=a b -Iinc -- a.c"]);
        assert_eq!(
            show(&["a.c"], &["@no.rsp"], None),
            ["2 the response file `no.rsp` cannot be read: No such file or directory (os error 2)"]
        );
        assert_eq!(
            show(&["a.c"], &["@latin.rsp"], None),
            ["2 the response file `latin.rsp` cannot be read: its text is not valid UTF-8"]
        );
        assert_eq!(
            show(&["a.c"], &["@stray.rsp"], None),
            ["2 `b.c` after `--` is not a compiler flag; name files before it"]
        );
    }
}
