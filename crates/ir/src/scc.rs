//! Strongly connected components of any graph over typed ids.
//!
//! In: the number of nodes and a function from node to successors. Out: components in bottom-up order:
//! each component comes after all that it leads to, so a walk over them sees callees before callers.
//! Members of a component ascend. Nodes are tried in ascending order, so the result is the same on every
//! run. Method: Tarjan's algorithm with an explicit stack, linear in nodes and edges.
//!
//! ```
//! use watertight_ir::{BlockId, Id, scc};
//! let next = [vec![BlockId::new(1)], vec![BlockId::new(0)], vec![BlockId::new(0)]];
//! let components = scc::components(3, |block: BlockId| &next[block.index()][..]);
//! assert_eq!(components.members(0), [BlockId::new(0), BlockId::new(1)]);
//! assert_eq!(components.members(1), [BlockId::new(2)]);
//! ```

use crate::ids::Id;

/// A partition of nodes into strongly connected components, in bottom-up order.
#[derive(Clone, Debug)]
pub struct Components<K> {
    /// Members of all components, one component after the other.
    members: Vec<K>,
    /// Where each component starts in `members`; one more entry for the end.
    starts: Vec<u32>,
    of: Vec<u32>,
}

impl<K: Id> Components<K> {
    /// Number of components.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Which component `node` belongs to.
    pub fn of(&self, node: K) -> usize {
        self.of[node.index()] as usize
    }
    /// The nodes of a component, in ascending order.
    pub fn members(&self, component: usize) -> &[K] {
        &self.members[self.starts[component] as usize..self.starts[component + 1] as usize]
    }
    /// All components, bottom-up.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &[K]> + ExactSizeIterator {
        (0..self.len()).map(|component| self.members(component))
    }
}

/// The strongly connected components of the graph with `nodes` nodes.
pub fn components<'a, K: Id + 'a>(nodes: usize, successors: impl Fn(K) -> &'a [K]) -> Components<K> {
    let mut result = Components { members: Vec::with_capacity(nodes), starts: vec![0], of: vec![0; nodes] };
    let all: Vec<K> = (0..nodes).map(K::new).collect();
    Search::new(nodes).run(
        &all,
        successors,
        |_| true,
        |members| {
            let component = result.len() as u32;
            members.sort_unstable();
            members.iter().for_each(|member| result.of[member.index()] = component);
            result.members.extend_from_slice(members);
            result.starts.push(result.members.len() as u32);
        },
    );
    result
}

/// Work space for finding components, to be used again for parts of the same graph.
#[derive(Debug)]
pub(crate) struct Search<K> {
    /// The least number that a node is known to reach, or one of the two marks below.
    low: Vec<u32>,
    /// Nodes whose component is not complete, in order of discovery.
    open: Vec<K>,
    /// Node, number of edges followed, number of discovery.
    stack: Vec<(K, usize, u32)>,
}

const UNSEEN: u32 = u32::MAX;
const CLOSED: u32 = u32::MAX - 1;

impl<K: Id> Search<K> {
    pub(crate) fn new(nodes: usize) -> Search<K> {
        Search { low: vec![UNSEEN; nodes], open: Vec::new(), stack: Vec::new() }
    }

    /// Gives every component of the part of the graph that consists of `nodes`, bottom-up. `inside`
    /// tells whether a successor is one of `nodes`.
    pub(crate) fn run<'a>(
        &mut self,
        nodes: &[K],
        successors: impl Fn(K) -> &'a [K],
        inside: impl Fn(K) -> bool,
        mut found: impl FnMut(&mut [K]),
    ) where
        K: 'a,
    {
        nodes.iter().for_each(|node| self.low[node.index()] = UNSEEN);
        let mut next_number = 0;
        for &root in nodes {
            let mut entering = (self.low[root.index()] == UNSEEN).then_some(root);
            loop {
                if let Some(node) = entering.take() {
                    self.low[node.index()] = next_number;
                    self.stack.push((node, 0, next_number));
                    self.open.push(node);
                    next_number += 1;
                }
                let Some((node, followed, number)) = self.stack.last_mut() else { break };
                let (node, number) = (*node, *number);
                if let Some(&target) = successors(node).get(*followed) {
                    *followed += 1;
                    if !inside(target) {
                        continue;
                    }
                    match self.low[target.index()] {
                        UNSEEN => entering = Some(target),
                        CLOSED => {}
                        reached => self.low[node.index()] = self.low[node.index()].min(reached),
                    }
                    continue;
                }
                self.stack.pop();
                let low = self.low[node.index()];
                if low == number {
                    let first = self.open.iter().rposition(|&member| member == node);
                    let start = first.expect("a node stays open until its component is complete");
                    self.open[start..].iter().for_each(|member| self.low[member.index()] = CLOSED);
                    found(&mut self.open[start..]);
                    self.open.truncate(start);
                } else if let Some((parent, ..)) = self.stack.last() {
                    self.low[parent.index()] = self.low[parent.index()].min(low);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cfg::Cfg;
    use crate::ids::BlockId;
    use crate::testing::{Random, random_graph};

    #[test]
    fn components_are_the_classes_of_mutual_reachability() {
        let mut random = Random::new(3);
        for round in 0..300 {
            let blocks = 1 + random.below(20);
            let body = random_graph(&mut random, blocks, 1 + round % 3);
            let cfg = Cfg::new(&body);
            let found = components(blocks, |block: BlockId| cfg.successors(block));
            // Reachability by Warshall's closure.
            let mut reach = vec![vec![false; blocks]; blocks];
            for block in body.blocks.ids() {
                reach[block.index()][block.index()] = true;
                cfg.successors(block).iter().for_each(|next| reach[block.index()][next.index()] = true);
            }
            for middle in 0..blocks {
                for from in 0..blocks {
                    for to in 0..blocks {
                        reach[from][to] |= reach[from][middle] && reach[middle][to];
                    }
                }
            }
            for a in body.blocks.ids() {
                for b in body.blocks.ids() {
                    let mutual = reach[a.index()][b.index()] && reach[b.index()][a.index()];
                    assert_eq!(found.of(a) == found.of(b), mutual);
                    if reach[a.index()][b.index()] {
                        assert!(found.of(b) <= found.of(a), "bottom-up order");
                    }
                }
                assert!(found.members(found.of(a)).contains(&a));
            }
            assert!(found.iter().all(|members| members.is_sorted()));
            assert_eq!(found.iter().map(<[_]>::len).sum::<usize>(), blocks);
        }
    }
}
