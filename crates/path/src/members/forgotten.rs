//! Nodes that are taken off a chain, and forgotten on one of the ways on from there.
//!
//! In: bodies and summaries. Out: stories. Whoever takes a node off a chain and releases it on one way has the last reference to it: another way on
//! which it neither releases it nor gives it to anybody loses it. A node is taken off where it is unlinked (`unlinked.rs`), or by a call of a
//! function that unlinks what it returns. Ways are followed through the blocks of the body: one condition is decided one way all along, and what
//! merges bring is known where it is a constant. A branch that looks at the node itself (a count, a mark that somebody else has it) may be
//! what decides who owns it, so neither side of it is followed.

use super::Look;
use super::holders::Holders;
use super::unlinked::{Unlinked, found_in, names_of};
use crate::beliefs::flow::Flow;
use crate::facts::places::place_of;
use crate::facts::types::{Members, identity};
use crate::limits::{ADDRESS_STEPS, FORGOTTEN_STEPS};
use rustc_hash::{FxHashMap, FxHashSet};
use watertight_finding::{Growth, Said, Step, StepKind, Story};
use watertight_ir::callgraph::direct_callee;
use watertight_ir::{
    BlockId, Body, Cfg, CompareOp, ConvertOp, Def, FuncId, InstId, Loops, Op, Terminator, ValueId,
};
use watertight_summary::{Effect, Path};

/// A way on from where a node was taken off.
#[derive(Clone)]
struct Way {
    block: BlockId,
    from: usize,
    passed: Vec<BlockId>,
    /// Which of its values each merge has.
    merged: FxHashMap<ValueId, ValueId>,
    /// What branches have decided: conditions, and numbers.
    decided: FxHashMap<String, u64>,
}

/// What becomes of the node.
struct Fates {
    /// Where a way ends on which it is forgotten.
    forgotten: Option<InstId>,
    /// Where it is released on another.
    released: Option<InstId>,
}

/// What a body does with one node.
struct Ways<'l, 'a> {
    look: &'l Look<'a>,
    function: FuncId,
    body: &'l Body,
    flow: &'l Flow<'l>,
    /// The node by its names.
    same: Vec<ValueId>,
    /// Addresses inside of it.
    inside: Vec<ValueId>,
}

impl Look<'_> {
    /// What a function takes off a chain and forgets on one way.
    pub(super) fn forgotten(&mut self, function: FuncId) -> Option<Story> {
        let body = self.program.functions[function].body.as_ref()?;
        let mut taken = self.unlinks(body);
        taken.extend(self.popped(body));
        if taken.is_empty() {
            return None;
        }
        let members = Members::new(self.program, function)?;
        let flow = Flow::new(body);
        taken.into_iter().find_map(|unlinked| {
            if !unlinked.is_by_callee()
                && (!self.is_by_link(body, &members, &unlinked)
                    || found_in(body, &members, unlinked.node).is_none())
            {
                return None;
            }
            let key = identity(self.program, members.pointed(unlinked.node)?)?;
            if !self.holders.contains_key(&key) {
                let found = Holders::of(self.program, &key);
                self.holders.insert(key.clone(), found);
            }
            if !self.holders.get(&key)?.is_one_container() {
                return None;
            }
            let same = flow.same(names_of(body, &unlinked), &|_| false);
            let inside = inside(body, &same);
            let ways = Ways { look: self, function, body, flow: &flow, same, inside };
            let fates = ways.follow(&unlinked)?;
            let (forgotten, released) = (fates.forgotten?, fates.released?);
            self.forgotten_story(function, &members, &unlinked, forgotten, released)
        })
    }

    /// Calls that give what they have unlinked.
    pub(super) fn popped(&self, body: &Body) -> Vec<Unlinked> {
        let mut found = Vec::new();
        for &inst in body.blocks.values().flat_map(|block| &block.insts) {
            let data = &body.insts[inst];
            if let (Op::Call(call), Some(node)) = (&data.op, data.result)
                && let Some(callee) = direct_callee(body, call)
                && self.gives_unlinked(callee)
            {
                let by = Some(self.program.functions[callee].name.to_string());
                found.push(Unlinked::popped(inst, node, by));
            }
        }
        found
    }

    /// Whether a function returns a node that it has found and unlinked.
    fn gives_unlinked(&self, function: FuncId) -> bool {
        let Some(body) = &self.program.functions[function].body else { return false };
        let returned = |value: ValueId| {
            let same = Flow::new(body).same(vec![value], &|_| false);
            let mut ends = body.blocks.values().filter_map(|block| match block.term {
                Terminator::Return(value) => value,
                _ => None,
            });
            ends.any(|end| same.contains(&end))
        };
        let gives = body.blocks.values().any(|block| matches!(block.term, Terminator::Return(Some(_))));
        gives
            && self.unlinks(body).iter().any(|unlinked| {
                returned(unlinked.node)
                    && Members::new(self.program, function)
                        .is_some_and(|members| found_in(body, &members, unlinked.node).is_some())
            })
    }

    fn forgotten_story(
        &self,
        function: FuncId,
        members: &Members<'_>,
        unlinked: &Unlinked,
        forgotten: InstId,
        released: InstId,
    ) -> Option<Story> {
        let body = self.program.functions[function].body.as_ref()?;
        let held_in = members.spelled(unlinked.node)?;
        let place = place_of(self.program, function, unlinked.inst);
        let held = &*held_in;
        let taken = match &unlinked.by {
            Some(by) => Said::Unlinks { by, held },
            None => Said::Unlinked { held },
        };
        let freed = Said::ReleasedElsewhere;
        let lost = Said::NeitherElsewhere { held };
        let steps = vec![
            Step::new(StepKind::Acquire, place.clone(), taken),
            Step::new(StepKind::Note, place_of(self.program, function, released), freed),
            Step::new(StepKind::Lost, place_of(self.program, function, forgotten), lost),
        ];
        let block = body.blocks.iter().find(|(_, block)| block.insts.contains(&unlinked.inst))?.0;
        let loops = Loops::new(&Cfg::new(body));
        let growth = if loops.depth(block) > 0 { Growth::EachIteration } else { Growth::EachCall };
        Some(self.taken_out(place, unlinked.by.clone(), held_in, growth, steps))
    }
}

