//! What a capture hands on: units of bitcode, and an honest account of everything that did not become one.
//!
//! Plain values. Units are in the order of the input (files as typed, entries as in the database, commands of
//! a build sorted by source), whatever the number of threads. A unit that failed, a file that was skipped and a
//! flag that was dropped are each counted somewhere below; nothing disappears silently.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustc_hash::FxHashSet;

use crate::cache::{Checksum, Scratch};
use crate::messages;

/// The language that clang is told to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// C source.
    C,
    /// C++ source.
    Cxx,
    /// C that went through the preprocessor already (`.i`).
    PreprocessedC,
    /// C++ that went through the preprocessor already (`.ii`).
    PreprocessedCxx,
    /// LLVM assembly (`.ll`).
    Assembly,
    /// LLVM bitcode (`.bc`), taken as it is.
    Bitcode,
}

impl Language {
    /// What follows `-x` on clang's command line.
    pub fn clang_name(self) -> &'static str {
        match self {
            Language::C => "c",
            Language::Cxx => "c++",
            Language::PreprocessedC => "cpp-output",
            Language::PreprocessedCxx => "c++-cpp-output",
            Language::Assembly | Language::Bitcode => "ir",
        }
    }
}

/// One translation unit as bitcode.
#[derive(Clone, Debug)]
pub struct Unit {
    /// The source as the user would write it: as typed, or relative to the working directory where possible.
    pub name: String,
    /// The source file, absolute.
    pub source: PathBuf,
    /// The directory the compiler ran in; relative paths in debug information start here.
    pub directory: PathBuf,
    /// What the source is written in.
    pub language: Language,
    /// The bitcode file. It stays valid as long as the [`Captured`] it came with.
    pub bitcode: PathBuf,
    /// The checksum of the bitcode.
    pub content: Checksum,
    /// The compiler flags that were kept, in order.
    pub flags: Vec<String>,
    /// The target named on the command line or by the compiler's name, if any.
    pub target: Option<String>,
    /// The bitcode was in the cache already.
    pub cached: bool,
    /// The preprocessed text, absent for bitcode and LLVM assembly given directly.
    pub(crate) text: Option<(PathBuf, Checksum)>,
}

impl Unit {
    /// The source after preprocessing, with line markers, as clang saw it; `None` for bitcode given directly.
    /// Bytes that are not UTF-8 are replaced. A file damaged since it was stored is an `InvalidData` error.
    pub fn preprocessed(&self) -> io::Result<Option<String>> {
        let Some((path, expected)) = &self.text else { return Ok(None) };
        let bytes = crate::plain::read(path)?;
        if Checksum::of(&bytes) != *expected {
            let message = messages::damaged_text(path);
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// The file that holds the preprocessed text.
    pub fn preprocessed_path(&self) -> Option<&Path> {
        self.text.as_ref().map(|(path, _)| path.as_path())
    }
}

/// Why one input did not become a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FailureKind {
    /// The named file does not exist.
    Missing,
    /// The build compiled it, but it is gone now.
    Gone,
    /// It exists but cannot be read, or is empty where it must not be.
    Unreadable,
    /// It is of no kind that can be compiled to bitcode.
    Unsupported,
    /// The command that compiles it cannot be understood.
    BadCommand,
    /// clang rejected it.
    Compile,
}

/// One input that did not become a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The source as the user would write it.
    pub name: String,
    /// What kind of failure.
    pub kind: FailureKind,
    /// What to tell the user; for [`FailureKind::Compile`] clang's own first error lines.
    pub message: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // clang's message names the place already.
        match self.kind {
            FailureKind::Compile => f.write_str(&messages::does_not_compile(&self.name, &self.message)),
            _ => write!(f, "{}: {}", self.name, self.message),
        }
    }
}

/// Something the user may want to know that is not a failure.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Note {
    /// What it is about, for grouping.
    pub kind: NoteKind,
    /// The text, lower case, without a final dot.
    pub text: String,
    /// How many units it concerns; 0 when it is not about units.
    pub count: usize,
}

/// What a note is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NoteKind {
    /// The build that was wrapped.
    Build,
    /// The compiler in use.
    Compiler,
    /// The cache.
    Cache,
    /// A flag that was dropped or replaced.
    Flag,
    /// Which inputs were looked at.
    Input,
    /// What keeps foreign sources from doing harm, where something of it is missing.
    Protection,
}

impl Note {
    pub(crate) fn new(kind: NoteKind, text: impl Into<String>) -> Note {
        Note { kind, text: text.into(), count: 0 }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count {
            0 => f.write_str(&self.text),
            1 => write!(f, "{} (1 unit)", self.text),
            count => write!(f, "{} ({count} units)", self.text),
        }
    }
}

