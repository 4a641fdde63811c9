//! What branches on the way to a place have found out about a value.
//!
//! In: a body. Out: whether a value is known to be null, or not to be, in a block: a branch that asked comes before the block on every path to
//! it, and its other side does not lead there without it.

use watertight_ir::{BlockId, Body, Cfg, CompareOp, Dominators, Op, Terminator, ValueId};

/// The graph of a body, and what comes before what.
pub(super) struct Ways<'b> {
    body: &'b Body,
    cfg: Cfg,
    dominators: Dominators,
}

impl<'b> Ways<'b> {
    pub(super) fn new(body: &'b Body) -> Ways<'b> {
        let cfg = Cfg::new(body);
        let dominators = Dominators::new(&cfg);
        Ways { body, cfg, dominators }
    }

    /// Whether every path to a block comes through another one.
    pub(super) fn comes_before(&self, first: BlockId, then: BlockId) -> bool {
        self.dominators.dominates(first, then)
    }

    /// Whether a value is known to be something in a block.
    pub(super) fn is_something(&self, value: ValueId, block: BlockId) -> bool {
        self.is_known(value, block, true)
    }

    /// Whether a value is known to be nothing in a block.
    pub(super) fn is_nothing(&self, value: ValueId, block: BlockId) -> bool {
        self.is_known(value, block, false)
    }

    fn is_known(&self, value: ValueId, block: BlockId, something: bool) -> bool {
        self.body.blocks.iter().any(|(asking, data)| {
            let Terminator::Branch { cond, then, other } = data.term else { return false };
            let Some(positive) = asks_for(self.body, cond, value) else { return false };
            let side = if positive == something { then } else { other };
            then != other && self.cfg.predecessors(side) == [asking] && self.dominators.dominates(side, block)
        })
    }
}

/// Whether a condition says that a value is something, or with `false` that it is nothing.
fn asks_for(body: &Body, cond: ValueId, value: ValueId) -> Option<bool> {
    let Op::Compare { op, lhs, rhs } = body.def_op(cond)? else { return None };
    let null = |value: ValueId| body.bits(value) == Some(0);
    let asked = (*lhs == value && null(*rhs)) || (*rhs == value && null(*lhs));
    match op {
        CompareOp::Ne if asked => Some(true),
        CompareOp::Eq if asked => Some(false),
        _ => None,
    }
}
