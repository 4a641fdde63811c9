//! The value of a term when the unknowns have values.
//!
//! [`Evaluator`] holds an [`Assignment`] and remembers what it has computed, so asking again, or asking for another
//! term that shares parts, is cheap. It works with an explicit stack: terms may be millions deep. Only the side of a
//! choice that is taken is looked at.
//!
//! This is the judge of the solver: every model the solver finds is evaluated here before it is believed.
//!
//! ```
//! use watertight_logic::{eval::{Assignment, Evaluator}, term::Terms, width::Width};
//! let mut terms = Terms::new();
//! let x = terms.variable(Width::W8, None);
//! let square = terms.mul(x, x);
//! let assignment = Assignment::from_iter([(terms.as_variable(x).unwrap(), 20)]);
//! assert_eq!(Evaluator::new(assignment).value(&terms, square), 400 % 256);
//! ```

use crate::semantics;
use crate::term::{BinaryOp, Term, TermId, Terms, Var};
use rustc_hash::FxHashMap;

/// A value for each unknown; zero where nothing was set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assignment {
    values: Vec<u128>,
}

impl Assignment {
    /// The assignment of zero to everything.
    pub fn new() -> Assignment {
        Assignment::default()
    }

    #[inline]
    pub fn get(&self, var: Var) -> u128 {
        self.values.get(var.index()).copied().unwrap_or(0)
    }

    pub fn set(&mut self, var: Var, value: u128) {
        if var.index() >= self.values.len() {
            self.values.resize(var.index() + 1, 0);
        }
        self.values[var.index()] = value;
    }
}

impl FromIterator<(Var, u128)> for Assignment {
    fn from_iter<I: IntoIterator<Item = (Var, u128)>>(values: I) -> Assignment {
        let mut assignment = Assignment::new();
        for (var, value) in values {
            assignment.set(var, value);
        }
        assignment
    }
}

/// Evaluates terms under one assignment.
#[derive(Clone, Debug, Default)]
pub struct Evaluator {
    assignment: Assignment,
    known: FxHashMap<TermId, u128>,
    stack: Vec<TermId>,
    steps: u64,
}

impl Evaluator {
    pub fn new(assignment: Assignment) -> Evaluator {
        Evaluator { assignment, known: FxHashMap::default(), stack: Vec::new(), steps: 0 }
    }

    pub fn assignment(&self) -> &Assignment {
        &self.assignment
    }

    /// The operations computed so far, for budgets.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Changes the value of an unknown; everything computed so far is forgotten.
    pub fn set(&mut self, var: Var, value: u128) {
        self.assignment.set(var, value);
        self.known.clear();
    }

    /// The value of a boolean term.
    pub fn holds(&mut self, terms: &Terms, term: TermId) -> bool {
        self.value(terms, term) == 1
    }

    /// The value of a term.
    pub fn value(&mut self, terms: &Terms, term: TermId) -> u128 {
        if let Some(value) = self.ready(terms, term) {
            return value;
        }
        debug_assert!(self.stack.is_empty(), "the stack is empty between evaluations");
        self.stack.push(term);
        while let Some(&top) = self.stack.last() {
            self.steps += 1;
            match self.step(terms, top) {
                Ok(value) => {
                    self.known.insert(top, value);
                    self.stack.pop();
                }
                Err(missing) => self.stack.push(missing),
            }
        }
        self.known[&term]
    }

    /// A value that needs no computation.
    #[inline]
    fn ready(&self, terms: &Terms, term: TermId) -> Option<u128> {
        match terms.view(term) {
            Term::Const(value) => Some(value),
            Term::Var(var) => Some(terms.width(term).mask(self.assignment.get(var))),
            _ => self.known.get(&term).copied(),
        }
    }

    /// The value of a term whose operands are known, or an operand that has to be computed first.
    fn step(&self, terms: &Terms, term: TermId) -> Result<u128, TermId> {
        let get = |operand: TermId| self.ready(terms, operand).ok_or(operand);
        match terms.view(term) {
            Term::Const(value) => Ok(value),
            Term::Var(_) => get(term),
            Term::Unary(op, a) => Ok(semantics::unary(op, terms.width(a), get(a)?)),
            Term::Binary(BinaryOp::And, a, b) => match get(a)? {
                0 => Ok(0),
                left => Ok(left & get(b)?),
            },
            Term::Binary(op, a, b) => Ok(semantics::binary(op, terms.width(b), get(a)?, get(b)?)),
            Term::Extend(extension, a) => {
                Ok(semantics::extend(extension, terms.width(a), terms.width(term), get(a)?))
            }
            Term::Extract { of, high, low } => Ok(semantics::extract(get(of)?, high, low)),
            Term::Ite(condition, then, otherwise) => get(if get(condition)? == 1 { then } else { otherwise }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::width::Width;

    #[test]
    fn very_deep_terms_do_not_exhaust_the_stack() {
        let mut terms = Terms::new();
        let x = terms.variable(Width::W32, None);
        let mut deep = x;
        for _ in 0..200_000 {
            deep = terms.raw(Term::Binary(BinaryOp::Mul, deep, x), Width::W32);
            deep = terms.raw(Term::Unary(crate::term::UnaryOp::Not, deep), Width::W32);
        }
        let var = terms.as_variable(x).unwrap();
        let mut expected = 3u32;
        for _ in 0..200_000 {
            expected = !expected.wrapping_mul(3);
        }
        let mut evaluator = Evaluator::new(Assignment::from_iter([(var, 3)]));
        assert_eq!(evaluator.value(&terms, deep), u128::from(expected));
    }

    #[test]
    fn changing_an_unknown_changes_the_value() {
        let mut terms = Terms::new();
        let x = terms.variable(Width::W8, None);
        let var = terms.as_variable(x).unwrap();
        let square = terms.mul(x, x);
        let mut evaluator = Evaluator::new(Assignment::new());
        assert_eq!(evaluator.value(&terms, square), 0);
        evaluator.set(var, 3);
        assert_eq!(evaluator.value(&terms, square), 9);
    }
}
