//! Where phis stand.
//!
//! In: the slots of a body with the blocks that read and write them. Out: the blocks that need a phi for a
//! slot, as new phi instructions that stand in no block yet.
//!
//! A slot needs a phi where definitions meet (the iterated dominance frontier of the blocks that write it)
//! and its value is still read (it is live on entry): pruned SSA. Most slots need none, and two checks tell
//! so at once: no block reads it before writing it, or the last block that writes it strictly dominates all
//! that read it.
//!
//! For the rest, liveness walks backwards from the reading blocks, and the frontier is found as by Sreedhar
//! and Gao: blocks that write are taken deepest first; from each, the subtree below it is searched for
//! edges that leave to a block no deeper than itself. A subtree that was searched from below needs no second
//! search. This takes time linear in the graph for a slot, and no memory for frontiers, whose total size is
//! quadratic in nested loops.

use super::convert;
use super::ids::SlotId;
use super::promote::Slots;
use std::collections::BinaryHeap;
use watertight_ir::{BlockId, Body, Cfg, Dominators, Id, InstId, Op, ValueId};

/// A phi that merges a slot.
#[derive(Clone, Debug)]
pub(super) struct NewPhi {
    pub(super) block: BlockId,
    pub(super) slot: SlotId,
    pub(super) inst: InstId,
    pub(super) value: ValueId,
    /// Filled by `rename`.
    pub(super) incoming: Vec<(BlockId, ValueId)>,
}

#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// The phis of the body, by block and slot in ascending order.
    pub(super) phis: Vec<NewPhi>,
    /// By block: the first of its phis in `phis`, if it has some.
    first: Vec<Option<PhiIndex>>,
    tree: Tree,
    marks: Vec<Marks>,
    queue: Vec<BlockId>,
    heap: BinaryHeap<(u32, BlockId)>,
}

type PhiIndex = std::num::NonZeroU32;

/// The dominator tree, laid out for searching subtrees.
#[derive(Debug, Default)]
struct Tree {
    nodes: Vec<Node>,
    ready: bool,
}

#[derive(Copy, Clone, Debug, Default)]
struct Node {
    /// Distance from the entry in the tree.
    level: u32,
    /// The subtree is this range of the preorder.
    begin: u32,
    end: u32,
}

/// For which slot a block was last marked in which way: a number per slot saves clearing.
#[derive(Copy, Clone, Debug, Default)]
struct Marks {
    writes: u32,
    live: u32,
    joined: u32,
    searched: u32,
}

impl Scratch {
    pub(super) fn clear(&mut self) {
        self.phis.clear();
        self.first.clear();
    }

    /// The phis of `block`, as a range of `phis`.
    pub(super) fn of(&self, block: BlockId) -> std::ops::Range<usize> {
        let Some(Some(first)) = self.first.get(block.index()) else { return 0..0 };
        let start = first.get() as usize - 1;
        let count = self.phis[start..].iter().take_while(|phi| phi.block == block).count();
        start..start + count
    }
}

/// Finds the phis for all slots and adds their instructions, empty, to the body.
pub(super) fn place(body: &mut Body, cfg: &Cfg, dominators: &Dominators, slots: &Slots, work: &mut Scratch) {
    work.tree.ready = false;
    work.marks.clear();
    for index in 0..slots.slots.len() {
        let slot = SlotId::new(index);
        if is_simple(slots, slot, dominators) {
            continue;
        }
        if !work.tree.ready {
            work.tree.lay_out(cfg.block_count(), dominators);
            work.marks.resize(cfg.block_count(), Marks::default());
        }
        let mark = index as u32 + 1;
        work.find_live(slots, slot, cfg, mark);
        work.join(slots, slot, cfg, dominators, mark, |block| {
            let ty = slots.slots[index].ty.expect("a slot that is read has a type");
            let (inst, value) = convert::append(body, Op::Phi { incoming: Box::default() }, ty, None);
            let incoming = Vec::with_capacity(cfg.predecessors(block).len());
            NewPhi { block, slot, inst, value, incoming }
        });
    }
    if work.phis.is_empty() {
        return;
    }
    work.phis.sort_unstable_by_key(|phi| (phi.block, phi.slot));
    work.first.resize(cfg.block_count(), None);
    for (index, phi) in work.phis.iter().enumerate().rev() {
        work.first[phi.block.index()] = PhiIndex::new(index as u32 + 1);
    }
}

