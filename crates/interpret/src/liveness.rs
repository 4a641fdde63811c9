//! Which values of a body are still to be used, after each instruction and at the start of each block.
//!
//! In: a body. Out: lists of values, parameters and results only. A value that no instruction will read any more is
//! as good as gone although its slot still holds it, so the search for lost references asks here which slots count.
//! Names for debuggers are no uses. The usual backward equations over blocks; a phi uses its entry at the end of the
//! block that the entry names.

use std::collections::BTreeSet;
use watertight_ir::{BlockId, Body, Def, Id, InstId, Op, ValueId};

/// The answer for one body.
#[derive(Debug)]
pub(crate) struct Liveness {
    /// By instruction: what is used after it. Empty for instructions in no block.
    after: Vec<Box<[ValueId]>>,
    /// By block: what is used from its start on, its phis counting as done.
    at_start: Vec<Box<[ValueId]>>,
}

impl Liveness {
    /// What is used after an instruction, its result included.
    pub(crate) fn after(&self, inst: InstId) -> &[ValueId] {
        &self.after[inst.index()]
    }

    /// What is used from the start of a block on.
    pub(crate) fn at_start(&self, block: BlockId) -> &[ValueId] {
        &self.at_start[block.index()]
    }

    pub(crate) fn new(body: &Body) -> Liveness {
        let blocks = body.blocks.len();
        let mut starts: Vec<Set> = vec![Set::default(); blocks];
        // Going through the blocks backwards settles most bodies in two or three rounds.
        loop {
            let mut changed = false;
            for block in body.blocks.ids().rev() {
                let mut live = end_of(body, block, &starts);
                for &inst in body.blocks[block].insts.iter().rev() {
                    before(body, inst, &mut live);
                }
                if starts[block.index()] != live {
                    starts[block.index()] = live;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        let mut after = vec![Box::default(); body.insts.len()];
        let mut at_start = Vec::with_capacity(blocks);
        for block in body.blocks.ids() {
            let mut live = end_of(body, block, &starts);
            let mut past_phis = None;
            for &inst in body.blocks[block].insts.iter().rev() {
                if past_phis.is_none() && matches!(body.insts[inst].op, Op::Phi { .. }) {
                    past_phis = Some(live.list());
                }
                after[inst.index()] = live.list();
                before(body, inst, &mut live);
            }
            at_start.push(past_phis.unwrap_or_else(|| live.list()));
        }
        Liveness { after, at_start }
    }
}

/// Parameters and results of one body. Few of them are used after any one place, however large the body is.
#[derive(Clone, PartialEq, Debug, Default)]
struct Set(BTreeSet<ValueId>);

impl Set {
    fn add(&mut self, body: &Body, value: ValueId) {
        if !matches!(body.values[value].def, Def::Const(_)) {
            self.0.insert(value);
        }
    }

    fn list(&self) -> Box<[ValueId]> {
        self.0.iter().copied().collect()
    }
}

/// What is used after the last instruction of a block.
fn end_of(body: &Body, block: BlockId, starts: &[Set]) -> Set {
    let mut live = Set::default();
    let term = &body.blocks[block].term;
    term.successors(|successor| {
        let Some(start) = starts.get(successor.index()) else { return };
        live.0.extend(&start.0);
        for &inst in &body.blocks[successor].insts {
            let Op::Phi { incoming } = &body.insts[inst].op else { break };
            for &(_, value) in incoming.iter().filter(|(from, _)| *from == block) {
                live.add(body, value);
            }
        }
    });
    term.operands(|value| live.add(body, value));
    live
}

/// Goes back over one instruction.
fn before(body: &Body, inst: InstId, live: &mut Set) {
    let inst = &body.insts[inst];
    if let Some(result) = inst.result {
        live.0.remove(&result);
    }
    if !matches!(inst.op, Op::Phi { .. } | Op::Name { .. }) {
        inst.op.operands(|value| live.add(body, value));
    }
}
