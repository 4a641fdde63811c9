//! The order of the stages.
//!
//! [`run`] is the one place where it is written. A [`Job`] says how far to go; each stage takes what the one before
//! made, and its cost is in `stages`.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use watertight_capture::{
    Captured, Error, Failure, FailureKind, Note, NoteKind, Request, Seen, Unit, capture,
};
use watertight_finding::{Coverage, Finding, Problem, ProblemKind, StepKind, merge};
use watertight_frontend::lower::Form;
use watertight_ir::callgraph::CallGraph;
use watertight_ir::{FuncId, Program};
use watertight_path::assumptions::Assumptions;
use watertight_path::elsewhere::Workers;
use watertight_path::reuse::Recollection;
use watertight_report::select::RuleSet;
use watertight_store::Mark;

use crate::annotations::Stamp;
use crate::changes::{Changes, touched};
use crate::check::{Insight, Means, check, check_with, rules};
use crate::crew::Crew;
use crate::describe::Described;
use crate::disagree::Disagreement;
use crate::keep::{Bare, Keeper, Recorded, Work, base};
use crate::load::{Input, Source, Verify, load};
use crate::prove::count_proved;
use crate::replay::Replays;
use crate::spelling::Spelling;
use crate::stages::{Stage, Stages, peak_memory};

/// What to do.
#[derive(Debug, Clone)]
pub struct Job {
    /// What to read. Inputs that end in `.ir` are programs in text form; all others go to the compiler.
    pub request: Request,
    /// The last stage.
    pub goal: Goal,
    /// How.
    pub options: Options,
}

impl Job {
    /// A job with default options.
    #[must_use]
    pub fn new(request: Request, goal: Goal) -> Job {
        Job { request, goal, options: Options::default() }
    }
}

/// How far to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Goal {
    /// Bitcode files.
    Capture,
    /// One program.
    Load,
    /// Findings.
    Check,
}

/// Which engines look for defects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Engine {
    /// Every path of every function, confirmed by the solver.
    #[default]
    Path,
    /// Where values go in the whole program; what it finds is put to the solver.
    Flow,
    /// The path engine, and what the flow engine finds where the path engine gave up. What it finds elsewhere has low
    /// confidence.
    Both,
}

/// How to do it.
#[derive(Debug, Clone)]
pub struct Options {
    /// Which engines look for defects.
    pub engine: Engine,
    /// Whether functions are proved leak-free too.
    pub prove: bool,
    /// Which rules are on.
    pub rules: RuleSet,
    /// Whether variables become values.
    pub form: Form,
    /// When programs are verified.
    pub verify: Verify,
    /// Files with further library models.
    pub models: Vec<PathBuf>,
    /// The name of a function on which the analysis is to fail, to see what comes of it.
    pub stumble: Option<String>,
    /// The order in which functions are visited; results do not depend on it.
    pub visit: u64,
    /// What the path engine assumes.
    pub assumptions: Assumptions,
    /// The directory of the store; nothing is kept without one.
    pub store: Option<PathBuf>,
    /// The folder of the project: what is kept for comparisons names files from there, wherever a run was started.
    pub root: Option<PathBuf>,
    /// If given, only findings that have to do with these lines are left at the end.
    pub changes: Option<Changes>,
    /// Whether the summaries are also told in words.
    pub describe: Describe,
}

/// Whether what functions do is told in words beside the findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Describe {
    /// Only findings are wanted.
    #[default]
    Nothing,
    /// Every function that was read, and every library function that it calls.
    Functions,
    /// What came of every run.
    Replays,
    /// Where runs of functions and what the path engine says of them differ.
    Runs,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            engine: Engine::default(),
            prove: false,
            rules: RuleSet::defaults(&rules()),
            form: Form::default(),
            verify: Verify::default(),
            models: Vec::new(),
            stumble: None,
            visit: 0,
            assumptions: Assumptions::default(),
            store: None,
            root: None,
            changes: None,
            describe: Describe::Nothing,
        }
    }
}

