//! From a suspicion to a story: the solver is asked for values that make it happen, and the path that these
//! values take through the function is told step by step.
//!
//! In: an evaluated function and what its exits show. Out: a [`Story`] per acquisition that is lost, or held when the
//! process ends. A suspicion
//! that the solver refutes is dropped; one that it cannot decide is told with low confidence.

use crate::ends::{End, Globals, Held, is_main, left_in_globals, taken};
use crate::exits::{Exits, Lost, LostBy};
use crate::memory::{ObjectId, Origin, Site};
use crate::misuse::misuses;
use crate::outside;
use crate::pointers::{contracts, spelled_at};
use crate::replaced::{lost_outside, result_overwrites_argument};
use crate::state::{EventKind, State};
use crate::together::{causes, mention};
use crate::unroll::NodeId;
use crate::value::{Leaf, Offset, Sym};
use watertight_finding::{
    Assumption, Confidence, Ending, Growth, Place, Step, StepKind, Story, Support, Variant,
};
use watertight_ir::spell::Speller;
use watertight_ir::{CompareOp, GlobalId, InstId, Op, PlaceId, Program, Terminator, Type, ValueId, VarId};
use watertight_logic::cone;
use watertight_logic::eval::Evaluator;
use watertight_logic::guard::Guard;
use watertight_logic::question::{Answer, Assumption as Premise, QuestionLimits};
use watertight_logic::solver::Solver;
use watertight_logic::term::TermId;
use watertight_summary::CallAt;

/// The most branches that a story tells; the last ones before the loss say most.
pub(crate) const MOST_BRANCHES: usize = 12;

/// A story, and what the rest of the program must not do for it to be true.
#[derive(Clone, Debug)]
pub struct Told {
    pub story: Story,
    pub unless: Unless,
}

/// What makes a story untrue that the function itself cannot know.
#[derive(Clone, Debug)]
pub enum Unless {
    Nothing,
    /// Some function releases what these globals hold.
    Released(Vec<GlobalId>),
    /// A function that runs when the process ends does.
    ReleasedAtExit(Vec<GlobalId>),
}

impl Told {
    /// Whether the story is true in the whole program.
    pub fn is_true(&self, globals: &Globals) -> bool {
        match &self.unless {
            Unless::Nothing => true,
            Unless::Released(held_by) => globals.keep_until_the_end(held_by),
            Unless::ReleasedAtExit(held_by) => !globals.released_at_exit(held_by),
        }
    }
}

/// Everything there is to say about one function.
#[derive(Clone, Debug, Default)]
pub struct Stories {
    pub told: Vec<Told>,
    /// Globals whose contents the function releases or hands on, on any path.
    pub taken: Vec<GlobalId>,
}

/// Which stories are asked for beside those that always are.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum AtExit {
    /// What is held at the end of the process is nobody's concern.
    Ignored,
    Told,
}

