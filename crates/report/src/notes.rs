//! The story of a finding as a list of places with a note each.
//!
//! Formats that cannot draw a path tell it: every step of every exit in the order of execution, then the sibling that
//! releases the resource, what it needs of callers, what had to be assumed, and how sure we are.

use watertight_finding::{Finding, Place};

use crate::wording::{clip, confidence_clause, place, step_clause, support_clause};

/// Every note of a finding with its place.
pub(crate) fn notes(finding: &Finding) -> Vec<(&Place, String)> {
    let mut notes = Vec::new();
    let exits = finding.exits.len();
    for (i, trace) in finding.exits.iter().enumerate() {
        let which = if exits > 1 { format!("exit {} of {exits}, ", i + 1) } else { String::new() };
        for (number, step) in (1..).zip(&trace.steps) {
            notes.push((&step.place, format!("{which}step {number}: {}", step_clause(step))));
        }
        if trace.support != finding.support {
            notes.push((&finding.place, format!("{which}{}", support_clause(trace.support))));
        }
    }
    if let Some(sibling) = &finding.sibling {
        notes.push((&sibling.place, format!("on another path: {}", step_clause(sibling))));
    }
    if !finding.needs.is_empty() {
        notes.push((&finding.place, format!("needs: {}", clip(&finding.needs.join(", ")))));
    }
    for assumption in &finding.assumptions {
        notes.push((&assumption.place, format!("assuming that {}", clip(&assumption.text))));
    }
    notes.push((&finding.place, format!("confidence: {}", confidence_clause(finding))));
    notes
}

/// The notes as text, one per line: `src/conf.c:3:18: step 1: ...`. Each line is harmless.
pub(crate) fn told(finding: &Finding) -> Vec<String> {
    notes(finding).into_iter().map(|(at, note)| format!("{}: {note}", place(at))).collect()
}
