//! What memory holds, as terms.
//!
//! A load is followed back along the versions of the cells that it may read: past stores to other addresses, to the
//! value that a store to the same address put there. Addresses are compared as terms. Two unknown addresses that do
//! not come from each other are taken to be different, as different parameters are everywhere (ASSUME-1). What loops
//! and functions that are not followed leave in memory is unknown, one unknown for each version and address.

use crate::context::ContextId;
use crate::control::is_header;
use crate::facts::{CellId, Point};
use crate::limits::{BASE_STEPS, LOAD_CELLS};
use crate::memory::Version;
use crate::question::Question;
use crate::terms::{Address, SPACING, Unknown, View};
use std::rc::Rc;
use watertight_ir::{AtomicOp, BlockId, InstId, Linkage, Op, Terminator, ValueId};
use watertight_logic::term::{BinaryOp, Term, TermId};
use watertight_logic::width::Width;

/// A read of memory.
#[derive(Clone)]
pub(crate) struct Read {
    pub cells: Rc<[CellId]>,
    pub addr: TermId,
    pub width: Width,
    /// In which turn of a loop, and seen from where.
    pub view: View,
    pub seen: BlockId,
}

impl Question<'_, '_> {
    /// What a load gives.
    pub(crate) fn load(&mut self, context: ContextId, inst: InstId, view: View, width: Width) -> TermId {
        let (body, _) = self.at_context(context);
        let value = body.insts[inst].result.expect("a load has a result");
        let unknown = Unknown::Value(context, value, view);
        let Op::Load { addr, .. } = &body.insts[inst].op else { return self.invention(unknown, width) };
        self.load_at(context, inst, *addr, 0, view, width)
    }

    /// What memory holds at some bytes from an address, before an instruction.
    pub(crate) fn load_at(
        &mut self,
        context: ContextId,
        inst: InstId,
        addr: ValueId,
        offset: i64,
        view: View,
        width: Width,
    ) -> TermId {
        let (body, own) = self.at_context(context);
        let value = body.insts[inst].result.expect("what loads has a result");
        let unknown = Unknown::Memory(context, Version::Inst(inst), TermId::truth(offset != 0), width, view);
        let Some(point) = own.point(inst) else {
            return self.invention(Unknown::Value(context, value, view), width);
        };
        let mut cells = self.facts.reached(self.contexts.function(context), addr);
        let mut addr = self.term_at(context, addr, point.block, view);
        addr = self.not_null(addr);
        if offset != 0 {
            let moved = cells.iter().map(|&cell| {
                let (object, at) = self.facts.place(cell);
                self.facts.cell_at(object, at + offset)
            });
            let mut moved: Vec<CellId> = moved.collect();
            moved.sort_unstable();
            moved.dedup();
            cells = moved.into();
            let offset = self.number(Width::W64, offset);
            addr = self.formulas.terms.add(addr, offset);
        }
        if cells.is_empty() {
            let global = self.initial(addr, width);
            return global.unwrap_or_else(|| self.unknown(unknown, width));
        }
        if cells.len() > LOAD_CELLS {
            return self.invention(unknown, width);
        }
        self.read(context, point, &Read { cells, addr, width, view, seen: point.block })
    }

    /// What memory holds at a point.
    pub(crate) fn read(&mut self, context: ContextId, at: Point, read: &Read) -> TermId {
        let function = self.contexts.function(context);
        let (_, own) = self.at_context(context);
        let chains = self.memory.chains(self.facts, function, &read.cells);
        let chains = chains.expect("only functions with bodies are entered");
        let version = chains.reaching(own, at);
        self.steps += 1;
        self.depth += 1;
        let term = if self.is_spent() {
            self.invention(self.version(context, version, read), read.width)
        } else if let Term::Ite(condition, then, otherwise) = self.formulas.terms.view(read.addr) {
            // One of two places: what each of them holds.
            let then = self.read(context, at, &Read { addr: then, ..read.clone() });
            let otherwise = self.read(context, at, &Read { addr: otherwise, ..read.clone() });
            self.formulas.terms.ite(condition, then, otherwise)
        } else if self.formulas.terms.const_value(read.addr).is_some_and(|at| at < u128::from(SPACING)) {
            // Nobody reads there.
            self.unknown(Unknown::Initial(read.addr, read.width), read.width)
        } else {
            self.held_by(context, version, read)
        };
        self.depth -= 1;
        term
    }

