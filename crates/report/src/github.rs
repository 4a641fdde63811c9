//! Workflow commands of GitHub Actions, which become annotations of the change.
//!
//! One line per finding: `::warning file=...,line=...,col=...,title=...::message`, with the story of the finding as
//! further lines of the message. Problems that need somebody's eyes are annotations too; all others are lines of the
//! log, counted in one closing notice, which also has the summary of the run.
//!
//! GitHub shows the first ten annotations of each kind in a step and drops the others without a word, so the closing
//! notice says how many there are. Findings stand in the order of urgency: the ten that are shown are the ten to read
//! first.
//!
//! What must hold: each command is one line, and nothing from the program can begin another command or end a property.
//! The runner reads `%25`, `%0A`, `%0D`, and in properties `%3A` and `%2C`.

use std::io::{self, Write};

use watertight_finding::{Finding, Level, Place};

use crate::extent;
use crate::notes::told;
use crate::paths;
use crate::report::Report;
use crate::source::Sources;
use crate::wording::{clip, count, grouped};

/// How many annotations of a kind GitHub shows for one step.
const SHOWN: usize = 10;

/// Writes the report as workflow commands.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(out: &mut dyn Write, report: &Report<'_>, sources: &mut Sources<'_>) -> io::Result<()> {
    for finding in report.findings {
        let properties = properties(Some(&finding.place), finding.rule.as_str(), report.root, sources);
        let message =
            std::iter::once(clip(&finding.message)).chain(told(finding)).collect::<Vec<_>>().join("\n");
        writeln!(out, "::{} {properties}::{}", command(finding.level), data(&message))?;
    }
    for problem in report.problems {
        // An annotation for each would take the places of findings, so the log has them, as lines that are no commands.
        if problem.kind.level() == Level::Note {
            writeln!(out, "note: {}", data(&clip(&problem.to_string())))?;
            continue;
        }
        let properties = properties(problem.place.as_ref(), problem.kind.name(), report.root, sources);
        let message = clip(&problem.sentence());
        writeln!(out, "::{} {properties}::{}", command(problem.kind.level()), data(&message))?;
    }
    let mut last = vec![report.summary_line()];
    let quiet = report.problems.iter().filter(|problem| problem.kind.level() == Level::Note).count() as u64;
    if quiet > 0 {
        last.push(format!("{} in the log of this step", count(quiet, "note")));
    }
    let most = [Level::Error, Level::Warning, Level::Note].map(|level| annotated(report.findings, level));
    if most.into_iter().any(|number| number > SHOWN) {
        last.push(format!(
            "GitHub shows {SHOWN} annotations of a kind; all {} are in the log of this step",
            grouped(report.findings.len() as u64)
        ));
    }
    writeln!(out, "::notice title=watertight::{}", data(&last.join("\n")))
}

fn annotated(findings: &[Finding], level: Level) -> usize {
    findings.iter().filter(|finding| finding.level == level).count()
}

fn command(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "notice",
    }
}

/// `file=src/a.c,line=3,endLine=3,col=18,endColumn=30,title=memory-leak`. A line is given only with a file, and
/// columns only with both lines, since the service ignores them otherwise.
fn properties(place: Option<&Place>, title: &str, root: Option<&str>, sources: &mut Sources<'_>) -> String {
    let mut parts = Vec::new();
    if let Some(place) = place.filter(|place| !place.file.is_empty()) {
        parts.push(format!("file={}", property(&paths::relative(&place.file, root))));
        if place.has_line() {
            parts.push(format!("line={0},endLine={0}", place.line));
        }
        if place.has_line() && place.column != 0 {
            let file = sources.file(&place.file);
            let column =
                file.as_ref().map_or(place.column, |file| file.character_column(place.line, place.column));
            parts.push(format!("col={column}"));
            let end = place.end_column.or_else(|| {
                let line = file.as_ref()?.line(place.line)?;
                let start = usize::try_from(place.column - 1).ok()?;
                u32::try_from(extent::end_of(line, start) + 1).ok()
            });
            let end = end.map(|end| file.as_ref().map_or(end, |file| file.character_column(place.line, end)));
            parts.extend(end.filter(|&end| end > column).map(|end| format!("endColumn={end}")));
        }
    }
    parts.push(format!("title={}", property(title)));
    parts.join(",")
}

