//! From a suspicion to a story: the solver is asked for values that make it happen, and the path that these
//! values take through the function is told step by step.
//!
//! In: an evaluated function and what its exits show. Out: a [`Story`] per acquisition that is lost, or held when the
//! process ends. A suspicion that the solver refutes is dropped; what a story rests on that was not followed stands in its
//! doubts.

use crate::assumptions::Supposed;
use crate::calls::believed::beliefs;
use crate::calls::pointers::{contracts, spelled_at};
use crate::context::report::Report;
use crate::exits::ends::only_returns;
use crate::exits::ends::{Globals, Held, is_main, left_in_globals, taken};
use crate::exits::lost::{Exits, Lost, LostBy};
use crate::exits::replaced::lost_outside;
use crate::limits::MOST_EXITS;
use crate::machine::ask::{ask, ask_believing, readable};
use crate::machine::callers::{Believe, Fact};
use crate::machine::journal::End;
use crate::machine::journal::{Event, EventKind, How};
use crate::machine::memory::{ObjectId, Origin, Site};
use crate::machine::state::State;
use crate::machine::value::{Leaf, Offset, Sym};
use crate::states::ways_out::ended;
use crate::stories::borrowed::{Ways, is_borrowed};
use crate::stories::export::witness;
use crate::stories::inventions;
use crate::stories::misuse::misuses;
use crate::stories::names;
use crate::stories::outside;
use crate::stories::repeats::repeats;
use crate::stories::standard;
use crate::stories::states;
use crate::stories::telling::{Fate, Followed, Teller, site_of};
use crate::stories::together::{causes, mention};
use std::rc::Rc;
use watertight_finding::{
    Assumed, Assumption, BY_POINTER, Confidence, Doubt, Doubts, Ending, Growth, Place, Said, Step, StepKind,
    Story, Support, Urgency, Variant, name_or_it, named, with_article,
};
use watertight_ir::{BlockId, CompareOp, GlobalId, InstId, Op, PlaceId, Program, Terminator, Type};
use watertight_logic::cone;
use watertight_logic::guard::Guard;
use watertight_logic::question::Answer;
use watertight_logic::solver::Solver;
use watertight_logic::term::{BinaryOp, Term, TermId};
use watertight_summary::{CallAt, Claim, Witness};

/// A story, and what the rest of the program must not do for it to be true.
#[derive(Clone, Debug)]
pub struct Told {
    pub story: Story,
    pub unless: Unless,
    /// How to see it happen, where that is known.
    pub witness: Option<Witness>,
}

/// What makes a story untrue that the function itself cannot know.
#[derive(Clone, Debug)]
pub enum Unless {
    Nothing,
    /// Some function releases what these globals hold.
    Released(Vec<GlobalId>),
    /// A function that runs when the process ends does.
    ReleasedAtExit(Vec<GlobalId>),
    /// Some function ends the state that what these globals lead to is left in.
    Ended(Vec<GlobalId>),
    /// Nothing in the program makes it happen: no caller, where all are in sight, and no store.
    NobodyMakes,
}

impl Told {
    /// A story that nothing else can make untrue, and that nobody has seen happen.
    pub(crate) fn always(story: Story) -> Told {
        Told { story, unless: Unless::Nothing, witness: None }
    }

    /// Whether the story is true in the whole program.
    pub fn is_true(&self, globals: &Globals) -> bool {
        match &self.unless {
            Unless::Nothing => true,
            Unless::Released(held_by) => globals.keep_until_the_end(held_by),
            Unless::ReleasedAtExit(held_by) => !globals.released_at_exit(held_by),
            Unless::Ended(held_by) => globals.never_end(held_by),
            Unless::NobodyMakes => false,
        }
    }

    /// Whether it would be told if there were a caller that makes it happen.
    pub fn is_latent(&self) -> bool {
        matches!(self.unless, Unless::NobodyMakes)
    }
}

/// Everything there is to say about one function.
#[derive(Clone, Debug, Default)]
pub struct Stories {
    pub told: Vec<Told>,
    /// Globals whose contents the function releases or hands on, on any path.
    pub taken: Vec<GlobalId>,
    /// Globals that have or lead to a state which the function ends, on any path.
    pub ended: Vec<GlobalId>,
}

