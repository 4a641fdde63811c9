//! Stories of what is used or released after it was released.
//!
//! In: the events of an evaluated function. Out: one story per place of misuse. Only what the solver confirms is told, and
//! only if nothing that was not looked at could explain it: where the release came before on some of the paths only,
//! their conditions must not depend on numbers of which other code knows more.

use crate::assumptions::Supposed;
use crate::facts::cells::base_of;
use crate::limits::TOLD_BRANCHES;
use crate::machine::ask::ask;
use crate::machine::journal::{Before, Event, EventKind};
use crate::machine::memory::{ObjectId, Origin, Site};
use crate::machine::provenance::Provenance;
use crate::machine::state::State;
use crate::plan::unroll::NodeId;
use crate::stories::export::witness;
use crate::stories::inventions;
use crate::stories::telling::Teller;
use crate::stories::witness::{Told, acquire_steps, outline, place_of};
use watertight_finding::{BY_POINTER, Confidence, Doubt, Ending, Said, Step, StepKind, Support, named};
use watertight_ir::spell::Speller;
use watertight_ir::{Callee, InstId, Op, ValueId};
use watertight_logic::cone::support;
use watertight_logic::guard::Guard;
use watertight_logic::question::Answer;
use watertight_logic::solver::Solver;
use watertight_summary::{Claim, Root};

/// The stories of everything that is used or released after its release.
pub(crate) fn misuses(state: &mut State<'_>, solver: &mut Solver) -> Vec<Told> {
    let mut told: Vec<(InstId, InstId)> = Vec::new();
    let mut gone: Vec<ObjectId> = Vec::new();
    let mut stories = Vec::new();
    let mut doubtful: Vec<(Event, Before, Told)> = Vec::new();
    for event in state.journal.events.clone() {
        let (EventKind::ReleaseAgain(before) | EventKind::UseReleased(before)) = event.kind else { continue };
        // Copies of a loop body repeat themselves, and after the first misuse of a block the others say nothing new.
        if told.contains(&(event.inst, before.inst)) || gone.contains(&event.object) {
            continue;
        }
        let Some(story) = misuse(state, solver, &event, before) else { continue };
        if story.story.confidence() == Confidence::Low {
            doubtful.push((event, before, story));
            continue;
        }
        told.push((event.inst, before.inst));
        gone.push(event.object);
        stories.push(story);
    }
    // What rests on an invention does not stand in the way of what does not.
    for (event, before, story) in doubtful {
        if !told.contains(&(event.inst, before.inst)) && !gone.contains(&event.object) {
            told.push((event.inst, before.inst));
            gone.push(event.object);
            stories.push(story);
        }
    }
    stories
}

fn misuse(state: &mut State<'_>, solver: &mut Solver, event: &Event, before: Before) -> Option<Told> {
    // It may have come to stand for several objects only later.
    if state.is_several(event.object) || !before.always && is_doubtful(state, event.guard) {
        return None;
    }
    // A path that needs no invention is the better story.
    let without = state.without_inventions(solver, event.guard, event.object, &[Guard::TRUE]);
    let asked = if without.is_false() { None } else { Some(ask(state, solver, without)) };
    let (model, solid) = match asked {
        Some(Answer::Sat(model)) => (model, true),
        _ if without == event.guard => return None,
        _ => match ask(state, solver, event.guard) {
            Answer::Sat(model) => (model, false),
            _ => return None,
        },
    };
    let fresh = match state.objects[event.object].origin.clone() {
        Origin::Fresh(site) => Some(site),
        _ => None,
    };
    let given = fresh.is_none();
    let site = fresh.unwrap_or_else(|| Site {
        inst: before.inst,
        number: 0,
        kind: before.kind,
        callee: called(state, before.inst).into(),
        trail: Vec::new(),
        blank: false,
    });
    let place = place_of(state, state.body.insts[event.inst].place);
    let release = place_of(state, state.body.insts[before.inst].place);
    let mut story = outline(state, &site, event.object);
    story.given = given;
    story.sibling = None;
    let in_step = given && !before.always && rests_on_several_fields(state, event.guard);
    let again = state.objects[event.object].found_again;
    story.doubts.add_if(state.incomplete, Doubt::ValueGivenUp);
    story.doubts.add_if(state.few_turns, Doubt::LoopCut);
    story.doubts.add_if(in_step, Doubt::KeptInStep);
    story.doubts.add_if(again, Doubt::FoundAgain);
    if !solid {
        story.doubts.extend(inventions::doubts(state, solver, event.object, event.guard).iter());
    }
    story.support = Support::SolverChecked;
    story.held_in = match given {
        true => spelled(state, event),
        false => story.held_in.or_else(|| spelled(state, event)),
    };
    let (ending, said) = match event.kind {
        EventKind::ReleaseAgain(_) => (Ending::ReleasedAgain(place.clone()), Said::ReleasedAgain),
        _ => (Ending::UsedAfterRelease(place.clone()), used(state, event.inst)),
    };
    story.ending = ending;
    let by = &*named(called(state, before.inst));
    let marks = [
        (before.inst, Step::new(StepKind::Release, release, Said::ReleasesHere { by })),
        (event.inst, Step::new(StepKind::Lost, place, said)),
    ];
    let mut teller = Teller { evaluator: model.evaluator(), state, object: event.object, site: &site };
    let claim = match event.kind {
        EventKind::ReleaseAgain(_) => Claim::ReleasedAgain(event.inst),
        _ => Claim::Used(event.inst),
    };
    let guard = if solid { without } else { event.guard };
    let witness = witness(&mut teller, guard, claim, given, Some(event.node));
    let steps = passed(&mut teller, event.node, (!given).then_some(site.inst), &marks);
    story.steps = if given { Vec::new() } else { acquire_steps(state, &story, &site) };
    story.steps.extend(steps);
    Some(Told { witness, ..Told::always(story) })
}

