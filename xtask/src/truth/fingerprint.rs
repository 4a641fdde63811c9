//! What a finding is called, so that a verdict about it stays with it.
//!
//! In goes a finding of a report and the text of the program, out comes its [`Fingerprint`]: the rule, the file, the
//! function that acquires, the call that acquires (`strdup#2`), and the set of ways out on which it is lost
//! (`load return#3`). Names for places come from the text ([`super::source`]), not from the wording of the report.
//!
//! What must hold: no line, no column, no name of a local variable and no wording goes in. Two findings are
//! **the same** when everything before the ways out agrees and at least one way out is shared: a true finding stays the
//! same when further ways are told, and one that shares none is another claim, which nobody has read.
//!
//! Rules without an acquisition have analogous parts. What is released twice or used after its release and came
//! from the caller is named by its first release; what breaks a property (locks, privileges) without a step that
//! acquires is named by the call or statement that breaks it. In both cases the way out is the place of the fault.

use std::collections::BTreeSet;

use super::report::{Finding, Place, Step};
use super::source::Sources;

/// The name of a finding.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Fingerprint {
    pub(super) rule: String,
    /// From the root of the source tree.
    pub(super) file: String,
    /// The function that acquires.
    pub(super) function: String,
    /// The call that acquires, with its number in the function.
    pub(super) acquired: String,
    /// The ways out: function and anchor.
    pub(super) lost: BTreeSet<String>,
}

impl Fingerprint {
    /// The fingerprint of a finding.
    pub(super) fn of(finding: &Finding, sources: &Sources) -> Fingerprint {
        let steps = || finding.exits.iter().flat_map(|exit| &exit.steps);
        let origin = |kind: &str| steps().find(|step| step.kind == kind && step.depth == 0);
        let begin = origin("acquire").or_else(|| origin("release"));
        let (place, acquired) = match begin {
            Some(step) => (&step.place, call(sources, &step.place, named(step))),
            None => (&finding.place, anchor(sources, &finding.place)),
        };
        let own = || finding.place.function.clone();
        let lost = finding.exits.iter().filter_map(|exit| exit.end());
        let mut lost: BTreeSet<String> = lost.map(|step| way(sources, &step.place, own())).collect();
        if lost.is_empty() {
            lost.insert(way(sources, &finding.place, own()));
        }
        Fingerprint {
            rule: finding.rule.clone(),
            file: sources.relative(&place.file),
            function: place.function.clone().or_else(own).unwrap_or_default(),
            acquired,
            lost,
        }
    }

    /// All of it as one text, for sorting and sampling.
    pub(super) fn text(&self) -> String {
        let lost: Vec<&str> = self.lost.iter().map(String::as_str).collect();
        [&self.rule, &self.file, &self.function, &self.acquired, &*lost.join(", ")].join(" | ")
    }

    /// Everything but the ways out.
    pub(super) fn key(&self) -> (&str, &str, &str, &str) {
        (&self.rule, &self.file, &self.function, &self.acquired)
    }

    /// Whether both say the same of the same thing.
    pub(super) fn is_same(&self, other: &Fingerprint) -> bool {
        self.key() == other.key() && !self.lost.is_disjoint(&other.lost)
    }
}

/// The name that stands in quotes in a step: the function that was called.
fn named(step: &Step) -> Option<&str> {
    step.text.split('`').nth(1)
}

fn call(sources: &Sources, place: &Place, reported: Option<&str>) -> String {
    let function = place.function.as_deref().unwrap_or_default();
    match (sources.text(&sources.relative(&place.file)), place.line) {
        (Some(text), Some(line)) => text.call(function, line, place.column, reported),
        _ => format!("{}#0", reported.unwrap_or("?")),
    }
}

fn anchor(sources: &Sources, place: &Place) -> String {
    let function = place.function.as_deref().unwrap_or_default();
    match (sources.text(&sources.relative(&place.file)), place.line) {
        (Some(text), Some(line)) => text.anchor(function, line, place.column),
        _ => "somewhere".to_owned(),
    }
}

fn way(sources: &Sources, place: &Place, own: Option<String>) -> String {
    let function = place.function.clone().or(own).unwrap_or_default();
    format!("{function} {}", anchor(sources, place))
}

/// For each finding of one report, whether another one of the report would be taken for the same.
pub(super) fn ambiguous(all: &[Fingerprint]) -> Vec<bool> {
    let same = |i: usize, j: usize| i != j && all[i].is_same(&all[j]);
    (0..all.len()).map(|i| (0..all.len()).any(|j| same(i, j))).collect()
}
