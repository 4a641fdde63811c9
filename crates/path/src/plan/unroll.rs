//! The loop-free graph that is evaluated: copies of blocks, one per bounded number of loop iterations.
//!
//! In: a body and the loop around each block. Out: [`Unrolled`], a list of nodes in topological order. A node
//! is a copy of a block in a context, the iteration number of each loop around it. An edge that goes back in
//! reverse post-order starts the next iteration of the innermost loop around both ends; so irreducible graphs
//! need no special care. After its number of iterations a loop has a *general* one, which stands for some later one: what
//! the iterations before changed is generalised at its start (`last_pass.rs`), and the body is there once more. Then
//! follows a *last pass*: there the loop is only left, and edges that would go deeper into it are cut. Where that makes
//! too many copies the last pass follows at once and stands for the end of however many more iterations there may be. A
//! *havocked* loop has one iteration that stands for any, and a last pass.

use crate::limits;
use crate::plan::steered::turns_wanted;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use watertight_ir::cfg::Cfg;
use watertight_ir::loops::Loops;
use watertight_ir::{BlockId, Body, LoopId, Op, Table};

watertight_ir::define_ids! {
    /// A copy of a block.
    NodeId "n";
    /// The iteration numbers of the loops around a node.
    ContextId "ctx";
}

/// How often loops may run.
#[derive(Copy, Clone, Debug)]
pub struct Limits {
    /// Iterations of an outermost loop.
    pub outer: u32,
    /// Iterations of a loop inside another.
    pub inner: u32,
    /// Iterations of an outermost loop that a variable steers which is set to several constants.
    pub states: u32,
    /// Copies up to which loops run more than once.
    pub easy: usize,
    /// Copies in all; a body with more is not unrolled.
    pub nodes: usize,
    /// Copies up to which loops have a general iteration.
    pub general: usize,
    /// Whether loops have a last pass.
    pub last_pass: bool,
}

impl Limits {
    /// In functions that are evaluated for themselves.
    pub(crate) const LOOPS: Limits = Limits {
        outer: limits::OUTER_TURNS,
        inner: limits::INNER_TURNS,
        states: limits::STATE_TURNS,
        easy: limits::EASY_COPIES,
        nodes: limits::MOST_COPIES,
        general: limits::GENERAL_COPIES,
        last_pass: true,
    };
    /// In a function that is followed in the memory of its caller.
    pub(crate) const FOLLOWED: Limits = Limits {
        outer: limits::FOLLOWED_OUTER_TURNS,
        inner: limits::FOLLOWED_INNER_TURNS,
        states: limits::FOLLOWED_STATE_TURNS,
        easy: limits::FOLLOWED_COPIES,
        nodes: limits::FOLLOWED_COPIES,
        general: 0,
        last_pass: false,
    };
}

/// How many loops are around both blocks.
pub fn common_depth(loops: &Loops, a: BlockId, b: BlockId) -> u32 {
    let (Some(mut a), Some(mut b)) = (loops.innermost(a), loops.innermost(b)) else { return 0 };
    while a != b {
        let deeper = if loops[a].depth >= loops[b].depth { &mut a } else { &mut b };
        match loops[*deeper].parent {
            Some(parent) => *deeper = parent,
            None => return 0,
        }
    }
    loops[a].depth
}

/// A copy of a block.
#[derive(Clone, Debug)]
pub struct Node {
    pub block: BlockId,
    pub context: ContextId,
    /// Copies that control comes from.
    pub predecessors: Vec<NodeId>,
}

/// The loop-free graph.
#[derive(Clone, Debug, Default)]
pub struct Unrolled {
    /// In topological order; the first is the entry.
    pub nodes: Table<NodeId, Node>,
    /// Iteration numbers, outermost loop first.
    pub contexts: Table<ContextId, Box<[u32]>>,
    node_of: FxHashMap<(BlockId, ContextId), NodeId>,
    context_of: FxHashMap<Box<[u32]>, ContextId>,
    /// Copies of each block, in topological order.
    copies: Table<BlockId, Vec<NodeId>>,
}

impl Unrolled {
    pub fn copies(&self, block: BlockId) -> &[NodeId] {
        &self.copies[block]
    }

