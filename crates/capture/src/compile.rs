//! Running clang: from a job to stored bitcode.
//!
//! Two steps, so that the same content is compiled once:
//!
//! 1. [`Workshop::prepare`] finds the content key of a job: from its manifest when nothing it reads has changed,
//!    otherwise by preprocessing. The key covers clang's version, the directory, the flags that change code, the
//!    source as it is (columns) and as it is after preprocessing (everything else).
//! 2. [`Workshop::compile`] compiles what the cache does not hold.
//!
//! A large source is compiled in two parts side by side (`divide.rs`); its bitcode is a file of two modules.
//!
//! Flags that clang rejects are dropped, or replaced when it knows them under another name, and the command is tried
//! again; what was learned is shared between jobs of the same target. The result does not depend on who learns first.
//!
//! clang runs in a room of its own (`sandbox.rs`): a folder in which it writes, and nothing else.
//!
//! Both steps read the source, not the preprocessed text: columns and macro places in debug information stay true.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;

use rustc_hash::FxHashSet;

use crate::cache::{Cache, Checksum, Key, KeyBuilder, Stored};
use crate::captured::{Failure, FailureKind, Language};
use crate::compiler::Clang;
use crate::complaint;
use crate::divide;
use crate::error::Error;
use crate::flag_table::STANDARDS;
use crate::flags::{Flag, include_directories};
use crate::gcc_only;
use crate::manifest::{self, FileStates, Reads};
use crate::messages;
use crate::plan::Job;
use crate::request::Keep;
use crate::sandbox::Sandbox;
use crate::shell_words::join_response;

/// For both steps. Warnings are not ours, not even those that clang treats as errors and gcc does not.
/// The date is fixed so that the same source gives the same text.
const COMMON: &[&str] = &[
    "-Wno-everything",
    "-fno-color-diagnostics",
    // A message says where and what, and does not quote the text of whatever file that is.
    "-fno-caret-diagnostics",
    "-fno-crash-diagnostics",
    "-ferror-limit=5",
    "-U_FORTIFY_SOURCE",
    "-D__DATE__=\"Jan  1 1970\"",
    "-D__TIME__=\"00:00:00\"",
    "-D__TIMESTAMP__=\"Thu Jan  1 00:00:00 1970\"",
];

/// Nothing that a pragma in the source turns on again is of interest.
const SILENT: &str = "-w";

/// Has clang name the static functions of a source that nobody calls, and leaves out for the moment. Those of headers it
/// does not name.
const NAME_UNUSED: &str = "-Wunused-function";

/// Keeps all functions, also those of headers that nobody calls: half as long again on sources with many of them, so it
/// is asked for only where it gives something.
const KEEP_ALL: &str = "-femit-all-decls";

/// For compiling: no optimisation, but without the mark that forbids it to others.
const COMPILE: &[&str] = &[
    "-O0",
    "-g",
    "-Xclang",
    "-disable-O0-optnone",
    // What is read is checked anyway, by us.
    "-Xclang",
    "-disable-llvm-verifier",
    "-emit-llvm",
    "-c",
];
/// For one part of a source: what is static may be asked for by the other part only. It must be there even if nobody in
/// this part does, and even if all calls in this part were replaced by its body.
const PART: &[&str] = &[KEEP_ALL, "-Xclang", "-disable-llvm-passes"];
/// For LLVM assembly, which is to become bitcode as it stands.
const ASSEMBLE: &[&str] = &["-O0", "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c"];

/// The first bytes of bitcode.
const BITCODE_MAGIC: &[u8] = b"BC\xc0\xde";

/// The first clang that can be told to leave configuration files alone. Older ones read them only under a name with a
/// target in front.
const KNOWS_NO_DEFAULT_CONFIG: u32 = 16;

/// How often a command is tried again with fewer flags.
const MAX_RETRIES: usize = 12;
/// Arguments longer than this go through a response file, as the system limits a command line.
const MAX_COMMAND_LINE: usize = 100_000;

/// What all jobs of one run share.
pub(crate) struct Workshop<'a> {
    clang: &'a Clang,
    cache: &'a Cache,
    states: FileStates,
    /// Per language and target: flags that clang rejects, with what to say instead.
    learned: Mutex<BTreeMap<String, BTreeMap<String, Option<String>>>>,
    preprocessed: AtomicUsize,
    divided: AtomicUsize,
    keep: Keep,
    sandbox: Sandbox,
    /// The files that clang read for units that it compiled, now or in an earlier run.
    read: Mutex<FxHashSet<PathBuf>>,
    /// Sources that several jobs compile.
    shared: BTreeSet<&'a Path>,
    /// There are threads for which there is no job.
    idle: bool,
}

