//! Dominators and post-dominators of a body, with their frontiers.
//!
//! In: a [`Cfg`]. Out: the dominator tree. Block `a` dominates `b` when every path from the entry to `b`
//! passes `a`; it post-dominates `b` when every path from `b` to an exit does. Every block does both to
//! itself. A block that the entry does not reach stands outside the tree: it dominates only itself and
//! only itself dominates it.
//!
//! Method: semidominators by path compression, then the nearest common ancestor (Georgiadis' Semi-NCA).
//! It needs a few words per block and runs in near-linear time on all graphs that programs give, where the
//! simpler iteration to a fixpoint turns quadratic on deep irreducible ones. Blocks are then numbered in
//! preorder of the tree: the blocks dominated by `a` are a contiguous range, so [`Dominators::dominates`]
//! is two comparisons, and children are found in that order without lists of their own.
//!
//! Post-dominators are dominators of the reversed graph from a virtual exit behind all blocks without
//! successors. A region that never leaves (`for (;;) ...`) gets one invented edge to that exit from its
//! first block in reverse post-order, so every reachable block has a place in the tree and the head of an
//! endless loop post-dominates the way into it. (Unreachable blocks that lead to an exit are in this tree
//! too; they never change it for others.)
//!
//! ```
//! use watertight_ir::{BodyBuilder, Cfg, Dominators, Terminator};
//! let mut builder = BodyBuilder::new(&[]);
//! let (entry, exit) = (builder.block(), builder.block());
//! builder.terminate(entry, Terminator::Jump(exit), None);
//! let dominators = Dominators::new(&Cfg::new(&builder.finish()));
//! assert_eq!(dominators.idom(exit), Some(entry));
//! assert!(dominators.dominates(entry, exit));
//! ```

use crate::cfg::Cfg;
use crate::function::Body;
use crate::ids::{BlockId, Id};
use crate::lists::Lists;
use crate::scc;

const NONE: u32 = u32::MAX;

/// A flow graph with a root, as the algorithm sees it. Nodes are numbers; a virtual root comes last.
trait Flow {
    fn nodes(&self) -> usize;
    fn root(&self) -> u32;
    /// Where edges from `node` lead; never to a virtual root.
    fn targets(&self, node: u32) -> &[BlockId];
    fn each_source(&self, node: u32, visit: impl FnMut(u32));
}

/// The tree over all nodes of a [`Flow`].
#[derive(Clone, Debug)]
struct Tree {
    nodes: Vec<TreeNode>,
    /// The nodes in preorder of the tree.
    order: Vec<u32>,
}

#[derive(Copy, Clone, Debug)]
struct TreeNode {
    /// The parent; `NONE` for the root and for nodes outside the tree.
    parent: u32,
    /// Position in `order`, and the end of the range that the subtree takes there. Both `NONE` outside.
    begin: u32,
    end: u32,
}

/// Work space of the construction, by depth-first number.
#[derive(Copy, Clone)]
struct Work {
    node: u32,
    /// Depth-first parent, shortened by path compression.
    ancestor: u32,
    semi: u32,
    label: u32,
    idom: u32,
}

impl Tree {
    fn new(flow: &impl Flow) -> Tree {
        let outside = TreeNode { parent: NONE, begin: NONE, end: NONE };
        let mut nodes = vec![outside; flow.nodes()];
        if nodes.is_empty() {
            return Tree { nodes, order: Vec::new() };
        }
        let (mut work, number) = depth_first(flow);
        semidominators(flow, &mut work, &number);
        // A dominator has a smaller depth-first number, so one pass upwards settles all.
        for v in 1..work.len() {
            let mut candidate = work[v].idom;
            while candidate > work[v].semi {
                candidate = work[candidate as usize].idom;
            }
            work[v].idom = candidate;
        }
        // Sizes of subtrees, bottom-up, give the preorder positions, top-down.
        let mut size = number;
        size.clear();
        size.resize(work.len(), 1u32);
        for v in (1..work.len()).rev() {
            size[work[v].idom as usize] += size[v];
        }
        let mut order = vec![flow.root(); work.len()];
        // From here on `label` is the next free position below this node.
        work[0].label = 1;
        nodes[flow.root() as usize] = TreeNode { parent: NONE, begin: 0, end: work.len() as u32 };
        for v in 1..work.len() {
            let idom = work[v].idom as usize;
            let parent = &mut work[idom];
            let parent_node = parent.node;
            let begin = parent.label;
            parent.label += size[v];
            work[v].label = begin + 1;
            let node = work[v].node;
            order[begin as usize] = node;
            nodes[node as usize] = TreeNode { parent: parent_node, begin, end: begin + size[v] };
        }
        Tree { nodes, order }
    }

