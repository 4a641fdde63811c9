//! `watertight diff`: what differs between two reports, two runs of the store, or two git revisions.
//!
//! In: two names. A name is first that of a file, which is a report; then that of a run, `run:12`, `run:last` or `run:previous`; then
//! that of a git revision, whose files are checked (`revision.rs`). Out: what is new, fixed and moved, whatever kinds the two are of.

use std::fmt::Write as _;
use std::path::Path;

use watertight_capture::plain;
use watertight_finding::Confidence;
use watertight_report::diff::{self, Reported, Told};
use watertight_report::one_line;
use watertight_store::{Store, StoredRun};

use crate::args::{self, DiffFormat, EngineName};
use crate::changes;
use crate::check;
use crate::exit::{Exit, Stop};
use crate::marks::MarkFile;
use crate::messages::{self, count};
use crate::output;
use crate::revision;
use crate::settings::{Settings, Talk};

/// The most moved findings that are listed without `-v`.
const MOST_MOVED: usize = 5;

pub(crate) fn diff(settings: &Settings, arguments: &args::Diff) -> Result<Exit, Stop> {
    if arguments.runs {
        let text = listed(&store(settings).map(|store| store.comparable()).unwrap_or_default());
        output::write(None, Box::new(move |out| out.write_all(text.as_bytes())))?;
        return Ok(Exit::Clean);
    }
    let name = |typed: &Option<String>, usual: &str| typed.clone().unwrap_or_else(|| usual.to_owned());
    let (old_name, new_name) = (name(&arguments.old, "run:previous"), name(&arguments.new, "run:last"));
    let old = read(settings, &old_name)?;
    let new = read(settings, &new_name)?;
    if settings.talk != Talk::Quiet {
        tell_gaps(&old_name, &old);
        tell_gaps(&new_name, &new);
        tell_inputs((&old_name, &old), (&new_name, &new));
    }
    let diff = diff::compare(&old, &new);
    let most = if settings.talk == Talk::Full { usize::MAX } else { MOST_MOVED };
    let text = match arguments.format {
        DiffFormat::Text => diff::to_text(&diff, most),
        DiffFormat::Json => diff::to_json(&diff),
    };
    output::write(arguments.output.as_deref(), Box::new(move |out| out.write_all(text.as_bytes())))?;
    Ok(if diff.new.is_empty() || arguments.exit_zero { Exit::Clean } else { Exit::Findings })
}

fn read(settings: &Settings, name: &str) -> Result<Reported, Stop> {
    let path = settings.directory.join(name);
    if path.exists() {
        let text = plain::read_to_string(&path).map_err(|error| messages::cannot_read(name, error))?;
        return diff::read(&text).map_err(|error| messages::not_comparable(name, error));
    }
    if let Some(run) = name.strip_prefix("run:") {
        return of_run(settings, name, run);
    }
    match changes::commit(&settings.directory, name) {
        Some(commit) => revision::check(settings, name, &commit),
        None => Err(messages::nothing_to_compare(name)),
    }
}

fn store(settings: &Settings) -> Option<Store> {
    Store::open_existing(settings.store.as_deref()?).ok()
}

/// The findings of a run that a report of it would have.
fn of_run(settings: &Settings, name: &str, run: &str) -> Result<Reported, Stop> {
    let store = store(settings).ok_or_else(|| messages::too_few_runs(0))?;
    let runs = store.comparable();
    let run = match run {
        "last" => runs.first(),
        "previous" => runs.get(1),
        number => runs.iter().find(|run| run.id.to_string() == number),
    };
    let run = run.ok_or_else(|| match name {
        "run:last" | "run:previous" => messages::too_few_runs(runs.len()),
        _ => messages::no_such_run(name),
    })?;
    let scope = settings.project_scope()?;
    let marks = MarkFile::read(&settings.root)?.marks();
    let least = settings.config.confidence.unwrap_or(Confidence::Medium);
    let shown = [Confidence::High, Confidence::Medium, Confidence::Low].map(|one| (one >= least, one.name()));
    // Another run may have looked for more.
    let on = check::options(settings, &settings.rules(&settings.request()), None, EngineName::Path)?.rules;
    let mut reported =
        Reported { complete: run.row.problems == 0, files: Some(run.row.files), ..Reported::default() };
    for finding in store.findings_of(run.id) {
        let is_hidden = marks.get(&finding.fingerprint).is_some_and(|mark| mark.verdict.hides());
        let file = settings.root.join(&finding.file);
        if !scope.has(&file.to_string_lossy()) || !on.iter().any(|rule| rule.as_str() == finding.rule) {
            continue;
        }
        if !shown.contains(&(true, &*finding.confidence)) {
            reported.hidden += 1;
            continue;
        }
        let told = Told {
            file: finding.file,
            line: Some(u64::from(finding.line)),
            column: Some(u64::from(finding.column)),
            function: finding.function,
            rule: finding.rule,
            message: finding.message,
            fingerprint: finding.fingerprint,
        };
        if is_hidden { reported.suppressed.push(told) } else { reported.findings.push(told) }
    }
    Ok(reported)
}

/// The runs that can be compared, newest first.
fn listed(runs: &[StoredRun]) -> String {
    let mut text = String::new();
    for run in runs {
        let (findings, files) =
            (count(run.row.findings as usize, "finding"), count(run.row.files as usize, "file"));
        let names = Confidence::ALL.iter().map(|confidence| confidence.name());
        let parts = run.confidences.iter().zip(names).filter(|(number, _)| **number > 0);
        let parts: Vec<String> = parts.map(|(number, name)| format!("{number} {name}")).collect();
        let parts = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) };
        let _ = writeln!(text, "run:{}  {}  {findings}{parts} in {files}", run.id, one_line(&run.at));
    }
    if runs.is_empty() {
        text.push_str("no runs of this project are kept\n");
    }
    text
}

/// Says that two reports are about different inputs: what only one of them could see looks new or fixed.
fn tell_inputs((old_name, old): (&str, &Reported), (new_name, new): (&str, &Reported)) {
    if let (Some(before), Some(after)) = (old.files, new.files)
        && before != after
    {
        let (before, after) = (count(before as usize, "file"), count(after as usize, "file"));
        output::say(&format!(
            "note: `{old_name}` is about {before} and `{new_name}` about {after}, so findings in the others look new or fixed"
        ));
    }
}

/// Says why something may look new or fixed that is not.
fn tell_gaps(name: &str, report: &Reported) {
    if !report.complete {
        output::say(&format!("note: `{name}` could not check everything, so findings may be missing in it"));
    }
    if report.hidden > 0 {
        let hidden = count(report.hidden as usize, "finding");
        let advice = match Path::new(name).exists() {
            true => "; `check --confidence low` writes all",
            false => "",
        };
        output::say(&format!("note: `{name}` leaves out {hidden} of lower confidence{advice}"));
    }
}
