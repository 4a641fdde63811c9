//! Loops that only look for something: blanks that are skipped, a colon that is searched for, digits that are added up.
//!
//! In: a loop. Out: whether it does nothing but read characters through an address or an index that moves, and count. What
//! it stops at, and where, is decided by a text alone, so it is as good as an input: no iteration needs to be followed
//! but the first, and numbers that later ones would leave are no inventions. What must hold: nothing is called that has
//! an effect, and nothing is stored but numbers and moved addresses in cells that stay the same.

use crate::limits::COUNTED_TURNS;
use watertight_ir::callgraph::direct_callee;
use watertight_ir::loops::Loops;
use watertight_ir::{Body, Def, FuncId, LoopId, Op, Type, ValueId};

/// The widest number that counts as a character, or as what a table says of one; not a limit, but the width of a type.
const WIDEST_CHARACTER: u32 = 16;

/// Whether a loop only looks for something. `is_pure` says of a function that it does nothing but give a result.
pub(crate) fn is_scanning(body: &Body, loops: &Loops, id: LoopId, is_pure: &impl Fn(FuncId) -> bool) -> bool {
    let scan = Scan { body, loops, id };
    let mut reads = false;
    for (_, inst) in loops.blocks(id).iter().flat_map(|&block| body.block_insts(block)) {
        let fits = match &inst.op {
            Op::Load { addr, .. } => {
                let narrow = inst.result.is_some_and(|result| scan.is_character(result));
                let moves = !scan.is_fixed(*addr);
                reads |= narrow && moves;
                narrow || !moves || matches!(body.def_op(*addr), Some(Op::Call(_)))
            }
            Op::Store { addr, value, .. } => {
                let moved = matches!(body.def_op(*value), Some(Op::Offset { .. } | Op::Index { .. }));
                scan.is_fixed(*addr) && (matches!(body.ty(*value), Type::Int(_)) || moved)
            }
            Op::Call(call) => direct_callee(body, call).is_some_and(is_pure),
            Op::Compare { lhs, rhs, .. } => !scan.is_soon_over(*lhs, *rhs),
            Op::Binary { .. }
            | Op::Convert { .. }
            | Op::Select { .. }
            | Op::Phi { .. }
            | Op::Offset { .. }
            | Op::Index { .. }
            | Op::Name { .. } => true,
            _ => false,
        };
        if !fits {
            return false;
        }
    }
    reads
}

struct Scan<'a> {
    body: &'a Body,
    loops: &'a Loops,
    id: LoopId,
}

impl Scan<'_> {
    fn is_character(&self, value: ValueId) -> bool {
        matches!(self.body.ty(value), Type::Int(bits) if bits <= WIDEST_CHARACTER)
    }

    /// Whether an address is the same in every iteration.
    fn is_fixed(&self, address: ValueId) -> bool {
        let mut address = address;
        loop {
            let Def::Inst(inst) = self.body.values[address].def else { return true };
            if !self.loops.blocks(self.id).iter().any(|&block| self.body.blocks[block].insts.contains(&inst))
            {
                return true;
            }
            let Some(Op::Offset { base, .. }) = self.body.def_op(address) else { return false };
            address = *base;
        }
    }

    /// Whether a counter is compared with a small constant.
    fn is_soon_over(&self, lhs: ValueId, rhs: ValueId) -> bool {
        let counts = |value: ValueId| {
            matches!(self.body.def_op(value), Some(Op::Phi { .. })) && !self.is_character(value)
        };
        let few =
            |value: ValueId| self.body.bits(value).is_some_and(|bits| (2..=COUNTED_TURNS).contains(&bits));
        counts(lhs) && few(rhs) || counts(rhs) && few(lhs)
    }
}
