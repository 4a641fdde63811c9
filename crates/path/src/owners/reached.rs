//! Through which members a function has reached a value.
//!
//! In: a body and a value. Out: every member that was read on the way to it, through copies and merges, with the address of the structure that it was
//! read from. What a list holds is reached through the member that holds the list and through the links of the nodes.

use super::accesses::{Accesses, What};
use crate::facts::cells::base_of;
use crate::limits::MOST_DERIVED;
use watertight_ir::{Body, FuncId, Op, ValueId};

/// A member that was read.
pub(super) struct Reached {
    pub(super) field: usize,
    /// The structure that it is a member of.
    pub(super) owner: ValueId,
    /// It held the value itself, and not something that leads there.
    pub(super) is_last: bool,
}

/// The members through which a value was reached.
pub(super) fn reached(accesses: &Accesses, function: FuncId, body: &Body, value: ValueId) -> Vec<Reached> {
    let mut all = vec![(value, true)];
    let mut found = Vec::new();
    let mut next = 0;
    while next < all.len() && all.len() <= MOST_DERIVED {
        let (value, is_last) = all[next];
        next += 1;
        let mut add = |value: ValueId, is_last: bool| {
            if !all.contains(&(value, is_last)) {
                all.push((value, is_last));
            }
        };
        match body.def_op(value) {
            Some(Op::Load { addr, .. }) => {
                let owner = base_of(body, *addr);
                let read = |what: What| what == What::Load(value);
                let places = accesses.in_function(function).iter().filter(|access| read(access.what));
                found.extend(places.map(|access| Reached { field: access.field, owner, is_last }));
                add(owner, false);
            }
            Some(Op::Convert { value, .. }) => add(*value, is_last),
            Some(Op::Offset { base, .. } | Op::Index { base, .. }) => add(*base, is_last),
            Some(Op::Phi { incoming }) => {
                incoming.iter().for_each(|&(_, value)| add(value, is_last));
            }
            Some(Op::Select { then, other, .. }) => {
                add(*then, is_last);
                add(*other, is_last);
            }
            _ => {}
        }
    }
    found
}
