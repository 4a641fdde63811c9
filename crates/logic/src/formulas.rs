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
use crate::term::{Term, TermId, Terms};

/// How many choices of a merged value are looked at where a guard is known.
const MOST_CHOICES: usize = 64;

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

    /// Whether nobody has asked about this boolean term yet, nor about a part of it: no guard depends on it.
    pub fn is_new(&self, term: TermId) -> bool {
        self.conditions.is_new(&self.terms, term)
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

    /// What a value is where the guard is known to hold: choices that the guard decides are taken.
    pub fn value_under(&mut self, guard: Guard, value: TermId) -> TermId {
        let mut value = value;
        for _ in 0..MOST_CHOICES {
            let Term::Ite(condition, then, otherwise) = self.terms.view(value) else { break };
            let condition = self.guard(condition);
            value = if self.guards.entails(guard, condition) {
                then
            } else if self.guards.disjoint(guard, condition) {
                otherwise
            } else {
                break;
            };
        }
        value
    }

    /// A merged value as its cases where the guard holds: the values it can be, each once, with the guard under which
    /// it is that value. The guards exclude each other and together make up the given one. `None` when there are more
    /// cases than `limit`.
    pub fn cases(&mut self, guard: Guard, value: TermId, limit: usize) -> Option<Vec<(Guard, TermId)>> {
        let mut cases: Vec<(Guard, TermId)> = Vec::new();
        let mut todo = vec![(guard, value)];
        let mut choices = 0;
        while let Some((guard, value)) = todo.pop() {
            if guard.is_false() {
                continue;
            }
            if let Term::Ite(condition, then, otherwise) = self.terms.view(value) {
                choices += 1;
                if choices > limit.saturating_mul(4) {
                    return None;
                }
                let condition = self.guard(condition);
                let (yes, no) = (self.guards.and(guard, condition), self.guards.and(guard, !condition));
                todo.push((no, otherwise));
                todo.push((yes, then));
                continue;
            }
            match cases.iter().position(|case| case.1 == value) {
                Some(at) => cases[at].0 = self.guards.or(cases[at].0, guard),
                None if cases.len() == limit => return None,
                None => cases.push((guard, value)),
            }
        }
        Some(cases)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::width::Width;

    /// `if (a) r = 0; else if (b) r = n; else r = 0;`
    fn merged(formulas: &mut Formulas) -> (Guard, Guard, TermId, TermId, TermId) {
        let [a, b] = [(); 2].map(|()| formulas.terms.variable(Width::BOOL, None));
        let (a, b) = (formulas.guard(a), formulas.guard(b));
        let n = formulas.terms.variable(Width::W32, None);
        let zero = formulas.terms.constant(Width::W32, 0);
        let inner = formulas.choose(b, n, zero);
        let value = formulas.choose(a, zero, inner);
        (a, b, n, zero, value)
    }

    #[test]
    fn a_merged_value_splits_into_its_cases() {
        let mut formulas = Formulas::new();
        let (a, b, n, zero, value) = merged(&mut formulas);
        let is_n = formulas.guards.and(!a, b);
        assert_eq!(formulas.cases(Guard::TRUE, value, 8), Some(vec![(is_n, n), (!is_n, zero)]));
        assert_eq!(formulas.cases(a, value, 8), Some(vec![(a, zero)]));
        assert_eq!(formulas.cases(Guard::TRUE, value, 1), None);
        assert_eq!(formulas.cases(Guard::FALSE, value, 8), Some(vec![]));
    }

    #[test]
    fn a_guard_decides_choices() {
        let mut formulas = Formulas::new();
        let (a, b, n, zero, value) = merged(&mut formulas);
        let is_n = formulas.guards.and(!a, b);
        assert_eq!(formulas.value_under(is_n, value), n);
        assert_eq!(formulas.value_under(a, value), zero);
        assert_eq!(formulas.value_under(b, value), value);
    }

    #[test]
    fn guards_and_terms_are_two_names_for_one_thing() {
        let mut formulas = Formulas::new();
        let x = formulas.terms.variable(Width::W32, None);
        let five = formulas.terms.constant(Width::W32, 5);
        let below = formulas.terms.ult(x, five);
        let at_least = formulas.terms.ule(five, x);
        let (yes, no) = (formulas.guard(below), formulas.guard(at_least));
        assert_eq!(yes, !no);
        assert_eq!(formulas.term(yes), below);
        assert_eq!(formulas.term(no), at_least);
        let c = formulas.terms.variable(Width::BOOL, None);
        let both = formulas.terms.and(c, below);
        let guard = formulas.guard(both);
        assert_eq!(formulas.term(guard), both);
        // A large boolean term is a condition of its own.
        let mut large = TermId::FALSE;
        for _ in 0..200 {
            let c = formulas.terms.variable(Width::BOOL, None);
            large = formulas.terms.xor(large, c);
        }
        let guard = formulas.guard(large);
        assert_eq!(formulas.guards.size(guard), 1);
        let negated = formulas.terms.not(large);
        assert_eq!(formulas.guard(negated), !guard);
    }
}
