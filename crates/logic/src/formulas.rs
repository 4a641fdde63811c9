//! The formulas of one function: its terms, its guards, and the conditions that tie them together.
//!
//! This is what the analysis of a function carries around, one of it per function. The three parts can be used by
//! themselves; the methods here need more than one of them.
//!
//! ```
//! use watertight_logic::{formulas::Formulas, guard::Guard, width::Width};
//! let mut formulas = Formulas::new();
//! // if (c) r = 0; else r = -1;   and later   if (r == 0)
//! let c = formulas.terms.variable(Width::BOOL, None);
//! let (zero, minus_one) = (formulas.terms.constant(Width::W32, 0), formulas.terms.constant(Width::W32, u128::MAX));
//! let c = formulas.guard(c);
//! let result = formulas.choose(c, zero, minus_one);
//! let success = formulas.terms.eq(result, zero);
//! assert_eq!(formulas.guard(success), c);
//! ```

use crate::conditions::Conditions;
use crate::guard::{Condition, Guard, GuardLimits, Guards};
use crate::term::{TermId, Terms};

/// Terms, guards and conditions of one function.
#[derive(Default)]
pub struct Formulas {
    pub terms: Terms,
    pub guards: Guards,
    pub conditions: Conditions,
}

impl Formulas {
    pub fn new() -> Formulas {
        Formulas::default()
    }

    /// With other limits on the size of guards than the usual ones.
    pub fn with_limits(limits: GuardLimits) -> Formulas {
        Formulas { guards: Guards::with_limits(limits), ..Formulas::default() }
    }

    /// The guard that holds when the boolean term does.
    pub fn guard(&mut self, term: TermId) -> Guard {
        self.conditions.guard(&mut self.terms, &mut self.guards, term)
    }

    /// The boolean term that holds when the guard does.
    pub fn term(&mut self, guard: Guard) -> TermId {
        self.conditions.term(&mut self.terms, &self.guards, guard)
    }

    /// The first value when the guard holds, else the second: the value of a variable where control flow joins.
    pub fn choose(&mut self, guard: Guard, then: TermId, otherwise: TermId) -> TermId {
        if then == otherwise || guard.is_true() {
            return then;
        }
        let condition = self.term(guard);
        self.terms.ite(condition, then, otherwise)
    }

    /// The terms of the conditions a guard depends on, definitions unfolded.
    pub fn condition_terms(&self, guard: Guard) -> Vec<TermId> {
        let term_of = |condition: Condition| self.conditions.term_of(condition);
        if self.guards.overflowed() {
            self.guards.full_support([guard]).into_iter().filter_map(term_of).collect()
        } else {
            self.guards.support(guard).into_iter().filter_map(term_of).collect()
        }
    }
}
