//! Into functions from behind, and out of them at the front: the paper's Map and Unmap, return and enter.
//!
//! Parameters and results are values that have names ([`Expr::Entry`], [`Expr::Returned`]), which takes the place of the
//! paper's shadow variables. Names of the caller keep their meaning in a callee that cannot call back; in one that can,
//! they would mean two things, so the values of the caller get names of their own ([`Expr::Ghost`]) until the walk comes
//! out again, and its variables, which the callee cannot reach, leave the regions for that time.

use crate::expr::{Expr, ExprId, Symbol};
use crate::fact::{Cell, Regions};
use crate::lower::{CallAction, Statements};
use crate::region::{Region, RegionId};
use crate::world::World;
use watertight_ir::{FuncId, Type};

/// Values of callers that are kept in mind at one time.
const MOST_GHOSTS: u32 = 6;

/// What is to be put back when the walk comes out of a call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frame {
    /// Names for values of the caller, and what they stand for there.
    ghosts: Vec<(ExprId, ExprId)>,
    /// Variables of the caller that may refer to the cell.
    regions: Vec<(RegionId, Option<ExprId>)>,
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
                if let Expr::Ghost(number, ..) = part {
                    used = used.max(number + 1);
                }
                false
            });
        }
        let mapped = self.map(&cell, |world, expr| world.ghostly(expr, &members, &mut used, &mut frame));
        (self.finish(mapped), frame)
    }

    /// The expression with values of the caller under names of their own.
    fn ghostly(
        &mut self,
        expr: ExprId,
        members: &[FuncId],
        used: &mut u32,
        frame: &mut Frame,
    ) -> Option<ExprId> {
        let own = match self.exprs.get(expr) {
            Expr::Entry(function, _) | Expr::Value(function, _) => members.contains(&function),
            Expr::Address(Symbol::Local(function, _)) => members.contains(&function),
            Expr::Deref(addr, _) => match self.symbol(addr) {
                Some(Symbol::Local(function, local)) => {
                    members.contains(&function) && !self.is_taken(function, local) && self.is_constant(addr)
                }
                _ => false,
            },
            _ => false,
        };
        if !own {
            return self.rebuild(expr, &mut |world, part| world.ghostly(part, members, used, frame));
        }
        if let Some(&(ghost, _)) = frame.ghosts.iter().find(|known| known.1 == expr) {
            return Some(ghost);
        }
        if *used >= MOST_GHOSTS {
            return None;
        }
        let facts = self.exprs.facts(expr);
        let (ty, points) = (facts.ty, facts.points);
        let ghost = self.exprs.intern(Expr::Ghost(*used, ty, points), points);
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
        let mut cell = self.map(cell, |world, expr| world.outward(expr, callee, call, frame));
        for &(region, tag) in &frame.regions {
            cell.regions.add(region, tag);
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
            Expr::Ghost(..) => match frame.ghosts.iter().find(|known| known.0 == expr) {
                Some(known) => return Some(known.1),
                None => expr,
            },
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
