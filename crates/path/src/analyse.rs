//! One function at a time: unroll, evaluate, look at the exits, summarise; and the order in which functions
//! of a program take their turn.

use crate::context::{Component, Context, Known};
use crate::ends::AtEnd;
use crate::eval::evaluate;
use crate::exits::{Exits, exits};
use crate::infer::infer;
use crate::recursion;
use crate::released::{Facts, Uses, uses};
use crate::state::{Precision, State};
use crate::unroll::{Limits, Plan, Unrolled, unroll};
use rayon::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use watertight_ir::callgraph::CallGraph;
use watertight_ir::cfg::Cfg;
use watertight_ir::loops::Loops;
use watertight_ir::{Body, FuncId, LoopId, Program, Table, Type};
use watertight_logic::budget::Budget;
use watertight_logic::guard::Guard;
use watertight_summary::model::Models;
use watertight_summary::{Completeness, Effect, KeepReason, Outcome, Path, Summary, Value, Way, When};

/// Runs a piece of work; an error is the message of a panic in it.
pub type Protect = fn(&mut dyn FnMut()) -> Result<(), String>;

/// What the engine may spend, and how it is caught when it stumbles.
#[derive(Copy, Clone, Debug)]
pub struct Options {
    pub limits: Limits,
    /// Steps per function and pass.
    pub steps: u64,
    /// How often a recursive component is summarised before it is taken as it is.
    pub rounds: u32,
    /// Catches a mistake of ours in one function, which must not cost the results of the others.
    pub protect: Protect,
    /// A function in which to make such a mistake, to see what comes of it.
    pub stumble: Option<FuncId>,
    /// Functions that do not depend on each other are visited in an order of this number; results do not depend
    /// on it. For tests.
    pub visit: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            limits: Limits { outer: 4, inner: 3, nodes: 1500, last_pass: true },
            steps: 30_000,
            rounds: 3,
            protect: |work| catch_unwind(AssertUnwindSafe(work)).map_err(|_| "a panic".to_owned()),
            stumble: None,
            visit: 0,
        }
    }
}

/// What is known of a function that could not be followed.
const UNKNOWN: Facts = Facts { uses: Uses::NONE, sizes: Uses::NONE, opaque: true };

/// Steps per pass of a function that acquires and releases nothing: most need fewer, and of the others nothing
/// is lost by opening every branch.
const UNTOUCHED_STEPS: u64 = 1_000;

/// Steps per instruction when every branch is open.
const COARSE_STEPS: u64 = 400;

/// What came out for one function.
#[derive(Debug)]
pub struct FunctionResult<R> {
    pub summary: Summary,
    pub facts: Facts,
    /// What the caller of the engine made of the evaluated state.
    pub report: R,
    /// Why the function was given up, if it was.
    pub given_up: Option<&'static str>,
    /// How we failed on it, if we did. Nothing else is known of the function then.
    pub mistake: Option<String>,
}

