//! A report in one file, for a browser.
//!
//! The file has everything in it: the style, the scripts, and the data as JSON in blocks that no browser runs. Findings
//! are in blocks of some hundred and sources in blocks of one file each, which the script reads when they are needed;
//! so a report of a hundred thousand findings opens as quickly as a short one. `viewer.js`, `findings.js` and `style.css` are
//! shared with the page of `watertight serve`.
//!
//! What must hold: the file asks for nothing from anywhere. A content security policy forbids it, and allows no other
//! script and no other style than those that it names by hash. Nothing from the program becomes markup: data goes
//! into the file as JSON without a `<`, and from there to the page as text.

mod details;
mod excerpts;
mod sha256;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use serde::Serialize;
use watertight_finding::{Confidence, Finding, Growth, Support, Urgency};

pub use details::{Details, details};
pub use excerpts::{CONTEXT, Excerpt, Excerpts, Wanted};

use crate::report::Report;
use crate::source::Sources;
use crate::wording::{clip, support_clause};
use crate::xml;
use details::{Texts, kinds, support};
use excerpts::name;

/// How every page looks.
pub const STYLE: &str = include_str!("assets/style.css");
/// Draws findings into their source.
pub const VIEWER: &str = include_str!("assets/viewer.js");
/// The list of findings and the chosen one: its script, its frame, and the help about its keys.
pub const FINDINGS: &str = include_str!("assets/findings.js");
/// See [`FINDINGS`].
pub const FINDINGS_FRAME: &str = include_str!("assets/findings.html");
/// See [`FINDINGS`].
pub const FINDINGS_KEYS: &str = include_str!("assets/keys.html");
const SCRIPT: &str = include_str!("assets/report.js");
const BAR: &str = include_str!("assets/report.html");

/// Findings in one block.
const CHUNK: usize = 200;
/// If more text than this would be shown, less is kept around each place.
const MUCH_TEXT: usize = 24 << 20;
/// Lines around a place in a report with much text.
const LITTLE_CONTEXT: u32 = 5;
/// More problems than this are only counted.
const MOST_PROBLEMS: usize = 2000;
/// Findings that are told without a script.
const WITHOUT_SCRIPT: usize = 500;

/// Writes the report as one HTML document.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(out: &mut dyn Write, report: &Report<'_>, sources: &mut Sources<'_>) -> io::Result<()> {
    let wanted = || {
        let mut wanted = Wanted::new();
        report.findings.iter().for_each(|finding| wanted.add_finding(finding));
        wanted
    };
    let mut excerpts = wanted().cut(sources, CONTEXT);
    if excerpts.size() > MUCH_TEXT {
        excerpts = wanted().cut(sources, LITTLE_CONTEXT);
    }
    let script = format!("{VIEWER}\n{FINDINGS}\n{SCRIPT}");
    write_head(out, report, &script)?;
    writeln!(out, "<body>\n{BAR}{FINDINGS_FRAME}<div id=\"paper\"></div>\n{FINDINGS_KEYS}")?;
    write_without_script(out, report)?;
    let files = shown_files(report.findings, &excerpts);
    write_block(out, "meta", &meta(report, &files))?;
    write_block(out, "index", &index(report))?;
    write_block(out, "contracts", &contracts(report))?;
    for (number, findings) in report.findings.chunks(CHUNK).enumerate() {
        write_block(out, &format!("d{number}"), &details(findings, &excerpts))?;
    }
    for (number, file) in files.iter().enumerate() {
        if let Some(excerpt) = excerpts.file(file) {
            write_block(out, &format!("s{number}"), excerpt)?;
        }
    }
    writeln!(out, "<script>{script}</script>\n</body>\n</html>")
}