/// The stories of everything that the function loses, releases twice, or holds at the end of the process.
pub fn stories(state: &mut State<'_>, exits: &Exits, at_exit: AtExit) -> Stories {
    let mut solver: Solver = Solver::new();
    let mut losses: Vec<Story> = Vec::new();
    let mut lost_sites: Vec<InstId> = Vec::new();
    let causes = causes(state, &exits.lost);
    let mut told = vec![false; exits.lost.len()];
    // Causes first: where the solver refutes one, what it explained is told by itself.
    let roots = (0..causes.len()).filter(|&index| causes[index] == index);
    let rest = (0..causes.len()).filter(|&index| causes[index] != index);
    for index in roots.chain(rest) {
        let lost = &exits.lost[index];
        if told[causes[index]] {
            lost_sites.extend(site_of(state, lost.object));
        } else if let Some(mut story) = loss(state, &mut solver, lost) {
            told[index] = true;
            let inner = (0..causes.len()).filter(|&other| other != index && causes[other] == index);
            let inner: Vec<&Lost> = inner.map(|other| &exits.lost[other]).collect();
            mention(state, &mut story, &inner);
            lost_sites.extend(site_of(state, lost.object));
            tell_together(&mut losses, story);
        }
    }
    let always = |story| Told { story, unless: Unless::Nothing };
    let mut stories: Vec<Told> = losses.into_iter().map(always).collect();
    stories.extend(misuses(state, &mut solver).into_iter().map(always));
    for (failed, object, guard) in lost_outside(state, exits) {
        stories.extend(outside::replacement_lost(state, &mut solver, &failed, object, guard).map(always));
    }
    if at_exit == AtExit::Told {
        // What is lost on one path and held to the end on another has one cause, and the loss is worse.
        let worth_it = |state: &State<'_>, held: &Held| {
            site_of(state, held.object).is_some_and(|site| !lost_sites.contains(&site))
        };
        let mut by_locals: Vec<Story> = Vec::new();
        for held in exits.end.held.iter() {
            if worth_it(state, held)
                && let Some(mut story) = held_at_end(state, &mut solver, held, &exits.end.ends)
            {
                if held.globals.is_empty() {
                    tell_together(&mut by_locals, story);
                } else {
                    // What `main` puts into a global can be reached until the process is no more.
                    if is_main(state) {
                        story.confidence = Confidence::Low;
                    }
                    stories.push(Told { story, unless: Unless::ReleasedAtExit(held.globals.clone()) });
                }
            }
        }
        let unless = || Unless::ReleasedAtExit(Vec::new());
        stories.extend(by_locals.into_iter().map(|story| Told { story, unless: unless() }));
        let left = if is_main(state) { Vec::new() } else { left_in_globals(state, exits.returned) };
        for held in left {
            if worth_it(state, &held)
                && let Some(story) = held_at_end(state, &mut solver, &held, &[])
            {
                stories.push(Told { story, unless: Unless::Released(held.globals) });
            }
        }
    }
    state.effort = solver.effort();
    Stories { told: stories, taken: taken(state) }
}

fn site_of(state: &State<'_>, object: ObjectId) -> Option<InstId> {
    match &state.objects[object].origin {
        Origin::Fresh(site) => Some(site.inst),
        _ => None,
    }
}

/// What is held when the process ends: at one of the ends in this function, or at an end elsewhere.
fn held_at_end(state: &mut State<'_>, solver: &mut Solver, held: &Held, ends: &[End]) -> Option<Story> {
    let Origin::Fresh(site) = state.objects[held.object].origin.clone() else { return None };
    let Answer::Sat(model) = ask(state, solver, held.guard) else { return None };
    let mut story = outline(state, &site, held.object);
    story.ending = Ending::HeldAtExit;
    story.variant = Variant::HeldAtExit;
    story.confidence = if state.incomplete { Confidence::Medium } else { Confidence::High };
    story.support = Support::SolverChecked;
    if story.growth == Growth::EachCall && is_main(state) {
        story.growth = Growth::OncePerProcess;
    }
    let mut teller = Teller { evaluator: model.evaluator(), state, object: held.object, site: &site };
    let branches = teller.follow().branches;
    let end = ends.iter().find(|end| teller.holds(end.guard)).copied();
    story.steps = acquire_steps(teller.state, &story, &site);
    story.steps.extend(branches);
    let globals = held.globals.iter().map(|&global| global_name(teller.state, global));
    let globals: Vec<String> = globals.collect();
    story.steps.push(match (end, &globals[..]) {
        (Some(end), _) => {
            let place = place_of(teller.state, end.place);
            Step::new(StepKind::Lost, place, "the program ends here and still holds it")
        }
        (None, globals) => {
            let text = format!("{} holds it, and nothing releases what is there", globals.join(" or "));
            Step::new(StepKind::Lost, story.acquired.clone(), text)
        }
    });
    Some(story)
}

/// What people call a global.
fn global_name(state: &State<'_>, global: GlobalId) -> String {
    format!("the global `{}`", state.context.program.globals[global].name)
}

/// What one call acquires and one exit loses is one story: a structure is lost with what it holds.
fn tell_together(stories: &mut Vec<Story>, story: Story) {
    let end = |story: &Story| story.steps.last().map(|step| (step.kind, step.place.clone()));
    let same = stories.iter_mut().find(|known| {
        known.acquired == story.acquired
            && known.ending == story.ending
            && known.kind == story.kind
            && !known.steps.is_empty()
            && end(known) == end(&story)
    });
    let Some(known) = same else { return stories.push(story) };
    known.confidence = known.confidence.max(story.confidence);
    let acquires = |step: &Step| step.kind == StepKind::Acquire;
    let mut at = known.steps.iter().take_while(|step| acquires(step)).count();
    for mut step in story.steps.into_iter().take_while(acquires).skip(1) {
        if !known.steps.iter().any(|other| acquires(other) && other.place == step.place) {
            step.text.push_str(" as well");
            known.steps.insert(at, step);
            at += 1;
        }
    }
}

