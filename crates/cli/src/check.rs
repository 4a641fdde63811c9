//! `watertight check` and `watertight run`: from inputs to a report.
//!
//! The way of the findings after the run: suppressions in the source and marks take some away, the wanted
//! confidence hides others, and one of the formats writes what is left. What was taken away and hidden is counted in the report.

use std::collections::BTreeMap;
use std::io::{self, Write};

use watertight_analysis::{Describe, Described, Engine, Goal, Request, Run};
use watertight_finding::{Confidence, Finding, Place, Rule, RuleId, Urgency, Variant};
use watertight_report::baseline::Baseline;
use watertight_report::select::{RuleSet, by_confidence, by_rules, by_urgency};
use watertight_report::suppress::{By, Outcome, Suppressed, suppress};
use watertight_report::text::{Detail, Options};
use watertight_report::{
    Contract, Ending, Report, Sources, checkstyle, fingerprint, gcc, github, gitlab, html, json, junit,
    name_constants, one_line, sarif, text,
};
use watertight_store::Mark;

use crate::args::{self, EngineName, Format, Reporting};
use crate::exit::{ASK_FOR_REPORT, Exit, Stop};
use crate::marks::{self, MarkFile};
use crate::scope::Scope;
use crate::settings::{Settings, Talk};
use crate::sources::Files;
use crate::{baseline, changes, dump, notes, output, project};

/// The width of text that goes to no terminal.
const WIDTH: usize = 120;

/// What is still held at the end, which `--all` shows too.
const AT_EXIT: RuleId = RuleId::new("leak-at-exit");

/// The most findings hidden by marks that are named without `-v`.
const MOST_NAMED: usize = 5;

/// `watertight check`.
pub(crate) fn check(settings: &Settings, arguments: args::Check) -> Result<Exit, Stop> {
    if let Some(stage) = arguments.dump {
        return dump::dump(settings, stage, settings.request_for(&arguments.inputs));
    }
    let inputs = project::complete(settings, &arguments.inputs)?;
    check_request(settings, settings.request_for(&inputs), &arguments.reporting)
}

/// `watertight run`.
pub(crate) fn run(settings: &Settings, arguments: args::Run) -> Result<Exit, Stop> {
    let mut request = settings.request();
    request.build = Some(arguments.build);
    request.leave_db = arguments.database;
    if let Some(stage) = arguments.dump {
        return dump::dump(settings, stage, request);
    }
    check_request(settings, request, &arguments.reporting)
}

fn check_request(settings: &Settings, request: Request, reporting: &Reporting) -> Result<Exit, Stop> {
    let known = settings.rules(&request);
    let mut options = options(settings, &known, reporting.rules.as_ref(), reporting.engine)?;
    let list = reporting.rules.as_ref().or(settings.config.rules.as_ref());
    if reporting.all && list.is_none() {
        options.rules = options.rules.with(AT_EXIT);
    }
    options.prove = reporting.prove;
    let scope = settings.scope(&reporting.scope)?;
    // What cannot be read is said before the work and not after it.
    let shared = MarkFile::read(&settings.root)?;
    let baseline = baseline::read(settings, reporting)?;
    options.changes =
        reporting.since.as_ref().map(|since| changes::since(&settings.directory, since)).transpose()?;
    if reporting.format == Format::Html {
        options.describe = Describe::Functions;
    }
    let on = options.rules.clone();
    let mut run = settings.run(request, Goal::Check, options)?;
    notes::tell(settings, &run);
    run.marks.extend(shared.marks());
    report(settings, reporting, run, &Rules { known: &known, on: &on }, &scope, baseline.as_ref())
}

/// Options of the analysis, from what was typed and from the settings of the project.
pub(crate) fn options(
    settings: &Settings,
    known: &[Rule],
    rules_list: Option<&String>,
    engine: EngineName,
) -> Result<watertight_analysis::Options, Stop> {
    let mut options = settings.options();
    options.rules = match rules_list.or(settings.config.rules.as_ref()) {
        Some(list) => RuleSet::parse(list, known).map_err(|error| Stop::usage(error.to_string()))?,
        None => RuleSet::defaults(known),
    };
    options.engine = match engine {
        EngineName::Path => Engine::Path,
        EngineName::Flow => Engine::Flow,
        EngineName::Both => Engine::Both,
    };
    Ok(options)
}

