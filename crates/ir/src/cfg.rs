//! The control-flow graph of a body: who follows whom, and in which order to visit.
//!
//! In: a [`Body`] whose terminators name existing blocks. Out: successors and predecessors of every
//! block, the blocks that the entry reaches, and their reverse post-order.
//!
//! A `switch` may lead to one block by several cases. Most analyses want each neighbour once
//! ([`Cfg::successors`], [`Cfg::predecessors`]; phis have one entry per such predecessor); who counts
//! edges uses [`Cfg::raw_successors`] and [`Cfg::raw_predecessors`]. Neighbours stand in the order of the
//! terminator (successors) or in ascending order of their number (predecessors), so that results are the
//! same on every run.
//!
//! The lists are packed ([`Lists`]): a body of a million blocks costs a handful of allocations. The graph is a snapshot; rebuild it after changing terminators.
//!
//! ```
//! use watertight_ir::{BodyBuilder, Cfg, Terminator};
//! let mut builder = BodyBuilder::new(&[]);
//! let (entry, exit) = (builder.block(), builder.block());
//! builder.terminate(entry, Terminator::Jump(exit), None);
//! builder.terminate(exit, Terminator::Return(None), None);
//! let cfg = Cfg::new(&builder.finish());
//! assert_eq!(cfg.successors(entry), [exit]);
//! assert_eq!(cfg.reverse_post_order(), [entry, exit]);
//! ```

use crate::function::Body;
use crate::ids::{BlockId, Id};
use crate::lists::Lists;

/// The control-flow graph of one body.
#[derive(Clone, Debug)]
pub struct Cfg {
    successors: Lists<BlockId, BlockId>,
    predecessors: Lists<BlockId, BlockId>,
    /// Edges with repetitions; absent when no edge is repeated, as in most bodies.
    raw: Option<Box<RawEdges>>,
    order: Vec<BlockId>,
    /// Position of each block in `order`; `UNREACHED` for blocks that are not in it.
    position: Vec<u32>,
}

/// Successors and predecessors, one per edge.
#[derive(Clone, Debug)]
struct RawEdges {
    successors: Lists<BlockId, BlockId>,
    predecessors: Lists<BlockId, BlockId>,
}

const UNREACHED: u32 = u32::MAX;

impl Cfg {
    /// The graph of `body`. Every block named by a terminator must exist.
    pub fn new(body: &Body) -> Cfg {
        let blocks = body.blocks.len();
        let mut raw_starts = Vec::with_capacity(blocks + 1);
        let mut raw_targets = Vec::with_capacity(blocks * 2);
        let mut starts = Vec::with_capacity(blocks + 1);
        let mut targets = Vec::with_capacity(blocks * 2);
        // The last block seen to lead to each block: an edge met twice is recognised in constant time.
        let mut last_source = vec![UNREACHED; blocks];
        for (source, block) in body.blocks.iter() {
            raw_starts.push(raw_targets.len() as u32);
            starts.push(targets.len() as u32);
            block.term.successors(|target| {
                raw_targets.push(target);
                let last = &mut last_source[target.index()];
                if *last != source.index() as u32 {
                    *last = source.index() as u32;
                    targets.push(target);
                }
            });
        }
        raw_starts.push(raw_targets.len() as u32);
        starts.push(targets.len() as u32);
        let repeated = raw_targets.len() != targets.len();
        let successors = Lists::from_parts(starts, targets);
        let predecessors = successors.reversed();
        let raw = repeated.then(|| {
            let successors = Lists::from_parts(raw_starts, raw_targets);
            Box::new(RawEdges { predecessors: successors.reversed(), successors })
        });
        let order = reverse_post_order(&successors, blocks);
        let mut position = last_source;
        position.fill(UNREACHED);
        for (index, block) in order.iter().enumerate() {
            position[block.index()] = index as u32;
        }
        Cfg { successors, predecessors, raw, order, position }
    }

