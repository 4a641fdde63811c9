//! The words that several formats share.
//!
//! Everything that comes from the program goes through [`clip`] on its way into a line for people: it becomes
//! one harmless line of bounded length.

use std::fmt::Write as _;

use watertight_finding::{Doubt, Finding, Growth, Place, Step, Support, Urgency};

use crate::escape::one_line;

/// Longer clauses are cut; no honest message comes near.
const LONGEST_CLAUSE: usize = 400;
/// More values than this do not help a reader.
const MOST_VALUES: usize = 4;

/// Text from a program as one harmless line that is not endless.
pub(crate) fn clip(text: &str) -> String {
    match text.char_indices().nth(LONGEST_CLAUSE) {
        None => one_line(text).into_owned(),
        Some((end, _)) => format!("{}…", one_line(&text[..end])),
    }
}

/// What happens at a step, with the values that make it so: `takes the branch (n = 0)`.
pub(crate) fn step_clause(step: &Step) -> String {
    let mut out = clip(&step.text);
    if !step.values.is_empty() {
        let _ = write!(out, " ({})", values(std::slice::from_ref(step)));
    }
    out
}

fn values(steps: &[Step]) -> String {
    let mut shown: Vec<String> = Vec::new();
    for binding in steps.iter().flat_map(|step| &step.values) {
        let text = format!("{} = {}", clip(&binding.name), clip(&binding.value));
        if !shown.contains(&text) {
            shown.push(text);
        }
    }
    if shown.len() > MOST_VALUES {
        shown.truncate(MOST_VALUES);
        shown.push("...".to_owned());
    }
    shown.join(", ")
}

/// A place as compilers print it, harmless.
pub(crate) fn place(place: &Place) -> String {
    clip(&place.to_string())
}

/// How sure we are, why, and how bad it gets, in one line.
pub(crate) fn confidence_clause(finding: &Finding) -> String {
    let mut out = finding.confidence().name().to_owned();
    let why: Vec<&str> = finding.doubts.iter().map(Doubt::words).collect();
    if !why.is_empty() {
        let _ = write!(out, " because {}", why.join(", and because "));
    }
    if !finding.doubts.contains(Doubt::NotChecked) {
        let separator = if why.is_empty() { "," } else { ";" };
        let _ = write!(out, "{separator} {}", support_clause(finding.support));
    }
    match finding.urgency {
        Urgency::Ordinary => {}
        Urgency::ErrorHandling => out.push_str("; only on an error path"),
        Urgency::MemoryRunsOut => out.push_str("; only when memory runs out"),
        Urgency::ProcessEnding => out.push_str("; the process ends soon after"),
    }
    match finding.growth {
        Growth::EachIteration => {
            let again = if finding.variant.is_some() { "leaks" } else { "happens" };
            let _ = write!(out, "; {again} again in every iteration of the loop");
        }
        Growth::EachCall => {}
        Growth::ErrorPath if finding.urgency == Urgency::Ordinary => {
            out.push_str("; only on an error path");
        }
        Growth::ErrorPath => {}
        Growth::OncePerProcess => out.push_str("; at most once per process"),
    }
    out
}

/// How a path was checked.
pub(crate) fn support_clause(support: Support) -> &'static str {
    match support {
        Support::Replayed => "the path was replayed",
        Support::SolverChecked => "the solver confirmed the path",
        Support::Unchecked => "the path was not checked",
    }
}

/// A number of things: `1 file`, `1,234 files`.
pub(crate) fn count(number: u64, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {thing}{plural}", grouped(number))
}

/// A number with commas between groups of three digits.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use watertight_finding::StepKind;

    #[test]
    fn numbers_are_grouped() {
        for (number, expected) in [
            (0, "0"),
            (7, "7"),
            (999, "999"),
            (1000, "1,000"),
            (123_456, "123,456"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(grouped(number), expected);
        }
        assert_eq!(count(1, "file"), "1 file");
        assert_eq!(count(0, "file"), "0 files");
    }

    #[test]
    fn values_follow_the_text_without_repetition_and_not_endlessly() {
        let mut step = Step::new(StepKind::Branch, Place::new("a.c", 1, 1), "takes the branch");
        assert_eq!(step_clause(&step), "takes the branch");
        step = step.with_value("n", "0").with_value("n", "0").with_value("m\n", "1");
        assert_eq!(step_clause(&step), r"takes the branch (n = 0, m\n = 1)");
        for i in 0..10 {
            step = step.with_value("x", i.to_string());
        }
        assert_eq!(step_clause(&step), r"takes the branch (n = 0, m\n = 1, x = 0, x = 1, ...)");
    }

    #[test]
    fn endless_text_is_cut_on_a_character() {
        let clipped = clip(&"ä".repeat(1_000_000));
        assert_eq!(clipped.chars().count(), LONGEST_CLAUSE + 1);
        assert!(clipped.ends_with('…'));
    }
}
