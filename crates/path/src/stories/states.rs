//! Stories of states: what breaks a property, and what a way out leaves behind.
//!
//! In: the mistakes that evaluation met and what ways out leave (`states/`). Out: one story for each call that is wrong,
//! and one for each call that brought about a state nobody ends. The solver confirms each; what a story rests on that was
//! not followed stands in its doubts.

use crate::calls::released::excludes;
use crate::context::Known;
use crate::exits::lost::Exits;
use crate::machine::ask::ask;
use crate::machine::cells::Cell;
use crate::machine::journal::Broken as Mistaken;
use crate::machine::journal::Left;
use crate::machine::journal::Moved;
use crate::machine::memory::{ObjectId, Origin};
use crate::machine::state::State;
use crate::machine::value::{Leaf, Offset, Sym};
use crate::plan::unroll::NodeId;
use crate::states::ways_out::{left_at_the_end, left_behind};
use crate::stories::borrowed::position;
use crate::stories::inventions;
use crate::stories::misuse::{passed, shortened};
use crate::stories::names::called_by;
use crate::stories::telling::Teller;
use crate::stories::witness::{Told, Unless, exit_points, place_of};
use watertight_finding::{
    BY_POINTER, Broken, Doubt, Doubts, Ending, Growth, Place, Said, Step, StepKind, Story, Support, Urgency,
    Variant, broken_sentence, is_or_are, named,
};
use watertight_ir::callgraph::direct_callee;
use watertight_ir::spell::{Speller, Spelling};
use watertight_ir::{Callee, FuncId, InstId, Op, Type, ValueId};
use watertight_logic::guard::Guard;
use watertight_logic::question::{Answer, Model};
use watertight_logic::solver::Solver;
use watertight_summary::property::{Mistake, Property, PropertyId};
use watertight_summary::{CallAt, Completeness, Effect, Outcome, Path, Relation, Root, Value};

/// All stories of states.
pub(crate) fn states(state: &mut State<'_>, solver: &mut Solver, exits: &Exits) -> Vec<Told> {
    if state.journal.moves.is_empty() && state.journal.broken.is_empty() {
        return Vec::new();
    }
    let mut stories = Vec::new();
    let mut blamed: Vec<InstId> = Vec::new();
    let mut left = state.journal.left_behind.clone();
    left.extend(left_at_the_end(state, exits));
    for left in left {
        if !blamed.contains(&left.inst)
            && !is_told_below(state, &left)
            && let Some(story) = left_state(state, solver, &left)
        {
            blamed.push(left.inst);
            let unless = match left.unless_ended.is_empty() {
                true => Unless::Nothing,
                false => Unless::Ended(left.unless_ended),
            };
            stories.push(Told { story, unless, witness: None });
        }
    }
    let promised = crate::stories::annotations::contradicted(state, solver, exits);
    stories.extend(promised.into_iter().map(Told::always));
    let broken = broken(state, solver, exits, &blamed);
    stories.extend(broken.into_iter().map(Told::always));
    stories
}

/// Whether the function called has told itself of a state that it leaves in a global on all ways out: one that is only inherited is not
/// told again by each caller. Who passes the object on does not know that nothing else leads to it, and leaves that to its caller.
fn is_told_below(state: &State<'_>, left: &Left) -> bool {
    let Op::Call(call) = &state.body.insts[left.inst].op else { return false };
    let Some(callee) = direct_callee(state.body, call).filter(|_| !left.unless_ended.is_empty()) else {
        return false;
    };
    let property = state.hidden(left.cell).property;
    let Known::Summary(summary) = state.component.lookup(state.context, callee) else { return false };
    let leaves = |effect: &Effect| match effect {
        Effect::Store { place, .. } if place.property() == Some(property) => {
            matches!(place.root, Root::Global(global) if left.unless_ended.contains(&global))
        }
        _ => false,
    };
    state.context.program.functions[callee].body.is_some()
        && !state.context.is_named_by(callee, property)
        && !summary.outcomes.is_empty()
        && summary.outcomes.iter().all(|outcome| outcome.effects.iter().any(leaves))
}

