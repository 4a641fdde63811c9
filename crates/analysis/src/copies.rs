//! One report for all the functions that a macro makes.
//!
//! Macros that generate containers expand to the same functions for every type of element, and a mistake in the macro is
//! then a mistake in each of them. Whoever reads has one place to mend. In: the findings in functions that are the
//! expansion of a macro as a whole. Out: of those that say the same in the same words, the first in the order of the
//! source, with a note that tells how many others there are.

use std::collections::BTreeMap;
use std::sync::Arc;
use watertight_finding::{Confidence, Finding, Place, RuleId, Said, Step, StepKind};
use watertight_ir::Function;

/// What a finding says, whatever the function is called and wherever it stands.
type Words = (RuleId, Confidence, String, Vec<Vec<(StepKind, String)>>);

/// Findings in functions that macros make.
#[derive(Default)]
pub(crate) struct Copies {
    groups: BTreeMap<Words, Vec<Finding>>,
}

/// Whether all of a function stands at one place: where a macro was used that expands to it.
pub(crate) fn is_copy(function: &Function) -> bool {
    let Some(body) = &function.body else { return false };
    let used = body.insts.values().filter_map(|inst| inst.place);
    let used = used.chain(body.blocks.values().filter_map(|block| block.term_place));
    let mut places = used.map(|id| &body.places[id]).filter(|place| place.line != 0);
    let Some(first) = places.next() else { return false };
    let here = |line: u32, column: u32| (line, column) == (first.line, first.column);
    let declared = function.place.is_some_and(|id| body.places[id].line == first.line);
    // A function of one call stands at one place without any macro.
    declared && body.blocks.len() > 1 && places.all(|place| here(place.line, place.column))
}

impl Copies {
    pub(crate) fn add(&mut self, finding: Finding) {
        let steps = |steps: &[Step]| steps.iter().map(|step| (step.kind, step.text.clone())).collect();
        let exits = finding.exits.iter().map(|exit| steps(&exit.steps)).collect();
        let words = (finding.rule.clone(), finding.confidence(), finding.message.clone(), exits);
        self.groups.entry(words).or_default().push(finding);
    }

    /// One finding for each group of them.
    pub(crate) fn told(self) -> impl Iterator<Item = Finding> {
        self.groups.into_values().filter_map(|mut group| {
            group.sort_by(|one, other| place_of(one).cmp(&place_of(other)));
            let others: Vec<Arc<str>> =
                group.iter().skip(1).map(|other| Arc::clone(&other.place.function)).collect();
            let mut first = group.into_iter().next()?;
            let place = first.place.clone();
            if let (Some(note), Some(exit)) = (note(&others), first.exits.first_mut()) {
                // A path ends where the thing is lost.
                let last = exit.steps.len().saturating_sub(1);
                exit.steps.insert(last, Step::new(StepKind::Note, place, note));
            }
            Some(first)
        })
    }
}

fn place_of(finding: &Finding) -> (&Place, &Finding) {
    (&finding.place, finding)
}

/// How many other functions there are, and the first of them.
fn note(others: &[Arc<str>]) -> Option<String> {
    let name = others.first()?;
    Some(match others.len() - 1 {
        0 => Said::MacroMakes { function: name }.into(),
        1 => Said::MacroMakesTwo { function: name }.into(),
        more => Said::MacroMakesMany { function: name, more: &more.to_string() }.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::Copies;
    use std::borrow::Cow;
    use watertight_finding::{
        Finding, Level, Page, Place, Rule, RuleId, Step, StepKind, Support, Switch, Trace,
    };

    const RULE: Rule = Rule {
        id: RuleId::new("memory-leak"),
        summary: Cow::Borrowed(""),
        level: Level::Warning,
        cwe: Cow::Borrowed(&[]),
        default: Switch::On,
        since: Cow::Borrowed("0.1.0"),
        help: Cow::Borrowed(""),
        page: Page::NONE,
    };

    fn finding(line: u32, function: &str, text: &str) -> Finding {
        let place = Place::new("map.c", line, 1).in_function(function);
        let mut finding = Finding::new(&RULE, "memory is lost", place.clone());
        finding.exits.push(Trace::new(Support::Unchecked, vec![Step::new(StepKind::Lost, place, text)]));
        finding
    }

    fn told(findings: &[Finding]) -> Vec<(u32, Vec<String>)> {
        let mut copies = Copies::default();
        findings.iter().cloned().for_each(|finding| copies.add(finding));
        let told = copies.told().map(|finding| {
            (finding.place.line, finding.exits[0].steps.iter().map(|step| step.text.clone()).collect())
        });
        told.collect()
    }

    #[test]
    fn the_same_words_are_said_once() {
        let (a, b) = (finding(9, "b_resize", "lost here"), finding(4, "a_resize", "lost here"));
        let once = told(&[a.clone(), b.clone()]);
        let note = "the same macro also defines `b_resize`, which has the same mistake".to_owned();
        assert_eq!(once, [(4, vec![note, "lost here".to_owned()])]);
        assert_eq!(once, told(&[b, a]));
    }

    #[test]
    fn other_words_are_another_finding() {
        let findings = [finding(4, "a_resize", "lost here"), finding(9, "b_resize", "lost there")];
        assert_eq!(told(&findings).len(), 2);
    }
}
