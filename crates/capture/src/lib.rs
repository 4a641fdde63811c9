//! From what the user typed to LLVM bitcode on disk.
//!
//! In: a [`Request`] (files with flags, a compilation database, or a build to watch). Out: [`Captured`]: one [`Unit`]
//! of bitcode per translation unit, a [`Failure`] for each that could not be had, and an account of what was seen. No
//! analysis happens here, and nothing here looks into the bitcode.
//!
//! ```text
//! request ──gather──> commands ──plan──> jobs ──prepare──> content keys ──compile──> units
//!            │                                    │                          │
//!            └ compile_db, intercept              └ manifest, clang -E       └ cache, clang -c
//! ```
//!
//! What holds:
//!
//! * the result is the same for every number of threads, and in input order;
//! * what is unchanged since an earlier run is not compiled again;
//! * one bad unit never costs another;
//! * nothing is left out without being counted.
//!
//! ```no_run
//! use watertight_capture::{Request, Silent, capture};
//!
//! let mut request = Request::new(std::env::current_dir()?);
//! request.inputs = vec!["main.c".into()];
//! request.flags = vec!["-Iinclude".into()];
//! let captured = capture(&request, &Silent)?;
//! for unit in &captured.units {
//!     println!("{} -> {}", unit.name, unit.bitcode.display());
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cache;
mod captured;
mod command;
mod compile;
mod compile_db;
mod compiler;
mod complaint;
mod divide;
mod error;
mod flag_table;
mod flags;
#[cfg(feature = "fuzzing")]
pub mod fuzzed;
mod gather;
mod gcc_only;
mod intercept;
mod kept_flags;
mod manifest;
mod messages;
mod parcel;
mod patience;
pub mod plain;
mod plan;
mod progress;
mod record;
mod remember;
mod request;
mod sandbox;
mod shell_words;
mod trust;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use crate::cache::{Cache, Key};
use crate::command::{CompileCommand, Origin};
use crate::compile::{Prepared, Workshop};
use crate::compiler::{Search, find_clang};
use crate::plan::{Job, Plan};

pub use crate::cache::Checksum;
pub use crate::captured::{
    BuildEnd, Captured, Failure, FailureKind, Language, Note, NoteKind, Seen, Skip, Stats, Unit,
};
pub use crate::command::tidy;
pub use crate::compile_db::{FILE_NAME as DATABASE, sources as database_sources};
pub use crate::compiler::{Clang, NEWEST_CLANG, OLDEST_CLANG};
pub use crate::error::{Error, Nothing};
pub use crate::gather::is_build_output;
pub use crate::parcel::{Parcel, absent, pack, unpack};
pub use crate::progress::{Outcome, Phase, Progress, Silent};
pub use crate::request::{DEFAULT_CACHE, DEFAULT_CACHE_LIMIT, Keep, Request, Watch};
pub use crate::trust::{distrust, is_below, is_source_name, program};

/// Captures the units of a request.
pub fn capture(request: &Request, progress: &dyn Progress) -> Result<Captured, Error> {
    request.check()?;
    let directory = std::path::absolute(&request.directory)
        .map_err(|error| Error::file(messages::USE_DIRECTORY, &request.directory, &error))?;
    if !directory.is_dir() {
        return Err(Error::Usage(messages::no_directory(&directory)));
    }
    let mut request = request.clone();
    request.flags = gather::typed_flags(&request, &directory)?;
    let cache_directory = directory.join(request.cache.as_deref().unwrap_or(Path::new(DEFAULT_CACHE)));
    let (cache, note) = Cache::open(&cache_directory)?;
    let mut run = Run {
        request: &request,
        directory,
        progress,
        notes: note.into_iter().collect(),
        seen: Seen::default(),
        stats: Stats::default(),
        clang: None,
    };
    let gathered = run.gather(&cache)?;
    let units = run.compile(gathered, &cache)?;
    run.finish(units, cache)
}

/// Finds the clang that a request would use.
pub fn clang_for(request: &Request) -> Result<Clang, Error> {
    let mut clang = find_clang(&Search::from_environment(request.clang.as_deref()))?;
    // Units are compiled in other directories, where a relative path would mean something else.
    if let Ok(path) = std::path::absolute(&clang.path) {
        clang.path = path;
    }
    Ok(clang)
}

/// The state of one capture.
struct Run<'a> {
    request: &'a Request,
    directory: PathBuf,
    progress: &'a dyn Progress,
    notes: Vec<Note>,
    seen: Seen,
    stats: Stats,
    clang: Option<Clang>,
}

/// What became of the jobs.
#[derive(Default)]
struct Units {
    units: Vec<Unit>,
    failures: Vec<Failure>,
    keys: BTreeSet<Key>,
    read: FxHashSet<PathBuf>,
}