/// Everything that came out for a program.
pub struct Analysis<R> {
    pub summaries: Table<FuncId, Option<Summary>>,
    pub reports: Vec<(FuncId, R)>,
    pub given_up: Vec<(FuncId, &'static str)>,
    /// Functions on which the engine failed by a mistake of its own.
    pub mistakes: Vec<(FuncId, String)>,
    pub functions: usize,
}

/// Evaluates all functions of a program bottom-up. `inspect` looks at each evaluated function; its results
/// come back in the order of functions, whatever order they were made in.
pub fn analyse<R: Send + Default>(
    program: &Program,
    library: &Models,
    options: &Options,
    inspect: &(impl Fn(&mut State<'_>, &Exits) -> R + Sync),
) -> Analysis<R> {
    let context = Context::new(program, library);
    let graph = &context.graph;
    let levels = levels(program, graph);
    let mut reports = Vec::new();
    let mut given_up = Vec::new();
    let mut mistakes = Vec::new();
    let mut functions = 0;
    for mut level in levels {
        shuffle(&mut level, options.visit);
        let results: Vec<Vec<(FuncId, FunctionResult<R>)>> =
            level.par_iter().map(|members| component(&context, graph, members, options, inspect)).collect();
        for (function, result) in results.into_iter().flatten() {
            functions += 1;
            if let Some(why) = result.given_up {
                given_up.push((function, why));
            }
            mistakes.extend(result.mistake.map(|message| (function, message)));
            reports.push((function, result.report));
            // A summary is set once; callers are in later levels.
            let _ = context.facts[function].set(result.facts);
            let _ = context.summaries[function].set(result.summary);
        }
    }
    reports.sort_by_key(|entry| entry.0);
    given_up.sort_unstable();
    mistakes.sort_unstable();
    let summaries = context.summaries.into_values().map(|slot| slot.into_inner()).collect();
    Analysis { summaries, reports, given_up, mistakes, functions }
}

/// Puts work into another order, by a number; 0 leaves it as it is.
fn shuffle<T>(work: &mut [T], seed: u64) {
    let mut state = seed;
    for last in (1..work.len()).rev() {
        if seed != 0 {
            // A linear congruential generator; its upper bits are good enough to mix.
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            work.swap(last, (state >> 33) as usize % (last + 1));
        }
    }
}

/// Components of the call graph in levels: a component calls only components of earlier levels.
fn levels<'g>(program: &Program, graph: &'g CallGraph) -> Vec<Vec<&'g [FuncId]>> {
    let components = graph.components();
    let mut level_of = vec![0usize; components.len()];
    let mut levels: Vec<Vec<&[FuncId]>> = Vec::new();
    for (index, members) in components.iter().enumerate() {
        let mut level = 0;
        for &member in members {
            for &callee in graph.callees(member) {
                let other = components.of(callee);
                if other != index && program.functions[callee].body.is_some() {
                    level = level.max(level_of[other] + 1);
                }
            }
        }
        level_of[index] = level;
        if members.iter().any(|&member| program.functions[member].body.is_some()) {
            if levels.len() <= level {
                levels.resize_with(level + 1, Vec::new);
            }
            levels[level].push(members);
        }
    }
    levels
}

/// Summarises the functions of one component, together when they call each other.
fn component<R: Send + Default>(
    context: &Context<'_>,
    graph: &CallGraph,
    members: &[FuncId],
    options: &Options,
    inspect: &(impl Fn(&mut State<'_>, &Exits) -> R + Sync),
) -> Vec<(FuncId, FunctionResult<R>)> {
    let with_body: Vec<FuncId> =
        members.iter().copied().filter(|&member| context.program.functions[member].body.is_some()).collect();
    let recursive = members.len() > 1 || members.first().is_some_and(|&member| graph.is_recursive(member));
    if !recursive {
        let result = |&member| {
            (member, attempt(context, &Component::default(), member, options, Effort::Full, inspect))
        };
        return with_body.iter().map(result).collect();
    }
    let mut fixpoint = recursion::summarise(context, graph, &with_body, options);
    let mut results = Vec::with_capacity(with_body.len());
    for group in std::mem::take(&mut fixpoint.order).chunks(recursion::TOGETHER) {
        let last = |&member: &FuncId| (member, last_turn(context, &fixpoint, member, options, inspect));
        let turn: Vec<_> = group.par_iter().map(last).collect();
        for (member, result) in turn {
            // What a closer look has found is better than what the rounds had time for.
            fixpoint.component.summaries.insert(member, result.summary.clone());
            results.push((member, result));
        }
    }
    results
}

/// Evaluates a member of a recursive component with what the rounds have found.
fn last_turn<R: Default>(
    context: &Context<'_>,
    fixpoint: &recursion::Fixpoint,
    member: FuncId,
    options: &Options,
    inspect: &impl Fn(&mut State<'_>, &Exits) -> R,
) -> FunctionResult<R> {
    // Where nothing is acquired or released there is nothing to look at, and a closer look says no more.
    let assumed = fixpoint.assumed.contains(&member);
    let known = fixpoint.component.summaries.get(&member);
    let mut result = match known {
        Some(summary) if !assumed && !touches_resources(context, &fixpoint.component, member) => {
            FunctionResult {
                summary: summary.clone(),
                facts: UNKNOWN,
                report: R::default(),
                given_up: fixpoint.given_up.get(&member).copied(),
                mistake: None,
            }
        }
        _ => attempt(context, &fixpoint.component, member, options, Effort::Full, inspect),
    };
    if let Some(known) = known
        && assumed
        && !recursion::returns(&result.summary)
    {
        result.summary = known.clone();
    }
    // What depends on a failed round is no better than it.
    let earlier = fixpoint.mistakes.iter().find(|(function, _)| *function == member);
    result.mistake = result.mistake.or_else(|| earlier.map(|(_, message)| message.clone()));
    result
}

/// How hard to try.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Effort {
    /// For a summary that the next round replaces.
    Quick,
    Full,
}

/// Evaluates one function, or says how we failed on it.
pub(crate) fn attempt<R: Default>(
    context: &Context<'_>,
    component: &Component,
    id: FuncId,
    options: &Options,
    effort: Effort,
    inspect: &impl Fn(&mut State<'_>, &Exits) -> R,
) -> FunctionResult<R> {
    let mut result = None;
    let mut work = || result = Some(function(context, component, id, options, effort, inspect));
    match (options.protect)(&mut work) {
        Ok(()) => result.expect("work that was not cut short leaves its result"),
        Err(message) => FunctionResult {
            summary: anything(context, id),
            facts: UNKNOWN,
            report: R::default(),
            given_up: None,
            mistake: Some(message),
        },
    }
}

/// Evaluates one function.
fn function<R>(
    context: &Context<'_>,
    component: &Component,
    id: FuncId,
    options: &Options,
    effort: Effort,
    inspect: &impl Fn(&mut State<'_>, &Exits) -> R,
) -> FunctionResult<R> {
    assert!(options.stumble != Some(id), "stumbled as asked to");
    let body = context.program.functions[id].body.as_ref().expect("only bodies are evaluated");
    let cfg = Cfg::new(body);
    let loops = Loops::new(&cfg);
    // Where nothing is acquired or released, paths matter little and loops need not be followed. Fewer
    // iterations are tried when more are too many; in the end every loop stands for any number.
    let touches = touches_resources(context, component, id);
    let full = touches && effort == Effort::Full;
    let first = if full { 0 } else { 2 };
    for attempt in first..3u32 {
        let limits = Limits {
            outer: options.limits.outer >> attempt,
            inner: options.limits.inner >> attempt,
            nodes: options.limits.nodes,
            last_pass: options.limits.last_pass,
        };
        let mut havocked: Table<LoopId, bool> = Table::filled(loops.len(), attempt == 2);
        // A loop that cannot be left within its iterations is evaluated again with one iteration that
        // stands for any. Each pass havocs at least one more loop.
        for _ in 0..4 {
            let Some((unrolled, plan)) = unroll(body, &cfg, &loops, &limits, &havocked) else { break };
            let budget = Budget::new(match effort {
                _ if !touches => UNTOUCHED_STEPS,
                Effort::Full => options.steps >> attempt,
                Effort::Quick => options.steps / 8,
            });
            let mut state = State::new(context, component, id, body, &loops, &unrolled, &plan, budget);
            if evaluate(&mut state).is_err() {
                break;
            }
            let stuck = stuck_loops(&state, &cfg, &havocked);
            if !stuck.is_empty() {
                for id in stuck {
                    havocked[id] = true;
                }
                continue;
            }
            let exits = exits(&mut state);
            let summary = infer(&mut state, &exits);
            let uses = uses(&mut state, exits.returned, &summary);
            let opaque = state.opaque || summary.completeness == Completeness::Partial;
            let facts = Facts { uses, sizes: state.size_parameters(), opaque };
            let report = inspect(&mut state, &exits);
            return FunctionResult { summary, facts, report, given_up: None, mistake: None };
        }
        if loops.is_empty() {
            break;
        }
    }
    coarse(context, component, id, body, &cfg, &loops, touches, inspect)
}

/// Whether something that the function calls acquires or releases something.
fn touches_resources(context: &Context<'_>, component: &Component, id: FuncId) -> bool {
    context.graph.callees(id).iter().any(|&callee| match component.lookup(context, callee) {
        Known::Summary(summary) => summary.outcomes.iter().any(|outcome| {
            !outcome.fresh.is_empty()
                || outcome.effects.iter().any(|effect| matches!(effect, Effect::Release { .. }))
        }),
        Known::Pending => true,
        Known::Nothing => false,
    })
}

/// What is said of a function whose paths are too many: it is evaluated once with every branch open, which
/// tells what it may release and keep, but not when. Nothing is reported in it.
#[allow(clippy::too_many_arguments, reason = "the parts that evaluation had, passed on")]
fn coarse<R>(
    context: &Context<'_>,
    component: &Component,
    id: FuncId,
    body: &Body,
    cfg: &Cfg,
    loops: &Loops,
    touches: bool,
    inspect: &impl Fn(&mut State<'_>, &Exits) -> R,
) -> FunctionResult<R> {
    let havocked: Table<LoopId, bool> = Table::filled(loops.len(), true);
    // Where every branch is open, what happens in a loop is seen without going on after it.
    let limits = Limits { outer: 1, inner: 1, nodes: usize::MAX, last_pass: false };
    let nothing = || Exits {
        returned: Guard::FALSE,
        jumped: Guard::FALSE,
        escapes: Table::new(),
        assumed: Table::new(),
        lost: Vec::new(),
        end: AtEnd::default(),
    };
    if let Some((unrolled, plan)) = unroll(body, cfg, loops, &limits, &havocked) {
        let steps = COARSE_STEPS.saturating_mul(body.insts.len() as u64 + 16);
        let mut state = State::new(context, component, id, body, loops, &unrolled, &plan, Budget::new(steps));
        state.precision = Precision::Coarse;
        if evaluate(&mut state).is_ok() {
            let exits = exits(&mut state);
            let mut summary = infer(&mut state, &exits);
            summary.completeness = Completeness::Partial;
            state.events.clear();
            let report = inspect(&mut state, &nothing());
            let given_up = touches.then_some("it has too many paths");
            return FunctionResult { summary, facts: UNKNOWN, report, given_up, mistake: None };
        }
    }
    let summary = anything(context, id);
    let (unrolled, plan) = (Unrolled::default(), Plan::default());
    let mut state = State::new(context, component, id, body, loops, &unrolled, &plan, Budget::new(0));
    let report = inspect(&mut state, &nothing());
    FunctionResult { summary, facts: UNKNOWN, report, given_up: Some("it is too large"), mistake: None }
}

/// Loops that are entered and, in the iterations they were given, neither left nor refuted.
fn stuck_loops(state: &State<'_>, cfg: &Cfg, havocked: &Table<LoopId, bool>) -> Vec<LoopId> {
    let mut stuck = Vec::new();
    for (id, data) in state.loops.iter() {
        if havocked[id] {
            continue;
        }
        let entered = data.entries.iter().flat_map(|&entry| state.unrolled.copies(entry));
        if entered.clone().all(|&node| state.entered[node].is_false()) {
            continue;
        }
        let exits = state.loops.exits(cfg, id);
        let left = exits.iter().any(|&(from, to)| {
            state.unrolled.copies(from).iter().any(|&node| {
                let target = state.unrolled.target(state.loops, state.plan, node, to);
                target.is_some_and(|target| state.edges[target].iter().any(|edge| edge.0 == node))
            })
        });
        // A loop whose body ends in a return or an exit is left in another way.
        let ends = state.loops.blocks(id).iter().any(|&block| {
            let leaves = matches!(
                state.body.blocks[block].term,
                watertight_ir::Terminator::Return(_) | watertight_ir::Terminator::Unreachable
            );
            leaves && state.unrolled.copies(block).iter().any(|&node| !state.entered[node].is_false())
        });
        if !left && !ends && !exits.is_empty() {
            stuck.push(id);
        }
    }
    stuck
}

/// The summary of a function about which nothing is known: it may keep and change all it is given.
pub(crate) fn anything(context: &Context<'_>, id: FuncId) -> Summary {
    let function = &context.program.functions[id];
    let pointers = function.params.iter().enumerate().filter(|(_, param)| param.ty == Type::Ptr);
    let effects = pointers
        .flat_map(|(index, _)| {
            let value = Path::param(index as u32);
            let reason = KeepReason::Assumed { function: function.name.clone() };
            [Effect::Keep { value: value.clone(), reason }, Effect::Clobber { place: value }]
        })
        .collect();
    let outcome =
        Outcome { when: When::always(), result: Value::Any, fresh: Vec::new(), effects, way: Way::Returns };
    Summary { outcomes: vec![outcome], completeness: Completeness::Partial }
}
