//! Watching a build: run it, and say which compilers it started.
//!
//! In: a build command. Out: a [`Recording`]: the compile commands, the number of processes, how the build ended.
//!
//! The observer is a small library in C (`interposer.c`) that the dynamic linker loads into every process of the
//! build. It sees compilers under any name and path, behind `ccache`, in sub-directories and in parallel, and changes
//! nothing about the build. It is compiled anew for every build, in a folder of its own: a library that lies in a project's
//! cache may be anybody's. Where it cannot be compiled or does not take effect, shims
//! in front of the compilers on `PATH` do the watching; they miss compilers called by their full path.
//!
//! Units are compiled after the build has ended, from its commands. That keeps the build's own timing and failures
//! apart from ours, at the price that a source which the build removes again is lost (and reported).
//!
//! What holds: a command that another compiler or `ccache` started on behalf of a command already seen is not counted
//! again; what an exec asked for is counted only if no started process answers it.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustc_hash::FxHashMap;

use crate::cache::Cache;
use crate::captured::{BuildEnd, Failure, FailureKind, Note, NoteKind};
use crate::command::{CompileCommand, Origin, VARIABLES};
use crate::compiler::{Behind, Clang, classify, is_executable, is_wrapper, on_path, skip_wrappers};
use crate::error::Error;
use crate::messages;
use crate::record::{Kind, Record, parse_log, parse_shim};
use crate::request::Watch;
use crate::sandbox::{clean, search_path};
use crate::shell_words::{expand_responses, read_below};
use crate::trust::program;

const OBSERVER: &str = include_str!("interposer.c");
const LOG: &str = "WATERTIGHT_CAPTURE_LOG";
const LIBRARY: &str = "WATERTIGHT_CAPTURE_LIBRARY";
const PARENT: &str = "WATERTIGHT_CAPTURE_PARENT";
/// What is added to the name of the log gives that of a file in which the observer marks that a record is lost.
const LOST: &str = "lost";
/// What is in it before that, so that marking needs no room on a full disk.
const NOTHING_LOST: &[u8] = b".";
/// The width of an identity in the observer.
const IDENTITY: usize = 32;

/// What a build did.
#[derive(Debug)]
pub(crate) struct Recording {
    pub(crate) commands: Vec<CompileCommand>,
    pub(crate) failures: Vec<Failure>,
    pub(crate) processes: usize,
    pub(crate) end: BuildEnd,
    pub(crate) notes: Vec<Note>,
}

/// Runs a build and records its compile commands. What the build prints goes to standard error, so that our own
/// standard output stays clean.
pub(crate) fn record(
    directory: &Path,
    build: &[OsString],
    watch: Watch,
    clang: &Clang,
    cache: &Cache,
) -> Result<Recording, Error> {
    let scratch = tempfile::Builder::new()
        .prefix("watertight-build-")
        .tempdir()
        .map_err(|error| Error::file(messages::CREATE_DIRECTORY, &std::env::temp_dir(), &error))?;
    let log = scratch.path().join("log");
    let mut notes = Vec::new();
    let environment = match watch {
        Watch::Auto => load_observer(scratch.path(), &log, clang).unwrap_or_else(|why| {
            notes.push(Note::new(NoteKind::Build, messages::only_shims(&why)));
            Vec::new()
        }),
        Watch::Shims => Vec::new(),
    };
    let environment = if environment.is_empty() { write_shims(cache, &log)? } else { environment };

    let program = build.first().ok_or_else(|| Error::Internal(messages::EMPTY_BUILD.to_owned()))?;
    let status = Command::new(program)
        .args(&build[1..])
        .current_dir(directory)
        .envs(environment)
        .stdout(Stdio::from(std::io::stderr()))
        .status()
        .map_err(|error| Error::Usage(messages::build_does_not_run(program.display(), error)))?;

    let (records, damaged) = read_logs(&log)?;
    if damaged > 0 {
        notes.push(Note::new(NoteKind::Build, messages::damaged_records(damaged)));
    }
    let (commands, mut failures) = compile_commands(&records);
    if crate::plain::read(log.with_extension(LOST)).is_ok_and(|mark| mark != NOTHING_LOST) {
        failures.push(Failure {
            name: "the build".to_owned(),
            kind: FailureKind::Unreadable,
            message: messages::records_lost(scratch.path()),
        });
    }
    let started = records.iter().filter(|record| record.kind == Kind::Started).count();
    Ok(Recording {
        commands,
        failures,
        processes: if started > 0 { started } else { records.len() },
        end: BuildEnd { success: status.success(), status: status.to_string() },
        notes,
    })
}

