//! Elements of arrays.
//!
//! An element at a constant index is a place in its array like any other. One whose number is an argument of the function is a
//! thing of its own: the caller knows the number, or again names it by an argument, so the summary tells of this element and
//! of no other (`close_one(fds, i)` closes `fds[i]`). Where the function has asked whether the index is some number, it is that
//! element on the paths on which it is. Of any other index it is only known that the address stays in the array.
//!
//! In: addresses and indices with their guards. Out: the addresses of the elements.

use crate::limits::TESTED_ELEMENTS;
use crate::machine::memory::{Object, ObjectId, Origin};
use crate::machine::provenance::Provenance;
use crate::machine::state::State;
use crate::machine::value::{Leaf, Leaves, Offset};
use watertight_ir::{CompareOp, Op, Type, ValueId};
use watertight_logic::cone::support;
use watertight_logic::guard::Guard;
use watertight_logic::term::{Term, TermId};
use watertight_summary::{Path, Root, Step};

/// An element that an argument chooses.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Chosen {
    pub array: ObjectId,
    pub step: Step,
    pub element: ObjectId,
}

impl State<'_> {
    /// The addresses of elements.
    pub(crate) fn indexed(&mut self, base: &Leaves, indices: &Leaves, scale: i64) -> Leaves {
        let mut result = Vec::new();
        for &(when, leaf) in base {
            for &(guard, position) in indices {
                let both = self.and(when, guard);
                if both.is_false() {
                    continue;
                }
                let constant = match position {
                    Leaf::Number(term) => self.signed_constant(term),
                    _ => None,
                };
                let mut both = both;
                if let (Leaf::Address(object, Offset::At(at)), None) = (leaf, constant) {
                    for (when, offset) in self.tested_elements(object, at, position, scale) {
                        let there = self.and(both, when);
                        if !there.is_false() {
                            result.push((there, Leaf::Address(object, Offset::At(offset))));
                            both = self.formulas.guards.and_not(both, when);
                        }
                    }
                    if both.is_false() {
                        continue;
                    }
                }
                let moved = match (leaf, constant) {
                    (_, Some(position)) => self.moved(leaf, position.wrapping_mul(scale)),
                    (Leaf::Address(object, at), None) => self.unknown_element(object, at, position, scale),
                    // Who goes from the start of a table to where an address says gets there.
                    (Leaf::Number(_), None) if let Some(object) = self.address_in(position) => {
                        Leaf::Address(object, Offset::Somewhere)
                    }
                    // Equal indices give equal addresses, and others need not.
                    (Leaf::Number(term), None) if !self.formulas.terms.is_const(term) => {
                        let moved = self.element_address(term, position, scale);
                        if self.formulas.terms.as_variable(moved).is_none() {
                            self.unknowns.note(moved, Provenance::Member);
                        }
                        if self.unknowns.is(term, Provenance::Undefined) {
                            self.unknowns.note(moved, Provenance::Undefined);
                        }
                        Leaf::Number(moved)
                    }
                    (other, None) => other,
                };
                result.push((both, moved));
            }
        }
        self.tidy(result)
    }

    /// The elements of an array of our own that an index is known to lead to on some paths, because the function has asked
    /// whether it is that number: each with when it does, and its offset. Only those matter that hold something acquired
    /// here, which a store would lose.
    fn tested_elements(
        &mut self,
        array: ObjectId,
        start: i64,
        position: Leaf,
        scale: i64,
    ) -> Vec<(Guard, i64)> {
        let Leaf::Number(number) = position else { return Vec::new() };
        let data = &self.objects[array];
        if scale <= 0 || !matches!(data.origin, Origin::Fresh(_) | Origin::Stack(_)) {
            return Vec::new();
        }
        let mut elements: Vec<(i64, Vec<Guard>)> = Vec::new();
        for cell in &data.cells {
            let Some(distance) = cell.offset.checked_sub(start) else { continue };
            let holds = cell.leaves.iter().filter(|entry| match entry.1 {
                Leaf::Address(object, _) => self.objects[object].is_fresh(),
                _ => false,
            });
            let holds: Vec<Guard> = holds.map(|entry| entry.0).collect();
            if !holds.is_empty() && distance >= 0 && distance % scale == 0 && elements.len() < TESTED_ELEMENTS
            {
                elements.push((cell.offset, holds));
            }
        }
        let mut found = Vec::new();
        // Where the loop does the same with each element, it matters which one it has come to.
        let each = self.each_indices.contains(&self.inst);
        for (offset, holds) in elements {
            let width = self.formulas.terms.width(number);
            let index = self.constant(width, i128::from((offset - start) / scale));
            let equal = self.formulas.terms.eq(number, index);
            if !each && self.formulas.is_new(equal) {
                continue;
            }
            let equal = self.formulas.guard(equal);
            if each {
                self.grant(equal);
            }
            let Some((condition, ..)) = self.formulas.guards.branch(equal) else { continue };
            if !each && !self.unknowns.is_asked(condition) {
                continue;
            }
            let there = self.and(equal, self.here);
            if holds.into_iter().any(|held| !self.formulas.guards.disjoint(held, there)) {
                found.push((equal, offset));
            }
        }
        found
    }

    /// The comparison of an address that moves through an array with the address of an element at some index, its end as a rule:
    /// `p < v + n` asks whether the number of the element is less than `n`, and so does every other loop up to `n`.
    pub(crate) fn compare_with_end(&mut self, op: CompareOp, lhs: ValueId, rhs: ValueId) -> Option<Guard> {
        if self.body.ty(lhs) != Type::Ptr {
            return None;
        }
        let Some(&Op::Index { base, index, scale }) = self.body.def_op(rhs) else { return None };
        let start = self.address(base);
        let [(_, Leaf::Address(array, Offset::At(from)))] = start[..] else { return None };
        let width = self.width(self.body.ty(index));
        let index = self.value(index);
        let [(_, Leaf::Number(count))] = self.leaves(&index, width)[..] else { return None };
        if scale <= 0 || self.formulas.terms.is_const(count) {
            return None;
        }
        let op = match op {
            CompareOp::Ult => CompareOp::Slt,
            CompareOp::Ule => CompareOp::Sle,
            CompareOp::Ugt => CompareOp::Sgt,
            CompareOp::Uge => CompareOp::Sge,
            op => op,
        };
        let mut holds = Guard::FALSE;
        for (when, leaf) in self.address(lhs) {
            let Leaf::Address(object, Offset::At(at)) = leaf else { return None };
            if object != array || (at - from) % scale != 0 {
                return None;
            }
            let number = self.constant(width, i128::from((at - from) / scale));
            let such = self.compare_leaves(op, Leaf::Number(number), Leaf::Number(count), width);
            let both = self.and(when, such);
            holds = self.or(holds, both);
        }
        Some(holds)
    }

    /// The object that an index leads into, if it is an address.
    fn address_in(&self, position: Leaf) -> Option<ObjectId> {
        match position {
            Leaf::Address(object, _) if !self.objects[object].is_number => Some(object),
            _ => None,
        }
    }

    pub(crate) fn element_address(&mut self, base: TermId, position: Leaf, scale: i64) -> TermId {
        let pointer = self.formulas.terms.width(base);
        let position = self.leaf_term(position, pointer);
        let scale = self.constant(pointer, scale.into());
        let bytes = self.formulas.terms.mul(position, scale);
        self.formulas.terms.add(base, bytes)
    }

    /// An element at an index that is not constant.
    fn unknown_element(&mut self, array: ObjectId, at: Offset, position: Leaf, scale: i64) -> Leaf {
        if let Leaf::Number(number) = position
            && let Some(moved) = self.moved_along(array, number)
        {
            return moved;
        }
        let somewhere = Leaf::Address(array, Offset::Somewhere);
        let (Offset::At(offset), Leaf::Number(number)) = (at, position) else { return somewhere };
        let (Origin::Entry(path), Some(index)) = (&self.objects[array].origin, self.argument(number)) else {
            return somewhere;
        };
        // Elements of elements are beyond what a caller follows.
        if path.steps.iter().any(|step| matches!(step, Step::Element { .. } | Step::Somewhere)) {
            return somewhere;
        }
        let step = Step::Element { offset, index, scale };
        if let Some(known) = self.chosen.iter().find(|known| known.array == array && known.step == step) {
            return Leaf::Address(known.element, Offset::At(0));
        }
        let element = self.object(Origin::Entry(path.then(step)));
        let base = self.address_term(array, at);
        let address = self.element_address(base, position, scale);
        self.objects[element].address = Some(address);
        self.unknowns.note(address, Provenance::Member);
        self.chosen.push(Chosen { array, step, element });
        Leaf::Address(element, Offset::At(0))
    }

    /// Who adds the distance between two blocks to an address in one of them gets to the other: a pointer is moved along
    /// with the block that it points into.
    fn moved_along(&mut self, array: ObjectId, distance: TermId) -> Option<Leaf> {
        let own = self.objects[array].address?;
        let terms = &self.formulas.terms;
        if terms.as_variable(distance).is_some() || terms.is_const(distance) {
            return None;
        }
        let found: Vec<TermId> =
            support(terms, [distance]).into_iter().map(|var| terms.variable_term(var)).collect();
        if !found.contains(&own) {
            return None;
        }
        let is_there = |data: &Object| data.address.is_some_and(|term| term != own && found.contains(&term));
        let others = self.objects.iter().filter(|(_, data)| is_there(data)).map(|entry| entry.0);
        match others.take(2).collect::<Vec<_>>()[..] {
            // An address that is rounded up stays in its block.
            [] => None,
            [other] => Some(Leaf::Address(other, Offset::Somewhere)),
            _ => Some(self.elsewhere()),
        }
    }

    /// The argument that a number is, perhaps of another width.
    fn argument(&self, number: TermId) -> Option<u32> {
        let terms = &self.formulas.terms;
        let number = match terms.view(number) {
            Term::Extend(_, narrow) => narrow,
            _ => number,
        };
        match self.input_path(number)? {
            Path { root: Root::Param(index), steps } if steps.is_empty() => Some(*index),
            _ => None,
        }
    }

    /// Elements of an array that arguments choose.
    pub(crate) fn chosen_of(&self, array: ObjectId) -> impl Iterator<Item = ObjectId> {
        self.chosen.iter().filter(move |chosen| chosen.array == array).map(|chosen| chosen.element)
    }
}