/// Asks whether a guard can hold, with what is known about the ranges of unknowns.
pub(crate) fn ask(state: &mut State<'_>, solver: &mut Solver, guard: Guard) -> Answer {
    let guard = state.formulas.guards.and_not(guard, state.seldom);
    let guard = state.without_empty_blocks(guard);
    let mut question: Vec<Premise> = vec![guard.into()];
    let terms = state.formulas.condition_terms(guard);
    for var in cone::support(&state.formulas.terms, terms) {
        let term = state.formulas.terms.variable_term(var);
        if let Some(&(least, most)) = state.ranges.get(&term) {
            let width = state.formulas.terms.width(term);
            let (least, most) = (state.constant(width, least), state.constant(width, most));
            let above = state.formulas.terms.sle(least, term);
            let below = state.formulas.terms.sle(term, most);
            question.push(above.into());
            question.push(below.into());
        }
        for number in state.excluded.get(&term).cloned().unwrap_or_default() {
            let width = state.formulas.terms.width(term);
            let number = state.constant(width, number);
            let other = state.formulas.terms.ne(term, number);
            question.push(other.into());
        }
    }
    solver.ask(&mut state.formulas, &question, QuestionLimits::default())
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
    let mut above = |state: &mut State<'_>, number: i64| {
        let number = Leaf::Number(state.constant(width, number.into()));
        let above = state.compare_leaves(CompareOp::Sge, Leaf::Number(term), number, width);
        let guard = state.and(guard, above);
        ask(state, solver, guard)
    };
    match above(state, first) {
        Answer::Unsat(_) => {}
        answer => return Some((answer, false)),
    }
    match above(state, least + 1) {
        Answer::Unsat(_) => Some((above(state, least), true)),
        _ => None,
    }
}

fn loss(state: &mut State<'_>, solver: &mut Solver, lost: &Lost) -> Option<Story> {
    let Origin::Fresh(site) = state.objects[lost.object].origin.clone() else { return None };
    let sure = !lost.surely.is_false();
    let guard = if sure { lost.surely } else { lost.perhaps };
    // A path that needs no invention is the better story.
    let solid = state.without_inventions(guard, lost.object);
    let first = if solid.is_false() { None } else { ask_for_loss(state, solver, lost.object, &site, solid) };
    let ((answer, doubtful), solid) = match first {
        Some((answer @ (Answer::Sat(_) | Answer::Unknown(_)), doubtful)) => ((answer, doubtful), true),
        _ if solid == guard => return None,
        _ => (ask_for_loss(state, solver, lost.object, &site, guard)?, false),
    };
    let (mut confidence, support, model) = match answer {
        Answer::Unsat(_) => return None,
        Answer::Sat(model) => (Confidence::High, Support::SolverChecked, Some(model)),
        Answer::Unknown(_) => (Confidence::Low, Support::Unchecked, None),
    };
    if !sure || !solid || decided_by_companion(state, lost.object, guard) {
        confidence = Confidence::Low;
    } else if (state.incomplete || doubtful) && confidence == Confidence::High {
        confidence = Confidence::Medium;
    }
    let mut story = outline(state, &site, lost.object);
    story.confidence = confidence;
    story.support = support;
    if !sure {
        let place = story.acquired.clone();
        story.assumptions.extend(state.assumptions.iter().map(|name| {
            Assumption::new(place.clone(), format!("`{name}` does not keep or release what it is given"))
        }));
    }
    if let Some(model) = model {
        let mut teller = Teller { evaluator: model.evaluator(), state, object: lost.object, site: &site };
        teller.tell(&mut story, lost.by);
    }
    Some(story)
}

