//! What ways out of a function leave behind, and whether the caller can tell.
//!
//! A function may leave an object in a state that somebody has to end, a lock that is held: that is its job if it does
//! so on all ways out, or if its caller can tell from the result, from what it gets through an argument, or from what it
//! passed (Pout and Pin of the paper). It is a mistake
//! - if another way out that has brought about the state and ended it again looks the same to the caller,
//! - if another way out on which the very call that brings it about has failed looks the same,
//! - if it is left so on failure and ended on success: who fails cleans up.
//!
//! What looks the same is decided in `seen`. A parameter explains a difference on success, unless parameters were already
//! asked about whether to bring about the state: then the two questions should have been one. It explains none on failure:
//! who passes what a function rejects gets an error, not a lock.

use crate::exits::ends::is_main;
use crate::exits::lost::Exits;
use crate::machine::ask::ask;
use crate::machine::cells::Cell;
use crate::machine::journal::Left;
use crate::machine::journal::Moved;
use crate::machine::memory::{Object, ObjectId, Origin};
use crate::machine::state::State;
use crate::machine::value::{Leaf, Sym};
use crate::states::seen::Seen;
use rustc_hash::FxHashMap;
use watertight_ir::{GlobalId, InstId, Linkage};
use watertight_logic::guard::{Condition, Guard};
use watertight_logic::question::Answer;
use watertight_logic::solver::Solver;
use watertight_summary::property::{End, Property, Requirement};
use watertight_summary::{Root, Test};

/// When a call brings about a state.
#[derive(Copy, Clone, Debug)]
struct Taken {
    took: Guard,
    /// The state is also ended on other paths, where it was that already at entry.
    unpaired: bool,
}

/// States that are left where they should not be.
pub(crate) fn left_behind(state: &mut State<'_>, solver: &mut Solver, exits: &Exits) -> Vec<Left> {
    let mut left = Vec::new();
    if state.journal.moves.is_empty() || exits.returned.is_false() {
        return left;
    }
    let returned = state.formulas.guards.and_not(exits.returned, state.seldom);
    for object in state.objects.ids().collect::<Vec<_>>() {
        if state.objects[object].hidden.is_empty() || matches!(state.objects[object].origin, Origin::Stack(_))
        {
            continue;
        }
        let seen = Seen::new(state, returned, object);
        for index in 0..state.objects[object].hidden.len() {
            let cell = Cell { object, index };
            let property = state.context.library.properties.get(state.hidden(cell).property);
            for requirement in property.ends.iter().filter(|end| matches!(end.at, End::Return | End::Failure))
            {
                left_in(state, solver, cell, property, requirement, returned, &seen, &mut left);
            }
        }
    }
    left
}

#[allow(clippy::too_many_arguments, reason = "what a search over objects and requirements has at hand")]
fn left_in(
    state: &mut State<'_>,
    solver: &mut Solver,
    cell: Cell,
    property: &Property,
    requirement: &Requirement,
    returned: Guard,
    seen: &Seen,
    left: &mut Vec<Left>,
) {
    let entry = state.hidden(cell).entry;
    let (mut held, mut ended) = (Guard::FALSE, Guard::FALSE);
    for (guard, leaf) in state.hidden(cell).leaves.clone() {
        let Leaf::Number(term) = leaf else { continue };
        match state.base_and_plus(term) {
            (None, number) if number == i64::from(Property::UNFOLLOWED) => {}
            (None, number) => match property.forbids(requirement, number) {
                true => held = state.or(held, guard),
                false => ended = state.or(ended, guard),
            },
            (Some(base), plus) if Some(base) == entry => {
                let more = plus > 0 && property.forbids(requirement, 1);
                match more {
                    true => held = state.or(held, guard),
                    false if plus == 0 => ended = state.or(ended, guard),
                    false => {}
                }
            }
            _ => {}
        }
    }
    let spoiled = state.hidden(cell).spoiled;
    let gone = state.or(spoiled, state.objects[cell.object].released);
    let alive = state.formulas.guards.and_not(returned, gone);
    let mut open = state.and(held, alive);
    let ended = state.and(ended, alive);
    if open.is_false() {
        return;
    }
    // The last call that brought it about on a path is the one to blame.
    let mut insts: Vec<InstId> = Vec::new();
    for moved in state.journal.moves.iter().rev().filter(|moved| moved.cell == cell) {
        if !insts.contains(&moved.inst) {
            insts.push(moved.inst);
        }
    }
    for inst in insts {
        let (mut took, mut entered) = (Guard::FALSE, Guard::FALSE);
        for moved in
            state.journal.moves.clone().iter().filter(|moved| moved.cell == cell && moved.inst == inst)
        {
            entered = state.or(entered, moved.entered);
            if moved.begins && brings_about(state, property, requirement, moved.to, entry) {
                took = state.or(took, moved.guard);
            }
        }
        let mine = state.and(open, took);
        if mine.is_false() {
            continue;
        }
        open = state.formulas.guards.and_not(open, took);
        let ended_again = state.and(ended, took);
        let failed = state.formulas.guards.and_not(entered, took);
        let failed = state.and(failed, ended);
        // Whether it is ended where it was not brought about, too.
        let ends: Vec<Guard> = state
            .journal
            .moves
            .iter()
            .filter(|one| one.cell == cell && one.ends)
            .map(|one| one.guard)
            .collect();
        let unpaired = ends.into_iter().any(|end| !state.formulas.guards.and_not(end, took).is_false());
        let taken = Taken { took, unpaired };
        if let Some((guard, other, meant)) =
            looks_the_same(state, solver, mine, ended_again, failed, taken, seen, requirement.at)
        {
            let mistake = requirement.mistake;
            left.push(Left { inst, cell, mistake, guard, other, meant, unless_ended: Vec::new() });
        } else if ended_again.is_false() && requirement.at == End::Return {
            let globals = only_globals(state, cell.object, mine);
            if !globals.is_empty() {
                let (guard, other) = (mine, Guard::TRUE);
                let mistake = requirement.mistake;
                left.push(Left { inst, cell, mistake, guard, other, meant: false, unless_ended: globals });
            }
        }
    }
}