/// Compiles the observer, and gives the environment that loads it, or why it does not work here.
fn load_observer(scratch: &Path, log: &Path, clang: &Clang) -> Result<Vec<(OsString, OsString)>, String> {
    // The dynamic linker splits LD_PRELOAD at blanks and colons.
    let library = scratch.join("observer.so");
    if library.as_os_str().as_encoded_bytes().iter().any(|byte| matches!(byte, b' ' | b':' | b'\t' | b'\n')) {
        return Err(messages::blank_in_name(scratch));
    }
    let mark = log.with_extension(LOST);
    fs::write(&mark, NOTHING_LOST).map_err(|error| messages::not_written(&mark, error))?;
    compile_observer(clang, scratch, &library)?;

    let extend = |name: &str, separator: &str, value: &OsStr| {
        let mut extended = value.to_owned();
        if let Some(old) = std::env::var_os(name).filter(|old| !old.is_empty()) {
            extended.push(separator);
            extended.push(old);
        }
        (OsString::from(name), extended)
    };
    let environment = vec![
        extend("LD_PRELOAD", ":", library.as_os_str()),
        // Programs built with the address sanitizer refuse to start when another library is loaded before it.
        extend("ASAN_OPTIONS", ":", OsStr::new("verify_asan_link_order=0")),
        (LOG.into(), log.as_os_str().to_owned()),
        (LIBRARY.into(), library.as_os_str().to_owned()),
        (PARENT.into(), "0".repeat(IDENTITY).into()),
    ];
    // A dry run tells whether the system lets the observer in.
    let dry = Command::new(program("sh").unwrap_or_else(|| PathBuf::from("/bin/sh")))
        .args(["-c", ":"])
        .envs(environment.iter().cloned())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let seen = fs::metadata(log).is_ok_and(|data| data.len() > 0);
    let _ = fs::remove_file(log);
    match dry {
        Ok(status) if status.success() && seen => Ok(environment),
        Ok(_) => Err(messages::OBSERVER_NOT_LOADED.to_owned()),
        Err(error) => Err(messages::no_shell(error)),
    }
}

/// Makes the observer a shared library.
fn compile_observer(clang: &Clang, scratch: &Path, library: &Path) -> Result<(), String> {
    let source = scratch.join("observer.c");
    fs::write(&source, OBSERVER).map_err(messages::observer_not_written)?;
    // clang needs a linker for this and may lack one where the system's own compiler does not.
    let mut why = String::new();
    let others = ["cc", "gcc"].into_iter().filter_map(program);
    for compiler in std::iter::once(clang.path.clone()).chain(others) {
        let mut command = Command::new(&compiler);
        clean(&mut command, &search_path(&compiler), scratch);
        let ran = command
            .args(["-shared", "-fPIC", "-O2", "-w", "-fvisibility=hidden", "-o"])
            .args([library.as_os_str(), source.as_os_str(), OsStr::new("-ldl")])
            .output();
        match ran {
            Ok(ran) if ran.status.success() => return Ok(()),
            Ok(ran) if why.is_empty() => {
                let message = String::from_utf8_lossy(&ran.stderr);
                why = message.lines().next().unwrap_or("no message").to_owned();
            }
            _ => {}
        }
    }
    Err(messages::observer_not_compiled(&why))
}

/// Puts a script in front of every compiler and compiler wrapper on `PATH`.
///
/// The scripts stay in the cache: a configure step may have written their path into its files. Without a log they
/// only run the compiler.
fn write_shims(cache: &Cache, log: &Path) -> Result<Vec<(OsString, OsString)>, Error> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let shims = cache.place("tools", "shims");
    // What lies there already may be anybody's, and would come first on the build's PATH.
    let _ = fs::remove_dir_all(&shims);
    fs::create_dir_all(&shims).map_err(|error| Error::file("create", &shims, &error))?;
    let shims = fs::canonicalize(&shims).map_err(|error| Error::file("read", &shims, &error))?;
    let mut names: Vec<String> = std::env::split_paths(&path)
        .filter(|folder| *folder != shims)
        .flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| classify(name).is_some() || (is_wrapper(name) && name != "zig"))
        .collect();
    names.sort();
    names.dedup();
    let rest: Vec<PathBuf> = std::env::split_paths(&path).filter(|folder| *folder != shims).collect();
    let rest = std::env::join_paths(rest).unwrap_or_else(|_| path.clone());
    for name in names {
        let Some(real) = on_path(&rest, Path::new(&name)) else { continue };
        let Some(real) = real.to_str() else { continue };
        let quoted = format!("'{}'", real.replace('\'', r"'\''"));
        let text = format!(
            "#!/bin/sh\n\
             # Records the command for watertight, then runs the compiler.\n\
             if [ -n \"${LOG}\" ] && [ -z \"$WATERTIGHT_CAPTURE_INNER\" ]; then\n\
             \x20 file=\"${LOG}.$$\"\n\
             \x20 while [ -e \"$file.shim\" ]; do file=\"$file.again\"; done\n\
             \x20 printf '%s\\0' \"$(pwd -P)\" {quoted} \"$@\" > \"$file.shim\"\n\
             \x20 WATERTIGHT_CAPTURE_INNER=1\n\
             \x20 export WATERTIGHT_CAPTURE_INNER\n\
             fi\n\
             exec {quoted} \"$@\"\n"
        );
        let shim = shims.join(&name);
        cache.write(&shim, text.as_bytes())?;
        make_executable(&shim).map_err(|error| Error::file("write", &shim, &error))?;
    }
    let mut searched = OsString::from(&shims);
    searched.push(":");
    searched.push(&rest);
    Ok(vec![("PATH".into(), searched), (LOG.into(), log.as_os_str().to_owned())])
}

