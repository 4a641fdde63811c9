//! Bringing together what is said about the same root cause, and the order in which people read.
//!
//! Several engines, and several callers of the same function, may find the same root cause. They agree on the
//! rule and on the primary place, so that pair is the key. Of all that is said about one key the best founded
//! voice is kept (confidence, then support), with the exits of all of them: one trace per place where a path
//! ends, the best founded one, then the shortest.
//!
//! Several acquisitions that one variable holds, and that are lost at the same places, are one mistake: whoever repairs the place for one
//! of them repairs it for all ([`one_mistake`]). One finding is left, with a note at each of the others. Things in different
//! variables, or in different functions, stay apart, whatever the words.
//!
//! What must hold: the result does not depend on the order of the input, and merging twice changes nothing.
//! Every choice therefore ends in a comparison of the whole values.
//!
//! The order of reading is by what has to go wrong ([`Urgency`](crate::Urgency)), what shows on ordinary paths first; then
//! by growth ([`Growth`](crate::Growth)): what grows with every turn of a loop first, what is lost once per process
//! last; then by file, line and column.

use std::cmp::Reverse;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::{Finding, Place, RuleId, Said, Step, StepKind, Support, Trace};

/// Merges findings with the same rule and primary place, and sorts what is left for reading.
///
/// The merged finding has the words, the doubts, the variant and the identity of the best founded one; the loudest level;
/// the most urgent urgency and growth; the exits of all; what all of them need; and the assumptions of all that an exit was taken from.
#[must_use]
pub fn merge(findings: Vec<Finding>) -> Vec<Finding> {
    let mut groups: BTreeMap<(RuleId, Point), Vec<Finding>> = BTreeMap::new();
    for finding in findings {
        let key = (finding.rule.clone(), point(&finding.place));
        groups.entry(key).or_default().push(finding);
    }
    let mut merged = one_mistake(groups.into_values().map(merge_group).collect());
    sort(&mut merged);
    merged
}

/// Puts findings in the order of reading: urgency, then file, line, column and rule.
pub fn sort(findings: &mut [Finding]) {
    findings.sort_by(|a, b| {
        let order = a.urgency.cmp(&b.urgency);
        order
            .then_with(|| a.growth.cmp(&b.growth))
            .then_with(|| a.place.point().cmp(&b.place.point()))
            .then_with(|| a.rule.cmp(&b.rule))
            .then_with(|| a.cmp(b))
    });
}

/// A trace among those that end at the same place. The smallest one is kept, so the order of the fields is
/// the order of preference. The finding it comes from stands last: it must not decide before the trace itself
/// does.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    support: Reverse<Support>,
    length: usize,
    trace: Trace,
    /// The position of the finding in the sorted group.
    voice: usize,
}

/// An owned [`Place::point`]: file, line and column.
type Point = (Arc<str>, u32, u32);

fn merge_group(mut group: Vec<Finding>) -> Finding {
    // The best founded voice first; equal ones in the order of the whole values, so that the order of the
    // input cannot decide.
    group.sort_by(|a, b| {
        let key = |f: &Finding| (Reverse(f.confidence()), Reverse(f.support));
        key(a).cmp(&key(b)).then_with(|| a.cmp(b))
    });

    let mut kept: BTreeMap<Option<Point>, Candidate> = BTreeMap::new();
    for (voice, finding) in group.iter().enumerate() {
        for trace in &finding.exits {
            let candidate = Candidate {
                support: Reverse(trace.support),
                length: trace.steps.len(),
                trace: trace.clone(),
                voice,
            };
            match kept.entry(trace.end().map(|step| point(&step.place))) {
                Entry::Vacant(entry) => drop(entry.insert(candidate)),
                Entry::Occupied(mut entry) if candidate < *entry.get() => drop(entry.insert(candidate)),
                Entry::Occupied(_) => {}
            }
        }
    }

    let mut contributors: BTreeSet<usize> = kept.values().map(|exit| exit.voice).collect();
    contributors.insert(0);
    let assumptions: BTreeSet<_> =
        contributors.iter().flat_map(|&voice| group[voice].assumptions.iter().cloned()).collect();
    // What all of them need is needed.
    let mut needs = group[0].needs.clone();
    needs.retain(|need| group.iter().all(|finding| finding.needs.contains(need)));
    let level = group.iter().map(|f| f.level).max();
    let urgency = group.iter().map(|f| f.urgency).min();
    let growth = group.iter().map(|f| f.growth).min();
    let support = group.iter().map(|f| f.support).max();
    let sibling = group.iter().find_map(|f| f.sibling.clone());

    // The best checked path first, since outputs draw the first one in full; then in the order of the source,
    // which is the order the map has.
    let mut exits: Vec<Candidate> = kept.into_values().collect();
    exits.sort_by_key(|exit| exit.support);

    let mut best = group.swap_remove(0);
    best.level = level.unwrap_or(best.level);
    best.urgency = urgency.unwrap_or(best.urgency);
    best.growth = growth.unwrap_or(best.growth);
    best.support = support.unwrap_or(best.support);
    best.sibling = sibling;
    best.needs = needs;
    best.exits = exits.into_iter().map(|exit| exit.trace).collect();
    best.assumptions = assumptions.into_iter().collect();
    best
}