/// Whether a number that came in one struct with the object decides about the loss, and it is not known which
/// numbers go with it: the struct may say that it owns nothing then.
fn decided_by_companion(state: &State<'_>, object: ObjectId, guard: Guard) -> bool {
    let companions = state.companions.iter().filter(|entry| entry.0 == object);
    let companions: Vec<TermId> = companions.map(|entry| entry.1).collect();
    if companions.is_empty() {
        return false;
    }
    let support = cone::support(&state.formulas.terms, state.formulas.condition_terms(guard));
    support.into_iter().any(|var| companions.contains(&state.formulas.terms.variable_term(var)))
}

/// What is known without a path.
pub(crate) fn outline(state: &State<'_>, site: &Site, object: ObjectId) -> Story {
    let kind = state.context.library.kinds.get(site.kind);
    let released =
        state.events.iter().find(|event| event.object == object && event.kind == EventKind::Release);
    let sibling = released.map(|event| {
        let place = place_of(state, state.body.insts[event.inst].place);
        Step::new(StepKind::Release, place, "another path releases it here")
    });
    let variant = if sibling.is_some() { Variant::SomePaths } else { Variant::NeverReleased };
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
        held_in: written_to(state, site, object).or_else(|| holder(state, site)),
        variant,
        growth: growth(state, site),
        steps: Vec::new(),
        sibling,
        assumptions: contracts(state, site),
        confidence: Confidence::Low,
        support: Support::Unchecked,
    }
}

