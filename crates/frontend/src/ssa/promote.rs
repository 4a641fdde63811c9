//! Which scalar objects become values.
//!
//! In: a body without unreachable blocks. Out: its *slots*, the objects of the entry block that are only
//! loaded and stored, plainly, as scalars of one width; and for each, what each block does to it. Then
//! `phis` places the phis and `rename` replaces the accesses.
//!
//! One pass over the instructions finds slots and their blocks together: every access looks its address up
//! in a table by value, and any other use of the address keeps the object in memory. What a block does to a
//! slot is one [`Visit`]: whether it reads the slot before writing it, and whether it writes it. Visits of
//! a slot are chained through the one array that holds them all.
//!
//! Accesses of one width may differ in type (`union { void *p; long n; }`). The slot has the type of an
//! address if one of them has, so that the identity of what is pointed to is kept, else of the first; the
//! others convert.

use super::Regime;
use super::ids::{SlotId, VisitId};
use super::{merge, phis, rename};
use watertight_ir::{Access, BlockId, Body, Cfg, Dominators, Id, InstId, Op, Target, Type, ValueId, VarId};

/// An object on the stack that may become values.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    bytes: u64,
    /// The type its value will have; absent while no access was seen.
    pub(super) ty: Option<Type>,
    /// Nothing seen so far keeps it in memory.
    sound: bool,
    stores: u32,
    /// The last of its visits.
    pub(super) visits: Option<VisitId>,
    /// The first source variable that lives in it.
    pub(super) variables: Option<VarId>,
}

/// What one block does to one slot.
#[derive(Copy, Clone, Debug)]
pub(super) struct Visit {
    pub(super) block: BlockId,
    /// The block reads what the slot held on entry.
    pub(super) reads: bool,
    pub(super) writes: bool,
    pub(super) previous: Option<VisitId>,
}

/// The slots of one body.
#[derive(Debug, Default)]
pub(super) struct Slots {
    pub(super) slots: Vec<Slot>,
    pub(super) visits: Vec<Visit>,
    /// By value: the slot whose address it is. Only slots that become values are left after the scan.
    by_address: Vec<Option<SlotId>>,
    /// By variable: the next one that lives in the same slot.
    next_variable: Vec<Option<VarId>>,
    /// By block: whether an instruction in it uses the address of a slot.
    touched: Vec<bool>,
}

impl Slots {
    /// The slot whose address `value` is.
    pub(super) fn at(&self, value: ValueId) -> Option<SlotId> {
        // Values that were added after the scan are addresses of nothing.
        self.by_address.get(value.index()).copied().flatten()
    }
    pub(super) fn visits(&self, slot: SlotId) -> impl Iterator<Item = &Visit> {
        let get = |id: VisitId| &self.visits[id.index()];
        let first = self.slots[slot.index()].visits.map(get);
        std::iter::successors(first, move |visit| visit.previous.map(get))
    }
    pub(super) fn variables(&self, slot: SlotId) -> impl Iterator<Item = VarId> {
        let first = self.slots[slot.index()].variables;
        std::iter::successors(first, |variable| self.next_variable[variable.index()])
    }
    pub(super) fn is_touched(&self, block: BlockId) -> bool {
        self.touched[block.index()]
    }
}

#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub(super) slots: Slots,
}

/// What promotion did.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Promoted {
    pub(super) slots: usize,
    pub(super) accesses: usize,
    pub(super) phis: usize,
    /// A slot held the address of an object on the stack, which may now be accessed directly.
    pub(super) address_forwarded: bool,
}

/// Turns slots into values. Uses of the loads that go are left as they are; the forwarding table of
/// `scratch` says what stands for them.
pub(super) fn promote(
    target: &Target,
    body: &mut Body,
    cfg: &Cfg,
    dominators: &Dominators,
    regime: Regime,
    scratch: &mut super::Scratch,
) -> Promoted {
    scratch.forward.reset(body);
    let slots = &mut scratch.promote.slots;
    let found = slots.find(body, cfg, target, regime);
    slots.find_variables(body);
    phis::place(body, cfg, dominators, slots, &mut scratch.phis);
    let mut promoted = Promoted::default();
    if found > 0 {
        promoted = rename::rename(target, body, cfg, dominators, scratch);
    }
    promoted.slots = found;
    promoted.phis = merge::merge(body, cfg, scratch);
    promoted
}