/// The stories of calls that are wrong.
fn broken(state: &mut State<'_>, solver: &mut Solver, exits: &Exits, blamed: &[InstId]) -> Vec<Story> {
    let mut stories = Vec::new();
    let mut told: Vec<(InstId, Cell)> = Vec::new();
    for mut broken in state.journal.broken.clone() {
        let contradiction = contradiction(state, exits, &broken);
        broken.here = state.or(broken.here, contradiction);
        // That a state is not ended before the next turn of a loop brings it about again is said where it begins.
        if blamed.contains(&broken.inst) && is_its_own_doing(state, &broken) {
            continue;
        }
        // Copies of a loop body repeat themselves.
        if broken.here.is_false() || told.iter().any(|known| known.0 == broken.inst) {
            continue;
        }
        // One call that finds several states wrong has one cause.
        if let Some(mut story) = wrong_call(state, solver, &broken) {
            let property = state.hidden(broken.cell).property;
            let again = is_its_own_doing(state, &broken) && moves_others(state, &broken);
            let certain = is_brought_about_for_certain(state, &broken);
            story.doubts.add_if(again || !certain, Doubt::StateOutcome);
            story.doubts.add_if(broken.weak && !broken.trail.is_empty(), Doubt::StateInside);
            story.doubts.add_if(nests(state, &broken, property), Doubt::StateNests);
            told.push((broken.inst, broken.cell));
            stories.push(story);
        }
    }
    stories
}

/// Whether the state that makes a call wrong was brought about by calls that surely do so. What hangs on which outcome of a
/// function it was is less sure, here and in the function called. Only the last change before the mistake counts on each path:
/// what is unlocked here and then once more was unlocked, whoever had locked it.
fn is_brought_about_for_certain(state: &mut State<'_>, broken: &Mistaken) -> bool {
    let property = state.hidden(broken.cell).property;
    let moves: Vec<Moved> =
        state.journal.moves.iter().filter(|moved| moved.cell == broken.cell).cloned().collect();
    let mut rest = broken.here;
    for moved in moves.iter().rev().filter(|moved| moved.inst != broken.inst) {
        if !state.formulas.guards.disjoint(moved.entered, rest) && !is_certain(state, moved, property) {
            return false;
        }
        rest = state.formulas.guards.and_not(rest, moved.guard);
    }
    true
}

/// Whether what is wrong is that something was brought about twice, and the object may be one that allows that.
fn nests(state: &State<'_>, broken: &Mistaken, property: PropertyId) -> bool {
    let again = |test: &(Relation, i64)| test.0 == Relation::Equal && test.1 != i64::from(Property::START);
    let call = broken.trail.last().copied().unwrap_or(CallAt { function: state.id, inst: broken.inst });
    broken.tests.iter().any(again)
        && state.context.nesting.of_call(state.context.program, property, call.function, call.inst)
}

/// When a call that the state at entry makes wrong comes after one that only another state at entry allows and that
/// has failed: who tries a lock does not hold it. Where success leads nowhere, the attempt was a question.
fn contradiction(state: &mut State<'_>, exits: &Exits, broken: &Mistaken) -> Guard {
    let starts = broken.tests.iter().all(|test| *test == (Relation::Equal, i64::from(Property::START)));
    if broken.demanded.is_false() || broken.tests.is_empty() || !starts {
        return Guard::FALSE;
    }
    let mut result = Guard::FALSE;
    let moves: Vec<Moved> =
        state.journal.moves.iter().filter(|moved| moved.cell == broken.cell).cloned().collect();
    for moved in &moves {
        let held = moved.begins;
        let returns = state.and(moved.guard, exits.returned);
        // The attempt has to come first.
        let later = (moved.node, position(state, moved.inst)) > (broken.node, position(state, broken.inst));
        if !held || later || moved.inst == broken.inst || returns.is_false() {
            continue;
        }
        let mut failed = moved.entered;
        for same in moves.iter().filter(|same| same.inst == moved.inst) {
            failed = state.formulas.guards.and_not(failed, same.guard);
        }
        let both = state.and(failed, broken.demanded);
        result = state.or(result, both);
    }
    result
}

