//! What stands when the steps of a look are spent.
//!
//! Nodes are evaluated in topological order, so when a look stops, every way through the nodes it has behind it is known
//! exactly; only what comes later is not. In: a state whose evaluation was cut short. Out: the same state with the ways out
//! that are a few blocks away evaluated too: an early `return` jumps to the common end of the function, often past some
//! releases. What must hold: no path is added that evaluation had not reached, so what is lost at these exits is lost,
//! however the function goes on elsewhere. Loops that were not evaluated to their end say nothing.

use crate::limits;
use crate::machine::eval::enter;
use crate::machine::state::State;
use crate::plan::unroll::NodeId;
use watertight_ir::cfg::Cfg;
use watertight_ir::loops::Loops;
use watertight_ir::{BlockId, Id, Table};
use watertight_logic::budget::Budget;
use watertight_logic::guard::{Guard, GuardLimits};

/// Evaluates what is near the end from where evaluation was cut short.
pub(crate) fn finish(state: &mut State<'_>, cfg: &Cfg) {
    let stopped = state.node;
    let near = near_the_end(cfg, state.loops);
    let nodes = state.formulas.guards.node_count() + limits::TAIL.nodes;
    state.formulas.guards.set_limits(GuardLimits { nodes, ..limits::TAIL });
    // A loop that goes on behind a cut may come to a release that was not evaluated.
    state.journal.cuts.clear();
    for index in stopped.index() + 1..state.unrolled.nodes.len() {
        let node = NodeId::new(index);
        if near[state.unrolled.nodes[node].block] {
            let edges = std::mem::take(&mut state.edges[node]);
            state.shares.forget(node);
            let wanted = |edge: &(NodeId, Guard)| edge.0 > stopped || is_simple(state, edge.1);
            state.edges[node] = edges.into_iter().filter(wanted).collect();
            state.accepted_names = state.formulas.guards.definition_count();
            state.budget = Budget::new(limits::TAIL_STEPS);
            // Where even this is too much, nothing is known of what follows.
            let _ = enter(state, node);
        }
    }
    state.accepted_names = state.formulas.guards.definition_count();
}

/// Whether it is known exactly, and in few words, on which paths an edge is taken. The others made evaluation too long.
fn is_simple(state: &State<'_>, guard: Guard) -> bool {
    let guards = &state.formulas.guards;
    guards.size(guard) <= limits::TAIL_GUARD
        && guards.support(guard).into_iter().all(|condition| guards.definition(condition).is_none())
}

/// Blocks from which every way leads to an end, without a loop and through few blocks.
fn near_the_end(cfg: &Cfg, loops: &Loops) -> Table<BlockId, bool> {
    let near = |block: BlockId| {
        let mut seen = vec![block];
        let mut next = 0;
        while let Some(&block) = seen.get(next) {
            next += 1;
            if loops.innermost(block).is_some() || seen.len() > limits::TAIL_BLOCKS {
                return false;
            }
            for &to in cfg.successors(block) {
                if !seen.contains(&to) {
                    seen.push(to);
                }
            }
        }
        true
    };
    (0..cfg.block_count()).map(|index| near(BlockId::new(index))).collect()
}
