//! Structures of which a function releases what some members hold, and that it then clears as a whole.
//!
//! In: a function. Out: the members that it leaves out. Clearing all of a structure takes the last address of what its members own, as releasing it does; and
//! who has given up what another member holds does not clear a structure to begin with it.

use super::Look;
use super::accesses::{Access, What};
use super::cleared::same_address;
use super::destroyed::{How, Lost};
use crate::facts::cells::base_of;
use crate::facts::types::{Field, identity};
use crate::limits::SOURCES;
use watertight_ir::{Body, FuncId, InstId, Op, ValueId};

impl Look<'_> {
    /// What a function loses by clearing structures.
    pub(super) fn wiped(&self, function: FuncId) -> Vec<Lost> {
        let mut found: Vec<Lost> = Vec::new();
        let Some(body) = &self.known.program.functions[function].body else { return found };
        for &inst in body.blocks.values().flat_map(|block| &block.insts) {
            let Op::MemFill { dst, byte, len } = body.insts[inst].op else { continue };
            if body.bits(byte) != Some(0) || matches!(body.def_op(base_of(body, dst)), Some(Op::Stack { .. }))
            {
                continue;
            }
            let Some(shape) = self.known.shape(function) else { return found };
            let Some(object) = shape.members.as_ref().and_then(|members| members.structure(dst)) else {
                continue;
            };
            let Some((_, bytes)) = identity(self.known.program, object) else { continue };
            if body.bits(len) != Some(bytes)
                || !self.gives_up_before(function, body, dst, inst)
                || self.is_made_here(function, dst)
                || self.is_told(function, inst)
            {
                continue;
            }
            let told = |field: &Field| found.iter().any(|lost: &Lost| lost.fields.contains(field));
            let lost: Vec<Field> = self
                .left_of(function, object, inst)
                .into_iter()
                .filter(|field| !told(field) && !self.is_used_up(field))
                .collect();
            if !lost.is_empty() {
                found.push(Lost { inst, owner: dst, fields: lost, how: How::Wiped, replaces: false });
            }
        }
        found
    }

    /// Whether what a member holds is used up by somebody, as a chain is whose nodes are taken one by one: then it may hold nothing in the end.
    fn is_used_up(&self, field: &Field) -> bool {
        self.accesses.number(field).is_some_and(|field| self.care.is_used_up(field))
    }

    /// Whether a function releases what a member of a structure holds on the way to a place.
    fn gives_up_before(&self, function: FuncId, body: &Body, owner: ValueId, inst: InstId) -> bool {
        let Some(shape) = self.known.shape(function) else { return false };
        let Some((block, number)) = shape.ways.place(inst) else { return false };
        let is_earlier = |access: &Access| match access.block == block {
            true => shape.ways.place(access.inst).is_some_and(|place| place.1 < number),
            false => shape.ways.reaches(access.block, block),
        };
        let mut accesses = self.accesses.in_function(function).iter();
        accesses.any(|access| match access.what {
            What::Load(held) => {
                self.owned.filled_by(access.field).is_some()
                    && self.accesses.fields[access.field].record().is_some()
                    && is_earlier(access)
                    && holds(body, access.addr, owner)
                    && shape.uses.fate(held, &|_| false).released
            }
            _ => false,
        })
    }
}

/// Whether an address is that of a member of this structure.
fn holds(body: &Body, addr: ValueId, owner: ValueId) -> bool {
    let mut at = addr;
    // In code that nothing reaches an address may be made from itself.
    for _ in 0..=body.insts.len() {
        if same_address(body, at, owner, SOURCES) {
            return true;
        }
        match body.def_op(at) {
            Some(Op::Offset { base, .. }) => at = *base,
            _ => return false,
        }
    }
    false
}
