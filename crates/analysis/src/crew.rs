//! What this process hands out to workers, and how they are told what they need ([`crate::worker`] is their side).
//!
//! Sources that no unit is kept of go out to be compiled, a few at a time; what comes back is put into the cache, so that the capture that follows finds it.
//! Then every worker is told which program to read. Nothing that a worker says or fails to say changes a result: what
//! does not come back is done here.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use watertight_capture::{Outcome, Parcel, Request, absent, unpack};
use watertight_frontend::lower::Form;
use watertight_path::elsewhere::{Event, Task, Workers};

use crate::keep::FUNCTIONS;
use crate::load::{Input, Source, Verify};
use crate::run::{Options, Progress};

/// The first number of a task to compile. Smaller ones are those of other tasks. Not a limit.
const COMPILING: u64 = 1 << 32;
/// Sources of a task, at most; small programs have so few that every worker gets some tasks. Not a limit.
const MOST_SOURCES: usize = 8;
/// Tasks for each worker, at least, where there are sources enough. Not a limit.
const LEAST_TASKS: usize = 8;
/// Tasks that a worker has at a time. Not a limit.
const AHEAD: usize = 2;
/// How often sources go out before they are left to this process. Not a limit.
const TRIES: u32 = 2;
/// How long nothing comes back before somebody else gets what is out as well. Not a limit.
const LATE: Duration = Duration::from_secs(30);

/// Sources to compile.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Compile {
    pub(crate) directory: PathBuf,
    pub(crate) database: PathBuf,
    pub(crate) sources: Vec<PathBuf>,
    pub(crate) flags: Vec<String>,
    pub(crate) clang: Option<PathBuf>,
}

/// A program to read.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Load {
    /// Which version tells this; another one cannot help.
    pub(crate) engine: String,
    pub(crate) inputs: Vec<Part>,
    pub(crate) models: Vec<PathBuf>,
    /// The rules that are on, as a list.
    pub(crate) rules: String,
    pub(crate) memory_form: bool,
    pub(crate) verify: bool,
}

/// A unit of it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Part {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) is_text: bool,
}

/// The workers, and what they are to read.
pub(crate) struct Crew<'w> {
    pub(crate) workers: &'w dyn Workers,
    load: Vec<u8>,
}