/// A job whose content is known.
#[derive(Debug)]
pub(crate) struct Prepared {
    /// Absent for bitcode, which is taken where it lies.
    pub(crate) key: Option<Key>,
    /// Present when the bitcode is there.
    pub(crate) stored: Option<Stored>,
    /// Flags that were dropped or replaced, as a note tells them.
    pub(crate) rejected: Vec<String>,
    /// The flags that are left.
    pub(crate) flags: Vec<Flag>,
    text: Option<(Checksum, u64)>,
    manifest: Option<(Key, Reads)>,
    /// How the files looked that were preprocessed; they must look the same when they have been compiled.
    looked: Vec<Look>,
    /// What came of compiling it while its content key was looked for.
    early: Option<Result<Translated, Failure>>,
}

/// Bitcode that is not stored yet.
#[derive(Debug)]
struct Translated {
    output: tempfile::TempPath,
    rejected: Vec<String>,
    flags: Vec<Flag>,
    /// Static functions of the source are not in it because nobody calls them.
    leaves_out: bool,
}

impl Prepared {
    /// Whether a file that was preprocessed has changed since.
    fn is_outdated(&self) -> bool {
        self.manifest.as_ref().is_some_and(|(_, reads)| look(&reads.files) != self.looked)
    }
}

/// Size and time of a file.
type Look = Option<(u64, SystemTime)>;

/// A unit that is stored, or why there is none.
pub(crate) type Outcome<T> = Result<Result<T, Failure>, Error>;

