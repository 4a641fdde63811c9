//! The transfer functions: from what is known of the error cell after a statement to what is known before it.
//!
//! Each takes a [`Cell`] that describes the state after a statement and gives the cells that together describe all
//! states before it; none is a contradiction. The paper's six rules for assignments are here as follows. [`World::carry`]
//! rewrites an expression so that it has the value before that it has after; it does the work of FILTER1 and SUBST1, for
//! all parts of an expression at once. FILTER2, FILTER3, FILTER4 and SUBST2 stand in [`World::assign`] by their names.
//!
//! Beyond the paper: where a hit may or may not be the location that is written, both cases are followed, each with its
//! condition, instead of forgetting the hit. And what a freed cell held is added to the regions, which the paper leaves
//! out: without it, a cell that was referred to from a freed cell and from a variable would be proved safe although the
//! variable is overwritten later.

use crate::closure::Closure;
use crate::expr::{Expr, ExprId, Points, Symbol};
use crate::fact::{Cell, Regions, holds, include};
use crate::limits::{
    CONCLUSIONS, DEEPEST_EXPRESSION, DEEPEST_TO_ACQUISITION, LARGEST_EXPRESSION, MOST_CONDITIONS, MOST_HITS,
    MOST_MISSES,
};
use crate::region::{Overlap, Reach};
use crate::types::{Scalar, Shape, TypeId};
use crate::verdict::Assumed;
use crate::world::{Detail, World};
use watertight_ir::{BinaryOp, CompareOp, ConvertOp, Type};

/// What comes of an acquisition.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Born {
    /// The cell was there before: it may be described like this.
    Before(Vec<Cell>),
    /// The cell comes from here, if the program comes this way.
    Here(Option<Cell>),
    /// It may come from here, but nothing says so.
    Perhaps,
}