impl Report for Stories {
    /// A closer look at a part of the function knows better what is lost there. What is held at the end, and states that
    /// ways out leave behind, are told by comparing ways out, and a part of the function does not have all of them.
    fn with_earlier(mut self, earlier: Stories) -> Stories {
        let compared = |story: &Story| matches!(story.ending, Ending::HeldAtExit | Ending::Broken(_));
        let same = |one: &Told, other: &Told| {
            one.story.acquired == other.story.acquired && one.story.kind == other.story.kind
        };
        let told: Vec<Told> = earlier.told.into_iter().filter(|told| !compared(&told.story)).collect();
        self.told.retain(|known| compared(&known.story) || !told.iter().any(|before| same(known, before)));
        self.told.splice(0..0, told);
        for (all, more) in [(&mut self.taken, earlier.taken), (&mut self.ended, earlier.ended)] {
            all.extend(more);
            all.sort_unstable();
            all.dedup();
        }
        self
    }
}

/// Which stories are asked for beside those that always are.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum AtExit {
    /// Only what the variables of `main` hold when it ends: enough to say that there is something.
    OfMain,
    /// All that is held at the end of the process.
    All,
}

/// The stories of everything that the function loses, releases twice, or holds at the end of the process.
pub fn stories(state: &mut State<'_>, exits: &Exits, at_exit: AtExit) -> Stories {
    let mut solver: Solver = Solver::new();
    let mut stories: Vec<Told> = Vec::new();
    let mut lost_sites: Vec<InstId> = Vec::new();
    let causes = causes(state, &exits.lost);
    let mut points = None;
    let mut told = vec![false; exits.lost.len()];
    // Causes first: where the solver refutes one, what it explained is told by itself.
    let roots = (0..causes.len()).filter(|&index| causes[index] == index);
    let rest = (0..causes.len()).filter(|&index| causes[index] != index);
    for index in roots.chain(rest) {
        let lost = &exits.lost[index];
        if told[causes[index]] {
            lost_sites.extend(site_of(state, lost.object));
            continue;
        }
        for (mut story, witness) in losses_of(state, &mut solver, lost, &exits.lost, &mut points) {
            told[index] = true;
            let inner = (0..causes.len()).filter(|&other| other != index && causes[other] == index);
            let inner: Vec<&Lost> = inner.map(|other| &exits.lost[other]).collect();
            mention(state, &mut story, &inner);
            lost_sites.extend(site_of(state, lost.object));
            tell_together(&mut stories, Told { witness, ..Told::always(story) });
        }
    }
    for (index, _) in told.iter().enumerate().filter(|(index, told)| !**told && causes[*index] == *index) {
        stories.extend(latent(state, &mut solver, &exits.lost[index]));
    }
    stories.extend(misuses(state, &mut solver));
    stories.extend(states::states(state, &mut solver, exits));
    for (failed, object, guard) in lost_outside(state, exits) {
        stories
            .extend(outside::replacement_lost(state, &mut solver, &failed, object, guard).map(Told::always));
    }
    if at_exit == AtExit::All || is_main(state) {
        // What is lost on one path and held to the end on another has one cause, and the loss is worse.
        let worth_it = |state: &State<'_>, held: &Held| {
            site_of(state, held.object).is_some_and(|site| !lost_sites.contains(&site))
        };
        let mut by_locals: Vec<Told> = Vec::new();
        let asked = |held: &&Held| at_exit == AtExit::All || held.globals.is_empty();
        for held in exits.end.held.iter().filter(asked) {
            if worth_it(state, held)
                && let Some(mut story) = held_at_end(state, &mut solver, held, &exits.end.ends)
            {
                if held.globals.is_empty() {
                    let unless = Unless::ReleasedAtExit(Vec::new());
                    tell_together(&mut by_locals, Told { story, unless, witness: None });
                } else {
                    // What `main` puts into a global can be reached until the process is no more.
                    if is_main(state) {
                        story.doubts.add(Doubt::HeldByGlobal);
                    }
                    let unless = Unless::ReleasedAtExit(held.globals.clone());
                    stories.push(Told { story, unless, witness: None });
                }
            }
        }
        stories.extend(by_locals);
        let left = if is_main(state) { Vec::new() } else { left_in_globals(state, exits.returned) };
        for held in left {
            if worth_it(state, &held)
                && let Some(story) = held_at_end(state, &mut solver, &held, &[])
            {
                stories.push(Told { story, unless: Unless::Released(held.globals), witness: None });
            }
        }
    }
    state.effort = solver.effort();
    Stories { told: stories, taken: taken(state), ended: ended(state) }
}

