//! Where paths that parted are together again: the guard there is the one with which they parted.
//!
//! The guard of a node is the disjunction of its edges. Where every path that left an earlier node comes in, and no other does,
//! that disjunction is the guard of the earlier node, so nothing has to be computed. This matters most where guards
//! are long or have names: two that say the same would not be seen to be the same.
//!
//! Each node has a *share* of the paths, a number. Edges divide the share of the node that they leave: all but the last get a
//! number drawn at random, the last gets what is left. A node has the sum of what comes in. So shares stand for sums of
//! guards that exclude each other, and two of them are equal, but for chance (one in 2^64), only where the guards are. The numbers are
//! drawn in the same way in each run. A node in which paths end, and one with paths that lead out of the graph, begin anew.

use crate::plan::unroll::NodeId;
use rustc_hash::FxHashMap;
use watertight_ir::Table;
use watertight_logic::guard::Guard;

pub(crate) struct Shares {
    /// What has come into each node so far.
    into: Table<NodeId, u64>,
    /// The guards with which shares left their nodes.
    guards: FxHashMap<u64, Guard>,
    drawn: u64,
    /// What the edges of the node at hand have not got yet.
    rest: u64,
    /// Where the last of them leads.
    last: Option<NodeId>,
    /// Every path from the node at hand has an edge so far.
    whole: bool,
}

impl Shares {
    pub(crate) fn new(nodes: usize) -> Shares {
        Shares {
            into: Table::filled(nodes, 0),
            guards: FxHashMap::default(),
            drawn: 0,
            rest: 0,
            last: None,
            whole: true,
        }
    }

    /// The guard of a node if it is that of an earlier one.
    pub(crate) fn known(&self, node: NodeId) -> Option<Guard> {
        self.guards.get(&self.into[node]).copied()
    }

    /// A node is left: with the guard with which it was entered, or with less.
    pub(crate) fn leave(&mut self, node: NodeId, entered: Guard, left: Guard) {
        let share = match self.into[node] {
            0 => self.draw(),
            _ if entered != left => self.draw(),
            share => share,
        };
        self.guards.insert(share, left);
        (self.rest, self.last, self.whole) = (share, None, true);
    }

    /// Some paths take an edge.
    pub(crate) fn part(&mut self, to: NodeId) {
        let share = self.draw();
        self.into[to] = self.into[to].wrapping_add(share);
        self.rest = self.rest.wrapping_sub(share);
        self.last = Some(to);
    }

    /// Some paths leave the graph.
    pub(crate) fn lose(&mut self) {
        self.whole = false;
    }

    /// All edges of the node have been taken.
    pub(crate) fn parted(&mut self) {
        if let (true, Some(to)) = (self.whole, self.last) {
            self.into[to] = self.into[to].wrapping_add(self.rest);
        }
    }

    /// Some edges into a node do not count any more.
    pub(crate) fn forget(&mut self, node: NodeId) {
        self.into[node] = 0;
    }

    /// The next number, by the generator splitmix64.
    fn draw(&mut self) -> u64 {
        self.drawn = self.drawn.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.drawn ^ (self.drawn >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use watertight_ir::Id;

    /// Walks a graph whose nodes are in topological order; gives for each node the one whose guard it has. Guards
    /// are the numbers of nodes.
    fn walk(edges: &[&[usize]], ends: &[usize]) -> Vec<usize> {
        let mut shares = Shares::new(edges.len());
        let mut guards: Vec<Guard> = Vec::new();
        let mut all = watertight_logic::guard::Guards::default();
        for (index, targets) in edges.iter().enumerate() {
            let node = NodeId::new(index);
            let [fresh, other] = [(); 2].map(|()| {
                let condition = all.new_condition();
                all.literal(condition)
            });
            let entered = shares.known(node).unwrap_or(fresh);
            let left = if ends.contains(&index) { other } else { entered };
            guards.push(entered);
            shares.leave(node, entered, left);
            targets.iter().for_each(|&to| shares.part(NodeId::new(to)));
            shares.parted();
        }
        guards.iter().map(|guard| guards.iter().position(|other| other == guard).unwrap_or(0)).collect()
    }

    #[test]
    fn paths_that_parted_meet() {
        // A branch inside a branch; each join has the guard of its branch.
        assert_eq!(walk(&[&[1, 4], &[2, 3], &[3], &[4], &[]], &[]), [0, 1, 2, 1, 0]);
        // Jumps out of the middle, as to a common end.
        assert_eq!(walk(&[&[1, 4], &[2, 3], &[3], &[4], &[5], &[]], &[2]), [0, 1, 2, 3, 4, 4]);
        // What skips a join keeps it apart.
        assert_eq!(walk(&[&[1, 2], &[3, 4], &[3], &[4], &[]], &[]), [0, 1, 2, 3, 0]);
    }
}