/// Receives the progress of a run. Every method has a default that does nothing.
pub trait Progress: watertight_capture::Progress {
    /// A stage after the capture begins.
    fn stage(&self, _name: &'static str) {}
}

/// Progress that nobody watches.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl watertight_capture::Progress for Silent {}
impl Progress for Silent {}

/// What a run has made.
#[derive(Debug, Default)]
pub struct Run {
    /// What was given to loading, in order.
    pub inputs: Vec<Input>,
    /// The program; empty unless the goal was beyond capturing.
    pub program: Program,
    /// Merged and in the order of reading, not yet suppressed or selected.
    pub findings: Vec<Finding>,
    /// What engines claimed and runs refuted, merged and in the same order.
    pub refuted: Vec<Finding>,
    /// What nothing in the program makes happen, merged and in the same order.
    pub latent: Vec<Finding>,
    /// What runs of the findings showed; empty if the result is that of an earlier run.
    pub replays: Replays,
    /// Where runs and the path engine differ, if that was asked for.
    pub disagreements: Vec<Disagreement>,
    /// How much was looked at.
    pub coverage: Coverage,
    /// What functions do, if that was asked for: those that were read in the order of the program, then library
    /// functions by name.
    pub described: Vec<Described>,
    /// What could not be done.
    pub problems: Vec<Problem>,
    /// Inputs that the capture could not turn into bitcode, with the compiler's whole message. They are among
    /// `problems` too, in one line each.
    pub failures: Vec<Failure>,
    /// What else the capture has to say.
    pub notes: Vec<Note>,
    /// What passed by during the capture.
    pub seen: Seen,
    /// What each stage cost.
    pub stages: Stages,
    /// What people have decided about findings, by fingerprint.
    pub marks: BTreeMap<String, Mark>,
    /// How many findings were left out because they have nothing to do with what changed, if that was asked for.
    pub untouched: Option<usize>,
    /// Whether the result is that of an earlier run with the same inputs; then there is no program.
    pub recalled: bool,
    /// The files that clang read: sources and headers.
    pub read: Vec<PathBuf>,
    /// How many of the problems are the capture's.
    captured_problems: usize,
    /// The source files whose annotations counted.
    sources: Vec<Stamp>,
    /// Keeps the bitcode that `inputs` name, when it is in a temporary directory.
    _captured: Option<Captured>,
}

/// Runs the stages of a job.
///
/// # Errors
///
/// When there is nothing to go on with: the request makes no sense, the machine lacks something, or no unit was
/// found. A unit that fails beside others is not an error but a problem in the result.
pub fn run(job: Job, progress: &dyn Progress) -> Result<Run, Error> {
    run_with(job, progress, None)
}

/// The same, with other processes that compile and evaluate functions. The result is that of this process alone.
///
/// # Errors
///
/// As for [`run`].
pub fn run_with(job: Job, progress: &dyn Progress, workers: Option<&dyn Workers>) -> Result<Run, Error> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(job.request.threads.map_or(0, NonZeroUsize::get))
        .build()
        .map_err(|error| Error::Environment(format!("cannot start threads: {error}")))?;
    let directory = job.request.directory.clone();
    let mut run = Run::default();
    // A mistake that is made on purpose is made here.
    let mut crew = workers.filter(|_| job.options.stumble.is_none()).map(Crew::new);
    // Bitcode first: this is the only stage that needs a compiler, and what it makes is kept for the next run.
    if let Some(crew) = &crew {
        run.compile_elsewhere(&job.request, crew, progress);
    }
    run.capture(job.request, progress)?;
    // Then what is known already: with the same inputs as the last time there is nothing left to do.
    let mut keeper = None;
    if job.goal >= Goal::Check
        && let Some(folder) = &job.options.store
    {
        keeper = pool.install(|| run.recall(folder, &job.options, &directory));
        if keeper.is_none() && run.recalled {
            // Proofs were counted in that run or were not; what is asked for now is what counts.
            match (job.options.prove, run.coverage.proved) {
                (true, None) => pool.install(|| run.prove(&job.options)),
                (true, Some(_)) => {}
                (false, _) => {
                    run.coverage.proved = None;
                    run.coverage.proved_assuming.clear();
                }
            }
            return Ok(run);
        }
    }
    if job.goal >= Goal::Check
        && let Some(crew) = &mut crew
    {
        // They read the program while this process does.
        crew.begin(&run.inputs, &job.options, &directory);
    }
    if job.goal >= Goal::Load {
        // Units are independent until they are joined, so everything that can be done to one alone is done
        // before, in parallel; joining makes the program that all later stages share.
        progress.stage("load");
        pool.install(|| run.load(&job.options));
    }
    if job.goal >= Goal::Check {
        // Engines see the whole program, since most owners of a resource are not where it is acquired.
        progress.stage("check");
        pool.install(|| run.put_models_first(&job.options));
        let mut met = Vec::new();
        let insight = pool.install(|| run.check(&job.options, keeper.as_ref(), crew.as_ref(), &mut met));
        // Last, because several engines may speak of the same root cause. Files get the names that people use
        // before, since findings are put in order by them.
        let mut spelling = run.merge(&directory);
        // The store keeps everything, since the next run may ask for something else.
        if let Some(keeper) = keeper {
            run.keep(keeper, &job.options, &directory, (insight.as_ref(), met), &mut spelling);
        }
        if let Some(changes) = &job.options.changes {
            let calls = insight.as_ref().map(|insight| &insight.calls);
            run.select(changes, calls, &directory, &mut spelling);
        }
        // Nobody waits until all that was known of the program is taken apart.
        pool.spawn(move || drop(insight));
    }
    Ok(run)
}

