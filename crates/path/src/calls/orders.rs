//! Calls that ask for the order of two things.
//!
//! A search asks a function that it was given whether its key comes before an element, after it, or is equal to it. The answer is a
//! number of which nothing counts but whether it is less than, equal to or more than zero. In: a call of something that is not known. Out:
//! whether it is such a question; then nothing is kept, released or changed by it.

use crate::assumptions::Supposed;
use crate::calls::apply::Arguments;
use crate::limits::ORDER_MERGES;
use crate::machine::state::State;
use watertight_ir::{Body, CompareOp, InstId, Op, Type, ValueId};

impl State<'_> {
    /// Whether a call gets at least two addresses, and its answer is only asked for its sign, in more than one way.
    // ASSUME-43: who is asked for an order only looks.
    pub(crate) fn asks_for_order(&self, inst: InstId, args: &Arguments<'_>) -> bool {
        let addresses = args.iter().filter(|arg| arg.1 == Type::Ptr).count();
        let Some(answer) = self.body.insts[inst].result else { return false };
        if !self.assumes(Supposed::OrdersOnlyLook)
            || addresses < 2
            || !matches!(self.body.ty(answer), Type::Int(8..))
        {
            return false;
        }
        let mut asked = Vec::new();
        is_only_compared(self.body, answer, ORDER_MERGES, &mut asked)
            && asked.len() > 1
            && asked.iter().any(|op| !matches!(op, CompareOp::Eq | CompareOp::Ne))
    }
}

/// Whether a value is only compared with zero; notes the comparisons, each once.
fn is_only_compared(body: &Body, answer: ValueId, merges: usize, asked: &mut Vec<CompareOp>) -> bool {
    let mut only = merges > 0;
    for block in body.blocks.values() {
        for &inst in &block.insts {
            let data = &body.insts[inst];
            let mut uses = false;
            data.op.operands(|value| uses |= value == answer);
            if !uses {
                continue;
            }
            match (&data.op, data.result) {
                (Op::Name { .. }, _) => {}
                (Op::Compare { op, lhs, rhs }, _) => {
                    let other = if *lhs == answer { *rhs } else { *lhs };
                    only &= body.bits(other) == Some(0);
                    if !asked.contains(op) {
                        asked.push(*op);
                    }
                }
                (Op::Phi { .. }, Some(merged)) => {
                    only = only && is_only_compared(body, merged, merges - 1, asked);
                }
                _ => only = false,
            }
        }
        block.term.operands(|value| only &= value != answer);
    }
    only
}