/// Whether a guard needs several numbers in one object of the caller's, or several globals, to agree with each other. Who
/// keeps an object with a count beside it, or one of two things in the same place, keeps such numbers in step (ASSUME-37).
fn rests_on_several_fields(state: &mut State<'_>, guard: Guard) -> bool {
    if !state.assumes(Supposed::NumbersInStep) {
        return false;
    }
    let terms = state.formulas.condition_terms(guard);
    let variables = support(&state.formulas.terms, terms);
    let numbers = variables.into_iter().map(|var| state.formulas.terms.variable_term(var));
    let fields = numbers.filter_map(|term| state.input_path(term));
    let mut owners: Vec<(Option<Root>, &[watertight_summary::Step])> = Vec::new();
    for path in fields {
        let Some((_, before)) = path.steps.split_last() else { continue };
        let owner = match path.root {
            Root::Global(_) if before.is_empty() => (None, before),
            root => (Some(root), before),
        };
        if owners.contains(&owner) {
            return true;
        }
        owners.push(owner);
    }
    false
}

/// Whether a guard depends on a number of which other code knows more.
fn is_doubtful(state: &mut State<'_>, guard: Guard) -> bool {
    let terms = state.formulas.condition_terms(guard);
    let variables = support(&state.formulas.terms, terms);
    variables
        .into_iter()
        .any(|var| state.unknowns.is(state.formulas.terms.variable_term(var), Provenance::Changed))
}

/// Branches and marked instructions on the path of a model, from an instruction (or the entry) to the last mark.
pub(crate) fn passed(
    teller: &mut Teller<'_, '_>,
    last: NodeId,
    from: Option<InstId>,
    marks: &[(InstId, Step)],
) -> Vec<Step> {
    let body = teller.state.body;
    let mut steps: Vec<Step> = Vec::new();
    let mut started = from.is_none();
    let nodes: Vec<NodeId> = teller.state.unrolled.nodes.ids().take_while(|&node| node <= last).collect();
    for node in nodes {
        let entered = teller.state.entered[node];
        if entered.is_false() || !teller.holds(entered) {
            continue;
        }
        let block = teller.state.unrolled.nodes[node].block;
        for (inst, _) in body.block_insts(block) {
            started |= from == Some(inst);
            let end = node == last && marks.last().is_some_and(|mark| mark.0 == inst);
            for (index, (mark, step)) in marks.iter().enumerate() {
                let is_last = index + 1 == marks.len();
                if *mark == inst && (end || !is_last) && !steps.contains(step) {
                    steps.push(step.clone());
                }
            }
            if end {
                return shortened(steps);
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

/// Without the first of many branches.
pub(crate) fn shortened(mut steps: Vec<Step>) -> Vec<Step> {
    let branches = steps.iter().filter(|step| step.kind == StepKind::Branch).count();
    let mut skipped = branches.saturating_sub(TOLD_BRANCHES);
    steps.retain(|step| {
        let skip = step.kind == StepKind::Branch && skipped > 0;
        skipped -= usize::from(skip);
        !skip
    });
    steps
}

/// What people call the pointer through which something is misused.
fn spelled(state: &State<'_>, event: &Event) -> Option<String> {
    let speller = Speller::new(state.context.program, state.id)?;
    let text = |value: ValueId| speller.value(value).map(|spelling| spelling.text);
    match &state.body.insts[event.inst].op {
        Op::Load { addr, .. } | Op::Store { addr, .. } | Op::Atomic { addr, .. } => {
            text(base_of(state.body, *addr))
        }
        Op::CompareExchange { addr, .. } => text(base_of(state.body, *addr)),
        Op::Call(call) => call.args.iter().find_map(|&arg| {
            let sym = state.values[arg].iter().rev().find(|entry| entry.0 == event.node);
            let sym = sym.map(|entry| &entry.1).or(state.fixed[arg].as_ref())?;
            sym.leads_to(event.object).then(|| text(arg))?
        }),
        _ => None,
    }
}

fn used(state: &State<'_>, inst: InstId) -> Said<'static> {
    match state.body.insts[inst].op {
        Op::Load { .. } => Said::ReadAfter,
        Op::Store { .. } => Said::WrittenAfter,
        _ => Said::UsedAfter,
    }
}

/// The function called by an instruction.
fn called<'s>(state: &State<'s>, inst: InstId) -> &'s str {
    match &state.body.insts[inst].op {
        Op::Call(call) => match call.callee {
            Callee::Direct(function) => &state.context.program.functions[function].name,
            Callee::Pointer(_) => BY_POINTER,
        },
        _ => "this",
    }
}
