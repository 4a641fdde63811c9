//! Annotations that a function contradicts.
//!
//! In: what annotations in the source promise of the locks of a function (`watertight_summary::annotation`), and the states
//! that its ways out leave them in. Out: a story for each promise that no way out keeps: a function that says it acquires
//! a lock and leaves it as it was, or that says its caller holds it and takes it itself. A promise that some ways out keep
//! is not contradicted: sparse has no words for "if the result is not NULL", so the code says less than it means. Which
//! lock a promise is about is known by the last name in it, which a call in the function has to share; of locks that
//! nothing is done with, and of those whose state is not followed to the end, nothing is said.

use crate::exits::lost::Exits;
use crate::machine::ask::ask;
use crate::machine::cells::Cell;
use crate::machine::journal::Moved;
use crate::machine::memory::Origin;
use crate::machine::state::State;
use crate::machine::value::Leaf;
use crate::states::seen::{Class, Seen};
use crate::stories::states::{earlier, outline};
use crate::stories::witness::place_of;
use watertight_finding::{Doubt, Ending, Place, Said, Step, StepKind, Story, contradicted};
use watertight_ir::InstId;
use watertight_logic::guard::Guard;
use watertight_logic::question::Answer;
use watertight_logic::solver::Solver;
use watertight_summary::annotation::{Claim, Claims, Promise};
use watertight_summary::property::{End, Property, Requirement};

/// The ways out of a function by what they leave of one lock.
#[derive(Copy, Clone, Debug)]
struct Ways {
    held: Guard,
    given_up: Guard,
    same: Guard,
    /// Nothing is known.
    open: Guard,
}

/// Promises that no way out keeps.
pub(crate) fn contradicted(state: &mut State<'_>, solver: &mut Solver, exits: &Exits) -> Vec<Story> {
    let context = state.context;
    let Some(claims) = context.library.claims.get(&state.id) else { return Vec::new() };
    if state.journal.moves.is_empty() || exits.returned.is_false() {
        return Vec::new();
    }
    let mut stories = Vec::new();
    for object in state.objects.ids().collect::<Vec<_>>() {
        if matches!(state.objects[object].origin, Origin::Stack(_)) {
            continue;
        }
        for index in 0..state.objects[object].hidden.len() {
            let cell = Cell { object, index };
            let property = context.library.properties.get(state.hidden(cell).property);
            let Some(requirement) = property.ends.iter().find(|end| end.at == End::Annotation) else {
                continue;
            };
            let mine: Vec<&Claim> =
                claims.all.iter().filter(|claim| is_about(state, claims, claim, cell, property)).collect();
            if let Some(story) = contradiction(state, solver, exits, cell, property, requirement, &mine) {
                stories.push(story);
            }
        }
    }
    stories
}

/// Whether an annotation speaks of a lock: a call that changes its state is given something of the same name, or the
/// property itself is called so (`RCU`).
fn is_about(state: &State<'_>, claims: &Claims, claim: &Claim, cell: Cell, property: &Property) -> bool {
    if matches!(state.objects[cell.object].origin, Origin::Process) {
        let name = claim.object.to_lowercase();
        return property.name.rsplit('-').next() == Some(&*name);
    }
    state.journal.moves.iter().filter(|moved| moved.cell == cell).any(|moved| {
        let place = place_of(state, state.body.insts[moved.inst].place);
        claims.argument_at(place.line, place.column) == Some(&*claim.object)
    })
}

