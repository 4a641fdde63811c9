//! The loops of a body and how they nest, irreducible ones too.
//!
//! In: a [`Cfg`]. Out: a forest of loops. A loop is a strongly connected region of the graph; its entries
//! are the blocks that edges from outside lead to. A loop that `for`, `while` and friends make has one
//! entry, its header; jumping into the middle of a loop makes it irreducible, and it has several. The
//! loops inside a loop are the regions that stay strongly connected when its entries are taken away
//! (Steensgaard's nest): for reducible code these are exactly the natural loops, two loops with one
//! header counting as one.
//!
//! What must hold: the blocks of two loops are nested or disjoint; an entry of a loop belongs to no inner
//! loop; every cycle of the graph passes an entry of the innermost loop that contains the whole cycle.
//!
//! Each level of nesting costs one linear pass over its blocks. Machine-made tangles of jumps could be
//! peeled into thousands of levels, so regions are not split below [`MAX_DEPTH`]; only there may a cycle
//! avoid the entries.
//!
//! ```
//! use watertight_ir::{BodyBuilder, Cfg, Loops, Terminator};
//! let mut builder = BodyBuilder::new(&[]);
//! let (entry, body) = (builder.block(), builder.block());
//! builder.terminate(entry, Terminator::Jump(body), None);
//! builder.terminate(body, Terminator::Jump(body), None);
//! let loops = Loops::new(&Cfg::new(&builder.finish()));
//! let forever = loops.innermost(body).expect("the block is in a loop");
//! assert_eq!(loops[forever].header(), body);
//! assert!(loops.is_back_edge(body, body));
//! ```

use crate::cfg::Cfg;
use crate::function::Body;
use crate::ids::{BlockId, Id, LoopId, Table};
use crate::scc::Search;
use std::ops::Index;

/// Regions nested deeper than this are not split further.
pub const MAX_DEPTH: u32 = 64;

/// One loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loop {
    /// The loop around it.
    pub parent: Option<LoopId>,
    /// How many loops contain its header, itself included: 1 for an outermost loop.
    pub depth: u32,
    /// The blocks that edges from outside lead to, in reverse post-order.
    pub entries: Box<[BlockId]>,
    /// The loops inside it are the ids from its own up to this one.
    last_inner: LoopId,
    /// Where its blocks stand in the list of all.
    blocks: std::ops::Range<u32>,
}

impl Loop {
    /// The entry that comes first in reverse post-order; the only one of a reducible loop.
    pub fn header(&self) -> BlockId {
        self.entries[0]
    }
    /// Whether control can enter it at several blocks.
    pub fn is_irreducible(&self) -> bool {
        self.entries.len() > 1
    }
}

/// The loops of one body. Outer loops come before inner ones, then in reverse post-order of headers.
#[derive(Clone, Debug)]
pub struct Loops {
    loops: Table<LoopId, Loop>,
    innermost: Vec<Option<LoopId>>,
    /// Whether each block is an entry of its innermost loop; it is one of no other.
    is_entry: Vec<bool>,
    /// Blocks in loops, so ordered that those of each loop, inner ones included, are together.
    blocks: Vec<BlockId>,
}

impl Index<LoopId> for Loops {
    type Output = Loop;
    fn index(&self, id: LoopId) -> &Loop {
        &self.loops[id]
    }
}

impl Loops {
    pub fn new(cfg: &Cfg) -> Loops {
        let mut loops = Loops {
            loops: Table::new(),
            innermost: vec![None; cfg.block_count()],
            is_entry: vec![false; cfg.block_count()],
            blocks: Vec::new(),
        };
        Finder::new(cfg).find(&mut loops);
        loops.settle(cfg);
        loops
    }