impl Run<'_> {
    /// The clang in use, searched for when it is first needed: bitcode given directly needs none.
    fn clang(&mut self) -> Result<Clang, Error> {
        if let Some(clang) = &self.clang {
            return Ok(clang.clone());
        }
        let clang = clang_for(self.request)?;
        if clang.major > NEWEST_CLANG {
            let text = messages::newer_clang(clang.major, NEWEST_CLANG, &clang.path);
            self.notes.push(Note::new(NoteKind::Compiler, text));
        }
        self.clang = Some(clang.clone());
        Ok(clang)
    }

    /// Finds out what is to be compiled.
    fn gather(&mut self, cache: &Cache) -> Result<Plan, Error> {
        let (commands, failures) = match &self.request.build {
            Some(build) => {
                let clang = self.clang()?;
                self.progress.phase(Phase::Build);
                let start = Instant::now();
                let recording = intercept::record(&self.directory, build, self.request.watch, &clang, cache)?;
                self.stats.build_time = start.elapsed();
                self.progress.phase(Phase::Gather);
                self.notes.extend(recording.notes);
                if !recording.end.success {
                    let text = messages::build_failed(&recording.end.status);
                    self.notes.push(Note::new(NoteKind::Build, text));
                }
                self.seen.build = Some(recording.end);
                self.seen.processes = recording.processes;
                let mut commands = remember::recall(cache, &self.directory, build);
                commands.extend(recording.commands);
                (commands, recording.failures)
            }
            None => {
                self.progress.phase(Phase::Gather);
                let gathered = gather::gather(self.request, &self.directory)?;
                self.notes.extend(gathered.notes);
                (gathered.commands, gathered.failures)
            }
        };
        let start = Instant::now();
        let mut plan = plan::plan(&commands, &self.request.flags, &self.directory, &mut self.seen);
        plan.failures.splice(0..0, failures);
        if let Some(build) = &self.request.build {
            plan::sort_jobs(&mut plan.jobs);
            self.remember(cache, build, &commands, &plan.jobs)?;
            if let Some(path) = &self.request.leave_db {
                compile_db::write(&self.directory.join(path), &commands, &plan.jobs)?;
            }
        }
        self.stats.gather_time = start.elapsed();
        Ok(plan)
    }

    fn remember(
        &mut self,
        cache: &Cache,
        build: &[std::ffi::OsString],
        commands: &[CompileCommand],
        jobs: &[Job],
    ) -> Result<(), Error> {
        let useful: BTreeSet<usize> = jobs.iter().map(|job| job.command).collect();
        let useful: Vec<&CompileCommand> = useful.into_iter().map(|index| &commands[index]).collect();
        if self.seen.remembered > 0 {
            let text = messages::up_to_date(self.seen.remembered, jobs.len());
            self.notes.push(Note::new(NoteKind::Build, text));
        }
        if useful.iter().any(|command| command.origin == Origin::Build) {
            remember::remember(cache, &self.directory, build, &useful)?;
        }
        Ok(())
    }

    /// Compiles what is to be compiled.
    fn compile(&mut self, plan: Plan, cache: &Cache) -> Result<Units, Error> {
        let Plan { jobs, failures } = plan;
        let mut result = Units { failures, ..Units::default() };
        if jobs.is_empty() {
            return Ok(result);
        }
        let needs_clang = jobs.iter().any(|job| job.language != Language::Bitcode);
        let nobody = Clang { path: PathBuf::new(), major: 0, version: String::new() };
        let clang = if needs_clang { self.clang()? } else { nobody };
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.request.threads.map_or(0, usize::from))
            .build()
            .map_err(|error| Error::Environment(messages::no_threads(error)))?;
        let workshop = Workshop::new(&clang, cache, self.request.keep, &jobs, pool.current_num_threads());
        self.progress.start(jobs.len());
        let processor_time = children_processor_time();

        let start = Instant::now();
        let prepared: Vec<Result<Prepared, Failure>> =
            pool.install(|| jobs.par_iter().map(|job| workshop.prepare(job)).collect::<Result<_, Error>>())?;
        self.stats.preprocess_time = start.elapsed();

        let start = Instant::now();
        let mut known = FxHashSet::default();
        let work: Vec<(&Job, Result<Prepared, Failure>, bool)> = jobs
            .iter()
            .zip(prepared)
            .map(|(job, prepared)| {
                let key = prepared.as_ref().ok().and_then(|prepared| prepared.key);
                let repeated = key.is_some_and(|key| !known.insert((job.source.clone(), key)));
                (job, prepared, repeated)
            })
            .collect();
        let done: Vec<Done> = pool.install(|| {
            work.into_par_iter().map(|work| self.finish_job(&workshop, work)).collect::<Result<_, Error>>()
        })?;
        self.stats.compile_time = start.elapsed();
        self.stats.preprocessed = workshop.preprocessed();
        self.stats.divided = workshop.divided();
        self.stats.clang_cpu =
            children_processor_time().zip(processor_time).map(|(after, before)| after - before);
        if workshop.is_open() {
            self.notes.push(Note::new(NoteKind::Protection, messages::UNRESTRICTED));
        }
        result.read = workshop.into_read();
        self.progress.finish();

        let mut flags: BTreeMap<String, usize> = BTreeMap::new();
        for done in done {
            for flag in done.dropped {
                *flags.entry(flag).or_default() += 1;
            }
            match done.outcome {
                Outcome::Compiled => self.stats.compiled += 1,
                Outcome::Cached => self.stats.cached += 1,
                Outcome::Given => self.stats.given += 1,
                Outcome::SameContent => self.seen.skip(Skip::SameContent),
                Outcome::Failed => {}
            }
            self.stats.bitcode_bytes += done.bytes;
            result.keys.extend(done.key);
            result.units.extend(done.unit);
            // The same source compiled twice fails twice with the same words; once is enough.
            result.failures.extend(done.failure);
        }
        let mut told = FxHashSet::default();
        result.failures.retain(|failure| told.insert((failure.name.clone(), failure.message.clone())));
        self.notes.extend(flags.into_iter().map(|(flag, count)| Note {
            kind: NoteKind::Flag,
            text: if flag.contains(" read as ") { flag } else { messages::flag_dropped(&flag) },
            count,
        }));
        Ok(result)
    }

    /// Brings one job to its end.
    fn finish_job(
        &self,
        workshop: &Workshop<'_>,
        (job, prepared, repeated): (&Job, Result<Prepared, Failure>, bool),
    ) -> Result<Done, Error> {
        let mut done = Done::default();
        let finished = match prepared {
            Err(failure) => Err(failure),
            Ok(prepared) if repeated => {
                workshop.repeat(&prepared)?;
                done.outcome = Outcome::SameContent;
                self.progress.unit_done(&job.name, done.outcome);
                return Ok(done);
            }
            Ok(mut prepared) => match prepared.stored.take() {
                Some(stored) => {
                    done.outcome = if prepared.key.is_some() { Outcome::Cached } else { Outcome::Given };
                    Ok((prepared, stored))
                }
                None => workshop.compile(job, &mut prepared)?.map(|stored| {
                    done.outcome = Outcome::Compiled;
                    (prepared, stored)
                }),
            },
        };
        match finished {
            Err(failure) => {
                done.outcome = Outcome::Failed;
                done.failure = Some(failure);
            }
            Ok((prepared, stored)) => {
                done.dropped
                    .extend(job.noted.iter().chain(&prepared.rejected).chain(&stored.rejected).cloned());
                done.key = prepared.key;
                done.bytes = stored.bitcode_bytes;
                done.unit = Some(Unit {
                    name: job.name.clone(),
                    source: job.source.clone(),
                    directory: job.directory.clone(),
                    language: job.language,
                    bitcode: stored.bitcode,
                    content: stored.bitcode_checksum,
                    flags: prepared
                        .flags
                        .iter()
                        .flat_map(flags::Flag::arguments)
                        .map(str::to_owned)
                        .collect(),
                    target: job.target.clone(),
                    cached: done.outcome == Outcome::Cached,
                    text: stored.text,
                });
            }
        }
        self.progress.unit_done(&job.name, done.outcome);
        Ok(done)
    }

    /// Puts the result together, or says that there is none.
    fn finish(mut self, units: Units, cache: Cache) -> Result<Captured, Error> {
        if self.stats.compiled > 0 {
            let removed = cache.prune(self.request.cache_limit, &units.keys);
            if removed > 0 {
                let text = messages::cache_pruned(removed);
                self.notes.push(Note::new(NoteKind::Cache, text));
            }
        }
        self.notes.sort();
        if units.units.is_empty() {
            let nothing = Nothing { seen: self.seen, failures: units.failures, notes: self.notes };
            return Err(Error::Nothing(Box::new(nothing)));
        }
        self.stats.units = units.units.len();
        self.stats.failed = units.failures.len();
        Ok(Captured {
            units: units.units,
            failures: units.failures,
            notes: self.notes,
            seen: self.seen,
            stats: self.stats,
            read: units.read,
            scratch: cache.into_scratch(),
        })
    }
}

/// One job at its end.
struct Done {
    outcome: Outcome,
    unit: Option<Unit>,
    failure: Option<Failure>,
    key: Option<Key>,
    bytes: u64,
    dropped: BTreeSet<String>,
}

impl Default for Done {
    fn default() -> Done {
        Done {
            outcome: Outcome::Failed,
            unit: None,
            failure: None,
            key: None,
            bytes: 0,
            dropped: BTreeSet::new(),
        }
    }
}

/// The processor time of all child processes that ended so far, where the system tells. Linux counts it in hundredths
/// of a second, whatever its own clock does.
fn children_processor_time() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program, in brackets, may hold anything; the numbers begin after it.
    let numbers: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |index: usize| numbers.get(index)?.parse::<u64>().ok();
    Some(Duration::from_millis(10 * (ticks(13)? + ticks(14)?)))
}