impl<'a> Workshop<'a> {
    pub(crate) fn new(
        clang: &'a Clang,
        cache: &'a Cache,
        keep: Keep,
        jobs: &'a [Job],
        threads: usize,
    ) -> Workshop<'a> {
        let mut seen = BTreeSet::new();
        let sources = jobs.iter().map(|job| job.source.as_path());
        Workshop {
            keep,
            sandbox: Sandbox::new(&clang.path),
            read: Mutex::default(),
            shared: sources.filter(|source| !seen.insert(*source)).collect(),
            clang,
            cache,
            states: FileStates::default(),
            learned: Mutex::new(BTreeMap::new()),
            preprocessed: AtomicUsize::new(0),
            divided: AtomicUsize::new(0),
            idle: 2 * jobs.len() <= threads,
        }
    }

    /// How many jobs had to be preprocessed.
    pub(crate) fn preprocessed(&self) -> usize {
        self.preprocessed.load(Ordering::Relaxed)
    }

    /// Whether clang ran without the restrictions of the kernel.
    pub(crate) fn is_open(&self) -> bool {
        self.sandbox.is_open()
    }

    /// The files that clang read for the units, sources and headers.
    pub(crate) fn into_read(self) -> FxHashSet<PathBuf> {
        self.read.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn remember_reads(&self, prepared: &Prepared) {
        if let Some((_, reads)) = &prepared.manifest {
            self.remember_read(&reads.files);
        }
    }

    fn remember_read(&self, files: &[PathBuf]) {
        let mut read = self.read.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        for file in files {
            // Most headers are known from another unit.
            if !read.contains(file) {
                read.insert(file.clone());
            }
        }
    }

    /// How many jobs were compiled in parts.
    pub(crate) fn divided(&self) -> usize {
        self.divided.load(Ordering::Relaxed)
    }

    /// Finds the content key of a job, and its bitcode if that is stored already.
    pub(crate) fn prepare(&self, job: &Job) -> Outcome<Prepared> {
        match job.language {
            Language::Bitcode => Ok(self.given_bitcode(job)),
            Language::Assembly => Ok(self.given_assembly(job)),
            Language::C | Language::Cxx | Language::PreprocessedC | Language::PreprocessedCxx => {
                self.source(job)
            }
        }
    }

    fn given_bitcode(&self, job: &Job) -> Result<Prepared, Failure> {
        let bytes = read_input(job)?;
        let stored = Stored {
            bitcode: job.source.clone(),
            bitcode_checksum: Checksum::of(&bytes),
            bitcode_bytes: bytes.len() as u64,
            text: None,
            rejected: Vec::new(),
        };
        Ok(Prepared {
            key: None,
            stored: Some(stored),
            rejected: vec![],
            flags: vec![],
            text: None,
            manifest: None,
            looked: vec![],
            early: None,
        })
    }

    fn given_assembly(&self, job: &Job) -> Result<Prepared, Failure> {
        let bytes = read_input(job)?;
        let key = KeyBuilder::new("assembly").field(self.clang.version.as_bytes()).field(&bytes).finish();
        let stored = self.cache.find(key);
        Ok(Prepared {
            key: Some(key),
            stored,
            rejected: vec![],
            flags: vec![],
            text: None,
            manifest: None,
            looked: vec![],
            early: None,
        })
    }

    /// Whether a unit of a source is kept, and nothing that it read has changed.
    pub(crate) fn keeps(&self, job: &Job) -> bool {
        self.kept(self.manifest_key(job)).is_some()
    }

    fn kept(&self, manifest: Key) -> Option<(manifest::Unchanged, Stored)> {
        let unchanged = manifest::check(&self.cache.read_manifest(manifest)?, &self.states)?;
        let stored = self.stored(unchanged.unit)?;
        Some((unchanged, stored))
    }

    fn source(&self, job: &Job) -> Outcome<Prepared> {
        let manifest_key = self.manifest_key(job);
        if self.keep == Keep::Nothing && !self.shared.contains(job.source.as_path()) {
            return Ok(self.unread(job, manifest_key));
        }
        if let Some((unchanged, stored)) = self.kept(manifest_key) {
            let mut flags = job.flags.clone();
            let rules = rules_from(&unchanged.rejected);
            while apply(&rules, &mut flags, &mut Vec::new()) {}
            let rejected = unchanged.rejected;
            self.remember_read(&unchanged.files);
            return Ok(Ok(Prepared {
                key: Some(unchanged.unit),
                stored: Some(stored),
                rejected,
                flags,
                text: None,
                manifest: None,
                looked: Vec::new(),
                early: None,
            }));
        }
        if let Some(failure) = gone(job) {
            return Ok(Err(failure));
        }
        let since = SystemTime::now();
        let mut flags = job.flags.clone();
        let mut rejected = Vec::new();
        let mut early = None;
        let (text, files) = match job.language {
            Language::PreprocessedC | Language::PreprocessedCxx => match read_input(job) {
                Ok(bytes) => (bytes, vec![job.source.clone()]),
                Err(failure) => return Ok(Err(failure)),
            },
            _ => {
                // Most often it is to be compiled, too. Where nobody else has work to do, that need not wait.
                let own_flags = flags.clone();
                let (read, translated) = rayon::join(
                    || self.preprocess(job, &mut flags, &mut rejected),
                    || self.idle.then(|| self.translate(job, own_flags)).transpose(),
                );
                early = translated?;
                match read? {
                    Ok(read) => read,
                    Err(failure) => return Ok(Err(failure)),
                }
            }
        };
        let key = self.unit_key(job, &flags, &text);
        let stored = self.stored(key);
        let mut looked = Vec::new();
        let mut kept = None;
        if stored.is_none() {
            if self.keep == Keep::Texts {
                self.cache.store_text(key, &text)?;
                kept = Some((Checksum::of(&text), text.len() as u64));
            }
            looked = look(&files);
            // What was written since may have been read before or after.
            let is_older = |look: &Look| look.is_some_and(|(_, changed)| changed < since);
            early = early.filter(|_| looked.iter().all(is_older));
        }
        let reads = Reads { folders: searched_folders(job, &files), files, since };
        let prepared = Prepared {
            key: Some(key),
            stored,
            rejected,
            flags,
            text: kept,
            manifest: Some((manifest_key, reads)),
            looked,
            early,
        };
        if prepared.stored.is_some() {
            self.write_manifest(&prepared)?;
            self.remember_reads(&prepared);
        }
        Ok(Ok(prepared))
    }

    /// A unit compiled from a source, with its text if texts are kept.
    fn stored(&self, key: Key) -> Option<Stored> {
        self.cache.find(key).filter(|stored| self.keep != Keep::Texts || stored.text.is_some())
    }

    /// A job that no other job and no later run will ask about: its command identifies it.
    fn unread(&self, job: &Job, key: Key) -> Result<Prepared, Failure> {
        if let Some(failure) = gone(job) {
            return Err(failure);
        }
        Ok(Prepared {
            key: Some(key),
            stored: None,
            rejected: Vec::new(),
            flags: job.flags.clone(),
            text: None,
            manifest: None,
            looked: Vec::new(),
            early: None,
        })
    }

    /// Compiles a job that is not stored yet.
    pub(crate) fn compile(&self, job: &Job, prepared: &mut Prepared) -> Outcome<Stored> {
        let key = prepared.key.ok_or_else(|| Error::Internal(messages::NO_KEY.to_owned()))?;
        let translated = match prepared.early.take() {
            Some(translated) => translated,
            None => self.translate(job, prepared.flags.clone())?,
        };
        match translated {
            Ok(Translated { output, rejected, flags, .. }) => {
                prepared.flags = flags;
                if prepared.is_outdated() {
                    let message = messages::CHANGED.to_owned();
                    return Ok(Err(Failure {
                        name: job.name.clone(),
                        kind: FailureKind::Unreadable,
                        message,
                    }));
                }
                let stored = self.cache.store(key, output, prepared.text, rejected)?;
                self.write_manifest(prepared)?;
                self.remember_reads(prepared);
                Ok(Ok(stored))
            }
            Err(failure) => Ok(Err(failure)),
        }
    }

    /// Compiles a source, a large one in parts.
    fn translate(&self, job: &Job, flags: Vec<Flag>) -> Outcome<Translated> {
        // How it is divided depends on the text alone, not on who has time for it, so the result does not either.
        if let Some(parts) = read_parts(job)
            && let Some(translated) = self.translate_parts(job, &flags, &parts)?
        {
            self.divided.fetch_add(1, Ordering::Relaxed);
            return Ok(Ok(translated));
        }
        let with = |flags: Vec<Flag>, mode: &[&str], more: &[&str]| {
            self.translate_with(job, flags, &|arguments| {
                arguments.extend(mode.iter().chain(more).map(|flag| (*flag).to_owned()))
            })
        };
        match job.language {
            Language::Assembly => return with(flags, ASSEMBLE, &[SILENT]),
            Language::C => {}
            // What nobody calls in C++ is whatever templates give; in preprocessed text headers are not told from the source.
            _ => return with(flags, COMPILE, &[SILENT]),
        }
        // A static function that nobody calls is analysed too.
        match with(flags.clone(), COMPILE, &[NAME_UNUSED])? {
            Ok(translated) if !translated.leaves_out => Ok(Ok(translated)),
            // Without silence a source may make errors of warnings.
            _ => with(flags, COMPILE, &[SILENT, KEEP_ALL]),
        }
    }

    /// Compiles the parts of a source side by side to one file of two modules. `None` if they cannot be compiled
    /// apart.
    fn translate_parts(
        &self,
        job: &Job,
        flags: &[Flag],
        [one, other]: &[Vec<u8>; 2],
    ) -> Result<Option<Translated>, Error> {
        let (one, other) =
            rayon::join(|| self.translate_part(job, flags, one), || self.translate_part(job, flags, other));
        let (Ok(first), Ok(second)) = (one?, other?) else { return Ok(None) };
        let read = |path: &Path| crate::plain::read(path).map_err(|error| Error::file("read", path, &error));
        let (mut whole, more) = (read(&first.output)?, read(&second.output)?);
        // A file for some machines begins with a header of its own, and so cannot go on with another module.
        let Some(more) = more.strip_prefix(BITCODE_MAGIC).filter(|_| whole.starts_with(BITCODE_MAGIC)) else {
            return Ok(None);
        };
        whole.extend_from_slice(more);
        std::fs::write(&first.output, whole).map_err(|error| Error::file("write", &first.output, &error))?;
        Ok(Some(first))
    }

    fn translate_part(&self, job: &Job, flags: &[Flag], text: &[u8]) -> Outcome<Translated> {
        let file = self.cache.temporary(".c")?;
        std::fs::write(&file, text).map_err(|error| Error::file("write", &file, &error))?;
        let instead = format!("{};{}", as_operand(&job.spelling), file.display());
        self.translate_with(job, flags.to_vec(), &|arguments| {
            arguments.extend(COMPILE.iter().map(|flag| (*flag).to_owned()));
            arguments.extend(PART.iter().chain(&[SILENT]).map(|flag| (*flag).to_owned()));
            arguments.extend([
                "-Xclang".to_owned(),
                "-remap-file".to_owned(),
                "-Xclang".to_owned(),
                instead.clone(),
            ]);
        })
    }

    /// Runs clang.
    fn translate_with(
        &self,
        job: &Job,
        mut flags: Vec<Flag>,
        mode: &dyn Fn(&mut Vec<String>),
    ) -> Outcome<Translated> {
        let room = self.cache.room()?;
        let (written, dependencies) = (room.path().join("unit.bc"), room.path().join("unit.d"));
        // Where nothing is kept nobody has asked what the unit reads.
        let ask = self.keep == Keep::Nothing && job.language != Language::Assembly;
        let mut rejected = Vec::new();
        let ran = self.run_tolerantly(job, &mut flags, &mut rejected, room.path(), &|arguments| {
            mode(arguments);
            if ask {
                list_dependencies(arguments, &dependencies);
            }
            arguments.extend(["-o".to_owned(), written.to_string_lossy().into_owned()]);
        })?;
        let remarks = match ran {
            Ok(output) => output.stderr,
            Err(failure) => return Ok(Err(failure)),
        };
        let leaves_out = String::from_utf8_lossy(&remarks).contains(NAME_UNUSED);
        if ask {
            self.remember_read(&read_dependencies(job, &dependencies)?);
        }
        if !written.is_file() {
            let message = messages::WROTE_NOTHING.to_owned();
            return Ok(Err(Failure { name: job.name.clone(), kind: FailureKind::Compile, message }));
        }
        let output = self.cache.temporary(".bc")?;
        std::fs::rename(&written, &output).map_err(|error| Error::file("write", &output, &error))?;
        Ok(Ok(Translated { output, rejected, flags, leaves_out }))
    }

    /// Keeps what was learned about a job whose content another job of this run has too and brings to its end. Its
    /// command differs, so without a manifest of its own it would be preprocessed in every run.
    pub(crate) fn repeat(&self, prepared: &Prepared) -> Result<(), Error> {
        // What was stored before has its manifest already.
        if prepared.stored.is_none() && !prepared.is_outdated() {
            self.write_manifest(prepared)?;
        }
        Ok(())
    }

    fn write_manifest(&self, prepared: &Prepared) -> Result<(), Error> {
        if let (Some(unit), Some((key, reads))) = (prepared.key, &prepared.manifest)
            && let Some(bytes) = manifest::write(unit, &prepared.rejected, reads, &self.states)
        {
            self.cache.write_manifest(*key, &bytes)?;
        }
        Ok(())
    }

    /// The text after preprocessing, and the files that went into it.
    fn preprocess(
        &self,
        job: &Job,
        flags: &mut Vec<Flag>,
        rejected: &mut Vec<String>,
    ) -> Outcome<(Vec<u8>, Vec<PathBuf>)> {
        self.preprocessed.fetch_add(1, Ordering::Relaxed);
        let room = self.cache.room()?;
        let dependencies = room.path().join("unit.d");
        let ran = self.run_tolerantly(job, flags, rejected, room.path(), &|arguments| {
            arguments.extend(["-E".to_owned(), SILENT.to_owned()]);
            list_dependencies(arguments, &dependencies);
            arguments.extend(["-o".to_owned(), "-".to_owned()]);
        })?;
        let text = match ran {
            Ok(output) => output.stdout,
            Err(failure) => return Ok(Err(failure)),
        };
        Ok(Ok((text, read_dependencies(job, &dependencies)?)))
    }

    /// Identifies the command.
    fn manifest_key(&self, job: &Job) -> Key {
        // Part of a key, not a sentence.
        let mut key = KeyBuilder::new("command, all functions");
        key.field(self.clang.version.as_bytes()).path(&job.directory).field(job.spelling.as_bytes());
        key.field(job.language.clang_name().as_bytes());
        for argument in job.flags.iter().flat_map(Flag::arguments) {
            key.field(argument.as_bytes());
        }
        key.field(b"environment");
        for (name, value) in &job.environment {
            key.field(name.as_bytes()).field(value.as_bytes());
        }
        key.finish()
    }

    /// Identifies the content.
    fn unit_key(&self, job: &Job, flags: &[Flag], text: &[u8]) -> Key {
        // Part of a key, not a sentence.
        let mut key = KeyBuilder::new("unit, all functions");
        key.field(self.clang.version.as_bytes()).path(&job.directory);
        key.field(job.language.clang_name().as_bytes());
        for argument in flags.iter().filter(|flag| flag.code).flat_map(Flag::arguments) {
            key.field(argument.as_bytes());
        }
        // The raw source, because a blank more or less in a line moves columns and leaves the text alone.
        let raw = self.states.checksum(&job.source).map(|checksum| checksum.to_hex()).unwrap_or_default();
        key.field(raw.as_bytes());
        // clang counts its built-in macros at the top of the text, and -fPIC adds some that nobody may ask for.
        let (prologue, rest) = split_prologue(text);
        for line in prologue {
            key.field(line);
        }
        key.field(rest);
        key.finish()
    }

    /// Runs clang, with fewer flags when it does not know some. Gives standard output.
    fn run_tolerantly(
        &self,
        job: &Job,
        flags: &mut Vec<Flag>,
        rejected: &mut Vec<String>,
        room: &Path,
        mode: &dyn Fn(&mut Vec<String>),
    ) -> Outcome<Output> {
        let context = context_of(job);
        let lock = || self.learned.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut remedy: &[&str] = &[];
        for _ in 0..=MAX_RETRIES {
            if let Some(rules) = lock().get(&context) {
                // A replacement may itself be known to be rejected.
                while apply(rules, flags, rejected) {}
            }
            let mut arguments: Vec<String> = Vec::new();
            // Settings of a machine or of a user are not part of the command.
            if self.clang.major >= KNOWS_NO_DEFAULT_CONFIG {
                arguments.push("--no-default-config".to_owned());
            }
            if job.language != Language::Assembly {
                arguments.extend(flags.iter().flat_map(Flag::for_clang).map(str::to_owned));
            }
            arguments.extend(COMMON.iter().chain(remedy).map(|flag| (*flag).to_owned()));
            mode(&mut arguments);
            arguments.extend(["-x".to_owned(), job.language.clang_name().to_owned()]);
            // clang runs elsewhere, but names mean what they mean where the command ran.
            arguments.push(format!("-working-directory={}", job.directory.display()));
            arguments.push(as_operand(&job.spelling));
            let output = self.run(job, arguments, room)?;
            let message = String::from_utf8_lossy(&output.stderr);
            if output.status.success() {
                return Ok(Ok(output));
            }
            // What clang says, not a sentence of ours.
            if message.contains("No space left on device") || message.contains("Disk quota exceeded") {
                return Err(Error::Environment(messages::disk_full_compiling(&job.name)));
            }
            let rules = rejections(&message, flags);
            if remedy.is_empty()
                && let Some(found) = gcc_only::remedy(&message)
            {
                remedy = found;
                continue;
            }
            if rules.is_empty() {
                let message = complaint::shown(&message, &output.status, job);
                return Ok(Err(Failure { name: job.name.clone(), kind: FailureKind::Compile, message }));
            }
            lock().entry(context.clone()).or_default().extend(rules);
        }
        let message = messages::FLAGS_REJECTED.to_owned();
        Ok(Err(Failure { name: job.name.clone(), kind: FailureKind::Compile, message }))
    }

    fn run(&self, job: &Job, arguments: Vec<String>, room: &Path) -> Result<Output, Error> {
        let mut command = Command::new(&self.clang.path);
        let length: usize = arguments.iter().map(|argument| argument.len() + 1).sum();
        let mut response = None;
        if length > MAX_COMMAND_LINE {
            let file = self.cache.temporary(".rsp")?;
            std::fs::write(&file, join_response(&arguments))
                .map_err(|error| Error::file("write", &file, &error))?;
            command.arg(format!("@{}", file.display()));
            response = Some(file);
        } else {
            command.args(arguments);
        }
        let output = self
            .sandbox
            .run(&mut command, room, &job.environment)
            .map_err(|error| Error::Environment(messages::cannot_run(&self.clang.path, &job.name, error)));
        drop(response);
        output
    }
}

