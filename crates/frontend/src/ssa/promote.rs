//! Which scalar objects become values.
//!
//! In: a body without unreachable blocks. Out: its *slots*, the objects of the entry block that are only
//! loaded and stored, plainly, as scalars of one width; and for each, what each block does to it. Then
//! `phis` places the phis and `rename` replaces the accesses.
//!
//! One pass over the instructions finds slots and their blocks together: every access looks its address up
//! in a table by value, and any other use of the address keeps the object in memory. What a block does to a
//! slot is one [`Visit`]: whether it reads the slot before writing it, and whether it writes it. Visits of
//! a slot are chained through the one array that holds them all. The same pass tells whether there are
//! aggregates to split, which few bodies have; if some were, it runs again.
//!
//! Accesses of one width may differ in type (`union { void *p; long n; }`). The slot has the type of an
//! address if one of them has, so that the identity of what is pointed to is kept, else of the first; the
//! others convert.

use super::bytes::MAX_BYTES;
use super::ids::{SlotId, VisitId};
use super::{Surroundings, merge, phis, rename, split};
use watertight_ir::{
    Access, BlockId, Body, Cfg, DebugInfo, Dominators, Id, InstId, Op, Target, Type, ValueId, VarId,
};

/// An object on the stack that may become values.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    bytes: u64,
    /// The type its value will have; absent while no access was seen.
    pub(super) ty: Option<Type>,
    /// Nothing seen so far keeps it in memory.
    sound: bool,
    /// It is used as an aggregate, so that it may only become values after being split.
    composite: bool,
    pub(super) stores: u32,
    /// How many of its visits read it.
    pub(super) reads: u32,
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
    regime: Regime,
}

/// Whether variables may move to values freely.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
enum Regime {
    #[default]
    Free,
    /// The body calls `setjmp` or the like. C leaves locals that changed since then indeterminate after
    /// `longjmp`, but a compiler that keeps variables in memory keeps their last value, and the program
    /// may rely on it unknowingly. A value cannot follow control that comes back to `setjmp` outside the
    /// graph, so only variables that are written once, at the start of the function, move; nothing is
    /// split.
    ReturnsTwice,
}

impl Slot {
    fn new(bytes: u64) -> Slot {
        Slot {
            bytes,
            ty: None,
            sound: true,
            composite: false,
            stores: 0,
            reads: 0,
            visits: None,
            variables: None,
        }
    }
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

/// What one pass over the instructions found.
#[derive(Copy, Clone, Debug, Default)]
struct Found {
    /// Slots that become values.
    promoted: usize,
    /// Whether an object may be split.
    composite: bool,
}

/// What promotion did.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Promoted {
    /// Objects that were split.
    pub(super) split: usize,
    pub(super) slots: usize,
    pub(super) accesses: usize,
    pub(super) phis: usize,
    /// A slot held the address of an object on the stack, which may now be accessed directly.
    pub(super) address_forwarded: bool,
}

/// Splits aggregates and turns slots into values. Uses of the loads that go are left as they are; the
/// forwarding table of `scratch` says what stands for them.
pub(super) fn promote(
    surroundings: Surroundings<'_>,
    body: &mut Body,
    cfg: &Cfg,
    dominators: &mut Option<Dominators>,
    debug: &mut DebugInfo,
    scratch: &mut super::Scratch,
) -> Promoted {
    let target = surroundings.target;
    let mut promoted = Promoted::default();
    let mut found = scratch.promote.slots.find(body, cfg, target);
    if found.composite {
        promoted.split = split::split(surroundings, body, cfg, debug, scratch);
        if promoted.split > 0 {
            found = scratch.promote.slots.find(body, cfg, target);
        }
    }
    promoted.slots = found.promoted;
    scratch.forward.reset(body);
    scratch.phis.clear();
    if found.promoted > 0 {
        let dominators = dominators.get_or_insert_with(|| Dominators::new(cfg));
        let slots = &mut scratch.promote.slots;
        slots.find_variables(body);
        phis::place(body, cfg, dominators, slots, &mut scratch.phis);
        rename::rename(target, body, cfg, dominators, scratch, &mut promoted);
    }
    promoted.phis = merge::merge(body, cfg, scratch);
    promoted
}

