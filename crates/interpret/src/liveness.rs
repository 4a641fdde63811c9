//! Which values of a body are still to be used, after each instruction and at the start of each block.
//!
//! In: a body. Out: lists of values, parameters and results only. A value that no instruction will read any more is
//! as good as gone although its slot still holds it, so the search for lost references asks here which slots count.
//! Names for debuggers are no uses. The usual backward equations over blocks; a phi uses its entry at the end of the
//! block that the entry names.

use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use watertight_ir::{BlockId, Body, Def, Id, InstId, Op, ValueId};

/// Values in lists that are kept for the next time.
const KEPT_VALUES: usize = 1 << 20;

/// The answer for one body. Lists are made where they are asked for: all of them together grow with the square of a long block.
#[derive(Debug)]
pub(crate) struct Liveness {
    /// By block: what is used from its start on, phis included.
    starts: Vec<Set>,
    /// By instruction: its block, if it is in one.
    homes: Vec<Option<BlockId>>,
    known: RefCell<Lists>,
}

/// Lists that were asked for, and how long they are together.
#[derive(Debug, Default)]
struct Lists {
    after: FxHashMap<InstId, Rc<[ValueId]>>,
    length: usize,
}

impl Liveness {
    pub(crate) fn new(body: &Body) -> Liveness {
        let mut starts: Vec<Set> = vec![Set::default(); body.blocks.len()];
        // Going through the blocks backwards settles most bodies in two or three rounds.
        loop {
            let mut changed = false;
            for block in body.blocks.ids().rev() {
                let live = back_to(body, block, &starts, |_| false);
                if starts[block.index()] != live {
                    starts[block.index()] = live;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        let mut homes = vec![None; body.insts.len()];
        for (block, data) in body.blocks.iter() {
            data.insts.iter().for_each(|inst| homes[inst.index()] = Some(block));
        }
        Liveness { starts, homes, known: RefCell::default() }
    }

    /// What is used after an instruction, its result included. Nothing for instructions in no block.
    pub(crate) fn after(&self, body: &Body, inst: InstId) -> Rc<[ValueId]> {
        if let Some(known) = self.known.borrow().after.get(&inst) {
            return Rc::clone(known);
        }
        let Some(block) = self.homes[inst.index()] else { return Rc::default() };
        let live = back_to(body, block, &self.starts, |at| at == inst).list();
        let mut known = self.known.borrow_mut();
        if known.length > KEPT_VALUES {
            *known = Lists::default();
        }
        known.length += live.len();
        known.after.insert(inst, Rc::clone(&live));
        live
    }

    /// What is used from the start of a block on, its phis counting as done.
    pub(crate) fn at_start(&self, body: &Body, block: BlockId) -> Rc<[ValueId]> {
        back_to(body, block, &self.starts, |at| matches!(body.insts[at].op, Op::Phi { .. })).list()
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

    fn list(&self) -> Rc<[ValueId]> {
        self.0.iter().copied().collect()
    }
}

/// What is used behind the last instruction of a block that is one of these, or from its start on.
fn back_to(body: &Body, block: BlockId, starts: &[Set], is_it: impl Fn(InstId) -> bool) -> Set {
    let mut live = end_of(body, block, starts);
    for &inst in body.blocks[block].insts.iter().rev().take_while(|&&inst| !is_it(inst)) {
        before(body, inst, &mut live);
    }
    live
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
