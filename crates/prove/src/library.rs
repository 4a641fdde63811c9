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
use crate::spell::spell;
use crate::types::Shape;
use crate::verdict::Assumed;
use crate::words::{Loses, Why};
use crate::world::World;
use watertight_finding::named;
use watertight_ir::{FuncId, InstId, Type};
use watertight_summary::{Effect, KeepReason, Outcome, Path, Relation, Root, Step, Summary, Value, Way};

/// Why the way back ends at a call.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Ended {
    /// The cell may be acquired here, and nothing says that it is not.
    Acquired,
    GaveUp(String),
}

/// A place that a call of a model writes over.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct LibraryWrite {
    /// What is lost, in words.
    pub(crate) lost: String,
    /// Where that is, if it is one pointer.
    addr: Option<ExprId>,
    /// The outcomes and their effects that do so.
    by: Vec<(usize, usize)>,
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
            return Err(Ended::GaveUp(Why::UnknownCode { name }.into()));
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
        self.before_effects(cells, applied, outcome, outcome.effects.len())
    }

    /// Before the first effects of an outcome.
    fn before_effects(
        &mut self,
        mut cells: Vec<Cell>,
        applied: &Applied<'_>,
        outcome: &Outcome,
        first: usize,
    ) -> Result<Vec<Cell>, Ended> {
        for effect in outcome.effects[..first].iter().rev() {
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
                    return Err(Ended::GaveUp(Why::UnknownKeeper { function: &named(function) }.into()));
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
                    return Err(Ended::GaveUp(Why::LibraryCallsBack.into()));
                }
                before
            }
            Effect::Release { .. } => cells,
        })
    }

    /// What a call of a model writes over that may be a pointer of the program, each place once.
    pub(crate) fn library_writes(
        &mut self,
        function: FuncId,
        inst: InstId,
        call: &CallAction,
    ) -> Vec<LibraryWrite> {
        let models = self.models;
        let Some(callee) = call.callee else { return Vec::new() };
        let data = &self.program.functions[callee];
        let Some(summary) = models.functions.get(&*data.name).filter(|_| data.body.is_none()) else {
            return Vec::new();
        };
        let applied = Applied { function, inst, call };
        let mut found: Vec<LibraryWrite> = Vec::new();
        for (number, outcome) in summary.outcomes.iter().enumerate() {
            let moved = outcome
                .effects
                .iter()
                .any(|effect| matches!(effect, Effect::Copy { to, .. } if matches!(to.root, Root::Fresh(_))));
            for (at, effect) in outcome.effects.iter().enumerate() {
                for (addr, lost) in self.overwritten_by(&applied, effect, moved) {
                    match found.iter_mut().find(|known| known.lost == lost && known.addr == addr) {
                        Some(known) => known.by.push((number, at)),
                        None => found.push(LibraryWrite { lost, addr, by: vec![(number, at)] }),
                    }
                }
            }
        }
        found
    }

    /// Whether a call is one of a model that writes through its parameters.
    pub(crate) fn writes_by_model(&self, call: &CallAction) -> bool {
        let data = call.callee.map(|callee| &self.program.functions[callee]);
        let model = data.filter(|data| data.body.is_none());
        let model = model.and_then(|data| self.models.functions.get(&*data.name));
        model.is_some_and(|model| {
            let mut effects = model.outcomes.iter().flat_map(|outcome| &outcome.effects);
            effects.any(|effect| match effect {
                Effect::Store { place, .. } | Effect::Clobber { place } | Effect::Zero { place, .. } => {
                    !effect.is_state() && !matches!(place.root, Root::Fresh(_))
                }
                Effect::Copy { to, .. } => !matches!(to.root, Root::Fresh(_)),
                _ => false,
            })
        })
    }

    /// The pointers that an effect writes over: where each is, if that is known, and what it is called.
    fn overwritten_by(
        &mut self,
        applied: &Applied<'_>,
        effect: &Effect,
        moved: bool,
    ) -> Vec<(Option<ExprId>, String)> {
        let outside = |path: &Path| !matches!(path.root, Root::Param(_) | Root::Rest(_) | Root::Global(_));
        let whole = |world: &mut Self, to: ExprId, bytes: Option<u64>| -> Vec<(Option<ExprId>, String)> {
            let some = !world.written_members(to, bytes).is_empty();
            some.then(|| (None, Loses::LedToBy { address: &spell(world, to) }.into())).into_iter().collect()
        };
        let unknown = || vec![(None, Loses::ByLibrary.into())];
        match effect {
            Effect::Store { place, .. } if effect.is_state() || outside(place) => Vec::new(),
            Effect::Store { place, .. } => match self.place(applied, place) {
                Some((addr, _)) if matches!(self.exprs.get(self.base(addr)), Expr::Number(..)) => Vec::new(),
                Some((addr, Type::Ptr)) => {
                    let target = self.deref(addr, Type::Ptr);
                    vec![(Some(addr), spell(self, target))]
                }
                Some((addr, ty)) => match self.hits_pointers(addr, ty) {
                    true => vec![(None, Loses::LedToBy { address: &spell(self, addr) }.into())],
                    false => Vec::new(),
                },
                None => unknown(),
            },
            Effect::Clobber { place } if matches!(place.root, Root::Rest(_)) => {
                let Root::Rest(first) = place.root else { return Vec::new() };
                let rest = applied.call.args.iter().skip(first as usize).copied();
                let pointers: Vec<ExprId> = rest.filter(|&arg| self.exprs.ty(arg) == Type::Ptr).collect();
                pointers.into_iter().flat_map(|to| whole(self, to, None)).collect()
            }
            Effect::Clobber { place } | Effect::Copy { to: place, .. } if !outside(place) => {
                match self.path(applied, place) {
                    Some(to) => whole(self, to, None),
                    None => unknown(),
                }
            }
            Effect::Zero { place, span } if !outside(place) => match self.path(applied, place) {
                Some(to) => {
                    let to = self.exprs.offset(to, span.offset);
                    whole(self, to, span.bytes)
                }
                None => unknown(),
            },
            // The first that is released is asked about member by member.
            Effect::Release { value, kind, .. }
                if !outside(value) && !moved && self.models.kinds.get(*kind).memory =>
            {
                let released = self.path(applied, value);
                let asked = self.freed(applied.call);
                match released {
                    Some(released) if asked == Some(released) => Vec::new(),
                    Some(released) => match self.members(released) {
                        Some(members) if members.is_empty() => Vec::new(),
                        _ => vec![(None, Loses::HeldBy { holder: &spell(self, released) }.into())],
                    },
                    None => unknown(),
                }
            }
            _ => Vec::new(),
        }
    }

    /// The cells that a call of a model loses by writing over one place.
    pub(crate) fn library_overwrites(
        &mut self,
        function: FuncId,
        inst: InstId,
        call: &CallAction,
        index: usize,
    ) -> Result<Vec<Cell>, String> {
        let writes = self.library_writes(function, inst, call);
        let Some(LibraryWrite { addr: Some(addr), by, .. }) = writes.get(index) else {
            return Err(Why::OverwrittenByLibrary.into());
        };
        let models = self.models;
        let callee = call.callee.ok_or(Why::NoModel)?;
        let summary = models.functions.get(&*self.program.functions[callee].name);
        let summary = summary.ok_or(Why::NoModel)?;
        self.used.insert(Assumed::Models);
        let applied = Applied { function, inst, call };
        let mut before = Vec::new();
        for &(number, at) in by {
            let outcome = &summary.outcomes[number];
            let Some(Effect::Store { value, .. }) = outcome.effects.get(at) else { continue };
            let value = self.value(&applied, value, Type::Ptr);
            let cells = self.overwritten(*addr, value, Type::Ptr);
            match self.before_effects(cells, &applied, outcome, at) {
                Ok(cells) => before.extend(cells),
                Err(Ended::GaveUp(why)) => return Err(why),
                Err(Ended::Acquired) => return Err(Why::AcquiredByCall.into()),
            }
        }
        // A cell that is acquired here is not lost here: it is what is written.
        before.retain(|cell| cell.born.is_none());
        Ok(before)
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
        if matches!(self.exprs.get(addr), Expr::Number(..)) {
            return Reach::default();
        }
        let Points::In(of, _) = self.exprs.points(addr) else { return Reach::ANYWHERE };
        if self.is_disguised(addr) || self.has_tail(of) || self.is_mixed(of) {
            return Reach::ANYWHERE;
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
                Step::Somewhere | Step::Element { .. } | Step::Each { .. } | Step::State { .. } => {
                    return None;
                }
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
            Step::Somewhere | Step::Element { .. } | Step::Each { .. } | Step::State { .. } => None,
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
            Value::Bits { .. }
            | Value::Word { .. }
            | Value::Inside(_)
            | Value::Parts(_)
            | Value::Such { .. }
            | Value::Any => None,
        }
    }

    fn test(&mut self, value: ExprId, relation: Relation, number: i64) -> ExprId {
        let ty = self.exprs.ty(value);
        let number = self.exprs.number(crate::expr::cut(number as u64, ty), ty);
        self.exprs.compare(relation.op(), value, number)
    }
}