/// What is held when the process ends: at one of the ends in this function, or at an end elsewhere.
fn held_at_end(state: &mut State<'_>, solver: &mut Solver, held: &Held, ends: &[End]) -> Option<Story> {
    let Origin::Fresh(site) = state.objects[held.object].origin.clone() else { return None };
    let Answer::Sat(model) = ask(state, solver, held.guard) else { return None };
    let mut story = outline(state, &site, held.object);
    story.ending = Ending::HeldAtExit;
    story.variant = Variant::HeldAtExit;
    story.doubts.add_if(state.incomplete, Doubt::Incomplete);
    story.support = Support::SolverChecked;
    if story.growth == Growth::EachCall && is_main(state) {
        story.growth = Growth::OncePerProcess;
    }
    let mut teller = Teller { evaluator: model.evaluator(), state, object: held.object, site: &site };
    let branches = teller.follow().branches;
    let end = ends.iter().find(|end| teller.holds(end.guard)).copied();
    story.steps = acquire_steps(teller.state, &story, &site);
    story.steps.extend(branches);
    let globals = held.globals.iter().map(|&global| names::global_name(teller.state, global));
    let globals: Vec<String> = globals.collect();
    story.steps.push(match (end, &globals[..]) {
        (Some(end), _) => {
            let place = place_of(teller.state, end.place);
            Step::new(StepKind::Lost, place, Said::ProgramEnds)
        }
        (None, globals) => {
            let said = Said::StillHeld { globals: &globals.join(" or ") };
            Step::new(StepKind::Lost, story.acquired.clone(), said)
        }
    });
    Some(story)
}

/// What one call acquires and one exit loses is one story: a structure is lost with what it holds.
fn tell_together(stories: &mut Vec<Told>, told: Told) {
    let story = &told.story;
    let end = |story: &Story| story.steps.last().map(|step| (step.kind, step.place.clone()));
    let same = stories.iter_mut().map(|known| &mut known.story).find(|known| {
        known.acquired == story.acquired
            && known.ending == story.ending
            && known.kind == story.kind
            && !known.steps.is_empty()
            && end(known) == end(story)
    });
    let Some(known) = same else { return stories.push(told) };
    let story = told.story;
    if story.confidence() > known.confidence() {
        known.doubts = story.doubts;
    }
    let acquires = |step: &Step| step.kind == StepKind::Acquire;
    let mut at = known.steps.iter().take_while(|step| acquires(step)).count();
    for mut step in story.steps.into_iter().take_while(acquires).skip(1) {
        if !known.steps.iter().any(|other| acquires(other) && other.place == step.place) {
            step.text = Said::AsWell { event: &step.text }.into();
            known.steps.insert(at, step);
            at += 1;
        }
    }
}

/// Asks whether an object can be lost, and whether that is doubtful. Who loses some of the descriptors of the
/// standard streams and no others means them to stay open; who loses only the first takes it for no descriptor,
/// which matters to programs that are started with their standard input closed.
fn ask_for_loss(
    state: &mut State<'_>,
    solver: &mut Solver,
    object: ObjectId,
    site: &Site,
    guard: Guard,
) -> Option<(Answer, bool)> {
    let kind = state.context.library.kinds.get(site.kind);
    let (Some(least), Some(first)) = (kind.number, kind.lost_from) else {
        return Some((ask(state, solver, guard), false));
    };
    let term = state.address_term(object, Offset::At(0));
    let width = state.formulas.terms.width(term);
    let mut above = |state: &mut State<'_>, guard: Guard, number: i64| {
        let number = Leaf::Number(state.constant(width, number.into()));
        let above = state.compare_leaves(CompareOp::Sge, Leaf::Number(term), number, width);
        let guard = state.and(guard, above);
        ask(state, solver, guard)
    };
    let nameless = without_constants(state, guard, term);
    match above(state, nameless, first) {
        Answer::Unsat(_) => {}
        answer => return Some((answer, false)),
    }
    match above(state, guard, least + 1) {
        Answer::Unsat(_) => {}
        _ => return None,
    }
    if standard::is_meant(state, object) {
        return None;
    }
    // Who leaves the others open too, if only because they are where they should be, means the first to stay open as well.
    let returned = state.returns.clone().iter().fold(Guard::FALSE, |all, entry| state.or(all, entry.1));
    let open = state.live(object, returned);
    let end = Leaf::Number(state.constant(width, first.into()));
    let below = state.compare_leaves(CompareOp::Slt, Leaf::Number(term), end, width);
    let open = state.and(open, below);
    match above(state, open, least + 1) {
        Answer::Unsat(_) => Some((above(state, guard, least), true)),
        _ => None,
    }
}

/// The paths on which a number is not one that the function knows by a constant: who finds that a descriptor has the number
/// that it is to have can go on by that number.
fn without_constants(state: &mut State<'_>, guard: Guard, term: TermId) -> Guard {
    let mut left = guard;
    for condition in state.formulas.condition_terms(guard) {
        let Term::Binary(BinaryOp::Eq, a, b) = state.formulas.terms.view(condition) else { continue };
        let constant = |side: TermId| matches!(state.formulas.terms.view(side), Term::Const(_));
        if a == term && constant(b) || b == term && constant(a) {
            let equal = state.formulas.guard(condition);
            left = state.formulas.guards.and_not(left, equal);
        }
    }
    left
}

