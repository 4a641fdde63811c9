//! Every sentence of this crate.
//!
//! One function or constant each, so that they can be read as a whole; `docs/messages.md` lists the texts of this file, and what is in braces
//! is filled in. Names stand in quotes, and the sentence says what to do where something can be done.

use std::fmt::Display;
use std::path::Path;

use crate::captured::Skip;
use crate::compiler::OLDEST_CLANG;

// What was asked for.

pub(crate) const BUILD_AND_DATABASE: &str =
    "a build command and a compilation database cannot be used together";
pub(crate) const BUILD_AND_FILES: &str = "a build command and input files cannot be used together";
pub(crate) const NO_BUILD: &str = "no build command given after `--`";
pub(crate) const NO_INPUT: &str = "no input files";

pub(crate) fn no_directory(directory: &Path) -> String {
    format!("the working directory `{}` does not exist", directory.display())
}

pub(crate) fn no_database(file: &Path) -> String {
    format!("there is no compilation database `{}`", file.display())
}

pub(crate) fn not_a_database(file: &Path, error: impl Display) -> String {
    format!("`{}` is not a compilation database: {error}", file.display())
}

pub(crate) fn stray_input(stray: &str) -> String {
    format!("`{stray}` after `--` is not a compiler flag; name files before it")
}

pub(crate) fn no_response_file(name: &str, why: &str) -> String {
    format!("the response file `{name}` cannot be read: {why}")
}

pub(crate) fn build_does_not_run(program: impl Display, error: impl Display) -> String {
    format!("cannot run the build command `{program}`: {error}")
}

// What the machine refuses.

const INSTALL: &str = "install one:\n  \
     Debian, Ubuntu:  apt-get install clang\n  \
     Fedora:          dnf install clang\n  \
     Arch:            pacman -S clang\n  \
     macOS:           brew install llvm\n\
     or name one in the environment variable WATERTIGHT_CLANG";

pub(crate) fn cannot(doing: &str, path: &Path, error: impl Display) -> String {
    format!("cannot {doing} `{}`: {error}", path.display())
}

/// What cannot be done, in the sentence above.
pub(crate) const CREATE_CACHE: &str = "create a temporary cache in";
pub(crate) const CREATE_DIRECTORY: &str = "create a directory in";
pub(crate) const USE_DIRECTORY: &str = "use the working directory";

pub(crate) fn cannot_run(clang: &Path, unit: &str, error: impl Display) -> String {
    format!("cannot run `{}` for `{unit}`: {error}", clang.display())
}

pub(crate) fn disk_full(doing: &str, path: &Path) -> String {
    format!(
        "cannot {doing} `{}`: no space left on the disk; free some, or choose another cache directory",
        path.display()
    )
}

pub(crate) fn disk_full_compiling(name: &str) -> String {
    format!(
        "no space left on the disk while compiling `{name}`; free some, or choose another cache directory"
    )
}

pub(crate) fn no_threads(error: impl Display) -> String {
    format!("cannot start threads: {error}")
}

pub(crate) fn clang_variable(path: &Path) -> String {
    format!("WATERTIGHT_CLANG is `{}`; it must be an absolute path, or a name on PATH", path.display())
}

pub(crate) fn clang_not_on_path(chosen: &Path) -> String {
    format!("the chosen clang `{}` is not on PATH", chosen.display())
}

pub(crate) fn clang_not_usable(chosen: &Path, why: &str) -> String {
    format!("the chosen clang `{}` cannot be used: {why}", chosen.display())
}

pub(crate) fn clang_too_old(chosen: &Path, version: u32) -> String {
    format!(
        "the chosen clang `{}` is version {version}, older than {OLDEST_CLANG}; {INSTALL}",
        chosen.display()
    )
}

pub(crate) fn no_clang(rejected: &[String]) -> String {
    match rejected {
        [] => format!("no clang of version {OLDEST_CLANG} or newer was found; {INSTALL}"),
        rejected => {
            let found = rejected.join("; ");
            format!(
                "no clang of version {OLDEST_CLANG} or newer was found (found, but not usable: {found}); {INSTALL}"
            )
        }
    }
}

pub(crate) fn clang_of_version(path: &Path, version: u32) -> String {
    format!("`{}` is version {version}", path.display())
}

pub(crate) fn does_not_run(error: impl Display) -> String {
    format!("it does not run: {error}")
}

pub(crate) const NOT_CLANG: &str = "it does not answer `--version` as clang does";
pub(crate) const THREAD_FAILED: &str =
    "internal error: the thread that starts clang failed; please report this";

// Promises of this crate that do not hold.

pub(crate) const NO_KEY: &str = "internal error: a source file has no cache key; please report this";
pub(crate) const EMPTY_BUILD: &str = "internal error: the build command is empty; please report this";

