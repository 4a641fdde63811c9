//! Loops of which one iteration stands for any number.
//!
//! When such a loop is entered, what its body changes is no longer known: numbers are any numbers, and an address
//! is the first one or another. Two things are still known. An address that the body only moves forward or back
//! stays in its object. And where nothing in the body can take an object over, an address that the loop replaces
//! is not taken care of: to walk along a list is not to keep it.

use crate::context::Known;
use crate::limits::MOVED_VALUES;
use crate::machine::memory::Origin;
use crate::machine::state::State;
use crate::machine::value::{Leaf, Offset, Sym};
use watertight_finding::Doubt;
use watertight_ir::{BlockId, Callee, LoopId, Op, Type, ValueId};
use watertight_logic::guard::Guard;
use watertight_logic::width::Width;
use watertight_summary::Effect;

impl State<'_> {
    /// The loop that starts at the block at hand, if one iteration stands for any.
    fn havocked_loop(&self) -> Option<LoopId> {
        let block = self.unrolled.nodes[self.node].block;
        let id = self.loops.innermost(block)?;
        (self.plan.havocked[id] && self.loops[id].entries.contains(&block)).then_some(id)
    }

    pub fn enters_havocked_loop(&self) -> bool {
        self.havocked_loop().is_some()
    }

    /// A variable that a loop changes: a number is any number; an address is the first one or another, and
    /// the loop is trusted to have taken care of what it replaced, if it can.
    pub fn havocked_phi(
        &mut self,
        result: Option<ValueId>,
        incoming: &[(BlockId, ValueId)],
        ty: Type,
    ) -> Sym {
        let first = self.phi(incoming, ty);
        if ty != Type::Ptr {
            let any = self.doubtful(ty);
            self.invent(&any, Doubt::LoopCut);
            return any;
        }
        let Some(id) = self.havocked_loop() else { return first };
        let width = self.pointer_width();
        let leaves = self.leaves(&first, width);
        if let Some(result) = result
            && self.only_moves(id, result, incoming)
        {
            let moved = leaves.into_iter().map(|(guard, leaf)| match leaf {
                Leaf::Address(object, _) => (guard, Leaf::Address(object, Offset::Somewhere)),
                other => (guard, other),
            });
            let moved = Sym::Leaves(moved.collect());
            let choice = self.invented_choice(Doubt::LoopCut);
            return self.choose(choice, &first, &moved, ty);
        }
        if self.takes_over(id) {
            // What the first iteration does with an object of the caller's is seen, and only what was acquired here
            // can be lost here.
            let mut own = leaves.clone();
            own.retain(|entry| match entry.1 {
                Leaf::Address(object, _) => matches!(self.objects[object].origin, Origin::Fresh(_)),
                _ => false,
            });
            self.keep_leaves(&own, self.here);
        }
        let (choice, other) = (self.invented_choice(Doubt::LoopCut), self.any(ty));
        self.journal.first_turns.push((self.node, choice));
        self.choose(choice, &first, &other, ty)
    }

    /// Whether the values that come around a loop are addresses in the object of the value at its start.
    fn only_moves(&self, id: LoopId, start: ValueId, incoming: &[(BlockId, ValueId)]) -> bool {
        let mut open: Vec<ValueId> = incoming
            .iter()
            .filter(|(block, _)| self.loops.blocks(id).contains(block))
            .map(|&(_, value)| value)
            .collect();
        let mut seen = vec![start];
        while let Some(value) = open.pop() {
            if seen.contains(&value) {
                continue;
            }
            seen.push(value);
            if seen.len() > MOVED_VALUES {
                return false;
            }
            match self.body.def_op(value) {
                Some(Op::Offset { base, .. } | Op::Index { base, .. }) => open.push(*base),
                Some(Op::Select { then, other, .. }) => open.extend([*then, *other]),
                Some(Op::Phi { incoming }) => open.extend(incoming.iter().map(|entry| entry.1)),
                _ => return false,
            }
        }
        true
    }

    /// Whether something in a loop can release an object or put it where it is looked after.
    fn takes_over(&self, id: LoopId) -> bool {
        let insts = self.loops.blocks(id).iter().flat_map(|&block| self.body.block_insts(block));
        for (_, inst) in insts {
            let takes = match &inst.op {
                Op::Store { value, .. } => self.body.ty(*value) == Type::Ptr,
                Op::MemCopy { .. } | Op::Atomic { .. } | Op::CompareExchange { .. } | Op::Unknown(_) => true,
                Op::Call(call) => match call.callee {
                    Callee::Pointer(_) => true,
                    Callee::Direct(callee) => match self.component.lookup(self.context, callee) {
                        Known::Summary(summary) => summary.effects().any(|effect| {
                            matches!(
                                effect,
                                Effect::Release { .. } | Effect::Keep { .. } | Effect::Store { .. }
                            )
                        }),
                        Known::Pending | Known::Nothing => true,
                    },
                },
                _ => false,
            };
            if takes {
                return true;
            }
        }
        false
    }

    /// Numbers in memory may have been changed by the iterations before.
    pub fn havoc_numbers(&mut self) {
        for object in self.objects.ids() {
            for cell in self.objects[object].cells.clone() {
                let numbers = cell.leaves.iter().all(|entry| matches!(entry.1, Leaf::Number(_)));
                if numbers && let Some(width) = Width::new((cell.bytes as u32).saturating_mul(8)) {
                    let unknown = self.doubtful_number(width);
                    self.unknowns.approximate(unknown, Doubt::LoopCut);
                    let unknown = vec![(Guard::TRUE, Leaf::Number(unknown))];
                    self.write(object, cell.offset, cell.bytes, &unknown, Type::Int(width.bits()), self.here);
                }
            }
        }
    }
}
