//! Losses that need something of callers, in terms of entry values.
//!
//! In: what an evaluated function loses, and what its calls make callees lose (`calls/latent.rs`). Out: for each the least that entry values
//! must be. Where the solver finds that a call never makes it happen, that is told as well: a call of which nothing is told counts as one that does.
//!
//! What must hold: a condition is never more than the loss needs.

use crate::exits::lost::Exits;
use crate::limits::MOST_LATENT;
use crate::machine::ask::ask;
use crate::machine::journal::Provoked;
use crate::machine::memory::Origin;
use crate::machine::state::State;
use crate::outcomes::conditions::Tests;
use watertight_ir::InstId;
use watertight_logic::guard::Guard;
use watertight_logic::question::Answer;
use watertight_logic::solver::Solver;
use watertight_summary::{CallAt, Latent, Path, Step, When};

/// The losses of an evaluated function, and of what it calls, that need something of its callers.
pub(crate) fn latent(state: &mut State<'_>, exits: &Exits) -> Vec<Latent> {
    let mut tests = Tests::new(state);
    let mut all: Vec<Latent> = Vec::new();
    for (inst, guard) in own(state, exits) {
        let when = needed(state, guard, &mut tests);
        if !when.is_always() {
            let acquired = CallAt { function: state.id, inst };
            all.push(Latent { acquired, through: None, when });
        }
    }
    let mut solver: Option<Solver> = None;
    for Provoked { acquired, inst, guard } in std::mem::take(&mut state.journal.provoked) {
        let guard = state.formulas.guards.and_not(guard, state.seldom);
        let never = guard.is_false() || {
            let solver = solver.get_or_insert_with(Solver::new);
            matches!(ask(state, solver, guard), Answer::Unsat(_))
        };
        let when = if never { When::never() } else { needed(state, guard, &mut tests) };
        all.push(Latent { acquired, through: Some(CallAt { function: state.id, inst }), when });
    }
    all.truncate(MOST_LATENT);
    all
}

/// The least that entry values must be on some paths. What is asked of some element that is not known is left out: nobody could say
/// which one it is.
fn needed(state: &mut State<'_>, guard: Guard, tests: &mut Tests) -> When {
    let mut when = state.entry_condition(guard, tests);
    let known = |path: &Path| path.steps.iter().all(|step| matches!(step, Step::At(_) | Step::Number { .. }));
    for all in &mut when.any {
        all.retain(|test| known(&test.value) && test.other.as_ref().is_none_or(known));
    }
    if when.is_always() { When::always() } else { when }
}

/// When what each call acquires is lost in the function itself.
fn own(state: &mut State<'_>, exits: &Exits) -> Vec<(InstId, Guard)> {
    let mut own: Vec<(InstId, Guard)> = Vec::new();
    for lost in &exits.lost {
        let Origin::Fresh(site) = &state.objects[lost.object].origin else { continue };
        let inst = site.inst;
        let guard = if lost.surely.is_false() { lost.perhaps } else { lost.surely };
        let guard = state.formulas.guards.and_not(guard, state.seldom);
        match own.iter().position(|entry| entry.0 == inst) {
            Some(index) => own[index].1 = state.or(own[index].1, guard),
            None => own.push((inst, guard)),
        }
    }
    own
}