impl Ways<'_, '_> {
    /// All ways on from where the node is taken off. None if there are too many.
    fn follow(&self, unlinked: &Unlinked) -> Option<Fates> {
        let (block, data) = self.body.blocks.iter().find(|(_, data)| data.insts.contains(&unlinked.inst))?;
        let from = data.insts.iter().position(|&inst| inst == unlinked.inst)? + 1;
        let made = match self.body.values[unlinked.node].def {
            Def::Inst(inst) => inst,
            _ => return None,
        };
        let start = Way {
            block,
            from,
            passed: Vec::new(),
            merged: FxHashMap::default(),
            decided: FxHashMap::default(),
        };
        let mut open = vec![start];
        let mut fates = Fates { forgotten: None, released: None };
        let mut steps = 0;
        while let Some(way) = open.pop() {
            steps += 1;
            if steps > FORGOTTEN_STEPS {
                return None;
            }
            self.step(way, made, &mut fates, &mut open);
        }
        Some(fates)
    }

    /// One block of a way.
    fn step(&self, way: Way, made: InstId, fates: &mut Fates, open: &mut Vec<Way>) {
        let data = &self.body.blocks[way.block];
        for &inst in &data.insts[way.from..] {
            if inst == made {
                fates.forgotten = fates.forgotten.or(self.last_of(&way));
                return;
            }
            if self.is_released(inst) {
                fates.released = fates.released.or(Some(inst));
                return;
            }
            if self.is_taken(inst) {
                return;
            }
        }
        let mut go = |to: BlockId, way: Way| {
            if way.passed.contains(&to) {
                return;
            }
            open.push(self.enter(way, to));
        };
        match &data.term {
            Terminator::Return(value) => {
                if !value.is_some_and(|value| self.is_node(value) || self.is_node_on(&way, value)) {
                    fates.forgotten = fates.forgotten.or(self.last_of(&way));
                }
            }
            Terminator::Jump(to) => go(*to, way),
            Terminator::Branch { cond, then, other } => {
                if let Some(null) = self.asks_for_null(*cond) {
                    return go(if null { *other } else { *then }, way);
                }
                if self.looks_at_node(*cond) {
                    return;
                }
                match self.number(&way, *cond) {
                    Some(0) => go(*other, way),
                    Some(_) => go(*then, way),
                    None => {
                        for (to, truth) in [(*then, 1), (*other, 0)] {
                            let mut way = way.clone();
                            self.decide(&mut way, *cond, truth);
                            go(to, way);
                        }
                    }
                }
            }
            Terminator::Switch { value, cases, default } => {
                if self.looks_at_node(*value) {
                    return;
                }
                let known = self.number(&way, *value).map(u128::from);
                for &(number, to) in cases {
                    if known.is_none_or(|known| known == number) {
                        let mut way = way.clone();
                        way.decided.insert(self.key(&way, *value), number as u64);
                        go(to, way);
                    }
                }
                if known.is_none_or(|known| cases.iter().all(|case| case.0 != known)) {
                    go(*default, way);
                }
            }
            Terminator::Indirect { .. }
            | Terminator::Choose { .. }
            | Terminator::Invoke { .. }
            | Terminator::Resume
            | Terminator::Unreachable => {}
        }
    }

