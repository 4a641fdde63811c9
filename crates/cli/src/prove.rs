//! `watertight prove`: can this statement lose memory?
//!
//! For a statement or a function every answer is told in full; for whole files a table with a row for each function
//! that has something to lose, and what could not be proved below it.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use watertight_analysis::{
    Acceptance, Answer, Assumed, Form, FunctionProof, Goal, Probe, ProveLimits, Question, Verdict, accept,
    assumptions_of, certify, patience, proofs_to_json, prove as answers,
};

use crate::args;
use crate::exit::{Exit, Stop};
use crate::messages;
use crate::settings::{Settings, Talk};
use crate::{dump, notes, output, project};

/// Transfer functions for one question when only one statement or function is asked about.
const PATIENT: u32 = 20_000;

/// `watertight prove`.
pub(crate) fn prove(settings: &Settings, arguments: &args::Prove) -> Result<Exit, Stop> {
    let mut question = Question { function: arguments.function.clone(), places: Vec::new() };
    let mut files: Vec<PathBuf> = Vec::new();
    for given in &arguments.files {
        let (file, place) = split(given);
        if let Some((line, column)) = place {
            is_there(&settings.directory.join(&file), &file, line)?;
            question.places.push((file.to_string_lossy().into_owned(), line, column));
        }
        if !files.contains(&file) {
            files.push(file);
        }
    }
    let inputs = args::Inputs { files, database: arguments.database.clone(), flags: arguments.flags.clone() };
    let inputs = project::complete(settings, &inputs)?;
    let mut options = settings.options();
    options.form = Form::Memory;
    let mut run = settings.run(settings.request_for(&inputs), Goal::Load, options.clone())?;
    notes::tell(settings, &run);
    let one = !question.places.is_empty() || question.function.is_some();
    let limits = ProveLimits {
        transfers: arguments.transfers.unwrap_or(if one { PATIENT } else { patience(&run.program) }),
        regions: arguments.regions,
        ..ProveLimits::default()
    };
    crate::nearby::add(&mut options.models, &settings.request_for(&inputs));
    let names: Vec<String> = run.inputs.iter().map(|input| input.name.clone()).collect();
    let proofs =
        answers(&run.program, &settings.directory, &names, &question, &limits, &options, &mut run.problems);
    if let Some(path) = &arguments.certificate {
        let text = certify(&run.program, &proofs, &limits, &options, &mut run.problems);
        output::write(Some(path), Box::new(move |out| out.write_all(text.as_bytes())))?;
    }
    dump::complain(&run);
    if one && proofs.iter().all(|proof| proof.answers.is_empty()) && question.function.is_none() {
        return Err(messages::nothing_to_prove());
    }
    if let Some(name) = &question.function
        && proofs.is_empty()
    {
        return Err(messages::no_function(name));
    }
    let text = if arguments.json {
        proofs_to_json(&proofs)
    } else if one {
        told(&proofs, &question)
    } else {
        table(&proofs, settings.talk == Talk::Full)
    };
    output::write(None, Box::new(move |out| out.write_all(text.as_bytes())))?;
    let violated = all(&proofs).filter(|known| matches!(known.1.verdict, Verdict::Violated { .. })).count();
    Ok(Exit::of(&run, violated))
}