impl Run {
    fn capture(&mut self, mut request: Request, progress: &dyn Progress) -> Result<(), Error> {
        let is_text = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "ir");
        let texts: Vec<PathBuf> = request.inputs.extract_if(.., |path| is_text(path)).collect();
        for text in &texts {
            let name = text.to_string_lossy().into_owned();
            self.inputs.push(Input { name, source: Source::Text(request.directory.join(text)) });
        }
        let nothing_else =
            request.inputs.is_empty() && request.compile_db.is_none() && request.build.is_none();
        if nothing_else && !texts.is_empty() {
            return Ok(());
        }
        let mut captured = self.stages.measure("capture", |counts| {
            let captured = capture(&request, progress);
            if let Ok(captured) = &captured {
                let stats = &captured.stats;
                counts.extend([
                    ("units", stats.units as u64),
                    ("compiled", stats.compiled as u64),
                    ("divided", stats.divided as u64),
                    ("cached", stats.cached as u64),
                    ("preprocessed", stats.preprocessed as u64),
                    ("given", stats.given as u64),
                    ("failed", stats.failed as u64),
                    ("bytes", stats.bitcode_bytes),
                ]);
            }
            captured
        })?;
        self.inputs.extend(captured.units.iter().map(input));
        self.failures = std::mem::take(&mut captured.failures);
        self.problems.extend(self.failures.iter().map(problem));
        self.captured_problems = self.problems.len();
        self.notes = std::mem::take(&mut captured.notes);
        self.seen = std::mem::take(&mut captured.seen);
        self.read = std::mem::take(&mut captured.read).into_iter().collect();
        self._captured = Some(captured);
        Ok(())
    }

    /// Has others compile what is not kept. What they cannot compile is tried here, and told if it fails again.
    fn compile_elsewhere(&mut self, request: &Request, crew: &Crew<'_>, progress: &dyn Progress) {
        self.stages.measure("compile", |counts| {
            let (units, failed) = crew.compile(request, progress);
            counts.extend([("units", units), ("not compiled there", failed)]);
        });
    }

    /// Lets models count before bodies where they say so.
    fn put_models_first(&mut self, options: &Options) {
        put_models_first(&mut self.program, options);
    }

    fn load(&mut self, options: &Options) {
        let loaded = load(&self.inputs, options.form, options.verify);
        self.program = loaded.program;
        self.problems.extend(loaded.problems);
        self.stages.0.extend(loaded.stages.0);
    }

    /// Opens the store and asks it for the result of the whole run. Nothing if there is no store, or if it had the
    /// result, which then is in place.
    fn recall(&mut self, folder: &Path, options: &Options, directory: &Path) -> Option<Keeper> {
        let (inputs, marks, mut notices) = (&self.inputs, &mut self.marks, Vec::new());
        let (keeper, recorded) = self
            .stages
            .measure("recall", |counts| {
                let (keeper, told) = Keeper::open(folder);
                notices = told;
                let mut keeper = keeper?;
                *marks = keeper.marks();
                let recorded = keeper.recall(inputs, options, directory);
                counts.push(("known runs", u64::from(recorded.is_some())));
                Some((keeper, recorded))
            })
            .unzip();
        self.notes.extend(notices.into_iter().map(kept_note));
        let Some(Some(recorded)) = recorded else { return keeper };
        self.findings = recorded.findings;
        self.refuted = recorded.refuted;
        self.latent = recorded.latent;
        self.coverage = recorded.coverage;
        self.problems.extend(recorded.problems);
        let remark = |(subject, message): (String, String)| watertight_ir::Problem {
            subject: subject.into(),
            message: message.into(),
        };
        self.program.problems = recorded.remarks.into_iter().map(remark).collect();
        self.recalled = true;
        None
    }

    /// Leaves the findings that have to do with what changed.
    fn select(
        &mut self,
        changes: &Changes,
        calls: Option<&CallGraph>,
        directory: &Path,
        spelling: &mut Spelling,
    ) {
        let all = self.findings.len();
        let findings = std::mem::take(&mut self.findings);
        self.findings = touched(findings, changes, &self.program, calls, directory, spelling);
        self.untouched = Some(all - self.findings.len());
    }

    /// Keeps what came out for the next run.
    fn keep(
        &mut self,
        keeper: Keeper,
        options: &Options,
        directory: &Path,
        (insight, met): (Option<&Insight>, Vec<(FuncId, [u8; 32])>),
        spelling: &mut Spelling,
    ) {
        let own = self.problems.len() - self.captured_problems.min(self.problems.len());
        let recorded = Recorded {
            findings: self.findings.clone(),
            refuted: self.refuted.clone(),
            latent: self.latent.clone(),
            coverage: self.coverage.clone(),
            problems: self.problems[self.problems.len() - own..].to_vec(),
            remarks: self
                .program
                .problems
                .iter()
                .map(|remark| (remark.subject.to_string(), remark.message.to_string()))
                .collect(),
            sources: std::mem::take(&mut self.sources),
        };
        let count = |name: &str| {
            let all = self.stages.0.iter().flat_map(|stage| &stage.counts);
            all.filter(|entry| entry.0 == name).map(|entry| entry.1).sum()
        };
        let work = Work {
            program: &self.program,
            directory,
            root: options.root.as_deref(),
            insight,
            keys: met,
            time: self.stages.total(),
            evaluated: count("evaluated"),
            reused: count("reused"),
        };
        let trouble = self.stages.measure("store", |counts| {
            keeper.keep(&work, &recorded, &options.rules, spelling);
            let kept = keeper.counts();
            counts.extend([
                ("hits", kept.hits),
                ("misses", kept.misses),
                ("new", kept.learnt),
                ("new bytes", kept.bytes),
            ]);
            let trouble = keeper.trouble();
            // Closing the file is part of what it costs.
            drop(keeper);
            trouble
        });
        self.notes.extend(trouble.map(kept_note));
    }

    /// Proofs are about assignments as the source has them, so the units are read once more, without SSA construction.
    fn prove(&mut self, options: &Options) {
        let loaded = load(&self.inputs, Form::Memory, options.verify);
        let problems = &mut self.problems;
        let mut found_in: BTreeSet<&str> = BTreeSet::new();
        for finding in &self.findings {
            found_in.insert(&finding.place.function);
            let steps = finding.exits.iter().flat_map(|way| &way.steps);
            let lost = steps.filter(|step| step.kind == StepKind::Lost);
            found_in.extend(lost.map(|step| &*step.place.function));
        }
        let (proved, assumed) = self.stages.measure("prove", |counts| {
            let proved = count_proved(&loaded.program, &found_in, options, problems);
            counts.push(("proved", proved.0));
            proved
        });
        self.coverage.proved = Some(proved);
        self.coverage.proved_assuming = assumed.into_iter().map(|assumed| assumed.name().into()).collect();
    }

    fn check(
        &mut self,
        options: &Options,
        keeper: Option<&Keeper>,
        crew: Option<&Crew<'_>>,
        met: &mut Vec<(FuncId, [u8; 32])>,
    ) -> Option<Insight> {
        let program = &self.program;
        let checked = self.stages.measure("check", |counts| {
            // A mistake that is made on purpose must not be remembered.
            let keeper = keeper.filter(|_| options.stumble.is_none());
            let memory = match keeper {
                Some(keeper) => keeper.recollection(options),
                None => Recollection::new(&Bare, base(options)),
            };
            let checked = match (crew, keeper) {
                (Some(crew), _) => {
                    check_with(program, options, &Means::Together { recollection: &memory, crew })
                }
                (None, Some(_)) => check_with(program, options, &Means::Alone(&memory)),
                (None, None) => check(program, options),
            };
            *met = memory.met();
            let costs = &checked.costs;
            counts.extend([
                ("functions", checked.coverage.functions),
                ("findings", checked.findings.len() as u64),
                ("latent", checked.latent.len() as u64),
                ("problems", checked.problems.len() as u64),
                ("evaluated", costs.evaluated),
                ("reused", costs.reused),
                ("left out", costs.left_out),
                ("passes", costs.passes),
                ("repeated", costs.repeated),
                ("out of steps", costs.out_of_steps),
                ("cut short", costs.cut_short),
                ("with names", costs.named),
                ("guard steps", costs.guard_steps),
                ("of them wasted", costs.wasted_steps),
                ("guard nodes", costs.guard_nodes),
                ("questions", costs.questions),
                ("conflicts", costs.conflicts),
                ("move a state", checked.lockers.always),
                ("move one on a condition", checked.lockers.conditional),
                ("annotated", checked.lockers.annotated),
                ("by attributes", checked.attributed),
            ]);
            checked
        });
        let costs = &checked.costs;
        self.stages.divide(&[
            ("annotations", checked.reading),
            ("evaluate", costs.evaluate),
            ("wasted", costs.wasted),
            ("exits", costs.exits),
            ("infer", costs.infer),
            ("stories", costs.stories),
        ]);
        if !checked.replays.list.is_empty() {
            let replays = &checked.replays;
            let counts = vec![
                ("stories", replays.list.len() as u64),
                ("replayed", replays.count("replayed")),
                ("refuted", replays.count("refuted")),
                ("runs", replays.runs),
                ("steps", replays.steps),
            ];
            let (time, peak) = (replays.time, peak_memory());
            self.stages.0.push(Stage { name: "of it replay", time, peak, counts, parts: Vec::new() });
        }
        if let Some(handed) = &checked.handed {
            let counts = vec![
                ("batches", handed.batches),
                ("components", handed.components),
                ("of them again", handed.again),
                ("here", handed.here),
                ("workers lost", handed.lost),
                ("bytes sent", handed.sent),
                ("bytes received", handed.received),
            ];
            let (time, peak) = (Duration::ZERO, peak_memory());
            self.stages.0.push(Stage { name: "handed out", time, peak, counts, parts: Vec::new() });
        }
        if let Some(flow) = &checked.flow {
            let time = flow.parts.iter().map(|part| part.1).sum();
            let (counts, parts) = (flow.counts.clone(), flow.parts.clone());
            let stage = Stage { name: "of it flow", time, peak: peak_memory(), counts, parts };
            self.stages.0.push(stage);
        }
        self.sources = checked.sources;
        self.findings = checked.findings;
        self.refuted = checked.refuted;
        self.latent = checked.latent;
        self.replays = checked.replays;
        self.disagreements = checked.disagreements;
        self.coverage = checked.coverage;
        if options.prove {
            self.prove(options);
        }
        self.described = checked.described;
        self.problems.extend(checked.problems);
        checked.insight
    }

    fn merge(&mut self, directory: &Path) -> Spelling {
        let mut spelling = Spelling::new(directory, self.inputs.iter().map(|input| input.name.as_str()));
        self.findings.iter_mut().for_each(|finding| spelling.of_finding(finding));
        self.problems.iter_mut().for_each(|problem| spelling.of_problem(problem));
        self.described.iter_mut().for_each(|described| spelling.of_described(described));
        self.refuted.iter_mut().for_each(|finding| spelling.of_finding(finding));
        self.refuted = merge(std::mem::take(&mut self.refuted));
        self.latent.iter_mut().for_each(|finding| spelling.of_finding(finding));
        self.latent = merge(std::mem::take(&mut self.latent));
        self.findings = merge(std::mem::take(&mut self.findings));
        spelling
    }
}

