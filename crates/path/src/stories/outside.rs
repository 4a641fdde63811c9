//! Stories about blocks that the caller owns: the function did not acquire them, so it cannot be the one that forgets them,
//! but it can lose the one reference to them by a replacement that fails.

use crate::machine::ask::ask;
use crate::machine::journal::Failed;
use crate::machine::memory::ObjectId;
use crate::machine::state::State;
use crate::machine::value::Offset;
use crate::stories::witness::place_of;
use watertight_finding::{
    Doubt, Doubts, Ending, Growth, Said, Step, StepKind, Story, Support, Urgency, Variant,
};
use watertight_ir::spell::Speller;
use watertight_ir::{InstId, Op};
use watertight_logic::guard::Guard;
use watertight_logic::question::Answer;
use watertight_logic::solver::Solver;
use watertight_summary::KindId;

/// A block of the caller's that a failed replacement loses. Somebody else may know of it, but hardly.
pub fn replacement_lost(
    state: &mut State<'_>,
    solver: &mut Solver,
    failed: &Failed,
    object: ObjectId,
    guard: Guard,
) -> Option<Story> {
    let Answer::Sat(_) = ask_about(state, solver, guard, object) else { return None };
    let mut story = story_of(state, failed.inst);
    // ASSUME-3: the cell is the only reference.
    story.doubts.add(Doubt::OtherReference);
    story.ending = Ending::ReplacementFailed(story.acquired.clone(), failed.callee.to_string());
    let Op::Call(call) = &state.body.insts[failed.inst].op else { return None };
    let speller = Speller::new(state.context.program, state.id);
    story.held_in = speller.and_then(|speller| Some(speller.value(*call.args.get(failed.position)?)?.text));
    let said = Said::ReplacementFails { by: &failed.callee };
    story.steps = vec![Step::new(StepKind::Lost, story.acquired.clone(), said)];
    Some(story)
}

/// Asks whether a guard can hold while an address of the caller's is not null.
fn ask_about(state: &mut State<'_>, solver: &mut Solver, guard: Guard, object: ObjectId) -> Answer {
    let address = state.address_term(object, Offset::At(0));
    let width = state.formulas.terms.width(address);
    let null = state.constant(width, 0);
    let there = state.formulas.terms.ne(address, null);
    let there = state.formulas.guard(there);
    let guard = state.and(guard, there);
    ask(state, solver, guard)
}

/// What is known of a block that this function did not acquire.
fn story_of(state: &State<'_>, inst: InstId) -> Story {
    let kind = state.context.library.kinds.get(KindId::HEAP);
    let depth = state.loops.depth(state.context.block_of(state.id, inst));
    Story {
        ending: Ending::Lost,
        acquired: place_of(state, state.body.insts[inst].place),
        acquired_by: String::new(),
        given: true,
        memory: kind.memory,
        ordinal: ordinal(state, inst),
        kind: kind.name.to_string(),
        noun: kind.noun.to_string(),
        held_in: None,
        owner: None,
        variant: Variant::Overwritten,
        urgency: Urgency::MemoryRunsOut,
        growth: if depth > 0 { Growth::EachIteration } else { Growth::EachCall },
        steps: Vec::new(),
        sibling: None,
        needs: Vec::new(),
        assumptions: Vec::new(),
        doubts: Doubts::NONE,
        support: Support::SolverChecked,
    }
}

/// How many calls stand before this one.
fn ordinal(state: &State<'_>, inst: InstId) -> u32 {
    let insts = state.body.blocks.values().flat_map(|block| &block.insts);
    let calls = insts.filter(|&&other| matches!(state.body.insts[other].op, Op::Call(_)));
    calls.take_while(|&&other| other != inst).count() as u32
}