/// Asks for the list of files that are read.
fn list_dependencies(arguments: &mut Vec<String>, file: &Path) {
    arguments.extend(["-MD", "-MT", "x", "-MF"].map(String::from));
    arguments.push(file.to_string_lossy().into_owned());
}

fn read_dependencies(job: &Job, file: &Path) -> Result<Vec<PathBuf>, Error> {
    let list = match crate::plain::read(file) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        read => read.map_err(|error| Error::file("read", file, &error))?,
    };
    let files = manifest::parse_dependencies(&String::from_utf8_lossy(&list));
    Ok(files.into_iter().map(|file| job.directory.join(file)).collect())
}

/// Rules that repeat what a manifest says was rejected. What it says instead is not believed: the file may come with a
/// project, and the flag would reach clang.
fn rules_from(rejected: &[String]) -> BTreeMap<String, Option<String>> {
    rejected
        .iter()
        .map(|text| match text.split_once(READ_AS) {
            Some((flag, _)) => (flag.to_owned(), replacement(flag)),
            None => (text.clone(), None),
        })
        .collect()
}

/// Joins a flag and what it was replaced by.
const READ_AS: &str = " read as ";

/// Splits preprocessed text into the first lines without those about built-in macros, and the rest.
fn split_prologue(text: &[u8]) -> (Vec<&[u8]>, &[u8]) {
    const LINES: usize = 16;
    let names = [&b"\"<built-in>\""[..], b"\"<command line>\""];
    let mut lines = Vec::new();
    let mut rest = text;
    for _ in 0..LINES {
        let Some(end) = rest.iter().position(|byte| *byte == b'\n') else { break };
        let (line, after) = rest.split_at(end + 1);
        let internal = line.starts_with(b"# ")
            && names.iter().any(|name| line.windows(name.len()).any(|window| window == *name));
        if !internal {
            lines.push(line);
        }
        rest = after;
    }
    (lines, rest)
}

