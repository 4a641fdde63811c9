//! How the resource gets from the place where it is acquired to the place where it is lost.
//!
//! A trace is one path, in the order of execution, told in steps that a reader can follow with a finger in
//! the source. Each step has a kind, so that outputs can draw it and decide what to leave out of a very long
//! path, and the values that make a branch go that way, so that a reader can check the claim.
//!
//! What must hold: the last step is the end of the path, a [`StepKind::Lost`] or [`StepKind::Exit`]; the
//! place of that step names the exit, and [`crate::merge`] keeps one trace per such place.
//!
//! ```
//! use watertight_finding::{Place, Step, StepKind, Support, Trace};
//! let trace = Trace::new(
//!     Support::Replayed,
//!     vec![
//!         Step::new(StepKind::Acquire, Place::new("a.c", 2, 9), "`malloc` acquires memory"),
//!         Step::new(StepKind::Branch, Place::new("a.c", 3, 9), "takes the branch").with_value("n", "0"),
//!         Step::new(StepKind::Lost, Place::new("a.c", 4, 9), "the last reference is lost"),
//!     ],
//! );
//! assert_eq!(trace.end().unwrap().place.line, 4);
//! ```

use crate::{Place, Support};
use serde::{Deserialize, Serialize};

/// One path on which a resource is lost.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Trace {
    /// How well this path was checked. Merged findings may hold paths that were checked differently.
    pub support: Support,
    /// In the order of execution.
    pub steps: Vec<Step>,
}

impl Trace {
    /// A path made of these steps.
    #[must_use]
    pub fn new(support: Support, steps: Vec<Step>) -> Trace {
        Trace { support, steps }
    }

    /// The step that ends the path: where the last reference is lost, or else where the function is left.
    #[must_use]
    pub fn end(&self) -> Option<&Step> {
        self.steps.iter().rfind(|step| step.kind == StepKind::Lost).or(self.steps.last())
    }
}

/// One place on a path, and what happens there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Step {
    /// What happens, for programs.
    pub kind: StepKind,
    /// Where it happens.
    pub place: Place,
    /// What happens, for people: a short clause without a final dot.
    pub text: String,
    /// How many calls deep, seen from the function that acquires the resource; zero is that function.
    pub depth: u32,
    /// The values that make the path go this way, in the order in which they should be read.
    pub values: Vec<Binding>,
}

impl Step {
    /// A step in the function that acquires the resource, without values.
    #[must_use]
    pub fn new(kind: StepKind, place: Place, text: impl Into<String>) -> Step {
        Step { kind, place, text: text.into(), depth: 0, values: Vec::new() }
    }

    /// The same step, this many calls deep.
    #[must_use]
    pub fn at_depth(mut self, depth: u32) -> Step {
        self.depth = depth;
        self
    }

    /// The same step with one more value.
    #[must_use]
    pub fn with_value(mut self, name: impl Into<String>, value: impl Into<String>) -> Step {
        self.values.push(Binding { name: name.into(), value: value.into() });
        self
    }
}

/// An expression of the program and the value it has at a step.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Binding {
    /// The expression as the program writes it.
    pub name: String,
    /// The value as C would write it.
    pub value: String,
}

/// What happens at a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum StepKind {
    /// The resource comes into being.
    Acquire,
    /// A condition decides which way the path goes.
    Branch,
    /// The path enters a function.
    Call,
    /// The path comes back from a function.
    Return,
    /// The reference is stored.
    Assign,
    /// A second name for the resource appears.
    Alias,
    /// The resource is handed to somebody who does not keep it.
    NotEscaped,
    /// The resource is released.
    Release,
    /// The last reference is lost.
    Lost,
    /// The path leaves the function.
    Exit,
    /// Something else a reader should know.
    Note,
}

impl StepKind {
    /// Every kind, in the order of declaration.
    pub const ALL: [StepKind; 11] = [
        StepKind::Acquire,
        StepKind::Branch,
        StepKind::Call,
        StepKind::Return,
        StepKind::Assign,
        StepKind::Alias,
        StepKind::NotEscaped,
        StepKind::Release,
        StepKind::Lost,
        StepKind::Exit,
        StepKind::Note,
    ];

    /// The word used in machine-readable formats.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            StepKind::Acquire => "acquire",
            StepKind::Branch => "branch",
            StepKind::Call => "call",
            StepKind::Return => "return",
            StepKind::Assign => "assign",
            StepKind::Alias => "alias",
            StepKind::NotEscaped => "not-escaped",
            StepKind::Release => "release",
            StepKind::Lost => "lost",
            StepKind::Exit => "exit",
            StepKind::Note => "note",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_ends_where_the_reference_is_lost_even_if_more_steps_follow() {
        let step = |kind, line| Step::new(kind, Place::new("a.c", line, 1), "");
        let steps = vec![step(StepKind::Acquire, 1), step(StepKind::Lost, 2), step(StepKind::Exit, 3)];
        assert_eq!(Trace::new(Support::Unchecked, steps).end().unwrap().place.line, 2);
        let steps = vec![step(StepKind::Acquire, 1), step(StepKind::Exit, 3)];
        assert_eq!(Trace::new(Support::Unchecked, steps).end().unwrap().place.line, 3);
        assert_eq!(Trace::new(Support::Unchecked, vec![]).end(), None);
    }

    #[test]
    fn kinds_have_distinct_names() {
        let mut names: Vec<_> = StepKind::ALL.iter().map(|kind| kind.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), StepKind::ALL.len());
    }
}
