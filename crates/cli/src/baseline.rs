//! `watertight baseline` and `--baseline`: findings that are known, and what became of them.

use std::path::Path;

use watertight_analysis::{Goal, Run};
use watertight_report::Sources;
use watertight_report::baseline::{Baseline, Entry};
use watertight_report::select::by_rules;
use watertight_report::suppress::{Outcome, suppress};

use crate::args::{self, Reporting};
use crate::check::{apply_marks, options, units};
use crate::exit::{Exit, Stop};
use crate::marks::MarkFile;
use crate::messages;
use crate::settings::{Settings, Talk};
use crate::sources::Files;
use crate::{notes, output, project};

/// The most fixed findings that are named without `-v`.
const MOST_NAMED: usize = 5;

/// `watertight baseline`: checks, and writes what is found to a file. What is suppressed needs no baseline. What has low
/// confidence is written too, since it may have more the next time.
pub(crate) fn write(settings: &Settings, arguments: &args::Baseline) -> Result<Exit, Stop> {
    let request = settings.request_for(&project::complete(settings, &arguments.inputs)?);
    let scope = settings.scope(&arguments.scope)?;
    let shared = MarkFile::read(&settings.root)?;
    let known = settings.rules(&request);
    let options = options(settings, &known, arguments.rules.as_ref(), arguments.engine)?;
    let on = options.rules.clone();
    let mut run = settings.run(request, Goal::Check, options)?;
    notes::tell(settings, &run);
    scope.apply(&mut run);
    run.marks.extend(shared.marks());
    let files = Files::new(&settings.directory, std::mem::take(&mut run.read));
    let units = units(&run, &scope);
    let findings = by_rules(std::mem::take(&mut run.findings), &on, &known);
    let mut outcome = suppress(findings, &units, &known, &on, &mut Sources::new(&files));
    apply_marks(&run.marks, &mut outcome);
    let exit = Exit::of(&run, 0);
    if exit == Exit::Bug || run.coverage.files == 0 {
        return Err(Stop { exit, message: "the run failed, so no baseline was written".to_owned() });
    }
    let baseline = Baseline::of(&outcome.kept);
    let text = baseline.to_text();
    output::write(Some(&arguments.output), Box::new(|out| out.write_all(text.as_bytes())))?;
    if settings.talk != Talk::Quiet {
        let findings = match baseline.len() {
            1 => "1 finding".to_owned(),
            many => format!("{many} findings"),
        };
        output::say(&format!("{findings} written to {}", arguments.output.display()));
    }
    // A unit that could not be read is a hole in the baseline.
    Ok(exit)
}

/// The baseline that was asked for.
pub(crate) fn read(settings: &Settings, reporting: &Reporting) -> Result<Option<Baseline>, Stop> {
    let Some(path) = reporting.baseline.as_ref().or(settings.config.baseline.as_ref()) else {
        return Ok(None);
    };
    let text = watertight_capture::plain::read_to_string(path)
        .map_err(|error| messages::cannot_read(path.display(), error))?;
    match Baseline::parse(&text) {
        Ok(baseline) => Ok(Some(baseline)),
        Err(error) => Err(messages::not_a_baseline(path.display(), error)),
    }
}

/// Takes out what is known, and says what was fixed.
pub(crate) fn apply(settings: &Settings, run: &Run, baseline: &Baseline, outcome: &mut Outcome) {
    let suppressed = outcome.suppressed.iter().map(|suppressed| suppressed.finding.clone());
    let shown = outcome.kept.len();
    // What is suppressed now is not fixed.
    let mut all = outcome.kept.clone();
    all.extend(suppressed);
    let compared = baseline.compare(&all);
    let known = compared.known[..shown].iter().filter(|&&known| known).count();
    let mut at = compared.known.iter();
    outcome.kept.retain(|_| at.next() == Some(&false));
    if settings.talk == Talk::Quiet {
        return;
    }
    if known > 0 {
        output::say(&format!("note: {known} {} known from the baseline", are(known)));
    }
    // With `--since` most findings were not looked for.
    let fixed: Vec<&Entry> = match run.untouched {
        Some(_) => Vec::new(),
        None => compared.fixed.iter().filter(|entry| was_read(settings, run, entry)).collect(),
    };
    if fixed.is_empty() {
        return;
    }
    output::say(&format!("note: {} {} in the baseline and fixed now", fixed.len(), were(fixed.len())));
    let most = if settings.talk == Talk::Full { usize::MAX } else { MOST_NAMED };
    for entry in fixed.iter().take(most) {
        output::say(&format!(
            "note:   {}: `{}`: {} [{}]",
            entry.file, entry.function, entry.message, entry.rule
        ));
    }
    if fixed.len() > most {
        output::say(&format!("note:   and {} more (-v shows all)", fixed.len() - most));
    }
}

fn are(count: usize) -> &'static str {
    if count == 1 { "finding is" } else { "findings are" }
}

fn were(count: usize) -> &'static str {
    if count == 1 { "finding was" } else { "findings were" }
}

/// Whether the file of a finding was looked at: what stands in another file of the project may still be there.
fn was_read(settings: &Settings, run: &Run, entry: &Entry) -> bool {
    let is_source = |name: &str| Path::new(name).extension().is_some_and(|extension| extension == "c");
    let named = |name: &str| run.inputs.iter().any(|input| input.name == name);
    let all_sources = run.inputs.iter().all(|input| is_source(&input.name));
    !all_sources
        || !is_source(&entry.file)
        || named(&entry.file)
        || !settings.directory.join(&entry.file).exists()
}
