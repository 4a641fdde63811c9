//! Into functions from behind, and out of them at the front: the paper's Map and Unmap, return and enter.
//!
//! Parameters and results are values that have names ([`Expr::Entry`], [`Expr::Returned`]), which takes the place of the
//! paper's shadow variables. Names of the caller keep their meaning in a callee that cannot call back; in one that can,
//! they would mean two things, so the values of the caller get names of their own ([`Expr::Ghost`]) until the walk comes
//! out again, and its variables, which the callee cannot reach, leave the regions for that time.

use crate::expr::{Expr, ExprId, Symbol};
use crate::fact::{Cell, Regions, include};
use crate::limits::GHOSTS;
use crate::lower::{CallAction, Statements};
use crate::region::{Region, RegionId};
use crate::world::World;
use watertight_ir::{CompareOp, FuncId, Type};

/// What is to be put back when the walk comes out of a call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frame {
    /// The first number of a new name.
    first: u32,
    /// Names for values of the caller, and what they stand for there.
    ghosts: Vec<(ExprId, ExprId)>,
    /// Variables of the caller that may refer to the cell.
    regions: Vec<(RegionId, Option<ExprId>)>,
    /// What is known of values of the caller alone, which no callee can change.
    misses: Vec<ExprId>,
    conditions: Vec<ExprId>,
    /// The function that calls itself and goes down, and whether locations of activations further out were known of.
    descent: Option<(FuncId, bool)>,
}

