//! Where the values of one function go, without regard to its paths.
//!
//! In: a body. Out: for a value, all values that can be nothing but it or null (copies, merges with null, variables in
//! memory that hold nothing else), and what is done with them. A value that may also be something else is another one:
//! what is done with it says nothing of the first.

use crate::limits::SAME_VALUES;
use watertight_ir::{
    BlockId, Body, Call, Const, ConvertOp, Def, InstId, Lists, Op, Terminator, Type, ValueId,
};

/// The uses of all values of a body.
pub(crate) struct Flow<'p> {
    pub(crate) body: &'p Body,
    uses: Lists<ValueId, InstId>,
}

/// What becomes of a value, on whatever paths.
#[derive(Default)]
pub(crate) struct Fate {
    /// Calls that get it, and as which argument.
    pub(crate) given: Vec<(InstId, u32)>,
    pub(crate) returned: bool,
    /// It is stored, or part of something larger.
    pub(crate) kept: bool,
}

impl<'p> Flow<'p> {
    pub(crate) fn new(body: &'p Body) -> Flow<'p> {
        let mut pairs: Vec<(ValueId, InstId)> = Vec::new();
        for block in body.blocks.values() {
            for &inst in &block.insts {
                body.insts[inst].op.operands(|value| pairs.push((value, inst)));
            }
        }
        Flow { body, uses: Lists::from_pairs(body.values.len(), &pairs) }
    }

    /// All calls of the body, in the order of blocks.
    pub(crate) fn calls(&self) -> impl Iterator<Item = (BlockId, InstId, &'p Call)> {
        let body = self.body;
        body.blocks.iter().flat_map(move |(block, data)| {
            data.insts.iter().filter_map(move |&inst| match &body.insts[inst].op {
                Op::Call(call) => Some((block, inst, &**call)),
                _ => None,
            })
        })
    }

    /// The values that are one of these or null. `alike` tells of other values that may be merged with them.
    pub(crate) fn same(&self, start: Vec<ValueId>, alike: &dyn Fn(ValueId) -> bool) -> Vec<ValueId> {
        let mut all = start;
        // A merge may wait for another one, so that the whole is repeated until nothing comes of it.
        loop {
            let before = all.len();
            let mut next = 0;
            while next < all.len() && all.len() < SAME_VALUES {
                for &inst in self.uses.of(all[next]) {
                    self.follow(inst, all[next], alike, &mut all);
                }
                next += 1;
            }
            if all.len() == before || all.len() >= SAME_VALUES {
                return all;
            }
        }
    }

    fn follow(&self, inst: InstId, value: ValueId, alike: &dyn Fn(ValueId) -> bool, all: &mut Vec<ValueId>) {
        let data = &self.body.insts[inst];
        let fits = |all: &[ValueId], other: ValueId| {
            all.contains(&other) || Some(other) == data.result || self.is_nothing(other) || alike(other)
        };
        let goes_on = match &data.op {
            Op::Convert { op: ConvertOp::Reinterpret, .. } => true,
            Op::Phi { incoming } => incoming.iter().all(|&(_, other)| fits(all, other)),
            Op::Select { then, other, cond } => *cond != value && fits(all, *then) && fits(all, *other),
            Op::Store { addr, value: stored, .. } if *stored == value => {
                if let Some(slot) = self.slot(*addr, &|_| false)
                    && slot.stored.iter().all(|&other| fits(all, other))
                {
                    slot.loaded.into_iter().for_each(|loaded| add(all, loaded));
                }
                false
            }
            _ => false,
        };
        if let Some(result) = data.result.filter(|_| goes_on) {
            add(all, result);
        }
    }

    /// A variable in memory whose address goes nowhere but to the calls that `given` names.
    pub(crate) fn slot(&self, addr: ValueId, given: &dyn Fn(InstId) -> bool) -> Option<Slot> {
        if !matches!(self.body.def_op(addr), Some(Op::Stack { count: None, .. })) {
            return None;
        }
        let mut slot = Slot::default();
        for &inst in self.uses.of(addr) {
            let data = &self.body.insts[inst];
            match &data.op {
                Op::Load { .. } => slot.loaded.extend(data.result),
                Op::Store { addr: to, value, .. } if *to == addr && *value != addr => {
                    slot.stored.push(*value)
                }
                Op::Call(_) if given(inst) => {}
                Op::Name { .. } => {}
                _ => return None,
            }
        }
        Some(slot)
    }

    /// Whether a value is null, or nothing at all.
    pub(crate) fn is_nothing(&self, value: ValueId) -> bool {
        match self.body.constant(value) {
            Some(Const::Bits(0) | Const::Undef) => true,
            // What is no address says that there is none: -1 for a descriptor.
            Some(Const::Bits(_)) => self.body.ty(value) != Type::Ptr,
            _ => false,
        }
    }

    /// What is done with these values.
    pub(crate) fn fate(&self, values: &[ValueId]) -> Fate {
        let mut fate = Fate::default();
        for &value in values {
            for &inst in self.uses.of(value) {
                match &self.body.insts[inst].op {
                    Op::Call(call) => {
                        let given = call.args.iter().zip(0..).filter(|(arg, _)| **arg == value);
                        fate.given.extend(given.map(|(_, number)| (inst, number)));
                    }
                    Op::Store { addr, value: stored, .. } if *stored == value => {
                        fate.kept |= self.slot(*addr, &|_| false).is_none();
                    }
                    Op::Pack { .. } | Op::Unknown(_) | Op::Atomic { .. } | Op::CompareExchange { .. } => {
                        fate.kept = true;
                    }
                    // Merged with something else, or a place inside of it: nobody knows.
                    Op::Phi { .. } | Op::Select { .. } | Op::Convert { .. } => {
                        let result = self.body.insts[inst].result;
                        fate.kept |= result.is_some_and(|result| !values.contains(&result));
                    }
                    _ => {}
                }
            }
        }
        let returned =
            |term: &Terminator| matches!(term, Terminator::Return(Some(value)) if values.contains(value));
        fate.returned = self.body.blocks.values().any(|block| returned(&block.term));
        fate
    }

    /// Whether every way on from a call comes to one of these, or does not return.
    pub(crate) fn always_comes_to(&self, call: InstId, ends: &[InstId]) -> bool {
        let home = self.body.blocks.iter().find(|(_, block)| block.insts.contains(&call));
        let Some((home, block)) = home else { return false };
        let at = block.insts.iter().position(|&inst| inst == call).map_or(0, |at| at + 1);
        let mut open: Vec<(BlockId, usize)> = vec![(home, at)];
        let mut seen: Vec<BlockId> = Vec::new();
        while let Some((block, from)) = open.pop() {
            let data = &self.body.blocks[block];
            if data.insts[from..].iter().any(|inst| ends.contains(inst)) {
                continue;
            }
            if matches!(data.term, Terminator::Return(_) | Terminator::Resume) {
                return false;
            }
            data.term.successors(|to| {
                if !seen.contains(&to) {
                    seen.push(to);
                    open.push((to, 0));
                }
            });
        }
        true
    }

    /// Whether something is done with one of these values after a call of the block, before they are made anew.
    pub(crate) fn is_used_after(&self, values: &[ValueId], block: BlockId, call: InstId) -> bool {
        let made: Vec<InstId> = values
            .iter()
            .filter_map(|&value| match self.body.values[value].def {
                Def::Inst(inst) => Some(inst),
                _ => None,
            })
            .collect();
        let uses = |inst: InstId| {
            let op = &self.body.insts[inst].op;
            let mut used = false;
            if !matches!(op, Op::Name { .. } | Op::Compare { .. } | Op::Phi { .. } | Op::Store { .. }) {
                op.operands(|value| used |= values.contains(&value));
            }
            used
        };
        let list = &self.body.blocks[block].insts;
        let at = list.iter().position(|&inst| inst == call).map_or(list.len(), |at| at + 1);
        let mut open: Vec<BlockId> = Vec::new();
        let mut seen: Vec<BlockId> = Vec::new();
        let scan = |insts: &[InstId], term: &Terminator, open: &mut Vec<BlockId>| -> bool {
            for &inst in insts {
                if uses(inst) {
                    return true;
                }
                if made.contains(&inst) {
                    return false;
                }
            }
            term.successors(|to| open.push(to));
            matches!(term, Terminator::Return(Some(value)) if values.contains(value))
        };
        if scan(&list[at..], &self.body.blocks[block].term, &mut open) {
            return true;
        }
        while let Some(next) = open.pop() {
            if seen.contains(&next) {
                continue;
            }
            seen.push(next);
            let data = &self.body.blocks[next];
            if scan(&data.insts, &data.term, &mut open) {
                return true;
            }
        }
        false
    }
}

/// A variable in memory: what is stored there, and what is read from there.
#[derive(Default)]
pub(crate) struct Slot {
    pub(crate) stored: Vec<ValueId>,
    pub(crate) loaded: Vec<ValueId>,
}

fn add(all: &mut Vec<ValueId>, value: ValueId) {
    if !all.contains(&value) {
        all.push(value);
    }
}