/// What decides whether clang knows a flag, besides the flag.
fn context_of(job: &Job) -> String {
    let machine = job.flags.iter().filter(|flag| {
        let text = flag.text.as_str();
        text.starts_with("--target=") || matches!(text, "-target" | "-arch" | "-m32" | "-m64" | "-mx32")
    });
    let mut context = job.language.clang_name().to_owned();
    for argument in machine.flat_map(Flag::arguments) {
        context.push(' ');
        context.push_str(argument);
    }
    context
}

/// A file name that cannot be taken for a flag.
fn as_operand(path: &str) -> String {
    if path.starts_with('-') || path.starts_with('@') { format!("./{path}") } else { path.to_owned() }
}

/// What is wrong if the source or its directory is not there any more.
fn gone(job: &Job) -> Option<Failure> {
    let fail = |kind, message| Some(Failure { name: job.name.clone(), kind, message });
    if !job.directory.is_dir() {
        let message = messages::directory_gone(&job.directory);
        return fail(FailureKind::Gone, message);
    }
    let error = crate::plain::check(&job.source).and_then(|()| std::fs::File::open(&job.source)).err()?;
    fail(FailureKind::Unreadable, messages::cannot_be_read(error))
}

fn read_input(job: &Job) -> Result<Vec<u8>, Failure> {
    let fail = |message: String| Failure { name: job.name.clone(), kind: FailureKind::Unreadable, message };
    match crate::plain::read(&job.source) {
        Ok(bytes) if bytes.is_empty() => Err(fail(messages::EMPTY_FILE.to_owned())),
        Ok(bytes) => Ok(bytes),
        Err(error) => Err(fail(messages::cannot_be_read(error))),
    }
}

