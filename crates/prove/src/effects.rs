//! What functions write at most: whether a call can be passed by instead of entered.
//!
//! A function that acquires and releases nothing, calls nothing unknown, and writes only where no reference to the cell can
//! be, leaves the cell as it is. Going through it backwards would cost transfer functions and find nothing. This is the
//! MOD information that the paper asks for at calls.

use crate::expr::{Points, Symbol};
use crate::fact::Cell;
use crate::limits::WRITERS;
use crate::lower::{Action, CallAction, Statements};
use crate::region::{Reach, RegionId};
use crate::types::TypeId;
use crate::world::{Detail, World};
use std::rc::Rc;
use watertight_ir::callgraph::direct_callee;
use watertight_ir::{Access, FuncId, Op};
use watertight_summary::Way;

/// What a function and all that it calls write in memory that others see. None when that is not known, or when it does
/// more than write.
pub(crate) type Effects = Option<Rc<Vec<(RegionId, Option<TypeId>)>>>;

impl World<'_> {
    /// What a call of a function writes.
    pub(crate) fn effects(&mut self, function: FuncId) -> Effects {
        if let Some(known) = self.effects.get(&function) {
            return known.clone();
        }
        let found = self.find_effects(function);
        self.effects.insert(function, found.clone());
        found
    }

    /// What is known before a call that need not be entered: it does nothing to the cell, and what it returns does not
    /// matter.
    pub(crate) fn pass_by(&mut self, cell: &Cell, call: &CallAction, callee: FuncId) -> Option<Vec<Cell>> {
        if self.plain {
            return None;
        }
        let written = self.effects(callee)?;
        if let Some(result) = call.result {
            let facts = cell.hits.iter().chain(&cell.misses);
            let tags = cell.regions.list.iter().filter_map(|entry| entry.1.as_ref());
            let conditions = cell.conditions.iter().filter(|_| self.detail == Detail::All);
            if facts.chain(tags).chain(conditions).any(|&fact| self.exprs.mentions(fact, result)) {
                return None;
            }
        }
        for &(_, scalar) in written.iter() {
            if self.may_hold(scalar) {
                return None;
            }
        }
        let cell = match call.result {
            Some(result) => self.define(cell, result, None),
            None => Some(cell.clone()),
        };
        let reach = Reach { any: false, regions: written.to_vec() };
        Some(cell.and_then(|cell| self.change(&cell, &reach)).into_iter().collect())
    }

    /// Whether a function does nothing but read memory and compute, and calls nothing from outside.
    pub(crate) fn only_computes(&mut self, function: FuncId) -> bool {
        let mut seen = vec![function];
        let mut next = 0;
        while let Some(&at) = seen.get(next) {
            next += 1;
            let Some(body) = self.body(at) else { return false };
            for inst in body.insts.values() {
                match &inst.op {
                    Op::Load { access, .. } if *access != Access::Plain => return false,
                    Op::Call(call) => match direct_callee(body, call) {
                        Some(callee) if !seen.contains(&callee) => seen.push(callee),
                        Some(_) => {}
                        None => return false,
                    },
                    _ => {}
                }
            }
            if seen.len() > WRITERS {
                return false;
            }
        }
        self.effects(function).is_some_and(|written| written.is_empty())
    }

    fn find_effects(&mut self, function: FuncId) -> Effects {
        let mut all = Vec::new();
        let mut seen = vec![function];
        let mut next = 0;
        while let Some(&at) = seen.get(next) {
            next += 1;
            let statements = self.statements(at);
            if seen.len() > WRITERS || statements.odd.is_some() || self.program.functions[at].variadic {
                return None;
            }
            all.extend(self.own_writes(at, &statements)?);
            let body = self.body(at)?;
            for inst in body.insts.values() {
                let Op::Call(call) = &inst.op else { continue };
                let callee = direct_callee(body, call)?;
                if self.program.functions[callee].body.is_some() && !seen.contains(&callee) {
                    seen.push(callee);
                }
            }
        }
        all.sort_unstable();
        all.dedup();
        Some(Rc::new(all))
    }

    /// What a function itself writes.
    fn own_writes(
        &mut self,
        function: FuncId,
        statements: &Statements,
    ) -> Option<Vec<(RegionId, Option<TypeId>)>> {
        let mut all = Vec::new();
        for (_, action) in statements.blocks.iter().flat_map(|block| &block.actions) {
            let reach = match action {
                Action::Assign { addr, ty, .. } | Action::Exchange { addr, ty, .. } => {
                    if self.is_own_variable(function, *addr) {
                        continue;
                    }
                    self.reach(*addr, *ty)
                }
                Action::Copy { to, .. } | Action::Fill { to, .. } => {
                    if self.is_own_variable(function, *to) {
                        continue;
                    }
                    match self.exprs.points(*to) {
                        Points::In(..) => self.whole(*to),
                        Points::NoObject => Reach::default(),
                        Points::Anything => return None,
                    }
                }
                Action::Define { .. } => continue,
                Action::Call(call) => {
                    let callee = call.callee?;
                    let data = &self.program.functions[callee];
                    if data.body.is_none() && !data.attrs.no_memory && !data.attrs.read_only {
                        let model = self.models.functions.get(&*data.name)?;
                        let quiet = model.outcomes.iter().all(|outcome| {
                            outcome.way != Way::Jumps
                                && outcome.effects.is_empty()
                                && outcome.fresh.is_empty()
                        });
                        if !quiet {
                            return None;
                        }
                    }
                    continue;
                }
                Action::Unmodelled(_) => return None,
            };
            if reach.any {
                return None;
            }
            all.extend(reach.regions);
        }
        Some(all)
    }

    /// Whether an address is that of a variable of a function that nobody else sees.
    pub(crate) fn is_own_variable(&self, function: FuncId, addr: crate::expr::ExprId) -> bool {
        matches!(self.symbol(addr), Some(Symbol::Local(of, local)) if of == function && !self.is_taken(of, local))
    }
}