// Why an input is no unit; said of its name.

pub(crate) const NOT_REGULAR: &str = "it is not a regular file";
pub(crate) const TOO_LONG: &str = "the file is too large";
pub(crate) const TEXT_NOT_UTF8: &str = "its text is not valid UTF-8";
pub(crate) const NAME_NOT_UTF8: &str = "the name is not valid UTF-8";
pub(crate) const ARGUMENT_NOT_UTF8: &str = "an argument of its command is not valid UTF-8";
pub(crate) const NO_ENTRY: &str = "the compilation database has no entry for it";
pub(crate) const NO_FILE: &str = "no such file";
pub(crate) const NO_FILE_OR_DIRECTORY: &str = "no such file or directory";
pub(crate) const IS_DIRECTORY: &str = "is a directory, not a source file";
pub(crate) const ZERO_BYTE: &str = "its command contains a NUL byte";
pub(crate) const EMPTY_FILE: &str = "the file is empty";
pub(crate) const IS_HEADER: &str = "is a header; name the sources that include it";
pub(crate) const IS_ASSEMBLY: &str = "is assembly, which is not analysed";
pub(crate) const OTHER_LANGUAGE: &str = "is in a language that is not analysed";
pub(crate) const NEITHER: &str =
    "is neither C (.c) nor LLVM bitcode (.bc, .ll); for C under another name add `-x c` after `--`";
pub(crate) const REMOVED_BY_BUILD: &str = "the build compiled this file and then removed it, so it cannot be compiled again; keep it \
     (with make: mark it as .SECONDARY)";
pub(crate) const CHANGED: &str = "a file it includes changed while it was being compiled; run again";
pub(crate) const WROTE_NOTHING: &str = "clang reported success and wrote nothing";
pub(crate) const FLAGS_REJECTED: &str = "clang rejects too many of the flags that this file is compiled with";
pub(crate) const NO_COMMAND: &str = "the entry has neither `command` nor `arguments`";
pub(crate) const EMPTY_COMMAND: &str = "the entry has an empty command";
pub(crate) const BACKSLASH: &str = "a backslash at the end escapes nothing";
pub(crate) const RESPONSES_TOO_LONG: &str = "the response files expand to too many arguments";

pub(crate) fn cannot_be_read(error: impl Display) -> String {
    format!("cannot be read: {error}")
}

pub(crate) fn directory_gone(directory: &Path) -> String {
    format!("the directory it was compiled in, `{}`, is gone", directory.display())
}

pub(crate) fn directory_not_read(error: impl Display) -> String {
    format!("the directory cannot be read: {error}")
}

pub(crate) fn damaged_command(why: impl Display) -> String {
    format!("the command in the compilation database is damaged: {why}")
}

pub(crate) fn open_quote(quote: char) -> String {
    format!("the quote {quote} is never closed")
}

pub(crate) fn response_in_itself(file: &str) -> String {
    format!("the response file `{file}` includes itself")
}

pub(crate) fn entry(index: usize, database: &str) -> String {
    format!("entry {index} of {database}")
}

pub(crate) fn clang_ended(status: impl Display) -> String {
    format!("clang ended with {status}")
}

pub(crate) fn ended_because(why: &str) -> String {
    format!("error: clang was stopped, because {why}")
}

pub(crate) const WAITED: &str = "it waited for input that did not arrive, for example from a FIFO";
pub(crate) const ENDLESS: &str = "it did not finish in time";

/// Instead of what clang says of a file that is no source: it quotes words of it.
pub(crate) const NOT_SHOWN: &str = "this is not a source file, so clang's messages about it are not shown";

pub(crate) fn does_not_compile(name: &str, message: &str) -> String {
    format!("{name} does not compile:\n{message}")
}

pub(crate) fn damaged_text(path: &Path) -> String {
    format!("the preprocessed text in the cache, `{}`, is damaged; run again", path.display())
}

pub(crate) fn records_lost(place: &Path) -> String {
    format!(
        "some of its commands could not be recorded in `{}`, most likely because no space is left on the disk; free some, or set TMPDIR \
         to another place",
        place.display()
    )
}

// Notes.

pub(crate) fn cache_not_used(directory: &Path, why: &str) -> String {
    format!("the cache `{}` is not used: {why}; nothing is kept for the next run", directory.display())
}

pub(crate) fn cache_not_written(directory: &Path, error: impl Display) -> String {
    format!(
        "the cache `{}` cannot be written ({error}); nothing is kept for the next run",
        directory.display()
    )
}

pub(crate) fn cache_pruned(removed: usize) -> String {
    format!("{removed} old units were removed from the cache to keep it small")
}