/// Whether the state that makes a call wrong was last brought about by the same call.
fn is_its_own_doing(state: &mut State<'_>, broken: &Mistaken) -> bool {
    let moves: Vec<Moved> =
        state.journal.moves.iter().filter(|moved| moved.cell == broken.cell).cloned().collect();
    let last = moves.iter().rev().find(|moved| !state.formulas.guards.disjoint(moved.guard, broken.here));
    last.is_some_and(|moved| moved.inst == broken.inst)
}

/// Whether calls before a wrong one move the states of other things of the same sort: in a loop, one of them may be the
/// same thing under another name.
fn moves_others(state: &mut State<'_>, broken: &Mistaken) -> bool {
    let property = state.hidden(broken.cell).property;
    let moves = state.journal.moves.clone();
    moves.iter().any(|moved| {
        moved.cell != broken.cell
            && state.hidden(moved.cell).property == property
            && !state.formulas.guards.disjoint(moved.guard, broken.here)
    })
}

/// The story of a state that is left on some ways out.
fn left_state(state: &mut State<'_>, solver: &mut Solver, left: &Left) -> Option<Story> {
    let object = left.cell.object;
    let (model, doubts) = confirmed(state, solver, object, left.guard)?;
    let mut story = outline(state, left.inst, left.cell, left.mistake);
    // Where a call may end the state of one thing or of another, which one it is was decided by code that is not followed.
    // A later turn of a loop that these ways out do not come to says nothing of them.
    let ends = |moved: &Moved, own: bool| moved.ends && (moved.cell == left.cell) == own;
    let moves: Vec<Moved> = state.journal.moves.iter().filter(|moved| moved.ends).cloned().collect();
    let happens: Vec<&Moved> =
        moves.iter().filter(|moved| !state.formulas.guards.disjoint(moved.entered, left.guard)).collect();
    let either = happens.iter().any(|one| {
        ends(one, true)
            && happens
                .iter()
                .any(|other| ends(other, false) && other.inst == one.inst && other.node == one.node)
    });
    let confidence = doubts.confidence();
    story.doubts = doubts;
    story.doubts.add_if(either, Doubt::StateEither);
    story.doubts.add_if(left.meant, Doubt::StateMeant);
    let property = state.context.library.properties.get(state.hidden(left.cell).property);
    let by = story.acquired_by.clone();
    let now = moved_to(state, left, property);
    let (noun, is) = (&property.noun, is_or_are(&property.noun));
    let said = Said::After { by: &named(&by), noun, is, state: &now };
    let first = Step::new(StepKind::Acquire, story.acquired.clone(), said);
    let mut marks = vec![(left.inst, first)];
    marks.extend(earlier(state, left.cell, left.inst));
    story.sibling = ended_at(state, left);
    let exits = exit_points(state);
    let site = nowhere(state, left.inst);
    let mut told = None;
    for exit in &exits {
        let both = state.and(left.guard, exit.guard);
        if both.is_false() {
            continue;
        }
        if let Some((model, sure)) = confirmed(state, solver, object, both)
            && sure.confidence() >= confidence
        {
            told = Some((model, exit.place.clone()));
            break;
        }
    }
    let (model, place) = match told {
        Some((model, place)) => (model, Some(place)),
        None => (model, None),
    };
    let mut teller = Teller { evaluator: model.evaluator(), state, object, site: &site };
    story.doubts.extend(doubts_of_way_out(&mut teller, left));
    story.steps = way_out(&mut teller, left.inst, &marks);
    let place = place.unwrap_or_else(|| teller.last_place());
    story.steps.push(Step::new(StepKind::Lost, place, Said::ReturnsWhile { noun, is, state: &now }));
    Some(story)
}

