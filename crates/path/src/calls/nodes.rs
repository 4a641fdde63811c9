//! The nodes of a chain in the caller's memory, for effects of a callee on each of them.
//!
//! In: the addresses of first nodes, and the offsets of their links. Out: the addresses of all nodes behind them, each with when
//! it is one. Nodes are followed as far as memory is known; a chain that comes back to a node has it once. A node that is reached by
//! several ways waits for its turn with all of them.

use crate::limits::CHAIN_NODES;
use crate::machine::state::State;
use crate::machine::value::{Leaf, Leaves};
use std::collections::VecDeque;
use watertight_ir::Type;
use watertight_logic::guard::Guard;

impl State<'_> {
    pub(crate) fn nodes_behind(&mut self, first: &Leaves, link: i64, also: Option<i64>) -> Leaves {
        let mut found: Leaves = Vec::new();
        let mut open: VecDeque<(Guard, Leaf)> = first.iter().copied().collect();
        let mut followed = 0;
        while let Some((guard, leaf)) = open.pop_front() {
            let is_node = matches!(leaf, Leaf::Address(object, _) if !self.objects[object].is_number);
            if !is_node || followed == CHAIN_NODES {
                continue;
            }
            followed += 1;
            for link in [Some(link), also].into_iter().flatten() {
                let next = vec![(guard, self.moved(leaf, link))];
                let next = self.load(&next, Type::Ptr);
                for (when, next) in self.leaves(&next, self.pointer_width()) {
                    let when = self.and(when, guard);
                    let known = found.iter().position(|entry| entry.1 == next);
                    let before = known.map_or(Guard::FALSE, |known| found[known].0);
                    let all = self.or(before, when);
                    if all == before {
                        continue;
                    }
                    match known {
                        Some(known) => found[known].0 = all,
                        None => found.push((all, next)),
                    }
                    match open.iter().position(|entry| entry.1 == next) {
                        Some(waits) => open[waits].0 = self.or(open[waits].0, when),
                        None => open.push_back((when, next)),
                    }
                }
            }
        }
        found
    }
}