pub(crate) fn foreign_owner(path: &Path) -> String {
    format!("`{}` belongs to another user", path.display())
}

pub(crate) fn link_or_special(path: &Path) -> String {
    format!("`{}` is a symbolic link or not a regular file", path.display())
}

pub(crate) fn database_used(database: &str, directory: &str) -> String {
    format!("`{database}` is used for `{directory}`")
}

pub(crate) fn database_not_used(database: &str) -> String {
    format!("`{database}` is not used, because flags are given")
}

pub(crate) fn passed_over(count: usize, first: &str) -> String {
    match count {
        1 => format!(
            "1 C++ source is not checked, because only C files are looked for in directories; name it to check it: `{first}`"
        ),
        _ => format!(
            "{count} C++ sources are not checked, because only C files are looked for in directories; name them to check them: `{first}`, ..."
        ),
    }
}

pub(crate) fn newer_clang(version: u32, newest: u32, path: &Path) -> String {
    format!("clang {version} is newer than the newest that was tested, {newest}: `{}`", path.display())
}

pub(crate) fn build_failed(status: &str) -> String {
    format!("the build failed ({status}); what it did compile is analysed")
}

pub(crate) fn up_to_date(known: usize, all: usize) -> String {
    format!("{known} of {all} units were up to date and are known from an earlier run of this build")
}

pub(crate) fn damaged_records(count: usize) -> String {
    format!("{count} records of the build are damaged and left out")
}

pub(crate) fn only_shims(why: &str) -> String {
    format!(
        "the build is watched through shims on PATH only, because {why}; compilers called by full path are missed"
    )
}

pub(crate) fn blank_in_name(directory: &Path) -> String {
    format!("the temporary directory `{}` has a space or a colon in its name", directory.display())
}

pub(crate) fn not_written(path: &Path, error: impl Display) -> String {
    format!("`{}` cannot be written: {error}", path.display())
}

pub(crate) fn observer_not_written(error: impl Display) -> String {
    format!("the library that records the build cannot be written: {error}")
}

pub(crate) fn observer_not_compiled(why: &str) -> String {
    format!("the library that records the build does not compile ({why})")
}

pub(crate) fn no_shell(error: impl Display) -> String {
    format!("no shell can be started: {error}")
}

pub(crate) const OBSERVER_NOT_LOADED: &str =
    "the library that records the build cannot be preloaded into a shell (`LD_PRELOAD`)";
pub(crate) const UNRESTRICTED: &str = "clang runs without a sandbox, because this system has none: it can write to any file that you can write to";

pub(crate) fn flag_dropped(flag: &str) -> String {
    format!("{flag} is not passed on to clang")
}

// What was seen, line by line.

pub(crate) const NOTHING_CAPTURED: &str = "no C file was found to analyse";
pub(crate) const NOTHING_COMPILED: &str = "none of the files could be analysed";
pub(crate) const NO_C_FILES: &str = "no C file was found to analyse: there are none (.c) in what was named";
pub(crate) const CLEAN_FIRST: &str =
    "if everything was up to date already, let the build start over: `make clean` first, or `make -B`";
pub(crate) const NO_COMPILER: &str = "none of them was a compiler";

pub(crate) fn build_ended(status: &str) -> String {
    format!("the build ended with {status}")
}

pub(crate) fn processes_seen(count: usize) -> String {
    format!("processes seen in the build: {count}")
}

pub(crate) fn compilers(names: &[String]) -> String {
    format!("compilers seen in the build: {}", names.join(", "))
}

pub(crate) fn compile_commands(count: usize) -> String {
    match count {
        1 => "1 compile command".to_owned(),
        _ => format!("{count} compile commands"),
    }
}

pub(crate) fn skipped(count: usize, why: Skip) -> String {
    format!("skipped: {count} {}", why.describe())
}

/// The end of "12 ...".
pub(crate) fn skip(why: Skip) -> &'static str {
    match why {
        Skip::AssemblySource => "assembly sources",
        Skip::Header => "headers on their own",
        Skip::OtherLanguage => "sources in other languages",
        Skip::StandardInput => "sources from standard input or a device",
        Skip::LinkOnly => "commands that only link",
        Skip::PreprocessOnly => "commands that only preprocess",
        Skip::DependenciesOnly => "commands that only list dependencies",
        Skip::SyntaxOnly => "commands that only check the syntax",
        Skip::Query => "commands that ask the compiler about itself",
        Skip::Probe => "try-compiles of a configure step",
        Skip::Repeated => "repeated commands",
        Skip::Overwritten => "commands whose output a later command overwrites",
        Skip::SameContent => "commands that give the same content as another one (as with and without -fPIC)",
    }
}
