//! Between a run and the store: what is asked before the work, and what is told after it.
//!
//! Two questions, the larger first. Has the newest run had the same inputs, options and models? Then its result is the
//! result. Otherwise each function is asked for by a key of its own (`watertight_path::reuse`), while the path engine
//! goes through the program.
//!
//! The key of a run is over the content of every input: the bytes of bitcode and of text IR, and the names that they have
//! in reports. Annotations are read from sources, of which the result of a run remembers what they were like. The store never makes a result different; what it cannot give is worked out, and trouble with it is a
//! note.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use watertight_finding::{Coverage, Finding, GIVEN_UP, Problem, ProblemKind};
use watertight_ir::{FuncId, Linkage, Program};
use watertight_path::Options as PathOptions;
use watertight_path::reuse::{Recollection, Shelf};
use watertight_report::fingerprint;
use watertight_report::select::RuleSet;
use watertight_store::{CallRow, EffectRow, FindingRow, FunctionRow, Key, Mark, RunRow, Store};
use watertight_summary::behaviour::{Behaviour, behaviours};
use watertight_summary::{Completeness, Effect, Outcome, Summary, Value};

use crate::annotations::Stamp;
use crate::check::{Insight, asked_for, at_exit};
use crate::describe::{effects, inferred};
use crate::limits::{KEPT_BYTES, KEPT_EFFECTS, KEPT_OUTCOMES};
use crate::load::{Input, Source};
use crate::run::{Describe, Options};
use crate::spelling::Spelling;

/// A hash over the sources of everything that decides about results.
const ENGINE: &str = env!("WATERTIGHT_ENGINE");
/// The same, without what is done with the results of functions afterwards.
pub(crate) const FUNCTIONS: &str = env!("WATERTIGHT_FUNCTIONS");

/// What a run came to, as it is kept.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Recorded {
    pub(crate) findings: Vec<Finding>,
    pub(crate) refuted: Vec<Finding>,
    pub(crate) latent: Vec<Finding>,
    pub(crate) coverage: Coverage,
    /// Problems of loading and checking.
    pub(crate) problems: Vec<Problem>,
    /// Subject and message of what is remarkable about how units fit together.
    pub(crate) remarks: Vec<(String, String)>,
    /// The source files whose annotations counted.
    pub(crate) sources: Vec<Stamp>,
}

/// What the newest run in a store came to; for pages.
#[derive(Debug)]
pub struct Newest {
    /// Before suppressing and selecting.
    pub findings: Vec<Finding>,
    /// How much was looked at.
    pub coverage: Coverage,
    /// Problems of loading and checking.
    pub problems: Vec<Problem>,
}

/// The newest run in a store, whole. Nothing if another version wrote it.
#[must_use]
pub fn newest(store: &Store) -> Option<Newest> {
    let Recorded { findings, coverage, problems, .. } = recorded(&store.newest()?)?;
    Some(Newest { findings, coverage, problems })
}

/// Reads what an engine like this one has written.
fn recorded(bytes: &[u8]) -> Option<Recorded> {
    let (engine, rest) = bytes.split_at_checked(ENGINE.len())?;
    if engine != ENGINE.as_bytes() {
        return None;
    }
    postcard::from_bytes(rest).ok()
}

/// An open store, with the key of the present run.
pub(crate) struct Keeper {
    store: Store,
    key: Option<Key>,
}

impl Keeper {
    /// Opens the store of a directory. Gives what the user should know.
    pub(crate) fn open(directory: &Path) -> (Option<Keeper>, Vec<String>) {
        match Store::open(directory) {
            Ok((store, notices)) => {
                store.begin();
                (Some(Keeper { store, key: None }), notices)
            }
            Err(error) => (None, vec![format!("nothing is kept for the next run: {}", error.0)]),
        }
    }

    /// The result of the newest run, if it had the same inputs.
    pub(crate) fn recall(
        &mut self,
        inputs: &[Input],
        options: &Options,
        directory: &Path,
    ) -> Option<Recorded> {
        self.key = run_key(inputs, options, directory);
        // The record of a run has no words about functions or runs, nor who calls whom; they are made from the program.
        if options.describe != Describe::Nothing || options.changes.is_some() {
            return None;
        }
        let recorded = recorded(&self.store.recorded(self.key.as_ref()?)?)?;
        // Annotations are in the text of the sources and not in the inputs.
        recorded.sources.par_iter().all(Stamp::holds).then_some(recorded)
    }