/// The stories of an object that is lost: one for each place where that happens.
fn losses_of(
    state: &mut State<'_>,
    solver: &mut Solver,
    lost: &Lost,
    all: &[Lost],
    points: &mut Option<Rc<[Exit]>>,
) -> Vec<(Story, Option<Witness>)> {
    let Origin::Fresh(site) = state.objects[lost.object].origin.clone() else { return Vec::new() };
    let sure = !lost.surely.is_false();
    let guard = if sure { lost.surely } else { lost.perhaps };
    // A path that needs no invention is the better story.
    let ways_out = ways_out(state, lost.by);
    let without = state.without_inventions(solver, guard, lost.object, &ways_out);
    let first =
        if without.is_false() { None } else { ask_for_loss(state, solver, lost.object, &site, without) };
    let (asked, guard, solid) = match first {
        Some(asked @ (Answer::Sat(_) | Answer::Unknown(_), _)) => (Some(asked), without, true),
        _ if without == guard => return Vec::new(),
        _ => (ask_for_loss(state, solver, lost.object, &site, guard), guard, false),
    };
    let Some((answer, doubtful)) = asked else { return Vec::new() };
    if matches!(answer, Answer::Unsat(_)) {
        return Vec::new();
    }
    let mut story = outline(state, &site, lost.object);
    story.doubts.add_if(matches!(answer, Answer::Unknown(_)), Doubt::Undecided);
    // Whether the reasons to doubt it are more than that is not asked, nor is it searched for.
    if state.has_asked_enough(solver.effort()) && matches!(answer, Answer::Unknown(_)) {
        return vec![(story, None)];
    }
    story.doubts.add_if(decided_by_companion(state, lost.object, guard), Doubt::StructSays);
    story.doubts.add_if(state.is_acquired_late(lost.object), Doubt::LoopCut);
    story.doubts.add_if(state.incomplete, Doubt::Incomplete);
    story.doubts.add_if(doubtful, Doubt::FirstDescriptor);
    let unlike = state.is_seen_in_part()
        && matches!(ask_believing(state, solver, guard, Believe::CallersInSight), Answer::Unsat(_));
    story.doubts.add_if(unlike, Doubt::UnlikeCallers);
    if !solid {
        story.doubts.extend(inventions::doubts(state, solver, lost.object, guard).iter());
    }
    if story.growth == Growth::EachIteration
        && lost.by == LostBy::Return
        && !repeats(state, solver, lost, all)
    {
        story.growth = Growth::EachCall;
    }
    // ASSUME-41: what is believed of code out of sight may be wrong, and a run knows no more of it.
    let believed = !beliefs(state, &site).is_empty();
    let lent = is_lent(state, lost.object, guard);
    story.doubts.add_if(believed, Doubt::Believed);
    // Who is not sure of the rest either has nothing to tell.
    if believed && (!sure || story.confidence() == Confidence::Low) {
        return Vec::new();
    }
    story.sibling = sibling(state, solver, lost.object);
    if story.sibling.is_some() {
        story.variant = Variant::SomePaths;
    }
    if !sure {
        story.assumptions.extend(assumptions(state, lost.object, Guard::TRUE));
    }
    let lend = |state: &mut State<'_>, story: &mut Story, guard: Guard| {
        // Who is shown it on other paths only does not matter.
        if lent && is_lent(state, lost.object, guard) {
            story.doubts.add(Doubt::Borrowed);
            if sure {
                story.assumptions.extend(assumptions(state, lost.object, guard));
            }
        }
    };
    let Answer::Sat(model) = answer else {
        lend(state, &mut story, guard);
        if !sure {
            story.doubts.extend(keepers(state, lost.object).iter());
        }
        return vec![(story, (!believed).then(|| unseen(&site)))];
    };
    story.support = Support::SolverChecked;
    let exits: Rc<[Exit]> = match lost.by {
        LostBy::Return => points.get_or_insert_with(|| exit_points(state).into()).clone(),
        LostBy::NextIteration => Rc::default(),
    };
    let mut told = Vec::new();
    let last = exits.iter().map(|exit| exit.place.clone()).max_by_key(|place| (place.line, place.column));
    let mut ways = Ways { fail: true, ordinary: false };
    let mut asked = 0;
    for exit in exits.iter() {
        if asked == MOST_EXITS || state.formulas.guards.disjoint(guard, exit.guard) {
            continue;
        }
        let both = state.and(guard, exit.guard);
        asked += 1;
        let short = first_turns(state, both);
        let answer = [short, both].into_iter().find_map(|guard| {
            match ask_for_loss(state, solver, lost.object, &site, guard) {
                Some((Answer::Sat(model), _)) => Some(model),
                _ => None,
            }
        });
        if let Some(model) = answer {
            let mut teller = Teller { evaluator: model.evaluator(), state, object: lost.object, site: &site };
            let fails = teller.fails(exit);
            ways.fail &= fails;
            ways.ordinary |= !fails && last.as_ref() == Some(&exit.place);
            let witness = witness(&mut teller, both, Claim::Lost, false, None);
            let model = readable(state, solver, both, model);
            let mut teller = Teller { evaluator: model.evaluator(), state, object: lost.object, site: &site };
            let mut story = tell(&mut teller, story.clone(), Some(exit));
            lend(state, &mut story, both);
            told.push((story, witness));
        }
    }
    if told.is_empty() {
        ways.ordinary = true;
        let mut teller = Teller { evaluator: model.evaluator(), state, object: lost.object, site: &site };
        let witness = witness(&mut teller, guard, Claim::Lost, false, None);
        let model = readable(state, solver, guard, model);
        let mut teller = Teller { evaluator: model.evaluator(), state, object: lost.object, site: &site };
        let mut story = tell(&mut teller, story, None);
        lend(state, &mut story, guard);
        told.push((story, witness));
    }
    if !sure {
        let borrowed = is_borrowed(state, solver, lost.object, &site, guard, &exits, ways);
        let doubts = if borrowed { Doubt::Borrowed.into() } else { keepers(state, lost.object) };
        told.iter_mut().for_each(|(story, _)| story.doubts.extend(doubts.iter()));
    }
    if believed {
        told.iter_mut().for_each(|(_, witness)| *witness = None);
        told.retain(|(story, _)| story.confidence() > Confidence::Low);
    }
    // What every way through a function loses was more likely kept in a way that was not seen, where models say so.
    if state.context.library.doubts_losses {
        for (story, _) in &mut told {
            if story.sibling.is_none() || story.growth != Growth::ErrorPath {
                story.doubts.add(Doubt::OrdinaryLoss);
            }
        }
    }
    told
}

