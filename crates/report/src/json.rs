//! Everything a run has to say, for programs.
//!
//! The schema is our own and has a version: [`SCHEMA_VERSION`] changes when a field changes its meaning or
//! goes away, not when one is added. It is described in `docs/output.md`. Fields stand in a fixed order and
//! absent values are `null`, so that two reports can be compared as text. The types here are twins of the
//! plain values, made only to be written: renaming a field inside the program cannot change the format by
//! accident.
//!
//! Findings are turned into their twins one by one while writing, since there may be very many.

use std::io::{self, Write};

use serde::ser::{Serialize, SerializeSeq as _, Serializer};
use watertight_finding as plain;

use crate::fingerprint::fingerprint;
use crate::report::{Ending, Report};
use crate::suppress::Suppressed;

/// The version of the schema.
pub const SCHEMA_VERSION: u32 = 1;

/// Writes the report as one JSON document with a line end.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(out: &mut dyn Write, report: &Report<'_>) -> io::Result<()> {
    let document = Document {
        schema_version: SCHEMA_VERSION,
        tool: Tool { name: "watertight", version: report.version },
        summary: summary(report),
        rules: report.rules.iter().map(rule).collect(),
        findings: Each(report.findings, reported),
        suppressed: Each(report.suppressed, suppressed),
        problems: Each(report.problems, problem),
    };
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}

/// A list whose elements are made while it is written.
struct Each<'a, T, F>(&'a [T], F);

impl<'a, T, U: Serialize, F: Fn(&'a T) -> U> Serialize for Each<'a, T, F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.len()))?;
        for element in self.0 {
            list.serialize_element(&self.1(element))?;
        }
        list.end()
    }
}

#[derive(serde::Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a, F: Serialize, S: Serialize, P: Serialize> {
    schema_version: u32,
    tool: Tool<'a>,
    summary: Summary,
    rules: Vec<Rule<'a>>,
    findings: F,
    suppressed: S,
    problems: P,
}

#[derive(serde::Serialize)]
struct Tool<'a> {
    name: &'a str,
    version: &'a str,
}

#[derive(serde::Serialize)]
#[serde(rename_all = "camelCase")]
struct Summary {
    complete: bool,
    findings: usize,
    high: usize,
    medium: usize,
    low: usize,
    suppressed: usize,
    hidden: usize,
    aside: usize,
    held: usize,
    files: u64,
    functions: u64,
    given_up: usize,
    failed: usize,
}

fn summary(report: &Report<'_>) -> Summary {
    let failed = report.problems_of(plain::ProblemKind::UnitFailed);
    Summary {
        complete: report.ending == Ending::Complete && failed == 0,
        findings: report.findings.len(),
        high: report.with_confidence(plain::Confidence::High),
        medium: report.with_confidence(plain::Confidence::Medium),
        low: report.with_confidence(plain::Confidence::Low),
        suppressed: report.suppressed.len(),
        hidden: report.hidden,
        aside: report.aside.memory + report.aside.ending,
        held: report.held,
        files: report.coverage.files,
        functions: report.coverage.functions,
        given_up: report.problems_of(plain::ProblemKind::GivenUp),
        failed,
    }
}

#[derive(serde::Serialize)]
struct Rule<'a> {
    id: &'a str,
    summary: &'a str,
    level: &'a str,
    cwe: Vec<u32>,
    default: &'a str,
    since: &'a str,
    help: &'a str,
}

fn rule(rule: &plain::Rule) -> Rule<'_> {
    Rule {
        id: rule.id.as_str(),
        summary: &rule.summary,
        level: rule.level.name(),
        cwe: rule.cwe.iter().map(|cwe| cwe.0).collect(),
        default: match rule.default {
            plain::Switch::On => "on",
            plain::Switch::Off => "off",
        },
        since: &rule.since,
        help: &rule.help,
    }
}