/// Leaves one of the findings in a function whose resources the same variable holds, if the others are lost only where that one is.
fn one_mistake(findings: Vec<Finding>) -> Vec<Finding> {
    let mut groups: BTreeMap<_, Vec<Finding>> = BTreeMap::new();
    let mut left = Vec::new();
    for finding in findings {
        match (&finding.holder, finding.variant) {
            (Some(holder), Some(_)) if !finding.exits.is_empty() => {
                let Place { file, function, .. } = &finding.place;
                let place = (Arc::clone(file), Arc::clone(function));
                let key = (finding.rule.clone(), place, holder.clone(), finding.resource.clone());
                groups.entry(key).or_default().push(finding);
            }
            _ => left.push(finding),
        }
    }
    for mut group in groups.into_values() {
        group.sort_by(|a, b| {
            let key = |f: &Finding| (Reverse(f.confidence()), Reverse(ends(f).len()), point(&f.place));
            key(a).cmp(&key(b)).then_with(|| a.cmp(b))
        });
        let mut kept: Vec<Finding> = Vec::new();
        for finding in group {
            let lost = ends(&finding);
            match kept.iter_mut().find(|other| ends(other).is_superset(&lost)) {
                Some(other) => absorb(other, finding),
                None => kept.push(finding),
            }
        }
        left.append(&mut kept);
    }
    left
}

/// The places where something is lost.
fn ends(finding: &Finding) -> BTreeSet<Point> {
    finding.exits.iter().filter_map(Trace::end).map(|step| point(&step.place)).collect()
}

/// Notes another acquisition in a finding.
fn absorb(finding: &mut Finding, other: Finding) {
    finding.urgency = finding.urgency.min(other.urgency);
    finding.growth = finding.growth.min(other.growth);
    finding.level = finding.level.max(other.level);
    // What only one of them needs is not needed.
    finding.needs.retain(|need| other.needs.contains(need));
    let Some(exit) = finding.exits.first_mut() else { return };
    let holder = finding.holder.as_deref().unwrap_or_default();
    // A path ends where the thing is lost.
    let last = exit.steps.len().saturating_sub(1);
    exit.steps.insert(last, Step::new(StepKind::Note, other.place, Said::AlsoFrom { held: holder }));
}