    /// The way goes on in a block: merges there have what comes from the block before.
    fn enter(&self, mut way: Way, to: BlockId) -> Way {
        let before = way.block;
        let mut merged = Vec::new();
        for &inst in &self.body.blocks[to].insts {
            let data = &self.body.insts[inst];
            if let (Op::Phi { incoming }, Some(result)) = (&data.op, data.result)
                && let Some(&(_, value)) = incoming.iter().find(|entry| entry.0 == before)
            {
                merged.push((result, way.merged.get(&value).copied().unwrap_or(value)));
            }
        }
        way.merged.extend(merged);
        way.passed.push(before);
        (way.block, way.from) = (to, 0);
        way
    }

    /// The last thing on a way that has a place: there the function is left, or goes on to the next node.
    fn last_of(&self, way: &Way) -> Option<InstId> {
        let blocks = std::iter::once(&way.block).chain(way.passed.iter().rev());
        let insts = blocks.flat_map(|&block| self.body.blocks[block].insts.iter().rev().copied());
        let stands = |inst: &InstId| self.look.program.source_place_of(self.function, *inst).is_some();
        insts.filter(|&inst| !matches!(self.body.insts[inst].op, Op::Phi { .. })).find(stands)
    }

    fn is_node(&self, value: ValueId) -> bool {
        self.same.contains(&value) || self.inside.contains(&value)
    }

    /// Whether a value is the node on this way, by a merge.
    fn is_node_on(&self, way: &Way, value: ValueId) -> bool {
        way.merged.get(&value).is_some_and(|&value| self.is_node(value))
    }

    /// Whether a call releases the node.
    fn is_released(&self, inst: InstId) -> bool {
        let Op::Call(call) = &self.body.insts[inst].op else { return false };
        let given = call.args.iter().zip(0u32..).filter(|entry| self.same.contains(entry.0));
        let Some(callee) = direct_callee(self.body, call) else { return false };
        let data = &self.look.program.functions[callee];
        let summary = match data.body.is_some() {
            true => self.look.summaries[callee].as_ref(),
            false => self.look.library.functions.get(&data.name),
        };
        let effects =
            || summary.into_iter().flat_map(|summary| &summary.outcomes).flat_map(|one| &one.effects);
        given.map(|entry| Path::param(entry.1)).any(|own| {
            effects().any(|effect| matches!(effect, Effect::Release { value, .. } if *value == own))
        })
    }

    /// Whether somebody may have the node after an instruction.
    fn is_taken(&self, inst: InstId) -> bool {
        match &self.body.insts[inst].op {
            Op::Call(call) => call
                .args
                .iter()
                .zip(0u32..)
                .any(|(&arg, number)| self.is_node(arg) && self.look.may_take(self.body, inst, number)),
            Op::Store { addr, value, .. } => {
                self.is_node(*value) && self.flow.slot(*addr, &|_| false).is_none()
            }
            Op::Phi { .. } => false,
            Op::Pack { .. }
            | Op::Unknown(_)
            | Op::Atomic { .. }
            | Op::CompareExchange { .. }
            | Op::Select { .. } => {
                let mut used = false;
                self.body.insts[inst].op.operands(|operand| used |= self.is_node(operand));
                used
            }
            _ => false,
        }
    }