    /// Number of loops.
    pub fn len(&self) -> usize {
        self.loops.len()
    }
    pub fn is_empty(&self) -> bool {
        self.loops.is_empty()
    }
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (LoopId, &Loop)> + ExactSizeIterator {
        self.loops.iter()
    }
    /// The smallest loop that contains `block`.
    pub fn innermost(&self, block: BlockId) -> Option<LoopId> {
        self.innermost[block.index()]
    }
    /// How many loops contain `block`.
    pub fn depth(&self, block: BlockId) -> u32 {
        self.innermost(block).map_or(0, |id| self.loops[id].depth)
    }
    /// Whether `block` is in the loop or in one inside it.
    pub fn contains(&self, id: LoopId, block: BlockId) -> bool {
        self.innermost(block).is_some_and(|inner| (id..=self.loops[id].last_inner).contains(&inner))
    }
    /// The blocks of a loop, those of inner loops included; the header comes first.
    pub fn blocks(&self, id: LoopId) -> &[BlockId] {
        let range = &self.loops[id].blocks;
        &self.blocks[range.start as usize..range.end as usize]
    }
    /// Whether the edge goes around a loop: from inside it to one of its entries.
    pub fn is_back_edge(&self, from: BlockId, to: BlockId) -> bool {
        self.is_entry[to.index()] && self.innermost(to).is_some_and(|id| self.contains(id, from))
    }
    /// The edges from inside the loop to its entries.
    pub fn back_edges(&self, cfg: &Cfg, id: LoopId) -> Vec<(BlockId, BlockId)> {
        let into = |&entry: &BlockId| cfg.predecessors(entry).iter().map(move |&source| (source, entry));
        let edges = self.loops[id].entries.iter().flat_map(into);
        edges.filter(|&(source, _)| self.contains(id, source)).collect()
    }
    /// The edges that leave the loop, as (block inside, block outside).
    pub fn exits(&self, cfg: &Cfg, id: LoopId) -> Vec<(BlockId, BlockId)> {
        let out_of = |&block: &BlockId| cfg.successors(block).iter().map(move |&target| (block, target));
        let edges = self.blocks(id).iter().flat_map(out_of);
        edges.filter(|&(_, target)| !self.contains(id, target)).collect()
    }

    /// Orders the blocks by loop, once all loops are known.
    fn settle(&mut self, cfg: &Cfg) {
        let count = self.loops.len();
        // Sizes and last inner loops go from inner to outer; inner loops have greater ids.
        let mut own = vec![0u32; count];
        for &block in cfg.reverse_post_order() {
            if let Some(id) = self.innermost(block) {
                own[id.index()] += 1;
            }
        }
        let mut total = own.clone();
        for id in self.loops.ids().rev() {
            if let Some(parent) = self.loops[id].parent {
                total[parent.index()] += total[id.index()];
                let last = self.loops[id].last_inner;
                self.loops[parent].last_inner = self.loops[parent].last_inner.max(last);
            }
        }
        // Each loop's range holds its own blocks, then the ranges of the loops inside it.
        let mut next_inner = vec![0u32; count];
        let mut outermost_end = 0;
        for id in self.loops.ids() {
            let start = match self.loops[id].parent {
                Some(parent) => {
                    let start = next_inner[parent.index()];
                    next_inner[parent.index()] += total[id.index()];
                    start
                }
                None => {
                    outermost_end += total[id.index()];
                    outermost_end - total[id.index()]
                }
            };
            next_inner[id.index()] = start + own[id.index()];
            self.loops[id].blocks = start..start + total[id.index()];
        }
        let mut next_own: Vec<u32> = self.loops.values().map(|entry| entry.blocks.start).collect();
        self.blocks = vec![BlockId::new(Body::ENTRY_INDEX); outermost_end as usize];
        for &block in cfg.reverse_post_order() {
            if let Some(id) = self.innermost(block) {
                self.blocks[next_own[id.index()] as usize] = block;
                next_own[id.index()] += 1;
            }
        }
    }
}

/// A strongly connected region that is to become a loop.
struct Region {
    blocks: Vec<BlockId>,
    parent: Option<LoopId>,
}