/// Whether a number that came in one struct with the object decides about the loss, and it is not known which
/// numbers go with it: the struct may say that it owns nothing then.
// ASSUME-15: who returns a struct may say in it that it owns nothing.
fn decided_by_companion(state: &State<'_>, object: ObjectId, guard: Guard) -> bool {
    let companions = state.journal.companions.iter().filter(|entry| entry.0 == object);
    let companions: Vec<TermId> = companions.map(|entry| entry.1).collect();
    if companions.is_empty() || !state.assumes(Supposed::StructSaysWhatItOwns) {
        return false;
    }
    let support = cone::support(&state.formulas.terms, state.formulas.condition_terms(guard));
    support.into_iter().any(|var| companions.contains(&state.formulas.terms.variable_term(var)))
}

/// The story of an object that is lost only if somebody passes or stores what nobody does.
fn latent(state: &mut State<'_>, solver: &mut Solver, lost: &Lost) -> Option<Told> {
    let Origin::Fresh(site) = state.objects[lost.object].origin.clone() else { return None };
    let ways_out = ways_out(state, lost.by);
    let guard = state.without_inventions(solver, lost.surely, lost.object, &ways_out);
    let facts = if guard.is_false() { Vec::new() } else { state.facts_about(guard) };
    if facts.is_empty() {
        return None;
    }
    let Answer::Sat(model) = ask_believing(state, solver, guard, Believe::Nothing) else { return None };
    if !matches!(ask(state, solver, guard), Answer::Unsat(_)) {
        return None;
    }
    let mut story = outline(state, &site, lost.object);
    story.support = Support::SolverChecked;
    let place = story.acquired.clone();
    // One of them is mostly enough.
    let alone =
        |fact: &&Fact| matches!(ask_believing(state, solver, guard, Believe::Only(**fact)), Answer::Unsat(_));
    let decisive: Vec<Fact> = match facts.iter().find(alone) {
        Some(&fact) => vec![fact],
        None => facts.clone(),
    };
    let clauses = decisive.into_iter().filter_map(|fact| state.denied(fact));
    story.assumptions.extend(clauses.map(|text| Assumption::new(place.clone(), text)));
    let mut teller = Teller { evaluator: model.evaluator(), state, object: lost.object, site: &site };
    let story = tell(&mut teller, story, None);
    Some(Told { story, unless: Unless::NobodyMakes, witness: None })
}

