//! Sizes of what was allocated are not zero.
//!
//! A growing buffer tells by its capacity whether it has a block: `if (s->size == 0) s->data = malloc(...)`. That the
//! capacity is not zero once there is a block follows from no code, since the size could have overflowed; it follows
//! from what everybody means. So a number that an allocation which succeeded was given as its size is told to callers
//! as not zero, also when a wrapper passed it on (ASSUME-8).

use crate::calls::apply::Arguments;
use crate::context::uses::Uses;
use crate::limits::FACTOR_DEPTH;
use crate::machine::state::{Precision, State};
use crate::machine::value::{Leaf, Leaves};
use watertight_ir::{FuncId, Type};
use watertight_logic::guard::Guard;
use watertight_logic::term::{BinaryOp, Term, TermId};
use watertight_summary::{Outcome, Path, Root};

/// How models call parameters that are sizes, or factors of them.
const SIZES: [&str; 3] = ["size", "count", "number"];

impl State<'_> {
    /// Notes the sizes that a call which acquires something on the paths of `guard` was given.
    pub(crate) fn note_sizes(
        &mut self,
        callee: FuncId,
        outcome: &Outcome,
        args: &Arguments<'_>,
        guard: Guard,
    ) {
        let memory = |kind| self.context.library.kinds.get(kind).memory;
        if self.precision == Precision::Coarse || !outcome.fresh.iter().any(|fresh| memory(fresh.kind)) {
            return;
        }
        for (index, (sym, ty)) in args.iter().enumerate() {
            if matches!(ty, Type::Int(_)) && self.is_size(callee, index) {
                let leaves: Leaves = self.leaves(sym, self.width(*ty));
                for (when, leaf) in leaves {
                    let Leaf::Number(term) = leaf else { continue };
                    let when = self.and(guard, when);
                    self.note_factors(term, when, FACTOR_DEPTH);
                }
            }
        }
    }

    fn is_size(&self, callee: FuncId, index: usize) -> bool {
        let function = &self.context.program.functions[callee];
        if function.body.is_some() {
            let sizes = match self.component.view.facts(self.context, callee) {
                Some(facts) => facts.sizes,
                None => self.component.known.get(&callee).map(|known| known.sizes).unwrap_or_default(),
            };
            return sizes.contains(index);
        }
        let origin = self.context.library.origins.get(&function.name);
        let name = origin.and_then(|origin| origin.parameters.get(index));
        name.is_some_and(|name| SIZES.contains(&&**name))
    }

    /// A product is not zero, so its factors are not.
    fn note_factors(&mut self, term: TermId, guard: Guard, depth: u32) {
        if self.formulas.terms.is_const(term) || guard.is_false() {
            return;
        }
        self.journal.sizes.push((term, guard));
        if depth == 0 {
            return;
        }
        match self.formulas.terms.view(term) {
            Term::Binary(BinaryOp::Mul, a, b) => {
                self.note_factors(a, guard, depth - 1);
                self.note_factors(b, guard, depth - 1);
            }
            Term::Binary(BinaryOp::Shl, of, _) | Term::Extend(_, of) => {
                self.note_factors(of, guard, depth - 1);
            }
            _ => {}
        }
    }

    /// Whether a number is the size of something that was allocated on all of these paths.
    pub fn is_noted_size(&mut self, term: TermId, paths: Guard) -> bool {
        for index in 0..self.journal.sizes.len() {
            let (size, guard) = self.journal.sizes[index];
            if size == term && self.formulas.guards.entails(paths, guard) {
                return true;
            }
        }
        false
    }

    /// The paths on which nothing of size zero is allocated, as far as they ask for sizes at all.
    pub fn without_empty_blocks(&mut self, paths: Guard) -> Guard {
        if self.journal.sizes.is_empty() {
            return paths;
        }
        let mut result = paths;
        let support = self.formulas.guards.support(paths);
        for (size, guard) in self.journal.sizes.clone() {
            let zero = self.constant(self.formulas.terms.width(size), 0);
            let empty = self.formulas.terms.eq(size, zero);
            let empty = self.formulas.guard(empty);
            let asked = self
                .formulas
                .guards
                .branch(empty)
                .is_some_and(|(condition, ..)| support.contains(&condition));
            if asked {
                let both = self.and(empty, guard);
                result = self.formulas.guards.and_not(result, both);
            }
        }
        result
    }

    /// The parameters that are sizes of what is allocated.
    pub fn size_parameters(&self) -> Uses {
        let mut sizes = Uses::default();
        for &(term, _) in &self.journal.sizes {
            if let Some(Path { root: Root::Param(index), steps }) = self.input_path(term)
                && steps.is_empty()
            {
                sizes.insert(*index as usize);
            }
        }
        sizes
    }
}
