//! Whole ranges at once: structures that are assigned, `memcpy`, `memset`.
//!
//! A range has many cells, most of which nobody will ever look at. Cells that exist are copied or filled one by
//! one; for the others the object remembers a link, under the guard of the paths on which it happened, and the
//! first read of a cell follows it. A copy has what its source held at that time: before a cell of the source
//! is first written, the copies of it read it; before a range of the source is replaced, its past is set
//! aside for them.

use crate::limits::{COPY_CHAIN, COPY_LINKS};
use crate::machine::memory::{Cell, Link, LinkFrom, Object, ObjectId, Origin};
use crate::machine::provenance::Provenance;
use crate::machine::state::State;
use crate::machine::value::{Leaf, Leaves, Offset};
use watertight_finding::Doubt;
use watertight_ir::{Id, InstId, Type};
use watertight_logic::guard::Guard;
use watertight_logic::width::Width;
use watertight_summary::Span;

/// Whether a span covers some bytes whole, in part, or not at all.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Cover {
    Whole,
    Part,
    None,
}

fn cover(span: Span, offset: i64, bytes: u64) -> Cover {
    let end = offset.saturating_add_unsigned(bytes);
    let span_end = span.bytes.map_or(i64::MAX, |bytes| span.offset.saturating_add_unsigned(bytes));
    if span.offset <= offset && end <= span_end {
        Cover::Whole
    } else if end <= span.offset || span_end <= offset {
        Cover::None
    } else {
        Cover::Part
    }
}

