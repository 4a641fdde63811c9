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

const NONE: u32 = u32::MAX;

/// The strongly connected components of the graph with `nodes` nodes.
pub fn components<'a, K: Id + 'a>(nodes: usize, successors: impl Fn(K) -> &'a [K]) -> Components<K> {
    let mut result =
        Components { members: Vec::with_capacity(nodes), starts: vec![0], of: vec![NONE; nodes] };
    // The order of discovery; later also the least one reached.
    let mut low = vec![NONE; nodes];
    let mut next_number = 0u32;
    let mut open: Vec<K> = Vec::new();
    let mut stack: Vec<(K, usize, u32)> = Vec::new();
    for root in (0..nodes).map(K::new) {
        if low[root.index()] != NONE {
            continue;
        }
        let mut entering = Some(root);
        loop {
            if let Some(node) = entering.take() {
                low[node.index()] = next_number;
                stack.push((node, 0, next_number));
                open.push(node);
                next_number += 1;
            }
            let Some((node, next_edge, number)) = stack.last_mut() else { break };
            let (node, number) = (*node, *number);
            if let Some(&target) = successors(node).get(*next_edge) {
                *next_edge += 1;
                if low[target.index()] == NONE {
                    entering = Some(target);
                } else if result.of[target.index()] == NONE {
                    low[node.index()] = low[node.index()].min(low[target.index()]);
                }
                continue;
            }
            stack.pop();
            if low[node.index()] == number {
                let component = result.len() as u32;
                let start = result.members.len();
                while let Some(member) = open.pop() {
                    result.of[member.index()] = component;
                    result.members.push(member);
                    if member == node {
                        break;
                    }
                }
                result.members[start..].sort_unstable();
                result.starts.push(result.members.len() as u32);
            } else if let Some((parent, ..)) = stack.last() {
                low[parent.index()] = low[parent.index()].min(low[node.index()]);
            }
        }
    }
    result
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
