//! Recursion that goes down a structure: activations of one function that are under way have different parameters.
//!
//! `append(list, more)` calls `append(list->next, more)` and does nothing before that but read. If two activations that
//! are under way had the same `list`, the inner one would do what the outer one did, down to the same call, and so on:
//! it would never return. So wherever something is known after a call has returned, the parameter of the function is
//! another than that of every activation around it. The walk backwards goes through calls that have returned, and uses
//! this where it asks whether a location of this activation is one of another.

use crate::expr::{Expr, ExprId, Symbol};
use crate::fact::Regions;
use crate::lower::{Action, Statements};
use crate::walk::Point;
use crate::world::World;
use std::rc::Rc;
use watertight_ir::{Access, BlockId, FuncId, Id as _, Op, Type, ValueId};

/// The number of the name that stands for the parameters of all activations around.
pub(crate) const ALL: u32 = u32::MAX;

/// The parameter that goes down.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Descent {
    pub(crate) param: u32,
    /// The variable that it is in until it is assigned.
    pub(crate) variable: ValueId,
    /// Where that is.
    assigned: Assigned,
}

/// Where a variable gets other values than at first.
#[derive(Clone, PartialEq, Debug, Default)]
struct Assigned {
    at: Vec<(BlockId, usize)>,
    /// Blocks that come after one of them.
    after: Vec<bool>,
}

impl Assigned {
    /// Whether a variable may have another value than at first before or at an action.
    fn is_before(&self, block: BlockId, at: usize) -> bool {
        self.after.get(block.index()).copied().unwrap_or(false)
            || self.at.iter().any(|&(known, before)| known == block && before <= at)
    }
}

impl Descent {
    /// Whether the variable still holds the parameter at an action.
    pub(crate) fn is_still(&self, block: BlockId, at: usize) -> bool {
        !self.assigned.is_before(block, at)
    }
}