impl State<'_> {
    /// What links say about a cell, and the paths on which they say nothing.
    pub fn linked(&mut self, object: ObjectId, offset: i64, bytes: u64, ty: Type) -> (Leaves, Guard) {
        let mut leaves = Vec::new();
        let mut rest = Guard::TRUE;
        for link in self.objects[object].links.clone().iter().rev() {
            let cover = cover(link.span, offset, bytes);
            let guard = self.and(rest, link.guard);
            if cover == Cover::None || guard.is_false() {
                continue;
            }
            rest = self.formulas.guards.and_not(rest, link.guard);
            let source = match link.from {
                _ if cover == Cover::Part => self.any_leaves(ty),
                LinkFrom::Unknown => self.any_leaves(ty),
                LinkFrom::Untold => {
                    let any = self.any(ty);
                    self.invent(&any, Doubt::CalleeWrote);
                    self.leaves(&any, self.width(ty))
                }
                LinkFrom::Zero => {
                    let width = self.width(ty);
                    vec![(Guard::TRUE, Leaf::Number(self.constant(width, 0)))]
                }
                // Objects may be copied in a circle; a chain of copies longer than this is not followed.
                LinkFrom::Object(source, start) if source != object && self.copies_followed < COPY_CHAIN => {
                    let at = start.wrapping_add(offset.wrapping_sub(link.span.offset));
                    self.copies_followed += 1;
                    let leaves = self.read(source, at, bytes, ty, Guard::TRUE);
                    self.copies_followed -= 1;
                    leaves
                }
                LinkFrom::Object(..) => self.any_leaves(ty),
            };
            for (when, leaf) in source {
                leaves.push((self.and(guard, when), leaf));
            }
            if rest.is_false() {
                break;
            }
        }
        (leaves, rest)
    }

    /// A variable of our own that has what a structure of the caller's has: it was passed by value.
    pub fn own_copy(&mut self, passed: ObjectId) -> ObjectId {
        // No instruction made it.
        let none = InstId::new(self.body.insts.len());
        let copy = self.object(Origin::Stack(none));
        self.link(copy, Span::WHOLE, LinkFrom::Object(passed, 0), Guard::TRUE);
        copy
    }

    fn link(&mut self, object: ObjectId, span: Span, from: LinkFrom, guard: Guard) {
        if self.objects[object].links.len() >= COPY_LINKS {
            self.objects[object].links.clear();
            let all = Link { span: Span::WHOLE, guard: Guard::TRUE, from: LinkFrom::Unknown };
            self.objects[object].links.push(all);
        }
        if let LinkFrom::Object(source, _) = from
            && !self.objects[source].copied_to.contains(&object)
        {
            self.objects[source].copied_to.push(object);
        }
        self.objects[object].links.push(Link { span, guard, from });
    }

    /// Copies of an object read a cell that is about to be written for the first time.
    pub fn before_write(&mut self, object: ObjectId, offset: i64, bytes: u64, ty: Type) {
        for copy in self.objects[object].copied_to.clone() {
            for link in self.objects[copy].links.clone() {
                let LinkFrom::Object(source, start) = link.from else { continue };
                let at = link.span.offset.wrapping_add(offset.wrapping_sub(start));
                if source == object
                    && cover(link.span, at, bytes) == Cover::Whole
                    && self.objects[copy].overlapping(at, bytes).is_empty()
                {
                    self.read(copy, at, bytes, ty, Guard::TRUE);
                }
            }
        }
    }

    /// Sets aside what an object holds for those that were copied from it.
    fn set_past_aside(&mut self, object: ObjectId) {
        let copies = std::mem::take(&mut self.objects[object].copied_to);
        if copies.is_empty() {
            return;
        }
        let past = self.past(object);
        for copy in copies {
            for link in &mut self.objects[copy].links {
                if let LinkFrom::Object(source, start) = link.from
                    && source == object
                {
                    link.from = LinkFrom::Object(past, start);
                }
            }
        }
    }

    /// An object of its own that has what another one has now.
    pub fn past(&mut self, object: ObjectId) -> ObjectId {
        let now = &self.objects[object];
        let mut past = Object::new(match &now.origin {
            Origin::Fresh(site) => Origin::Stack(site.inst),
            origin => origin.clone(),
        });
        past.cells = now.cells.clone();
        past.scattered = now.scattered.clone();
        past.links = now.links.clone();
        past.zeroed = now.zeroed;
        past.clobbered = now.clobbered;
        past.past = true;
        self.objects.push(past)
    }

    /// Copies `bytes` bytes (all of the object when absent) from one address to another.
    pub fn copy(&mut self, to: &Leaves, from: &Leaves, bytes: Option<u64>, guard: Guard) {
        let mut from = from.clone();
        for (_, leaf) in &mut from {
            if let Leaf::Number(address) = *leaf
                && let Some((object, offset)) = self.place_at(address)
            {
                *leaf = Leaf::Address(object, Offset::At(offset));
            }
        }
        for &(when_to, target) in to {
            let when_to = self.and(guard, when_to);
            if when_to.is_false() {
                continue;
            }
            for &(when_from, source) in &from {
                let when = self.and(when_to, when_from);
                if when.is_false() {
                    continue;
                }
                match (target, source) {
                    (Leaf::Address(to, Offset::At(at)), Leaf::Address(from, Offset::At(start))) => {
                        self.copy_cells(to, Span { offset: at, bytes }, from, start, when);
                    }
                    (Leaf::Address(to, _), Leaf::Address(from, begin)) => {
                        let held = self.contents(from, begin);
                        self.scatter(to, &held, when);
                    }
                    (Leaf::Address(to, Offset::At(at)), _) => {
                        self.fill_range(to, Span { offset: at, bytes }, None, when);
                    }
                    (Leaf::Number(to), _) if self.unknowns.is(to, Provenance::Undefined) => {}
                    (_, Leaf::Address(from, begin)) => {
                        let held = self.contents(from, begin);
                        self.keep_leaves(&held, when);
                    }
                    _ => {}
                }
            }
        }
    }

    fn copy_cells(&mut self, to: ObjectId, span: Span, from: ObjectId, start: i64, guard: Guard) {
        if self.spend_on_cells(to) || self.spend_on_cells(from) {
            return;
        }
        let span = self.within_text(to, span);
        let source = Span { offset: start, bytes: span.bytes };
        let inside = |span: Span, cell: &&Cell| cover(span, cell.offset, cell.bytes) == Cover::Whole;
        let cells: Vec<Cell> =
            self.objects[from].cells.iter().filter(|cell| inside(source, cell)).cloned().collect();
        if to != from {
            self.set_past_aside(to);
            self.forget_parts(to, span, guard);
            if guard.is_true() {
                self.objects[to].cells.retain(|cell| !inside(span, &cell) || is_spared(span, cell));
            }
            // What the target has and the source does not show yet.
            let present: Vec<Cell> =
                self.objects[to].cells.iter().filter(|cell| inside(span, cell)).cloned().collect();
            for cell in present {
                if self.spares(span, &cell, guard) {
                    continue;
                }
                let at = start.wrapping_add(cell.offset.wrapping_sub(span.offset));
                if self.objects[from].cell(at, cell.bytes).is_none() {
                    let ty = self.cell_type(&cell);
                    let leaves = self.read(from, at, cell.bytes, ty, Guard::TRUE);
                    self.write(to, cell.offset, cell.bytes, &leaves, ty, guard);
                }
            }
        }
        for cell in cells {
            let offset = span.offset.wrapping_add(cell.offset.wrapping_sub(start));
            let ty = self.cell_type(&cell);
            let known = self.objects[to].cell(offset, cell.bytes);
            if let Some(index) = known {
                let there = self.objects[to].cells[index].clone();
                if self.spares(span, &there, guard) {
                    continue;
                }
            }
            let exact = known.is_some();
            if exact || self.objects[to].overlapping(offset, cell.bytes).is_empty() || to == from {
                self.write(to, offset, cell.bytes, &cell.leaves, ty, guard);
            }
        }
        if to != from {
            self.link(to, span, LinkFrom::Object(from, start), guard);
        }
        let scattered = self.objects[from].scattered.clone();
        self.scatter(to, &scattered, guard);
    }

    /// Whether a cell stays as it is on some of these paths. One of several blocks that was copied here on other paths is in nobody's way.
    fn spares(&mut self, span: Span, cell: &Cell, guard: Guard) -> bool {
        is_spared(span, cell)
            && cell.leaves.iter().any(|&(when, leaf)| {
                matches!(leaf, Leaf::Address(..)) && !self.formulas.guards.disjoint(when, guard)
            })
    }

    /// Cells that reach over the edge of a range that changes are unknown afterwards.
    fn forget_parts(&mut self, object: ObjectId, span: Span, guard: Guard) {
        for cell in self.objects[object].cells.clone() {
            if cover(span, cell.offset, cell.bytes) == Cover::Part
                && let Some(width) = Width::new((cell.bytes as u32).saturating_mul(8))
            {
                let ty = self.cell_type(&cell);
                let unknown = vec![(Guard::TRUE, Leaf::Number(self.unknown_number(width)))];
                self.write(object, cell.offset, cell.bytes, &unknown, ty, guard);
            }
        }
    }

    fn cell_type(&self, cell: &Cell) -> Type {
        let address = cell.leaves.iter().any(|entry| !matches!(entry.1, Leaf::Number(_)));
        if address && cell.bytes == u64::from(self.context.program.target.pointer_bits / 8) {
            Type::Ptr
        } else {
            Type::Int(cell.bytes as u32 * 8)
        }
    }

    /// Sets bytes to a constant byte, or to unknown ones.
    pub fn fill(&mut self, to: &Leaves, byte: Option<u8>, bytes: Option<u64>, guard: Guard) {
        for &(when, leaf) in to {
            let when = self.and(guard, when);
            if let Leaf::Address(object, Offset::At(offset)) = leaf
                && !when.is_false()
            {
                self.fill_range(object, Span { offset, bytes }, byte, when);
            }
        }
    }

    /// Bytes that were zero as a whole, and of which nobody has looked at the cells, may be anything from now on, if they stand
    /// behind an offset.
    pub(crate) fn forget_zeros(&mut self, object: ObjectId, begin: i64, from: LinkFrom, guard: Guard) {
        let data = &self.objects[object];
        if !data.zeroed && !data.links.iter().any(|link| link.from == LinkFrom::Zero) {
            return;
        }
        self.set_past_aside(object);
        let mut links = Vec::new();
        if self.objects[object].zeroed {
            links.push(Link { span: behind(Span { offset: i64::MIN / 2, bytes: None }, begin), guard, from });
        }
        for link in self.objects[object].links.clone() {
            let changed = (link.from == LinkFrom::Zero).then(|| {
                let guard = self.formulas.guards.and(link.guard, guard);
                Link { span: behind(link.span, begin), guard, from }
            });
            links.push(link);
            links.extend(changed);
        }
        self.objects[object].links = links;
    }

    /// Takes what looking at every cell of an object costs; says whether that is too much.
    fn spend_on_cells(&mut self, object: ObjectId) -> bool {
        let cells = self.objects[object].cells.len() + self.objects[object].links.len();
        self.spend(cells as u64 / 4).is_err()
    }

    fn fill_range(&mut self, object: ObjectId, span: Span, byte: Option<u8>, guard: Guard) {
        if self.spend_on_cells(object) {
            return;
        }
        let span = self.within_text(object, span);
        self.set_past_aside(object);
        self.forget_parts(object, span, guard);
        for cell in self.objects[object].cells.clone() {
            let Some(width) = Width::new((cell.bytes as u32).saturating_mul(8)) else { continue };
            if cover(span, cell.offset, cell.bytes) != Cover::Whole || self.spares(span, &cell, guard) {
                continue;
            }
            let term = match byte {
                Some(byte) => {
                    let value = (0..cell.bytes).fold(0u128, |value, _| value << 8 | u128::from(byte));
                    self.formulas.terms.constant(width, width.mask(value))
                }
                None => self.unknown_number(width),
            };
            let ty = self.cell_type(&cell);
            let leaves = vec![(Guard::TRUE, Leaf::Number(term))];
            self.write(object, cell.offset, cell.bytes, &leaves, ty, guard);
        }
        let from = if byte == Some(0) { LinkFrom::Zero } else { LinkFrom::Unknown };
        self.link(object, span, from, guard);
    }
}

/// The part of a range that stands behind an offset.
fn behind(span: Span, begin: i64) -> Span {
    let offset = span.offset.max(begin);
    let bytes = span.bytes.map(|bytes| bytes.saturating_sub(offset.abs_diff(span.offset)));
    Span { offset, bytes }
}

/// A range of unknown length counts as reaching to the end of the object, and hardly does: it is some member, with others
/// behind it. Addresses there stay.
fn is_spared(span: Span, cell: &Cell) -> bool {
    span.bytes.is_none() && cell.leaves.iter().any(|entry| matches!(entry.1, Leaf::Address(..)))
}
