//! Whether another turn of a loop loses another one.
//!
//! In: an object that is acquired in a loop and lost when the function is left. Out: whether a second turn repeats it. What
//! only the turn loses that ends the loop is one for each call, however often the loop runs.

use crate::exits::lost::Lost;
use crate::limits::REPEATED_TURNS;
use crate::machine::ask::ask;
use crate::machine::memory::{ObjectId, Origin};
use crate::machine::state::State;
use watertight_logic::guard::Guard;
use watertight_logic::question::Answer;
use watertight_logic::solver::Solver;

/// Whether what this call acquires in one turn and in another can be lost on one path.
pub(crate) fn repeats(state: &mut State<'_>, solver: &mut Solver, lost: &Lost, all: &[Lost]) -> bool {
    let Some(inst) = inst_of(state, lost.object) else { return true };
    let mut can = |state: &mut State<'_>, with: Guard| {
        let both = state.and(lost.perhaps, with);
        !both.is_false() && !matches!(ask(state, solver, both), Answer::Unsat(_))
    };
    let siblings = state.objects.ids().filter(|&id| inst_of(state, id) == Some(inst)).count();
    if siblings > 1 {
        let others: Vec<Guard> = all
            .iter()
            .filter(|other| other.object != lost.object && inst_of(state, other.object) == Some(inst))
            .map(|other| other.perhaps)
            .take(REPEATED_TURNS)
            .collect();
        return others.into_iter().any(|other| can(state, other));
    }
    // One turn stands for any: it is repeated if the loop can go on.
    let block = state.context.block_of(state.id, inst);
    let mut around = state.loops.innermost(block);
    while let Some(id) = around {
        let (header, level) = (state.loops[id].header(), state.loops[id].depth as usize - 1);
        let later = |state: &State<'_>, node: &crate::plan::unroll::NodeId| {
            let context = state.unrolled.nodes[*node].context;
            state.unrolled.contexts[context].get(level).is_some_and(|&turn| turn > 0)
        };
        let copies: Vec<_> =
            state.unrolled.copies(header).iter().copied().filter(|node| later(state, node)).collect();
        if copies.into_iter().any(|node| can(state, state.entered[node])) {
            return true;
        }
        around = state.loops[id].parent;
    }
    false
}

fn inst_of(state: &State<'_>, object: ObjectId) -> Option<watertight_ir::InstId> {
    match &state.objects[object].origin {
        Origin::Fresh(site) => Some(site.inst),
        _ => None,
    }
}