/// The ways on which a function loses something, as far as they are told apart.
fn ways_out(state: &State<'_>, by: LostBy) -> Vec<Guard> {
    let returns = state.returns.iter().map(|entry| entry.1);
    let others = state.journal.jumps.iter().map(|jump| jump.guard);
    match by {
        LostBy::Return => returns.chain(others).chain([Guard::TRUE]).collect(),
        LostBy::NextIteration => vec![Guard::TRUE],
    }
}

/// A witness of which nothing is known but what is lost.
fn unseen(site: &Site) -> Witness {
    Witness {
        claim: Claim::Lost,
        acquired: Some(site.inst),
        trail: site.trail.clone(),
        kind: site.kind,
        blocks: Vec::new(),
        inputs: Vec::new(),
        results: Vec::new(),
    }
}

/// The paths of a guard that go round no loop a second time: they are told best.
fn first_turns(state: &mut State<'_>, guard: Guard) -> Guard {
    let mut short = guard;
    for node in state.unrolled.nodes.ids() {
        let context = state.unrolled.nodes[node].context;
        if state.unrolled.contexts[context].contains(&1) && !short.is_false() {
            short = state.formulas.guards.and_not(short, state.entered[node]);
        }
    }
    short
}

/// What had to be assumed about callees that may have kept the object or what leads to it.
fn assumptions(state: &mut State<'_>, object: ObjectId, guard: Guard) -> Vec<Assumption> {
    let mut told: Vec<Assumption> = Vec::new();
    let keepers = state.journal.keepers.clone();
    for keeper in keepers.iter().filter(|keeper| keeper.object == object) {
        if state.formulas.guards.disjoint(keeper.guard, guard) {
            continue;
        }
        let place = place_of(state, state.body.insts[keeper.inst].place);
        let name = names::argument(state, keeper.inst, object);
        let by = &*named(&keeper.callee);
        let assumed = match &name {
            Some(held) => Assumed::KeepsNot { by, held },
            None => Assumed::KeepsItNot { by },
        };
        let assumption = Assumption::new(place, assumed);
        if !told.contains(&assumption) {
            told.push(assumption);
        }
    }
    if told.is_empty() {
        let place = || place_of(state, site_of(state, object).and_then(|inst| state.body.insts[inst].place));
        told.extend(
            state
                .assumptions
                .iter()
                .map(|name| Assumption::new(place(), Assumed::KeepsArgumentsNot { by: &named(name) })),
        );
    }
    told
}

/// Whether code that is believed to give it back was shown an object on some of these paths.
fn is_lent(state: &mut State<'_>, object: ObjectId, guard: Guard) -> bool {
    let shown: Vec<Guard> =
        state.journal.lent.iter().filter(|entry| entry.0 == object).map(|entry| entry.1).collect();
    shown.into_iter().any(|there| !state.formulas.guards.disjoint(there, guard))
}

/// Who may have kept the object or what leads to it.
fn keepers(state: &State<'_>, object: ObjectId) -> Doubts {
    let functions = &state.context.program.functions;
    let defined = |name: &str| functions.values().any(|entry| *entry.name == *name && entry.body.is_some());
    let who = |name: &str| match name {
        BY_POINTER => Doubt::UnknownPointer,
        name if defined(name) => Doubt::CalleeInPart,
        _ => Doubt::UnknownCallee,
    };
    let own = state.journal.keepers.iter().filter(|keeper| keeper.object == object);
    let mut doubts: Doubts = own
        .map(|keeper| match keeper.how {
            How::Variable => Doubt::VariableArguments,
            How::Given | How::Found => who(&keeper.callee),
        })
        .collect();
    if doubts.is_empty() {
        doubts.extend(state.assumptions.iter().map(|name| who(name)));
    }
    // What code that is not known finds in a global has no name.
    doubts.add_if(doubts.is_empty(), Doubt::CalleeInPart);
    doubts
}

/// A place where the function is left.
pub(crate) struct Exit {
    pub(crate) guard: Guard,
    pub(crate) place: Place,
    pub(crate) result: Option<Sym>,
}

/// The returns of a function as the source has them, told apart by their places.
pub(crate) fn exit_points(state: &mut State<'_>) -> Vec<Exit> {
    let mut exits: Vec<Exit> = Vec::new();
    let mut add = |state: &mut State<'_>, guard: Guard, place: Place, result: &Option<Sym>| {
        if guard.is_false() {
            return;
        }
        match exits.iter_mut().find(|exit| exit.place == place) {
            Some(exit) => exit.guard = state.or(exit.guard, guard),
            None => exits.push(Exit { guard, place, result: result.clone() }),
        }
    };
    for (node, guard, result) in state.returns.clone() {
        let block = state.unrolled.nodes[node].block;
        let own = state.body.blocks[block].term_place;
        if !only_returns(state.body, block) || state.edges[node].is_empty() {
            let place = place_of(state, own);
            add(state, guard, place, &result);
            continue;
        }
        for (from, edge) in state.edges[node].clone() {
            let guard = state.and(guard, edge);
            let from = state.unrolled.nodes[from].block;
            let place = place_of(state, return_place(state, from, own));
            add(state, guard, place, &result);
        }
    }
    exits
}