fn write_head(out: &mut dyn Write, report: &Report<'_>, script: &str) -> io::Result<()> {
    let policy = format!(
        "default-src 'none'; script-src {}; style-src {}; base-uri 'none'; form-action 'none'",
        sha256::policy_source(script),
        sha256::policy_source(STYLE)
    );
    writeln!(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">")?;
    writeln!(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">")?;
    writeln!(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")?;
    writeln!(out, "<meta name=\"referrer\" content=\"no-referrer\">")?;
    writeln!(out, "<meta name=\"generator\" content=\"watertight {}\">", xml::text(report.version))?;
    writeln!(out, "<title>{}</title>\n<style>{STYLE}</style>\n</head>", xml::text(&title(report)))
}

/// The name of the project is that of the directory.
fn title(report: &Report<'_>) -> String {
    match report.root.and_then(|root| root.rsplit('/').find(|part| !part.is_empty())) {
        Some(project) => format!("{} · Watertight", clip(project)),
        None => "Watertight".to_owned(),
    }
}

/// What a reader without scripts sees.
fn write_without_script(out: &mut dyn Write, report: &Report<'_>) -> io::Result<()> {
    writeln!(
        out,
        "<noscript><h1>{}</h1><p>{}</p>",
        xml::text(&title(report)),
        xml::text(&report.summary_line())
    )?;
    writeln!(out, "<p>Paths and sources are shown by a script; this is the list alone.</p><ol>")?;
    for finding in report.findings.iter().take(WITHOUT_SCRIPT) {
        let (place, message) = (clip(&finding.place.to_string()), clip(&finding.message));
        writeln!(out, "<li>{}: {} [{}]</li>", xml::text(&place), xml::text(&message), finding.rule)?;
    }
    writeln!(out, "</ol></noscript>")
}

/// JSON in which no markup can begin, in a block that no browser runs.
fn write_block(out: &mut dyn Write, id: &str, value: &impl Serialize) -> io::Result<()> {
    let json = serde_json::to_string(value)?.replace('<', "\\u003c");
    writeln!(out, "<script type=\"application/json\" id=\"{id}\">{json}</script>")
}

/// The files that can be shown, in the order of their blocks.
fn shown_files<'f>(findings: &'f [Finding], excerpts: &Excerpts) -> Vec<&'f str> {
    let mut files = BTreeSet::new();
    for finding in findings {
        files.insert(&*finding.place.file);
        let steps = finding.exits.iter().flat_map(|trace| &trace.steps).chain(&finding.sibling);
        files.extend(steps.map(|step| &*step.place.file));
        files.extend(finding.assumptions.iter().map(|assumption| &*assumption.place.file));
    }
    files.into_iter().filter(|file| excerpts.file(file).is_some()).collect()
}

/// What a page knows before it asks for details: words, rules, problems.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Meta<'a> {
    version: &'a str,
    summary: String,
    chunk: usize,
    kinds: Vec<&'static str>,
    confidences: Vec<&'static str>,
    supports: Vec<&'static str>,
    stages: &'static [StageWords],
    rules: Vec<RuleWords<'a>>,
    sources: BTreeMap<String, usize>,
    problems: Vec<(&'static str, &'static str, String, Option<String>)>,
    problems_left: usize,
}

#[derive(Debug, Serialize)]
struct RuleWords<'a> {
    id: &'a str,
    help: &'a str,
    cwe: Vec<u32>,
}

/// How a page speaks of when a defect shows: the heading of a group, and what is said of one finding, which may be nothing. They
/// hold for every rule: a double free is on an ordinary path as a leak is.
#[derive(Debug, Clone, Copy, Serialize)]
struct StageWords {
    group: &'static str,
    said: &'static str,
}

/// In the order in which they should be read; [`stage`] gives the index.
const STAGES: &[StageWords] = &[
    StageWords { group: "In every iteration of a loop", said: "again in every iteration of the loop" },
    StageWords { group: "On ordinary paths", said: "" },
    StageWords { group: "On error paths", said: "only on an error path" },
    StageWords { group: "When memory runs out", said: "only when memory runs out" },
    StageWords { group: "Once per process", said: "at most once per process" },
    StageWords { group: "Just before the process ends", said: "the process ends soon after" },
];

fn stage(finding: &Finding) -> usize {
    match (finding.urgency, finding.growth) {
        (Urgency::ProcessEnding, _) => 5,
        (_, Growth::OncePerProcess) => 4,
        (Urgency::MemoryRunsOut, _) => 3,
        (Urgency::ErrorHandling, _) | (_, Growth::ErrorPath) => 2,
        (Urgency::Ordinary, Growth::EachCall) => 1,
        (Urgency::Ordinary, Growth::EachIteration) => 0,
    }
}