/// Lets models count before bodies where they say so.
pub(crate) fn put_models_first(program: &mut Program, options: &Options) {
    // Whoever checks the program tells what is wrong with model files.
    let models = crate::check::models(program, &options.models, &mut Vec::new());
    crate::modelled::separate(program, &models.before_bodies);
}

/// What there is to say about the store.
fn kept_note(text: String) -> Note {
    Note { kind: NoteKind::Cache, text, count: 0 }
}

fn input(unit: &Unit) -> Input {
    Input { name: unit.name.clone(), source: Source::Bitcode(unit.bitcode.clone()) }
}

/// A failed unit in one line.
fn problem(failure: &Failure) -> Problem {
    let first = failure.message.lines().next().unwrap_or("no reason given");
    let cause = match failure.kind {
        FailureKind::Compile => format!("it does not compile: {first}"),
        _ => first.to_owned(),
    };
    Problem::new(ProblemKind::UnitFailed, &failure.name, cause)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(folder: &tempfile::TempDir, inputs: &[&str], goal: Goal) -> Job {
        let mut request = Request::new(folder.path());
        request.inputs = inputs.iter().map(PathBuf::from).collect();
        Job::new(request, goal)
    }

    #[test]
    fn text_needs_no_compiler_and_stages_follow_the_goal() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.ir"), "func @a() {\nbb0:\n  return\n}\n").unwrap();
        for (goal, stages) in [
            (Goal::Capture, &[][..]),
            (Goal::Load, &["lower", "join"]),
            (Goal::Check, &["lower", "join", "check"]),
        ] {
            let run = run(job(&folder, &["a.ir"], goal), &Silent).unwrap();
            assert_eq!(run.stages.0.iter().map(|stage| stage.name).collect::<Vec<_>>(), stages);
            assert_eq!(run.program.units.is_empty(), goal == Goal::Capture);
            assert_eq!(run.coverage.functions, u64::from(goal == Goal::Check));
        }
    }

    #[test]
    fn without_any_unit_there_is_nothing_to_go_on_with() {
        let folder = tempfile::tempdir().unwrap();
        let error = run(job(&folder, &["absent.c"], Goal::Check), &Silent).unwrap_err();
        assert_eq!(error.exit_code(), 2);
        assert!(error.to_string().contains("absent.c"), "{error}");
        let error = run(job(&folder, &[], Goal::Check), &Silent).unwrap_err();
        assert_eq!(error.to_string(), "no input files");
    }
}
