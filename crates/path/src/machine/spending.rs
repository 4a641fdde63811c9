//! What a look does when its steps are spent, or a guard grows too large to be written out.
//!
//! A look that may fail ends there; what it has reached stands (`tail.rs`). One that *persists* goes on: from there on every
//! operation on guards takes few steps, and one that would take more becomes a name that the solver unfolds
//! (`guard/mod.rs` in `logic`). So what was done is kept, the rest is linear in the size of the function, and nothing that is
//! said is less true: a name stands for exactly the operation. What is lost is that two guards are seen to be equal,
//! or to exclude each other, before the solver is asked.

use crate::limits;
use crate::machine::state::{State, Step};
use watertight_logic::budget::Budget;
use watertight_logic::guard::GuardLimits;
use watertight_logic::solver::Effort;

/// How a look goes on when its steps are spent.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Patience {
    /// It ends.
    Ends,
    /// It goes on with names for guards.
    Persists,
    /// It does so now.
    Names,
}

impl State<'_> {
    pub(crate) fn spend(&mut self, steps: u64) -> Step<()> {
        match self.budget.spend(steps) {
            Ok(()) => Ok(()),
            Err(_) => self.go_on_with_names(),
        }
    }

    /// Guards that had to be given names make everything after them slow, unless all operations are kept small.
    pub(crate) fn stop_if_overflowed(&mut self) -> Step<()> {
        if self.formulas.guards.definition_count() > self.accepted_names {
            self.budget.cancel();
            self.go_on_with_names()?;
        }
        Ok(())
    }

    /// Whether no more questions are asked: guards with names make long ones, and a function that has so many is large.
    pub(crate) fn has_asked_enough(&self, effort: Effort) -> bool {
        self.patience == Patience::Names
            && (effort.questions >= limits::NAMED_QUESTIONS || effort.conflicts >= limits::NAMED_CONFLICTS)
    }

    fn go_on_with_names(&mut self) -> Step<()> {
        if self.patience == Patience::Persists {
            self.patience = Patience::Names;
            self.accepted_names = usize::MAX;
            self.formulas.guards.set_limits(GuardLimits {
                steps_per_operation: limits::NAMED_GUARD_STEPS,
                nodes: usize::MAX,
            });
            let copies = self.unrolled.nodes.len() as u64;
            self.budget = Budget::new(limits::NAMED_STEPS + limits::NAMED_NODE_STEPS.saturating_mul(copies));
        }
        self.budget.spend(1)
    }
}