    /// The copy of `block` in the first `depth` iteration numbers of `context`.
    pub fn copy_in(&self, block: BlockId, context: ContextId, depth: u32) -> Option<NodeId> {
        let full = &self.contexts[context];
        let context = if full.len() == depth as usize {
            context
        } else {
            *self.context_of.get(full.get(..depth as usize)?)?
        };
        self.node_of.get(&(block, context)).copied()
    }

    /// The copy of the same block in another iteration of the innermost loop around it.
    pub fn in_iteration(&self, node: NodeId, number: u32) -> Option<NodeId> {
        let node = &self.nodes[node];
        let mut context = self.contexts[node.context].clone();
        *context.last_mut()? = number;
        let context = *self.context_of.get(&context)?;
        self.node_of.get(&(node.block, context)).copied()
    }

    /// The copy that the edge from `from` to the block `to` leads to; absent when the edge is cut.
    pub fn target(&self, loops: &Loops, plan: &Plan, from: NodeId, to: BlockId) -> Option<NodeId> {
        let node = &self.nodes[from];
        let context = next_context(loops, plan, node.block, &self.contexts[node.context], to)?;
        let context = *self.context_of.get(&context[..])?;
        self.node_of.get(&(to, context)).copied()
    }
}

/// How often each loop runs, and which loops stand for any number of iterations.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Iterations before one stands for some later one.
    pub iterations: Table<LoopId, u32>,
    pub havocked: Table<LoopId, bool>,
    /// Loops that only look for something.
    pub scanning: Table<LoopId, bool>,
    /// Whether the iteration that stands for a later one is there in full, or is a last pass.
    general: bool,
    /// Blocks that the last pass of the innermost loop around them goes through.
    leaving: Table<BlockId, bool>,
}

impl Plan {
    /// The number of the last pass of a loop, in which it is only left.
    fn last(&self, id: LoopId) -> u32 {
        self.iterations[id] + u32::from(self.general && !self.havocked[id])
    }

    /// Whether the iteration with a number stands for some later one and is there in full.
    pub fn is_general(&self, id: LoopId, number: u32) -> bool {
        self.general && !self.havocked[id] && number == self.iterations[id]
    }

    /// Whether a block is on the way from an entry of the innermost loop around it to where that is first left.
    pub fn is_leaving(&self, block: BlockId) -> bool {
        self.leaving[block]
    }
}

/// The blocks on the way from the entries of each loop to where it is first left. Behind such a place only
/// blocks follow that do nothing but test something else, as in `while (a && b)`.
fn leaving(body: &Body, cfg: &Cfg, loops: &Loops) -> Table<BlockId, bool> {
    let mut leaving = Table::filled(body.blocks.len(), false);
    for (id, data) in loops.iter() {
        let mut open: VecDeque<BlockId> = data.entries.iter().copied().collect();
        let mut count = 0;
        while let Some(block) = open.pop_front()
            && count < limits::LAST_PASS_BLOCKS
        {
            if leaving[block] {
                continue;
            }
            leaving[block] = true;
            count += 1;
            let left = cfg.successors(block).iter().any(|&to| !loops.contains(id, to));
            for &to in cfg.successors(block) {
                if loops.innermost(to) == Some(id)
                    && !loops.is_back_edge(block, to)
                    && (!left || only_computes(body, to))
                {
                    open.push_back(to);
                }
            }
        }
    }
    leaving
}

/// Whether a block neither calls nor writes anything.
fn only_computes(body: &Body, block: BlockId) -> bool {
    body.block_insts(block).all(|(_, inst)| {
        !matches!(
            inst.op,
            Op::Call(_)
                | Op::Store { .. }
                | Op::MemCopy { .. }
                | Op::MemFill { .. }
                | Op::Atomic { .. }
                | Op::CompareExchange { .. }
                | Op::Unknown(_)
        )
    })
}

/// Iteration numbers after the edge `from` to `to`; absent when the edge is cut.
fn next_context(
    loops: &Loops,
    plan: &Plan,
    from: BlockId,
    context: &[u32],
    to: BlockId,
) -> Option<Box<[u32]>> {
    let common = common_depth(loops, from, to) as usize;
    let mut next = context[..common].to_vec();
    if loops.is_back_edge(from, to) {
        // Edges around a loop lead to an entry, which belongs to no inner loop.
        let around = loops.innermost(to)?;
        let number = next.last_mut()?;
        *number += 1;
        if *number > plan.last(around) {
            return None;
        }
    }
    next.resize(loops.depth(to) as usize, 0);
    // In its last pass a loop is only left, and loops inside it are not entered.
    let innermost = loops.innermost(to);
    let mut around = innermost;
    while let Some(id) = around {
        let last = next[loops[id].depth as usize - 1] >= plan.last(id);
        if last && !(around == innermost && plan.leaving[to]) {
            return None;
        }
        around = loops[id].parent;
    }
    Some(next.into())
}