struct Finder<'c> {
    cfg: &'c Cfg,
    search: Search<BlockId>,
    /// The number of the region that each block was last found to be inside of.
    region: Vec<u32>,
    /// Found regions; the next to become a loop is last.
    pending: Vec<Region>,
}

impl<'c> Finder<'c> {
    fn new(cfg: &'c Cfg) -> Finder<'c> {
        let search = Search::new(cfg.block_count());
        Finder { cfg, search, region: vec![0; cfg.block_count()], pending: Vec::new() }
    }

    fn find(mut self, loops: &mut Loops) {
        let cfg = self.cfg;
        self.split(cfg.reverse_post_order(), None, |block| cfg.is_reachable(block));
        let mut number = 0;
        while let Some(Region { blocks, parent }) = self.pending.pop() {
            number += 1;
            blocks.iter().for_each(|block| self.region[block.index()] = number);
            let is_entry = |block: &BlockId| {
                let from_outside =
                    |source: &BlockId| cfg.is_reachable(*source) && self.region[source.index()] != number;
                block.index() == Body::ENTRY_INDEX || cfg.predecessors(*block).iter().any(from_outside)
            };
            let (entries, rest): (Vec<BlockId>, Vec<BlockId>) =
                blocks.iter().partition(|block| is_entry(block));
            let depth = parent.map_or(0, |parent| loops[parent].depth) + 1;
            let id = loops.loops.next_id();
            loops.loops.push(Loop {
                parent,
                depth,
                entries: entries.clone().into(),
                last_inner: id,
                blocks: 0..0,
            });
            blocks.iter().for_each(|block| loops.innermost[block.index()] = Some(id));
            entries.iter().for_each(|entry| loops.is_entry[entry.index()] = true);
            if depth < MAX_DEPTH {
                entries.iter().for_each(|entry| self.region[entry.index()] = 0);
                let region = std::mem::take(&mut self.region);
                self.split(&rest, Some(id), |block| region[block.index()] == number);
                self.region = region;
            }
        }
    }

    /// Finds the strongly connected regions among `blocks`, which stand in reverse post-order.
    fn split(&mut self, blocks: &[BlockId], parent: Option<LoopId>, inside: impl Fn(BlockId) -> bool) {
        let cfg = self.cfg;
        let first = self.pending.len();
        let pending = &mut self.pending;
        self.search.run(
            blocks,
            |block| cfg.successors(block),
            inside,
            |members| {
                if members.len() > 1 || cfg.successors(members[0]).contains(&members[0]) {
                    members.sort_unstable_by_key(|&block| cfg.position(block));
                    pending.push(Region { blocks: members.to_vec(), parent });
                }
            },
        );
        // Taken from the end, so the first in reverse post-order must be last.
        pending[first..].sort_unstable_by_key(|region| std::cmp::Reverse(cfg.position(region.blocks[0])));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Random, block, graph, random_graph};

    #[test]
    fn loops_nest_and_know_their_edges() {
        // 1 is the outer header, 2 the inner one; 3 leaves the inner loop, 4 goes around the outer one.
        let cfg = Cfg::new(&graph(&[&[1], &[2, 5], &[3], &[2, 4], &[1], &[]]));
        let loops = Loops::new(&cfg);
        let outer = loops.innermost(block(1)).unwrap();
        let inner = loops.innermost(block(3)).unwrap();
        assert_eq!(loops[inner].parent, Some(outer));
        assert_eq!((loops[outer].header(), loops[inner].header()), (block(1), block(2)));
        assert_eq!((loops.depth(block(0)), loops.depth(block(4)), loops.depth(block(2))), (0, 1, 2));
        assert_eq!(loops.blocks(outer), [1, 4, 2, 3].map(block));
        assert_eq!(loops.blocks(inner), [2, 3].map(block));
        assert_eq!(loops.back_edges(&cfg, outer), [(block(4), block(1))]);
        assert_eq!(loops.exits(&cfg, inner), [(block(3), block(4))]);
        assert_eq!(loops.exits(&cfg, outer), [(block(1), block(5))]);
        assert!(loops.is_back_edge(block(3), block(2)));
        assert!(!loops.is_back_edge(block(1), block(2)));
    }

    #[test]
    fn a_loop_entered_in_the_middle_is_irreducible() {
        let cfg = Cfg::new(&graph(&[&[1, 2], &[2], &[1, 3], &[]]));
        let loops = Loops::new(&cfg);
        assert_eq!(loops.len(), 1);
        let id = loops.innermost(block(1)).unwrap();
        assert!(loops[id].is_irreducible());
        assert_eq!(&*loops[id].entries, [2, 1].map(block));
        assert_eq!(loops.back_edges(&cfg, id), [(block(1), block(2)), (block(2), block(1))]);
    }

    /// What the module promises, checked by brute force on random graphs.
    #[test]
    fn every_loop_is_what_the_definition_says() {
        let mut random = Random::new(4);
        let mut irreducible = 0;
        for round in 0..500 {
            let count = 1 + random.below(18);
            let body = random_graph(&mut random, count, 1 + round % 5);
            let cfg = Cfg::new(&body);
            let loops = Loops::new(&cfg);
            for (id, entry) in loops.iter() {
                irreducible += usize::from(entry.is_irreducible());
                let inside = |b: BlockId| loops.contains(id, b);
                let mut listed = loops.blocks(id).to_vec();
                assert_eq!(listed[0], entry.header());
                listed.sort();
                assert_eq!(listed, body.blocks.ids().filter(|&b| inside(b)).collect::<Vec<_>>());
                // From each block every other can be reached without leaving the loop.
                for &from in &listed {
                    let mut seen = vec![false; count];
                    let mut queue = vec![from];
                    while let Some(b) = queue.pop() {
                        for &next in cfg.successors(b) {
                            if inside(next) && !std::mem::replace(&mut seen[next.index()], true) {
                                queue.push(next);
                            }
                        }
                    }
                    assert!(listed.iter().all(|b| seen[b.index()]), "{id} of {body:?}");
                }
                let mut expected: Vec<_> = listed
                    .iter()
                    .copied()
                    .filter(|&b| cfg.predecessors(b).iter().any(|&p| cfg.is_reachable(p) && !inside(p)))
                    .collect();
                expected.sort_by_key(|&b| cfg.position(b));
                assert_eq!(*entry.entries, expected, "{id} of {body:?}");
                assert!(entry.entries.iter().all(|&e| loops.innermost(e) == Some(id)));
                if let Some(parent) = entry.parent {
                    assert!(parent < id);
                    assert!(listed.iter().all(|&b| loops.contains(parent, b)));
                    assert_eq!(entry.depth, loops[parent].depth + 1);
                }
            }
            check_cycles(&body, &cfg, &loops);
        }
        assert!(irreducible > 100, "the graphs must exercise irreducible loops, not {irreducible}");
    }

    /// Without the edges that go around loops the graph has no cycle.
    fn check_cycles(body: &Body, cfg: &Cfg, loops: &Loops) {
        let edges: Vec<Vec<BlockId>> = body
            .blocks
            .ids()
            .map(|from| {
                let targets = cfg.successors(from).iter().copied();
                targets.filter(|&to| !loops.is_back_edge(from, to)).collect()
            })
            .collect();
        let components = crate::scc::components(edges.len(), |b: BlockId| &edges[b.index()][..]);
        for b in body.blocks.ids().filter(|&b| cfg.is_reachable(b)) {
            assert_eq!(components.members(components.of(b)).len(), 1, "{b} of {body:?}");
            assert!(!edges[b.index()].contains(&b));
        }
    }

    #[test]
    fn tangles_are_not_split_without_end() {
        let all: Vec<usize> = (1..200).collect();
        let lists: Vec<&[usize]> = (0..200).map(|_| &all[..]).collect();
        let loops = Loops::new(&Cfg::new(&graph(&lists)));
        assert!(loops.iter().all(|(_, entry)| entry.depth <= MAX_DEPTH));
    }
}