    fn dominates(&self, a: u32, b: u32) -> bool {
        let (above, below) = (&self.nodes[a as usize], &self.nodes[b as usize]);
        // Outside the tree `begin` is the greatest number and `end` excludes it.
        a == b || (above.begin <= below.begin && below.begin < above.end && below.begin != NONE)
    }

    /// Children of `node`, in preorder.
    fn children(&self, node: u32) -> impl Iterator<Item = u32> {
        let TreeNode { begin, end, .. } = self.nodes[node as usize];
        let mut next = if begin == NONE { NONE } else { begin + 1 };
        std::iter::from_fn(move || {
            let child = (next < end).then(|| self.order[next as usize])?;
            next = self.nodes[child as usize].end;
            Some(child)
        })
    }

    /// The deepest node that dominates both; `None` when one is outside the tree.
    fn common(&self, a: u32, b: u32) -> Option<u32> {
        if self.nodes[a as usize].begin == NONE || self.nodes[b as usize].begin == NONE {
            return None;
        }
        let mut above = a;
        while !self.dominates(above, b) {
            above = self.nodes[above as usize].parent;
        }
        Some(above)
    }

    /// The frontiers of all blocks. `neighbours` gives the sources of the edges into a block.
    fn frontiers<'a>(&self, cfg: &Cfg, neighbours: impl Fn(BlockId) -> &'a [BlockId]) -> Frontiers {
        let blocks = cfg.block_count();
        let mut pairs = Vec::new();
        let mut last_join = vec![NONE; blocks];
        for join_id in (0..blocks).map(BlockId::new).filter(|&join| cfg.is_reachable(join)) {
            let join = join_id.index() as u32;
            let stop = self.nodes[join as usize].parent;
            for source in neighbours(join_id) {
                let mut runner = source.index() as u32;
                if self.nodes[runner as usize].begin == NONE {
                    continue;
                }
                // Climbing ends at the first block already climbed from for this join.
                while runner != stop && (runner as usize) < blocks && last_join[runner as usize] != join {
                    last_join[runner as usize] = join;
                    pairs.push((BlockId::new(runner as usize), join_id));
                    runner = self.nodes[runner as usize].parent;
                }
            }
        }
        Frontiers { lists: Lists::from_pairs(blocks, &pairs) }
    }
}

/// Numbers the nodes depth-first; gives the work space by number, and the number of each node.
fn depth_first(flow: &impl Flow) -> (Vec<Work>, Vec<u32>) {
    let mut number = vec![NONE; flow.nodes()];
    let mut work = Vec::with_capacity(flow.nodes());
    number[flow.root() as usize] = 0;
    work.push(Work { node: flow.root(), ancestor: 0, semi: 0, label: 0, idom: 0 });
    // Each entry is a node's number and how many of its targets were followed.
    let mut stack = vec![(0u32, 0usize)];
    while let Some((parent, followed)) = stack.last_mut() {
        let parent = *parent;
        let Some(target) = flow.targets(work[parent as usize].node).get(*followed) else {
            stack.pop();
            continue;
        };
        *followed += 1;
        let own = work.len() as u32;
        let known = &mut number[target.index()];
        if *known == NONE {
            *known = own;
            let node = target.index() as u32;
            work.push(Work { node, ancestor: parent, semi: own, label: own, idom: parent });
            stack.push((own, 0));
        }
    }
    (work, number)
}