/// The parts in which a source is to be compiled, if it is to be divided at all.
fn read_parts(job: &Job) -> Option<[Vec<u8>; 2]> {
    // The command that gives clang another text in place of the source separates the names with a semicolon.
    if job.language != Language::C || job.spelling.contains(';') {
        return None;
    }
    let length = job.source.metadata().ok()?.len();
    (length >= divide::WORTHWHILE as u64)
        .then(|| crate::plain::read(&job.source).ok())?
        .and_then(|text| divide::divide(&text))
}

fn look(files: &[PathBuf]) -> Vec<Look> {
    let look = |file: &PathBuf| {
        let data = file.metadata().ok()?;
        Some((data.len(), data.modified().ok()?))
    };
    files.iter().map(look).collect()
}

/// The folders in which a header could newly appear and change the result.
fn searched_folders(job: &Job, files: &[PathBuf]) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> =
        include_directories(&job.flags).into_iter().map(|folder| job.directory.join(folder)).collect();
    for (_, value) in &job.environment {
        folders.extend(value.split(':').map(|folder| job.directory.join(folder)));
    }
    folders.extend(files.iter().filter_map(|file| file.parent()).map(Path::to_path_buf));
    folders.sort();
    folders.dedup();
    folders
}

/// Drops and replaces flags by the rules; true when something was replaced and the rules should be tried again.
fn apply(
    rules: &BTreeMap<String, Option<String>>,
    flags: &mut Vec<Flag>,
    rejected: &mut Vec<String>,
) -> bool {
    let mut replaced = false;
    flags.retain_mut(|flag| match rules.get(&flag.display()) {
        None => true,
        Some(None) => {
            rejected.push(flag.display());
            false
        }
        Some(Some(instead)) => {
            rejected.push(format!("{}{READ_AS}{instead}", flag.display()));
            *flag = Flag { text: instead.clone(), value: None, code: flag.code };
            replaced = true;
            true
        }
    });
    replaced
}