    /// A memory for the functions of this run.
    pub(crate) fn recollection(&self, options: &Options) -> Recollection<'_> {
        Recollection::new(self, base(options))
    }

    /// Keeps what the run came to. Gives what went wrong with the store, if anything did.
    /// The record has the findings of all rules, since a run with other rules may read it; what people see of the run later
    /// has those of the rules that are on.
    pub(crate) fn keep(&self, work: &Work<'_>, recorded: &Recorded, on: &RuleSet, spelling: &mut Spelling) {
        // A run that fell over itself is no run to rely on.
        let ours = recorded.problems.iter().any(|problem| problem.kind == ProblemKind::InternalError);
        let (Some(key), false) = (self.key, ours) else { return self.store.flush() };
        let mut result = ENGINE.as_bytes().to_vec();
        let Ok(bytes) = postcard::to_stdvec(recorded) else { return self.store.flush() };
        result.extend(bytes);
        let told = recorded.findings.iter().filter(|finding| on.contains(&finding.rule));
        let findings = finding_rows(told, &|file| from_root(work.directory, work.root, file));
        let row = RunRow {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            seconds: work.time.as_secs_f64(),
            files: recorded.coverage.files,
            functions: recorded.coverage.functions,
            evaluated: work.evaluated,
            reused: work.reused,
            findings: findings.len() as u64,
            problems: recorded.problems.len() as u64,
        };
        let rows = Rows { work, spelling: Mutex::new(spelling) };
        let present = rows.digests();
        let functions: Vec<FuncId> = work.program.defined().collect();
        // Trouble is remembered by the store.
        let _ = self.store.finish(&key, &row, &result, &findings, &present, &|some| {
            some.par_iter().map(|&index| rows.row(functions[index])).collect()
        });
    }

    /// What people have decided about findings, by fingerprint.
    pub(crate) fn marks(&self) -> BTreeMap<String, Mark> {
        self.store.marks().into_iter().map(|mark| (mark.fingerprint.clone(), mark)).collect()
    }

    /// How often the store could help.
    pub(crate) fn counts(&self) -> watertight_store::Counts {
        self.store.counts()
    }

    /// What went wrong with the store.
    pub(crate) fn trouble(&self) -> Option<String> {
        self.store.trouble()
    }
}

/// What every key of a function is made from beside the function: options, and the version of the engine.
pub(crate) fn base(options: &Options) -> Vec<u8> {
    let PathOptions { limits, steps, rounds, .. } = PathOptions::default();
    let (at_exit, assumptions) = (at_exit(options), options.assumptions);
    format!("{FUNCTIONS} {at_exit:?} {assumptions:?} {limits:?} {steps} {rounds}").into_bytes()
}

/// A shelf for a run without a store.
pub(crate) struct Bare;

impl Shelf for Bare {
    fn get(&self, _: &[u8; 32]) -> Option<Vec<u8>> {
        None
    }

    fn put(&self, _: [u8; 32], _: Vec<u8>) {}
}

impl Shelf for Keeper {
    fn get(&self, key: &[u8; 32]) -> Option<Vec<u8>> {
        self.store.known(&Key(*key))
    }

    fn put(&self, key: [u8; 32], value: Vec<u8>) {
        self.store.learn(Key(key), value);
    }

    fn secure(&self) {
        self.store.flush();
    }
}

