//! Chains that begin in a member.
//!
//! In: all accesses. Out: the members in which chains begin, and those that link them. What is put into such a member may be put into a link, or into
//! the member beside it that says where the chain ends, and is held by the chain all the same; and what the member held before is held by it still
//! where it is put into a link of what comes in front of it.

use super::Known;
use super::accesses::{Accesses, What};
use crate::facts::cells::base_of;
use crate::facts::types::{Members, is_link};
use std::collections::BTreeSet;
use watertight_ir::{Body, FuncId, InstId, Op, ValueId};

/// Members of chains, by their numbers.
pub(super) struct Chains {
    /// Those that get the link of what they held, and are no links themselves.
    pub(super) heads: BTreeSet<usize>,
    /// Those that lead from one structure to another of the same type.
    pub(super) links: BTreeSet<usize>,
}

impl Chains {
    pub(super) fn new(known: Known<'_>, accesses: &Accesses) -> Chains {
        let mut chains = Chains { heads: BTreeSet::new(), links: BTreeSet::new() };
        for function in known.program.defined() {
            let Some(body) = &known.program.functions[function].body else { continue };
            let mut members = None;
            for access in accesses.in_function(function) {
                let What::Store(value) = access.what else { continue };
                let members = members.get_or_insert_with(|| Members::new(known.program, function));
                let Some(members) = members else { break };
                let base = base_of(body, access.addr);
                let links = |base: ValueId, field: usize| {
                    let pointed = members.pointed(base);
                    pointed.is_some_and(|ty| is_link(known.program, ty, &accesses.fields[field]))
                };
                if links(base, access.field) {
                    chains.links.insert(access.field);
                } else if let Some(Op::Load { addr: link, .. }) = body.def_op(value)
                    && let Some(Op::Load { addr: from, .. }) = body.def_op(base_of(body, *link))
                    && members.cell(*from).and_then(|field| accesses.number(&field)) == Some(access.field)
                {
                    chains.heads.insert(access.field);
                }
            }
        }
        chains
    }
}

/// Whether a store puts what a member held into a structure that the same function puts into the member: it is held one link farther away.
pub(super) fn is_pushed(
    accesses: &Accesses,
    body: &Body,
    function: FuncId,
    field: usize,
    inst: InstId,
) -> bool {
    let Op::Store { addr, .. } = body.insts[inst].op else { return false };
    let base = base_of(body, addr);
    accesses.of_field_in(function, field).any(|store| store.what == What::Store(base))
}