/// Globals that have an object or lead to it.
fn globals_of(state: &State<'_>, object: ObjectId) -> Vec<GlobalId> {
    match &state.objects[object].origin {
        Origin::Global(global) => vec![*global],
        Origin::Entry(path) => match path.root {
            Root::Global(global) => vec![global],
            _ => Vec::new(),
        },
        Origin::Fresh(_) => {
            let holds = |holder: &Object| match holder.origin {
                Origin::Global(global) => holder.held().any(|held| held.1 == object).then_some(global),
                _ => None,
            };
            state.objects.values().filter_map(holds).collect()
        }
        Origin::Stack(_) | Origin::Elsewhere | Origin::Process => Vec::new(),
    }
}

/// The globals by which alone an object can be found once the function has returned, if nothing outside the program
/// sees them.
fn only_globals(state: &mut State<'_>, object: ObjectId, paths: Guard) -> Vec<GlobalId> {
    let globals = globals_of(state, object);
    let inside =
        |&global: &GlobalId| matches!(state.context.program.globals[global].linkage, Linkage::Internal);
    if !globals.iter().all(inside) {
        return Vec::new();
    }
    // Whoever gets it as the result has to end it.
    let returned =
        state.returns.iter().any(|(_, _, sym)| sym.as_ref().is_some_and(|sym| sym.leads_to(object)));
    if returned {
        return Vec::new();
    }
    if !state.objects[object].is_fresh() {
        return globals;
    }
    // Somebody else may have got it.
    let entry = &state.objects[object];
    let (kept, assumed, by_pointer) = (entry.kept, entry.assumed_kept, entry.kept_by_pointer);
    for given in [kept, assumed, by_pointer] {
        if !state.and(given, paths).is_false() {
            return Vec::new();
        }
    }
    let others = state.objects.values().any(|holder| {
        !matches!(holder.origin, Origin::Global(_) | Origin::Stack(_))
            && holder.held().any(|held| held.1 == object)
    });
    if others { Vec::new() } else { globals }
}

/// Globals that have or lead to a state which is ended here on some path on which it was not brought about here: by a function that
/// does both, nothing is ended that another one has left.
pub(crate) fn ended(state: &mut State<'_>) -> Vec<GlobalId> {
    let mut globals: Vec<GlobalId> = Vec::new();
    let moves = state.journal.moves.clone();
    for (index, moved) in moves.iter().enumerate().filter(|(_, moved)| moved.ends) {
        let Leaf::Number(term) = moved.to else { continue };
        let (base, number) = state.base_and_plus(term);
        let ends = match base {
            None => number == i64::from(Property::START),
            Some(_) => number <= 0,
        };
        let begun = moves[..index].iter().filter(|begun| begun.cell == moved.cell && begun.begins);
        let begun = begun.fold(Guard::FALSE, |all, begun| state.or(all, begun.guard));
        if ends && !state.formulas.guards.entails(moved.guard, begun) {
            globals.extend(globals_of(state, moved.cell.object));
        }
    }
    globals.sort_unstable();
    globals.dedup();
    globals
}