/// The rules that there are, and those that are on.
struct Rules<'r> {
    known: &'r [Rule],
    on: &'r RuleSet,
}

/// Writes the report of a run.
fn report(
    settings: &Settings,
    reporting: &Reporting,
    mut run: Run,
    &Rules { known, on }: &Rules<'_>,
    scope: &Scope,
    baseline: Option<&Baseline>,
) -> Result<Exit, Stop> {
    let left_out = scope.apply(&mut run);
    let files = Files::new(&settings.directory, std::mem::take(&mut run.read));
    let mut sources = Sources::new(&files);
    let units = units(&run, scope);
    let least = reporting.confidence.or(settings.config.confidence).unwrap_or(Confidence::Medium);
    let held = held_at_end(&run.findings, on, least);
    let mut findings = by_rules(std::mem::take(&mut run.findings), on, known);
    name_constants(&mut findings, &mut sources);
    let mut suppressed = suppress(findings, &units, known, on, &mut sources);
    scope.keep_problems(&mut suppressed.problems);
    tell_left_out(settings, left_out);
    apply_marks(&run.marks, &mut suppressed);
    tell_marks(settings, &suppressed);
    if let Some(baseline) = baseline {
        baseline::apply(settings, &run, baseline, &mut suppressed);
    }
    if let Some(untouched) = run.untouched
        && settings.talk != Talk::Quiet
    {
        let findings = match untouched {
            1 => "1 finding has".to_owned(),
            many => format!("{many} findings have"),
        };
        output::say(&format!("note: {findings} nothing to do with what changed"));
    }
    let (findings, hidden) = by_confidence(suppressed.kept, least);
    // People get what is urgent and the number of the rest; programs get all, and can choose.
    let urgent = match reporting.format {
        Format::Text if !reporting.all => Urgency::ErrorHandling,
        _ => Urgency::ProcessEnding,
    };
    let (mut findings, aside) = by_urgency(findings, urgent, on);
    if reporting.refuted {
        findings.extend(by_rules(std::mem::take(&mut run.refuted), on, known));
    }
    if reporting.latent {
        findings.extend(by_rules(std::mem::take(&mut run.latent), on, known));
    }
    run.problems.extend(suppressed.problems);
    let exit = Exit::of(&run, findings.len() + aside.memory + aside.ending);
    let nothing_read = run.coverage.files == 0;
    let contracts: Vec<Contract> = run.described.iter().map(contract).collect();
    let report = Report {
        findings: &findings,
        suppressed: &suppressed.suppressed,
        hidden,
        aside,
        held,
        rules_typed: reporting.rules.as_ref().or(settings.config.rules.as_ref()).map(String::as_str),
        problems: &run.problems,
        coverage: run.coverage.clone(),
        root: settings.directory.to_str(),
        contracts: &contracts,
        ending: if exit == Exit::Bug || nothing_read { Ending::Failed } else { Ending::Complete },
        ..Report::new(env!("CARGO_PKG_VERSION"), known)
    };
    let file = reporting.output.as_deref().filter(|path| !output::is_standard(path));
    let options = Options {
        colour: settings.colour(file),
        width: match file {
            Some(_) => WIDTH,
            None => terminal_size::terminal_size().map_or(WIDTH, |(width, _)| usize::from(width.0)),
        },
        detail: if settings.talk == Talk::Full { Detail::Full } else { Detail::Usual },
    };
    output::write(
        file,
        Box::new(|out| match reporting.format {
            Format::Text if nothing_read => write_unread(out, &report),
            Format::Text => text::write(out, &report, &mut sources, &options),
            Format::Gcc => gcc::write(out, &report),
            Format::Json => json::write(out, &report),
            Format::Sarif => sarif::write(out, &report, &mut sources),
            Format::Github => github::write(out, &report, &mut sources),
            Format::Gitlab => gitlab::write(out, &report),
            Format::Junit => junit::write(out, &report),
            Format::Checkstyle => checkstyle::write(out, &report),
            Format::Html => html::write(out, &report, &mut sources),
        }),
    )?;
    if exit == Exit::Bug {
        output::say(ASK_FOR_REPORT);
    }
    // Findings do not count then; what was not looked at, or not as it was asked for, does.
    Ok(if reporting.exit_zero && exit == Exit::Findings { Exit::of(&run, 0) } else { exit })
}

