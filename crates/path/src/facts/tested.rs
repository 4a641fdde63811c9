//! What a value is known to be in a block, by the tests that lead there.
//!
//! In: a body, a block and a value. Out: the numbers that it can be, or that it is not null, if a branch or a `switch` on the value
//! itself lies on every way to the block and only one of its sides leads there. A value does not change, so whatever held when
//! the side was taken still holds. Tests are looked for along the dominators of the block. The same walk says which other values it is
//! known to be equal to. A value that is tested after it was put into a narrower
//! variable (`switch (node->type = (short)type)`) is taken to fit there (ASSUME-61).

use crate::assumptions::{Assumptions, Supposed};
use crate::limits::ADDRESS_STEPS;
use watertight_ir::{
    BlockId, Body, Cfg, CompareOp, ConvertOp, Dominators, InstId, Op, Table, Terminator, Type, ValueId,
};

/// What tests say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Tested {
    Numbers(Vec<u64>),
    NotNull,
}

/// The ways through a body.
pub(crate) struct Ways {
    cfg: Cfg,
    dominators: Dominators,
    blocks: Table<InstId, BlockId>,
}

impl Ways {
    pub(crate) fn new(body: &Body) -> Ways {
        let cfg = Cfg::new(body);
        let dominators = Dominators::new(&cfg);
        let mut blocks = Table::filled(body.insts.len(), body.entry());
        for (block, data) in body.blocks.iter() {
            data.insts.iter().for_each(|&inst| blocks[inst] = block);
        }
        Ways { cfg, dominators, blocks }
    }

    /// What is known of a value where an instruction stands.
    pub(crate) fn known(
        &self,
        body: &Body,
        inst: InstId,
        value: ValueId,
        assumptions: Assumptions,
    ) -> Option<Tested> {
        // ASSUME-61: what is put into a narrower variable fits there.
        let fits = assumptions.make(Supposed::NarrowedFits);
        self.decided(inst).find_map(|(above, block)| said(body, above, block, value, fits))
    }

    /// The other values, constants aside, that one of these is known to be where an instruction stands.
    pub(crate) fn equals(&self, body: &Body, inst: InstId, values: &[ValueId]) -> Vec<ValueId> {
        let other = |(above, block)| {
            let (lhs, rhs) = equal(body, above, block)?;
            let other = match (values.contains(&lhs), values.contains(&rhs)) {
                (true, false) => rhs,
                (false, true) => lhs,
                _ => return None,
            };
            body.constant(other).is_none().then_some(other)
        };
        self.decided(inst).filter_map(other).collect()
    }

    /// The branches that lie on every way to an instruction and of which only one side leads there, the last one first: each by its block and that side.
    fn decided(&self, inst: InstId) -> impl Iterator<Item = (BlockId, BlockId)> {
        let mut block = self.blocks[inst];
        let steps = std::iter::from_fn(move || {
            let step = (self.dominators.idom(block)?, block);
            block = step.0;
            Some(step)
        });
        steps.filter(|&(above, block)| self.cfg.predecessors(block).iter().all(|&before| before == above))
    }
}

/// The two values that are equal where the end of a block goes to another.
fn equal(body: &Body, block: BlockId, to: BlockId) -> Option<(ValueId, ValueId)> {
    let Terminator::Branch { cond, then, other } = &body.blocks[block].term else { return None };
    let Some(Op::Compare { op, lhs, rhs }) = body.def_op(*cond) else { return None };
    let side = match op {
        CompareOp::Eq => then,
        CompareOp::Ne => other,
        _ => return None,
    };
    (then != other && *side == to).then_some((*lhs, *rhs))
}

/// What the end of a block says of a value where it goes to another.
fn said(body: &Body, block: BlockId, to: BlockId, value: ValueId, fits: bool) -> Option<Tested> {
    match &body.blocks[block].term {
        Terminator::Branch { cond, then, other } if then != other => {
            let Op::Compare { op, lhs, rhs } = body.def_op(*cond)? else { return None };
            let number = match (*lhs == value, *rhs == value) {
                (true, false) => body.bits(*rhs)?,
                (false, true) => body.bits(*lhs)?,
                _ => return None,
            };
            match (op, *then == to) {
                (CompareOp::Eq, true) | (CompareOp::Ne, false) => Some(Tested::Numbers(vec![number])),
                (CompareOp::Ne, true) | (CompareOp::Eq, false) => {
                    (number == 0 && body.ty(value) == Type::Ptr).then_some(Tested::NotNull)
                }
                _ => None,
            }
        }
        Terminator::Switch { value: on, cases, default }
            if same(body, *on, value, fits) && *default != to =>
        {
            let here = cases.iter().filter(|case| case.1 == to);
            let number = |case: &(u128, BlockId)| {
                // Of a narrow negative number it is not known what it was.
                let fits = body.ty(*on) == body.ty(value) || case.0 < 1 << 7;
                u64::try_from(case.0).ok().filter(|_| fits)
            };
            let numbers: Option<Vec<u64>> = here.map(number).collect();
            numbers.map(Tested::Numbers)
        }
        _ => None,
    }
}

/// Whether a value is another one, perhaps after it was narrowed.
fn same(body: &Body, mut value: ValueId, other: ValueId, fits: bool) -> bool {
    for _ in 0..ADDRESS_STEPS {
        match body.def_op(value) {
            _ if value == other => return true,
            Some(Op::Convert {
                op: ConvertOp::Truncate | ConvertOp::SignExtend | ConvertOp::ZeroExtend,
                value: inner,
            }) if fits => value = *inner,
            _ => return false,
        }
    }
    false
}