    /// Number of blocks of the body, reached or not.
    #[inline]
    pub fn block_count(&self) -> usize {
        self.position.len()
    }
    /// The blocks that may run after `block`, each once, in the order of its terminator.
    #[inline]
    pub fn successors(&self, block: BlockId) -> &[BlockId] {
        self.successors.of(block)
    }
    /// The blocks that may run before `block`, each once, in ascending order; unreachable ones too.
    #[inline]
    pub fn predecessors(&self, block: BlockId) -> &[BlockId] {
        self.predecessors.of(block)
    }
    /// The targets of the terminator, one per edge.
    pub fn raw_successors(&self, block: BlockId) -> &[BlockId] {
        self.raw.as_ref().map_or(&self.successors, |raw| &raw.successors).of(block)
    }
    /// The sources of the edges into `block`, one per edge, in ascending order.
    pub fn raw_predecessors(&self, block: BlockId) -> &[BlockId] {
        self.raw.as_ref().map_or(&self.predecessors, |raw| &raw.predecessors).of(block)
    }
    /// The reachable blocks, each before its successors except along back edges. The entry comes first.
    #[inline]
    pub fn reverse_post_order(&self) -> &[BlockId] {
        &self.order
    }
    /// The reachable blocks, each after its successors except along back edges.
    pub fn post_order(&self) -> impl DoubleEndedIterator<Item = BlockId> + ExactSizeIterator {
        self.order.iter().rev().copied()
    }
    /// Position of `block` in the reverse post-order; `None` when the entry does not reach it.
    #[inline]
    pub fn position(&self, block: BlockId) -> Option<usize> {
        let position = self.position[block.index()];
        (position != UNREACHED).then_some(position as usize)
    }
    /// Whether some path from the entry leads to `block`.
    #[inline]
    pub fn is_reachable(&self, block: BlockId) -> bool {
        self.position[block.index()] != UNREACHED
    }
}

/// Depth-first, without recursion: real functions have chains of many thousand blocks.
fn reverse_post_order(successors: &Lists<BlockId, BlockId>, blocks: usize) -> Vec<BlockId> {
    let mut order = Vec::with_capacity(blocks);
    if blocks == 0 {
        return order;
    }
    let entry = BlockId::new(Body::ENTRY_INDEX);
    let mut seen = vec![false; blocks];
    seen[entry.index()] = true;
    // Each entry is a block and how many of its successors are still to be visited. They are visited
    // last to first, so that the order lists the first branch first.
    let mut stack = vec![(entry, successors.of(entry).len())];
    while let Some((block, left)) = stack.last_mut() {
        if *left == 0 {
            order.push(*block);
            stack.pop();
            continue;
        }
        *left -= 1;
        let next = successors.of(*block)[*left];
        if !seen[next.index()] {
            seen[next.index()] = true;
            stack.push((next, successors.of(next).len()));
        }
    }
    order.reverse();
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::function::BodyBuilder;
    use crate::testing::{block, graph};
    use crate::{Terminator, Type};

    #[test]
    fn repeated_edges_are_counted_only_in_the_raw_lists() {
        let mut builder = BodyBuilder::new(&[crate::Param::plain(Type::Int(32))]);
        let (entry, one, two) = (builder.block(), builder.block(), builder.block());
        let value = builder.param(0);
        let cases = [(1, one), (2, two), (3, one)].into();
        builder.terminate(entry, Terminator::Switch { value, cases, default: two }, None);
        builder.terminate(one, Terminator::Jump(two), None);
        let cfg = Cfg::new(&builder.finish());
        assert_eq!(cfg.successors(entry), [one, two]);
        assert_eq!(cfg.raw_successors(entry), [one, two, one, two]);
        assert_eq!(cfg.predecessors(two), [entry, one]);
        assert_eq!(cfg.raw_predecessors(two), [entry, entry, one]);
        assert_eq!(cfg.raw_predecessors(one), [entry, entry]);
    }

    #[test]
    fn the_order_lists_the_first_branch_first_and_joins_last() {
        let cfg = Cfg::new(&graph(&[&[1, 2], &[3], &[3], &[], &[3]]));
        assert_eq!(cfg.reverse_post_order(), [0, 1, 2, 3].map(block));
        assert_eq!(cfg.post_order().collect::<Vec<_>>(), [3, 2, 1, 0].map(block));
        assert!(!cfg.is_reachable(block(4)));
        assert_eq!(cfg.position(block(2)), Some(2));
        assert_eq!(cfg.predecessors(block(3)), [1, 2, 4].map(block));
    }

    #[test]
    fn a_body_without_blocks_has_an_empty_graph() {
        let cfg = Cfg::new(&Body::default());
        assert_eq!((cfg.block_count(), cfg.reverse_post_order().len()), (0, 0));
    }

    #[test]
    fn long_chains_do_not_exhaust_the_stack() {
        let chain: Vec<Vec<usize>> =
            (0..200_000).map(|index| if index == 199_999 { vec![] } else { vec![index + 1] }).collect();
        let lists: Vec<&[usize]> = chain.iter().map(Vec::as_slice).collect();
        assert_eq!(Cfg::new(&graph(&lists)).reverse_post_order().len(), 200_000);
    }
}