/// Computes the semidominator of every node, in descending depth-first order.
fn semidominators(flow: &impl Flow, work: &mut [Work], number: &[u32]) {
    let mut path = Vec::new();
    for v in (1..work.len() as u32).rev() {
        let mut semi = work[v as usize].ancestor;
        flow.each_source(work[v as usize].node, |source| {
            let source = number[source as usize];
            if source != NONE {
                let best = evaluate(work, source, v + 1, &mut path);
                semi = semi.min(work[best as usize].semi);
            }
        });
        work[v as usize].semi = semi;
    }
}

/// The node of least semidominator on the linked path above `v`; linked are the numbers from `linked` on.
fn evaluate(work: &mut [Work], v: u32, linked: u32, path: &mut Vec<u32>) -> u32 {
    let mut top = v;
    while work[top as usize].ancestor >= linked {
        path.push(top);
        top = work[top as usize].ancestor;
    }
    let ancestor = work[top as usize].ancestor;
    let mut best = work[top as usize].label;
    while let Some(node) = path.pop() {
        let own = work[node as usize].label;
        if work[best as usize].semi < work[own as usize].semi {
            work[node as usize].label = best;
        } else {
            best = own;
        }
        work[node as usize].ancestor = ancestor;
    }
    work[v as usize].label
}

/// For each block, the blocks where its dominance ends: it dominates a predecessor of them, but not
/// themselves (or only as the head of a loop around itself).
#[derive(Clone, Debug)]
pub struct Frontiers {
    lists: Lists<BlockId, BlockId>,
}

impl Frontiers {
    /// The frontier of `block`, in ascending order.
    pub fn of(&self, block: BlockId) -> &[BlockId] {
        self.lists.of(block)
    }

    /// The least set that contains the frontiers of `blocks` and of its own members, in ascending order:
    /// where phis stand for a variable assigned in `blocks`.
    pub fn iterated(&self, blocks: impl IntoIterator<Item = BlockId>) -> Vec<BlockId> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut found = Vec::new();
        let mut queue: Vec<BlockId> = blocks.into_iter().collect();
        while let Some(block) = queue.pop() {
            for &join in self.of(block) {
                if seen.insert(join) {
                    found.push(join);
                    queue.push(join);
                }
            }
        }
        found.sort_unstable();
        found
    }
}

/// The dominator tree of a body.
#[derive(Clone, Debug)]
pub struct Dominators {
    tree: Tree,
    order: Vec<BlockId>,
}

struct Forward<'a>(&'a Cfg);

impl Flow for Forward<'_> {
    fn nodes(&self) -> usize {
        self.0.block_count()
    }
    fn root(&self) -> u32 {
        Body::ENTRY_INDEX as u32
    }
    fn targets(&self, node: u32) -> &[BlockId] {
        self.0.successors(BlockId::new(node as usize))
    }
    fn each_source(&self, node: u32, mut visit: impl FnMut(u32)) {
        let sources = self.0.predecessors(BlockId::new(node as usize));
        sources.iter().for_each(|source| visit(source.index() as u32));
    }
}

impl Dominators {
    pub fn new(cfg: &Cfg) -> Dominators {
        let tree = Tree::new(&Forward(cfg));
        let order = tree.order.iter().map(|&node| BlockId::new(node as usize)).collect();
        Dominators { tree, order }
    }
    /// The immediate dominator: the parent in the tree. `None` for the entry and unreachable blocks.
    pub fn idom(&self, block: BlockId) -> Option<BlockId> {
        let parent = self.tree.nodes[block.index()].parent;
        (parent != NONE).then(|| BlockId::new(parent as usize))
    }
    /// Whether every path from the entry to `b` passes `a`.
    pub fn dominates(&self, a: BlockId, b: BlockId) -> bool {
        self.tree.dominates(a.index() as u32, b.index() as u32)
    }
    /// Whether `a` dominates `b` and is another block.
    pub fn strictly_dominates(&self, a: BlockId, b: BlockId) -> bool {
        a != b && self.dominates(a, b)
    }
    /// The blocks whose immediate dominator is `block`.
    pub fn children(&self, block: BlockId) -> impl Iterator<Item = BlockId> {
        self.tree.children(block.index() as u32).map(|child| BlockId::new(child as usize))
    }
    /// The reachable blocks, each directly followed by all that it dominates.
    pub fn preorder(&self) -> &[BlockId] {
        &self.order
    }
    /// The last block that every path from the entry to either passes; `None` if one is unreachable.
    pub fn common(&self, a: BlockId, b: BlockId) -> Option<BlockId> {
        self.tree.common(a.index() as u32, b.index() as u32).map(|node| BlockId::new(node as usize))
    }
    /// The dominance frontiers; their total size may be quadratic in deeply nested loops.
    pub fn frontiers(&self, cfg: &Cfg) -> Frontiers {
        self.tree.frontiers(cfg, |block| cfg.predecessors(block))
    }
}