    fn version(&self, context: ContextId, version: Version, read: &Read) -> Unknown {
        Unknown::Memory(context, version, read.addr, read.width, read.view)
    }

    fn held_by(&mut self, context: ContextId, version: Version, read: &Read) -> TermId {
        let (body, own) = self.at_context(context);
        let unknown = self.version(context, version, read);
        match version {
            Version::Entry => match self.contexts.by(context) {
                Some((outer, call)) => {
                    let (_, outside) = self.at_context(outer);
                    let Some(point) = outside.point(call) else { return self.invention(unknown, read.width) };
                    let read = Read { view: View::Here, seen: point.block, ..read.clone() };
                    self.read(outer, point, &read)
                }
                None => {
                    let known = self.initial(read.addr, read.width);
                    known.unwrap_or_else(|| self.unknown(Unknown::Initial(read.addr, read.width), read.width))
                }
            },
            Version::Phi(block) => {
                if is_header(own, block) && read.view != View::First(block) {
                    let view = match read.view {
                        View::Here => self.view_between(own, block, read.seen),
                        view => view,
                    };
                    let unknown = Unknown::Memory(context, version, read.addr, read.width, view);
                    return self.invention(unknown, read.width);
                }
                let outside = |from: &BlockId| !own.loops.is_back_edge(*from, block);
                let mut cases = Vec::new();
                for &from in own.cfg.predecessors(block).iter().filter(|from| outside(from)) {
                    cases.push((from, self.read(context, Point::end(from), read)));
                }
                match self.joined(context, block, &cases) {
                    Some(term) => term,
                    None => self.invention(unknown, read.width),
                }
            }
            Version::Inst(inst) => {
                let Some(point) = own.point(inst) else { return self.invention(unknown, read.width) };
                let view = match read.view {
                    View::Here => self.view_between(own, point.block, read.seen),
                    view => view,
                };
                match &body.insts[inst].op {
                    Op::Store { addr, value, .. } => {
                        let stored = self.term_at(context, *addr, point.block, view);
                        let stored = self.not_null(stored);
                        match self.same_address(read.addr, stored) {
                            Some(false) => self.read(context, point, read),
                            Some(true) => {
                                let value = self.term_at(context, *value, point.block, view);
                                self.fitted(value, read.width, unknown)
                            }
                            None => self.invention(unknown, read.width),
                        }
                    }
                    Op::MemFill { dst, byte, len } => {
                        let inside = self.inside(context, point, read, *dst, *len, view);
                        match (inside, body.bits(*byte)) {
                            (Some(None), _) => self.read(context, point, read),
                            (Some(Some(_)), Some(byte)) => {
                                let pattern = u128::from(byte & 0xff) * (u128::MAX / 0xff);
                                self.formulas.terms.constant(read.width, read.width.mask(pattern))
                            }
                            _ => self.invention(unknown, read.width),
                        }
                    }
                    Op::MemCopy { dst, src, len, .. } => {
                        match self.inside(context, point, read, *dst, *len, view) {
                            Some(None) => self.read(context, point, read),
                            Some(Some(offset)) => self.copied(context, point, read, *src, offset, view),
                            None => self.invention(unknown, read.width),
                        }
                    }
                    Op::Atomic { op, addr, value } => {
                        let at = self.term_at(context, *addr, point.block, view);
                        let at = self.not_null(at);
                        match self.same_address(read.addr, at) {
                            Some(false) => self.read(context, point, read),
                            Some(true) => {
                                let old = self.read(context, point, read);
                                let value = self.term_at(context, *value, point.block, view);
                                let fits = self.formulas.terms.width(value) == read.width;
                                let terms = &mut self.formulas.terms;
                                match op {
                                    AtomicOp::Add if fits => terms.add(old, value),
                                    AtomicOp::Sub if fits => terms.sub(old, value),
                                    AtomicOp::Exchange if fits => value,
                                    _ => self.invention(unknown, read.width),
                                }
                            }
                            None => self.invention(unknown, read.width),
                        }
                    }
                    Op::Call(_) => self.left_by_call(context, inst, point, read, unknown),
                    _ => self.invention(unknown, read.width),
                }
            }
        }
    }

