//! Calls of functions that models describe, and of those that nothing describes.
//!
//! A model is a list of outcomes. Each is undone by itself: the result stands for what the outcome says, stores and
//! releases are undone, something acquired is born here, and the conditions on the arguments hold. What comes before the
//! call is described by all of them together.

use crate::assign::Write;
use crate::expr::{Expr, ExprId, Points, Symbol};
use crate::fact::Cell;
use crate::lower::CallAction;
use crate::region::Reach;
use crate::rules::Born;
use crate::types::Shape;
use crate::verdict::Assumed;
use crate::world::World;
use watertight_ir::{FuncId, InstId, Type};
use watertight_summary::{Effect, KeepReason, Outcome, Path, Relation, Root, Step, Summary, Value, Way};

/// Why the way back ends at a call.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Ended {
    /// The cell may be acquired here, and nothing says that it is not.
    Acquired,
    GaveUp(String),
}

/// A call of a model.
struct Applied<'a> {
    function: FuncId,
    inst: InstId,
    call: &'a CallAction,
}

impl World<'_> {
    /// Before a call of a function that nothing is known about.
    pub(crate) fn unknown_call(
        &mut self,
        cell: &Cell,
        call: &CallAction,
        name: &str,
    ) -> Result<Vec<Cell>, Ended> {
        let mut cell = cell.clone();
        if let Some(result) = call.result {
            match self.define(&cell, result, None) {
                Some(before) => cell = before,
                None => return Ok(Vec::new()),
            }
        }
        let Some(before) = self.change(&cell, &Reach::ANYWHERE) else { return Ok(Vec::new()) };
        if before.hits.is_empty() && before.born.is_none() {
            return Err(Ended::GaveUp(format!(
                "nothing is known about `{name}`, which may change or acquire anything"
            )));
        }
        Ok(vec![before])
    }

    /// Before a call of a function with a model.
    pub(crate) fn library_call(
        &mut self,
        cell: &Cell,
        function: FuncId,
        inst: InstId,
        call: &CallAction,
        summary: &Summary,
    ) -> Result<Vec<Cell>, Ended> {
        self.used.insert(Assumed::Models);
        let applied = Applied { function, inst, call };
        let mut before = Vec::new();
        let mut perhaps = None;
        for outcome in &summary.outcomes {
            if outcome.way == Way::Jumps {
                continue;
            }
            match self.outcome(cell, &applied, outcome) {
                Ok(cells) => before.extend(cells),
                Err(other) => perhaps = Some(other),
            }
        }
        perhaps.map_or(Ok(before), Err)
    }

    fn outcome(&mut self, cell: &Cell, applied: &Applied<'_>, outcome: &Outcome) -> Result<Vec<Cell>, Ended> {
        let mut cells = vec![cell.clone()];
        if let Some(result) = applied.call.result {
            if let Value::Such { relation, number } = outcome.result {
                let condition = self.test(result, relation, number);
                cells = cells.iter().filter_map(|cell| self.require(cell, condition)).collect();
            }
            let ty = self.exprs.ty(result);
            let by = self.value(applied, &outcome.result, ty);
            cells = cells.iter().filter_map(|cell| self.define(cell, result, by)).collect();
        }
        for effect in outcome.effects.iter().rev() {
            cells = self.undo(cells, applied, effect)?;
        }
        for (index, fresh) in outcome.fresh.iter().enumerate() {
            if self.models.kinds.get(fresh.kind).number.is_some() {
                continue;
            }
            let name = self.fresh(applied, index as u32);
            let copied = outcome.effects.iter().find_map(|effect| match effect {
                Effect::Copy { to, from, .. }
                    if to.root == Root::Fresh(index as u32) && to.steps.is_empty() =>
                {
                    Some(self.path(applied, from))
                }
                _ => None,
            });
            let mut before = Vec::new();
            for cell in &cells {
                match self.born(cell, name, copied.flatten()) {
                    Born::Before(cells) => before.extend(cells),
                    Born::Here(here) => before.extend(here),
                    Born::Perhaps => return Err(Ended::Acquired),
                }
            }
            cells = before;
        }
        for effect in &outcome.effects {
            let Effect::Release { value, certain, kind } = effect else { continue };
            if self.models.kinds.get(*kind).number.is_some() {
                continue;
            }
            let value = self.path(applied, value);
            let mut before = Vec::new();
            for mut cell in cells {
                match value {
                    Some(value) if *certain => before.extend(self.release(&cell, value)),
                    Some(value) => {
                        self.held_by(&mut cell.regions, value);
                        before.extend(self.finish(cell));
                    }
                    None => {
                        cell.regions.everywhere();
                        before.extend(self.finish(cell));
                    }
                }
            }
            cells = before;
        }
        if let [tests] = &*outcome.when.any {
            for test in tests {
                if let Some(value) = self.path(applied, &test.value)
                    && test.mask.is_none()
                    && test.other.is_none()
                {
                    let condition = self.test(value, test.relation, test.number);
                    cells = cells.iter().filter_map(|cell| self.require(cell, condition)).collect();
                }
            }
        }
        Ok(cells)
    }

    fn undo(&mut self, cells: Vec<Cell>, applied: &Applied<'_>, effect: &Effect) -> Result<Vec<Cell>, Ended> {
        let changed = |world: &mut Self, cells: Vec<Cell>, reach: &Reach| -> Vec<Cell> {
            cells.iter().filter_map(|cell| world.change(cell, reach)).collect()
        };
        Ok(match effect {
            Effect::Store { place, value } => match self.place(applied, place) {
                Some((addr, ty)) => {
                    let value = self.value(applied, value, ty);
                    let write = Write::new(addr, ty, value);
                    cells.iter().flat_map(|cell| self.assign(cell, write)).collect()
                }
                None => changed(self, cells, &Reach::ANYWHERE),
            },
            Effect::Keep { value, reason } => {
                if let KeepReason::Assumed { function } = reason {
                    return Err(Ended::GaveUp(format!("nothing is known about what `{function}` keeps")));
                }
                let addr = self.exprs.intern(Expr::Address(Symbol::Outside), Points::Anything);
                let value = self.path(applied, value);
                let write = Write::new(addr, Type::Ptr, value);
                cells.iter().flat_map(|cell| self.assign(cell, write)).collect()
            }
            Effect::Clobber { place } => {
                let reach = self.object_reach(applied, place);
                // Everything behind the pointers in it may change too.
                let pointers = reach.regions.iter().any(|&(_, scalar)| {
                    scalar.is_none_or(|scalar| matches!(self.types.shape(scalar), Shape::Pointer { .. }))
                });
                changed(self, cells, &if pointers { Reach::ANYWHERE } else { reach })
            }
            Effect::Zero { place, .. } => {
                let reach = self.object_reach(applied, place);
                changed(self, cells, &reach)
            }
            Effect::Copy { to, .. } if matches!(to.root, Root::Fresh(_)) => cells,
            Effect::Copy { to, .. } => {
                let reach = self.object_reach(applied, to);
                changed(self, cells, &reach)
            }
            Effect::Calls { .. } => {
                let before = changed(self, cells, &Reach::ANYWHERE);
                if before.iter().any(|cell| cell.hits.is_empty() && cell.born.is_none()) {
                    return Err(Ended::GaveUp(
                        "a function is called through a pointer by the library".into(),
                    ));
                }
                before
            }
            Effect::Release { .. } => cells,
        })
    }

    /// All memory of the object that a path leads to.
    fn object_reach(&mut self, applied: &Applied<'_>, place: &Path) -> Reach {
        match self.path(applied, place) {
            Some(addr) => self.whole(addr),
            None => Reach::ANYWHERE,
        }
    }

    /// All memory of the object that an address is in. Objects with pointers in them lead anywhere.
    pub(crate) fn whole(&mut self, addr: ExprId) -> Reach {
        let Points::In(of, _) = self.exprs.points(addr) else { return Reach::ANYWHERE };
        if matches!(self.exprs.get(addr), Expr::Number(..)) {
            return Reach::default();
        }
        let Some(scalars) = self.types.scalars(of) else { return Reach::ANYWHERE };
        let mut reach = Reach::default();
        let own = self.symbol(addr).is_some();
        for (offset, scalar, _) in scalars {
            if !own {
                let region = self.typed(scalar);
                reach.regions.push((region, (!scalar.overlaid).then_some(scalar.ty)));
                continue;
            }
            let bits = u32::try_from(self.types.size(scalar.ty).clamp(1, 8) * 8).unwrap_or(64);
            let ty = match self.types.shape(scalar.ty) {
                Shape::Pointer { .. } => Type::Ptr,
                _ => Type::Int(bits),
            };
            let at = self.exprs.offset(addr, offset);
            let inner = self.reach(at, ty);
            reach.any |= inner.any;
            reach.regions.extend(inner.regions);
        }
        reach
    }

    fn fresh(&mut self, applied: &Applied<'_>, index: u32) -> ExprId {
        self.exprs.declare(Expr::Born(applied.function, applied.inst, index), Type::Ptr, Points::Anything)
    }

    /// The value that a path has at entry.
    fn path(&mut self, applied: &Applied<'_>, path: &Path) -> Option<ExprId> {
        let mut at = match path.root {
            Root::Param(index) => *applied.call.args.get(index as usize)?,
            Root::Global(global) => {
                self.exprs.intern(Expr::Address(Symbol::Global(global)), Points::Anything)
            }
            Root::Fresh(index) => self.fresh(applied, index),
            Root::Result => applied.call.result?,
            Root::Rest(_) | Root::Function(_) | Root::Process => return None,
        };
        for step in &path.steps {
            at = match step {
                Step::At(offset) => {
                    let addr = self.exprs.offset(at, *offset);
                    self.deref(addr, Type::Ptr)
                }
                Step::Number { offset, bytes } => {
                    let addr = self.exprs.offset(at, *offset);
                    self.deref(addr, Type::Int(bytes * 8))
                }
                Step::Somewhere | Step::Element { .. } | Step::State { .. } => return None,
            };
        }
        Some(at)
    }

    /// The location that a path ends at, and the type of what is there.
    fn place(&mut self, applied: &Applied<'_>, path: &Path) -> Option<(ExprId, Type)> {
        let (last, steps) = path.steps.split_last()?;
        let base = self.path(applied, &Path { root: path.root, steps: steps.to_vec() })?;
        match last {
            Step::At(offset) => Some((self.exprs.offset(base, *offset), Type::Ptr)),
            Step::Number { offset, bytes } => Some((self.exprs.offset(base, *offset), Type::Int(bytes * 8))),
            Step::Somewhere | Step::Element { .. } | Step::State { .. } => None,
        }
    }

    fn value(&mut self, applied: &Applied<'_>, value: &Value, ty: Type) -> Option<ExprId> {
        match value {
            Value::Number(number) => Some(self.exprs.number(crate::expr::cut(*number as u64, ty), ty)),
            Value::Entry { path, plus } => {
                let value = self.path(applied, path)?;
                match self.exprs.ty(value) {
                    Type::Ptr => Some(self.exprs.offset(value, *plus)),
                    _ if *plus == 0 => Some(value),
                    _ => None,
                }
            }
            Value::Fresh { index, plus } => {
                let name = self.fresh(applied, *index);
                Some(self.exprs.offset(name, *plus))
            }
            Value::Bits { .. } | Value::Inside(_) | Value::Parts(_) | Value::Such { .. } | Value::Any => None,
        }
    }

    fn test(&mut self, value: ExprId, relation: Relation, number: i64) -> ExprId {
        let ty = self.exprs.ty(value);
        let number = self.exprs.number(crate::expr::cut(number as u64, ty), ty);
        self.exprs.compare(relation.op(), value, number)
    }
}