/// The post-dominator tree of a body.
#[derive(Clone, Debug)]
pub struct PostDominators {
    tree: Tree,
    endless: Vec<BlockId>,
}

/// The reversed graph with a virtual exit as its last node.
struct Backward<'a> {
    cfg: &'a Cfg,
    /// The blocks with an edge to the virtual exit.
    exits: Vec<BlockId>,
    leaves: Vec<bool>,
}

impl Flow for Backward<'_> {
    fn nodes(&self) -> usize {
        self.cfg.block_count() + 1
    }
    fn root(&self) -> u32 {
        self.cfg.block_count() as u32
    }
    fn targets(&self, node: u32) -> &[BlockId] {
        if node == self.root() { &self.exits } else { self.cfg.predecessors(BlockId::new(node as usize)) }
    }
    fn each_source(&self, node: u32, mut visit: impl FnMut(u32)) {
        let sources = self.cfg.successors(BlockId::new(node as usize));
        sources.iter().for_each(|source| visit(source.index() as u32));
        if self.leaves[node as usize] {
            visit(self.root());
        }
    }
}

impl PostDominators {
    pub fn new(cfg: &Cfg) -> PostDominators {
        let mut exits: Vec<BlockId> =
            cfg.post_order().filter(|&block| cfg.successors(block).is_empty()).collect();
        let endless = endless_heads(cfg, &exits);
        exits.extend(&endless);
        let mut leaves = vec![false; cfg.block_count()];
        exits.iter().for_each(|exit| leaves[exit.index()] = true);
        let tree = Tree::new(&Backward { cfg, exits, leaves });
        PostDominators { tree, endless }
    }
    /// The first block that every way from `block` to an exit passes after `block` itself; `None` when
    /// only the virtual exit is left.
    pub fn ipdom(&self, block: BlockId) -> Option<BlockId> {
        let parent = self.tree.nodes[block.index()].parent;
        // The virtual exit is the last node.
        ((parent as usize) < self.tree.nodes.len() - 1).then(|| BlockId::new(parent as usize))
    }
    /// Whether every path from `b` to an exit passes `a`.
    pub fn post_dominates(&self, a: BlockId, b: BlockId) -> bool {
        self.tree.dominates(a.index() as u32, b.index() as u32)
    }
    /// Whether `a` post-dominates `b` and is another block.
    pub fn strictly_post_dominates(&self, a: BlockId, b: BlockId) -> bool {
        a != b && self.post_dominates(a, b)
    }
    /// The blocks whose immediate post-dominator is `block`.
    pub fn children(&self, block: BlockId) -> impl Iterator<Item = BlockId> {
        self.tree.children(block.index() as u32).map(|child| BlockId::new(child as usize))
    }
    /// Blocks that got an invented edge to the exit, because control never leaves their region.
    pub fn endless(&self) -> &[BlockId] {
        &self.endless
    }
    /// The post-dominance frontiers: the blocks whose branch decides whether a block runs (control
    /// dependence).
    pub fn frontiers(&self, cfg: &Cfg) -> Frontiers {
        self.tree.frontiers(cfg, |block| cfg.successors(block))
    }
}

