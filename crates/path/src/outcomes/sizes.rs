//! Sizes of what was allocated are not zero.
//!
//! A growing buffer tells by its capacity whether it has a block: `if (s->size == 0) s->data = malloc(...)`. That the
//! capacity is not zero once there is a block follows from no code, since the size could have overflowed; it follows
//! from what everybody means. So a number that an allocation which succeeded was given as its size is told to callers
//! as not zero, also when a wrapper passed it on (ASSUME-8).
//!
//! Nor did such a size wrap around when it was computed: a block of that size was there. What it was computed from is small
//! enough, which the solver gets as a premise where it is asked about these numbers.

use crate::assumptions::Supposed;
use crate::calls::apply::Arguments;
use crate::context::uses::Uses;
use crate::limits::{FACTOR_DEPTH, MOST_BOUNDS};
use crate::machine::journal::Bound;
use crate::machine::state::State;
use crate::machine::value::{Leaf, Leaves};
use watertight_ir::{FuncId, Type};
use watertight_logic::guard::Guard;
use watertight_logic::term::{BinaryOp, Term, TermId};
use watertight_summary::{Outcome, Path, Root};

/// How models call parameters that are sizes, or factors of them.
const SIZES: [&str; 3] = ["size", "count", "number"];
/// How many bits of an address a program can use; not a limit, but what machines have.
const ADDRESS_BITS: u32 = 47;

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
        let assumed = self.assumes(Supposed::AllocatedHasSize);
        let memory = outcome.fresh.iter().any(|fresh| memory(fresh.kind));
        if !assumed || !memory {
            return;
        }
        for (index, (sym, ty)) in args.iter().enumerate() {
            if matches!(ty, Type::Int(_)) && self.is_size(callee, index) {
                let leaves: Leaves = self.leaves(sym, self.width(*ty));
                for (when, leaf) in leaves {
                    let Leaf::Number(term) = leaf else { continue };
                    let when = self.and(guard, when);
                    self.note_factors(term, when, FACTOR_DEPTH);
                    let most = 1u128 << ADDRESS_BITS.min(self.pointer_width().bits() - 1);
                    self.note_bounds(term, most, when, FACTOR_DEPTH);
                }
            }
        }
    }

    fn is_size(&self, callee: FuncId, index: usize) -> bool {
        let function = &self.context.program.functions[callee];
        if function.body.is_some() {
            let sizes = match self.component.view.facts(self.context, callee) {
                Some(facts) => facts.sizes,
                None => self.component.known(callee).map(|known| known.sizes).unwrap_or_default(),
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

    /// A number is at most so large and did not wrap around, so what it was computed from is no larger.
    fn note_bounds(&mut self, number: TermId, most: u128, guard: Guard, depth: u32) {
        if self.formulas.terms.is_const(number)
            || guard.is_false()
            || self.journal.bounds.len() >= MOST_BOUNDS
        {
            return;
        }
        if self.formulas.terms.as_variable(number).is_some() {
            let bound = Bound { number, most, guard };
            if !self.journal.bounds.contains(&bound) {
                self.journal.bounds.push(bound);
            }
            return;
        }
        let Some(depth) = depth.checked_sub(1) else { return };
        if let Some((of, factor)) = self.multiple(number) {
            return self.note_bounds(of, most / factor, guard, depth);
        }
        match self.formulas.terms.view(number) {
            Term::Binary(BinaryOp::Mul, a, b) => {
                self.note_bounds(a, most, guard, depth);
                self.note_bounds(b, most, guard, depth);
            }
            // To add a number with its highest bits set is to subtract.
            Term::Binary(BinaryOp::Add, a, b)
                if ![a, b]
                    .iter()
                    .any(|&part| self.formulas.terms.const_value(part).is_some_and(|value| value > most)) =>
            {
                self.note_bounds(a, most, guard, depth);
                self.note_bounds(b, most, guard, depth);
            }
            Term::Extend(_, of) => self.note_bounds(of, most, guard, depth),
            _ => {}
        }
    }

    /// What a number is a multiple of, and how many times as large it is.
    fn multiple(&self, term: TermId) -> Option<(TermId, u128)> {
        let terms = &self.formulas.terms;
        let factor = |value: u128| (1..1 << 32).contains(&value).then_some(value);
        let power = |bits: u128| (bits < 32).then(|| 1u128 << bits);
        match terms.view(term) {
            Term::Binary(BinaryOp::Mul, a, b) => match (terms.const_value(a), terms.const_value(b)) {
                (None, Some(value)) => Some((a, factor(value)?)),
                (Some(value), None) => Some((b, factor(value)?)),
                _ => None,
            },
            Term::Binary(BinaryOp::Shl, of, by) => Some((of, power(terms.const_value(by)?)?)),
            // A shift by a constant, as the simplifier has it.
            Term::Binary(BinaryOp::Concat, high, low) if terms.const_value(low) == Some(0) => {
                let Term::Extract { of, low: 0, .. } = terms.view(high) else { return None };
                let same = terms.width(of) == terms.width(term);
                same.then_some((of, power(terms.width(low).bits().into())?))
            }
            _ => None,
        }
    }

    /// A number without the constants that it was multiplied with.
    fn unmultiplied(&self, term: TermId) -> TermId {
        let mut term = term;
        for _ in 0..FACTOR_DEPTH {
            match self.multiple(term) {
                Some((of, _)) => term = of,
                None => break,
            }
        }
        term
    }

    /// Whether a number is the size of something that was allocated on all of these paths, or as many times as large or
    /// small.
    pub fn is_noted_size(&mut self, term: TermId, paths: Guard) -> bool {
        let of = self.unmultiplied(term);
        for index in 0..self.journal.sizes.len() {
            let (size, guard) = self.journal.sizes[index];
            if (size == term || self.unmultiplied(size) == of) && self.formulas.guards.entails(paths, guard) {
                return true;
            }
        }
        false
    }

    /// What sizes that were allocated say of these numbers: each of the conditions holds.
    pub fn bounds_of(&mut self, numbers: &[TermId]) -> Vec<Guard> {
        let bounds: Vec<Bound> =
            self.journal.bounds.iter().filter(|bound| numbers.contains(&bound.number)).copied().collect();
        bounds.into_iter().map(|bound| self.holds(bound)).collect()
    }

    fn holds(&mut self, bound: Bound) -> Guard {
        let width = self.formulas.terms.width(bound.number);
        // A number that is too narrow to be larger has the sign of a size.
        let most = bound.most.min(width.mask(u128::MAX) >> 1);
        let most = self.formulas.terms.constant(width, most);
        let small = self.formulas.terms.ule(bound.number, most);
        let small = self.formulas.guard(small);
        self.or(small, !bound.guard)
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