/// The place of a return that jumps from one block to another, which only returns. A `return` in the source is
/// such a jump; so is the end of a branch after which nothing is left to do.
fn return_place(state: &State<'_>, from: BlockId, end: Option<PlaceId>) -> Option<PlaceId> {
    let block = &state.body.blocks[from];
    let point = |place: Option<PlaceId>| place.and_then(|place| state.body.places.get(place));
    let (Some(jump), Some(last)) = (point(block.term_place), point(end)) else {
        return block.term_place.or(end);
    };
    // A function with a single `return` has its place; with several, it is the closing brace that has one.
    let several = last.column <= 1;
    // Nothing stands behind a `return` that gives no value.
    let behind = |inst: &InstId| {
        let place = point(state.body.insts[*inst].place);
        place.is_some_and(|place| place.line == jump.line && place.column >= jump.column)
    };
    let falls = state.function.result == Type::Void && block.insts.iter().any(behind);
    let jumps = matches!(block.term, Terminator::Jump(_));
    if several && jumps && !falls { block.term_place } else { end }
}

/// A path that releases the object.
fn sibling(state: &mut State<'_>, solver: &mut Solver, object: ObjectId) -> Option<Step> {
    let released = |event: &&Event| event.object == object && event.kind == EventKind::Release;
    let events: Vec<Event> = state.journal.events.iter().filter(released).cloned().collect();
    let event = events.into_iter().find(|event| matches!(ask(state, solver, event.guard), Answer::Sat(_)))?;
    let place = place_of(state, state.body.insts[event.inst].place);
    let by = names::called_by(state, event.inst);
    let said = by.as_deref().map_or(Said::Released, |by| Said::Releases { by });
    Some(Step::new(StepKind::Release, place, said))
}

/// Tells how the object is lost on one path.
fn tell(teller: &mut Teller<'_, '_>, mut story: Story, exit: Option<&Exit>) -> Story {
    let Followed { branches, fate, name } = teller.follow();
    story.held_in = story.held_in.or(name);
    story.steps = acquire_steps(teller.state, &story, teller.site);
    story.steps.extend(branches);
    if let Some((place, call)) = teller.failed_replacement() {
        story.ending = Ending::ReplacementFailed(place, call);
    }
    if let Some(exit) = exit
        && story.growth == Growth::EachCall
        && teller.fails(exit)
    {
        story.growth = Growth::ErrorPath;
    }
    let held = story.held_in.clone();
    let it = &*name_or_it(held.as_deref());
    let (place, said): (Place, String) = match fate {
        Fate::Overwritten { place, .. } => {
            story.variant = Variant::Overwritten;
            let said = match &held {
                Some(held) if place == story.acquired => Said::NextOverwrites { held },
                Some(held) => Said::Overwritten { held },
                None => Said::OverwrittenHere,
            };
            (place, said.into())
        }
        Fate::WithOwner { place, by, owner, .. } => {
            story.variant = Variant::LostWithOwner;
            // What one turn puts into an array another one finds, moves or releases.
            let block = teller.state.context.block_of(teller.state.id, teller.site.inst);
            let in_loop = teller.state.loops.depth(block) > 0;
            story.doubts.add_if(teller.state.few_turns && in_loop, Doubt::LoopCut);
            let said = Said::OwnerFreed {
                by: &by.map_or_else(|| "this call".to_owned(), |by| format!("`{by}`")),
                owner: &owner.as_ref().map_or_else(|| "its owner".to_owned(), |owner| format!("`{owner}`")),
            };
            let said = said.into();
            story.owner = owner;
            (place, said)
        }
        Fate::Dropped if story.sibling.is_none() => {
            story.variant = Variant::DroppedResult;
            // It is lost where it is acquired, and what happens later is no part of how.
            story.steps.retain(|step| step.kind == StepKind::Acquire);
            // ASSUME-39: as below.
            if exit.is_none() && teller.jump().is_some_and(|jump| jump.awaited) {
                story.doubts.add(Doubt::JumpAwaited);
            }
            (story.acquired.clone(), Said::NotKept.into())
        }
        Fate::Dropped | Fate::Forgotten => match (exit, teller.jump()) {
            (None, Some(jump)) => {
                // ASSUME-39: who reports errors by jumps where somebody waits for them, and else ends the process.
                if jump.awaited {
                    story.doubts.add(Doubt::JumpAwaited);
                }
                let place = place_of(teller.state, teller.state.body.insts[jump.inst].place);
                (place, Said::LongJump { it }.into())
            }
            (Some(exit), _) => (exit.place.clone(), Said::ReturnsWithout { it }.into()),
            (None, None) => (teller.last_place(), Said::NextIteration { it }.into()),
        },
    };
    story.steps.push(Step::new(StepKind::Lost, place, said));
    story
}