/// How many things are held at the end of the process, if nobody asked for them one by one.
fn held_at_end(findings: &[Finding], on: &RuleSet, least: Confidence) -> usize {
    let held = findings.iter().filter(|finding| finding.variant == Some(Variant::HeldAtExit));
    held.filter(|finding| !on.contains(&finding.rule) && finding.confidence() >= least).count()
}

/// The units that are reported on, by name.
pub(crate) fn units(run: &Run, scope: &Scope) -> Vec<String> {
    run.inputs.iter().map(|input| input.name.clone()).filter(|name| scope.has(name)).collect()
}

/// Says how many findings `include` and `exclude` take away.
fn tell_left_out(settings: &Settings, left_out: usize) {
    if left_out > 0 && settings.talk != Talk::Quiet {
        let findings = if left_out == 1 { "1 finding is" } else { &*format!("{left_out} findings are") };
        output::say(&format!("note: {findings} in files that `include` and `exclude` leave out"));
    }
}

/// Takes out what people have marked as false or as not to be fixed.
pub(crate) fn apply_marks(marks: &BTreeMap<String, Mark>, outcome: &mut Outcome) {
    for finding in std::mem::take(&mut outcome.kept) {
        match marks.get(&fingerprint(&finding).to_string()).filter(|mark| mark.verdict.hides()) {
            None => outcome.kept.push(finding),
            Some(mark) => {
                let note = if mark.note.is_empty() { "no note" } else { &*mark.note };
                outcome.suppressed.push(Suppressed {
                    reason: format!("marked {}: {note}", mark.verdict.name()),
                    place: Place::new(marks::NAME, 0, 0),
                    finding,
                    by: By::Mark,
                });
            }
        }
    }
}

/// Says which findings are hidden by marks: marks are not part of the source, and may have come with a project.
fn tell_marks(settings: &Settings, outcome: &Outcome) {
    let marked: Vec<&Suppressed> = outcome.suppressed.iter().filter(|one| one.by == By::Mark).collect();
    if marked.is_empty() || settings.talk == Talk::Quiet {
        return;
    }
    let findings =
        if marked.len() == 1 { "1 finding is" } else { &*format!("{} findings are", marked.len()) };
    output::say(&format!("note: {findings} hidden by marks (`watertight mark list` shows them)"));
    let most = if settings.talk == Talk::Full { usize::MAX } else { MOST_NAMED };
    for one in marked.iter().take(most) {
        let place = &one.finding.place;
        let text = format!("{}:{}: {} [{}]", place.file, place.line, one.reason, one.finding.rule);
        output::say(&format!("note:   {}", one_line(&text)));
    }
    if marked.len() > most {
        output::say(&format!("note:   and {} more (-v shows all)", marked.len() - most));
    }
}

/// What a function does, for formats that show it beside a path.
fn contract(described: &Described) -> Contract {
    let does = match described.does.is_empty() {
        true => vec!["nothing that matters to resources".to_owned()],
        false => described.does.clone(),
    };
    let from = described.place.as_ref().or(described.model_file.as_ref()).cloned().unwrap_or_default();
    Contract { name: described.name.clone(), from, does }
}

/// The text of a run that could read nothing: it must not sound like one that found nothing.
fn write_unread(out: &mut dyn Write, report: &Report<'_>) -> io::Result<()> {
    gcc::write(out, report)?;
    writeln!(out, "nothing could be read, so nothing was checked")
}