/// Unrolls a body so far as `limits` allow. Absent when even one iteration each is too much.
pub fn unroll(
    body: &Body,
    cfg: &Cfg,
    loops: &Loops,
    limits: &Limits,
    havocked: &Table<LoopId, bool>,
    scanning: &Table<LoopId, bool>,
) -> Option<(Unrolled, Plan)> {
    let leaving =
        if limits.last_pass { leaving(body, cfg, loops) } else { Table::filled(body.blocks.len(), false) };
    let most = |id: LoopId| match loops[id].depth {
        _ if scanning[id] => 1,
        0 | 1 => limits.outer.max(turns_wanted(body, loops, id).min(limits.states)),
        _ => limits.inner,
    };
    let wanted: Table<LoopId, u32> = loops.iter().map(|(id, _)| most(id)).collect();
    let mut plan = Plan {
        iterations: wanted.clone(),
        havocked: havocked.clone(),
        scanning: scanning.clone(),
        general: limits.general > 0,
        leaving,
    };
    let all = wanted.values().copied().max().unwrap_or(1);
    // First fewer iterations of all loops, then none that stands for a later one.
    for less in 0..=all {
        let once = less + 1 >= all;
        plan.general &= less < all;
        plan.iterations = wanted
            .iter()
            .map(|(id, most)| if havocked[id] { 1 } else { most.saturating_sub(less).max(1) })
            .collect();
        let most = match (once, plan.general) {
            (false, _) => limits.easy,
            (true, true) => limits.general,
            (true, false) => limits.nodes,
        };
        if let Some(unrolled) = expand(body, cfg, loops, &plan, most.min(limits.nodes)) {
            return Some((unrolled, plan));
        }
    }
    None
}

fn expand(body: &Body, cfg: &Cfg, loops: &Loops, plan: &Plan, most: usize) -> Option<Unrolled> {
    // Depth-first over copies; finished copies in reverse are in topological order.
    let mut contexts: Table<ContextId, Box<[u32]>> = Table::new();
    let mut context_of: FxHashMap<Box<[u32]>, ContextId> = FxHashMap::default();
    let mut intern = |context: Box<[u32]>| {
        *context_of.entry(context).or_insert_with_key(|context| contexts.push(context.clone()))
    };
    type Key = (BlockId, ContextId);
    let entry: Key = (body.entry(), intern(Box::default()));
    let mut seen: FxHashMap<Key, ()> = FxHashMap::default();
    let mut finished: Vec<Key> = Vec::new();
    let mut stack: Vec<(Key, Box<[u32]>, usize)> = vec![(entry, Box::default(), 0)];
    let mut edges: Vec<(Key, Key)> = Vec::new();
    seen.insert(entry, ());
    while let Some((key, context, position)) = stack.last_mut() {
        let successors = cfg.successors(key.0);
        let Some(&to) = successors.get(*position) else {
            finished.push(*key);
            stack.pop();
            continue;
        };
        *position += 1;
        let from = *key;
        if let Some(next) = next_context(loops, plan, from.0, context, to) {
            let target = (to, intern(next.clone()));
            edges.push((from, target));
            if seen.insert(target, ()).is_none() {
                if seen.len() > most {
                    return None;
                }
                stack.push((target, next, 0));
            }
        }
    }
    let mut unrolled =
        Unrolled { copies: Table::filled(body.blocks.len(), Vec::new()), ..Unrolled::default() };
    for &(block, context) in finished.iter().rev() {
        let id = unrolled.nodes.push(Node { block, context, predecessors: Vec::new() });
        unrolled.node_of.insert((block, context), id);
        unrolled.copies[block].push(id);
    }
    for (from, to) in edges {
        let (from, to) = (unrolled.node_of[&from], unrolled.node_of[&to]);
        unrolled.nodes[to].predecessors.push(from);
    }
    unrolled.contexts = contexts;
    unrolled.context_of = context_of;
    Some(unrolled)
}