    /// Whether a condition asks whether there is a node at all; true if it holds where there is none.
    fn asks_for_null(&self, cond: ValueId) -> Option<bool> {
        let Some(Op::Compare { op, lhs, rhs }) = self.body.def_op(cond) else { return None };
        let null = |value: ValueId| self.body.bits(value) == Some(0);
        if !(self.same.contains(lhs) && null(*rhs) || self.same.contains(rhs) && null(*lhs)) {
            return None;
        }
        match op {
            CompareOp::Eq => Some(true),
            CompareOp::Ne => Some(false),
            _ => None,
        }
    }

    /// Whether a value was computed from what the node holds, or from its address.
    fn looks_at_node(&self, value: ValueId) -> bool {
        let mut seen = FxHashSet::from_iter([value]);
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            if self.is_node(value) {
                return true;
            }
            if let Some(op) = self.body.def_op(value).filter(|op| !matches!(op, Op::Call(_))) {
                op.operands(|operand| open.extend(seen.insert(operand).then_some(operand)));
            }
        }
        false
    }

    /// A number that is known on a way.
    fn number(&self, way: &Way, value: ValueId) -> Option<u64> {
        let value = way.merged.get(&value).copied().unwrap_or(value);
        if let Some(bits) = self.body.bits(value) {
            return Some(bits);
        }
        if let Some(&known) = way.decided.get(&self.key(way, value)) {
            return Some(known);
        }
        match self.body.def_op(value)? {
            Op::Compare { op: op @ (CompareOp::Eq | CompareOp::Ne), lhs, rhs } => {
                let (lhs, rhs) = (self.number(way, *lhs)?, self.number(way, *rhs)?);
                Some(u64::from((lhs == rhs) == (*op == CompareOp::Eq)))
            }
            Op::Convert { op: ConvertOp::ZeroExtend | ConvertOp::Truncate, value } => {
                self.number(way, *value)
            }
            _ => None,
        }
    }

    /// A condition holds on a way, or does not.
    fn decide(&self, way: &mut Way, cond: ValueId, truth: u64) {
        let key = self.key(way, cond);
        way.decided.insert(key, truth);
        let cond = way.merged.get(&cond).copied().unwrap_or(cond);
        if let Some(Op::Compare { op: op @ (CompareOp::Eq | CompareOp::Ne), lhs, rhs }) =
            self.body.def_op(cond)
        {
            let equal = (*op == CompareOp::Eq) == (truth == 1);
            let opposite = if *op == CompareOp::Eq { CompareOp::Ne } else { CompareOp::Eq };
            let other = format!("{opposite:?}({},{})", self.key(way, *lhs), self.key(way, *rhs));
            way.decided.insert(other, 1 - truth);
            if let (true, Some(bits)) = (equal, self.body.bits(*rhs)) {
                let key = self.key(way, *lhs);
                way.decided.insert(key, bits);
            }
        }
    }

    /// What a value is computed from, so that the same computation is known again. What is read from one place twice is taken
    /// to be the same.
    fn key(&self, way: &Way, value: ValueId) -> String {
        self.key_to(way, value, ADDRESS_STEPS)
    }

    fn key_to(&self, way: &Way, value: ValueId, depth: usize) -> String {
        let value = way.merged.get(&value).copied().unwrap_or(value);
        let Some(depth) = depth.checked_sub(1) else { return format!("{value:?}") };
        let key = |value: ValueId| self.key_to(way, value, depth);
        match self.body.def_op(value) {
            Some(Op::Compare { op, lhs, rhs }) => format!("{op:?}({},{})", key(*lhs), key(*rhs)),
            Some(Op::Binary { op, lhs, rhs }) => format!("{op:?}({},{})", key(*lhs), key(*rhs)),
            Some(Op::Convert { op, value }) => format!("{op:?}({})", key(*value)),
            Some(Op::Load { addr, .. }) => format!("*({})", key(*addr)),
            Some(Op::Offset { base, bytes }) => format!("{}+{bytes}", key(*base)),
            Some(_) => format!("{value:?}"),
            None => match self.body.constant(value) {
                Some(constant) => format!("{constant:?}"),
                None => format!("{value:?}"),
            },
        }
    }
}

/// Addresses inside of what these values point to.
fn inside(body: &Body, same: &[ValueId]) -> Vec<ValueId> {
    let results = body
        .insts
        .values()
        .filter(|inst| matches!(inst.op, Op::Offset { .. }))
        .filter_map(|inst| inst.result);
    results.filter(|&value| same.contains(&body.address(value).0)).collect()
}
