//! Solving the constraints: wave propagation with cycle elimination and differences.
//!
//! Each wave collapses the cycles of inclusions that can be reached from what changed (their members have equal
//! sets in the end), hands the new part of every set on in topological order, and then applies the rules of the
//! nodes to what is new there, which adds inclusions for the next wave. Nodes whose sets did not change are not
//! visited. (Pereira and Berlin, "Wave propagation and deep propagation for pointer analysis", 2009.)
//!
//! The sets are the least solution, so the order of work cannot influence them.

use crate::graph::{Graph, NodeId};
use crate::set::Set;
use watertight_ir::Table;

/// What one run of the solver needs between waves.
#[derive(Default)]
pub struct Waves {
    /// Number of each node in the depth-first search, 0 when not reached.
    index: Table<NodeId, u32>,
    low: Table<NodeId, u32>,
    on_stack: Table<NodeId, bool>,
    /// Waves so far.
    pub count: u32,
    /// Locations handed to rules.
    pub steps: u64,
    /// Nodes that were united because they are in a cycle.
    pub collapsed: u32,
}

impl Waves {
    /// One wave of propagation. Gives what arrived where, for the rules; nothing when all is done.
    pub fn propagate(&mut self, graph: &mut Graph<'_>) -> Vec<(NodeId, Set)> {
        let mut roots = std::mem::take(&mut graph.changed);
        for root in &mut roots {
            graph.is_changed[*root] = false;
            *root = graph.find(*root);
        }
        roots.sort_unstable();
        roots.dedup();
        if roots.is_empty() {
            return Vec::new();
        }
        self.count += 1;
        let order = self.collapse(graph, &roots);
        let mut arrived = Vec::new();
        for &node in order.iter().rev() {
            let node = graph.find(node);
            let new = graph.sets[node].minus(&graph.done[node]);
            if new.is_empty() {
                continue;
            }
            graph.done[node].unite(&new);
            let mut copies = std::mem::take(&mut graph.copies[node]);
            for target in &mut copies {
                *target = graph.find(*target);
            }
            copies.sort_unstable();
            copies.dedup();
            copies.retain(|&target| target != node);
            for &target in &copies {
                graph.sets[target].unite(&new);
            }
            graph.copies[node] = copies;
            if !graph.rules[node].is_empty() {
                self.steps += new.count() as u64 * graph.rules[node].len() as u64;
                arrived.push((node, new));
            }
        }
        arrived
    }

    /// Unites the cycles that can be reached from `roots`; gives the nodes reached, successors first.
    fn collapse(&mut self, graph: &mut Graph<'_>, roots: &[NodeId]) -> Vec<NodeId> {
        while self.index.len() < graph.nodes() {
            self.index.push(0);
            self.low.push(0);
            self.on_stack.push(false);
        }
        let mut order = Vec::new();
        let mut next = 0u32;
        let mut open: Vec<NodeId> = Vec::new();
        let mut cycles: Vec<(NodeId, NodeId)> = Vec::new();
        let mut path: Vec<(NodeId, usize)> = Vec::new();
        for &root in roots {
            if self.index[root] != 0 {
                continue;
            }
            path.push((root, 0));
            while let Some(&mut (node, ref mut followed)) = path.last_mut() {
                if *followed == 0 {
                    next += 1;
                    self.index[node] = next;
                    self.low[node] = next;
                    self.on_stack[node] = true;
                    open.push(node);
                }
                if let Some(&target) = graph.copies[node].get(*followed) {
                    *followed += 1;
                    let target = graph.find(target);
                    if self.index[target] == 0 {
                        path.push((target, 0));
                    } else if self.on_stack[target] {
                        self.low[node] = self.low[node].min(self.index[target]);
                    }
                    continue;
                }
                path.pop();
                if let Some(&(parent, _)) = path.last() {
                    self.low[parent] = self.low[parent].min(self.low[node]);
                }
                if self.low[node] == self.index[node] {
                    while let Some(member) = open.pop() {
                        self.on_stack[member] = false;
                        if member == node {
                            break;
                        }
                        cycles.push((node, member));
                    }
                    order.push(node);
                }
            }
        }
        self.collapsed += cycles.len() as u32;
        for &node in &order {
            self.index[node] = 0;
        }
        for (node, member) in cycles {
            self.index[member] = 0;
            graph.unite(node, member);
        }
        order
    }
}