#[derive(serde::Serialize)]
struct Finding<'a> {
    rule: &'a str,
    level: &'a str,
    confidence: &'a str,
    doubts: Vec<Doubt>,
    support: &'a str,
    urgency: &'a str,
    growth: &'a str,
    resource: &'a str,
    variant: Option<&'a str>,
    message: &'a str,
    fingerprint: String,
    place: Place<'a>,
    exits: Vec<Exit<'a>>,
    sibling: Option<Step<'a>>,
    needs: &'a [String],
    assumptions: Vec<Assumption<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suppression: Option<Suppression<'a>>,
}

fn reported(finding: &plain::Finding) -> Finding<'_> {
    twin(finding, None)
}

fn suppressed(suppressed: &Suppressed) -> Finding<'_> {
    let suppression =
        Suppression { by: suppressed.by.name(), reason: &suppressed.reason, place: place(&suppressed.place) };
    twin(&suppressed.finding, Some(suppression))
}

fn twin<'a>(finding: &'a plain::Finding, suppression: Option<Suppression<'a>>) -> Finding<'a> {
    Finding {
        rule: finding.rule.as_str(),
        level: finding.level.name(),
        confidence: finding.confidence().name(),
        doubts: finding
            .doubts
            .iter()
            .map(|doubt| Doubt { name: doubt.name(), text: doubt.words() })
            .collect(),
        support: finding.support.name(),
        urgency: finding.urgency.name(),
        growth: finding.growth.name(),
        resource: finding.resource.as_str(),
        variant: finding.variant.map(plain::Variant::name),
        message: &finding.message,
        fingerprint: fingerprint(finding).to_string(),
        place: place(&finding.place),
        exits: finding.exits.iter().map(exit).collect(),
        sibling: finding.sibling.as_ref().map(step),
        needs: &finding.needs,
        assumptions: finding
            .assumptions
            .iter()
            .map(|a| Assumption { text: &a.text, place: place(&a.place) })
            .collect(),
        suppression,
    }
}

#[derive(serde::Serialize)]
#[serde(rename_all = "camelCase")]
struct Place<'a> {
    file: &'a str,
    line: Option<u32>,
    column: Option<u32>,
    end_column: Option<u32>,
    function: Option<&'a str>,
}

fn place(place: &plain::Place) -> Place<'_> {
    Place {
        file: &place.file,
        line: Some(place.line).filter(|&line| line != 0),
        column: Some(place.column).filter(|&column| column != 0),
        end_column: place.end_column,
        function: Some(&*place.function).filter(|function| !function.is_empty()),
    }
}

#[derive(serde::Serialize)]
struct Exit<'a> {
    support: &'a str,
    steps: Vec<Step<'a>>,
}

fn exit(trace: &plain::Trace) -> Exit<'_> {
    Exit { support: trace.support.name(), steps: trace.steps.iter().map(step).collect() }
}

#[derive(serde::Serialize)]
struct Step<'a> {
    kind: &'a str,
    text: &'a str,
    depth: u32,
    values: Vec<Value<'a>>,
    place: Place<'a>,
}

#[derive(serde::Serialize)]
struct Value<'a> {
    name: &'a str,
    value: &'a str,
}

fn step(step: &plain::Step) -> Step<'_> {
    Step {
        kind: step.kind.name(),
        text: &step.text,
        depth: step.depth,
        values: step.values.iter().map(|b| Value { name: &b.name, value: &b.value }).collect(),
        place: place(&step.place),
    }
}

/// Why it may not be true: a word for programs, and a clause that completes "low because".
#[derive(serde::Serialize)]
struct Doubt {
    name: &'static str,
    text: &'static str,
}

#[derive(serde::Serialize)]
struct Assumption<'a> {
    text: &'a str,
    place: Place<'a>,
}

#[derive(serde::Serialize)]
struct Suppression<'a> {
    by: &'a str,
    reason: &'a str,
    place: Place<'a>,
}

#[derive(serde::Serialize)]
struct Problem<'a> {
    kind: &'a str,
    level: &'a str,
    subject: &'a str,
    cause: &'a str,
    place: Option<Place<'a>>,
}