    /// A stored value as a load of another width sees it.
    fn fitted(&mut self, value: TermId, width: Width, unknown: Unknown) -> TermId {
        let stored = self.formulas.terms.width(value);
        if stored == width {
            value
        } else if stored.bits() > width.bits() {
            self.formulas.terms.truncate(value, width)
        } else {
            self.invention(unknown, width)
        }
    }

    /// Whether a read lies in a range of bytes, and where in it. The outer `None`: nobody knows.
    fn inside(
        &mut self,
        context: ContextId,
        point: Point,
        read: &Read,
        start: ValueId,
        len: ValueId,
        view: View,
    ) -> Option<Option<i64>> {
        let start = self.term_at(context, start, point.block, view);
        let start = self.not_null(start);
        let len = self.term_at(context, len, point.block, view);
        if self.same_object(read.addr, start) == Some(false) {
            return Some(None);
        }
        let offset = self.formulas.terms.sub(read.addr, start);
        let offset = Width::W64.signed(self.formulas.terms.const_value(offset)?) as i64;
        let len = i64::try_from(self.formulas.terms.const_value(len)?).ok()?;
        let bytes = i64::from(read.width.bits().div_ceil(8));
        if offset >= 0 && offset + bytes <= len {
            Some(Some(offset))
        } else if offset + bytes <= 0 || offset >= len {
            Some(None)
        } else {
            None
        }
    }

    fn copied(
        &mut self,
        context: ContextId,
        point: Point,
        read: &Read,
        src: ValueId,
        offset: i64,
        view: View,
    ) -> TermId {
        let reached = self.facts.reached(self.contexts.function(context), src);
        let mut cells: Vec<CellId> = Vec::new();
        for &cell in reached.iter() {
            let (object, at) = self.facts.place(cell);
            cells.push(self.facts.cell_at(object, at + offset));
        }
        cells.sort_unstable();
        cells.dedup();
        let src = self.term_at(context, src, point.block, view);
        let offset = self.number(Width::W64, offset);
        let addr = self.formulas.terms.add(src, offset);
        if cells.is_empty() {
            let unknown = Unknown::Initial(addr, read.width);
            return self.initial(addr, read.width).unwrap_or_else(|| self.unknown(unknown, read.width));
        }
        let read = Read { cells: cells.into(), addr, view, seen: point.block, ..read.clone() };
        self.read(context, point, &read)
    }

    /// What a call of a function of the program leaves in memory: what is there where it returns.
    pub(crate) fn left_by_body(
        &mut self,
        context: ContextId,
        inst: InstId,
        read: &Read,
        unknown: Unknown,
    ) -> TermId {
        let Some((inner, returns)) = self.inlined(context, inst) else {
            return self.invention(unknown, read.width);
        };
        let (caller, callee) = (self.contexts.function(context), self.contexts.function(inner));
        let cells = self.facts.to_callee(&read.cells, caller, inst, callee);
        let mut term = None;
        for (block, guard) in returns {
            let read = Read { cells: cells.clone(), view: View::Here, seen: block, ..read.clone() };
            let case = self.read(inner, Point::end(block), &read);
            term = Some(match term {
                None => case,
                Some(before) => self.formulas.choose(guard, case, before),
            });
        }
        term.unwrap_or_else(|| self.invention(unknown, read.width))
    }

    /// An address that is accessed, without the cases in which it is null, plus some bytes or not.
    fn not_null(&self, addr: TermId) -> TermId {
        let terms = &self.formulas.terms;
        let null = |term: TermId| terms.const_value(term).is_some_and(|at| at < u128::from(SPACING));
        let mut at = addr;
        while let Term::Ite(_, then, otherwise) = terms.view(at) {
            at = match (null(then), null(otherwise)) {
                (true, false) => otherwise,
                (false, true) => then,
                _ => break,
            };
        }
        at
    }