/// What is doubtful about the way that a model takes, by the calls on it that change states.
///
/// Where a call on the way ends the state of something else of the same sort, that may be the same thing under another
/// name, unless the way has brought about that state under that name too: who has locked two things has locked two. Where a call on the way ends this very state in other cases, the case was chosen by conditions inside, which the
/// function may well know to hold. And what only some outcomes of a function bring about hangs on which of them it was.
fn doubts_of_way_out(teller: &mut Teller<'_, '_>, left: &Left) -> Vec<Doubt> {
    let moves = teller.state.journal.moves.clone();
    let (property, offset) = {
        let own = teller.state.hidden(left.cell);
        (own.property, own.offset)
    };
    let mut doubts = Vec::new();
    let (mut spared, mut ended): (Vec<InstId>, Vec<InstId>) = (Vec::new(), Vec::new());
    for moved in &moves {
        let hidden = teller.state.hidden(moved.cell);
        if (hidden.property, hidden.offset) != (property, offset) || !teller.holds(moved.entered) {
            continue;
        }
        let happens = teller.holds(moved.guard);
        match moved.cell == left.cell {
            false if happens && moved.ends && !begun(teller, &moves, moved.cell) => {
                doubts.push(Doubt::StateAlias);
            }
            true if moved.ends && happens => ended.push(moved.inst),
            true if moved.ends => spared.push(moved.inst),
            true if happens && !is_certain(teller.state, moved, property) => {
                doubts.push(Doubt::StateOutcome);
            }
            _ => {}
        }
    }
    if spared.iter().any(|inst| !ended.contains(inst)) {
        doubts.push(Doubt::StateSpared);
    }
    doubts
}

/// Whether the way that a model takes has brought about a state under this name.
fn begun(teller: &mut Teller<'_, '_>, moves: &[Moved], cell: Cell) -> bool {
    moves.iter().any(|moved| moved.cell == cell && moved.begins && teller.holds(moved.guard))
}

/// Whether a call changes a state whenever it is made, is one that the property names, or says by its result whether it
/// has.
fn is_certain(state: &State<'_>, moved: &Moved, property: PropertyId) -> bool {
    let told = match &state.body.insts[moved.inst].op {
        Op::Call(call) => direct_callee(state.body, call).is_some_and(|function| {
            state.context.is_named_by(function, property) || tells_by_result(state, function, property)
        }),
        _ => false,
    };
    told || moved.guard == moved.entered
}

/// Whether a function that changes states on some of its ways says by its result, or by what it writes for its caller, whether it
/// has. A way on which a state is not followed any more says neither.
fn tells_by_result(state: &State<'_>, function: FuncId, property: PropertyId) -> bool {
    let Known::Summary(summary) = state.component.lookup(state.context, function) else { return false };
    let unfollowed = Value::Number(i64::from(Property::UNFOLLOWED));
    let after = |outcome: &Outcome| -> Vec<Value> {
        let states = outcome.effects.iter().filter_map(|effect| match effect {
            Effect::Store { place, value } if place.property() == Some(property) => Some(value.clone()),
            _ => None,
        });
        states.collect()
    };
    let moves = summary.outcomes.iter().filter(|outcome| after(outcome).iter().any(|to| *to != unfollowed));
    let moves: Vec<&Outcome> = moves.collect();
    let stays: Vec<&Outcome> = summary.outcomes.iter().filter(|outcome| after(outcome).is_empty()).collect();
    summary.completeness == Completeness::Whole
        && !moves.is_empty()
        && moves.iter().all(|one| stays.iter().all(|other| are_told_apart(one, other)))
}

