//! An iteration that stands for some later one: what is known at its start, after those that were evaluated and however
//! many more.
//!
//! What the evaluated iterations left unchanged is known. What they moved by a constant has moved on by so much for each of
//! the iterations in between, whose number is one unknown for all such variables: they stay in step. What grew or shrank is
//! beyond where it got; other numbers are unknown. Addresses are those of the last iteration that was evaluated, or
//! somewhere in the same object if they move through it (ASSUME-21).

use crate::assumptions::Supposed;
use crate::limits::SUM_DEPTH;
use crate::machine::journal::EventKind;
use crate::machine::memory::{Cell, ObjectId};
use crate::machine::provenance::Provenance;
use crate::machine::state::State;
use crate::machine::value::{Leaf, Leaves, Offset, Sym};
use crate::plan::unroll::NodeId;
use watertight_finding::Doubt;
use watertight_ir::{BlockId, Type, ValueId};
use watertight_logic::guard::Guard;
use watertight_logic::term::{BinaryOp, Term, TermId};
use watertight_logic::width::Width;

/// The copies of an entry that such an iteration comes after.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct LastPass {
    /// The one in the first iteration.
    first: NodeId,
    /// The one in the last iteration that was evaluated.
    before: NodeId,
}

impl LastPass {
    pub(crate) fn before(self) -> NodeId {
        self.before
    }
}

