//! Solving the constraints: wave propagation with cycle elimination and differences.
//!
//! Each wave collapses the cycles of inclusions that can be reached from what changed (their members have equal
//! sets in the end), hands the new part of every set on in topological order, and then applies the rules of the
//! nodes to what is new there, which adds inclusions for the next wave. Nodes whose sets did not change are not
//! visited. (Pereira and Berlin, "Wave propagation and deep propagation for pointer analysis", 2009.)
//!
//! Nodes of different classes filter what they take, so a cycle through several classes is not one node. Such a cycle
//! is gone through again in the next wave.
//!
//! The sets are the least solution, so the order of work cannot influence them.

use crate::graph::{Graph, NodeId};
use crate::set::Set;
use watertight_ir::Table;

/// What one run of the solver needs between waves.
#[derive(Default)]
pub(crate) struct Waves {
    /// Number of each node in the depth-first search, 0 when not reached.
    index: Table<NodeId, u32>,
    low: Table<NodeId, u32>,
    on_stack: Table<NodeId, bool>,
    /// The last wave that handed on what each node had.
    handed: Table<NodeId, u32>,
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
        while self.index.len() < graph.nodes() {
            self.index.push(0);
            self.low.push(0);
            self.on_stack.push(false);
            self.handed.push(0);
        }
        let reached = self.order(graph, &roots);
        self.collapse(graph, &reached);
        let mut arrived = Vec::new();
        for &node in reached.iter().rev() {
            if graph.find(node) != node {
                continue;
            }
            self.handed[node] = self.count;
            let new = graph.sets[node].minus(&graph.done[node]);
            if new.is_empty() {
                continue;
            }
            graph.done[node].unite(&new);
            let mut copies = std::mem::take(&mut graph.copies[node]);
            for target in &mut copies {
                *target = graph.shorten(*target);
            }
            copies.sort_unstable();
            copies.dedup();
            copies.retain(|&target| target != node);
            for &target in &copies {
                if graph.take(target, &new) && self.handed[target] == self.count {
                    graph.mark(target);
                }
            }
            graph.copies[node] = copies;
            if !graph.rules[node].is_empty() {
                self.steps += new.count() as u64 * graph.rules[node].len() as u64;
                arrived.push((node, new));
            }
        }
        arrived
    }

    /// The nodes that can be reached from `roots`, successors first.
    fn order(&mut self, graph: &Graph<'_>, roots: &[NodeId]) -> Vec<NodeId> {
        let mut order = Vec::new();
        let mut path: Vec<(NodeId, usize)> = Vec::new();
        for &root in roots {
            if std::mem::replace(&mut self.on_stack[root], true) {
                continue;
            }
            path.push((root, 0));
            while let Some(&mut (node, ref mut followed)) = path.last_mut() {
                match graph.copies[node].get(*followed) {
                    Some(&target) => {
                        *followed += 1;
                        let target = graph.find(target);
                        if !std::mem::replace(&mut self.on_stack[target], true) {
                            path.push((target, 0));
                        }
                    }
                    None => {
                        path.pop();
                        order.push(node);
                    }
                }
            }
        }
        for &node in &order {
            self.on_stack[node] = false;
        }
        order
    }

    /// Unites the cycles of nodes of one class among those reached.
    fn collapse(&mut self, graph: &mut Graph<'_>, reached: &[NodeId]) {
        let mut next = 0u32;
        let mut open: Vec<NodeId> = Vec::new();
        let mut cycles: Vec<(NodeId, NodeId)> = Vec::new();
        let mut path: Vec<(NodeId, usize)> = Vec::new();
        for &root in reached {
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
                    if graph.classes[target] != graph.classes[node] {
                        continue;
                    }
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
                }
            }
        }
        self.collapsed += cycles.len() as u32;
        for &node in reached {
            self.index[node] = 0;
        }
        for (node, member) in cycles {
            graph.unite(node, member);
        }
    }
}