/// The first block of every reachable region that control cannot leave: of each strongly connected
/// component without edges out, when it is not an exit itself.
fn endless_heads(cfg: &Cfg, exits: &[BlockId]) -> Vec<BlockId> {
    let mut reaches_exit = vec![false; cfg.block_count()];
    exits.iter().for_each(|exit| reaches_exit[exit.index()] = true);
    let mut queue = exits.to_vec();
    while let Some(block) = queue.pop() {
        for &source in cfg.predecessors(block) {
            if !std::mem::replace(&mut reaches_exit[source.index()], true) {
                queue.push(source);
            }
        }
    }
    if cfg.reverse_post_order().iter().all(|block| reaches_exit[block.index()]) {
        return Vec::new();
    }
    // Rare: only bodies with endless loops pay for their components.
    let components = scc::components(cfg.block_count(), |block: BlockId| cfg.successors(block));
    let mut has_edge_out = vec![false; components.len()];
    for &block in cfg.reverse_post_order() {
        let own = components.of(block);
        has_edge_out[own] |= cfg.successors(block).iter().any(|&next| components.of(next) != own);
    }
    let mut heads = Vec::new();
    for &block in cfg.reverse_post_order() {
        if !reaches_exit[block.index()] && !std::mem::replace(&mut has_edge_out[components.of(block)], true) {
            heads.push(block);
        }
    }
    heads
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Random, block, graph, random_graph};

    /// Blocks reached from `start` by `next` without passing `avoided`.
    fn reached<'a>(
        count: usize,
        start: Option<BlockId>,
        avoided: Option<BlockId>,
        next: impl Fn(BlockId) -> &'a [BlockId],
    ) -> Vec<bool> {
        let mut seen = vec![false; count];
        let mut queue: Vec<_> = start.into_iter().filter(|&start| Some(start) != avoided).collect();
        queue.iter().for_each(|start| seen[start.index()] = true);
        while let Some(block) = queue.pop() {
            for &target in next(block) {
                if Some(target) != avoided && !std::mem::replace(&mut seen[target.index()], true) {
                    queue.push(target);
                }
            }
        }
        seen
    }

    #[test]
    fn dominators_are_what_the_definition_says() {
        let mut random = Random::new(1);
        for round in 0..400 {
            let blocks = 1 + random.below(24);
            let body = random_graph(&mut random, blocks, 1 + round % 4);
            let cfg = Cfg::new(&body);
            let dominators = Dominators::new(&cfg);
            let frontiers = dominators.frontiers(&cfg);
            for a in body.blocks.ids() {
                let without = reached(blocks, Some(body.entry()), Some(a), |b| cfg.successors(b));
                for b in body.blocks.ids() {
                    let expected =
                        a == b || (cfg.is_reachable(a) && cfg.is_reachable(b) && !without[b.index()]);
                    assert_eq!(dominators.dominates(a, b), expected, "{a} {b} in {body:?}");
                }
                let in_frontier = |&join: &BlockId| {
                    cfg.is_reachable(a)
                        && !dominators.strictly_dominates(a, join)
                        && cfg.predecessors(join).iter().any(|&p| dominators.dominates(a, p))
                };
                let expected: Vec<_> = body.blocks.ids().filter(in_frontier).collect();
                assert_eq!(frontiers.of(a), expected, "frontier of {a} in {body:?}");
            }
            check_tree(&body, &cfg, &dominators);
        }
    }

    /// The immediate dominator is the nearest strict dominator, and walks agree with it.
    fn check_tree(body: &Body, cfg: &Cfg, dominators: &Dominators) {
        let preorder = dominators.preorder();
        assert_eq!(preorder.len(), cfg.reverse_post_order().len());
        for b in body.blocks.ids() {
            let strict: Vec<_> = body.blocks.ids().filter(|&a| dominators.strictly_dominates(a, b)).collect();
            let nearest =
                strict.iter().copied().find(|&a| strict.iter().all(|&c| dominators.dominates(c, a)));
            assert_eq!(dominators.idom(b), nearest, "{b} in {body:?}");
            let children: Vec<_> = dominators.children(b).collect();
            let mut sorted = children.clone();
            sorted.sort();
            let expected: Vec<_> = body.blocks.ids().filter(|&c| dominators.idom(c) == Some(b)).collect();
            assert_eq!(sorted, expected);
            for c in body.blocks.ids() {
                let common = dominators.common(b, c);
                let both = |a: BlockId| dominators.dominates(a, b) && dominators.dominates(a, c);
                assert_eq!(common.is_some(), cfg.is_reachable(b) && cfg.is_reachable(c));
                if let Some(common) = common {
                    assert!(both(common));
                    assert!(body.blocks.ids().filter(|&a| both(a)).all(|a| dominators.dominates(a, common)));
                }
            }
        }
    }

    #[test]
    fn post_dominators_are_what_the_definition_says() {
        let mut random = Random::new(2);
        for round in 0..400 {
            let blocks = 1 + random.below(24);
            let body = random_graph(&mut random, blocks, 1 + round % 4);
            let cfg = Cfg::new(&body);
            let post = PostDominators::new(&cfg);
            let leaves = |b: BlockId| cfg.successors(b).is_empty() || post.endless().contains(&b);
            for a in body.blocks.ids().filter(|&a| cfg.is_reachable(a)) {
                for b in body.blocks.ids().filter(|&b| cfg.is_reachable(b)) {
                    let without = reached(blocks, Some(b), Some(a), |b| cfg.successors(b));
                    let escapes = body.blocks.ids().any(|exit| without[exit.index()] && leaves(exit));
                    assert_eq!(post.post_dominates(a, b), !escapes, "{a} {b} in {body:?}");
                }
                let strict: Vec<_> =
                    body.blocks.ids().filter(|&b| post.strictly_post_dominates(b, a)).collect();
                let nearest =
                    strict.iter().copied().find(|&b| strict.iter().all(|&c| post.post_dominates(c, b)));
                assert_eq!(post.ipdom(a), nearest, "{a} in {body:?}");
            }
        }
    }

    #[test]
    fn the_head_of_an_endless_loop_post_dominates_the_way_into_it() {
        let cfg = Cfg::new(&graph(&[&[1], &[2, 3], &[3], &[1]]));
        let post = PostDominators::new(&cfg);
        assert_eq!(post.endless(), [block(1)]);
        assert_eq!(post.ipdom(block(0)), Some(block(1)));
        assert_eq!(post.ipdom(block(2)), Some(block(3)));
        assert_eq!(post.ipdom(block(1)), None);
    }

    #[test]
    fn control_dependence_is_the_post_dominance_frontier() {
        let cfg = Cfg::new(&graph(&[&[1, 2], &[3], &[3], &[]]));
        let frontiers = PostDominators::new(&cfg).frontiers(&cfg);
        assert_eq!(frontiers.of(block(1)), [block(0)]);
        assert_eq!(frontiers.of(block(3)), []);
    }

    #[test]
    fn phis_of_a_loop_variable_stand_at_the_loop_head() {
        let cfg = Cfg::new(&graph(&[&[1], &[2, 3], &[1], &[]]));
        let frontiers = Dominators::new(&cfg).frontiers(&cfg);
        assert_eq!(frontiers.iterated([block(0), block(2)]), [block(1)]);
    }

    #[test]
    fn a_body_without_blocks_has_an_empty_tree() {
        let cfg = Cfg::new(&Body::default());
        assert!(Dominators::new(&cfg).preorder().is_empty());
        assert!(PostDominators::new(&cfg).endless().is_empty());
    }

    #[test]
    fn deep_irreducible_graphs_take_near_linear_time() {
        // A ladder of two rails that cross at every rung: fixpoint iteration is slow on it.
        let rungs = 50_000;
        let lists: Vec<Vec<usize>> = (0..2 * rungs)
            .map(|node| match node {
                0 => vec![2, 3],
                node if node + 3 < 2 * rungs => vec![node + 2, (node ^ 1) + 2, (node ^ 1).max(1)],
                _ => vec![],
            })
            .collect();
        let cfg = Cfg::new(&graph(&lists.iter().map(Vec::as_slice).collect::<Vec<_>>()));
        let dominators = Dominators::new(&cfg);
        assert_eq!(dominators.preorder().len(), cfg.reverse_post_order().len());
    }
}