/// What is known without a path.
pub(crate) fn outline(state: &State<'_>, site: &Site, object: ObjectId) -> Story {
    let kind = state.context.library.kinds.get(site.kind);
    Story {
        ending: Ending::Lost,
        acquired: place_of(state, state.body.insts[site.inst].place),
        acquired_by: spelled_at(state.context.program, &CallAt { function: state.id, inst: site.inst })
            .unwrap_or_else(|| site.callee.to_string()),
        ordinal: ordinal(state, site),
        kind: kind.name.to_string(),
        memory: kind.memory,
        noun: kind.noun.to_string(),
        given: false,
        held_in: names::holder(state, site, object),
        owner: None,
        variant: Variant::NeverReleased,
        urgency: Urgency::Ordinary,
        growth: growth(state, site),
        steps: Vec::new(),
        sibling: None,
        needs: Vec::new(),
        assumptions: contracts(state, site).into_iter().chain(beliefs(state, site)).collect(),
        doubts: Doubts::NONE,
        support: Support::Unchecked,
    }
}

/// A place in the source as findings name it.
pub(crate) fn place_of(state: &State<'_>, place: Option<PlaceId>) -> Place {
    let function = &*state.function.name;
    let found = place.and_then(|place| state.context.program.source_place(state.id, place));
    match found {
        // An event in an inlined function is one of the function that it was inlined into: `spin_lock` of a header takes
        // another lock wherever it is called.
        Some(found) => {
            let (file, line, column) = found.outermost();
            Place::new(file, line, column).in_function(function)
        }
        None => {
            Place::new(&*state.context.program.units[state.function.unit].name, 0, 0).in_function(function)
        }
    }
}

/// How many calls of the same function stand before this one.
fn ordinal(state: &State<'_>, site: &Site) -> u32 {
    let same = |inst: &InstId| match &state.body.insts[*inst].op {
        Op::Call(call) => match call.callee {
            watertight_ir::Callee::Direct(id) => *state.context.program.functions[id].name == *site.callee,
            watertight_ir::Callee::Pointer(_) => {
                state.context.targets.of_call(state.id, *inst).is_some()
                    || state.context.targets.of_closed_call(state.id, *inst).is_some()
                    || state.context.beliefs.of_call(state.id, *inst).is_some()
            }
        },
        _ => false,
    };
    let calls = state.body.blocks.values().flat_map(|block| &block.insts).filter(|inst| same(inst));
    calls.take_while(|&&inst| inst != site.inst).count() as u32
}

fn growth(state: &State<'_>, site: &Site) -> Growth {
    let block = state.context.block_of(state.id, site.inst);
    if state.loops.depth(block) > 0 { Growth::EachIteration } else { Growth::EachCall }
}

/// The call that acquires, and the calls inside it that lead to where it is acquired in the end.
pub(crate) fn acquire_steps(state: &State<'_>, story: &Story, site: &Site) -> Vec<Step> {
    let (by, noun) = (&*story.acquired_by, &*with_article(&story.noun));
    let said = match &story.held_in {
        Some(held) => Said::AcquiresInto { by, noun, held },
        None => Said::Acquires { by, noun },
    };
    let mut steps = vec![Step::new(StepKind::Acquire, story.acquired.clone(), said)];
    let program = state.context.program;
    for (call, depth) in site.trail.iter().zip(1..) {
        let Some(place) = program.source_place_of(call.function, call.inst) else { continue };
        let name = &*program.functions[call.function].name;
        let (file, line, column) = place.outermost();
        let place = Place::new(file, line, column).in_function(name);
        let callee = called_at(program, call).or_else(|| spelled_at(program, call));
        let said = callee.as_deref().map_or(Said::AcquiredByCall, |by| Said::AcquiresIt { by });
        steps.push(Step::new(StepKind::Acquire, place, said).at_depth(depth));
    }
    steps
}

/// The function that a call names.
fn called_at(program: &Program, call: &CallAt) -> Option<String> {
    let body = program.functions[call.function].body.as_ref()?;
    match &body.insts.get(call.inst)?.op {
        Op::Call(call) => match call.callee {
            watertight_ir::Callee::Direct(id) => Some(program.functions[id].name.to_string()),
            watertight_ir::Callee::Pointer(_) => None,
        },
        _ => None,
    }
}
