//! Objects of the caller's that a failed replacement loses (`calls/replaced.rs` says what that is): nothing holds them any
//! more when the function is left (ASSUME-3).

use crate::assumptions::Supposed;
use crate::exits::lost::Exits;
use crate::machine::journal::Failed;
use crate::machine::memory::{ObjectId, Origin};
use crate::machine::state::State;
use crate::machine::value::Leaf;
use watertight_logic::guard::Guard;
use watertight_summary::Step;

/// Objects of the caller's that a failed replacement loses, and when.
pub fn lost_outside(state: &mut State<'_>, exits: &Exits) -> Vec<(Failed, ObjectId, Guard)> {
    if !state.assumes(Supposed::OneReference) {
        return Vec::new();
    }
    let mut lost: Vec<(Failed, ObjectId, Guard)> = Vec::new();
    for failed in state.journal.failed_replacements.clone() {
        for &(when, leaf) in &failed.argument {
            let Leaf::Address(object, _) = leaf else { continue };
            if !held_by_one_cell(state, object) {
                continue;
            }
            let entry = &state.objects[object];
            let (released, kept, assumed) = (entry.released, entry.kept, entry.assumed_kept);
            let safe = state.formulas.guards.or_all([released, kept, assumed]);
            let left = state.formulas.guards.and_all([failed.guard, when, exits.returned]);
            let mut guard = state.formulas.guards.and_not(left, safe);
            for held in holders(state, object) {
                guard = state.formulas.guards.and_not(guard, held);
            }
            if guard.is_false() || lost.iter().any(|known| known.0.inst == failed.inst && known.1 == object) {
                continue;
            }
            lost.push((failed.clone(), object, guard));
        }
    }
    lost
}

/// Whether an object is what one cell of the caller's led to at entry.
fn held_by_one_cell(state: &State<'_>, object: ObjectId) -> bool {
    match &state.objects[object].origin {
        Origin::Entry(path) => {
            !path.steps.is_empty() && path.steps.iter().all(|step| matches!(step, Step::At(_)))
        }
        _ => false,
    }
}

/// When something that lives on after the function holds an object.
fn holders(state: &State<'_>, object: ObjectId) -> Vec<Guard> {
    let mut guards = Vec::new();
    for holder in state.objects.values() {
        if !matches!(holder.origin, Origin::Stack(_)) {
            guards.extend(holder.held().filter(|entry| entry.1 == object).map(|entry| entry.0));
        }
    }
    for (_, guard, sym) in &state.returns {
        if sym.as_ref().is_some_and(|sym| sym.leads_to(object)) {
            guards.push(*guard);
        }
    }
    guards
}
