//! A summary from an evaluated function: what a caller can observe, sorted into outcomes.
//!
//! Observations (results, stores to what the caller can reach, releases, kept objects) each have a guard over
//! the function's own conditions. The paths that return are split by these guards into classes on which every
//! observation is settled; each class becomes an outcome. Its condition is what the class says about entry
//! values alone. When there are too many classes, the least important observations stay unsettled.

use crate::calls::replaced::{fails, replaced_argument};
use crate::exits::lost::Exits;
use crate::limits::{MORE_FOR_STATES, MOST_OUTCOMES};
use crate::machine::ask::ask;
use crate::machine::state::State;
use crate::machine::value::Leaf;
use crate::outcomes::conditions::either;
use crate::outcomes::latent::latent;
use crate::outcomes::observe::{Observation, Observations, Observed, observe};
use crate::outcomes::outcome::{Asked, Settled, Writer};
use watertight_logic::guard::Guard;
use watertight_logic::question::Answer;
use watertight_logic::solver::Solver;
use watertight_summary::{Completeness, Outcome, Summary, Way};

pub fn infer(state: &mut State<'_>, exits: &Exits) -> Summary {
    let Observations { list: observations, owners, partial } = observe(state, exits);
    let (classes, merged) = ways(state, exits, &observations);
    let whole = !partial && !merged && !state.incomplete;
    let completeness = if whole { Completeness::Whole } else { Completeness::Partial };
    let (mut outcomes, mut paths): (Vec<Outcome>, Vec<Guard>) = (Vec::new(), Vec::new());
    // What becomes of states is asked of the solver: a class that only conditions which exclude each other make up would
    // tell callers of a state that never comes about.
    let mut solver = tells_states(&observations).then(Solver::new);
    let mut asked = Asked::new(state);
    for (way, Class { paths: class, settled }) in classes {
        if let Some(solver) = &mut solver
            && way == Way::Returns
            && matches!(ask(state, solver, class), Answer::Unsat(_))
        {
            continue;
        }
        let outcome =
            Writer::new(state, &owners, completeness, &mut asked, settled).outcome(way, class, &observations);
        // What is seldom, and nobody can tell when, is not worth telling.
        if way == Way::Seldom && outcome.when.is_always() {
            continue;
        }
        if !outcomes.contains(&outcome) {
            outcomes.push(outcome);
            paths.push(class);
        }
    }
    drop_failures_that_cannot_be(state, &mut outcomes, &paths);
    merge_conditions(&mut outcomes);
    let breaches = state.demands();
    let latent = latent(state, exits);
    Summary { outcomes, completeness, breaches, latent }
}

/// A replacement that fails is a mistake of whoever overwrites the old block with the result. So it is asked of the solver
/// whether it can fail: a sum of lengths is never the size of zero for which a function gives the null pointer.
fn drop_failures_that_cannot_be(state: &mut State<'_>, outcomes: &mut Vec<Outcome>, paths: &[Guard]) {
    let Some((position, _)) = replaced_argument(outcomes) else { return };
    let mut solver = Solver::new();
    let mut paths = paths.iter();
    outcomes.retain(|outcome| {
        let class = paths.next().copied().unwrap_or(Guard::TRUE);
        !fails(outcome, position) || !matches!(ask(state, &mut solver, class), Answer::Unsat(_))
    });
}

/// Whether some state is not what it was.
fn tells_states(observations: &[Observed]) -> bool {
    observations.iter().any(|observed| observed.splits && observed.is_state())
}

/// Paths that look the same to a caller.
#[derive(Clone)]
struct Class {
    paths: Guard,
    /// For each observation whether it is made on all of these paths or on none, where that came out when they were
    /// told apart. It need not be asked again.
    settled: Vec<Option<Settled>>,
}

impl Class {
    /// Some of the paths, on which an observation is settled.
    fn part(&self, paths: Guard, index: Option<usize>, how: Settled) -> Class {
        let mut part = Class { paths, settled: self.settled.clone() };
        part.settle(index, how);
        part
    }

    fn settle(&mut self, index: Option<usize>, how: Settled) {
        if let Some(index) = index {
            self.settled[index] = Some(how);
        }
    }
}