/// Whether a caller can tell two outcomes apart by what it gets: the result, or a number that each writes in the same place.
fn are_told_apart(one: &Outcome, other: &Outcome) -> bool {
    let written = |outcome: &Outcome, wanted: &Path| {
        outcome.effects.iter().find_map(|effect| match effect {
            Effect::Store { place, value } if place == wanted => Some(value.clone()),
            _ => None,
        })
    };
    excludes(&one.result, &other.result)
        || one.effects.iter().any(|effect| match effect {
            Effect::Store { place, value } if place.property().is_none() => {
                written(other, place).is_some_and(|other| excludes(value, &other))
            }
            _ => false,
        })
}

fn moved_to(state: &State<'_>, left: &Left, property: &Property) -> String {
    let mut moves =
        state.journal.moves.iter().rev().filter(|moved| moved.cell == left.cell && moved.inst == left.inst);
    let to = moves.find(|moved| !state.is_unfollowed(moved.to) && !is_start(state, moved.to));
    let number = to.and_then(|moved| match moved.to {
        Leaf::Number(term) => Some(match state.base_and_plus(term) {
            (None, number) => number,
            (Some(_), plus) => plus,
        }),
        _ => None,
    });
    property.state(number.unwrap_or(0))
}

fn is_start(state: &State<'_>, to: Leaf) -> bool {
    matches!(to, Leaf::Number(term) if state.base_and_plus(term) == (None, i64::from(Property::START)))
}

/// States that are left behind, as far as the solver does not refute them. Callers are told nothing of them, or every
/// one of them would be told off for the same mistake.
pub(crate) fn confirmed_left(state: &mut State<'_>, exits: &Exits) -> Vec<Left> {
    if state.journal.moves.is_empty() {
        return Vec::new();
    }
    let mut solver = Solver::new();
    let mut left = left_behind(state, &mut solver, exits);
    left.retain_mut(|left| {
        // What led to the object when its state was brought about was an address.
        let null = state.is_null(left.cell.object);
        left.guard = state.formulas.guards.and_not(left.guard, null);
        left.other = state.formulas.guards.and_not(left.other, null);
        matches!(ask(state, &mut solver, left.guard), Answer::Sat(_))
            && matches!(ask(state, &mut solver, left.other), Answer::Sat(_))
    });
    left
}

/// A call that ends the state on another way out.
fn ended_at(state: &mut State<'_>, left: &Left) -> Option<Step> {
    let moves: Vec<Moved> =
        state.journal.moves.iter().filter(|moved| moved.cell == left.cell).cloned().collect();
    let end = moves
        .iter()
        .find(|moved| moved.inst != left.inst && !state.formulas.guards.disjoint(moved.guard, left.other))?;
    let place = place_of(state, state.body.insts[end.inst].place);
    let by = called_by(state, end.inst)?;
    let property = state.context.library.properties.get(state.hidden(end.cell).property);
    let noun = &property.noun;
    let said = state_after(state, &by, end)
        .unwrap_or_else(|| Said::ChangesState { by: &named(&by), noun }.to_string());
    Some(Step::new(StepKind::Release, place, said))
}

/// The marked calls and branches on the path of a model, from one call on to the end.
fn way_out(teller: &mut Teller<'_, '_>, from: InstId, marks: &[(InstId, Step)]) -> Vec<Step> {
    let body = teller.state.body;
    let mut steps: Vec<Step> = Vec::new();
    let mut started = false;
    for node in teller.state.unrolled.nodes.ids().collect::<Vec<_>>() {
        let entered = teller.state.entered[node];
        if entered.is_false() || !teller.holds(entered) {
            continue;
        }
        let block = teller.state.unrolled.nodes[node].block;
        for (inst, _) in body.block_insts(block) {
            if inst == from {
                // The last time counts.
                started = true;
                steps.clear();
            }
            let mark = marks.iter().find(|mark| mark.0 == inst);
            if let Some((_, step)) = mark
                && started
            {
                steps.push(step.clone());
            }
        }
        if started
            && let Some(step) = teller.branch(node, &body.blocks[block].term, body.blocks[block].term_place)
        {
            steps.push(step);
        }
    }
    shortened(steps)
}

