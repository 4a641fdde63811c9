//! Bytes as a source that is shown: comments that suppress, excerpts in every format.
//!
//! What must hold: no panic wherever a finding points; formats for people hold no control characters, and those for
//! programs are what they say.
#![no_main]

use libfuzzer_sys::fuzz_target;
use watertight_finding::{
    Doubts, Finding, Level, Page, Place, Rule, RuleId, Step, StepKind, Support, Switch, Trace,
};
use watertight_report::select::RuleSet;
use watertight_report::suppress::suppress;
use watertight_report::{Report, SourceMap, Sources, gcc, html, json, sarif};

fuzz_target!(|bytes: &[u8]| {
    let Some((head, text)) = bytes.split_at_checked(6) else { return };
    let at = |line: u8, column: u8| Place::new("a.c", u32::from(line), u32::from(column)).in_function("f");
    let rule = Rule {
        id: RuleId::new("memory-leak"),
        summary: "memory leaks".into(),
        level: Level::Warning,
        cwe: vec![].into(),
        default: Switch::On,
        since: "0.1.0".into(),
        help: "Release it.".into(),
        page: Page::NONE,
    };
    let mut finding = Finding::new(&rule, "memory leaks", at(head[0], head[1]));
    finding.doubts = Doubts::NONE;
    finding.exits = vec![Trace::new(
        Support::SolverChecked,
        vec![
            Step::new(StepKind::Acquire, at(head[2], head[3]), "allocates"),
            Step::new(StepKind::Lost, at(head[4], head[5]), "returns"),
        ],
    )];
    let map = SourceMap::from_iter([("a.c", String::from_utf8_lossy(text).into_owned())]);
    let rules = [rule];
    let mut sources = Sources::new(&map);
    let shown = suppress(vec![finding], &[], &rules, &RuleSet::defaults(&rules), &mut sources);
    let report = Report { findings: &shown.kept, problems: &shown.problems, ..Report::new("0.1.0", &rules) };
    let mut out = Vec::new();
    json::write(&mut out, &report).expect("memory takes everything");
    serde_json::from_slice::<serde_json::Value>(&out).expect("a report is JSON");
    out.clear();
    sarif::write(&mut out, &report, &mut sources).expect("memory takes everything");
    serde_json::from_slice::<serde_json::Value>(&out).expect("a report is JSON");
    out.clear();
    gcc::write(&mut out, &report).expect("memory takes everything");
    html::write(&mut out, &report, &mut sources).expect("memory takes everything");
});