impl World<'_> {
    /// Map: what is known after a call, in terms of the callee.
    pub(crate) fn enter(
        &mut self,
        cell: &Cell,
        call: &CallAction,
        caller: FuncId,
        callee: FuncId,
    ) -> (Option<Cell>, Frame) {
        let mut frame = Frame::default();
        let mut cell = cell.clone();
        if let Some(result) = call.result {
            let facts = self.exprs.facts(result);
            let (ty, points) = (facts.ty, facts.points);
            let returned = self.exprs.declare(Expr::Returned(callee), ty, points);
            match self.define(&cell, result, Some(returned)) {
                Some(mapped) => cell = mapped,
                None => return (None, frame),
            }
        }
        let components = self.graph.components();
        if components.of(caller) != components.of(callee) {
            // All names of values further out keep their meaning.
            frame.first = u32::MAX;
            return (Some(cell), frame);
        }
        let again = components.of(callee);
        let members: Vec<FuncId> = components.members(again).to_vec();
        let mut kept = Regions { any: cell.regions.any, list: Vec::new() };
        for &(region, tag) in &cell.regions.list {
            match self.region(region) {
                Region::Local(function, ..) if members.contains(&function) => {
                    frame.regions.push((region, tag))
                }
                _ => kept.add(region, tag),
            }
        }
        cell.regions = kept;
        let mut used = 0;
        let all = [&cell.hits, &cell.misses, &cell.conditions];
        for &expr in all.into_iter().flatten() {
            self.exprs.any(expr, &mut |_, part| {
                if let Expr::Ghost(number, ..) | Expr::Above(_, number, _) = part {
                    used = used.max(number + 1);
                }
                false
            });
        }
        frame.first = used;
        // A value of the caller that is equal to one further out has a name already.
        for &condition in &cell.conditions {
            if let Expr::Compare(CompareOp::Eq, a, b) = self.exprs.get(condition) {
                for (ghost, own) in [(a, b), (b, a)] {
                    if matches!(self.exprs.get(ghost), Expr::Ghost(..) | Expr::Above(..))
                        && self.is_own(own, &members)
                    {
                        frame.ghosts.push((ghost, own));
                        // Under one name the two are equal in the callee; here that must be said again.
                        include(&mut frame.conditions, condition);
                    }
                }
            }
        }
        // Only hits get new names. The rest keeps what can be told with those, so that the cells of deeper and deeper
        // calls become equal; what concerns the caller alone waits for it.
        let mut mapped = Cell { born: cell.born, ..Cell::default() };
        let hits = cell.hits.clone();
        for hit in hits {
            if let Some(hit) = self.ghostly(hit, &members, Some(&mut used), &mut frame) {
                include(&mut mapped.hits, hit);
            }
        }
        for &miss in &cell.misses {
            if let Some(miss) = self.ghostly(miss, &members, None, &mut frame) {
                include(&mut mapped.misses, miss);
            } else if self.is_alone(miss, &members) {
                frame.misses.push(miss);
            }
        }
        for &condition in &cell.conditions {
            if let Some(condition) = self.ghostly(condition, &members, None, &mut frame) {
                include(&mut mapped.conditions, condition);
            } else if self.is_alone(condition, &members) {
                frame.conditions.push(condition);
            }
        }
        mapped.regions.any = cell.regions.any;
        let down = if caller == callee { self.descent(callee) } else { None };
        if down.is_some() {
            let several =
                cell.regions.list.iter().any(|entry| entry.1.is_some_and(|tag| self.is_several(tag)));
            frame.descent = Some((callee, several));
        }
        for &(region, tag) in &cell.regions.list {
            let tag = match (tag, &down) {
                (Some(tag), Some(down)) => self.with_all_above(tag, callee, down),
                _ => tag,
            };
            let tag = tag.and_then(|tag| self.ghostly(tag, &members, None, &mut frame));
            let tag = tag.filter(|&tag| matches!(self.exprs.get(tag), Expr::Deref(..)));
            mapped.regions.add(region, tag);
        }
        (self.finish(mapped), frame)
    }

    /// Whether an expression is a value of a function that no other function can change.
    fn is_own(&self, expr: ExprId, members: &[FuncId]) -> bool {
        match self.exprs.get(expr) {
            Expr::Entry(function, _) | Expr::Value(function, _) => members.contains(&function),
            Expr::Address(Symbol::Local(function, _)) => members.contains(&function),
            Expr::Deref(addr, _) => match self.symbol(addr) {
                Some(Symbol::Local(function, local)) => {
                    members.contains(&function) && !self.is_taken(function, local) && self.is_constant(addr)
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether an expression is made of such values alone.
    fn is_alone(&self, expr: ExprId, members: &[FuncId]) -> bool {
        self.is_own(expr, members)
            || match self.exprs.get(expr) {
                Expr::Deref(..) => false,
                Expr::Number(..) | Expr::Address(_) | Expr::Ghost(..) | Expr::Above(..) => true,
                Expr::Entry(..) | Expr::Returned(_) | Expr::Value(..) | Expr::Born(..) => false,
                _ => self.exprs.parts(expr).0.into_iter().flatten().all(|part| self.is_alone(part, members)),
            }
    }

    /// The expression with values of the caller under names of their own, which are new if they may be.
    fn ghostly(
        &mut self,
        expr: ExprId,
        members: &[FuncId],
        mut used: Option<&mut u32>,
        frame: &mut Frame,
    ) -> Option<ExprId> {
        if !self.is_own(expr, members) {
            return self
                .rebuild(expr, &mut |world, part| world.ghostly(part, members, used.as_deref_mut(), frame));
        }
        if let Some(&(ghost, _)) = frame.ghosts.iter().find(|known| known.1 == expr) {
            return Some(ghost);
        }
        let used = used.filter(|used| **used < GHOSTS)?;
        let facts = self.exprs.facts(expr);
        let (ty, points) = (facts.ty, facts.points);
        let own = match (self.exprs.get(expr), members) {
            (Expr::Deref(addr, _), &[function]) => match self.exprs.get(addr) {
                Expr::Address(Symbol::Local(_, variable)) => {
                    self.descent(function).filter(|down| down.variable == variable).map(|_| function)
                }
                _ => None,
            },
            _ => None,
        };
        let ghost = match own {
            Some(function) => Expr::Above(function, *used, points),
            None => Expr::Ghost(*used, ty, points),
        };
        let ghost = self.exprs.intern(ghost, points);
        *used += 1;
        frame.ghosts.push((ghost, expr));
        Some(ghost)
    }

    /// Whether an address is a variable or a member of one, not an element.
    fn is_constant(&self, addr: ExprId) -> bool {
        !self.exprs.any(addr, &mut |_, part| matches!(part, Expr::Index(..)))
    }

    /// Unmap: what is known at the entry of a function, in terms of its caller before the call.
    pub(crate) fn leave(
        &mut self,
        cell: &Cell,
        callee: FuncId,
        call: &CallAction,
        frame: &Frame,
    ) -> Option<Cell> {
        let mut cell = cell.clone();
        // Outside of all activations of a function there are none around it.
        cell.regions = match frame.descent {
            Some((function, more)) => self.back_from_descent(&cell.regions, function, more),
            None => self.without_above(&cell.regions, callee),
        };
        let mut cell = self.map(&cell, |world, expr| world.outward(expr, callee, call, frame));
        for &(region, tag) in &frame.regions {
            cell.regions.add(region, tag);
        }
        for &miss in &frame.misses {
            include(&mut cell.misses, miss);
        }
        for &condition in &frame.conditions {
            include(&mut cell.conditions, condition);
        }
        self.finish(cell)
    }

    fn outward(&mut self, expr: ExprId, callee: FuncId, call: &CallAction, frame: &Frame) -> Option<ExprId> {
        let made = match self.exprs.get(expr) {
            Expr::Entry(function, index) if function == callee => {
                let copied = call.by_value.contains(&index);
                return call.args.get(index as usize).copied().filter(|_| !copied);
            }
            // Nothing of the callee has a value yet.
            Expr::Value(function, _) | Expr::Returned(function) if function == callee => return None,
            // One that came from further out keeps its name.
            Expr::Above(_, crate::descent::ALL, _) => return Some(expr),
            Expr::Ghost(number, ..) | Expr::Above(_, number, _) if number >= frame.first => {
                return frame.ghosts.iter().find(|known| known.0 == expr).map(|known| known.1);
            }
            _ => self.rebuild(expr, &mut |world, part| world.outward(part, callee, call, frame))?,
        };
        self.small(made)
    }

    /// `return value`: the result is the value, and the variables of the function go out of scope.
    pub(crate) fn return_before(
        &mut self,
        cell: &Cell,
        function: FuncId,
        statements: &Statements,
        value: Option<ExprId>,
    ) -> Option<Cell> {
        let mut cell = cell.clone();
        for local in &statements.locals {
            // Nothing that is named after the return can be in them, so that only the regions grow.
            self.out_of_scope(&mut cell.regions, local.addr, local.ty, local.single);
        }
        let returned = self.exprs.intern(Expr::Returned(function), crate::expr::Points::Anything);
        self.define(&cell, returned, value)
    }

    /// A location that is not there any more after this may have referred to the cell.
    pub(crate) fn out_of_scope(
        &mut self,
        regions: &mut Regions,
        addr: ExprId,
        ty: Option<crate::types::TypeId>,
        single: bool,
    ) {
        let ty = ty.filter(|_| !self.symbol(addr).is_some_and(|symbol| self.is_holding(symbol)));
        if !self.may_hold(ty) {
            return;
        }
        let tag = single.then(|| self.deref(addr, Type::Ptr));
        let reach = self.reach(addr, Type::Ptr);
        if reach.any {
            regions.everywhere();
        }
        for (region, _) in reach.regions {
            regions.add(region, tag);
        }
    }
}