/// What is gone or held at the end of the process in a state that is forbidden there.
pub(crate) fn left_at_the_end(state: &mut State<'_>, exits: &Exits) -> Vec<Left> {
    let mut left = Vec::new();
    if state.journal.moves.is_empty() || exits.returned.is_false() {
        return left;
    }
    let returned = state.formulas.guards.and_not(exits.returned, state.seldom);
    let main = is_main(state);
    for object in state.objects.ids().collect::<Vec<_>>() {
        for index in 0..state.objects[object].hidden.len() {
            let cell = Cell { object, index };
            let property = state.context.library.properties.get(state.hidden(cell).property);
            for requirement in &property.ends {
                let at = match requirement.at {
                    End::Exit if main => returned,
                    End::Gone => gone(state, exits, object, returned),
                    _ => continue,
                };
                let spoiled = state.hidden(cell).spoiled;
                let at = state.formulas.guards.and_not(at, spoiled);
                let at = state.formulas.guards.and_not(at, state.objects[object].released);
                left_so(state, cell, property, requirement, at, &mut left);
            }
        }
    }
    left
}

fn left_so(
    state: &mut State<'_>,
    cell: Cell,
    property: &Property,
    requirement: &Requirement,
    at: Guard,
    left: &mut Vec<Left>,
) {
    let mut held = Guard::FALSE;
    let entry = state.hidden(cell).entry;
    for (guard, leaf) in state.hidden(cell).leaves.clone() {
        let Leaf::Number(term) = leaf else { continue };
        let number = match state.base_and_plus(term) {
            (None, number) => number,
            // Whatever it was before, this function has added to it.
            (base, plus) if base == entry && plus > 0 => plus,
            _ => continue,
        };
        if property.forbids(requirement, number) {
            held = state.or(held, guard);
        }
    }
    let held = state.and(held, at);
    let moves: Vec<Moved> = state.journal.moves.iter().filter(|moved| moved.cell == cell).cloned().collect();
    let last = moves.iter().rev().find(|moved| {
        brings_about(state, property, requirement, moved.to, entry)
            && !state.formulas.guards.disjoint(moved.guard, held)
    });
    if let Some(moved) = last {
        let guard = state.and(held, moved.guard);
        let (inst, mistake) = (moved.inst, requirement.mistake);
        let other = Guard::TRUE;
        left.push(Left { inst, cell, mistake, guard, other, meant: false, unless_ended: Vec::new() });
    }
}

/// When nobody can find an object any more after the function has returned.
fn gone(state: &mut State<'_>, exits: &Exits, object: ObjectId, returned: Guard) -> Guard {
    match state.objects[object].origin {
        Origin::Stack(_) => returned,
        Origin::Fresh(_) => {
            let escapes = exits.escapes.get(object).copied().unwrap_or(Guard::TRUE);
            state.formulas.guards.and_not(returned, escapes)
        }
        // A number that stands for something, such as a thread, is gone with the last variable that holds it.
        Origin::Elsewhere => {
            let is_it = |leaf: Leaf| matches!(leaf, Leaf::Number(term) if state.known_object_at(term) == Some(object));
            let mut held = false;
            let mut seen = false;
            for holder in state.objects.values() {
                let cells = holder.cells.iter().flat_map(|cell| &cell.leaves).chain(&holder.scattered);
                if cells.into_iter().any(|entry| is_it(entry.1)) {
                    seen = true;
                    held |= !matches!(holder.origin, Origin::Stack(_)) || holder.shared;
                }
            }
            let returns = state.returns.iter().any(|(_, _, sym)| match sym {
                Some(Sym::Leaves(leaves)) => leaves.iter().any(|entry| is_it(entry.1)),
                _ => false,
            });
            if held || returns || !seen { Guard::FALSE } else { returned }
        }
        Origin::Global(_) | Origin::Entry(_) | Origin::Process => Guard::FALSE,
    }
}

/// Whether a state is one that somebody has to end.
fn brings_about(
    state: &State<'_>,
    property: &Property,
    requirement: &Requirement,
    to: Leaf,
    entry: Option<watertight_logic::term::TermId>,
) -> bool {
    let Leaf::Number(term) = to else { return false };
    match state.base_and_plus(term) {
        (None, number) => property.forbids(requirement, number),
        (base, plus) => base == entry && plus > 0 && property.forbids(requirement, 1),
    }
}

