//! Which values of a body are still to be used, after each instruction and at the start of each block.
//!
//! In: a body. Out: lists of values, parameters and results only. A value that no instruction will read any more is
//! as good as gone although its slot still holds it, so the search for lost references asks here which slots count.
//! Names for debuggers are no uses. The usual backward equations over blocks; a phi uses its entry at the end of the
//! block that the entry names.

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
        let mut starts: Vec<Set> = vec![Set::new(body); blocks];
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
                    past_phis = Some(live.list(body));
                }
                after[inst.index()] = live.list(body);
                before(body, inst, &mut live);
            }
            at_start.push(past_phis.unwrap_or_else(|| live.list(body)));
        }
        Liveness { after, at_start }
    }
}

/// A set of values of one body.
#[derive(Clone, PartialEq, Debug)]
struct Set(Vec<bool>);

impl Set {
    fn new(body: &Body) -> Set {
        Set(vec![false; body.values.len()])
    }

    fn list(&self, body: &Body) -> Box<[ValueId]> {
        let held = |id: &ValueId| self.0[id.index()] && !matches!(body.values[*id].def, Def::Const(_));
        body.values.ids().filter(held).collect()
    }
}

/// What is used after the last instruction of a block.
fn end_of(body: &Body, block: BlockId, starts: &[Set]) -> Set {
    let mut live = Set::new(body);
    let term = &body.blocks[block].term;
    term.successors(|successor| {
        let Some(start) = starts.get(successor.index()) else { return };
        for (into, from) in live.0.iter_mut().zip(&start.0) {
            *into |= from;
        }
        for &inst in &body.blocks[successor].insts {
            let Op::Phi { incoming } = &body.insts[inst].op else { break };
            for &(_, value) in incoming.iter().filter(|(from, _)| *from == block) {
                live.0[value.index()] = true;
            }
        }
    });
    term.operands(|value| live.0[value.index()] = true);
    live
}

/// Goes back over one instruction.
fn before(body: &Body, inst: InstId, live: &mut Set) {
    let inst = &body.insts[inst];
    if let Some(result) = inst.result {
        live.0[result.index()] = false;
    }
    if !matches!(inst.op, Op::Phi { .. } | Op::Name { .. }) {
        inst.op.operands(|value| live.0[value.index()] = true);
    }
}