/// The key of a whole run. Nothing if an input cannot be read: then it must be said why.
fn run_key(inputs: &[Input], options: &Options, directory: &Path) -> Option<Key> {
    let contents: Option<Vec<[u8; 32]>> = inputs
        .par_iter()
        .map(|input| {
            let (Source::Bitcode(path) | Source::Text(path)) = &input.source;
            watertight_capture::plain::read(path).ok().map(|bytes| *blake3::hash(&bytes).as_bytes())
        })
        .collect();
    let contents = contents?;
    let models: Option<Vec<Vec<u8>>> =
        options.models.iter().map(|path| watertight_capture::plain::read(path).ok()).collect();
    let models = models?;
    let Options {
        engine,
        prove: _,
        rules: _,
        form,
        verify,
        models: names,
        stumble,
        visit: _,
        assumptions,
        store: _,
        root: _,
        describe: _,
        changes: _,
    } = options;
    // Of the rules few decide what is looked for; the others are chosen among findings.
    let at_exit = (at_exit(options), asked_for(options));
    let settings =
        format!("{ENGINE} {engine:?} {at_exit:?} {form:?} {verify:?} {stumble:?} {names:?} {assumptions:?}");
    let directory = directory.to_string_lossy();
    let mut parts: Vec<&[u8]> = vec![settings.as_bytes(), directory.as_bytes()];
    parts.extend(models.iter().map(Vec::as_slice));
    for (input, content) in inputs.iter().zip(&contents) {
        let kind = if matches!(input.source, Source::Text(_)) { &b"text"[..] } else { b"bitcode" };
        parts.extend([kind, input.name.as_bytes(), &content[..]]);
    }
    Some(Key::of(&parts))
}

/// The name of a file from the root of the project on, if it lies below.
fn from_root(directory: &Path, root: Option<&Path>, file: &str) -> String {
    let path = watertight_capture::tidy(&directory.join(file));
    let below = root.and_then(|root| path.strip_prefix(root).ok());
    below.map_or_else(|| file.to_owned(), |below| below.display().to_string())
}

fn finding_rows<'f>(
    findings: impl Iterator<Item = &'f Finding>,
    name: &dyn Fn(&str) -> String,
) -> Vec<FindingRow> {
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    let row = |finding: &Finding| {
        let fingerprint = fingerprint(finding).to_string();
        let count = counts.entry(fingerprint.clone()).or_insert(0);
        let ordinal = *count;
        *count += 1;
        FindingRow {
            fingerprint,
            ordinal,
            rule: finding.rule.to_string(),
            level: finding.level.name().to_owned(),
            confidence: finding.confidence().name().to_owned(),
            resource: finding.resource.to_string(),
            file: name(&finding.place.file),
            line: finding.place.line,
            column: finding.place.column,
            function: finding.place.function.to_string(),
            message: finding.message.clone(),
        }
    };
    findings.map(row).collect()
}

/// The first outcomes of a summary, with what matters most in each, and how many there are beside.
fn in_outline(summary: &Summary) -> (Summary, usize) {
    let mut outcomes: Vec<Outcome> = summary.outcomes.iter().take(KEPT_OUTCOMES).cloned().collect();
    for outcome in &mut outcomes {
        if outcome.effects.len() > KEPT_EFFECTS {
            // What is released, filled and kept comes first.
            outcome.effects.sort_by_key(|effect| match effect {
                Effect::Release { .. } => 0,
                Effect::Store { value: Value::Fresh { .. }, .. } => 1,
                Effect::Keep { .. } => 2,
                _ => 3,
            });
            outcome.effects.truncate(KEPT_EFFECTS);
        }
    }
    let more = summary.outcomes.len() - outcomes.len();
    let breaches = summary.breaches.clone();
    let outline = Summary { outcomes, completeness: summary.completeness, breaches, latent: Vec::new() };
    (outline, more)
}

/// The first lines of a text, and what is missing.
fn in_short<'t>(lines: impl Iterator<Item = &'t str>, more: Option<&str>) -> String {
    let mut text = String::new();
    let mut cut = 0;
    for line in lines {
        // The first line stands in any case, or a function with much to say would seem to do nothing.
        if cut == 0 && (text.is_empty() || text.len() + line.len() <= KEPT_BYTES) {
            text.push_str(line);
            text.push('\n');
        } else {
            cut += 1;
        }
    }
    if cut > 0 {
        text.push_str(&format!("# and {cut} more lines\n"));
    }
    text.extend(more);
    text.truncate(text.trim_end().len());
    text
}