fn point(place: &Place) -> Point {
    (Arc::clone(&place.file), place.line, place.column)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::*;
    use std::borrow::Cow;

    fn rule(id: &'static str) -> Rule {
        Rule {
            id: RuleId::new(id),
            summary: Cow::Borrowed(""),
            level: Level::Warning,
            cwe: Cow::Borrowed(&[]),
            default: Switch::On,
            since: Cow::Borrowed("0.1.0"),
            help: Cow::Borrowed(""),
            page: Page::NONE,
        }
    }

    fn trace(support: Support, lines: &[u32]) -> Trace {
        let last = lines.len() - 1;
        let steps = lines
            .iter()
            .enumerate()
            .map(|(i, &line)| {
                let kind = if i == last { StepKind::Lost } else { StepKind::Branch };
                Step::new(kind, Place::new("a.c", line, 1), "")
            })
            .collect();
        Trace::new(support, steps)
    }

    fn finding(line: u32, confidence: Confidence, exits: Vec<Trace>) -> Finding {
        let mut finding = Finding::new(&rule("memory-leak"), "lost", Place::new("a.c", line, 1));
        finding.doubts = match confidence {
            Confidence::High => Doubts::NONE,
            Confidence::Medium => Doubt::Incomplete.into(),
            Confidence::Low => Doubt::LoopCut.into(),
        };
        finding.support = exits.iter().map(|t| t.support).max().unwrap_or(Support::Unchecked);
        finding.exits = exits;
        finding
    }

    /// All orders of the input, so that a choice that depends on the order cannot hide.
    fn permutations(items: &[Finding]) -> Vec<Vec<Finding>> {
        if items.is_empty() {
            return vec![vec![]];
        }
        let mut all = Vec::new();
        for i in 0..items.len() {
            let mut rest = items.to_vec();
            let first = rest.remove(i);
            for mut tail in permutations(&rest) {
                tail.insert(0, first.clone());
                all.push(tail);
            }
        }
        all
    }

    fn check(input: &[Finding]) -> Vec<Finding> {
        let merged = merge(input.to_vec());
        for order in permutations(input) {
            assert_eq!(merge(order), merged, "the order of the input must not matter");
        }
        assert_eq!(merge(merged.clone()), merged, "merging twice must change nothing");
        merged
    }

    #[test]
    fn the_same_root_cause_becomes_one_finding_with_all_exits() {
        let mut low = finding(2, Confidence::Low, vec![trace(Support::Unchecked, &[2, 3, 9])]);
        low.message = "maybe lost".into();
        low.level = Level::Error;
        low.assumptions.push(Assumption::new(Place::new("a.c", 3, 1), "`f` does not keep it"));
        let high = finding(2, Confidence::High, vec![trace(Support::Replayed, &[2, 5])]);
        let merged = check(&[low, high]);
        assert_eq!(merged.len(), 1);
        assert_eq!(merged[0].message, "lost");
        assert_eq!(merged[0].level, Level::Error);
        assert_eq!(merged[0].confidence(), Confidence::High);
        assert_eq!(merged[0].support, Support::Replayed);
        let ends: Vec<u32> = merged[0].exits.iter().map(|t| t.end().unwrap().place.line).collect();
        assert_eq!(ends, [5, 9]);
        assert_eq!(
            merged[0].assumptions.len(),
            1,
            "an exit of the unsure voice was kept, so its assumption was"
        );
    }

    #[test]
    fn one_trace_per_exit_the_best_founded_then_the_shortest() {
        let merged = check(&[
            finding(2, Confidence::High, vec![trace(Support::SolverChecked, &[2, 4, 6, 9])]),
            finding(2, Confidence::Medium, vec![trace(Support::SolverChecked, &[2, 9])]),
            finding(2, Confidence::Low, vec![trace(Support::Unchecked, &[9])]),
        ]);
        assert_eq!(merged[0].exits, [trace(Support::SolverChecked, &[2, 9])]);
    }

    #[test]
    fn assumptions_of_a_voice_that_adds_nothing_are_dropped() {
        let mut low = finding(2, Confidence::Low, vec![trace(Support::Unchecked, &[2, 9])]);
        low.assumptions.push(Assumption::new(Place::new("a.c", 3, 1), "`f` does not keep it"));
        let merged = check(&[low, finding(2, Confidence::High, vec![trace(Support::Replayed, &[2, 9])])]);
        assert_eq!(merged[0].assumptions, []);
    }

    #[test]
    fn other_places_and_other_rules_stay_apart() {
        let mut other_rule = finding(2, Confidence::High, vec![]);
        other_rule.rule = RuleId::new("resource-leak");
        let mut other_column = finding(2, Confidence::High, vec![]);
        other_column.place.column = 7;
        let mut other_extent = finding(2, Confidence::High, vec![]);
        other_extent.place.end_column = Some(12);
        let merged = check(&[finding(2, Confidence::High, vec![]), other_rule, other_column, other_extent]);
        assert_eq!(merged.len(), 3);
    }

    #[test]
    fn urgency_comes_first_then_the_place() {
        let with = |line, growth| {
            let mut f = finding(line, Confidence::High, vec![]);
            f.growth = growth;
            f
        };
        let merged = check(&[
            with(1, Growth::OncePerProcess),
            with(20, Growth::ErrorPath),
            with(3, Growth::ErrorPath),
            with(40, Growth::EachIteration),
            with(30, Growth::EachCall),
        ]);
        let lines: Vec<u32> = merged.iter().map(|f| f.place.line).collect();
        assert_eq!(lines, [40, 30, 3, 20, 1]);
    }

    #[test]
    fn a_sibling_known_to_any_voice_is_kept() {
        let mut low = finding(2, Confidence::Low, vec![]);
        low.sibling = Some(Step::new(StepKind::Release, Place::new("a.c", 12, 3), "`free` releases it"));
        let merged = check(&[low.clone(), finding(2, Confidence::High, vec![])]);
        assert_eq!(merged[0].sibling, low.sibling);
    }

    #[test]
    fn what_one_variable_holds_and_one_exit_loses_is_one_mistake() {
        let held = |line, holder: &str, ends: &[u32]| {
            let exits = ends.iter().map(|&end| trace(Support::SolverChecked, &[line, end])).collect();
            let mut f = finding(line, Confidence::High, exits);
            f.holder = Some(holder.to_owned());
            f.variant = Some(Variant::SomePaths);
            f
        };
        let lines = |merged: &[Finding]| merged.iter().map(|f| f.place.line).collect::<Vec<_>>();
        let merged = check(&[held(2, "p", &[9]), held(4, "p", &[9]), held(6, "p", &[9, 12])]);
        assert_eq!(lines(&merged), [6], "the one with the most exits has room for the others");
        let steps = &merged[0].exits[0].steps;
        let notes: Vec<u32> =
            steps.iter().filter(|step| step.kind == StepKind::Note).map(|step| step.place.line).collect();
        assert_eq!(notes, [2, 4]);
        assert_eq!(steps.last().map(|step| step.kind), Some(StepKind::Lost));

        assert_eq!(lines(&check(&[held(2, "p", &[9]), held(4, "q", &[9])])), [2, 4], "other variables");
        assert_eq!(lines(&check(&[held(2, "p", &[9]), held(4, "p", &[8])])), [2, 4], "other exits");
        let mut elsewhere = held(4, "p", &[9]);
        elsewhere.place.function = "g".into();
        assert_eq!(lines(&check(&[held(2, "p", &[9]), elsewhere])), [2, 4], "other functions");
        let mut unsure = held(2, "p", &[9, 12]);
        unsure.doubts = Doubt::LoopCut.into();
        assert_eq!(
            lines(&check(&[unsure, held(4, "p", &[9])])),
            [2, 4],
            "a sure one is not hidden by an unsure one"
        );
    }
}
