//! Assignments, undone: from what is known of the error cell after `*e0 ← e1` to what is known before it.
//!
//! The paper's six rules are here as follows. [`World::carry`] rewrites an expression so that it has the value before that
//! it has after; it does the work of FILTER1 and SUBST1, for all parts of an expression at once. FILTER2, FILTER3, FILTER4
//! and SUBST2 stand in [`World::assign`] by their names.
//!
//! Beyond the paper: after the assignment `*e0` is equal to `e1`, so that what follows from all equalities there
//! ([`Closure`]) decides which locations are the one that is written, and gives expressions that do not survive another
//! name that does. Where a hit still may or may not be that location, both cases are followed, each with its condition,
//! instead of forgetting the hit.

use crate::closure::Closure;
use crate::expr::{Expr, ExprId};
use crate::fact::{Cell, Regions, holds, include};
use crate::limits::ASSIGN_CASES;
use crate::region::Overlap;
use crate::types::Shape;
use crate::world::World;
use watertight_ir::{CompareOp, Type};

/// A write to memory.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Write {
    pub(crate) addr: ExprId,
    pub(crate) ty: Type,
    /// Not known when absent.
    pub(crate) value: Option<ExprId>,
    /// Addresses, as they are called before, of which it has been decided whether they are the one that is written.
    decided: [Option<(ExprId, bool)>; ASSIGN_CASES],
}

impl Write {
    pub(crate) fn new(addr: ExprId, ty: Type, value: Option<ExprId>) -> Write {
        Write { addr, ty, value, decided: [None; ASSIGN_CASES] }
    }
}

/// A write, and what is known after it.
#[derive(Copy, Clone)]
struct Past<'c> {
    write: Write,
    /// When the address that is written is called the same before and after.
    after: Option<&'c Closure>,
    /// Whether other names are looked for.
    renames: bool,
}

