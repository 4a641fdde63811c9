//! Stories about blocks that the caller owns: the function did not acquire them, so it cannot be the one that forgets them,
//! but it can release them twice, or lose the one reference to them by a replacement that fails.

use crate::context::Known;
use crate::memory::{ObjectId, Origin};
use crate::replaced::Failed;
use crate::state::{EventKind, State};
use crate::value::Offset;
use crate::witness::{ask, place_of};
use watertight_finding::{Confidence, Ending, Growth, Step, StepKind, Story, Support, Variant};
use watertight_ir::spell::Speller;
use watertight_ir::{Callee, Def, InstId, Op};
use watertight_logic::guard::Guard;
use watertight_logic::question::Answer;
use watertight_logic::solver::Solver;
use watertight_summary::{Completeness, KindId, Path, Root, Step as PathStep};

/// A block of the caller's that is released twice.
pub fn released_again(
    state: &mut State<'_>,
    solver: &mut Solver,
    object: ObjectId,
    guard: Guard,
    inst: InstId,
) -> Option<Story> {
    let Origin::Entry(path) = state.objects[object].origin.clone() else { return None };
    // An element at an unknown index stands for several, and a number may well be a new descriptor.
    if path.steps.iter().any(|step| !matches!(step, PathStep::At(_))) {
        return None;
    }
    let first =
        state.events.iter().find(|event| event.object == object && event.kind == EventKind::Release)?;
    let (first, place) = (first.inst, state.body.insts[first.inst].place);
    if !well_known(state, first) || !well_known(state, inst) {
        return None;
    }
    let Answer::Sat(_) = ask_about(state, solver, guard, object) else { return None };
    let again = place_of(state, state.body.insts[inst].place);
    let mut story = story_of(state, first);
    story.ending = Ending::ReleasedAgain(again.clone());
    story.confidence = if state.incomplete { Confidence::Medium } else { Confidence::High };
    story.held_in = name_of(state, first, &path);
    let place = place_of(state, place);
    story.steps = vec![
        Step::new(StepKind::Release, place, "it is released here"),
        Step::new(StepKind::Note, again, "and again here"),
    ];
    Some(story)
}

/// Whether everything is known of what a call does.
fn well_known(state: &State<'_>, inst: InstId) -> bool {
    let Op::Call(call) = &state.body.insts[inst].op else { return false };
    let Callee::Direct(callee) = call.callee else { return false };
    match state.component.lookup(state.context, callee) {
        Known::Summary(summary) => summary.completeness == Completeness::Whole,
        Known::Pending | Known::Nothing => false,
    }
}

/// What the source calls what a call releases, if that is the argument itself.
fn name_of(state: &State<'_>, inst: InstId, path: &Path) -> Option<String> {
    let Op::Call(call) = &state.body.insts[inst].op else { return None };
    let speller = Speller::new(state.context.program, state.id)?;
    match (path.root, &path.steps[..]) {
        (Root::Param(index), []) => {
            let param = state.body.values.iter().find(|(_, data)| data.def == Def::Param(index))?;
            Some(speller.value(param.0)?.text)
        }
        _ => Some(speller.value(*call.args.first()?)?.text),
    }
}

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
    story.ending = Ending::ReplacementFailed(story.acquired.clone(), failed.callee.to_string());
    story.confidence = Confidence::Medium;
    let Op::Call(call) = &state.body.insts[failed.inst].op else { return None };
    let speller = Speller::new(state.context.program, state.id);
    story.held_in = speller.and_then(|speller| Some(speller.value(*call.args.get(failed.position)?)?.text));
    let text = format!(
        "if `{}` fails here, its result overwrites the last reference to the old block",
        failed.callee
    );
    story.steps = vec![Step::new(StepKind::Lost, story.acquired.clone(), text)];
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
        ordinal: ordinal(state, inst),
        kind: kind.name.to_string(),
        noun: kind.noun.to_string(),
        held_in: None,
        variant: Variant::Overwritten,
        growth: if depth > 0 { Growth::EachIteration } else { Growth::EachCall },
        steps: Vec::new(),
        sibling: None,
        assumptions: Vec::new(),
        confidence: Confidence::High,
        support: Support::SolverChecked,
    }
}

/// How many calls stand before this one.
fn ordinal(state: &State<'_>, inst: InstId) -> u32 {
    let insts = state.body.blocks.values().flat_map(|block| &block.insts);
    let calls = insts.filter(|&&other| matches!(state.body.insts[other].op, Op::Call(_)));
    calls.take_while(|&&other| other != inst).count() as u32
}