#[cfg(unix)]
fn make_executable(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_path: &Path) -> std::io::Result<()> {
    Ok(())
}

/// All records of a build in the order in which the processes started, and the number of damaged ones.
fn read_logs(log: &Path) -> Result<(Vec<Record>, usize), Error> {
    let folder = log.parent().unwrap_or(log);
    let listed = fs::read_dir(folder).map_err(|error| Error::file("read", folder, &error))?;
    let mut files: Vec<PathBuf> = listed.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| {
        let is_log = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"log"));
        is_log && path.extension().is_none_or(|extension| extension != LOST)
    });
    files.sort();
    let mut records = Vec::new();
    let mut damaged = 0;
    for file in files {
        let bytes = crate::plain::read(&file).map_err(|error| Error::file("read", &file, &error))?;
        if file.extension().is_some_and(|extension| extension == "shim") {
            match parse_shim(&bytes) {
                Some(record) => records.push(record),
                None => damaged += 1,
            }
        } else {
            let (mut parsed, bad) = parse_log(&bytes);
            records.append(&mut parsed);
            damaged += bad;
        }
    }
    records.sort_by(|a, b| a.time().cmp(b.time()));
    Ok((records, damaged))
}

/// The command of a record if it is a compiler's: the arguments, with the program in place of a strange name.
fn compiler_arguments(record: &Record) -> Option<Vec<String>> {
    let first = record.arguments.first()?;
    let at = skip_wrappers(&record.arguments, Behind::Wrappers);
    if at > 0 || classify(first).is_some() {
        return Some(record.arguments.clone());
    }
    // A link with another name, or a name of its own choice: what runs may still be a compiler.
    if !is_wrapper(first) && classify(&record.program).is_some() {
        let mut arguments = record.arguments.clone();
        arguments[0] = record.program.clone();
        return Some(arguments);
    }
    None
}

/// A compiler that drives itself; the outer command was seen.
fn is_internal(record: &Record) -> bool {
    record.arguments.get(1).is_some_and(|argument| argument.starts_with("-cc1"))
}