/// The classes of paths on which control leaves, by the way in which it does.
fn ways(state: &mut State<'_>, exits: &Exits, observations: &[Observed]) -> (Vec<(Way, Class)>, bool) {
    let mut often = state.formulas.guards.and_not(exits.returned, state.seldom);
    let mut seldom = state.and(exits.returned, state.seldom);
    if often.is_false() {
        (often, seldom) = (seldom, often);
    }
    let (mut all, mut merged) = (Vec::new(), false);
    for (way, guard) in [(Way::Returns, often), (Way::Seldom, seldom), (Way::Jumps, exits.jumped)] {
        let (classes, some) = classes(state, guard, way, observations);
        all.extend(classes.into_iter().map(|class| (way, class)));
        merged |= some;
    }
    (all, merged)
}

/// Splits the returning paths so that observations are settled; says whether some had to stay unsettled.
fn classes(
    state: &mut State<'_>,
    returned: Guard,
    way: Way,
    observations: &[Observed],
) -> (Vec<Class>, bool) {
    if returned.is_false() {
        return (Vec::new(), false);
    }
    let mut classes = vec![Class { paths: returned, settled: vec![None; observations.len()] }];
    // Nobody goes on after a jump to tell one from another.
    let splits = if way == Way::Jumps { Vec::new() } else { splits(state, observations) };
    let (mut merged, mut full) = (false, false);
    for Split { index, when, vacuous, is_state } in splits {
        if full && !is_state {
            continue;
        }
        let most = MOST_OUTCOMES + if is_state { MORE_FOR_STATES } else { 0 };
        let made = state.or(when, vacuous);
        let guards = &mut state.formulas.guards;
        let mut how = |class: &Class| match () {
            () if guards.disjoint(class.paths, when) => Some(Settled::Never),
            () if guards.entails(class.paths, made) => Some(Settled::Always),
            () => None,
        };
        let settled: Vec<Option<Settled>> = classes.iter().map(&mut how).collect();
        let more = settled.iter().filter(|how| how.is_none()).count();
        let room = classes.len() + more <= most;
        if !room {
            merged |= !is_state;
            // There is no room for another one.
            full |= classes.len() >= MOST_OUTCOMES;
        }
        let mut next = Vec::with_capacity(classes.len() + more);
        for (mut class, how) in classes.into_iter().zip(settled) {
            match how {
                Some(how) => class.settle(index, how),
                None if room => {
                    let paths = state.formulas.guards.and_not(class.paths, when);
                    let other = class.part(paths, index, Settled::Never);
                    let paths = state.and(class.paths, when);
                    next.push(class.part(paths, index, Settled::Always));
                    class = other;
                }
                None => {}
            }
            next.push(class);
        }
        classes = next;
    }
    (classes, merged)
}

/// A guard to split by.
struct Split {
    /// The observation that it belongs to, if it is one.
    index: Option<usize>,
    when: Guard,
    /// Where it makes no difference.
    vacuous: Guard,
    is_state: bool,
}

/// The guards to split by. Before single numbers of the result are told apart, failure is told from success.
fn splits(state: &mut State<'_>, observations: &[Observed]) -> Vec<Split> {
    let mut splits = Vec::with_capacity(observations.len() + 2);
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
    let split = |index: usize| {
        let Observed { when, vacuous, .. } = observations[index];
        Split { index: Some(index), when, vacuous, is_state: observations[index].is_state() }
    };
    // Whether there is anything new for the caller is told apart before all else, and before which of several blocks it is.
    let is_new = |observed: &Observed| match observed.what {
        Observation::Result(Leaf::Address(object, _)) => state.objects[object].is_fresh(),
        _ => false,
    };
    let new: Vec<usize> = (0..observations.len()).filter(|&index| is_new(&observations[index])).collect();
    if new.len() > 1 {
        let when =
            new.iter().fold(Guard::FALSE, |any, &one| state.formulas.guards.or(any, observations[one].when));
        splits.push(Split { index: None, when, vacuous: Guard::FALSE, is_state: false });
    }
    // States are told first and told apart last: they must not cost what is known of memory.
    let mut states = Vec::new();
    for (index, observed) in observations.iter().enumerate() {
        if Some(index) == first_number && failed.len() > 1 {
            let when = failed.iter().fold(Guard::FALSE, |all, &guard| state.formulas.guards.or(all, guard));
            splits.push(Split { index: None, when, vacuous: Guard::FALSE, is_state: false });
        }
        if observed.splits {
            let list = if observed.is_state() { &mut states } else { &mut splits };
            list.push(split(index));
        }
    }
    splits.append(&mut states);
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
