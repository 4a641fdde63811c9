//! GitLab's code quality report: the part of Code Climate's format that GitLab reads.
//!
//! A list with one entry per finding: description, name of the check, fingerprint, severity, and place. GitLab shows
//! one entry per fingerprint, so a fingerprint that occurs again gets a number. Inputs that could not be analysed are
//! entries too, and so are functions that were given up: a merge request must not look better because something was
//! not looked at.
//!
//! What must hold: every entry has the five fields, `begin` is at least one, paths are relative to the repository if
//! the file lies in the working directory, and no fingerprint occurs twice.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;
use watertight_finding::{Confidence, Finding, Level, Place, Problem, ProblemKind};

use crate::fingerprint::fingerprint;
use crate::paths;
use crate::report::Report;
use crate::wording::{clip, confidence_clause};

#[derive(Serialize)]
struct Entry {
    description: String,
    check_name: String,
    fingerprint: String,
    severity: &'static str,
    location: Location,
}

#[derive(Serialize)]
struct Location {
    path: String,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: u32,
}

/// Writes the report as one JSON document with a line end.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(out: &mut dyn Write, report: &Report<'_>) -> io::Result<()> {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    let mut unique = |fingerprint: String| {
        let times = seen.entry(fingerprint.clone()).or_insert(0);
        *times += 1;
        if *times > 1 { format!("{fingerprint}-{times}") } else { fingerprint }
    };
    let mut entries = Vec::with_capacity(report.findings.len());
    for finding in report.findings {
        entries.push(Entry {
            description: format!("{} (confidence: {})", clip(&finding.message), confidence_clause(finding)),
            check_name: finding.rule.as_str().to_owned(),
            fingerprint: unique(fingerprint(finding).to_string()),
            severity: severity(finding),
            location: location(&finding.place, report.root),
        });
    }
    let told =
        |problem: &&Problem| problem.kind.level() == Level::Error || problem.kind == ProblemKind::GivenUp;
    for problem in report.problems.iter().filter(told) {
        entries.push(Entry {
            description: clip(&problem.sentence()),
            check_name: problem.kind.name().to_owned(),
            fingerprint: unique(problem_fingerprint(problem)),
            severity: if problem.kind.level() == Level::Error { "critical" } else { "info" },
            location: match (&problem.place, problem.kind) {
                (Some(place), _) => location(place, report.root),
                (None, ProblemKind::UnitFailed) => {
                    location(&Place::new(&*problem.subject, 0, 0), report.root)
                }
                (None, _) => location(&Place::new("watertight", 0, 0), report.root),
            },
        });
    }
    serde_json::to_writer_pretty(&mut *out, &entries)?;
    writeln!(out)
}

fn location(place: &Place, root: Option<&str>) -> Location {
    Location { path: paths::relative(&place.file, root), lines: Lines { begin: place.line.max(1) } }
}

/// Code Climate's words: how much it matters, as far as a tool can say.
fn severity(finding: &Finding) -> &'static str {
    match (finding.level, finding.confidence()) {
        (Level::Error, _) => "critical",
        (Level::Warning, Confidence::High) => "major",
        (Level::Warning, Confidence::Medium) => "minor",
        (Level::Warning, Confidence::Low) | (Level::Note, _) => "info",
    }
}

/// A problem is the same as long as its kind and its subject are.
fn problem_fingerprint(problem: &Problem) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in [problem.kind.name(), &problem.subject] {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex()[..32].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{conf_finding, finding, rules};
    use serde_json::Value;

    /// Renders, and checks what GitLab asks for.
    fn check(findings: &[Finding], problems: &[Problem]) -> Vec<Value> {
        let rules = rules();
        let report = Report { findings, problems, root: Some("/home/me"), ..Report::new("0.1.0", &rules) };
        let mut out = Vec::new();
        write(&mut out, &report).unwrap();
        let list: Vec<Value> = serde_json::from_slice(&out).unwrap();
        let mut fingerprints = Vec::new();
        for entry in &list {
            let keys: Vec<&String> = entry.as_object().unwrap().keys().collect();
            assert_eq!(keys.len(), 5, "{keys:?}");
            let text = |key: &str| entry[key].as_str().filter(|text| !text.is_empty()).unwrap().to_owned();
            let _ = (text("description"), text("check_name"));
            assert!(["info", "minor", "major", "critical", "blocker"].contains(&&*text("severity")));
            fingerprints.push(text("fingerprint"));
            assert!(!entry["location"]["path"].as_str().unwrap().starts_with("./"));
            assert!(entry["location"]["lines"]["begin"].as_u64().unwrap() > 0);
        }
        fingerprints.sort();
        fingerprints.dedup();
        assert_eq!(fingerprints.len(), list.len(), "a fingerprint twice");
        list
    }

    #[test]
    fn entries_have_what_gitlab_reads() {
        let problems = [
            Problem::new(ProblemKind::GivenUp, "main", "the step budget is spent"),
            Problem::new(ProblemKind::UnitFailed, "src/x.c", "clang failed"),
        ];
        let list = check(&[conf_finding(), conf_finding(), finding("/home/me/./b.c", 0, 0)], &problems);
        assert_eq!(list.len(), 5);
        assert_eq!(list[0]["fingerprint"], fingerprint(&conf_finding()).to_string());
        assert_eq!(list[1]["fingerprint"], format!("{}-2", fingerprint(&conf_finding())));
        assert_eq!(list[0]["severity"], "major");
        assert_eq!(list[0]["location"]["path"], "src/conf.c");
        assert_eq!(list[0]["location"]["lines"]["begin"], 3);
        assert_eq!(list[2]["location"]["path"], "b.c");
        assert_eq!((&list[3]["check_name"], &list[3]["severity"]), (&"given-up".into(), &"info".into()));
        assert_eq!(list[4]["check_name"], "unit-failed");
        assert_eq!(list[4]["location"]["path"], "src/x.c");
    }

    #[test]
    fn nothing_found_is_an_empty_list() {
        assert_eq!(check(&[], &[]), [] as [Value; 0]);
    }

    #[test]
    fn hostile_names_stay_text() {
        let mut hostile = finding("a\"\n<b>.c", 1, 1);
        hostile.message = "\u{1b}[31m <img src=x onerror=alert(1)> \"}]".into();
        let list = check(&[hostile], &[]);
        let description = list[0]["description"].as_str().unwrap();
        assert!(description.starts_with("\\x1b[31m <img src=x onerror=alert(1)> \"}] (confidence: "));
        assert_eq!(list[0]["location"]["path"], "a\"\n<b>.c");
    }
}