impl World<'_> {
    /// How a function goes down, if it does.
    pub(crate) fn descent(&mut self, function: FuncId) -> Option<Rc<Descent>> {
        if let Some(known) = self.descents.get(&function) {
            return known.clone();
        }
        let found = if self.plain { None } else { self.find_descent(function).map(Rc::new) };
        self.descents.insert(function, found.clone());
        found
    }

    fn find_descent(&mut self, function: FuncId) -> Option<Descent> {
        let components = self.graph.components();
        if components.members(components.of(function)).len() != 1 || !self.graph.is_recursive(function) {
            return None;
        }
        let statements = self.statements(function);
        if statements.odd.is_some() || self.program.functions[function].variadic {
            return None;
        }
        let variables = self.param_variables(function, &statements);
        let mut down: Option<Descent> = None;
        for (index, block) in statements.blocks.iter().enumerate() {
            let id = BlockId::new(index);
            if !statements.cfg.is_reachable(id) {
                continue;
            }
            for (at, (_, action)) in block.actions.iter().enumerate() {
                let Action::Call(call) = action else { continue };
                if call.callee != Some(function) {
                    continue;
                }
                let mut other = None;
                for (param, &arg) in (0..).zip(&call.args) {
                    let (variable, assigned) = variables.get(param as usize)?.clone()?;
                    if assigned.is_before(id, at) {
                        return None;
                    }
                    let same = matches!(self.exprs.get(arg), Expr::Deref(addr, _)
                        if self.exprs.get(addr) == Expr::Address(Symbol::Local(function, variable)));
                    match (same, &other) {
                        (true, _) => {}
                        // It goes down from there, which is something.
                        (false, None) if self.reads_through(arg, function, variable) => {
                            other = Some(Descent { param, variable, assigned });
                        }
                        (false, None) => return None,
                        (false, Some(_)) => return None,
                    }
                }
                if other.is_none()
                    || (down.is_some() && down != other)
                    || !self.only_reads(function, &statements, id, at)
                {
                    return None;
                }
                down = other;
            }
        }
        down.filter(|down| {
            self.program.functions[function]
                .params
                .get(down.param as usize)
                .is_some_and(|p| p.ty == Type::Ptr)
        })
    }

    /// Whether an expression reads what a variable points to.
    fn reads_through(&self, expr: ExprId, function: FuncId, variable: ValueId) -> bool {
        let symbol = Expr::Address(Symbol::Local(function, variable));
        self.exprs.any(expr, &mut |_, part| match part {
            Expr::Deref(addr, _) => match self.exprs.get(self.base(addr)) {
                Expr::Deref(inner, _) => self.exprs.get(inner) == symbol,
                _ => false,
            },
            _ => false,
        })
    }

    /// The variables that hold the parameters at first, and where they get other values.
    fn param_variables(&self, function: FuncId, statements: &Statements) -> Vec<Option<(ValueId, Assigned)>> {
        let actions = || statements.blocks.iter().flat_map(|block| &block.actions).map(|known| &known.1);
        let params = self.program.functions[function].params.len();
        (0..params as u32)
            .map(|param| {
                let (addr, variable) = actions().find_map(|action| match action {
                    Action::Assign { addr, value, .. }
                        if self.exprs.get(*value) == Expr::Entry(function, param) =>
                    {
                        match self.exprs.get(*addr) {
                            Expr::Address(Symbol::Local(of, variable)) if of == function => {
                                Some((*addr, variable))
                            }
                            _ => None,
                        }
                    }
                    _ => None,
                })?;
                let written = |action: &Action| match action {
                    Action::Assign { addr: to, .. }
                    | Action::Exchange { addr: to, .. }
                    | Action::Copy { to, .. }
                    | Action::Fill { to, .. } => self.symbol(*to) == self.symbol(addr),
                    _ => false,
                };
                let mut assigned = Assigned { at: Vec::new(), after: vec![false; statements.blocks.len()] };
                for (index, block) in statements.blocks.iter().enumerate() {
                    for (at, (_, action)) in block.actions.iter().enumerate() {
                        let first = matches!(action, Action::Assign { value, .. }
                            if self.exprs.get(*value) == Expr::Entry(function, param));
                        if !first && written(action) {
                            assigned.at.push((BlockId::new(index), at));
                        }
                    }
                }
                let mut todo: Vec<BlockId> = assigned
                    .at
                    .iter()
                    .flat_map(|&(block, _)| statements.cfg.successors(block).iter().copied())
                    .collect();
                while let Some(block) = todo.pop() {
                    if !std::mem::replace(&mut assigned.after[block.index()], true) {
                        todo.extend(statements.cfg.successors(block));
                    }
                }
                (!self.is_taken(function, variable)).then_some((variable, assigned))
            })
            .collect()
    }

    /// Whether a function does nothing but read memory before an action, on any way there.
    fn only_reads(&mut self, function: FuncId, statements: &Statements, block: BlockId, at: usize) -> bool {
        let mut before = vec![false; statements.blocks.len()];
        let mut todo: Vec<BlockId> = statements.cfg.predecessors(block).to_vec();
        while let Some(next) = todo.pop() {
            if !std::mem::replace(&mut before[next.index()], true) {
                todo.extend(statements.cfg.predecessors(next));
            }
        }
        for (index, data) in statements.blocks.iter().enumerate() {
            let here = index == block.index();
            let count = match (before[index], here) {
                (true, _) => data.actions.len(),
                (false, true) => at,
                (false, false) => continue,
            };
            for (inst, action) in &data.actions[..count] {
                let volatile = self.body(function).is_none_or(
                    |body| matches!(&body.insts[*inst].op, Op::Load { access, .. } if *access != Access::Plain),
                );
                let quiet = !volatile
                    && match action {
                        Action::Define { by, .. } => by.is_some(),
                        Action::Assign { addr, .. } => self.is_own_variable(function, *addr),
                        Action::Copy { to, .. } | Action::Fill { to, .. } => {
                            self.is_own_variable(function, *to)
                        }
                        Action::Call(call) => match call.callee {
                            Some(callee) if self.program.functions[callee].body.is_some() => {
                                callee != function && self.only_computes(callee)
                            }
                            _ => false,
                        },
                        Action::Exchange { .. } | Action::Unmodelled(_) => false,
                    };
                if !quiet {
                    return false;
                }
            }
        }
        true
    }

    /// Whether two addresses are in objects that the parameters of two activations point to.
    pub(crate) fn are_apart_by_descent(&mut self, a: ExprId, b: ExprId) -> bool {
        let of = |expr: ExprId| match self.exprs.get(expr) {
            Expr::Above(function, ..) => Some(function),
            _ => None,
        };
        let (above, own) = match (of(a), of(b)) {
            (Some(function), None) => (function, b),
            (None, Some(function)) => (function, a),
            _ => return false,
        };
        let Some(down) = self.descent(above).filter(|_| !self.lowering) else { return false };
        if !down.assigned.at.is_empty() && self.still_now != Some(above) {
            return false;
        }
        match self.exprs.get(own) {
            Expr::Entry(function, param) => function == above && param == down.param,
            Expr::Deref(addr, _) => {
                self.exprs.get(addr) == Expr::Address(Symbol::Local(above, down.variable))
            }
            _ => false,
        }
    }

    /// The statement at a point is looked at: the parameter may still be in its variable there.
    pub(crate) fn set_still(&mut self, point: Point) {
        let still = self.descent(point.function).is_some_and(|down| down.is_still(point.block, point.at));
        self.still_now = still.then_some(point.function);
    }

    /// Whether an expression stands for several values.
    pub(crate) fn is_several(&self, expr: ExprId) -> bool {
        self.exprs.any(expr, &mut |_, part| matches!(part, Expr::Above(_, ALL, _)))
    }

    /// The name for the parameters of all activations of a function around, in place of the parameter of this one.
    pub(crate) fn with_all_above(&mut self, tag: ExprId, function: FuncId, down: &Descent) -> Option<ExprId> {
        let own = self.descending(function, down);
        let points = self.exprs.points(own);
        let all = self.exprs.intern(Expr::Above(function, ALL, points), points);
        self.replace(tag, own, Some(all))
    }

    /// The descending parameter of this activation.
    pub(crate) fn descending(&mut self, function: FuncId, down: &Descent) -> ExprId {
        let symbol = Expr::Address(Symbol::Local(function, down.variable));
        let addr = self.exprs.intern(symbol, crate::expr::Points::Anything);
        self.deref(addr, Type::Ptr)
    }

    /// Locations of activations around a callee, as seen by the caller: its own, and those around it if there were any.
    pub(crate) fn back_from_descent(&mut self, regions: &Regions, function: FuncId, more: bool) -> Regions {
        let mut kept = Regions { any: regions.any, list: Vec::new() };
        let Some(down) = self.descent(function) else { return regions.clone() };
        let own = self.descending(function, &down);
        let points = self.exprs.points(own);
        let all = self.exprs.intern(Expr::Above(function, ALL, points), points);
        for &(region, tag) in &regions.list {
            match tag {
                Some(tag) if self.exprs.mentions(tag, all) => {
                    let own = self.replace(tag, all, Some(own));
                    kept.add(region, own);
                    if more {
                        kept.add(region, Some(tag));
                    }
                }
                _ => kept.add(region, tag),
            }
        }
        kept
    }

    /// The locations that are left when there is no activation of a function around it any more.
    pub(crate) fn without_above(&self, regions: &Regions, function: FuncId) -> Regions {
        let above = |tag: ExprId| {
            self.exprs.any(tag, &mut |_, part| matches!(part, Expr::Above(of, ALL, _) if of == function))
        };
        let mut kept = regions.clone();
        kept.list.retain(|entry| !entry.1.is_some_and(above));
        kept
    }
}