impl World<'_> {
    /// What an expression that is evaluated after a write is called before it.
    fn carry(&mut self, expr: ExprId, past: Past<'_>) -> Option<ExprId> {
        if self.exprs.facts(expr).depth == 0 {
            return Some(expr);
        }
        if let Some(made) = self.carry_as_it_is(expr, past) {
            return Some(made);
        }
        let after = past.after.filter(|_| past.renames)?;
        let past = Past { renames: false, ..past };
        let others = self.by_rank(after.others(expr));
        others.into_iter().find_map(|other| self.carry(other, past))
    }

    fn carry_as_it_is(&mut self, expr: ExprId, past: Past<'_>) -> Option<ExprId> {
        let made = match self.exprs.get(expr) {
            Expr::Deref(addr, ty) => {
                let before = self.carry(addr, past)?;
                match self.touches(addr, before, ty, past) {
                    Overlap::Never => self.deref(before, ty),
                    Overlap::Same if ty == past.write.ty => past.write.value?,
                    _ => return None,
                }
            }
            _ => self.rebuild(expr, &mut |world, part| world.carry(part, past))?,
        };
        self.small(made)
    }

    /// Expressions in an order that does not depend on what was asked before.
    pub(crate) fn by_rank(&self, mut list: Vec<ExprId>) -> Vec<ExprId> {
        list.sort_by_key(|&expr| {
            let facts = self.exprs.facts(expr);
            (facts.size, facts.rank)
        });
        list
    }

    /// Whether an access at an address, as it is called after and before a write, is to what is written.
    fn touches(&mut self, addr: ExprId, before: ExprId, ty: Type, past: Past<'_>) -> Overlap {
        let write = past.write;
        for (known, same) in write.decided.into_iter().flatten() {
            if known == before && ty == write.ty {
                return if same { Overlap::Same } else { Overlap::Never };
            }
        }
        let overlap = self.overlap((before, ty), (write.addr, write.ty));
        match past.after {
            Some(after) if overlap == Overlap::Maybe && ty == write.ty => {
                if after.same(addr, write.addr) {
                    Overlap::Same
                } else if after.distinct(addr, write.addr) && self.is_whole(addr, ty, write) {
                    Overlap::Never
                } else {
                    Overlap::Maybe
                }
            }
            _ => overlap,
        }
    }

    /// Whether different addresses are addresses of different scalars: both are as they are declared.
    fn is_whole(&mut self, addr: ExprId, ty: Type, write: Write) -> bool {
        ty == Type::Ptr && [addr, write.addr].into_iter().all(|addr| !self.reach(addr, ty).any)
    }

    /// `*addr ← value`.
    pub(crate) fn assign(&mut self, cell: &Cell, write: Write) -> Vec<Cell> {
        let plain = Past { write, after: None, renames: false };
        // The value as an expression after the statement, if it is the same there; the address likewise.
        let value_after = write.value.filter(|&value| self.carry(value, plain) == Some(value));
        let stable = self.carry(write.addr, plain) == Some(write.addr);
        let target = self.deref(write.addr, write.ty);
        let mut terms = vec![write.addr];
        terms.extend(value_after);
        let equal = match value_after {
            Some(value) if stable => vec![(target, value)],
            _ => Vec::new(),
        };
        let Ok(after) = Closure::new(&mut self.exprs, cell, &terms, &equal) else { return Vec::new() };
        let past = Past { write, after: stable.then_some(&after), renames: true };

        let mut before =
            Cell { regions: self.regions_before(cell, past), born: cell.born, ..Cell::default() };
        let value_misses = match (value_after, write.value) {
            (Some(value), _) => after.misses(value) || self.misses(value, cell),
            (None, Some(value)) => self.implicit_miss(value, &Regions { any: true, list: Vec::new() }),
            (None, None) => false,
        };
        let value_hits = value_after.is_some_and(|value| after.hits(value) || holds(&cell.hits, value));

        let mut undecided = None;
        for hit in self.by_rank(cell.hits.clone()) {
            if let Some(hit) = self.carry(hit, past) {
                include(&mut before.hits, hit);
            } else if let Some((addr, before_addr, same)) = self.address_before(hit, past) {
                // FILTER2, FILTER4: it is not what was written, or what was written was there before.
                if value_misses || write.value == Some(same) {
                    include(&mut before.hits, same);
                } else {
                    undecided = undecided.or(Some((addr, before_addr)));
                }
            } else {
                undecided = undecided.or_else(|| self.undecided(hit, past));
            }
        }
        if let Some((addr, before_addr)) = undecided
            && let Some(room) = write.decided.iter().position(Option::is_none)
        {
            // The hit is the location that is written, or it is another one.
            let now = self.exprs.compare(CompareOp::Eq, addr, write.addr);
            let then = self.exprs.compare(CompareOp::Eq, before_addr, write.addr);
            let mut cases = Vec::new();
            for same in [true, false] {
                let (now, then) =
                    if same { (now, then) } else { (self.exprs.not(now), self.exprs.not(then)) };
                let mut write = write;
                write.decided[room] = Some((before_addr, same));
                let cell = if stable { self.require(cell, now) } else { Some(cell.clone()) };
                let Some(cell) = cell else { continue };
                for cell in self.assign(&cell, write) {
                    cases.extend(self.require(&cell, then));
                }
            }
            return cases;
        }
        for &miss in &cell.misses {
            if let Some(miss) = self.carry(miss, past) {
                include(&mut before.misses, miss);
            } else if let Some((_, _, same)) = self.address_before(miss, past)
                && (value_hits || write.value == Some(same))
            {
                // FILTER3, FILTER4.
                include(&mut before.misses, same);
            }
        }
        for &condition in &cell.conditions {
            if let Some(condition) = self.carry(condition, past) {
                include(&mut before.conditions, condition);
            }
        }
        if let Some(value) = write.value
            && write.ty == Type::Ptr
        {
            let listed = stable && (holds(&cell.misses, target) || after.misses(target));
            match self.holders(cell, past) {
                // SUBST2: what was written does not refer to the cell.
                Some(tags) if listed || tags.is_empty() => include(&mut before.misses, value),
                // What was written refers to the cell, and only one location does.
                Some(tags) if tags.len() == 1 && (value_hits || holds(&before.hits, value)) => {
                    let same = self.exprs.compare(CompareOp::Eq, tags[0], write.addr);
                    include(&mut before.conditions, same);
                }
                _ if listed => include(&mut before.misses, value),
                _ => {}
            }
        }
        self.finish(before).into_iter().collect()
    }

    /// The addresses, as they are called before a write, of locations that refer to the cell after it and may be what is
    /// written. Nothing when any location of a region may.
    fn holders(&mut self, cell: &Cell, past: Past<'_>) -> Option<Vec<ExprId>> {
        let write = past.write;
        let reach = self.reach(write.addr, write.ty);
        let reachable = reach.any || reach.regions.iter().any(|(region, _)| region.is_reachable());
        if cell.regions.any && reachable {
            return None;
        }
        let mut found = Vec::new();
        for &(region, tag) in &cell.regions.list {
            let meets = (reach.any && region.is_reachable())
                || reach.regions.iter().any(|&(other, _)| self.meet(region, other));
            if !meets {
                continue;
            }
            let Expr::Deref(addr, ty) = self.exprs.get(tag?) else { return None };
            let before = self.carry(addr, past)?;
            if self.touches(addr, before, ty, past) != Overlap::Never {
                if self.is_several(before) {
                    return None;
                }
                include(&mut found, before);
            }
        }
        Some(found)
    }

    /// The first address in an expression, as it is called after and before a write, that may or may not be the one that
    /// is written.
    fn undecided(&mut self, expr: ExprId, past: Past<'_>) -> Option<(ExprId, ExprId)> {
        for part in self.exprs.parts(expr).0.into_iter().flatten() {
            if let Some(found) = self.undecided(part, past) {
                return Some(found);
            }
        }
        let Expr::Deref(addr, ty) = self.exprs.get(expr) else { return None };
        let before = self.carry(addr, past)?;
        let maybe = ty == past.write.ty && self.touches(addr, before, ty, past) == Overlap::Maybe;
        maybe.then_some((addr, before))
    }

    /// The location of `*e`, as its address is called after and before a write that may or may not be to it.
    fn address_before(&mut self, expr: ExprId, past: Past<'_>) -> Option<(ExprId, ExprId, ExprId)> {
        let Expr::Deref(addr, ty) = self.exprs.get(expr) else { return None };
        if ty != past.write.ty {
            return None;
        }
        let before = self.carry(addr, past)?;
        let same = self.deref(before, ty);
        Some((addr, before, self.small(same)?))
    }

    /// The regions before a write: the old value of the location may have referred to the cell.
    fn regions_before(&mut self, cell: &Cell, past: Past<'_>) -> Regions {
        let write = past.write;
        let target = self.deref(write.addr, write.ty);
        let mut regions = Regions { any: cell.regions.any, list: Vec::new() };
        for &(region, tag) in &cell.regions.list {
            // A tag names a location, so its address must be the same before; what it held is another matter.
            let tag = tag.and_then(|tag| match self.exprs.get(tag) {
                Expr::Deref(addr, ty) => {
                    let addr = self.carry(addr, past)?;
                    let tag = self.deref(addr, ty);
                    self.small(tag)
                }
                _ => None,
            });
            regions.add(region, tag);
        }
        let reach = self.reach(write.addr, write.ty);
        let hits = self.hits_pointers(write.addr, write.ty);
        if reach.any && hits {
            regions.everywhere();
        }
        for (region, scalar) in reach.regions {
            // Only where a reference to such a cell can be at all: the paper's first extension. A number that lies over a
            // pointer, or is an address itself, is one of these.
            let number =
                scalar.is_some_and(|scalar| matches!(self.types.shape(scalar), Shape::Number { .. }));
            if self.may_hold(scalar) || (hits && number) {
                let tag = self.small(target).filter(|_| write.ty == Type::Ptr);
                regions.add(region, tag);
            }
        }
        regions
    }
}