/// The words for a page. `files` are those that have a block of their own.
#[must_use]
pub fn meta<'a>(report: &Report<'a>, files: &[&str]) -> Meta<'a> {
    let problems = report.problems.iter().take(MOST_PROBLEMS);
    Meta {
        version: report.version,
        summary: report.summary_line(),
        chunk: CHUNK,
        kinds: kinds(),
        confidences: Confidence::ALL.iter().map(|confidence| confidence.name()).collect(),
        supports: [Support::Unchecked, Support::SolverChecked, Support::Replayed]
            .map(support_clause)
            .to_vec(),
        stages: STAGES,
        rules: report
            .rules
            .iter()
            .map(|rule| RuleWords {
                id: rule.id.as_str(),
                help: &rule.help,
                cwe: rule.cwe.iter().map(|cwe| cwe.0).collect(),
            })
            .collect(),
        sources: files.iter().enumerate().map(|(number, file)| (name(file), number)).collect(),
        problems: problems
            .map(|problem| {
                let place = problem.place.as_ref().map(|place| clip(&place.to_string()));
                (problem.kind.name(), problem.kind.level().name(), clip(&problem.sentence()), place)
            })
            .collect(),
        problems_left: report.problems.len().saturating_sub(MOST_PROBLEMS),
    }
}

/// The rows of the list of findings.
#[derive(Debug, Serialize)]
pub struct Index {
    texts: Vec<String>,
    files: Vec<String>,
    rows: Vec<Row>,
}

/// Rule, level, confidence, support, stage, message, file, line, function, number of exits, and the first step, by which a finding can
/// be searched too: it names the function that acquires.
type Row = (usize, &'static str, usize, u8, usize, u32, u32, u32, u32, usize, u32);

/// The list of findings, in short.
#[must_use]
pub fn index(report: &Report<'_>) -> Index {
    let rules: BTreeMap<&str, usize> =
        report.rules.iter().enumerate().map(|(number, rule)| (rule.id.as_str(), number)).collect();
    let (mut texts, mut files) = (Texts::default(), Texts::default());
    let position = |all: &[Confidence], one| all.iter().position(|&other| other == one).unwrap_or(0);
    let rows = report
        .findings
        .iter()
        .map(|finding| {
            (
                rules.get(finding.rule.as_str()).copied().unwrap_or(0),
                finding.level.name(),
                position(&Confidence::ALL, finding.confidence()),
                support(finding.support),
                stage(finding),
                texts.index(&finding.message, clip),
                files.index(&finding.place.file, name),
                finding.place.line,
                texts.index(&finding.place.function, clip),
                finding.exits.len(),
                texts.index(first_step(finding), clip),
            )
        })
        .collect();
    Index { texts: texts.into_list(), files: files.into_list(), rows }
}

/// What the path begins with.
fn first_step(finding: &Finding) -> &str {
    finding.exits.first().and_then(|trace| trace.steps.first()).map_or("", |step| &step.text)
}

/// The contracts of functions that some path names.
fn contracts<'a>(report: &Report<'a>) -> Vec<&'a crate::Contract> {
    let named = named(report.findings);
    report.contracts.iter().filter(|contract| named.contains(&*contract.name)).collect()
}

/// The functions that the paths of findings name, and other words in backticks.
#[must_use]
pub fn named(findings: &[Finding]) -> BTreeSet<&str> {
    let mut named: BTreeSet<&str> = BTreeSet::new();
    for finding in findings {
        let steps = finding.exits.iter().flat_map(|trace| &trace.steps).chain(&finding.sibling);
        for step in steps {
            named.insert(&*step.place.function);
            named.extend(step.text.split('`').skip(1).step_by(2));
        }
        named.extend(finding.message.split('`').skip(1).step_by(2));
        named.extend(finding.assumptions.iter().flat_map(|one| one.text.split('`').skip(1).step_by(2)));
    }
    named
}

#[cfg(test)]
mod tests;