fn wrong_call(state: &mut State<'_>, solver: &mut Solver, broken: &Mistaken) -> Option<Story> {
    let (model, doubts) = confirmed_but_for(state, solver, broken.cell.object, broken.here, broken.doubtful)?;
    let mut story = outline(state, broken.inst, broken.cell, broken.mistake);
    story.doubts = doubts;
    let place = place_of(state, state.body.insts[broken.inst].place);
    let property = state.context.library.properties.get(state.hidden(broken.cell).property);
    let object = format!("the {}", property.noun);
    let now = broken_sentence(
        &property.errors[broken.mistake].text,
        &object,
        &format!("`{}`", state.function.name),
        &named(&story.acquired_by),
    );
    let mut marks = earlier(state, broken.cell, broken.inst);
    marks.push((broken.inst, Step::new(StepKind::Lost, place.clone(), now)));
    let site = nowhere(state, broken.inst);
    let object = broken.cell.object;
    let mut teller = Teller { evaluator: model.evaluator(), state, object, site: &site };
    story.steps = path(&mut teller, broken.node, &marks);
    // Where it happens inside comes before what is said of the call.
    let mut last = story.steps.pop();
    for (call, depth) in broken.trail.iter().zip(1..) {
        story.steps.extend(inside(state, call, depth));
    }
    // A function that calls itself makes the mistake where it does inside.
    if let (Some(last), Some(call)) = (&mut last, broken.trail.last())
        && call.function == state.id
    {
        last.place = place_of(state, state.body.insts[call.inst].place);
    }
    story.steps.extend(last);
    Some(story)
}

/// What the solver says of a guard, and how sure that is.
pub(crate) fn confirmed(
    state: &mut State<'_>,
    solver: &mut Solver,
    object: ObjectId,
    guard: Guard,
) -> Option<(Model, Doubts)> {
    let doubtful = state.doubtful_states;
    confirmed_but_for(state, solver, object, guard, doubtful)
}

/// The same, where only some paths are doubtful: what comes after a mistake does not undo it.
fn confirmed_but_for(
    state: &mut State<'_>,
    solver: &mut Solver,
    object: ObjectId,
    guard: Guard,
    doubtful: Guard,
) -> Option<(Model, Doubts)> {
    let told = state.formulas.guards.and_not(guard, doubtful);
    let solid = state.without_inventions(solver, told, object, &[Guard::TRUE]);
    if !solid.is_false()
        && let Answer::Sat(model) = ask(state, solver, solid)
    {
        // Where something that nobody knows was called with the object, it may have ended the state.
        let without = state.formulas.guards.and_not(solid, state.called_with_states);
        let sure = !without.is_false()
            && (without == solid || matches!(ask(state, solver, without), Answer::Sat(_)));
        let mut doubts = Doubts::NONE;
        doubts.add_if(!sure, Doubt::StateShared);
        doubts.add_if(state.incomplete, Doubt::Incomplete);
        return Some((model, doubts));
    }
    let Answer::Sat(model) = ask(state, solver, guard) else { return None };
    let untold = told.is_false() || told != guard && !matches!(ask(state, solver, told), Answer::Sat(_));
    let doubts = match untold {
        true => Doubt::StateUntold.into(),
        false => inventions::doubts(state, solver, object, told),
    };
    Some((model, doubts))
}