fn problem(problem: &plain::Problem) -> Problem<'_> {
    Problem {
        kind: problem.kind.name(),
        level: problem.kind.level().name(),
        subject: &problem.subject,
        cause: &problem.cause,
        place: problem.place.as_ref().map(place),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{conf_finding, finding as small_finding, rules};
    use plain::{Coverage, ProblemKind};

    fn render(report: &Report<'_>) -> String {
        let mut out = Vec::new();
        write(&mut out, report).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn fields_stand_in_a_fixed_order() {
        let rules = &rules()[..1];
        let findings = [small_finding("a.c", 3, 0)];
        let problems = [plain::Problem::new(ProblemKind::GivenUp, "f", "the step budget is spent")];
        let report = Report {
            findings: &findings,
            problems: &problems,
            coverage: Coverage { files: 1, functions: 2, proved: None, proved_assuming: Vec::new() },
            ..Report::new("0.1.0", rules)
        };
        assert_eq!(
            render(&report),
            r#"{
  "schemaVersion": 1,
  "tool": {
    "name": "watertight",
    "version": "0.1.0"
  },
  "summary": {
    "complete": true,
    "findings": 1,
    "high": 0,
    "medium": 0,
    "low": 1,
    "suppressed": 0,
    "hidden": 0,
    "aside": 0,
    "held": 0,
    "files": 1,
    "functions": 2,
    "givenUp": 1,
    "failed": 0
  },
  "rules": [
    {
      "id": "memory-leak",
      "summary": "memory leaks",
      "level": "warning",
      "cwe": [
        401
      ],
      "default": "on",
      "since": "0.1.0",
      "help": "Release it on every path."
    }
  ],
  "findings": [
    {
      "rule": "memory-leak",
      "level": "warning",
      "confidence": "low",
      "doubts": [
        {
          "name": "not-checked",
          "text": "the path was not checked"
        }
      ],
      "support": "unchecked",
      "urgency": "ordinary",
      "growth": "each-call",
      "resource": "heap",
      "variant": null,
      "message": "`copy` leaks on some paths",
      "fingerprint": "FINGER",
      "place": {
        "file": "a.c",
        "line": 3,
        "column": null,
        "endColumn": null,
        "function": "load"
      },
      "exits": [],
      "sibling": null,
      "needs": [],
      "assumptions": []
    }
  ],
  "suppressed": [],
  "problems": [
    {
      "kind": "given-up",
      "level": "note",
      "subject": "f",
      "cause": "the step budget is spent",
      "place": null
    }
  ]
}
"#
            .replace("FINGER", &fingerprint(&findings[0]).to_string())
        );
    }

    #[test]
    fn nothing_of_a_finding_is_missing() {
        let rules = rules();
        let findings = [conf_finding()];
        let suppressed = [Suppressed {
            finding: conf_finding(),
            reason: "it \"lives\" on\n".into(),
            place: plain::Place::new("src/conf.c", 2, 1),
            by: crate::suppress::By::Comment,
        }];
        let report = Report { findings: &findings, suppressed: &suppressed, ..Report::new("0.1.0", &rules) };
        let value: serde_json::Value = serde_json::from_str(&render(&report)).unwrap();
        let finding = &value["findings"][0];
        assert_eq!(finding["variant"], "some-paths");
        assert_eq!(finding["exits"].as_array().unwrap().len(), 2);
        assert_eq!(finding["exits"][1]["support"], "unchecked");
        let step = &finding["exits"][0]["steps"][2];
        assert_eq!(step["kind"], "branch");
        assert_eq!(step["values"][0]["name"], "parse(copy, out)");
        assert_eq!(step["values"][0]["value"], "0");
        assert_eq!(step["place"]["line"], 7);
        assert_eq!(finding["sibling"]["place"]["line"], 11);
        assert_eq!(finding["assumptions"][0]["place"]["column"], 5);
        assert!(finding.get("suppression").is_none());
        assert_eq!(value["suppressed"][0]["suppression"]["reason"], "it \"lives\" on\n");
        assert_eq!(value["suppressed"][0]["suppression"]["place"]["line"], 2);
        assert_eq!(value["suppressed"][0]["suppression"]["by"], "comment");
    }
}