/// `watertight certificate`.
pub(crate) fn certificate(settings: &Settings, arguments: &args::Certificate) -> Result<Exit, Stop> {
    let text = watertight_capture::plain::read(&arguments.certificate)
        .map_err(|error| messages::cannot_read(arguments.certificate.display(), error))?;
    let inputs = args::Inputs {
        files: arguments.files.clone(),
        database: arguments.database.clone(),
        flags: arguments.flags.clone(),
    };
    let inputs = project::complete(settings, &inputs)?;
    let mut options = settings.options();
    options.form = Form::Memory;
    let mut run = settings.run(settings.request_for(&inputs), Goal::Load, options.clone())?;
    crate::nearby::add(&mut options.models, &settings.request_for(&inputs));
    let text = String::from_utf8_lossy(&text);
    let answer = accept(&run.program, &text, &options, &mut run.problems);
    dump::complain(&run);
    let (said, rejected) = match answer {
        Acceptance::Accepted { statements, assumptions } => {
            let assumptions: Vec<String> = assumptions.into_iter().collect();
            let others = text.lines().filter(|line| line.starts_with("not-shown")).count();
            let others =
                if others == 0 { String::new() } else { format!("; {others} proofs are not shown in it") };
            let assuming = match assumptions.is_empty() {
                true => String::new(),
                false => format!("    assuming {}\n", assumptions.join(", ")),
            };
            (format!("accepted: {statements} statements cannot lose memory{others}\n{assuming}"), 0)
        }
        Acceptance::Rejected { line, why } => {
            (format!("rejected: {}:{line}: {why}\n", arguments.certificate.display()), 1)
        }
        Acceptance::Undecided { line, why } => {
            (format!("not decided: {}:{line}: {why}\n", arguments.certificate.display()), 1)
        }
    };
    output::write(None, Box::new(move |out| out.write_all(said.as_bytes())))?;
    Ok(Exit::of(&run, rejected))
}

/// A file and the place in it, if one is named.
fn split(given: &std::path::Path) -> (PathBuf, Option<(u32, Option<u32>)>) {
    let text = given.to_string_lossy();
    if given.exists() {
        return (given.to_path_buf(), None);
    }
    let number = |text: &str| text.parse::<u32>().ok();
    let Some((rest, last)) = text.rsplit_once(':') else { return (given.to_path_buf(), None) };
    let Some(last) = number(last) else { return (given.to_path_buf(), None) };
    match rest.rsplit_once(':').and_then(|(file, line)| Some((file, number(line)?))) {
        Some((file, line)) => (PathBuf::from(file), Some((line, Some(last)))),
        None => (PathBuf::from(rest), Some((last, None))),
    }
}

fn all(proofs: &[FunctionProof]) -> impl Iterator<Item = &(Probe, Answer, Duration)> {
    proofs.iter().flat_map(|proof| &proof.answers)
}

/// Every answer in full. What holds of a whole function is only known where all of its statements were asked about.
fn told(proofs: &[FunctionProof], question: &Question) -> String {
    let mut text = String::new();
    for proof in proofs {
        for (probe, answer, _) in &proof.answers {
            text.push_str(&one(probe, answer));
        }
        if proof.failed || !question.places.is_empty() {
            continue;
        }
        if proof.answers.is_empty() {
            let _ = writeln!(text, "`{}` has no statement that can leak", proof.name);
        }
        if proof.is_proved() {
            let _ = match &proof.open {
                None => writeln!(text, "`{}` cannot lose memory, and neither can what it calls", proof.name),
                Some(why) => writeln!(text, "`{}` loses nothing itself; {why}", proof.name),
            };
            text.push_str(&assuming(&proof.assumptions()));
        }
    }
    text
}

/// What a claim rests on, in one line.
fn assuming(assumptions: &BTreeSet<Assumed>) -> String {
    let names: Vec<&str> = assumptions.iter().map(|assumed| assumed.name()).collect();
    if names.is_empty() { String::new() } else { format!("    assuming {}\n", names.join(", ")) }
}

fn one(probe: &Probe, answer: &Answer) -> String {
    let mut text = format!("{}: ", probe.place);
    let what = format!("`{}` ({})", probe.lost, probe.kind.name());
    match &answer.verdict {
        Verdict::Proved { assumptions } => {
            let _ = writeln!(text, "proved: {what} is not the last reference to a block");
            for assumed in assumptions {
                let _ = writeln!(text, "    assuming {}: {}", assumed.name(), assumed.text());
            }
        }
        Verdict::Violated { story } => {
            let _ = writeln!(text, "violated: {what} may be the last reference to a block");
            for (number, step) in story.steps.iter().enumerate() {
                let _ = writeln!(text, "    {}. {}: {}", number + 1, step.place, step.text);
            }
        }
        Verdict::Unknown { why } => {
            let _ = writeln!(text, "unknown: {what}: {why}");
        }
    }
    text
}