/// What is known without a path.
pub(crate) fn outline(state: &State<'_>, inst: InstId, cell: Cell, mistake: usize) -> Story {
    let hidden = state.hidden(cell);
    let property = state.context.library.properties.get(hidden.property);
    let Mistake { rule, text, cwe, .. } = &property.errors[mistake];
    let place = place_of(state, state.body.insts[inst].place);
    let callee = called_by(state, inst).unwrap_or_else(|| BY_POINTER.to_owned());
    Story {
        ending: Ending::Broken(Broken {
            rule: rule.to_string(),
            text: text.to_string(),
            cwe: *cwe,
            place: place.clone(),
        }),
        acquired: place,
        ordinal: ordinal(state, inst, &callee),
        acquired_by: callee,
        given: false,
        kind: property.name.to_string(),
        memory: false,
        noun: property.noun.to_string(),
        held_in: spelled(state, inst, cell),
        owner: None,
        variant: Variant::SomePaths,
        urgency: Urgency::Ordinary,
        growth: Growth::EachCall,
        steps: Vec::new(),
        sibling: None,
        needs: Vec::new(),
        assumptions: Vec::new(),
        doubts: Doubts::NONE,
        support: Support::SolverChecked,
    }
}

/// The calls that moved a state before, one step for each.
pub(crate) fn earlier(state: &State<'_>, cell: Cell, except: InstId) -> Vec<(InstId, Step)> {
    let mut marks: Vec<(InstId, Step)> = Vec::new();
    for moved in state.journal.moves.iter().filter(|moved| moved.cell == cell && moved.inst != except) {
        if marks.iter().any(|mark| mark.0 == moved.inst) {
            continue;
        }
        let place = place_of(state, state.body.insts[moved.inst].place);
        let by = called_by(state, moved.inst).unwrap_or_else(|| BY_POINTER.to_owned());
        let Some(text) = state_after(state, &by, moved) else { continue };
        marks.push((moved.inst, Step::new(StepKind::Note, place, text)));
    }
    marks
}

/// What a call made of the state.
fn state_after(state: &State<'_>, by: &str, moved: &Moved) -> Option<String> {
    let Leaf::Number(term) = moved.to else { return None };
    let property = state.context.library.properties.get(state.hidden(moved.cell).property);
    let (by, noun, is) = (&*named(by), &*property.noun, is_or_are(&property.noun));
    Some(match state.base_and_plus(term) {
        (None, number) => Said::After { by, noun, is, state: &property.state(number) }.to_string(),
        (_, 0) => Said::AfterAsOnEntry { by, noun, is }.to_string(),
        (_, 1..) => Said::AcquiresMore { by, noun, is }.to_string(),
        _ => Said::ReleasesOnce { by, noun, is }.to_string(),
    })
}

/// The marked calls and branches on the path of a model, from the first mark on it.
pub(crate) fn path(teller: &mut Teller<'_, '_>, last: NodeId, marks: &[(InstId, Step)]) -> Vec<Step> {
    let mut steps = passed(teller, last, None, marks);
    // What happens before the first call that matters tells nothing.
    if let Some(first) = steps.iter().position(|step| step.kind != StepKind::Branch) {
        steps.drain(..first);
    }
    steps
}

/// A call inside the function called.
pub(crate) fn inside(state: &State<'_>, call: &CallAt, depth: u32) -> Option<Step> {
    let program = state.context.program;
    let place = program.source_place_of(call.function, call.inst)?;
    let name = &*program.functions[call.function].name;
    let place = Place::new(place.file, place.line, place.column).in_function(name);
    let body = program.functions[call.function].body.as_ref()?;
    let said = match &body.insts.get(call.inst)?.op {
        Op::Call(call) => match call.callee {
            Callee::Direct(id) => Said::Calls { caller: name, callee: &program.functions[id].name },
            Callee::Pointer(_) => Said::CallsPointer { caller: name },
        },
        _ => return None,
    };
    Some(Step::new(StepKind::Call, place, said).at_depth(depth))
}

/// How many calls of the same function stand before this one.
fn ordinal(state: &State<'_>, inst: InstId, callee: &str) -> u32 {
    let calls = state.body.blocks.values().flat_map(|block| &block.insts);
    let same = calls.take_while(|&&other| other != inst);
    same.filter(|&&other| called_by(state, other).as_deref() == Some(callee)).count() as u32
}

