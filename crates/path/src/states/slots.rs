//! States of elements of arrays at indices that are not known: `lock(&slots[i].lock)`.
//!
//! Memory does not tell such elements apart, since a store to one may be a store to any. A state is another matter: only
//! calls change it, and the same element with the same number is the same thing until the number changes. So an argument
//! that is computed from an array and a number names a thing of its own, by the value of that number. Two numbers that may
//! be equal name two things; what is ended by the one name is not followed any more under others
//! ([`State::ended_elsewhere`]). Callers are not told of them.

use crate::machine::state::State;
use crate::machine::value::{Leaf, Leaves, Offset, Sym};
use watertight_ir::{InstId, Op, ValueId};
use watertight_summary::{Path, Root};

impl State<'_> {
    /// The addresses that a path of a call leads to, with elements in the place of their arrays where an argument is computed
    /// from one.
    pub(crate) fn with_slots(&mut self, address: Leaves, path: &Path, inst: InstId) -> Leaves {
        let somewhere = |entry: &(_, Leaf)| matches!(entry.1, Leaf::Address(_, Offset::Somewhere));
        if !path.steps.is_empty() || !address.iter().any(somewhere) {
            return address;
        }
        let Root::Param(index) = path.root else { return address };
        let argument = match &self.body.insts[inst].op {
            Op::Call(call) => call.args.get(index as usize).copied(),
            _ => None,
        };
        let Some(slot) = argument.and_then(|argument| self.slot(argument)) else { return address };
        let named = |(guard, leaf)| match leaf {
            Leaf::Address(_, Offset::Somewhere) => (guard, slot),
            _ => (guard, leaf),
        };
        address.into_iter().map(named).collect()
    }

    /// The element, or a member of it, that a value is the address of.
    fn slot(&mut self, value: ValueId) -> Option<Leaf> {
        let (mut at, mut offset) = (value, 0_i64);
        let (base, index, scale) = loop {
            match self.body.def_op(at)? {
                Op::Offset { base, bytes } => {
                    offset = offset.checked_add(*bytes)?;
                    at = *base;
                }
                Op::Index { base, index, scale } => break (*base, *index, *scale),
                _ => return None,
            }
        };
        let one = |sym: Sym| match sym {
            Sym::Leaves(leaves) => match leaves[..] {
                [(_, leaf)] => Some(leaf),
                _ => None,
            },
            _ => None,
        };
        let Leaf::Address(array, start @ Offset::At(_)) = one(self.value(base))? else { return None };
        let position = one(self.value(index)).filter(|leaf| matches!(leaf, Leaf::Number(_)))?;
        let first = self.address_term(array, start);
        let address = self.element_address(first, position, scale);
        let element = self.object_at(address)?;
        Some(Leaf::Address(element, Offset::At(offset)))
    }
}