impl Slots {
    /// Finds the slots and returns how many become values.
    fn find(&mut self, body: &Body, cfg: &Cfg, target: &Target, regime: Regime) -> usize {
        self.slots.clear();
        self.visits.clear();
        self.by_address.clear();
        let entry = body.entry();
        for (_, inst) in body.block_insts(entry) {
            if let (Op::Stack { bytes, count: None, .. }, Some(result)) = (&inst.op, inst.result) {
                if self.slots.is_empty() {
                    self.by_address.resize(body.values.len(), None);
                    self.touched.clear();
                    self.touched.resize(body.blocks.len(), false);
                }
                self.by_address[result.index()] = Some(SlotId::new(self.slots.len()));
                self.slots.push(Slot {
                    bytes: *bytes,
                    ty: None,
                    sound: true,
                    stores: 0,
                    visits: None,
                    variables: None,
                });
            }
        }
        if self.slots.is_empty() {
            return 0;
        }
        self.touched[entry.index()] = true;
        for &block in cfg.reverse_post_order() {
            for &inst in &body.blocks[block].insts {
                self.visit(body, target, block, inst);
            }
            body.blocks[block].term.operands(|value| self.escape(value));
        }
        let mut promoted = 0;
        for (_, inst) in body.block_insts(entry) {
            if let (Op::Stack { .. }, Some(result)) = (&inst.op, inst.result)
                && let Some(slot) = self.at(result)
            {
                if self.becomes_value(slot, entry, regime) {
                    promoted += 1;
                } else {
                    self.by_address[result.index()] = None;
                    // Not looked at by `phis` any more.
                    self.slots[slot.index()].visits = None;
                }
            }
        }
        promoted
    }

    fn escape(&mut self, value: ValueId) {
        if let Some(slot) = self.at(value) {
            self.slots[slot.index()].sound = false;
        }
    }

    fn visit(&mut self, body: &Body, target: &Target, block: BlockId, inst: InstId) {
        let inst = &body.insts[inst];
        match &inst.op {
            &Op::Load { addr, access } => {
                if let (Some(slot), Some(result)) = (self.at(addr), inst.result)
                    && self.access(slot, body.ty(result), access, target)
                {
                    let visit = self.visit_of(slot, block);
                    visit.reads |= !visit.writes;
                }
            }
            &Op::Store { addr, value, access } => {
                self.escape(value);
                if let Some(slot) = self.at(addr)
                    && self.access(slot, body.ty(value), access, target)
                {
                    self.slots[slot.index()].stores += 1;
                    self.visit_of(slot, block).writes = true;
                }
            }
            // A name is no use of the object; it goes when the object goes.
            Op::Name { value, .. } => {
                if self.at(*value).is_some() {
                    self.touched[block.index()] = true;
                }
            }
            op => op.operands(|value| self.escape(value)),
        }
    }

    /// Notes a load or store of a slot; false if it keeps the slot in memory.
    fn access(&mut self, slot: SlotId, ty: Type, access: Access, target: &Target) -> bool {
        let slot = &mut self.slots[slot.index()];
        let bits = |ty: Type| ty.bits(target.pointer_bits);
        let same_width = slot.ty.is_none_or(|known| bits(known) == bits(ty));
        let inside = ty.is_scalar() && ty.store_bytes(target.pointer_bits) <= slot.bytes;
        slot.sound &= same_width && inside && access == Access::Plain;
        if slot.ty.is_none() || ty == Type::Ptr {
            slot.ty = Some(ty);
        }
        slot.sound
    }

    /// The visit of `slot` by `block`, which is the block that is being scanned.
    fn visit_of(&mut self, slot: SlotId, block: BlockId) -> &mut Visit {
        let last = &mut self.slots[slot.index()].visits;
        let known = last.filter(|last| self.visits[last.index()].block == block);
        let id = known.unwrap_or_else(|| {
            self.touched[block.index()] = true;
            let id = VisitId::new(self.visits.len());
            self.visits.push(Visit { block, reads: false, writes: false, previous: *last });
            *last = Some(id);
            id
        });
        &mut self.visits[id.index()]
    }

    fn becomes_value(&self, slot: SlotId, entry: BlockId, regime: Regime) -> bool {
        let Slot { sound, stores, .. } = self.slots[slot.index()];
        let written_first = || {
            self.visits(slot).any(|visit| visit.block == entry && visit.writes && !visit.reads) && stores == 1
        };
        let unused = || self.visits(slot).next().is_none();
        sound && (regime == Regime::Free || unused() || written_first())
    }

    fn find_variables(&mut self, body: &Body) {
        self.next_variable.clear();
        self.next_variable.resize(body.variables.len(), None);
        for (id, variable) in body.variables.iter().rev() {
            if let Some(slot) = variable.home.and_then(|home| self.at(home)) {
                let first = &mut self.slots[slot.index()].variables;
                self.next_variable[id.index()] = first.replace(id);
            }
        }
    }
}
