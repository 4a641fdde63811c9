//! Members that own something and get something else.
//!
//! In: a function. Out: what it loses by a store into a member that, on the way there, is known to hold something, and of which the function has done
//! nothing with what it holds.

use super::Look;
use super::accesses::{Access, What, is_nothing};
use super::asked::Ways;
use super::derived::given;
use super::destroyed::{How, Lost};
use crate::facts::cells::base_of;
use crate::limits::SOURCES;
use watertight_ir::{BlockId, Body, FuncId, InstId, Op, ValueId};
use watertight_summary::Path;

impl Look<'_> {
    /// What a function loses by overwriting.
    pub(super) fn cleared(&self, function: FuncId) -> Vec<Lost> {
        let mut found: Vec<Lost> = Vec::new();
        let Some(body) = &self.known.program.functions[function].body else { return found };
        let Some(shape) = self.known.shape(function) else { return found };
        let ways = &shape.ways;
        let accesses = self.accesses.in_function(function);
        for access in accesses {
            let What::Store(value) = access.what else { continue };
            let field = access.field;
            if self.owned.filled_by(field).is_none()
                || !self.care.is_holder(field)
                || self.care.handles_within(function, field)
            {
                continue;
            }
            let looks = self
                .accesses
                .of_field_in(function, field)
                .filter(|look| same_address(body, look.addr, access.addr, SOURCES))
                .filter(|_| !self.accesses.fields[field].is_each() || has_one_index(body, access.addr));
            let held = looks.filter_map(|look| match look.what {
                What::Load(held) if held != value => Some((look, held)),
                _ => None,
            });
            // Who gives up what other members hold and clears this one with them does not have to look.
            let gives_up = is_nothing(body, value) && self.care.knows(function, field);
            let known = held
                .filter(|(look, held)| gives_up || is_known_there(body, ways, look, *held, access))
                .map(|(_, held)| held)
                .next();
            let Some(held) = known else { continue };
            if self.is_found_empty(ways, function, field, access.block)
                || self.is_made_here(function, base_of(body, access.addr))
                || self.walks(function, field)
                || self.releases_alike(function, held)
                || self.care.is_left_to_callers(function, field)
                || self.is_told(function, access.inst)
            {
                continue;
            }
            let name = &self.accesses.fields[field];
            if found.iter().any(|lost| lost.inst == access.inst || lost.fields.contains(name)) {
                continue;
            }
            let replaces = !is_nothing(body, value) && ways.may_be_something(held, access.block);
            found.push(Lost {
                inst: access.inst,
                owner: held,
                fields: vec![name.clone()],
                how: How::Overwritten,
                replaces,
            });
        }
        found
    }

    /// Whether a function releases something of the type that a value points to, which may be the same under another name.
    fn releases_alike(&self, function: FuncId, held: ValueId) -> bool {
        let Some(body) = &self.known.program.functions[function].body else { return true };
        let shape = self.known.shape(function);
        let Some(members) = shape.as_ref().and_then(|shape| shape.members.as_ref()) else { return true };
        let Some(record) = members.pointed_record(held) else { return false };
        body.blocks.values().flat_map(|block| &block.insts).any(|&inst| {
            let Op::Call(call) = &body.insts[inst].op else { return false };
            call.args.iter().zip(0..).any(|(&argument, number)| {
                given(self.known, body, inst, &Path::param(number)).fate.released
                    && members.pointed_record(argument).as_ref() == Some(&record)
            })
        })
    }
}

/// Whether what was read is known to be something where a store is made: the way there has asked, or has used it.
fn is_known_there(body: &Body, ways: &Ways<'_>, look: &Access, held: ValueId, store: &Access) -> bool {
    let comes_first = |block: BlockId, inst: InstId| match block == store.block {
        true => ways.place(inst) < ways.place(store.inst),
        false => ways.comes_before(block, store.block),
    };
    // It was followed: there was something.
    let follows = |inst: InstId| match &body.insts[inst].op {
        Op::Load { addr, .. } => leads_from(body, *addr, held),
        _ => false,
    };
    let mut blocks = body.blocks.iter();
    comes_first(look.block, look.inst)
        && (ways.may_be_something(held, store.block)
            || blocks.any(|(block, data)| {
                data.insts.iter().any(|&inst| follows(inst) && comes_first(block, inst))
            }))
}

/// Whether an address lies in what a value points to.
fn leads_from(body: &Body, addr: ValueId, held: ValueId) -> bool {
    let mut at = addr;
    for _ in 0..SOURCES {
        if at == held {
            return true;
        }
        match body.def_op(at) {
            Some(Op::Offset { base, .. } | Op::Index { base, .. }) => at = *base,
            _ => return false,
        }
    }
    false
}

/// Whether the number of an element is the same wherever the function asks for it: what it is read from is never written.
fn has_one_index(body: &Body, addr: ValueId) -> bool {
    let mut place = addr;
    loop {
        match body.def_op(place) {
            Some(Op::Offset { base, .. }) => place = *base,
            Some(Op::Index { base, index, .. }) => {
                let mut number = *index;
                while let Some(Op::Convert { value, .. }) = body.def_op(number) {
                    number = *value;
                }
                let read = match body.def_op(number) {
                    Some(Op::Load { addr, .. }) => Some(*addr),
                    Some(Op::Binary { .. }) => return false,
                    _ => None,
                };
                let written = |inst: &watertight_ir::Inst| match (&inst.op, read) {
                    (Op::Store { addr, .. }, Some(read)) => same_address(body, *addr, read, SOURCES),
                    _ => false,
                };
                if body.insts.values().any(written) {
                    return false;
                }
                place = *base;
            }
            _ => return true,
        }
    }
}

/// Whether two values are the same address as far as the text of the function says.
pub(super) fn same_address(body: &Body, one: ValueId, other: ValueId, depth: u32) -> bool {
    if one == other {
        return true;
    }
    if depth == 0 {
        return false;
    }
    if let (Some(one), Some(other)) = (body.constant(one), body.constant(other)) {
        return one == other;
    }
    let again = |one: &ValueId, other: &ValueId| same_address(body, *one, *other, depth - 1);
    match (body.def_op(one), body.def_op(other)) {
        (Some(Op::Load { addr, .. }), Some(Op::Load { addr: also, .. })) => again(addr, also),
        (Some(Op::Offset { base, bytes }), Some(Op::Offset { base: also, bytes: too })) => {
            bytes == too && again(base, also)
        }
        (
            Some(Op::Index { base, index, scale }),
            Some(Op::Index { base: also, index: second, scale: too }),
        ) => scale == too && again(base, also) && again(index, second),
        (Some(Op::Convert { value, .. }), Some(Op::Convert { value: also, .. })) => again(value, also),
        _ => false,
    }
}
