//! Solving the constraints: propagation in topological order with cycle elimination and differences.
//!
//! Each wave hands the new part of every set on until nothing changes any more, in an order in which, as far as
//! possible, a node is visited after all that flow into it. Then the rules of the nodes are applied to what is new
//! there, which adds inclusions for the next wave. Nodes whose sets did not change are not visited. Whenever the graph
//! has grown by a part, its cycles are collapsed (their members have equal sets in the end) and the order is found
//! anew. (After Pereira and Berlin, "Wave propagation and deep propagation for pointer analysis", 2009.)
//!
//! Nodes of different classes filter what they take, so a cycle through several classes is not one node.
//!
//! The order of work is fixed by the program, and so is the result.

use crate::graph::{Graph, NodeId};
use crate::set::Set;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use watertight_ir::{Id, Table};

/// What one run of the solver needs between waves.
#[derive(Default)]
pub(crate) struct Waves {
    /// The place of each node in the order.
    ranks: Table<NodeId, u32>,
    /// Nodes that are to be visited in this wave.
    waiting: Table<NodeId, bool>,
    /// What arrived at nodes with rules in this wave.
    arrived: Table<NodeId, Option<Set>>,
    /// Inclusions when the order was found.
    ordered: usize,
    /// Waves so far.
    pub(crate) count: u32,
    /// Locations handed to rules.
    pub(crate) steps: u64,
    /// Nodes that were united because they are in a cycle.
    pub(crate) collapsed: u32,
}

impl Waves {
    /// One wave of propagation. Gives what arrived where, for the rules; nothing when all is done.
    pub(crate) fn propagate(&mut self, graph: &mut Graph<'_>) -> Vec<(NodeId, Set)> {
        if graph.changed.is_empty() {
            return Vec::new();
        }
        self.count += 1;
        while self.ranks.len() < graph.nodes() {
            self.ranks.push(u32::MAX);
            self.waiting.push(false);
            self.arrived.push(None);
        }
        if self.count == 1 || graph.edges() > self.ordered + self.ordered / 8 {
            self.order(graph);
        }
        let mut open = BinaryHeap::new();
        for node in std::mem::take(&mut graph.changed) {
            graph.is_changed[node] = false;
            self.visit(&mut open, graph.find(node));
        }
        let mut reached = Vec::new();
        while let Some(Reverse((_, node))) = open.pop() {
            self.waiting[node] = false;
            // Nobody asks what is new here; whoever comes later takes all of it.
            if graph.is_leaf(node) {
                continue;
            }
            let new = graph.sets[node].minus(&graph.done[node]);
            if new.is_empty() {
                continue;
            }
            graph.done[node].unite(&new);
            let mut copies = std::mem::take(&mut graph.copies[node]);
            for target in &mut copies {
                *target = graph.shorten(*target);
                if *target != node && graph.take(*target, &new) {
                    self.visit(&mut open, *target);
                }
            }
            graph.copies[node] = copies;
            if !graph.rules[node].is_empty() {
                self.steps += new.count() as u64 * graph.rules[node].len() as u64;
                match &mut self.arrived[node] {
                    Some(arrived) => {
                        arrived.unite(&new);
                    }
                    slot => {
                        *slot = Some(new);
                        reached.push(node);
                    }
                }
            }
        }
        reached.sort_unstable();
        let arrived = &mut self.arrived;
        reached.into_iter().filter_map(|node| arrived[node].take().map(|new| (node, new))).collect()
    }

    fn visit(&mut self, open: &mut BinaryHeap<Reverse<(u32, NodeId)>>, node: NodeId) {
        if !std::mem::replace(&mut self.waiting[node], true) {
            open.push(Reverse((self.ranks[node], node)));
        }
    }

    /// Unites the cycles of nodes of one class. (Tarjan's algorithm.)
    fn collapse(&mut self, graph: &mut Graph<'_>) {
        let count = graph.nodes();
        let mut index: Table<NodeId, u32> = Table::filled(count, 0);
        let mut low: Table<NodeId, u32> = Table::filled(count, 0);
        let mut on_stack: Table<NodeId, bool> = Table::filled(count, false);
        let mut next = 0u32;
        let mut open: Vec<NodeId> = Vec::new();
        let mut cycles: Vec<(NodeId, NodeId)> = Vec::new();
        let mut path: Vec<(NodeId, usize)> = Vec::new();
        for number in 0..count {
            let root = NodeId::new(number);
            if index[root] != 0 || graph.find(root) != root {
                continue;
            }
            path.push((root, 0));
            while let Some(&mut (node, ref mut followed)) = path.last_mut() {
                if *followed == 0 {
                    next += 1;
                    index[node] = next;
                    low[node] = next;
                    on_stack[node] = true;
                    open.push(node);
                    tidy(graph, node);
                }
                if let Some(&target) = graph.copies[node].get(*followed) {
                    *followed += 1;
                    if graph.classes[target] != graph.classes[node]
                        || graph.hub.is_cell(target)
                        || graph.hub.is_cell(node)
                    {
                        continue;
                    }
                    if index[target] == 0 {
                        path.push((target, 0));
                    } else if on_stack[target] {
                        low[node] = low[node].min(index[target]);
                    }
                    continue;
                }
                path.pop();
                if let Some(&(parent, _)) = path.last() {
                    low[parent] = low[parent].min(low[node]);
                }
                if low[node] == index[node] {
                    while let Some(member) = open.pop() {
                        on_stack[member] = false;
                        if member == node {
                            break;
                        }
                        cycles.push((node, member));
                    }
                }
            }
        }
        self.collapsed += cycles.len() as u32;
        for (node, member) in cycles {
            graph.unite(node, member);
        }
    }

    /// Collapses cycles, and finds the order.
    fn order(&mut self, graph: &mut Graph<'_>) {
        self.collapse(graph);
        let count = graph.nodes();
        let mut seen: Table<NodeId, bool> = Table::filled(count, false);
        let mut rank = u32::MAX;
        let mut path: Vec<(NodeId, usize)> = Vec::new();
        for number in 0..count {
            let root = NodeId::new(number);
            if graph.find(root) != root || std::mem::replace(&mut seen[root], true) {
                continue;
            }
            path.push((root, 0));
            while let Some(&mut (node, ref mut followed)) = path.last_mut() {
                if let Some(&target) = graph.copies[node].get(*followed) {
                    *followed += 1;
                    let target = graph.shorten(target);
                    if !std::mem::replace(&mut seen[target], true) {
                        path.push((target, 0));
                    }
                    continue;
                }
                path.pop();
                rank -= 1;
                self.ranks[node] = rank;
            }
        }
        self.ordered = graph.edges();
    }
}

/// Names the targets of a node by their representatives, each once.
fn tidy(graph: &mut Graph<'_>, node: NodeId) {
    let mut copies = std::mem::take(&mut graph.copies[node]);
    for target in &mut copies {
        *target = graph.shorten(*target);
    }
    copies.sort_unstable();
    copies.dedup();
    copies.retain(|&target| target != node);
    graph.copies[node] = copies;
}