impl<'w> Crew<'w> {
    pub(crate) fn new(workers: &'w dyn Workers) -> Crew<'w> {
        Crew { workers, load: Vec::new() }
    }

    /// Makes every worker read the program.
    pub(crate) fn begin(&mut self, inputs: &[Input], options: &Options, directory: &Path) {
        let part = |input: &Input| {
            let (Source::Bitcode(path) | Source::Text(path)) = &input.source;
            let is_text = matches!(input.source, Source::Text(_));
            Part { name: input.name.clone(), path: directory.join(path), is_text }
        };
        let load = Load {
            engine: FUNCTIONS.to_owned(),
            inputs: inputs.iter().map(part).collect(),
            models: options.models.iter().map(|path| directory.join(path)).collect(),
            rules: options.rules.list(),
            memory_form: options.form == Form::Memory,
            verify: options.verify == Verify::Always,
        };
        self.load = postcard::to_stdvec(&load).unwrap_or_default();
        (0..self.workers.count()).for_each(|worker| self.workers.give(worker, self.load(worker)));
    }

    /// The task that makes a worker read the program.
    pub(crate) fn load(&self, worker: usize) -> Task {
        Task { number: worker as u64, kind: "load", name: String::new(), more: 0, bytes: self.load.clone() }
    }

    /// Has everything compiled that is not kept. Says how many sources came back as units, and how many did not.
    pub(crate) fn compile(&self, request: &Request, progress: &dyn Progress) -> (u64, u64) {
        // Other requests name no database that a worker could read its commands from.
        let Some(database) = &request.compile_db else { return (0, 0) };
        // Whatever is wrong with the request is said by the capture.
        let Ok(sources) = absent(request) else { return (0, 0) };
        let size = (sources.len() / (LEAST_TASKS * self.workers.count().max(1))).clamp(1, MOST_SOURCES);
        progress.start(sources.len());
        let make = |(number, sources): (u64, &[PathBuf])| {
            let compile = Compile {
                directory: request.directory.clone(),
                database: request.directory.join(database),
                sources: sources.to_vec(),
                flags: request.flags.clone(),
                clang: request.clang.clone(),
            };
            let name = sources[0].file_name().unwrap_or_default().to_string_lossy().into_owned();
            // Paths that are no text are compiled here.
            let bytes = postcard::to_stdvec(&compile).ok()?;
            Some((sources.len(), Task { number, kind: "compile", name, more: sources.len() - 1, bytes }))
        };
        let tasks = (COMPILING..).zip(sources.chunks(size)).filter_map(make);
        let mut compiling = Compiling {
            workers: self.workers,
            queue: tasks.map(|(size, task)| (size, 0, task)).collect(),
            out: BTreeMap::new(),
            has: vec![0; self.workers.count()],
            done: 0,
            failed: 0,
        };
        compiling.run(&mut |parcels, size| {
            (0..size).for_each(|_| progress.unit_done("", Outcome::Compiled));
            unpack(request, parcels).is_ok()
        });
        progress.finish();
        (compiling.done, compiling.failed)
    }
}

/// Sources that are being compiled.
struct Compiling<'c> {
    workers: &'c dyn Workers,
    /// How many sources, how often they went out, and the task.
    queue: VecDeque<(usize, u32, Task)>,
    /// The same for what is out, with the worker, by number.
    out: BTreeMap<u64, (usize, u32, Task, usize)>,
    /// How many tasks each worker has.
    has: Vec<usize>,
    done: u64,
    failed: u64,
}

impl Compiling<'_> {
    fn run(&mut self, unpack: &mut dyn FnMut(&[Parcel], usize) -> bool) {
        loop {
            self.hand_out();
            if self.out.is_empty() {
                return;
            }
            match self.workers.take(LATE) {
                Event::Done { worker, number, bytes } => {
                    self.has[worker] = self.has[worker].saturating_sub(1);
                    let Some((size, ..)) = self.out.remove(&number) else { continue };
                    let parcels: Option<Vec<Parcel>> = postcard::from_bytes(&bytes).ok();
                    match parcels.is_some_and(|parcels| unpack(&parcels, size)) {
                        true => self.done += size as u64,
                        false => self.failed += size as u64,
                    }
                }
                Event::Failed { worker, number, .. } => {
                    self.has[worker] = self.has[worker].saturating_sub(1);
                    self.again(number);
                }
                Event::Lost { worker } => {
                    self.has[worker] = 0;
                    let its = self.out.iter().filter(|(_, out)| out.3 == worker);
                    let its: Vec<u64> = its.map(|(&number, _)| number).collect();
                    its.into_iter().for_each(|number| self.again(number));
                }
                // What is late is done by whoever is first: a unit is the same, whoever compiled it.
                Event::Nothing => {
                    let late: Vec<u64> = self.out.keys().copied().collect();
                    late.into_iter().for_each(|number| self.again(number));
                }
                Event::Closed => return,
            }
        }
    }

    fn hand_out(&mut self) {
        while let Some(worker) = (0..self.has.len()).min_by_key(|&worker| self.has[worker])
            && self.has[worker] < AHEAD
            && let Some((size, tries, task)) = self.queue.pop_front()
        {
            self.has[worker] += 1;
            self.out.insert(task.number, (size, tries, task.clone(), worker));
            self.workers.give(worker, task);
        }
    }

    fn again(&mut self, number: u64) {
        let Some((size, tries, task, _)) = self.out.remove(&number) else { return };
        if tries + 1 < TRIES {
            self.queue.push_back((size, tries + 1, task));
        } else {
            self.failed += size as u64;
        }
    }
}