impl State<'_> {
    /// How far iterations count in a number of this width. Nobody has so much time or memory that a number of 32 bits or more
    /// wraps around by steps, and the iteration at hand still moves it a little (ASSUME-55).
    fn counted_to(&self, width: Width) -> i128 {
        let bits = width.bits();
        if bits < 32 || !self.assumes(Supposed::CountsDoNotWrap) { 1 << (bits - 1) } else { 1 << (bits - 2) }
    }

    /// Where a number can be that has got between two others, and has gone on up or down since.
    fn counted_range(&self, least: i128, most: i128, up: bool, width: Width) -> (i128, i128) {
        let end = self.counted_to(width);
        match up {
            true if least < end => (least, end - 1),
            true => (least, (1i128 << (width.bits() - 1)) - 1),
            false if most > -end => (-end, most),
            false => (-(1i128 << (width.bits() - 1)), most),
        }
    }

    /// The iteration that stands for a later one and starts at the node at hand, if one does.
    pub fn last_pass(&self) -> Option<LastPass> {
        let node = &self.unrolled.nodes[self.node];
        let id = self.loops.innermost(node.block)?;
        let number = self.unrolled.contexts[node.context].last().copied()?;
        if number != self.plan.iterations[id] || !self.loops[id].entries.contains(&node.block) {
            return None;
        }
        let iteration = |number| self.unrolled.in_iteration(self.node, number);
        Some(LastPass { first: iteration(0)?, before: iteration(number - 1)? })
    }

    /// A variable that a loop changes.
    pub fn last_phi(&mut self, pass: LastPass, result: Option<ValueId>, now: Sym, ty: Type) -> Sym {
        let before = result.and_then(|result| {
            let copies = &self.values[result];
            copies.iter().rev().find(|entry| entry.0 == pass.before).map(|entry| entry.1.clone())
        });
        match (before, &now) {
            (None, _) => now,
            (Some(Sym::Truth(a)), Sym::Truth(b)) if a == *b => now,
            (Some(Sym::Leaves(before)), Sym::Leaves(leaves)) => {
                let (width, leaves) = (self.width(ty), leaves.clone());
                if let ([(_, Leaf::Number(a))], [(_, Leaf::Number(b))]) = (&before[..], &leaves[..])
                    && a != b
                    && ty != Type::Ptr
                {
                    return Sym::number(self.counted_on(*a, *b, width));
                }
                Sym::Leaves(self.moved_on(&before, leaves, width, ty == Type::Ptr))
            }
            _ => self.any(ty),
        }
    }

    /// A number that went from `before` to `now` in one iteration, some iterations later. What counts up or
    /// down by a constant goes on doing so.
    fn counted_on(&mut self, before: TermId, now: TermId, width: Width) -> TermId {
        if let Some(later) = self.in_step(before, now, width) {
            return later;
        }
        let later = self.later_number(width);
        let Some(up) = self.direction(before, now, width) else { return later };
        self.unknowns.note(later, Provenance::Counter);
        // A range decides comparisons at once; where it is not known, the path has a condition.
        if let Some(now) = self.formulas.terms.const_value(now) {
            let now = width.signed(now);
            let range = self.counted_range(now, now, up, width);
            self.ranges.insert(later, range);
            return later;
        }
        let ahead = self.ahead(now, later, up);
        self.grant(ahead);
        self.here = self.and(self.here, ahead);
        later
    }

    /// A number that one iteration moved by a constant, after as many more as were left out. Absent if it was moved by
    /// something else.
    fn in_step(&mut self, before: TermId, now: TermId, width: Width) -> Option<TermId> {
        if width.bits() < 8 {
            return None;
        }
        let step = self.formulas.terms.sub(now, before);
        let step = width.signed(self.formulas.terms.const_value(step)?);
        let half = self.counted_to(width) / 2;
        if step == 0 || step.abs() > half >> 4 {
            return None;
        }
        let turns = self.turns_left_out(width, half / step.abs());
        let factor = self.constant(width, step);
        let moved = self.formulas.terms.mul(turns, factor);
        let later = self.formulas.terms.add(now, moved);
        match self.formulas.terms.const_value(now) {
            // A range decides comparisons at once; where it is not known, the path has a condition.
            Some(now) => {
                let now = width.signed(now);
                let range = self.counted_range(now, now, step > 0, width);
                self.ranges.insert(later, range);
            }
            None => {
                let ahead = self.ahead(now, later, step > 0);
                self.grant(ahead);
                self.here = self.and(self.here, ahead);
            }
        }
        Some(later)
    }

    /// A number that iterations which were left out have made. What a text decides is an input.
    fn later_number(&mut self, width: Width) -> TermId {
        let block = self.unrolled.nodes[self.node].block;
        match self.loops.innermost(block) {
            Some(id) if self.plan.scanning[id] => self.unknown_number(width),
            _ => self.invented_number(width, Doubt::LoopCut),
        }
    }

    /// How many iterations were left out before the one that starts at the node at hand, at most so many.
    fn turns_left_out(&mut self, width: Width, most: i128) -> TermId {
        let known =
            self.left_out_turns.iter().find(|entry| entry.0 == (self.node, width)).map(|entry| entry.1);
        let turns = known.unwrap_or_else(|| {
            let turns = self.later_number(width);
            self.unknowns.note(turns, Provenance::Counter);
            self.left_out_turns.push(((self.node, width), turns));
            turns
        });
        let most = self.ranges.get(&turns).map_or(most, |range| range.1.min(most));
        self.ranges.insert(turns, (0, most));
        turns
    }

    /// An edge out of a loop at the start of an iteration that stands for a later one. After iterations that were left out it is
    /// taken at the start of the next one: there it is known that the one before went on, and so where a counter
    /// stands that has come to its bound.
    pub(crate) fn at_the_earliest(&mut self, to: BlockId, guard: Guard) -> Guard {
        let node = &self.unrolled.nodes[self.node];
        let Some(id) = self.loops.innermost(node.block) else { return guard };
        let number = self.unrolled.contexts[node.context].last().copied().unwrap_or(0);
        if self.loops.contains(id, to)
            || !self.plan.is_general(id, number)
            || !self.loops[id].entries.contains(&node.block)
        {
            return guard;
        }
        let mut guard = guard;
        let here = self.left_out_turns.iter().filter(|entry| entry.0.0 == self.node);
        for turns in here.map(|entry| entry.1).collect::<Vec<_>>() {
            let zero = self.constant(self.formulas.terms.width(turns), 0);
            let none = self.formulas.terms.eq(turns, zero);
            let none = self.formulas.guard(none);
            self.grant(none);
            guard = self.and(guard, none);
        }
        guard
    }

    /// Whether an object was acquired only in iterations that stand for later ones. It is one of several then, and where
    /// these were put is not followed one by one.
    pub(crate) fn is_acquired_late(&self, object: ObjectId) -> bool {
        let mut acquired = self
            .journal
            .events
            .iter()
            .filter(|event| event.object == object && event.kind == EventKind::Acquire);
        acquired.all(|event| self.is_late(event.node))
    }

    fn is_late(&self, node: NodeId) -> bool {
        let node = &self.unrolled.nodes[node];
        let numbers = &self.unrolled.contexts[node.context];
        let mut around = self.loops.innermost(node.block);
        while let Some(id) = around {
            if self.plan.is_general(id, numbers[self.loops[id].depth as usize - 1]) {
                return true;
            }
            around = self.loops[id].parent;
        }
        false
    }

    /// Whether a number grows from one iteration to the next, or shrinks. Absent when that is not known.
    fn direction(&mut self, before: TermId, now: TermId, width: Width) -> Option<bool> {
        let step = self.formulas.terms.sub(now, before);
        let (least, most) = self.interval(step, SUM_DEPTH)?;
        if least >= 0 && most < 1i128 << (width.bits() - 1) {
            Some(true)
        } else if most <= 0 {
            Some(false)
        } else {
            None
        }
    }

    fn ahead(&mut self, now: TermId, later: TermId, up: bool) -> Guard {
        let ahead =
            if up { self.formulas.terms.sle(now, later) } else { self.formulas.terms.sle(later, now) };
        self.formulas.guard(ahead)
    }

    /// Bounds of a sum of constants and unknowns with known ranges.
    pub(crate) fn interval(&self, term: TermId, depth: u32) -> Option<(i128, i128)> {
        if let Some(range) = self.range(term) {
            return Some(range);
        }
        let depth = depth.checked_sub(1)?;
        match self.formulas.terms.view(term) {
            Term::Binary(BinaryOp::Add, a, b) => {
                let (a, b) = (self.interval(a, depth)?, self.interval(b, depth)?);
                Some((a.0 + b.0, a.1 + b.1))
            }
            Term::Extend(_, of) => {
                let range = self.interval(of, depth)?;
                (range.0 >= 0).then_some(range)
            }
            _ => None,
        }
    }

    /// Alternatives that went from `before` to `now` in one iteration, some iterations later.
    fn moved_on(&mut self, before: &Leaves, now: Leaves, width: Width, pointer: bool) -> Leaves {
        let mut result = Vec::with_capacity(now.len());
        for (guard, leaf) in now {
            let known = before.iter().any(|entry| entry.1 == leaf);
            let leaf = match leaf {
                leaf if known => leaf,
                Leaf::Address(object, _) => {
                    let inside = |leaf| matches!(leaf, Leaf::Address(other, _) if other == object);
                    let moves = before.iter().any(|entry| inside(entry.1));
                    if moves { Leaf::Address(object, Offset::Somewhere) } else { leaf }
                }
                Leaf::Number(term) if pointer && self.formulas.terms.is_const(term) => leaf,
                Leaf::Number(term) if !pointer => Leaf::Number(self.grown(before, guard, term, width)),
                Leaf::Number(_) => Leaf::Number(self.later_number(width)),
                Leaf::Function(_) => leaf,
            };
            result.push((guard, leaf));
        }
        self.tidy(result)
    }

    /// One alternative of a number, some iterations later. On the paths on which it is this alternative now, it was
    /// one of some others an iteration ago; if all of them are smaller, it goes on growing.
    fn grown(&mut self, before: &Leaves, guard: Guard, now: TermId, width: Width) -> TermId {
        let later = self.later_number(width);
        let mut direction = None;
        for &(when, leaf) in before {
            if self.and(when, guard).is_false() {
                continue;
            }
            let Leaf::Number(term) = leaf else { return later };
            if term == now {
                continue;
            }
            match self.direction(term, now, width) {
                Some(up) if direction.is_none_or(|known| known == up) => direction = Some(up),
                _ => return later,
            }
        }
        let Some(up) = direction else { return later };
        self.unknowns.note(later, Provenance::Counter);
        match self.range(now) {
            Some((least, most)) => {
                let range = self.counted_range(least, most, up, width);
                self.ranges.insert(later, range);
            }
            None => {
                let ahead = self.ahead(now, later, up);
                self.grant(ahead);
                let ahead = self.or(ahead, !guard);
                self.here = self.and(self.here, ahead);
            }
        }
        later
    }

    /// Whether a number in memory is what it would be if it counted the iterations, or some of them. A mark that is set to
    /// one looks like that as well, and what holds of a count holds of it: it does not become zero.
    fn counts_iterations(&self, pass: LastPass, term: TermId) -> bool {
        let node = &self.unrolled.nodes[pass.before];
        let last = self.unrolled.contexts[node.context].last().copied().unwrap_or(0);
        let count = self.formulas.terms.const_value(term);
        count.is_some_and(|count| (1..=u128::from(last) + 1).contains(&count))
    }

    /// A count, some iterations later.
    fn counted_further(&mut self, term: TermId, width: Width) -> TermId {
        let later = self.later_number(width);
        let now = self.formulas.terms.const_value(term).map_or(0, |count| width.signed(count));
        self.unknowns.note(later, Provenance::Counter);
        let range = self.counted_range(now, now, true, width);
        self.ranges.insert(later, range);
        later
    }

    /// Another number that is not zero.
    fn nonzero_like(&mut self, term: TermId, width: Width) -> TermId {
        let later = self.unknown_number(width);
        if let Some(&range) = self.ranges.get(&term) {
            self.ranges.insert(later, range);
        }
        if let Some(excluded) = self.excluded.get(&term).cloned() {
            self.excluded.insert(later, excluded);
        }
        self.unknowns.note(later, Provenance::Nonzero);
        later
    }

    /// Numbers in memory that the iterations have changed are unknown. What a callee has set to something that is not
    /// zero, the capacity of a buffer that it filled, is set so by later iterations too.
    pub fn last_numbers(&mut self, pass: LastPass) {
        let changed = |cell: &&Cell| {
            let numbers = cell.leaves.iter().all(|entry| matches!(entry.1, Leaf::Number(_)));
            numbers && cell.written >= pass.first
        };
        for object in self.objects.ids() {
            let cells: Vec<Cell> = self.objects[object].cells.iter().filter(changed).cloned().collect();
            for cell in cells {
                if let Some(width) = Width::new((cell.bytes as u32).saturating_mul(8)) {
                    let any = Leaf::Number(self.later_number(width));
                    let mut later: Leaves = Vec::with_capacity(cell.leaves.len());
                    for &(guard, leaf) in &cell.leaves {
                        match leaf {
                            Leaf::Number(term) if self.unknowns.is(term, Provenance::Nonzero) => {
                                later.push((guard, Leaf::Number(self.nonzero_like(term, width))));
                            }
                            Leaf::Number(term) if self.counts_iterations(pass, term) => {
                                later.push((guard, Leaf::Number(self.counted_further(term, width))));
                            }
                            _ => later.push((guard, any)),
                        }
                    }
                    let later = self.tidy(later);
                    self.write(object, cell.offset, cell.bytes, &later, Type::Int(width.bits()), self.here);
                }
            }
        }
    }
}