/// Picks the compile commands out of the records of a build.
fn compile_commands(records: &[Record]) -> (Vec<CompileCommand>, Vec<Failure>) {
    let started: Vec<&Record> = records.iter().filter(|record| record.kind == Kind::Started).collect();
    let mut by_identity: FxHashMap<&str, usize> = FxHashMap::default();
    let mut by_parent: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
    for (index, record) in started.iter().enumerate() {
        by_identity.insert(&record.identity, index);
        by_parent.entry(&record.parent).or_default().push(index);
    }
    let compiles: Vec<bool> =
        started.iter().map(|record| compiler_arguments(record).is_some() && !is_internal(record)).collect();
    // Whether the process of this identity, or one above it, is a compile command.
    let below_compiler = |identity: &str| {
        let mut identity = identity;
        // Each step goes back in time; the bound only guards against a damaged log.
        for _ in 0..10_000 {
            match by_identity.get(identity) {
                Some(index) if compiles[*index] => return true,
                Some(index) => identity = &started[*index].parent,
                None => return false,
            }
        }
        false
    };
    let answered = |asked: &Record| {
        by_parent.get(asked.identity.as_str()).is_some_and(|children| {
            children.iter().any(|child| started[*child].arguments.ends_with(&asked.arguments[1..]))
        })
    };
    let runs = |asked: &Record| {
        let program = if asked.program.is_empty() { &asked.arguments[0] } else { &asked.program };
        if program.contains('/') {
            is_executable(&asked.directory.join(program))
        } else {
            std::env::var_os("PATH").is_some_and(|path| on_path(&path, Path::new(program)).is_some())
        }
    };
    let mut commands = Vec::new();
    let mut failures = Vec::new();
    for record in records {
        let counts = match record.kind {
            Kind::Started => !is_internal(record) && !below_compiler(&record.parent),
            Kind::Asked => {
                !is_internal(record) && !below_compiler(&record.identity) && !answered(record) && runs(record)
            }
            Kind::Shim => true,
        };
        if !counts {
            continue;
        }
        let Some(arguments) = compiler_arguments(record) else { continue };
        if record.lossy {
            let message = messages::ARGUMENT_NOT_UTF8.to_owned();
            failures.push(Failure { name: arguments.join(" "), kind: FailureKind::BadCommand, message });
            continue;
        }
        let disk = read_below(&record.directory);
        let read = |name: &str| {
            let kept = record.responses.iter().find(|(file, _)| file == name);
            kept.map(|(_, text)| text.clone()).or_else(|| disk(name))
        };
        match expand_responses(arguments, &read) {
            Ok(arguments) => commands.push(CompileCommand {
                origin: Origin::Build,
                directory: record.directory.clone(),
                arguments,
                file: None,
                output: None,
                environment: record
                    .environment
                    .iter()
                    .filter(|(name, _)| VARIABLES.contains(&name.as_str()))
                    .cloned()
                    .collect(),
            }),
            Err(why) => failures.push(Failure {
                name: record.arguments.join(" "),
                kind: FailureKind::BadCommand,
                message: why.to_string(),
            }),
        }
    }
    (commands, failures)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: Kind, identity: &str, parent: &str, program: &str, line: &str) -> Record {
        Record {
            kind,
            identity: identity.to_owned(),
            parent: parent.to_owned(),
            program: program.to_owned(),
            directory: "/w".into(),
            arguments: line.split_whitespace().map(String::from).collect(),
            environment: vec![],
            responses: vec![("r.rsp".into(), "-DR 'a b'".into())],
            lossy: false,
        }
    }

    fn commands(records: &[Record]) -> Vec<String> {
        compile_commands(records).0.iter().map(|command| command.arguments.join("~")).collect()
    }

    use Kind::{Asked, Started};

    #[test]
    fn compilers_under_any_name() {
        assert_eq!(
            commands(&[
                record(Started, "1", "0", "/usr/bin/make", "make"),
                record(Started, "2", "1", "/usr/bin/gcc-12", "/usr/bin/gcc -c a.c"),
                record(Started, "3", "2", "/usr/lib/gcc/cc1", "/usr/lib/gcc/cc1 a.c"),
                record(Started, "4", "1", "/usr/bin/x86_64-linux-gnu-gcc-12", "mycc -c b.c"),
                record(Started, "5", "1", "/usr/bin/gcc", "cc @r.rsp -c c.c"),
                record(
                    Started,
                    "6",
                    "1",
                    "/usr/lib/llvm-19/bin/clang",
                    "/usr/lib/llvm-19/bin/clang -cc1 d.c"
                ),
                record(Started, "7", "1", "/usr/bin/dash", "sh -c gcc"),
            ]),
            ["/usr/bin/gcc~-c~a.c", "/usr/bin/x86_64-linux-gnu-gcc-12~-c~b.c", "cc~-DR~a b~-c~c.c"]
        );
    }

    #[test]
    fn a_wrapper_stands_for_what_it_starts() {
        assert_eq!(
            commands(&[
                record(Started, "1", "0", "/usr/bin/ccache", "ccache gcc -c a.c"),
                record(Started, "2", "1", "/usr/bin/gcc", "gcc -E a.c"),
                record(Started, "3", "1", "/usr/bin/gcc", "gcc -c /tmp/x.i"),
                record(Started, "4", "9", "/usr/bin/ccache", "gcc -c b.c"),
                record(Started, "5", "4", "/usr/bin/dash", "sh -c x"),
                record(Started, "6", "5", "/usr/bin/gcc", "/usr/bin/gcc -c /tmp/y.i"),
                record(Started, "7", "9", "/usr/bin/ccache", "ccache -s"),
            ]),
            ["ccache~gcc~-c~a.c", "gcc~-c~b.c"]
        );
    }

    #[test]
    fn what_was_asked_counts_when_nobody_answered() {
        assert_eq!(
            commands(&[
                record(Started, "1", "0", "/usr/bin/make", "make"),
                record(Asked, "1", "", "/usr/bin/env", "gcc -c a.c"),
                record(Started, "2", "1", "/usr/bin/gcc", "gcc -c a.c"),
                // A script answers through its interpreter.
                record(Asked, "1", "", "/usr/bin/env", "gcc -c b.c"),
                record(Started, "3", "1", "/bin/sh", "/bin/sh /x/gcc -c b.c"),
                // A statically linked compiler is only ever asked for.
                record(Asked, "1", "", "/usr/bin/env", "gcc -c c.c"),
                // A search along PATH asks in vain.
                record(Asked, "1", "", "/no/such/gcc", "gcc -c d.c"),
                // What a compiler asks for is its own business.
                record(Asked, "2", "", "/usr/bin/env", "gcc -c e.c"),
            ]),
            ["gcc~-c~a.c", "gcc~-c~c.c"]
        );
    }
}
