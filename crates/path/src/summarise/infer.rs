//! A summary from an evaluated function: what a caller can observe, sorted into outcomes.
//!
//! Observations (results, stores to what the caller can reach, releases, kept objects) each have a guard over
//! the function's own conditions. The paths that return are split by these guards into classes on which every
//! observation is settled; each class becomes an outcome. Its condition is what the class says about entry
//! values alone. When there are too many classes, the least important observations stay unsettled.

use crate::evaluate::state::{Precision, State};
use crate::evaluate::value::Leaf;
use crate::leaving::exits::Exits;
use crate::stories::witness::ask;
use crate::summarise::conditions::either;
use crate::summarise::observe::{Observation, Observations, Observed, observe};
use crate::summarise::outcome::{Signs, Writer};
use watertight_logic::guard::Guard;
use watertight_logic::question::Answer;
use watertight_logic::solver::Solver;
use watertight_summary::{Completeness, Outcome, Summary, Way};

/// The most outcomes of a summary.
const MOST_OUTCOMES: usize = 8;

/// How many more there may be because of states, which are told apart last.
const MORE_FOR_STATES: usize = 4;

pub fn infer(state: &mut State<'_>, exits: &Exits) -> Summary {
    let Observations { list: observations, owners, partial } = observe(state, exits);
    let (classes, merged) = ways(state, exits, &observations);
    let whole = !partial && !merged && !state.incomplete;
    let completeness = if whole { Completeness::Whole } else { Completeness::Partial };
    let mut outcomes: Vec<Outcome> = Vec::new();
    // What becomes of states is asked of the solver: a class that only conditions which exclude each other make up would
    // tell callers of a state that never comes about.
    let mut solver = tells_states(&observations).then(Solver::new);
    let mut signs = Signs::default();
    for (way, class) in classes {
        if let Some(solver) = &mut solver
            && way == Way::Returns
            && state.precision == Precision::Exact
            && matches!(ask(state, solver, class), Answer::Unsat(_))
        {
            continue;
        }
        let outcome =
            Writer::new(state, &owners, completeness, &mut signs).outcome(way, class, &observations);
        // What is seldom, and nobody can tell when, is not worth telling.
        if way == Way::Seldom && outcome.when.is_always() {
            continue;
        }
        if !outcomes.contains(&outcome) {
            outcomes.push(outcome);
        }
    }
    merge_conditions(&mut outcomes);
    let breaches = state.demands();
    Summary { outcomes, completeness, breaches }
}

/// Whether some state is not what it was.
fn tells_states(observations: &[Observed]) -> bool {
    observations.iter().any(|observed| observed.splits && observed.is_state())
}

/// The classes of paths on which control leaves, by the way in which it does.
fn ways(state: &mut State<'_>, exits: &Exits, observations: &[Observed]) -> (Vec<(Way, Guard)>, bool) {
    let mut often = state.formulas.guards.and_not(exits.returned, state.seldom);
    let mut seldom = state.and(exits.returned, state.seldom);
    if often.is_false() {
        (often, seldom) = (seldom, often);
    }
    let (mut all, mut merged) = (Vec::new(), false);
    for (way, guard) in [(Way::Returns, often), (Way::Seldom, seldom), (Way::Jumps, exits.jumped)] {
        // Nobody goes on after a jump to tell one from another.
        let observations = if way == Way::Jumps { &[] } else { observations };
        let (classes, some) = classes(state, guard, observations);
        all.extend(classes.into_iter().map(|class| (way, class)));
        merged |= some;
    }
    (all, merged)
}

/// Splits the returning paths so that observations are settled; says whether some had to stay unsettled.
fn classes(state: &mut State<'_>, returned: Guard, observations: &[Observed]) -> (Vec<Guard>, bool) {
    if returned.is_false() {
        return (Vec::new(), false);
    }
    let mut classes = vec![returned];
    let (mut merged, mut full) = (false, false);
    for (guard, vacuous, is_state) in splits(state, observations) {
        if full && !is_state {
            continue;
        }
        let most = MOST_OUTCOMES + if is_state { MORE_FOR_STATES } else { 0 };
        let settled = state.or(guard, vacuous);
        let splits = |state: &mut State<'_>, class| {
            !state.formulas.guards.disjoint(class, guard) && !state.formulas.guards.entails(class, settled)
        };
        let split: Vec<bool> = classes.iter().map(|&class| splits(state, class)).collect();
        let more = split.iter().filter(|&&split| split).count();
        if classes.len() + more > most {
            merged |= !is_state;
            // There is no room for another one.
            full |= classes.len() >= MOST_OUTCOMES;
            continue;
        }
        let mut next = Vec::with_capacity(classes.len() + more);
        for (&class, split) in classes.iter().zip(split) {
            if split {
                next.push(state.and(class, guard));
                next.push(state.formulas.guards.and_not(class, guard));
            } else {
                next.push(class);
            }
        }
        classes = next;
    }
    (classes, merged)
}

/// The guards to split by, and where each makes no difference. Before single numbers of the result are told
/// apart, failure is told from success.
fn splits(state: &mut State<'_>, observations: &[Observed]) -> Vec<(Guard, Guard, bool)> {
    let mut splits = Vec::with_capacity(observations.len() + 1);
    let is_number = |observed: &&Observed| {
        matches!(&observed.what, Observation::Result(Leaf::Number(term))
            if state.formulas.terms.const_value(*term) != Some(0))
    };
    let first_number = observations.iter().position(|observed| is_number(&observed));
    let negative = |observed: &&Observed| match &observed.what {
        Observation::Result(Leaf::Number(term)) => {
            let width = state.formulas.terms.width(*term);
            state.formulas.terms.const_value(*term).is_some_and(|value| width.signed(value) < 0)
        }
        _ => false,
    };
    let failed: Vec<Guard> =
        observations.iter().filter(|observed| negative(observed)).map(|observed| observed.when).collect();
    // States are told first and told apart last: they must not cost what is known of memory.
    let states: Vec<&Observed> =
        observations.iter().filter(|observed| observed.splits && observed.is_state()).collect();
    for (index, observed) in observations.iter().enumerate() {
        if observed.is_state() {
            continue;
        }
        if Some(index) == first_number && failed.len() > 1 {
            let failed = failed.iter().fold(Guard::FALSE, |all, &guard| state.formulas.guards.or(all, guard));
            splits.push((failed, Guard::FALSE, false));
        }
        if observed.splits {
            splits.push((observed.when, observed.vacuous, false));
        }
    }
    splits.extend(states.iter().map(|observed| (observed.when, observed.vacuous, true)));
    splits
}

/// Outcomes that differ only in their condition become one.
fn merge_conditions(outcomes: &mut Vec<Outcome>) {
    let mut merged: Vec<Outcome> = Vec::new();
    for outcome in outcomes.drain(..) {
        let same = merged.iter_mut().find(|known| {
            known.result == outcome.result
                && known.way == outcome.way
                && known.fresh == outcome.fresh
                && known.effects == outcome.effects
        });
        match same {
            Some(known) => {
                known.when = either(&known.when, &outcome.when);
                known.invented |= outcome.invented;
            }
            None => merged.push(outcome),
        }
    }
    *outcomes = merged;
}