#[allow(clippy::too_many_arguments, reason = "a lock with everything that is said of it")]
fn contradiction(
    state: &mut State<'_>,
    solver: &mut Solver,
    exits: &Exits,
    cell: Cell,
    property: &Property,
    requirement: &Requirement,
    claims: &[&Claim],
) -> Option<Story> {
    let first = *claims.first()?;
    // Who gives up and takes again leaves it as it was.
    let promise = match claims.iter().all(|claim| claim.promise == first.promise) {
        true => first.promise,
        false => Promise::MustHold,
    };
    let returned = state.formulas.guards.and_not(exits.returned, state.seldom);
    let ways = ways(state, cell, property, requirement, returned);
    let happens = |state: &mut State<'_>, solver: &mut Solver, guard: Guard| {
        !guard.is_false() && matches!(ask(state, solver, guard), Answer::Sat(_))
    };
    if happens(state, solver, ways.open) {
        return None;
    }
    let start = i64::from(Property::START);
    let takes = claims.iter().all(|claim| claim.promise == Promise::MustHold)
        && state.hidden(cell).assumed.iter().any(|&(guard, number)| number == start && !guard.is_false());
    let (kept, denied) = match promise {
        Promise::Acquires => (ways.held, Said::NoPathAcquires),
        Promise::Releases => (ways.given_up, Said::NoPathReleases),
        Promise::MustHold => (ways.same, Said::NoPathKeeps),
        Promise::Tries { success } => {
            let kept = on_result(state, solver, returned, ways.held, success);
            (kept, Said::NoPathTries)
        }
    };
    if !takes && happens(state, solver, kept) {
        return None;
    }
    let moves: Vec<Moved> = state.journal.moves.iter().filter(|moved| moved.cell == cell).cloned().collect();
    let last = moves.last()?.inst;
    let mut story = outline(state, last, cell, requirement.mistake);
    story.doubts.add_if(state.incomplete, Doubt::ValueGivenUp);
    story.doubts.add_if(!state.doubtful_states.is_false(), Doubt::StateUntold);
    if let Ending::Broken(broken) = &mut story.ending {
        broken.text = title(promise, takes).to_owned();
    }
    let end = if takes { Said::LockedThough } else { denied };
    story.steps = steps(state, cell, last, first, end);
    Some(story)
}

/// What the title says of the lock.
fn title(promise: Promise, takes: bool) -> &'static str {
    match promise {
        _ if takes => contradicted::LOCKED,
        Promise::Acquires => contradicted::NOT_HELD,
        Promise::Releases => contradicted::NOT_RELEASED,
        Promise::MustHold => contradicted::CHANGED,
        Promise::Tries { .. } => contradicted::NOT_HELD_ON_SUCCESS,
    }
}

/// What the ways out leave.
fn ways(
    state: &mut State<'_>,
    cell: Cell,
    property: &Property,
    requirement: &Requirement,
    returned: Guard,
) -> Ways {
    let hidden = state.hidden(cell).clone();
    let mut ways = Ways {
        held: Guard::FALSE,
        given_up: Guard::FALSE,
        same: Guard::FALSE,
        open: state.and(hidden.spoiled, returned),
    };
    for (guard, leaf) in hidden.leaves {
        let guard = state.and(guard, returned);
        let Leaf::Number(term) = leaf else { continue };
        let way = match state.base_and_plus(term) {
            (None, number) if number == i64::from(Property::UNFOLLOWED) => &mut ways.open,
            (None, number) if property.forbids(requirement, number) => &mut ways.held,
            (None, _) => &mut ways.given_up,
            (base, 0) if base == hidden.entry => &mut ways.same,
            (base, plus) if base == hidden.entry && plus > 0 => &mut ways.held,
            (base, _) if base == hidden.entry => &mut ways.given_up,
            _ => &mut ways.open,
        };
        *way = state.formulas.guards.or(*way, guard);
    }
    ways
}

/// The ways out on which a lock is held and the result says so.
fn on_result(
    state: &mut State<'_>,
    solver: &mut Solver,
    returned: Guard,
    held: Guard,
    success: bool,
) -> Guard {
    let process = state.process_object();
    let seen = Seen::new(state, returned, process);
    let classes = seen.classes(state, solver, held);
    let says = |class: Class| match class {
        Class::Zero => !success,
        Class::Failure | Class::Value(_) => success,
    };
    classes.into_iter().filter(|class| says(class.0)).fold(Guard::FALSE, |all, class| state.or(all, class.1))
}

fn steps(state: &State<'_>, cell: Cell, last: InstId, claim: &Claim, end: Said<'_>) -> Vec<Step> {
    let here = place_of(state, state.body.insts[last].place);
    let mut steps = Vec::new();
    let place = Place::new(&*claim.file, claim.line, 0).in_function(&*state.function.name);
    let annotation = &*claim.text;
    let says = match claim.promise {
        Promise::Acquires => Said::SaysAcquired { annotation },
        Promise::Releases => Said::SaysReleased { annotation },
        Promise::MustHold => Said::SaysHeld { annotation },
        Promise::Tries { .. } => Said::SaysTried { annotation },
    };
    steps.push(Step::new(StepKind::Note, place, says));
    steps.extend(earlier(state, cell, last).into_iter().map(|mark| mark.1));
    steps.push(Step::new(StepKind::Lost, here, end));
    steps
}