/// A place in the source as findings name it.
pub(crate) fn place_of(state: &State<'_>, place: Option<PlaceId>) -> Place {
    let function = &*state.function.name;
    let found = place.and_then(|place| state.context.program.source_place(state.id, place));
    match found {
        Some(found) => Place::new(found.file, found.line, found.column).in_function(function),
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
            watertight_ir::Callee::Pointer(_) => state.context.targets.of_call(state.id, *inst).is_some(),
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

/// What the source calls the variable that a call was given the address of, to put the object there.
fn written_to(state: &State<'_>, site: &Site, object: ObjectId) -> Option<String> {
    let Op::Call(call) = &state.body.insts[site.inst].op else { return None };
    let speller = Speller::new(state.context.program, state.id)?;
    let holds = |inst: InstId| {
        state
            .objects
            .values()
            .any(|data| data.origin == Origin::Stack(inst) && data.held().any(|entry| entry.1 == object))
    };
    call.args.iter().find_map(|&arg| match state.body.values[arg].def {
        watertight_ir::Def::Inst(inst) if holds(inst) => {
            speller.object(arg, Type::Ptr).map(|spelling| spelling.text)
        }
        _ => None,
    })
}

/// What the source calls the place that first holds the result of a call.
fn holder(state: &State<'_>, site: &Site) -> Option<String> {
    let result = state.body.insts[site.inst].result?;
    let names = &state.context.program.debug(state.id).names;
    for block in state.body.blocks.values() {
        for &inst in &block.insts {
            match &state.body.insts[inst].op {
                Op::Name { variable, value } if *value == result => {
                    return Some(names.get(state.body.variables[*variable].name).to_owned());
                }
                Op::Store { addr, value, .. } if *value == result => {
                    let speller = Speller::new(state.context.program, state.id)?;
                    return speller.object(*addr, Type::Ptr).map(|spelling| spelling.text);
                }
                _ => {}
            }
        }
    }
    None
}

/// The call that acquires, and the calls inside it that lead to where it is acquired in the end.
pub(crate) fn acquire_steps(state: &State<'_>, story: &Story, site: &Site) -> Vec<Step> {
    let text = match &story.held_in {
        Some(name) => format!("`{}` gives {} here, held in `{name}`", story.acquired_by, story.noun),
        None => format!("`{}` gives {} here", story.acquired_by, story.noun),
    };
    let mut steps = vec![Step::new(StepKind::Acquire, story.acquired.clone(), text)];
    let program = state.context.program;
    for (call, depth) in site.trail.iter().zip(1..) {
        let Some(place) = program.source_place_of(call.function, call.inst) else { continue };
        let name = &*program.functions[call.function].name;
        let place = Place::new(place.file, place.line, place.column).in_function(name);
        let text = match called_at(program, call).or_else(|| spelled_at(program, call)) {
            Some(callee) => format!("it comes from `{callee}` here"),
            None => "it comes from a call here".to_owned(),
        };
        steps.push(Step::new(StepKind::Acquire, place, text).at_depth(depth));
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

/// Follows one path, chosen by the solver's values.
pub(crate) struct Teller<'t, 'a> {
    pub(crate) evaluator: Evaluator,
    pub(crate) state: &'t mut State<'a>,
    pub(crate) object: ObjectId,
    pub(crate) site: &'t Site,
}

/// What a path shows from the acquisition on.
struct Followed {
    branches: Vec<Step>,
    /// Variables that hold the object at the end.
    holders: Vec<VarId>,
    /// It was stored in memory.
    stored: bool,
    /// Where the last variable that held it got another value.
    overwritten: Option<Place>,
    end: Place,
}

impl Teller<'_, '_> {
    pub(crate) fn holds(&mut self, guard: Guard) -> bool {
        let (formulas, evaluator) = (&self.state.formulas, &mut self.evaluator);
        formulas.guards.eval(guard, |condition| match formulas.conditions.term_of(condition) {
            Some(term) => evaluator.holds(&formulas.terms, term),
            None => false,
        })
    }

    /// Whether a value is the address of the object, on this path.
    fn is_object(&mut self, sym: &Sym) -> bool {
        match sym {
            Sym::Leaves(leaves) => leaves.iter().any(|&(guard, leaf)| {
                matches!(leaf, Leaf::Address(object, _) if object == self.object) && self.holds(guard)
            }),
            Sym::Parts(parts) => parts.iter().any(|part| self.is_object(part)),
            Sym::Truth(_) => false,
        }
    }

    /// Follows the path from the acquisition on.
    fn follow(&mut self) -> Followed {
        let mut branches: Vec<Step> = Vec::new();
        let mut holders: Vec<VarId> = Vec::new();
        let mut stored = false;
        let mut acquired = false;
        let mut overwritten: Option<Place> = None;
        let mut last: Option<Option<PlaceId>> = None;
        let nodes: Vec<NodeId> = self.state.unrolled.nodes.ids().collect();
        let body = self.state.body;
        for node in nodes {
            if self.state.entered[node].is_false() || !self.holds(self.state.entered[node]) {
                continue;
            }
            let block = self.state.unrolled.nodes[node].block;
            for (inst, data) in body.block_insts(block) {
                if inst == self.site.inst {
                    acquired = true;
                }
                if !acquired {
                    continue;
                }
                match &data.op {
                    Op::Name { variable, value } => {
                        let sym = self.value_at(node, *value);
                        if self.is_object(&sym) {
                            if !holders.contains(variable) {
                                holders.push(*variable);
                            }
                            overwritten = None;
                        } else if let Some(index) = holders.iter().position(|held| held == variable) {
                            holders.remove(index);
                            if holders.is_empty() && !stored {
                                overwritten = Some(place_of(self.state, data.place));
                            }
                        }
                    }
                    Op::Store { value, .. } => {
                        let sym = self.value_at(node, *value);
                        stored |= self.is_object(&sym);
                    }
                    _ => {}
                }
            }
            // A `return` in the source jumps to the one block that returns; the jump has the line.
            let returns = matches!(body.blocks[block].term, Terminator::Return(_));
            if !(returns && last.flatten().is_some() && only_returns(body, block)) {
                last = Some(body.blocks[block].term_place);
            }
            if acquired
                && let Some(step) = self.branch(node, &body.blocks[block].term, body.blocks[block].term_place)
            {
                branches.push(step);
            }
        }
        let skipped = branches.len().saturating_sub(MOST_BRANCHES);
        branches.drain(..skipped);
        let end = place_of(self.state, last.flatten());
        Followed { branches, holders, stored, overwritten, end }
    }

    fn tell(&mut self, story: &mut Story, lost_by: LostBy) {
        let Followed { branches, holders, stored, overwritten, end } = self.follow();
        story.steps = acquire_steps(self.state, story, self.site);
        story.steps.extend(branches);
        if let Some((place, call)) = self.failed_replacement() {
            story.ending = Ending::ReplacementFailed(place, call);
        }
        match overwritten {
            Some(place) => {
                if story.variant == Variant::NeverReleased {
                    story.variant = Variant::Overwritten;
                }
                story.steps.push(Step::new(
                    StepKind::Lost,
                    place,
                    "the last reference to it is overwritten here: it is lost",
                ));
            }
            None if let Some(inst) = self.jump() => {
                let place = place_of(self.state, self.state.body.insts[inst].place);
                let text = "the last reference to it is lost by a long jump out of the function here";
                story.steps.push(Step::new(StepKind::Lost, place, text));
            }
            None => {
                if holders.is_empty() && !stored {
                    story.variant = Variant::DroppedResult;
                }
                let text = match lost_by {
                    LostBy::Return => "the last reference to it is lost when the function returns here",
                    LostBy::NextIteration => "the loop goes on from here, and nothing refers to it any more",
                };
                story.steps.push(Step::new(StepKind::Lost, end, text));
            }
        }
    }

    /// The call that leaves the function by a long jump on this path.
    fn jump(&mut self) -> Option<InstId> {
        let jumps = self.state.jumps.clone();
        jumps.into_iter().find(|jump| self.holds(jump.guard)).map(|jump| jump.inst)
    }

    /// A call on the path that was to replace the object by another and did not.
    fn failed_replacement(&mut self) -> Option<(Place, String)> {
        for failed in self.state.failed_replacements.clone() {
            let argument = Sym::Leaves(failed.argument);
            if self.holds(failed.guard)
                && self.is_object(&argument)
                && result_overwrites_argument(self.state, failed.inst, failed.position)
            {
                let place = place_of(self.state, self.state.body.insts[failed.inst].place);
                return Some((place, failed.callee.to_string()));
            }
        }
        None
    }

    fn value_at(&mut self, node: NodeId, value: ValueId) -> Sym {
        self.state.value_at(node, self.state.entered[node], value)
    }

    /// Which way a branch goes on this path.
    pub(crate) fn branch(&mut self, node: NodeId, term: &Terminator, place: Option<PlaceId>) -> Option<Step> {
        let at = place_of(self.state, place);
        if at.line == 0 {
            return None;
        }
        match term {
            Terminator::Branch { cond, .. } => {
                let sym = self.value_at(node, *cond);
                let guard = self.state.truth(&sym);
                if guard.is_constant() {
                    return None;
                }
                let taken = self.holds(guard);
                Some(Step::new(StepKind::Branch, at, self.condition(*cond, taken)))
            }
            Terminator::Switch { value, .. } => {
                let text = match Speller::new(self.state.context.program, self.state.id)?.value(*value) {
                    Some(spelling) => format!("one case of `{}` is taken", spelling.text),
                    None => "one case is taken".to_owned(),
                };
                Some(Step::new(StepKind::Branch, at, text))
            }
            _ => None,
        }
    }

    /// A condition in words, and how it turns out.
    fn condition(&self, cond: ValueId, taken: bool) -> String {
        let truth = if taken { "true" } else { "false" };
        let spelled = match self.state.body.def_op(cond) {
            Some(Op::Compare { op, lhs, rhs }) => self.comparison(*op, *lhs, *rhs),
            _ => None,
        };
        match spelled {
            Some(text) => format!("`{text}` is {truth}"),
            None => format!("the condition is {truth}"),
        }
    }

    fn comparison(&self, op: CompareOp, lhs: ValueId, rhs: ValueId) -> Option<String> {
        let speller = Speller::new(self.state.context.program, self.state.id)?;
        let left = speller.value(lhs)?.text;
        let right = match self.state.body.bits(rhs) {
            Some(0) if self.state.body.ty(rhs) == Type::Ptr => "NULL".to_owned(),
            _ => speller.value(rhs)?.text,
        };
        let sign = match op {
            CompareOp::Eq => "==",
            CompareOp::Ne => "!=",
            CompareOp::Ugt | CompareOp::Sgt => ">",
            CompareOp::Uge | CompareOp::Sge => ">=",
            CompareOp::Ult | CompareOp::Slt => "<",
            CompareOp::Ule | CompareOp::Sle => "<=",
        };
        Some(format!("{left} {sign} {right}"))
    }
}

/// Whether a block does nothing but merge results and return.
pub fn only_returns(body: &watertight_ir::Body, block: watertight_ir::BlockId) -> bool {
    body.block_insts(block).all(|(_, inst)| matches!(inst.op, Op::Phi { .. } | Op::Name { .. }))
}