    /// Whether two addresses are the same.
    pub(crate) fn same_address(&mut self, a: TermId, b: TermId) -> Option<bool> {
        let equal = self.formulas.terms.eq(a, b);
        match self.formulas.terms.const_value(equal) {
            Some(bits) => Some(bits == 1),
            None => self.same_object(a, b).filter(|same| !same),
        }
    }

    /// Whether two addresses are in the same object, if that is plain to see.
    fn same_object(&mut self, a: TermId, b: TermId) -> Option<bool> {
        let (a, b) = (self.base(a)?, self.base(b)?);
        let number = |term: TermId| self.formulas.terms.const_value(term).map(|at| at / u128::from(SPACING));
        match (number(a), number(b)) {
            (Some(one), Some(other)) => Some(one == other),
            _ => Some(a == b),
        }
    }

    /// An address without what is added to it: a number or an unknown.
    fn base(&self, addr: TermId) -> Option<TermId> {
        let terms = &self.formulas.terms;
        let mut at = addr;
        for _ in 0..BASE_STEPS {
            match terms.view(at) {
                Term::Const(_) | Term::Var(_) => return Some(at),
                Term::Binary(BinaryOp::Add, one, other) if terms.is_const(one) && !terms.is_const(other) => {
                    at = other;
                }
                Term::Binary(BinaryOp::Add, one, other) if terms.is_const(other) => at = one,
                _ => return None,
            }
        }
        None
    }

    /// What memory holds when the first function is entered, where that is known: variables that nothing ever writes,
    /// and blocks that are zero when they are acquired.
    fn initial(&mut self, addr: TermId, width: Width) -> Option<TermId> {
        let addr = u64::try_from(self.formulas.terms.const_value(addr)?).ok()?;
        let (base, offset) = (addr / SPACING * SPACING, addr % SPACING);
        if self.zeroed.contains(&base) {
            return Some(self.number(width, 0));
        }
        let thing = self.addresses.iter().find(|entry| *entry.1 == base).map(|entry| *entry.0)?;
        let Address::Global(id) = thing else { return None };
        let global = &self.facts.program.globals[id];
        let untouched = !self.is_written(id, offset);
        // Others may set what they can see.
        if untouched && global.linkage != Linkage::Internal && !global.constant && global.image.is_some() {
            let number = self.number(Width::W64, addr as i64);
            return Some(self.invention(Unknown::Initial(number, width), width));
        }
        let own = global.linkage == Linkage::Internal && untouched;
        let image = global.image.as_ref().filter(|_| global.constant || own)?;
        let bytes = u64::from(width.bits().div_ceil(8));
        let end = offset + bytes;
        let meets =
            |at: &watertight_ir::Relocation| at.offset < end && at.offset + u64::from(at.bytes) > offset;
        if end > global.bytes || image.relocations.iter().any(meets) {
            return None;
        }
        let byte = |at: u64| u128::from(image.bytes.get(at as usize).copied().unwrap_or(0));
        let value = (0..bytes).fold(0, |all, at| all | byte(offset + at) << (8 * at));
        Some(self.formulas.terms.constant(width, width.mask(value)))
    }

    fn is_written(&self, global: watertight_ir::GlobalId, offset: u64) -> bool {
        let origin = watertight_pointer::object::Origin::Global(global);
        let objects = &self.facts.points_to.memory().objects;
        let mut own = objects.iter().filter(|object| object.1.origin == origin).map(|object| object.0);
        own.any(|object| self.facts.is_ever_written(self.facts.cell_at(object, offset as i64)))
    }

    /// Blocks in which a function returns.
    pub(crate) fn return_blocks(&self, context: ContextId) -> Vec<BlockId> {
        let (body, own) = self.at_context(context);
        let returns = |block: &BlockId| matches!(body.blocks[*block].term, Terminator::Return(_));
        own.cfg.reverse_post_order().iter().copied().filter(returns).collect()
    }
}
