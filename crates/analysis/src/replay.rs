//! The seam between stories and replay: every story that has a witness is run before it becomes a finding.
//!
//! In: what the path engine tells of each function. Out: the same, with what the runs say: a story that happens is marked as
//! replayed, and is shown even if the engine itself was not sure; one that does not happen is taken out and listed aside.
//! Where there is no verdict, a story stays as it was.

use std::time::{Duration, SystemTime};

use rayon::prelude::*;
use watertight_finding::{Confidence, Doubt, Ending, Growth, Story, Support, Urgency, Variant};
use watertight_ir::{FuncId, InstId, PlaceId, Program, Table};
use watertight_path::exits::ends::Globals;
use watertight_path::stories::witness::{Stories, Told};
use watertight_pointer::Calls;
use watertight_replay::{Effort, How, Known, Needs, Session, Verdict, Why};
use watertight_summary::Summary;
use watertight_summary::model::Models;

use crate::ending::Ends;
use crate::facts::Facts;
use crate::protect::protect;
use crate::retell::Retelling;
use crate::silence::silence;
use watertight_path::Whole;

/// Stories that one session runs before the next one starts afresh: how work is shared out, not a limit.
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
    /// What has to go wrong for it.
    pub urgency: Urgency,
    /// What may make it untrue, by name.
    pub doubts: Vec<&'static str>,
    /// How sure we are afterwards.
    pub after: Confidence,
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
    whole: &Whole,
    globals: &Globals,
    summaries: &Table<FuncId, Option<Summary>>,
    reports: &mut [(FuncId, Stories)],
) -> (Replays, Vec<(FuncId, Told)>) {
    let mut questions = Vec::new();
    for (report, (function, stories)) in reports.iter().enumerate() {
        for (index, told) in stories.told.iter().enumerate() {
            if let Some(witness) = &told.witness
                && told.is_true(globals)
            {
                // Chosen inputs settle no more than how far the function was evaluated.
                let effort = match told.story.doubts.are_worth_a_search() {
                    true => Effort::Search,
                    false => Effort::Try,
                };
                questions.push((report, index, *function, (witness, effort)));
            }
        }
    }
    let mut replays = Replays::default();
    if questions.is_empty() {
        return (replays, Vec::new());
    }
    let whole = Facts { program, whole };
    let calls = Calls::new(program, models);
    let known = Known::new(program, models, &whole, &calls);
    let answered: Vec<_> = questions
        .par_chunks(BATCH)
        .map(|chunk| {
            let begin = SystemTime::now();
            let mut session = Session::new(&known);
            let (mut runs, mut steps) = (0, 0);
            let verdicts: Vec<_> = chunk
                .iter()
                .map(|&(_, _, function, (witness, effort))| {
                    let verdict = protect(|| session.replay(function, witness, effort));
                    runs += std::mem::take(&mut session.runs);
                    steps += std::mem::take(&mut session.steps);
                    let led = session.led.take();
                    if verdict.is_err() {
                        session = Session::new(&known);
                    }
                    (verdict, led)
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
    let retelling = Retelling { program, summaries };
    let mut ends = Ends::new(program, models, summaries, &calls);
    for ((report, index, function), (verdict, led)) in questions.into_iter().zip(verdicts) {
        let told = &mut reports[report].1.told[index];
        let Told { story, witness: Some(witness), .. } = told else { continue };
        let verdict = match verdict {
            Ok(verdict) => verdict,
            Err(panic) => {
                replays.mistakes.push((function, panic.to_string()));
                continue;
            }
        };
        let last = story.steps.last().map_or(0, |step| step.place.line);
        let (word, mut detail) = words(program, function, &verdict);
        if let (Verdict::Diverged(_), Some(led)) = (&verdict, &led) {
            detail += &end(program, led);
        }
        replays.list.push(Replay {
            function: program.functions[function].name.to_string(),
            lines: (story.acquired.line, last),
            confidence: story.confidence(),
            verdict: word,
            detail,
            urgency: story.urgency,
            doubts: Vec::new(),
            after: story.confidence(),
        });
        let silent = match &verdict {
            Verdict::Diverged(why) => Some(*why),
            Verdict::Replayed(_) | Verdict::Refuted => None,
        };
        match verdict {
            Verdict::Replayed(run) => {
                story.support = Support::Replayed;
                retelling.retell(function, story, &run);
                // On the path told, the results that decide need what they need, whatever function a run has put behind a pointer.
                let told =
                    if run.followed { known.fails(function, witness, Some(&run)) } else { Needs::Nothing };
                story.urgency = urgency(run.needs.max(told), story);
                if run.sound || run.plain {
                    story.doubts.settle(run.sound);
                }
            }
            Verdict::Refuted => gone.push((report, index)),
            Verdict::Diverged(why) => {
                match why {
                    Why::TooMuchOpen => story.doubts.add(Doubt::RunHolds),
                    Why::OtherResult { .. } => story.doubts.add(Doubt::RunDiffers),
                    Why::Machine | Why::NotAcquired | Why::OtherWay { .. } | Why::UnknownCallee => {}
                }
                story.urgency = urgency(known.fails(function, witness, None), story);
            }
        }
        if is_loss(story) && story.growth != Growth::EachIteration && ends.ends(function, story, witness) {
            story.urgency = Urgency::ProcessEnding;
            // What a command holds when it is over is held to the end, like what `main` holds.
            if story.support == Support::Replayed && story.ending == Ending::Lost && ends.is_command(function)
            {
                story.ending = Ending::HeldAtExit;
                story.variant = Variant::HeldAtExit;
            }
        }
        if let Some(why) = silent {
            story.doubts.extend(silence(program, story, why, led.as_ref()));
        }
        if let Some(last) = replays.list.last_mut() {
            last.urgency = story.urgency;
            last.after = story.confidence();
            last.doubts = story.doubts.iter().map(Doubt::name).collect();
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

/// What has to go wrong for a story that needs this.
fn urgency(needs: Needs, story: &Story) -> Urgency {
    match needs {
        _ if matches!(story.ending, Ending::ReplacementFailed(..)) && story.memory => Urgency::MemoryRunsOut,
        Needs::Memory => Urgency::MemoryRunsOut,
        Needs::Call => Urgency::ErrorHandling,
        Needs::Nothing if story.growth == Growth::ErrorPath => Urgency::ErrorHandling,
        Needs::Nothing => Urgency::Ordinary,
    }
}

/// Whether something gets lost, which the end of a process makes good.
fn is_loss(story: &Story) -> bool {
    matches!(story.ending, Ending::Lost | Ending::ReplacementFailed(..))
}

/// How the run ended that was led along the path, if it did not come to the end of the function.
fn end(program: &Program, led: &How) -> String {
    let at = |calls: &[(FuncId, InstId)]| {
        let place = calls.last().and_then(|&(function, inst)| {
            let place = program.functions[function].body.as_ref()?.insts[inst].place?;
            let line = program.source_place(function, place)?.outermost().1;
            Some(format!(" at {}:{line}", program.functions[function].name))
        });
        place.unwrap_or_default()
    };
    match led {
        How::Returned(_) => String::new(),
        How::Exited(calls) => format!(", the process ends{}", at(calls)),
        How::JumpedOut => ", control jumps out".to_owned(),
        How::StepLimit => ", it takes too long".to_owned(),
        How::Trapped(kind, calls) => format!(", the run fails{}: {kind:?}", at(calls)),
    }
}

/// A verdict in words.
fn words(program: &Program, function: FuncId, verdict: &Verdict) -> (&'static str, String) {
    let body = program.functions[function].body.as_ref();
    let line = |place: Option<PlaceId>| {
        place.and_then(|place| program.source_place(function, place)).map_or(0, |place| place.outermost().1)
    };
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
        Verdict::Diverged(Why::OtherWay { after }) => {
            let place = after.zip(body).and_then(|(block, body)| body.blocks[block].term_place);
            ("diverged", format!("runs leave the path at line {}", line(place)))
        }
        Verdict::Diverged(Why::OtherResult { call }) => {
            let place = body.and_then(|body| body.insts[*call].place);
            ("diverged", format!("the call at line {} gives something else", line(place)))
        }
        Verdict::Diverged(Why::UnknownCallee) => {
            ("diverged", "lost unless an unknown function keeps it".to_owned())
        }
        Verdict::Diverged(Why::TooMuchOpen) => {
            ("diverged", "too much is left open inside the calls on the path".to_owned())
        }
    }
}