impl World<'_> {
    /// The expression with its parts replaced.
    pub(crate) fn rebuild(
        &mut self,
        expr: ExprId,
        replace: &mut dyn FnMut(&mut Self, ExprId) -> Option<ExprId>,
    ) -> Option<ExprId> {
        Some(match self.exprs.get(expr) {
            Expr::Deref(addr, ty) => {
                let addr = replace(self, addr)?;
                self.deref(addr, ty)
            }
            Expr::Offset(base, bytes) => {
                let base = replace(self, base)?;
                self.exprs.offset(base, bytes)
            }
            Expr::Index(base, index, scale) => {
                let (base, index) = (replace(self, base)?, replace(self, index)?);
                self.exprs.index(base, index, scale)
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (replace(self, a)?, replace(self, b)?);
                self.exprs.binary(op, a, b)
            }
            Expr::Compare(op, a, b) => {
                let (a, b) = (replace(self, a)?, replace(self, b)?);
                self.exprs.compare(op, a, b)
            }
            Expr::Convert(op, a, ty) => {
                let a = replace(self, a)?;
                self.exprs.convert(op, a, ty)
            }
            _ => expr,
        })
    }

    pub(crate) fn small(&self, expr: ExprId) -> Option<ExprId> {
        let facts = self.exprs.facts(expr);
        (facts.size <= LARGEST_EXPRESSION && facts.depth <= DEEPEST_EXPRESSION).then_some(expr)
    }

    /// The expression with a name replaced everywhere; none when the name stands for nothing known.
    pub(crate) fn replace(&mut self, expr: ExprId, name: ExprId, by: Option<ExprId>) -> Option<ExprId> {
        if expr == name {
            return by;
        }
        let made = self.rebuild(expr, &mut |world, part| world.replace(part, name, by))?;
        self.small(made)
    }

    /// Whether an expression cannot refer to the cell, for reasons that need no record: the paper's `ImplicitMiss`.
    pub(crate) fn implicit_miss(&mut self, expr: ExprId, regions: &Regions) -> bool {
        let facts = self.exprs.facts(expr);
        let (ty, points) = (facts.ty, facts.points);
        if ty != Type::Ptr {
            if ty.bits(self.program.target.pointer_bits) >= self.program.target.pointer_bits {
                self.assume_plain_numbers();
            }
            return true;
        }
        if matches!(self.exprs.get(self.base(expr)), Expr::Number(..) | Expr::Address(_)) {
            return true;
        }
        // Arithmetic stays in the object, and what lies behind another address in it is not its beginning.
        if matches!(self.exprs.get(expr), Expr::Offset(_, bytes) if bytes > 0) {
            self.used.insert(Assumed::InBounds);
            return true;
        }
        // What is read through the null pointer is never read.
        let invalid = self.exprs.any(expr, &mut |_, part| {
            matches!(part, Expr::Deref(addr, _) if matches!(self.exprs.get(self.base(addr)), Expr::Number(..)))
        });
        if invalid {
            return true;
        }
        match points {
            Points::NoObject => return true,
            Points::In(of, offset) => {
                let size = i64::try_from(self.types.size(of)).unwrap_or(0);
                let member = 0 < offset && offset < size && self.types.scalar_at(of, offset).is_some();
                let inside = member && matches!(self.types.shape(of), Shape::Record { .. });
                let other = offset == 0 && !self.may_be_cell(Some(of)) && !self.is_disguised(expr);
                if inside || other {
                    self.used.insert(Assumed::TypedMemory);
                    return true;
                }
            }
            Points::Anything => {}
        }
        match self.exprs.get(expr) {
            Expr::Deref(addr, ty) => !self.covered(addr, ty, regions),
            _ => false,
        }
    }

    /// Whether a location may hold a reference according to the regions.
    fn covered(&mut self, addr: ExprId, ty: Type, regions: &Regions) -> bool {
        let reach = self.reach(addr, ty);
        let reachable = reach.any || reach.regions.iter().any(|(region, _)| region.is_reachable());
        if regions.any && reachable {
            return true;
        }
        for &(region, tag) in &regions.list {
            let meets = (reach.any && region.is_reachable())
                || reach.regions.iter().any(|&(other, _)| self.meet(region, other));
            let mut apart = || match tag.map(|tag| self.exprs.get(tag)) {
                Some(Expr::Deref(at, width)) => self.overlap((at, width), (addr, ty)) == Overlap::Never,
                _ => false,
            };
            if meets && !apart() {
                return true;
            }
        }
        false
    }

    /// What an address is computed from.
    pub(crate) fn base(&self, expr: ExprId) -> ExprId {
        match self.exprs.get(expr) {
            Expr::Offset(base, _) | Expr::Index(base, ..) => self.base(base),
            _ => expr,
        }
    }

    /// The paper's `Miss`.
    pub(crate) fn misses(&mut self, expr: ExprId, cell: &Cell) -> bool {
        holds(&cell.misses, expr) || self.implicit_miss(expr, &cell.regions)
    }

    /// Some memory changes in ways that are not known.
    pub(crate) fn change(&mut self, cell: &Cell, reach: &Reach) -> Option<Cell> {
        let regions = Regions { any: cell.regions.any, list: Vec::new() };
        let mut before = Cell { regions, born: cell.born, ..Cell::default() };
        let keep = |world: &mut Self, list: &[ExprId]| -> Vec<ExprId> {
            list.iter().copied().filter(|&expr| world.is_apart(expr, reach)).collect()
        };
        before.hits = keep(self, &cell.hits);
        before.misses = keep(self, &cell.misses);
        before.conditions = keep(self, &cell.conditions);
        for &(region, tag) in &cell.regions.list {
            let tag = tag.filter(|&tag| match self.exprs.get(tag) {
                // A tag names a location: only its address must stay what it is.
                Expr::Deref(addr, _) => self.is_apart(addr, reach),
                _ => false,
            });
            before.regions.add(region, tag);
        }
        if reach.any {
            before.regions.everywhere();
        }
        for &(region, scalar) in &reach.regions {
            if self.may_hold(scalar) {
                before.regions.add(region, None);
            }
        }
        self.finish(before)
    }

    /// Whether the value of an expression does not depend on some memory.
    pub(crate) fn is_apart(&mut self, expr: ExprId, reach: &Reach) -> bool {
        let mut derefs = Vec::new();
        self.exprs.any(expr, &mut |_, part| {
            if let Expr::Deref(addr, ty) = part {
                derefs.push((addr, ty));
            }
            false
        });
        derefs.into_iter().all(|(addr, ty)| {
            let touched = self.reach(addr, ty);
            !self.reaches_meet(&touched, reach)
        })
    }

    /// A name gets its value here: before, the value stands in its place.
    pub(crate) fn define(&mut self, cell: &Cell, name: ExprId, by: Option<ExprId>) -> Option<Cell> {
        if !self.cell_mentions(cell, name) {
            return Some(cell.clone());
        }
        let before = self.map(cell, |world, expr| world.replace(expr, name, by));
        self.finish(before)
    }

    pub(crate) fn cell_mentions(&self, cell: &Cell, name: ExprId) -> bool {
        let lists = [&cell.hits, &cell.misses, &cell.conditions];
        lists.into_iter().flatten().any(|&expr| self.exprs.mentions(expr, name))
            || cell.regions.list.iter().any(|entry| entry.1.is_some_and(|tag| self.exprs.mentions(tag, name)))
    }

    /// Every expression replaced or dropped.
    pub(crate) fn map(
        &mut self,
        cell: &Cell,
        mut to: impl FnMut(&mut Self, ExprId) -> Option<ExprId>,
    ) -> Cell {
        let mut list = |world: &mut Self, from: &[ExprId]| {
            let mut made = Vec::with_capacity(from.len());
            for &expr in from {
                if let Some(expr) = to(world, expr) {
                    include(&mut made, expr);
                }
            }
            made
        };
        let (hits, misses, conditions) =
            (list(self, &cell.hits), list(self, &cell.misses), list(self, &cell.conditions));
        let mut regions = Regions { any: cell.regions.any, list: Vec::new() };
        for &(region, tag) in &cell.regions.list {
            let tag = tag
                .and_then(|tag| to(self, tag))
                .filter(|&tag| matches!(self.exprs.get(tag), Expr::Deref(..)));
            regions.add(region, tag);
        }
        Cell { regions, hits, misses, conditions, born: cell.born }
    }

    /// Something is acquired; `name` is its address. What it holds is fresh, or a copy of what `copied` held.
    pub(crate) fn born(&mut self, cell: &Cell, name: ExprId, copied: Option<ExprId>) -> Born {
        // What is read from it; a number made of its address is something else.
        let read = |world: &Self, expr: ExprId| {
            world.exprs.any(
                expr,
                &mut |_, part| matches!(part, Expr::Deref(addr, _) if world.exprs.mentions(addr, name)),
            )
        };
        let number = |world: &Self, expr: ExprId| {
            world.exprs.any(expr, &mut |_, part| {
                matches!(part, Expr::Convert(ConvertOp::PtrToInt, inner, _) if world.exprs.mentions(inner, name))
            })
        };
        if cell.hits.iter().any(|&hit| number(self, hit) && !read(self, hit)) {
            return Born::Perhaps;
        }
        if copied.is_none() && cell.hits.iter().any(|&hit| hit != name && self.exprs.mentions(hit, name)) {
            // Nothing has been stored in it yet, so nothing in it refers to the cell.
            self.used.insert(Assumed::FreshMemory);
            return Born::Before(Vec::new());
        }
        let older = cell.born.is_some()
            || cell
                .hits
                .iter()
                .any(|&hit| hit != name && (copied.is_some() || !self.exprs.mentions(hit, name)));
        let mentions = |world: &Self, expr: ExprId| world.exprs.mentions(expr, name);
        if holds(&cell.hits, name) {
            // Nothing else can refer to what was not there before.
            if older {
                return Born::Before(Vec::new());
            }
            let mut here = Cell { born: Some(u32::MAX), ..Cell::default() };
            here.conditions = self.without_new(&cell.conditions, name);
            return Born::Here(self.finish(here));
        }
        let here = self.misses(name, cell);
        if !older && !here {
            return Born::Perhaps;
        }
        let mut before = cell.clone();
        if let Some(from) = copied {
            before = self.map(&before, |world, expr| match mentions(world, expr) {
                true if expr == name => None,
                true => world.replace(expr, name, Some(from)),
                false => Some(expr),
            });
        } else {
            before.regions.list.retain(|&(_, tag)| !tag.is_some_and(|tag| mentions(self, tag)));
            before.misses.retain(|&miss| !mentions(self, miss));
        }
        before.conditions = self.without_new(&cell.conditions, name);
        Born::Before(self.finish(before).into_iter().collect())
    }

    /// The conditions before something new was there: it is none of the addresses that were there before.
    fn without_new(&mut self, conditions: &[ExprId], name: ExprId) -> Vec<ExprId> {
        let mut kept = Vec::new();
        for &condition in conditions {
            let condition =
                self.distinct(condition, &mut |world, a, b| a == name && !world.exprs.mentions(b, name));
            if !self.exprs.mentions(condition, name) {
                include(&mut kept, condition);
            }
        }
        kept
    }

    /// A condition in which comparisons are decided of values that are apart.
    fn distinct(
        &mut self,
        condition: ExprId,
        apart: &mut dyn FnMut(&mut Self, ExprId, ExprId) -> bool,
    ) -> ExprId {
        match self.exprs.get(condition) {
            Expr::Compare(op @ (CompareOp::Eq | CompareOp::Ne), a, b) => {
                if apart(self, a, b) || apart(self, b, a) {
                    return self.exprs.number(u64::from(op == CompareOp::Ne), Type::BOOL);
                }
                condition
            }
            Expr::Binary(op, a, b) if self.exprs.ty(condition) == Type::BOOL => {
                let (a, b) = (self.distinct(a, apart), self.distinct(b, apart));
                self.exprs.binary(op, a, b)
            }
            _ => condition,
        }
    }

    /// `free(value)`.
    pub(crate) fn release(&mut self, cell: &Cell, value: ExprId) -> Option<Cell> {
        if holds(&cell.hits, value) {
            return None;
        }
        let mut before = cell.clone();
        include(&mut before.misses, value);
        self.held_by(&mut before.regions, value);
        self.finish(before)
    }

    /// What a freed cell held is gone after, and was there before.
    pub(crate) fn held_by(&mut self, regions: &mut Regions, freed: ExprId) {
        let of = match self.exprs.points(freed) {
            Points::NoObject => return,
            Points::Anything => {
                regions.everywhere();
                return;
            }
            Points::In(of, _) => of,
        };
        if self.is_disguised(freed) || self.has_tail(of) || self.is_mixed(of) {
            regions.everywhere();
            return;
        }
        let Some(scalars) = self.all_scalars(of) else {
            regions.everywhere();
            return;
        };
        // A block that is released as a record may be an array of them, if the program has such arrays at all.
        let record = matches!(self.types.shape(of), Shape::Record { .. }) && self.is_single(freed, of);
        for (offset, scalar, single) in scalars {
            if !self.may_hold((!scalar.overlaid).then_some(scalar.ty)) {
                continue;
            }
            let tag = (record && single).then(|| {
                self.used.insert(Assumed::SingleBlocks);
                let addr = self.exprs.offset(freed, offset);
                self.deref(addr, Type::Ptr)
            });
            let region = self.typed(scalar);
            regions.add(region, tag.and_then(|tag| self.small(tag)));
        }
    }

    /// The program goes on only if a condition holds.
    pub(crate) fn require(&mut self, cell: &Cell, condition: ExprId) -> Option<Cell> {
        let mut before = cell.clone();
        include(&mut before.conditions, condition);
        self.finish(before)
    }

    /// A variable comes into scope: before, it was not there.
    pub(crate) fn scope(&mut self, cell: &Cell, gone: &dyn Fn(Symbol) -> bool) -> Option<Cell> {
        let concerns = |world: &Self, expr: ExprId| {
            world.exprs.any(expr, &mut |_, part| matches!(part, Expr::Address(symbol) if gone(symbol)))
        };
        // An address of it may be known; what is read from it cannot refer to the cell.
        if cell.hits.iter().any(|&hit| concerns(self, hit)) {
            return None;
        }
        let mut before = cell.clone();
        before.misses.retain(|&miss| !concerns(self, miss));
        // No value from before is its address.
        let own = |world: &Self, expr: ExprId| world.symbol(expr).is_some_and(gone);
        before.conditions = Vec::new();
        for &condition in &cell.conditions {
            let condition = self.distinct(condition, &mut |world, a, b| own(world, a) && !concerns(world, b));
            include(&mut before.conditions, condition);
        }
        before.conditions.retain(|&condition| !concerns(self, condition));
        before.regions.list.retain(|&(region, tag)| {
            let own = match self.region(region) {
                crate::region::Region::Local(function, value, _) => gone(Symbol::Local(function, value)),
                _ => false,
            };
            !own && !tag.is_some_and(|tag| concerns(self, tag))
        });
        self.finish(before)
    }

    /// Draws the simple conclusions; none if the cell is impossible: the paper's `Infeasible` and `Cleanup`.
    pub(crate) fn finish(&mut self, mut cell: Cell) -> Option<Cell> {
        let (yes, no) = (self.exprs.number(1, Type::BOOL), self.exprs.number(0, Type::BOOL));
        for condition in std::mem::take(&mut cell.conditions) {
            let decided = self.distinct(condition, &mut |world, a, b| {
                world.symbol(a).is_some_and(|symbol| world.is_not_in(b, symbol))
                    || world.are_apart_by_descent(a, b)
            });
            include(&mut cell.conditions, decided);
        }
        if holds(&cell.conditions, no) {
            return None;
        }
        cell.conditions.retain(|&condition| condition != yes);
        if cell.born.is_some() {
            // Where references to the cell are does not matter before there is one.
            cell.hits.clear();
            cell.misses.clear();
            cell.regions = Regions::default();
        }
        for _ in 0..CONCLUSIONS {
            let located = self.locate(&mut cell);
            let concluded = cell.born.is_none() && self.conclude(&mut cell)?;
            let named = self.name_cell(&mut cell)?;
            if !concluded && !located && !named {
                break;
            }
        }
        if holds(&cell.conditions, no) {
            return None;
        }
        for &hit in &cell.hits {
            if self.misses(hit, &cell) {
                return None;
            }
        }
        // Strong updates: the only reference that a region may hold is none.
        let entries = cell.regions.list.len();
        cell.regions.list.retain(|entry| !entry.1.is_some_and(|tag| holds(&cell.misses, tag)));
        if cell.regions.list.len() < entries {
            for &hit in &cell.hits {
                if self.implicit_miss(hit, &cell.regions) {
                    return None;
                }
            }
        }
        let misses = std::mem::take(&mut cell.misses);
        for miss in misses {
            if !self.implicit_miss(miss, &cell.regions) {
                cell.misses.push(miss);
            }
        }
        if self.detail == Detail::Shape {
            let conditions = std::mem::take(&mut cell.conditions);
            cell.conditions = conditions.into_iter().filter(|&known| self.is_shape(known, &cell)).collect();
        }
        let ground = |world: &Self, list: &mut Vec<ExprId>, most: usize| {
            if list.len() > most {
                // The simplest stay.
                list.sort_by_key(|&expr| {
                    let facts = world.exprs.facts(expr);
                    (facts.size, facts.rank)
                });
                list.truncate(most);
                list.sort_unstable();
            }
        };
        if cell.born.is_some() {
            cell.conditions.retain(|&condition| self.exprs.facts(condition).depth <= DEEPEST_TO_ACQUISITION);
        }
        ground(self, &mut cell.hits, MOST_HITS);
        ground(self, &mut cell.misses, MOST_MISSES);
        ground(self, &mut cell.conditions, MOST_CONDITIONS);
        Some(cell)
    }

    /// Whether a condition says of two pointers whether they are the same, and one of them matters to what is known of
    /// the cell.
    fn is_shape(&self, condition: ExprId, cell: &Cell) -> bool {
        match self.exprs.get(condition) {
            Expr::Compare(op @ (CompareOp::Eq | CompareOp::Ne), a, b) => {
                let number = |side| matches!(self.exprs.get(side), Expr::Number(..));
                if self.exprs.ty(a) != Type::Ptr || number(a) || number(b) {
                    return false;
                }
                let named = |side: ExprId| {
                    let facts = cell.hits.iter().chain(&cell.misses);
                    facts.copied().any(|fact| fact != side && self.exprs.mentions(fact, side))
                };
                op == CompareOp::Eq || named(a) || named(b)
            }
            _ => false,
        }
    }

    /// Everything that is equal to a hit is one; none if that is impossible. Says whether something was new.
    fn name_cell(&mut self, cell: &mut Cell) -> Option<bool> {
        let single = cell.hits.len() + cell.misses.len() + cell.conditions.len() <= 1;
        if single || (cell.conditions.is_empty() && cell.hits.len() <= 1) {
            return Some(false);
        }
        let closure = Closure::new(&mut self.exprs, cell, &[], &[]).ok()?;
        let mut new = false;
        let mut names = closure.cell_names();
        // With the simplest names for their parts, hits of different ways become the same.
        for &hit in &cell.hits {
            names.extend(self.simplest(hit, &closure));
        }
        for name in names {
            if !holds(&cell.hits, name) {
                if self.misses(name, cell) {
                    return None;
                }
                if self.small(name).is_some() {
                    include(&mut cell.hits, name);
                    new = true;
                }
            }
        }
        // The same for conditions, except for the equalities that the names come from.
        for condition in cell.conditions.clone() {
            if !self.is_equality(condition)
                && let Some(simple) = self.simplest(condition, &closure)
                && simple != condition
                && self.exprs.facts(simple).size < self.exprs.facts(condition).size
            {
                cell.conditions.retain(|&known| known != condition);
                include(&mut cell.conditions, simple);
                new = true;
            }
        }
        Some(new)
    }

    fn is_equality(&self, condition: ExprId) -> bool {
        let number = |side| matches!(self.exprs.get(side), Expr::Number(..));
        matches!(self.exprs.get(condition), Expr::Compare(CompareOp::Eq, a, b) if !number(a) && !number(b))
    }

    /// An expression with the simplest names that are equal to its parts.
    fn simplest(&mut self, expr: ExprId, closure: &Closure) -> Option<ExprId> {
        if self.exprs.facts(expr).size <= 1 {
            return Some(expr);
        }
        self.rebuild(expr, &mut |world, part| {
            let known = world.by_rank(closure.others(part)).first().copied();
            let made = world.simplest(part, closure)?;
            let size = |expr: ExprId| world.exprs.facts(expr).size;
            // A number is no better name for a pointer: nothing is read through it.
            let known = known.filter(|&known| {
                size(known) < size(made) && !matches!(world.exprs.get(known), Expr::Number(..))
            });
            Some(known.unwrap_or(made))
        })
    }

    /// A hit must be one of the locations that may refer to the cell. Says whether something was new.
    fn locate(&mut self, cell: &mut Cell) -> bool {
        let mut new = false;
        for hit in cell.hits.clone() {
            let Expr::Deref(addr, ty) = self.exprs.get(hit) else { continue };
            let reach = self.reach(addr, ty);
            let reachable = reach.any || reach.regions.iter().any(|(region, _)| region.is_reachable());
            if cell.regions.any && reachable {
                continue;
            }
            let mut places = Vec::new();
            let mut clear = true;
            for &(region, tag) in &cell.regions.list {
                let meets = (reach.any && region.is_reachable())
                    || reach.regions.iter().any(|&(other, _)| self.meet(region, other));
                if !meets {
                    continue;
                }
                match tag.map(|tag| self.exprs.get(tag)) {
                    Some(Expr::Deref(at, width)) => {
                        if self.overlap((at, width), (addr, ty)) != Overlap::Never {
                            clear &= !self.is_several(at);
                            include(&mut places, at);
                        }
                    }
                    _ => clear = false,
                }
            }
            if !clear || places.is_empty() || places.contains(&addr) {
                continue;
            }
            let mut one_of = self.exprs.number(0, Type::BOOL);
            for at in places {
                let same = self.exprs.compare(CompareOp::Eq, at, addr);
                one_of = self.exprs.binary(BinaryOp::Or, one_of, same);
            }
            if !holds(&cell.conditions, one_of) && self.small(one_of).is_some() {
                include(&mut cell.conditions, one_of);
                new = true;
            }
        }
        new
    }

    /// The rules for conditions, once; none if two conditions contradict each other. Says whether something was new.
    fn conclude(&mut self, cell: &mut Cell) -> Option<bool> {
        let mut new = false;
        for condition in cell.conditions.clone() {
            let opposite = self.exprs.not(condition);
            if holds(&cell.conditions, opposite) {
                return None;
            }
            let Expr::Compare(op, a, b) = self.exprs.get(condition) else { continue };
            if self.exprs.ty(a) != Type::Ptr {
                continue;
            }
            match op {
                CompareOp::Eq => {
                    for (one, other) in [(a, b), (b, a)] {
                        if holds(&cell.hits, one) && !holds(&cell.hits, other) {
                            include(&mut cell.hits, other);
                            new = true;
                        } else if !holds(&cell.misses, other)
                            && self.misses(one, cell)
                            && !self.implicit_miss(other, &cell.regions)
                        {
                            include(&mut cell.misses, other);
                            new = true;
                        }
                    }
                }
                CompareOp::Ne => {
                    for (one, other) in [(a, b), (b, a)] {
                        if holds(&cell.hits, one)
                            && !holds(&cell.misses, other)
                            && !self.implicit_miss(other, &cell.regions)
                        {
                            include(&mut cell.misses, other);
                            new = true;
                        }
                    }
                }
                _ => {}
            }
        }
        Some(new)
    }

    /// The scalars of an object that is declared as a type, or that begins with one; with their offsets, and whether
    /// each is alone.
    fn all_scalars(&mut self, of: TypeId) -> Option<Vec<(i64, Scalar, bool)>> {
        let mut found = self.types.scalars(of)?;
        for record in self.types.extensions(of) {
            found.extend(self.types.scalars(record)?);
        }
        Some(found)
    }
}