/// Counts of verdicts.
#[derive(Default)]
struct Counts {
    probes: usize,
    proved: usize,
    violated: usize,
    unknown: usize,
    traces: Vec<u32>,
    points: u64,
    abstractions: u64,
}

impl Counts {
    fn of<'a>(answers: impl Iterator<Item = &'a (Probe, Answer, Duration)>) -> Counts {
        let mut counts = Counts::default();
        for (_, answer, _) in answers {
            counts.probes += 1;
            match answer.verdict {
                Verdict::Proved { .. } => counts.proved += 1,
                Verdict::Violated { .. } => counts.violated += 1,
                Verdict::Unknown { .. } => counts.unknown += 1,
            }
            counts.traces.push(answer.transfers);
            counts.points += u64::from(answer.points);
            counts.abstractions += u64::from(answer.abstractions);
        }
        counts.traces.sort_unstable();
        counts
    }

    fn row(&self, name: &str) -> String {
        let median = self.traces.get(self.traces.len() / 2).copied().unwrap_or(0);
        let longest = self.traces.last().copied().unwrap_or(0);
        let each = if self.points == 0 { 0.0 } else { self.abstractions as f64 / self.points as f64 };
        format!(
            "{name:<28} {:>6} {:>6} {:>8} {:>7} {median:>6} {longest:>7} {each:>9.1}\n",
            self.probes, self.proved, self.violated, self.unknown
        )
    }
}

fn table(proofs: &[FunctionProof], full: bool) -> String {
    let mut text = format!(
        "{:<28} {:>6} {:>6} {:>8} {:>7} {:>6} {:>7} {:>9}\n",
        "function", "probes", "proved", "violated", "unknown", "median", "longest", "per point"
    );
    for proof in proofs.iter().filter(|proof| !proof.answers.is_empty()) {
        text.push_str(&Counts::of(proof.answers.iter()).row(&proof.name));
    }
    let total = Counts::of(all(proofs));
    text.push_str(&total.row("all"));
    let mut times: Vec<Duration> = all(proofs).map(|known| known.2).collect();
    times.sort_unstable();
    let itself = proofs.iter().filter(|proof| proof.is_proved()).count();
    let free: Vec<&FunctionProof> = proofs.iter().filter(|proof| proof.is_leak_free()).collect();
    let median = times.get(times.len() / 2).copied().unwrap_or_default();
    let longest = times.last().copied().unwrap_or_default();
    let _ = writeln!(
        text,
        "{} of {} functions cannot lose memory, {itself} lose nothing themselves; an answer took {:.1} ms, the longest {:.1} ms",
        free.len(),
        proofs.len(),
        median.as_secs_f64() * 1e3,
        longest.as_secs_f64() * 1e3
    );
    text.push_str(&assuming(&assumptions_of(proofs.iter().filter(|proof| proof.is_proved()))));
    for (probe, answer, _) in all(proofs) {
        if full || matches!(answer.verdict, Verdict::Violated { .. }) {
            text.push_str(&one(probe, answer));
        }
    }
    text
}

/// Complains about a line that a file does not have. A file that cannot be read is complained about later.
fn is_there(path: &Path, named: &Path, line: u32) -> Result<(), Stop> {
    let Ok(text) = watertight_capture::plain::read(path) else { return Ok(()) };
    let lines = text.split_inclusive(|&byte| byte == b'\n').count();
    if line == 0 || line as usize > lines {
        return Err(messages::no_line(named.display(), line, lines));
    }
    Ok(())
}
