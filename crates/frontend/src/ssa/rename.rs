//! Loads and stores of slots become uses of values.
//!
//! In: the slots and their phis. Out: the body without the slots. A walk over the dominator tree carries the
//! current value of every slot; a load is forwarded to it, a store changes it and leaves the names of the
//! variables behind. The walk keeps a list of what it changed and takes it back when it leaves a subtree,
//! so it needs neither recursion nor a copy of the state. A slot that is read before it was written is
//! undefined there, and the same value wherever it is: two variables that were never set need not be equal, but
//! one is equal to itself.
//!
//! Blocks that touch no slot are passed over. The phis get their entries here and enter their blocks later,
//! when it is known which of them merge more than one value (`merge`).

use super::bytes::MAX_BYTES;
use super::compact::Forward;
use super::ids::SlotId;
use super::promote::{Promoted, Slots};
use super::{convert, promote};
use watertight_ir::{
    BlockId, Body, Cfg, Const, Def, Dominators, Id, InstId, Op, PlaceId, Target, Type, Value, ValueId,
};

#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// By slot: its value at this point of the walk; absent while undefined.
    current: Vec<Option<ValueId>>,
    /// By slot: the undefined value it has before it is written, once that was needed.
    undefined: Vec<Option<ValueId>>,
    /// What `current` held before, to be restored when the walk leaves a block.
    undo: Vec<(SlotId, Option<ValueId>)>,
    /// The blocks from the entry down to where the walk is, with the length of `undo` on entry.
    path: Vec<(BlockId, usize)>,
    out: Vec<InstId>,
}

struct Walk<'a> {
    body: &'a mut Body,
    slots: &'a Slots,
    forward: &'a mut Forward,
    work: &'a mut Scratch,
    pointer_bits: u32,
    promoted: &'a mut Promoted,
}

/// Replaces the accesses to all slots of `scratch`, and fills the entries of their phis.
pub(super) fn rename(
    target: &Target,
    body: &mut Body,
    cfg: &Cfg,
    dominators: &Dominators,
    scratch: &mut super::Scratch,
    promoted: &mut Promoted,
) {
    let promote::Scratch { slots } = &scratch.promote;
    let (phis, work) = (&mut scratch.phis, &mut scratch.rename);
    work.current.clear();
    work.current.resize(slots.slots.len(), None);
    work.undefined.clear();
    work.undefined.resize(slots.slots.len(), None);
    work.undo.clear();
    work.path.clear();
    let mut walk = Walk {
        body,
        slots,
        forward: &mut scratch.forward,
        work,
        pointer_bits: target.pointer_bits,
        promoted,
    };
    for &block in dominators.preorder() {
        walk.descend(block, dominators.idom(block));
        for phi in &phis.phis[phis.of(block)] {
            walk.define(phi.slot, phi.value);
        }
        if slots.is_touched(block) {
            walk.rewrite(block);
        }
        for &target in cfg.successors(block) {
            for phi in phis.of(target) {
                let phi = &mut phis.phis[phi];
                phi.incoming.push((block, walk.value_of(phi.slot)));
            }
        }
    }
}

impl Walk<'_> {
    /// Enters `block` below `parent`, after taking back what blocks outside its dominators changed.
    fn descend(&mut self, block: BlockId, parent: Option<BlockId>) {
        while let Some(&(above, changes)) = self.work.path.last()
            && Some(above) != parent
        {
            self.work.path.pop();
            for (slot, value) in self.work.undo.drain(changes..).rev() {
                self.work.current[slot.index()] = value;
            }
        }
        self.work.path.push((block, self.work.undo.len()));
    }

    fn define(&mut self, slot: SlotId, value: ValueId) {
        let before = self.work.current[slot.index()].replace(value);
        self.work.undo.push((slot, before));
    }

    fn value_of(&mut self, slot: SlotId) -> ValueId {
        self.work.current[slot.index()].unwrap_or_else(|| self.undefined(slot))
    }

    fn undefined(&mut self, slot: SlotId) -> ValueId {
        *self.work.undefined[slot.index()].get_or_insert_with(|| {
            let ty = self.slots.slots[slot.index()].ty.expect("a slot that is read has a type");
            self.body.values.push(Value { ty, def: Def::Const(Const::Undef) })
        })
    }

    fn rewrite(&mut self, block: BlockId) {
        let mut insts = std::mem::take(&mut self.body.blocks[block].insts);
        self.work.out.clear();
        for &id in &insts {
            let inst = &self.body.insts[id];
            let place = inst.place;
            match inst.op {
                Op::Load { addr, .. } => {
                    if let (Some(slot), Some(result)) = (self.slots.at(addr), inst.result) {
                        self.load(slot, result, place);
                        continue;
                    }
                }
                Op::Store { addr, value, .. } => {
                    if let Some(slot) = self.slots.at(addr) {
                        self.store(id, slot, value, place);
                        continue;
                    }
                }
                Op::Stack { .. } if inst.result.is_some_and(|result| self.slots.at(result).is_some()) => {
                    continue;
                }
                Op::Name { value, .. } if self.slots.at(value).is_some() => continue,
                _ => {}
            }
            self.work.out.push(id);
        }
        insts.clear();
        insts.extend_from_slice(&self.work.out);
        self.body.blocks[block].insts = insts;
    }

    fn load(&mut self, slot: SlotId, result: ValueId, place: Option<PlaceId>) {
        self.promoted.accesses += 1;
        let ty = self.body.ty(result);
        let value = self.value_of(slot);
        let value = self.reinterpret(value, ty, place);
        self.forward.set(result, value);
    }

    fn store(&mut self, id: InstId, slot: SlotId, value: ValueId, place: Option<PlaceId>) {
        self.promoted.accesses += 1;
        let value = self.forward.resolve(value);
        self.promoted.address_forwarded |= self.is_local_address(value);
        let ty = self.slots.slots[slot.index()].ty.expect("a slot that is written has a type");
        let value = self.reinterpret(value, ty, place);
        self.define(slot, value);
        // The first name takes the place of the store.
        let mut variables = self.slots.variables(slot);
        if let Some(variable) = variables.next() {
            self.body.insts[id].op = Op::Name { variable, value };
            self.work.out.push(id);
        }
        for variable in variables {
            let name = convert::append_effect(self.body, Op::Name { variable, value }, place);
            self.work.out.push(name);
        }
    }

    /// Whether `value` is an address within an object that could be split or promoted next.
    fn is_local_address(&self, mut value: ValueId) -> bool {
        // As many steps as there are values suffice, whatever the body looks like.
        for _ in 0..self.body.values.len() {
            match self.body.def_op(value) {
                Some(&Op::Offset { base, .. }) => value = self.forward.resolve(base),
                Some(Op::Stack { bytes, count: None, .. }) => return *bytes <= u64::from(MAX_BYTES),
                _ => break,
            }
        }
        false
    }

    fn reinterpret(&mut self, value: ValueId, ty: Type, place: Option<PlaceId>) -> ValueId {
        convert::reinterpret(self.body, value, ty, self.pointer_bits, place, &mut self.work.out)
    }
}
