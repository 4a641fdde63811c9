//! Questions to the solver and its answers, as plain values.

use crate::eval::{Assignment, Evaluator};
use crate::guard::Guard;
use crate::term::{TermId, Var};
use std::fmt;
use std::sync::Arc;

/// Something that is assumed to hold in a question.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Assumption {
    Guard(Guard),
    /// A boolean term.
    Term(TermId),
}

impl From<Guard> for Assumption {
    fn from(guard: Guard) -> Assumption {
        Assumption::Guard(guard)
    }
}

impl From<TermId> for Assumption {
    fn from(term: TermId) -> Assumption {
        Assumption::Term(term)
    }
}

/// How much one question may cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QuestionLimits {
    /// Conflicts of the satisfiability solver.
    pub conflicts: u64,
    /// Gates of the circuits the question depends on, estimated before they are built.
    pub gates: u64,
}

impl Default for QuestionLimits {
    fn default() -> QuestionLimits {
        QuestionLimits { conflicts: 500, gates: 100_000 }
    }
}

/// The answer to the question whether all assumptions can hold together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// They can, with these values. The values have been evaluated on the terms: this is certain.
    Sat(Model),
    /// They cannot.
    Unsat(Core),
    /// It was not found out.
    Unknown(Cause),
}

impl Answer {
    pub fn is_sat(&self) -> bool {
        matches!(self, Answer::Sat(_))
    }

    pub fn is_unsat(&self) -> bool {
        matches!(self, Answer::Unsat(_))
    }

    pub fn is_unknown(&self) -> bool {
        matches!(self, Answer::Unknown(_))
    }

    /// Whether the question may be answered with yes: for what must not be missed.
    pub fn may_hold(&self) -> bool {
        !self.is_unsat()
    }
}

/// Values of the unknowns under which all assumptions hold. Cheap to clone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Model {
    assignment: Arc<Assignment>,
}

impl Model {
    pub(crate) fn new(assignment: Assignment) -> Model {
        Model { assignment: Arc::new(assignment) }
    }

    /// The value of an unknown; zero where the question did not depend on it.
    pub fn value(&self, var: Var) -> u128 {
        self.assignment.get(var)
    }

    pub fn assignment(&self) -> &Assignment {
        &self.assignment
    }

    /// For the values of other terms in the same situation.
    pub fn evaluator(&self) -> Evaluator {
        Evaluator::new(Assignment::clone(&self.assignment))
    }
}

/// Which assumptions, by their position in the question, already contradict each other. Not always the fewest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Core {
    pub assumptions: Vec<usize>,
}

/// Why a question was not answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// The solver used up its conflicts.
    Conflicts { limit: u64 },
    /// The question needs more gates than it may have; it was not started.
    Gates { needed: u64, limit: u64 },
    /// A large product or quotient was abstracted, the values found do not fit it, and stating it would take more
    /// gates than the question may have.
    Abstraction { needed: u64, limit: u64 },
    /// The solver found values, but the terms evaluate differently: a bug of ours. `assumption` is the one that fails.
    Disagreement { assumption: usize },
    /// The circuits contradict each other without any assumption: a bug of ours.
    Inconsistent,
}

impl fmt::Display for Cause {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Conflicts { limit } => write!(out, "no answer within {limit} conflicts"),
            Cause::Gates { needed, limit } => {
                write!(out, "the question needs about {needed} gates, more than {limit}")
            }
            Cause::Abstraction { needed, limit } => {
                write!(out, "an exact product or quotient needs about {needed} gates, more than {limit}")
            }
            Cause::Disagreement { assumption } => {
                write!(
                    out,
                    "internal error: assumption {assumption} does not hold in the model of the solver"
                )
            }
            Cause::Inconsistent => out.write_str("internal error: the circuits contradict each other"),
        }
    }
}
