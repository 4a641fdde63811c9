//! Calls that return a second time (`setjmp`).
//!
//! Control that comes back there with another number than zero has been further on before, in this function and in what it calls.
//! Which return it is, is a choice of its own. What was changed in between is not known: the states of all objects, numbers
//! in memory, and addresses in variables that something behind the call sets. What such an address led to counts as taken care
//! of, because what replaced it may have done so. Variables that nothing sets behind the call are as they were, so
//! what was acquired before the call, and is forgotten where control comes back, is lost.

use crate::facts::cells::base_of;
use crate::machine::cells::{Cell, WIDTH};
use crate::machine::memory::{ObjectId, Origin};
use crate::machine::state::State;
use crate::machine::value::{Leaf, Leaves, Sym};
use rustc_hash::FxHashMap;
use watertight_finding::Doubt;
use watertight_ir::cfg::Cfg;
use watertight_ir::{BlockId, Body, Call, CompareOp, Def, InstId, Op, Type, ValueId};
use watertight_logic::guard::Guard;
use watertight_logic::width::Width;
use watertight_summary::property::Property;

/// How memory may change between the two returns.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Change {
    /// By callees, or through other addresses, which seldom drop what is there.
    Elsewhere,
    /// By an instruction of the function.
    Here,
}

impl State<'_> {
    /// After a call that prepares a jump: where its result is not zero, something has happened since (ASSUME-19).
    pub(crate) fn comes_back(&mut self, inst: InstId, call: &Call, result: &Sym, ty: Type) {
        // What comes back without a buffer that says where to (`vfork`) is no jump.
        if !call.returns_twice || call.args.is_empty() {
            return;
        }
        let zero = Sym::one(Leaf::Number(self.constant(self.width(ty), 0)));
        let again = self.compare(CompareOp::Ne, result, &zero, ty);
        let again = self.and(self.here, again);
        if again.is_false() {
            return;
        }
        self.come_back = self.or(self.come_back, again);
        let changed = changed_behind(self.body, self.context.block_of(self.id, inst), inst);
        for object in self.objects.ids() {
            self.forget_states(object, again);
            let change = match &self.objects[object].origin {
                Origin::Stack(variable) => changed.get(variable).copied(),
                _ => Some(Change::Elsewhere),
            };
            if let Some(change) = change {
                self.forget_cells(object, change, again);
            }
        }
    }

    /// The state of something that is asked for the first time: of what was there before control came back, nothing is known.
    pub(crate) fn state_or_unfollowed(&mut self, state: Leaf) -> Leaves {
        let unfollowed = Leaf::Number(self.constant(WIDTH, i128::from(Property::UNFOLLOWED)));
        let leaves = vec![(!self.come_back, state), (self.come_back, unfollowed)];
        leaves.into_iter().filter(|entry| !entry.0.is_false()).collect()
    }

    fn forget_states(&mut self, object: ObjectId, again: Guard) {
        let unfollowed = Leaf::Number(self.constant(WIDTH, i128::from(Property::UNFOLLOWED)));
        for index in 0..self.objects[object].hidden.len() {
            self.set_state(Cell { object, index }, &vec![(again, unfollowed)], again);
        }
    }

    fn forget_cells(&mut self, object: ObjectId, change: Change, again: Guard) {
        for cell in self.objects[object].cells.clone() {
            let numbers = cell.leaves.iter().all(|entry| matches!(entry.1, Leaf::Number(_)));
            let Some(width) = Width::new((cell.bytes as u32).saturating_mul(8)) else { continue };
            let known = self.invented_number(width, Doubt::ReadAgain);
            let unknown: Leaves = vec![(Guard::TRUE, Leaf::Number(known))];
            if numbers {
                self.write(object, cell.offset, cell.bytes, &unknown, Type::Int(width.bits()), again);
            } else if change == Change::Here {
                let other = self.invented_choice(Doubt::ReadAgain);
                let when = self.and(again, other);
                self.keep_leaves(&cell.leaves, when);
                self.write(object, cell.offset, cell.bytes, &unknown, Type::Ptr, when);
            }
        }
    }
}

/// The variables in the frame that may be changed after an instruction.
fn changed_behind(body: &Body, block: BlockId, inst: InstId) -> FxHashMap<InstId, Change> {
    let cfg = Cfg::new(body);
    let mut behind: Vec<BlockId> = Vec::new();
    let mut open: Vec<BlockId> = cfg.successors(block).to_vec();
    while let Some(next) = open.pop() {
        if !behind.contains(&next) {
            behind.push(next);
            open.extend(cfg.successors(next));
        }
    }
    let mut changed: FxHashMap<InstId, Change> = FxHashMap::default();
    for (at, data) in body.blocks.iter() {
        let mut reached = behind.contains(&at);
        for &id in &data.insts {
            let written = match &body.insts[id].op {
                Op::Store { addr, .. } | Op::Atomic { addr, .. } | Op::CompareExchange { addr, .. } => {
                    Some(*addr)
                }
                Op::MemCopy { dst, .. } | Op::MemFill { dst, .. } => Some(*dst),
                _ => None,
            };
            if let Some(variable) = written.and_then(|addr| variable_at(body, addr))
                && reached
            {
                changed.insert(variable, Change::Here);
            }
            for variable in shown(body, &body.insts[id].op) {
                changed.entry(variable).or_insert(Change::Elsewhere);
            }
            reached |= id == inst;
        }
    }
    changed
}

/// The variable that an address lies in.
fn variable_at(body: &Body, address: ValueId) -> Option<InstId> {
    match body.values[base_of(body, address)].def {
        Def::Inst(inst) => matches!(body.insts[inst].op, Op::Stack { .. }).then_some(inst),
        _ => None,
    }
}

/// The variables whose addresses an instruction takes elsewhere.
fn shown(body: &Body, op: &Op) -> Vec<InstId> {
    let mut all = Vec::new();
    match op {
        Op::Load { .. } | Op::Offset { .. } | Op::Index { .. } | Op::Compare { .. } | Op::Name { .. } => {}
        Op::Store { value, .. } => all.extend(variable_at(body, *value)),
        other => other.operands(|value| all.extend(variable_at(body, value))),
    }
    all
}
