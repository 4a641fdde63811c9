//! The seam between stories and replay: every story that has a witness is run before it becomes a finding.
//!
//! In: what the path engine tells of each function. Out: the same, with what the runs say: a story that happens is marked as
//! replayed, and is shown even if the engine itself was not sure; one that does not happen is taken out and listed aside.
//! Where there is no verdict, a story stays as it was.

use std::time::{Duration, SystemTime};

use rayon::prelude::*;
use watertight_finding::{Confidence, Support};
use watertight_ir::{FuncId, Program};
use watertight_path::leaving::ends::Globals;
use watertight_path::stories::witness::{Stories, Told};
use watertight_replay::{Known, Session, Verdict, Why};
use watertight_summary::model::Models;

use crate::protect::protect;

/// Stories that one session runs before the next one starts afresh.
const BATCH: usize = 16;

/// What replaying came to.
#[derive(Debug, Default)]
pub struct Replays {
    /// One for each story that was run, in the order of the program.
    pub list: Vec<Replay>,
    /// Runs made, and their steps.
    pub runs: u64,
    /// Steps of all runs.
    pub steps: u64,
    /// Time over all threads.
    pub time: Duration,
    /// How we failed on functions.
    pub(crate) mistakes: Vec<(FuncId, String)>,
}

/// What came of one story.
#[derive(Debug, Clone)]
pub struct Replay {
    /// The function that it is about.
    pub function: String,
    /// The line where the resource was acquired, and the line where the story ends.
    pub lines: (u32, u32),
    /// How sure the engine was.
    pub confidence: Confidence,
    /// `replayed`, `refuted`, or why there is no verdict.
    pub verdict: &'static str,
    /// More about it.
    pub detail: String,
}

impl Replays {
    /// How many stories have this verdict.
    #[must_use]
    pub fn count(&self, verdict: &str) -> u64 {
        self.list.iter().filter(|replay| replay.verdict == verdict).count() as u64
    }
}

/// Runs all stories. Those that are refuted are taken out and given back.
pub(crate) fn replay(
    program: &Program,
    models: &Models,
    globals: &Globals,
    reports: &mut [(FuncId, Stories)],
) -> (Replays, Vec<(FuncId, Told)>) {
    let mut questions = Vec::new();
    for (report, (function, stories)) in reports.iter().enumerate() {
        for (index, told) in stories.told.iter().enumerate() {
            if let Some(witness) = &told.witness
                && told.is_true(globals)
            {
                questions.push((report, index, *function, witness));
            }
        }
    }
    let mut replays = Replays::default();
    if questions.is_empty() {
        return (replays, Vec::new());
    }
    let known = Known::new(program, models);
    let answered: Vec<_> = questions
        .par_chunks(BATCH)
        .map(|chunk| {
            let begin = SystemTime::now();
            let mut session = Session::new(&known);
            let (mut runs, mut steps) = (0, 0);
            let verdicts: Vec<_> = chunk
                .iter()
                .map(|&(_, _, function, witness)| {
                    let verdict = protect(|| session.replay(function, witness));
                    runs += std::mem::take(&mut session.runs);
                    steps += std::mem::take(&mut session.steps);
                    if verdict.is_err() {
                        session = Session::new(&known);
                    }
                    verdict
                })
                .collect();
            (verdicts, runs, steps, begin.elapsed().unwrap_or_default())
        })
        .collect();
    let questions: Vec<(usize, usize, FuncId)> =
        questions.into_iter().map(|(report, index, function, _)| (report, index, function)).collect();
    let mut verdicts = Vec::new();
    for (batch, runs, steps, time) in answered {
        verdicts.extend(batch);
        replays.runs += runs;
        replays.steps += steps;
        replays.time += time;
    }
    let mut gone: Vec<(usize, usize)> = Vec::new();
    for ((report, index, function), verdict) in questions.into_iter().zip(verdicts) {
        let told = &mut reports[report].1.told[index];
        let run_is_enough = told.witness.as_ref().is_some_and(|witness| witness.enough);
        let story = &mut told.story;
        let verdict = match verdict {
            Ok(verdict) => verdict,
            Err(panic) => {
                replays.mistakes.push((function, panic.to_string()));
                continue;
            }
        };
        let end = story.steps.last().map_or(0, |step| step.place.line);
        let (word, detail) = words(&verdict);
        replays.list.push(Replay {
            function: program.functions[function].name.to_string(),
            lines: (story.acquired.line, end),
            confidence: story.confidence,
            verdict: word,
            detail,
        });
        match verdict {
            Verdict::Replayed(run) => {
                story.support = Support::Replayed;
                // A run of which nothing can be doubted takes the doubts away that were about whether it can happen.
                if run.sound && run_is_enough {
                    story.confidence = story.confidence.max(Confidence::Medium);
                }
            }
            Verdict::Refuted => gone.push((report, index)),
            Verdict::Diverged(_) => {}
        }
    }
    let mut refuted = Vec::new();
    for (report, index) in gone.into_iter().rev() {
        let (function, stories) = &mut reports[report];
        refuted.push((*function, stories.told.remove(index)));
    }
    refuted.reverse();
    (replays, refuted)
}

/// A verdict in words.
fn words(verdict: &Verdict) -> (&'static str, String) {
    match verdict {
        Verdict::Replayed(run) => {
            let way = if run.followed { "on the path told" } else { "on another path" };
            let starved = if run.starved { ", something failed to be acquired" } else { "" };
            let sound = if run.sound { ", sound" } else { "" };
            ("replayed", format!("run {}, {} steps, {way}{starved}{sound}", run.number, run.steps))
        }
        Verdict::Refuted => ("refuted", String::new()),
        Verdict::Diverged(Why::Machine) => ("diverged", "the program cannot be run".to_owned()),
        Verdict::Diverged(Why::NotAcquired) => ("diverged", "no run acquires it".to_owned()),
        Verdict::Diverged(Why::OtherWay { blocks }) => {
            ("diverged", format!("runs leave the path after {blocks} blocks"))
        }
        Verdict::Diverged(Why::UnknownCallee) => {
            ("diverged", "lost unless an unknown function keeps it".to_owned())
        }
        Verdict::Diverged(Why::TooFew) => ("diverged", "too few runs follow the path".to_owned()),
    }
}
