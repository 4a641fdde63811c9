//! Terms with other terms in the place of unknowns, in the same arena or from another one.
//!
//! When a summary is applied at a call, its conditions speak about the callee's parameters; the caller puts its own
//! arguments there. Terms are built anew through the rewriting constructors, operands first and without recursion, so
//! what becomes constant by the replacement folds away. Terms that do not depend on a replaced unknown stay as they are.

use crate::cone::cone;
use crate::term::{Term, TermId, Terms, Var};
use crate::width::Width;
use rustc_hash::FxHashMap;

impl Terms {
    /// The term with other terms in the place of unknowns; unknowns for which `value` gives none stay.
    pub fn substitute(&mut self, root: TermId, value: impl Fn(Var) -> Option<TermId>) -> TermId {
        let mut built: FxHashMap<TermId, TermId> = FxHashMap::default();
        for term in cone(self, [root]) {
            let view = self.view(term);
            let replaced = match view {
                Term::Var(var) => value(var),
                _ if self.operands(term).iter().any(|operand| built.contains_key(operand)) => {
                    let width = self.width(term);
                    let mapped = |operand: TermId| built.get(&operand).copied().unwrap_or(operand);
                    Some(build(self, view, width, mapped))
                }
                _ => None,
            };
            if let Some(replaced) = replaced {
                assert_eq!(
                    self.width(replaced),
                    self.width(term),
                    "an unknown is replaced by a term of its width"
                );
                built.insert(term, replaced);
            }
        }
        built.get(&root).copied().unwrap_or(root)
    }

    /// A term of another arena, built here. `value` gives the term for each unknown of the other arena.
    pub fn import(
        &mut self,
        from: &Terms,
        root: TermId,
        mut value: impl FnMut(&mut Terms, Var) -> TermId,
    ) -> TermId {
        let mut built: FxHashMap<TermId, TermId> = FxHashMap::default();
        for term in cone(from, [root]) {
            let width = from.width(term);
            let here = match from.view(term) {
                Term::Var(var) => value(self, var),
                view => build(self, view, width, |operand| built[&operand]),
            };
            assert_eq!(self.width(here), width, "an unknown is replaced by a term of its width");
            built.insert(term, here);
        }
        built[&root]
    }
}

/// Builds an operation on other operands.
fn build(terms: &mut Terms, term: Term, width: Width, operand: impl Fn(TermId) -> TermId) -> TermId {
    match term {
        Term::Const(value) => terms.constant(width, value),
        Term::Var(var) => terms.variable_term(var),
        Term::Unary(op, a) => terms.unary(op, operand(a)),
        Term::Binary(op, a, b) => terms.binary(op, operand(a), operand(b)),
        Term::Extend(extension, a) => terms.extend(extension, operand(a), width),
        Term::Extract { of, high, low } => terms.extract(operand(of), high, low),
        Term::Ite(condition, then, otherwise) => {
            terms.ite(operand(condition), operand(then), operand(otherwise))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaced_unknowns_fold_away() {
        let mut terms = Terms::new();
        let (x, y) = (terms.variable(Width::W32, None), terms.variable(Width::W32, None));
        let (three, ten) = (terms.constant(Width::W32, 3), terms.constant(Width::W32, 10));
        let sum = terms.add(x, three);
        let less = terms.ult(sum, y);
        let var = terms.as_variable(x).unwrap();
        let replaced = terms.substitute(less, |unknown| (unknown == var).then_some(ten));
        assert_eq!(terms.show(replaced).to_string(), "!(x1 u< 14)");
        assert_eq!(terms.substitute(less, |_| None), less);
        assert_eq!(terms.substitute(less, |_| Some(ten)), TermId::FALSE);
    }

    #[test]
    fn terms_move_between_arenas() {
        let mut callee = Terms::new();
        let n = callee.variable(Width::W32, None);
        let zero = callee.constant(Width::W32, 0);
        let negative = callee.slt(n, zero);
        let mut caller = Terms::new();
        let argument = caller.variable(Width::W8, None);
        let condition = caller.import(&callee, negative, |caller, _| caller.sext(argument, Width::W32));
        assert_eq!(caller.show(condition).to_string(), "(x0 s< 0)");
    }
}