/// Which of the flags clang's message rejects, with what to say instead.
///
/// Only messages about the command line count: those without a place in a file. They quote the flag, its name with an
/// equals sign, or only its value.
fn rejections(message: &str, flags: &[Flag]) -> BTreeMap<String, Option<String>> {
    let mut rules = BTreeMap::new();
    for line in message.lines() {
        let Some((before, text)) = line.split_once("error: ") else { continue };
        // `clang: `, `clang-14: ` or nothing; `a.c:3:4: ` is about the source.
        if before.trim_end_matches(": ").contains(':') {
            continue;
        }
        let quoted: Vec<&str> = text.split('\'').skip(1).step_by(2).collect();
        // What follows "did you mean", which clang says, is a proposal, not the culprit; not a sentence of ours.
        let culprits = text.split("; did you mean").next().unwrap_or(text);
        let options: Vec<&str> = culprits
            .split(|c: char| c.is_whitespace() || c == '\'')
            .map(|word| word.trim_end_matches([',', ';', ':']))
            .filter(|word| word.starts_with('-') && word.len() > 1)
            .collect();
        for flag in flags {
            let name = |text: &str| text.split('=').next().unwrap_or_default().to_owned();
            let named = options.iter().any(|option| {
                *option == flag.text
                    || (option.ends_with('=') && flag.text.starts_with(option))
                    || (flag.text.contains('=') && name(option) == name(&flag.text))
            });
            let by_value = flag.text.starts_with("-m")
                && flag.text.split_once('=').is_some_and(|(_, value)| quoted.contains(&value));
            if named || by_value {
                rules.insert(flag.display(), replacement(&flag.text));
            }
        }
    }
    rules
}