impl Slots {
    /// Finds the slots and what is done with them.
    fn find(&mut self, body: &Body, cfg: &Cfg, target: &Target) -> Found {
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
                self.slots.push(Slot::new(*bytes));
            }
        }
        if self.slots.is_empty() {
            return Found::default();
        }
        self.touched[entry.index()] = true;
        self.regime = Regime::Free;
        for &block in cfg.reverse_post_order() {
            for &inst in &body.blocks[block].insts {
                self.visit(body, target, block, inst);
            }
            body.blocks[block].term.operands(|value| self.escape(value));
        }
        let mut found = Found::default();
        for (_, inst) in body.block_insts(entry) {
            if let (Op::Stack { .. }, Some(result)) = (&inst.op, inst.result)
                && let Some(id) = self.at(result)
            {
                if self.becomes_value(id, entry) {
                    found.promoted += 1;
                } else {
                    self.by_address[result.index()] = None;
                    let slot = &mut self.slots[id.index()];
                    found.composite |= slot.sound
                        && slot.composite
                        && slot.bytes <= u64::from(MAX_BYTES)
                        && self.regime == Regime::Free;
                    // Not looked at by `phis` any more.
                    slot.reads = 0;
                }
            }
        }
        found
    }

    fn escape(&mut self, value: ValueId) {
        if let Some(slot) = self.at(value) {
            self.slots[slot.index()].sound = false;
        }
    }

    /// An object used in this way may still be split.
    fn composite(&mut self, value: ValueId) {
        if let Some(slot) = self.at(value) {
            self.slots[slot.index()].composite = true;
        }
    }

    fn visit(&mut self, body: &Body, target: &Target, block: BlockId, inst: InstId) {
        let inst = &body.insts[inst];
        match &inst.op {
            &Op::Load { addr, access } => {
                if let (Some(slot), Some(result)) = (self.at(addr), inst.result)
                    && self.access(slot, body.ty(result), access, target)
                {
                    let (visit, slot) = self.visit_of(slot, block);
                    if !visit.writes && !std::mem::replace(&mut visit.reads, true) {
                        slot.reads += 1;
                    }
                }
            }
            &Op::Store { addr, value, access } => {
                self.escape(value);
                if let Some(slot) = self.at(addr)
                    && self.access(slot, body.ty(value), access, target)
                {
                    let (visit, slot) = self.visit_of(slot, block);
                    slot.stores += 1;
                    visit.writes = true;
                }
            }
            Op::Offset { base, .. } => self.composite(*base),
            Op::MemCopy { dst, src, .. } => {
                self.composite(*dst);
                self.composite(*src);
            }
            Op::MemFill { dst, .. } => self.composite(*dst),
            // A name is no use of the object; it goes when the object goes.
            Op::Name { value, .. } => {
                if self.at(*value).is_some() {
                    self.touched[block.index()] = true;
                }
            }
            op => {
                if let Op::Call(call) = op
                    && call.returns_twice
                {
                    self.regime = Regime::ReturnsTwice;
                }
                op.operands(|value| self.escape(value));
            }
        }
    }

    /// Notes a load or store of a slot; false if it keeps the slot in memory.
    fn access(&mut self, slot: SlotId, ty: Type, access: Access, target: &Target) -> bool {
        let slot = &mut self.slots[slot.index()];
        if slot.ty == Some(ty) && access == Access::Plain {
            return slot.sound && !slot.composite;
        }
        if matches!(ty, Type::Agg(_)) {
            slot.composite = true;
            return false;
        }
        let bits = |ty: Type| ty.bits(target.pointer_bits);
        let same_width = slot.ty.is_none_or(|known| bits(known) == bits(ty));
        let inside = ty.is_scalar() && ty.store_bytes(target.pointer_bits) <= slot.bytes;
        slot.sound &= inside && access == Access::Plain;
        // A part of an aggregate may be accessed at its start too, by another width than the rest.
        slot.composite |= !same_width;
        if slot.ty.is_none() || ty == Type::Ptr {
            slot.ty = Some(ty);
        }
        slot.sound && !slot.composite
    }

    /// The visit of `slot` by `block`, which is the block that is being scanned, and the slot itself.
    fn visit_of(&mut self, slot: SlotId, block: BlockId) -> (&mut Visit, &mut Slot) {
        let slot = &mut self.slots[slot.index()];
        let known = slot.visits.filter(|last| self.visits[last.index()].block == block);
        let id = known.unwrap_or_else(|| {
            self.touched[block.index()] = true;
            let id = VisitId::new(self.visits.len());
            self.visits.push(Visit { block, reads: false, writes: false, previous: slot.visits });
            slot.visits = Some(id);
            id
        });
        (&mut self.visits[id.index()], slot)
    }

    fn becomes_value(&self, id: SlotId, entry: BlockId) -> bool {
        let slot = &self.slots[id.index()];
        if !slot.sound || slot.composite {
            return false;
        }
        let written_first = || {
            let first = self.visits(id).any(|visit| visit.block == entry && visit.writes && !visit.reads);
            first && slot.stores == 1
        };
        self.regime == Regime::Free || slot.visits.is_none() || written_first()
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
