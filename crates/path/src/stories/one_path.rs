//! Which inventions a suspicion needs, asked along one path.
//!
//! Where a guard is small, all conditions that nobody decided are quantified away at once (`inventions.rs`). A guard that
//! became too large has names in it which stand for parts of it, and quantifying would have to unfold them. The principle here
//! needs no quantifier: the solver gives one situation in which the suspicion comes true, everything in it that is real
//! (arguments, memory of the caller's, what the library gives) is held fast, and the solver is asked whether the suspicion can
//! still fail, whatever the inventions turn out to be. If it cannot, the suspicion is true there without any of them: what
//! was needed of the real conditions to say so is a guard of its own, free of names.
//!
//! In: the guard of a suspicion and what it rests on. Out: the paths on which it needs no invention, one for each way out at
//! most; or which inventions one path needs. What must hold: the guard that is given back implies the suspicion.

use crate::limits;
use crate::machine::ask::{ask, ask_with};
use crate::machine::state::State;
use crate::stories::inventions::Rests;
use watertight_finding::{Doubt, Doubts};
use watertight_logic::guard::{Condition, Guard};
use watertight_logic::question::{Answer, Assumption as Premise};
use watertight_logic::solver::Solver;

/// The part of a guard that holds whatever the truth about inventions is, as far as a few paths show it: one for each
/// way out.
pub(crate) fn solid_paths(
    state: &mut State<'_>,
    solver: &mut Solver,
    guard: Guard,
    rests: &Rests,
    ways_out: &[Guard],
) -> Guard {
    let mut all = Guard::FALSE;
    if rests.count() > limits::PATH_CONDITIONS {
        return all;
    }
    for &way in ways_out.iter().take(limits::PATHS_ASKED) {
        let there = state.and(guard, way);
        let there = state.formulas.guards.and_not(there, all);
        let path = if there.is_false() { None } else { solid_path(state, solver, there, rests) };
        all = state.or(all, path.unwrap_or(Guard::FALSE));
    }
    all
}

/// One path on which a guard holds whatever the truth about inventions is, as the real conditions that make it so.
fn solid_path(state: &mut State<'_>, solver: &mut Solver, guard: Guard, rests: &Rests) -> Option<Guard> {
    let mut wanted = guard;
    for &(never, _) in &rests.never {
        wanted = state.formulas.guards.and_not(wanted, never);
    }
    let real = situation(state, solver, wanted, rests.real.iter().copied())?;
    let premises: Vec<Premise> = real.iter().map(|&literal| literal.into()).collect();
    let Answer::Unsat(core) = ask_with(state, solver, !wanted, &premises) else { return None };
    // Questions have the guard itself first.
    let needed = core.assumptions.into_iter().filter_map(|at| real.get(at.checked_sub(1)?).copied());
    let mut needed: Vec<Guard> = needed.collect();
    needed.sort_unstable();
    // The last conditions first: each then goes on top of what is there.
    Some(needed.into_iter().rev().fold(Guard::TRUE, |all, literal| state.and(all, literal)))
}

/// The literals of conditions as they are in one situation in which a guard holds.
fn situation(
    state: &mut State<'_>,
    solver: &mut Solver,
    guard: Guard,
    conditions: impl Iterator<Item = Condition>,
) -> Option<Vec<Guard>> {
    let Answer::Sat(model) = ask(state, solver, guard) else { return None };
    let mut values = model.evaluator();
    let literals = conditions.map(|condition| {
        let term = state.formulas.conditions.term_of(condition);
        let holds = term.is_some_and(|term| values.holds(&state.formulas.terms, term));
        let literal = state.formulas.guards.literal(condition);
        if holds { literal } else { !literal }
    });
    Some(literals.collect())
}

/// Which inventions a suspicion needs on one path: those that can take it away when everything else stays as it is. Where each
/// kind by itself cannot, all of them.
pub(crate) fn doubts_of_a_path(
    state: &mut State<'_>,
    solver: &mut Solver,
    guard: Guard,
    rests: &Rests,
) -> Doubts {
    if rests.count() > limits::PATH_CONDITIONS {
        return Doubt::ManyConditions.into();
    }
    let kinds: Doubts = rests.conditions.iter().map(|entry| entry.1).collect();
    let invented = rests.conditions.iter().map(|entry| entry.0);
    let all: Vec<Condition> = rests.real.iter().copied().chain(invented).collect();
    let Some(literals) = situation(state, solver, guard, all.into_iter()) else {
        return Doubt::Undecided.into();
    };
    let (real, invented) = literals.split_at(rests.real.len());
    let mut needed = Doubts::NONE;
    for &(never, why) in &rests.never {
        let left = state.formulas.guards.and_not(guard, never);
        needed.add_if(!matches!(ask(state, solver, left), Answer::Sat(_)), why);
    }
    for kind in kinds.iter() {
        let others = rests.conditions.iter().zip(invented).filter(|(entry, _)| entry.1 != kind);
        let others = others.map(|(_, &literal)| literal);
        let premises: Vec<Premise> = real.iter().copied().chain(others).map(Into::into).collect();
        needed.add_if(!matches!(ask_with(state, solver, !guard, &premises), Answer::Unsat(_)), kind);
    }
    match (needed.is_empty(), kinds.is_empty()) {
        (false, _) => needed,
        (true, false) => kinds,
        (true, true) => Doubt::Undecided.into(),
    }
}