/// Why a command or a file of it was not compiled, without this being a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Skip {
    /// Assembly source (`.s`, `.S`).
    AssemblySource,
    /// A header on its own, as when precompiled headers are built.
    Header,
    /// Fortran, Objective-C, Ada, ...
    OtherLanguage,
    /// The source came through standard input or a device.
    StandardInput,
    /// The command only links.
    LinkOnly,
    /// The command only preprocesses.
    PreprocessOnly,
    /// The command only lists dependencies.
    DependenciesOnly,
    /// The command only checks the syntax.
    SyntaxOnly,
    /// The command asks the compiler about itself.
    Query,
    /// A try-compile of a configure step.
    Probe,
    /// The same command was there already.
    Repeated,
    /// A later command compiles the same source to the same output.
    Overwritten,
    /// A different command that gives the same content, such as with and without `-fPIC`.
    SameContent,
}

impl Skip {
    /// How the skip is called in a message, as the end of "12 ...".
    pub fn describe(self) -> &'static str {
        messages::skip(self)
    }
}

/// What passed by during the capture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// How the wrapped build ended; `None` when there was no build.
    pub build: Option<BuildEnd>,
    /// Processes the wrapped build started, as far as they could be seen.
    pub processes: usize,
    /// Compile commands looked at.
    pub commands: usize,
    /// Compiler programs by name, with the number of times each ran.
    pub compilers: BTreeMap<String, usize>,
    /// What was left out, and why.
    pub skipped: BTreeMap<Skip, usize>,
    /// Commands remembered from an earlier run of the same build, which this time had nothing to do for them.
    pub remembered: usize,
}

/// How a wrapped build ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildEnd {
    /// Whether the exit status was zero.
    pub success: bool,
    /// The exit status in words, such as `exit status: 2`.
    pub status: String,
}

impl Seen {
    pub(crate) fn skip(&mut self, why: Skip) {
        *self.skipped.entry(why).or_default() += 1;
    }

    /// The account as lines of text.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(build) = &self.build {
            lines.push(messages::build_ended(&build.status));
            lines.push(messages::processes_seen(self.processes));
            if self.compilers.is_empty() {
                lines.push(messages::NO_COMPILER.to_owned());
            }
        }
        if !self.compilers.is_empty() {
            let names: Vec<String> =
                self.compilers.iter().map(|(name, count)| format!("{name} ({count})")).collect();
            lines.push(messages::compilers(&names));
        }
        lines.push(messages::compile_commands(self.commands));
        lines.extend(self.skipped.iter().map(|(&why, &count)| messages::skipped(count, why)));
        lines
    }
}

/// Counts and times of one capture.
#[derive(Clone, Debug, Default)]
pub struct Stats {
    /// Units handed on.
    pub units: usize,
    /// Units that clang compiled in this run.
    pub compiled: usize,
    /// Units whose bitcode was in the cache.
    pub cached: usize,
    /// Units that were given as bitcode.
    pub given: usize,
    /// Inputs that failed.
    pub failed: usize,
    /// Units that had to be preprocessed, because a file they read may have changed.
    pub preprocessed: usize,
    /// Units that were compiled in parts, because they are large.
    pub divided: usize,
    /// Bytes of bitcode handed on.
    pub bitcode_bytes: u64,
    /// Wall time of the wrapped build.
    pub build_time: Duration,
    /// Wall time of finding and understanding the commands.
    pub gather_time: Duration,
    /// Wall time of checking what changed and of preprocessing.
    pub preprocess_time: Duration,
    /// Wall time of compiling.
    pub compile_time: Duration,
    /// Processor time of all clang processes, where the system tells.
    pub clang_cpu: Option<Duration>,
}

/// The result of a capture.
#[derive(Debug)]
pub struct Captured {
    /// The units, in input order.
    pub units: Vec<Unit>,
    /// The inputs that did not become units: first those that were not even tried, then those that clang rejected,
    /// each in input order.
    pub failures: Vec<Failure>,
    /// What else the user may want to know.
    pub notes: Vec<Note>,
    /// What passed by.
    pub seen: Seen,
    /// Counts and times.
    pub stats: Stats,
    /// The files that clang read for the units: sources and headers, as paths that may go up and down.
    pub read: FxHashSet<PathBuf>,
    /// Keeps a temporary cache alive as long as the paths in `units` are in use.
    pub(crate) scratch: Option<Scratch>,
}

impl Captured {
    /// Whether the bitcode lives in a temporary directory that disappears with this value.
    pub fn is_temporary(&self) -> bool {
        self.scratch.is_some()
    }
}