/// A standard under the name that older compilers have for it.
fn replacement(flag: &str) -> Option<String> {
    let standard = flag.strip_prefix("-std=").or_else(|| flag.strip_prefix("--std="))?;
    STANDARDS.iter().find(|(name, _)| *name == standard).map(|(_, older)| format!("-std={older}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rejected(message: &str, flags: &[&str]) -> Vec<String> {
        let flags: Vec<Flag> =
            flags.iter().map(|text| Flag { text: (*text).to_owned(), value: None, code: true }).collect();
        rejections(message, &flags)
            .into_iter()
            .map(|(flag, instead)| match instead {
                Some(instead) => format!("{flag}->{instead}"),
                None => flag,
            })
            .collect()
    }

    #[test]
    fn messages_name_the_flag() {
        let flags = [
            "-fconserve-stack",
            "-march=foo",
            "-std=gnu23",
            "-mcmodel=foo",
            "-mabi=zz",
            "-fvisibility=zz",
            "-fpack-struct=x",
            "-DX=foo",
        ];
        for (message, expected) in [
            ("clang: error: unknown argument: '-fconserve-stack'", vec!["-fconserve-stack"]),
            ("clang-14: error: unknown argument: '-fconserve-stack'", vec!["-fconserve-stack"]),
            (
                "clang: error: unknown argument '-fconserve-stack'; did you mean '-mabi=zz'?",
                vec!["-fconserve-stack"],
            ),
            ("error: unknown target CPU 'foo'\nnote: valid", vec!["-march=foo", "-mcmodel=foo"]),
            ("error: invalid value 'gnu23' in '-std=gnu23'\nnote: use 'c89'", vec!["-std=gnu23->-std=gnu2x"]),
            ("clang: error: invalid argument 'foo' to -mcmodel=", vec!["-march=foo", "-mcmodel=foo"]),
            ("clang: error: unsupported option '-mabi=' for target 'x86_64-pc-linux-gnu'", vec!["-mabi=zz"]),
            ("error: invalid value 'zz' in '-fvisibility zz'", vec!["-fvisibility=zz"]),
            ("error: invalid integral value 'x' in '-fpack-struct=x'", vec!["-fpack-struct=x"]),
            ("a.c:1:2: error: unknown argument: '-fconserve-stack'", vec![]),
            ("a.c:1:2: error: expected ';'", vec![]),
            ("clang: error: no such file or directory: 'a.c'", vec![]),
            ("clang: warning: '-fconserve-stack'", vec![]),
            ("", vec![]),
        ] {
            let mut found = rejected(message, &flags);
            found.sort();
            let mut expected: Vec<String> = expected.into_iter().map(String::from).collect();
            expected.sort();
            // A value that two flags share drops both, at worst one too many.
            assert!(expected.iter().all(|flag| found.contains(flag)), "{message}: {found:?}");
            assert!(
                found.len() <= expected.len() + 1 && (!expected.is_empty() || found.is_empty()),
                "{message}: {found:?}"
            );
        }
    }

    #[test]
    fn rules_apply_in_chains() {
        let mut flags = vec![
            Flag { text: "-std=gnu2y".into(), value: None, code: true },
            Flag { text: "-fx".into(), value: None, code: true },
            Flag { text: "-fy".into(), value: None, code: true },
        ];
        let rules = BTreeMap::from([
            ("-std=gnu2y".to_owned(), Some("-std=gnu23".to_owned())),
            ("-std=gnu23".to_owned(), Some("-std=gnu2x".to_owned())),
            ("-fx".to_owned(), None),
        ]);
        let mut rejected = Vec::new();
        while apply(&rules, &mut flags, &mut rejected) {}
        assert_eq!(flags.iter().map(Flag::display).collect::<Vec<_>>(), ["-std=gnu2x", "-fy"]);
        assert_eq!(rejected, ["-std=gnu2y read as -std=gnu23", "-fx", "-std=gnu23 read as -std=gnu2x"]);
    }

    #[test]
    fn a_manifest_gives_no_flags_of_its_own() {
        let rejected =
            ["-std=gnu23 read as -fplugin=x.so", "-std=a read as -std=b", "-std=b read as -std=a", "-fx"];
        let rules = rules_from(&rejected.map(String::from));
        let mut flags = ["-std=gnu23", "-std=a", "-fx", "-fy"]
            .map(|text| Flag { text: text.to_owned(), value: None, code: true })
            .to_vec();
        while apply(&rules, &mut flags, &mut Vec::new()) {}
        assert_eq!(flags.iter().map(Flag::display).collect::<Vec<_>>(), ["-std=gnu2x", "-fy"]);
    }

    #[test]
    fn the_number_of_built_in_macros_does_not_count() {
        let one =
            b"# 1 \"a.c\"\n# 1 \"<built-in>\" 3\n# 400 \"<built-in>\" 3\n# 1 \"<command line>\" 1\nint a;\n";
        let two = b"# 1 \"a.c\"\n# 1 \"<built-in>\" 3\n# 402 \"<built-in>\" 3\nint a;\n";
        let other = b"# 1 \"a.c\"\n# 402 \"x.h\" 3\nint a;\n";
        assert_eq!(split_prologue(one).0, split_prologue(two).0);
        assert_ne!(split_prologue(one).0, split_prologue(other).0);
        assert_eq!(split_prologue(b"no line end"), (vec![], &b"no line end"[..]));
    }

    #[test]
    fn operands_are_no_flags() {
        assert_eq!(as_operand("-a.c"), "./-a.c");
        assert_eq!(as_operand("@a.c"), "./@a.c");
        assert_eq!(as_operand("a.c"), "a.c");
    }
}