/// What is known when a run is over.
pub(crate) struct Work<'w> {
    pub(crate) program: &'w Program,
    /// Where names of files start.
    pub(crate) directory: &'w Path,
    /// The folder of the project.
    pub(crate) root: Option<&'w Path>,
    pub(crate) insight: Option<&'w Insight>,
    /// The keys of functions, by function.
    pub(crate) keys: Vec<(FuncId, [u8; 32])>,
    pub(crate) time: Duration,
    pub(crate) evaluated: u64,
    pub(crate) reused: u64,
}

/// Makes rows for people.
struct Rows<'r, 'w> {
    work: &'r Work<'w>,
    spelling: Mutex<&'r mut Spelling>,
}

impl Rows<'_, '_> {
    /// A hash for each function that is defined, over what its row would say. What it does follows from its key.
    fn digests(&self) -> Vec<[u8; 16]> {
        let digest = |function: FuncId| {
            let mut hasher = blake3::Hasher::new();
            let (file, line) = self.place(function);
            let name = &self.work.program.functions[function].name;
            let key = self.work.keys.binary_search_by_key(&function, |entry| entry.0);
            let key = key.map_or(&[][..], |index| &self.work.keys[index].1[..]);
            for part in [name.as_bytes(), file.as_bytes(), &line.to_le_bytes(), key] {
                hasher.update(&(part.len() as u64).to_le_bytes());
                hasher.update(part);
            }
            for &callee in self.callees(function) {
                hasher.update(self.work.program.functions[callee].name.as_bytes());
                hasher.update(&[0]);
                if self.work.program.functions[callee].body.is_some() {
                    hasher.update(self.place(callee).0.as_bytes());
                }
                hasher.update(&[0]);
            }
            let mut short = [0; 16];
            short.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
            short
        };
        self.work.program.defined().map(digest).collect()
    }

    fn callees(&self, function: FuncId) -> &[FuncId] {
        self.work.insight.map_or(&[][..], |insight| insight.calls.callees(function))
    }

    /// File and line.
    fn place(&self, id: FuncId) -> (std::sync::Arc<str>, u32) {
        let program = self.work.program;
        let function = &program.functions[id];
        let place = function.place.and_then(|place| program.source_place(id, place));
        let (file, line) = match &place {
            Some(place) => (place.file, place.line),
            None => (&*program.units[function.unit].name, 0),
        };
        let mut spelling = self.spelling.lock().unwrap_or_else(PoisonError::into_inner);
        (spelling.of_file(file), line)
    }

    fn row(&self, id: FuncId) -> FunctionRow {
        let program = self.work.program;
        let function = &program.functions[id];
        let (file, line) = self.place(id);
        let mut row = FunctionRow {
            name: function.name.to_string(),
            file: file.to_string(),
            line,
            is_static: function.linkage == Linkage::Internal,
            ..FunctionRow::default()
        };
        let Some(insight) = self.work.insight else { return row };
        let call = |&callee: &FuncId| CallRow {
            callee: program.functions[callee].name.to_string(),
            file: program.functions[callee].body.as_ref().map(|_| self.place(callee).0.to_string()),
        };
        row.calls = self.callees(id).iter().map(call).collect();
        row.given_up = insight.given_up.contains(&id).then(|| GIVEN_UP.to_owned());
        let Some(summary) = &insight.summaries[id] else { return row };
        row.evaluated = true;
        row.complete = summary.completeness == Completeness::Whole;
        let effects = effects(program, &insight.models, id, summary);
        // Half of a program does nothing to resources, and what else it does makes long and dull reading.
        if effects.is_empty() {
            return row;
        }
        row.behaviours = behaviours(summary).into_iter().map(Behaviour::name).collect::<Vec<_>>().join(" ");
        let (told, more) = in_outline(summary);
        let described = inferred(program, &insight.models, id, &told);
        let more = (more > 0).then(|| format!("# and {more} more ways to return"));
        let more = more.as_deref();
        row.does = in_short(described.does.iter().map(String::as_str), more);
        row.model = in_short(described.model.lines(), more);
        let effect = |(effect, kind, place): (&str, Option<String>, String)| EffectRow {
            effect: effect.to_owned(),
            kind,
            place,
        };
        row.effects = effects.into_iter().map(effect).collect();
        row
    }
}