/// Whether the slot needs no phi for certain.
fn is_simple(slots: &Slots, slot: SlotId, dominators: &Dominators) -> bool {
    let slot_data = &slots.slots[slot.index()];
    if slot_data.reads == 0 || slot_data.stores == 0 {
        return true;
    }
    // Visits are chained from the last one backwards, in reverse post-order. Whatever was written elsewhere
    // before reaching the last writer is overwritten there; and from a block that writes earlier in the order,
    // no path leads to a block below the last writer without passing it.
    let last = slots.visits(slot).find(|visit| visit.writes).map(|visit| visit.block);
    last.is_some_and(|last| {
        let mut readers = slots.visits(slot).filter(|visit| visit.reads);
        readers.all(|reader| dominators.strictly_dominates(last, reader.block))
    })
}

impl Tree {
    fn lay_out(&mut self, blocks: usize, dominators: &Dominators) {
        self.ready = true;
        self.nodes.clear();
        self.nodes.resize(blocks, Node::default());
        for (position, &block) in dominators.preorder().iter().enumerate() {
            let parent = dominators.idom(block);
            let level = parent.map_or(0, |parent| self.nodes[parent.index()].level + 1);
            let begin = position as u32;
            self.nodes[block.index()] = Node { level, begin, end: begin + 1 };
        }
        // In reverse preorder a subtree is complete before its parent is met.
        for &block in dominators.preorder().iter().rev() {
            if let Some(parent) = dominators.idom(block) {
                let end = self.nodes[block.index()].end;
                let parent = &mut self.nodes[parent.index()].end;
                *parent = end.max(*parent);
            }
        }
    }
}

impl Scratch {
    /// Marks the blocks on whose entry the slot's value is still to be read, and those that write it.
    fn find_live(&mut self, slots: &Slots, slot: SlotId, cfg: &Cfg, mark: u32) {
        self.queue.clear();
        for visit in slots.visits(slot) {
            if visit.writes {
                self.marks[visit.block.index()].writes = mark;
            }
            if visit.reads {
                self.marks[visit.block.index()].live = mark;
                self.queue.push(visit.block);
            }
        }
        while let Some(block) = self.queue.pop() {
            for &source in cfg.predecessors(block) {
                let marks = &mut self.marks[source.index()];
                if marks.writes != mark && marks.live != mark {
                    marks.live = mark;
                    self.queue.push(source);
                }
            }
        }
    }

    /// Adds a phi in every block of the iterated frontier where the slot is live.
    fn join(
        &mut self,
        slots: &Slots,
        slot: SlotId,
        cfg: &Cfg,
        dominators: &Dominators,
        mark: u32,
        mut make: impl FnMut(BlockId) -> NewPhi,
    ) {
        self.heap.clear();
        for visit in slots.visits(slot).filter(|visit| visit.writes) {
            self.heap.push((self.tree.nodes[visit.block.index()].level, visit.block));
        }
        while let Some((level, root)) = self.heap.pop() {
            // Nothing is less deep than the entry, and no edge leads to it.
            if level == 0 {
                continue;
            }
            let Node { begin, end, .. } = self.tree.nodes[root.index()];
            let mut position = begin;
            while position < end {
                let block = dominators.preorder()[position as usize];
                if std::mem::replace(&mut self.marks[block.index()].searched, mark) == mark {
                    position = self.tree.nodes[block.index()].end;
                    continue;
                }
                position += 1;
                for &target in cfg.successors(block) {
                    let marks = &mut self.marks[target.index()];
                    let node = self.tree.nodes[target.index()];
                    if node.level > level || marks.joined == mark || marks.live != mark {
                        continue;
                    }
                    marks.joined = mark;
                    self.phis.push(make(target));
                    if marks.writes != mark {
                        self.heap.push((node.level, target));
                    }
                }
            }
        }
    }
}