/// The ways out on which the state is left, and others on which it is not, if the caller cannot tell them apart; and
/// whether it may be meant.
#[allow(clippy::too_many_arguments, reason = "sorts of paths that are compared with each other")]
fn looks_the_same(
    state: &mut State<'_>,
    solver: &mut Solver,
    held: Guard,
    ended: Guard,
    failed: Guard,
    took: Taken,
    seen: &Seen,
    at: End,
) -> Option<(Guard, Guard, bool)> {
    // What there is nothing to confuse with does not have to be told apart.
    if ended.is_false() && failed.is_false() {
        return None;
    }
    let (mut all, mut others, mut fails) = (Guard::FALSE, Guard::FALSE, false);
    let mut classes = seen.classes(state, solver, held);
    if at == End::Failure {
        classes.retain(|class| seen.fails(class.0));
    }
    for &class in &classes {
        for (one, again) in seen.like(state, class, ended) {
            // Who is told of a failure is not told of a lock by what it has passed.
            let excused = !seen.fails(class.0) && explained_by_parameters(state, one, again, took);
            if !excused && both_happen(state, solver, one, again) {
                (all, others) = (state.or(all, one), state.or(others, again));
                fails |= seen.fails(class.0);
            }
        }
        // The call itself tells whether it has brought about the state; nobody is told.
        for (one, other) in seen.like(state, class, failed) {
            if !explained(state, one, other, &|_| true) && both_happen(state, solver, one, other) {
                (all, others) = (state.or(all, one), state.or(others, other));
                fails |= seen.fails(class.0);
            }
        }
    }
    if !all.is_false() {
        let meant = !fails && explained(state, all, others, &|_| true);
        return Some((all, others, meant));
    }
    if ended.is_false() || classes.iter().any(|class| !seen.fails(class.0)) {
        return None;
    }
    let on_failure = classes.iter().fold(Guard::FALSE, |all, class| state.or(all, class.1));
    let mut success = Guard::FALSE;
    for (class, guard) in seen.classes(state, solver, ended) {
        if !seen.fails(class) {
            success = state.or(success, guard);
        }
    }
    let wrong =
        !on_failure.is_false() && !success.is_false() && both_happen(state, solver, on_failure, success);
    wrong.then_some((on_failure, success, false))
}

/// Whether there are paths of both sorts.
fn both_happen(state: &mut State<'_>, solver: &mut Solver, one: Guard, other: Guard) -> bool {
    matches!(ask(state, solver, one), Answer::Sat(_)) && matches!(ask(state, solver, other), Answer::Sat(_))
}

/// Whether what was passed tells two sorts of paths apart. What is in memory does not count: nobody looks it up.
fn explained_by_parameters(state: &mut State<'_>, one: Guard, other: Guard, taken: Taken) -> bool {
    let is_parameter = |test: &Test| matches!(test.value.root, Root::Param(_)) && test.value.steps.is_empty();
    if !explained(state, one, other, &is_parameter) {
        return false;
    }
    // A parameter that was asked about before to decide the same thing is asked about in another way.
    let asked = |state: &State<'_>, guard: Guard| -> Vec<Test> {
        let conditions = state.formulas.guards.support(guard);
        let tests = conditions.into_iter().filter_map(|condition| state.entry_test(condition));
        tests.filter(|test| is_parameter(test)).collect()
    };
    let before = asked(state, taken.took);
    let conditions = |state: &State<'_>, guard: Guard| asked(state, guard);
    let mut after = conditions(state, one);
    after.extend(conditions(state, other));
    // So is one that decides about the end, where another has decided about the beginning and it may end without one. Two bits of
    // one parameter are two questions.
    let again = after.iter().any(|test| {
        let bits = |known: &Test| known.mask.unwrap_or(u64::MAX) & test.mask.unwrap_or(u64::MAX);
        let mut alike =
            before.iter().filter(|known| known.value == test.value && bits(known) != 0).peekable();
        match alike.peek() {
            None => taken.unpaired && !before.is_empty(),
            Some(_) => alike.any(|known| known != test),
        }
    });
    !again
}

/// Whether tests of entry values of some sort tell two sorts of paths apart.
fn explained(state: &mut State<'_>, one: Guard, other: Guard, counts: &dyn Fn(&Test) -> bool) -> bool {
    let project = |state: &mut State<'_>, guard: Guard| {
        let hidden: Vec<Condition> = state
            .formulas
            .guards
            .support(guard)
            .into_iter()
            .filter(|&condition| {
                let test = state.entry_test(condition);
                !test.is_some_and(|test| test.value.property().is_none() && counts(&test))
            })
            .collect();
        state.project(guard, &hidden, &mut FxHashMap::default())
    };
    let (one, other) = (project(state, one), project(state, other));
    state.formulas.guards.disjoint(one, other)
}