/// The text of a command. Line breaks are the writer's own; those of the program are shown as escapes before.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{NoSources, SourceMap};
    use crate::testing::{conf_finding, conf_sources, finding, rules};
    use watertight_finding::{Problem, ProblemKind};

    fn render(findings: &[Finding], problems: &[Problem], map: &SourceMap) -> Vec<String> {
        let rules = rules();
        let report = Report { findings, problems, root: Some("/home/me"), ..Report::new("0.1.0", &rules) };
        let mut out = Vec::new();
        write(&mut out, &report, &mut Sources::new(map)).unwrap();
        String::from_utf8(out).unwrap().lines().map(str::to_owned).collect()
    }

    /// Reads a command as the runner does: name, properties, message.
    fn parse(line: &str) -> (String, Vec<(String, String)>, String) {
        let rest = line.strip_prefix("::").expect("a command");
        let (head, message) = rest.split_once("::").expect("the end of the properties");
        let (name, list) = head.split_once(' ').unwrap_or((head, ""));
        let decode = |text: &str| text.replace("%0A", "\n").replace("%0D", "\r");
        let property = |text: &str| decode(text).replace("%3A", ":").replace("%2C", ",").replace("%25", "%");
        let properties = list
            .split(',')
            .map(|one| one.split_once('=').expect("a value"))
            .map(|(name, value)| (name.to_owned(), property(value)))
            .collect();
        (name.to_owned(), properties, decode(message).replace("%25", "%"))
    }

    #[test]
    fn a_finding_is_one_line() {
        let lines = render(&[conf_finding()], &[], &conf_sources());
        let start = "::warning file=src/conf.c,line=3,endLine=3,col=18,endColumn=30,title=memory-leak::`copy` leaks \
                     on some paths%0Asrc/conf.c:3:18: exit 1 of 2, step 1: `strdup` allocates memory%0A";
        assert!(lines[0].starts_with(start), "{}", lines[0]);
        assert_eq!(
            lines[1..],
            ["::notice title=watertight::1 finding (1 high) in 0 files; 0 functions analysed"]
        );
    }

    #[test]
    fn quiet_problems_are_counted_and_the_limit_is_said() {
        let problems = [
            Problem::new(ProblemKind::GivenUp, "main", "the step budget is spent"),
            Problem::new(ProblemKind::UnitFailed, "src/x.c", "clang failed"),
        ];
        let lines = render(&vec![finding("a.c", 1, 1); 11], &problems, &conf_sources());
        assert_eq!(lines.len(), 14);
        assert_eq!(lines[11], "note: `main` was analysed only in part: the step budget is spent");
        assert_eq!(lines[12], "::error title=unit-failed::could not analyse `src/x.c`: clang failed");
        let (_, _, last) = parse(&lines[13]);
        let last: Vec<&str> = last.lines().collect();
        assert_eq!(last[1], "1 note in the log of this step");
        assert_eq!(last[2], "GitHub shows 10 annotations of a kind; all 11 are in the log of this step");
    }

    #[test]
    fn hostile_names_stay_in_their_property() {
        let file = "a,line=9::error::owned\n::set-env name=X::y%0A.c";
        let mut hostile = finding(file, 1, 1);
        hostile.message = "x\n::error file=b.c::forged 100%\r\u{1b}[0m".into();
        let rules = rules();
        let findings = [hostile];
        let report = Report { findings: &findings, ..Report::new("0.1.0", &rules) };
        let mut out = Vec::new();
        write(&mut out, &report, &mut Sources::new(&NoSources)).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text.lines().count(), 2, "{text}");
        let (name, properties, message) = parse(text.lines().next().unwrap());
        assert_eq!(name, "warning");
        assert_eq!(properties[0], ("file".to_owned(), file.to_owned()));
        assert_eq!(properties.last().unwrap(), &("title".to_owned(), "memory-leak".to_owned()));
        assert!(message.starts_with("x\\n::error file=b.c::forged 100%\\r\\x1b[0m\n"), "{message}");
    }
}