/// What the source calls the object: the argument of the call that leads to it, or the member of what it points to.
fn spelled(state: &State<'_>, inst: InstId, cell: Cell) -> Option<String> {
    let Op::Call(call) = &state.body.insts[inst].op else { return None };
    let speller = Speller::new(state.context.program, state.id)?;
    let hidden = state.hidden(cell);
    let noun = &state.context.library.properties.get(hidden.property).noun;
    let mut best: Option<(ValueId, i64)> = None;
    for &arg in &call.args {
        let syms = state.values[arg].iter().map(|entry| &entry.1).chain(state.fixed[arg].as_ref());
        for sym in syms {
            let Sym::Leaves(leaves) = sym else { continue };
            for &(_, leaf) in leaves {
                let at = match leaf {
                    Leaf::Address(object, Offset::At(at)) if object == cell.object => at,
                    Leaf::Number(term) if state.known_object_at(term) == Some(cell.object) => {
                        state.base_and_plus(term).1
                    }
                    _ => continue,
                };
                if best.is_none_or(|(_, known)| known != hidden.offset) {
                    best = Some((arg, at));
                }
            }
        }
    }
    let Some((arg, at)) = best else {
        return match &state.objects[cell.object].origin {
            Origin::Global(global) => Some(state.context.program.globals[*global].name.to_string()),
            Origin::Entry(path) => match path.root {
                Root::Global(global) => Some(state.context.program.globals[global].name.to_string()),
                _ => None,
            },
            _ => None,
        };
    };
    let whole = speller.value(arg);
    let is_it = |spelling: &Spelling| {
        let name = spelling.type_name(state.context.program);
        at == hidden.offset && (spelling.text.starts_with('&') || is_called(&name, noun))
    };
    if let Some(spelling) = &whole
        && is_it(spelling)
    {
        let text = &spelling.text;
        return Some(text.strip_prefix('&').unwrap_or(text).to_owned());
    }
    // What begins where the object begins is told apart from it by name only.
    let deep = speller.object_at(arg, hidden.offset - at, Type::Int(8)).map(|spelling| spelling.text);
    let member = deep.and_then(|deep| named_member(&deep, noun));
    member.or_else(|| whole.filter(|_| at == hidden.offset).map(|spelling| spelling.text))
}

/// Whether a name says what something is: `pthread_mutex_t` says mutex.
fn is_called(name: &str, noun: &str) -> bool {
    noun.split([' ', '-']).any(|word| word.len() > 2 && name.to_lowercase().contains(word))
}

/// Whether a word of a name says that it is a lock of some sort.
fn is_lock(name: &str) -> bool {
    let mut words = name.split(|c: char| !c.is_ascii_alphabetic());
    words.any(|word| matches!(word, "lock" | "mutex" | "mtx" | "rwlock" | "spinlock"))
}

/// The first part of a path whose last member has a name that says what it is.
fn named_member(deep: &str, noun: &str) -> Option<String> {
    let mut start = 0;
    let ends = deep.match_indices(['.', '-', '[']).map(|entry| entry.0).chain([deep.len()]);
    for end in ends {
        let last = &deep[start..end];
        if (is_called(last, noun) || is_lock(noun) && is_lock(last)) && start > 0 {
            return Some(deep[..end].to_owned());
        }
        start = end;
    }
    None
}

/// A teller wants to know where something was acquired; nothing was.
pub(crate) fn nowhere(state: &State<'_>, inst: InstId) -> crate::machine::memory::Site {
    crate::machine::memory::Site {
        inst,
        number: 0,
        kind: watertight_summary::KindId::HEAP,
        callee: called_by(state, inst).unwrap_or_default().into(),
        trail: Vec::new(),
        blank: false,
    }
}
