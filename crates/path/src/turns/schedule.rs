//! Who takes a turn when, and who need not take one at all.
//!
//! Components of the call graph are evaluated bottom-up, those of one level in parallel. Only functions that touch
//! resources have anything to report, and only what they call, in any number of steps, says something that matters to
//! them; of all others nobody asks, and they are left out. Whether a function touches resources is known when its turn
//! comes: a callee that acquires or releases does so itself, so it was evaluated before.
//!
//! The functions that are evaluated, and the order of levels, depend on the program alone, so results are the same for
//! any number of threads and any order within a level.

use crate::evaluate::state::State;
use crate::leaving::exits::Exits;
use crate::reuse::{Memory, Nothing, Origin, Results, Turn};
use crate::turns::analyse::{
    Effort, FunctionResult, Options, Scope, UNKNOWN, attempt, touches_resources, touches_states,
};
use crate::turns::context::{Component, Context, Learned};
use crate::turns::costs::Costs;
use crate::turns::parallel::{in_turn, longest_first};
use crate::turns::recursion;
use rustc_hash::FxHashSet;
use std::sync::Arc;
use watertight_ir::callgraph::CallGraph;
use watertight_ir::{Body, Callee, Const, Def, FuncId, GlobalId, Op, Program, Symbol, Table, ValueId};
use watertight_summary::Summary;
use watertight_summary::model::Models;

/// Everything that came out for a program.
pub struct Analysis<R> {
    pub summaries: Table<FuncId, Option<Summary>>,
    pub reports: Vec<(FuncId, R)>,
    pub given_up: Vec<(FuncId, &'static str)>,
    /// Functions on which the engine failed by a mistake of its own.
    pub mistakes: Vec<(FuncId, String)>,
    pub costs: Costs,
    /// Who calls whom, also through pointers.
    pub calls: Option<CallGraph>,
}

/// Evaluates the functions of a program bottom-up. `inspect` looks at each evaluated function; its results
/// come back in the order of functions, whatever order they were made in.
pub fn analyse<R: Send + Sync + Default>(
    program: &Program,
    library: &Models,
    options: &Options,
    inspect: &(impl Fn(&mut State<'_>, &Exits) -> R + Sync),
) -> Analysis<R> {
    analyse_with(program, library, options, &Nothing, inspect)
}

/// The same, with a memory of earlier runs.
pub fn analyse_with<R: Send + Sync + Default>(
    program: &Program,
    library: &Models,
    options: &Options,
    memory: &dyn Memory<R>,
    inspect: &(impl Fn(&mut State<'_>, &Exits) -> R + Sync),
) -> Analysis<R> {
    let context = Context::new(program, library);
    let graph = &context.order;
    let mut turns = Turns::new(&context, graph);
    let mut all = Analysis {
        summaries: Table::new(),
        reports: Vec::new(),
        given_up: Vec::new(),
        mistakes: Vec::new(),
        costs: Costs::default(),
        calls: None,
    };
    let mut run = |mut group: Vec<usize>| {
        shuffle(&mut group, options.visit);
        let weight =
            |&index: &usize| graph.components().members(index).iter().map(|&m| size(program, m)).sum();
        let results: Vec<(Results<R>, Origin)> = longest_first(&group, weight, |&index| {
            known_or_new(&context, graph, index, options, memory, inspect)
        });
        let each =
            results.into_iter().flat_map(|(results, origin)| results.into_iter().map(move |r| (r, origin)));
        for ((function, result), origin) in each {
            all.costs += result.costs;
            match origin {
                Origin::Evaluated => all.costs.evaluated += 1,
                Origin::Remembered => all.costs.reused += 1,
            }
            if let Some(why) = result.given_up {
                all.given_up.push((function, why));
            }
            all.mistakes.extend(result.mistake.map(|message| (function, message)));
            all.reports.push((function, result.report));
            // A summary is set once; callers have their turn later.
            let _ = context.facts[function].set(result.facts);
            let _ = context.summaries[function].set(result.summary);
        }
    };
    for level in turns.levels() {
        let wanted = match options.scope {
            Scope::All => level,
            Scope::Resources => level.into_iter().filter(|&index| turns.matters(index)).collect(),
        };
        for group in turns.due(wanted) {
            run(group);
        }
    }
    all.reports.sort_by_key(|entry| entry.0);
    all.given_up.sort_unstable();
    all.mistakes.sort_unstable();
    all.costs.left_out = program.defined().count() as u64 - all.costs.evaluated - all.costs.reused;
    all.calls = Some(context.graph);
    all.summaries = context.summaries.into_values().map(|slot| slot.into_inner()).collect();
    all
}

/// How large a function is.
pub(crate) fn size(program: &Program, function: FuncId) -> usize {
    program.functions[function].body.as_ref().map_or(0, |body| body.insts.len())
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

/// The components of a program and which of them had their turn.
struct Turns<'a> {
    context: &'a Context<'a>,
    graph: &'a CallGraph,
    /// A component calls only components of lower levels.
    level_of: Vec<usize>,
    done: Vec<bool>,
    /// Functions that calls through pointers may reach, for bodies that name them.
    named: Table<FuncId, Vec<FuncId>>,
    /// Functions from which something can be reached that acquires or releases.
    reaching: Table<FuncId, bool>,
}

impl<'a> Turns<'a> {
    fn new(context: &'a Context<'a>, graph: &'a CallGraph) -> Turns<'a> {
        let components = graph.components();
        let mut level_of = vec![0usize; components.len()];
        for (index, members) in components.iter().enumerate() {
            for &member in members {
                for &callee in graph.callees(member) {
                    let other = components.of(callee);
                    if other != index && context.program.functions[callee].body.is_some() {
                        level_of[index] = level_of[index].max(level_of[other] + 1);
                    }
                }
            }
        }
        let named = context.program.functions.values().map(|function| match &function.body {
            Some(body) => named_targets(context, body),
            None => Vec::new(),
        });
        let named: Table<FuncId, Vec<FuncId>> = named.collect();
        let reaching = reaching(context, graph, &named);
        Turns { context, graph, level_of, done: vec![false; components.len()], named, reaching }
    }

    /// Components with a body, by level.
    fn levels(&self) -> Vec<Vec<usize>> {
        let mut levels: Vec<Vec<usize>> = Vec::new();
        for (index, &level) in self.level_of.iter().enumerate() {
            if self.bodies(index).next().is_some() {
                if levels.len() <= level {
                    levels.resize_with(level + 1, Vec::new);
                }
                levels[level].push(index);
            }
        }
        levels
    }

    fn bodies(&self, index: usize) -> impl Iterator<Item = (FuncId, &'a Body)> + use<'a> {
        let program = self.context.program;
        let members = self.graph.components().members(index).iter();
        members.filter_map(|&member| Some((member, program.functions[member].body.as_ref()?)))
    }

    /// Whether a component has something to report: a member acquires or releases something, or calls a function
    /// through a pointer that may be known once it is evaluated.
    fn matters(&self, index: usize) -> bool {
        self.bodies(index).any(|(member, _)| {
            self.named[member].iter().any(|&target| self.reaching[target])
                || self.graph.callees(member).iter().any(|&callee| touches(self.context, callee))
        })
    }

    /// Groups of components to evaluate one after the other: first what the wanted ones call, then themselves.
    fn due(&mut self, mut wanted: Vec<usize>) -> Vec<Vec<usize>> {
        wanted.retain(|&index| !self.done[index]);
        for &index in &wanted {
            self.done[index] = true;
        }
        let mut found: Vec<usize> = Vec::new();
        let mut open = wanted.clone();
        while let Some(index) = open.pop() {
            for (member, _) in self.bodies(index) {
                for &callee in self.graph.callees(member).iter().chain(&self.named[member]) {
                    let other = self.graph.components().of(callee);
                    if !self.done[other] && self.bodies(other).next().is_some() {
                        self.done[other] = true;
                        found.push(other);
                        open.push(other);
                    }
                }
            }
        }
        found.sort_unstable_by_key(|&index| (self.level_of[index], index));
        let mut groups: Vec<Vec<usize>> =
            found.chunk_by(|&a, &b| self.level_of[a] == self.level_of[b]).map(<[usize]>::to_vec).collect();
        if !wanted.is_empty() {
            groups.push(wanted);
        }
        groups
    }
}

/// Whether a call is known to acquire or release something. A body that had no turn does neither, whatever a model
/// says of its name.
fn touches(context: &Context<'_>, callee: FuncId) -> bool {
    if context.has_events(callee) {
        return true;
    }
    let has_turn = context.program.functions[callee].body.is_some();
    if has_turn && context.summaries[callee].get().is_none() {
        return false;
    }
    context.summary(callee).is_some_and(|summary| summary.touches_resources() || summary.touches_states())
}

/// Functions that acquire or release something, or call one that may.
fn reaching(
    context: &Context<'_>,
    graph: &CallGraph,
    named: &Table<FuncId, Vec<FuncId>>,
) -> Table<FuncId, bool> {
    let modelled = |id: FuncId| touches(context, id);
    let mut callers: Table<FuncId, Vec<FuncId>> = Table::filled(named.len(), Vec::new());
    for (caller, targets) in named.iter() {
        targets.iter().for_each(|&target| callers[target].push(caller));
    }
    let mut reaching: Table<FuncId, bool> = named.ids().map(modelled).collect();
    let mut open: Vec<FuncId> = reaching.ids().filter(|&function| reaching[function]).collect();
    while let Some(function) = open.pop() {
        for &caller in graph.callers(function).iter().chain(&callers[function]) {
            if !std::mem::replace(&mut reaching[caller], true) {
                open.push(caller);
            }
        }
    }
    reaching
}

/// Functions that a body may call through a pointer whose value it sees: those whose address it takes, or that are in
/// a global which it reads and nobody writes. None if it calls nothing through a pointer.
fn named_targets(context: &Context<'_>, body: &Body) -> Vec<FuncId> {
    let calls_pointer = body.insts.values().any(|inst| match &inst.op {
        Op::Call(call) => matches!(call.callee, Callee::Pointer(_)),
        _ => false,
    });
    if !calls_pointer {
        return Vec::new();
    }
    let mut found: FxHashSet<FuncId> = FxHashSet::default();
    let mut globals: FxHashSet<GlobalId> = FxHashSet::default();
    let mut look = |value: ValueId| match &body.values[value].def {
        Def::Const(Const::Func(function)) => {
            found.insert(*function);
        }
        Def::Const(Const::Global { global, .. }) => {
            globals.insert(*global);
        }
        _ => {}
    };
    for inst in body.insts.values() {
        inst.op.operands(&mut look);
    }
    // Of what others may have been put there nothing is known.
    for global in globals.into_iter().filter(|&global| context.is_constant(global)) {
        for relocation in context.program.globals[global].image.iter().flat_map(|image| &image.relocations) {
            if let Symbol::Func(function) = relocation.target {
                found.insert(function);
            }
        }
    }
    let mut found: Vec<FuncId> = found.into_iter().collect();
    found.sort_unstable();
    found
}

/// The results of a component: what the memory has of it, or what evaluation gives.
fn known_or_new<R: Send + Sync + Default>(
    context: &Context<'_>,
    graph: &CallGraph,
    index: usize,
    options: &Options,
    memory: &dyn Memory<R>,
    inspect: &(impl Fn(&mut State<'_>, &Exits) -> R + Sync),
) -> (Results<R>, Origin) {
    let all = graph.components().members(index);
    let with_body = |member: &FuncId| context.program.functions[*member].body.is_some();
    let members: Vec<FuncId> = all.iter().copied().filter(with_body).collect();
    let recursive = all.len() > 1 || all.first().is_some_and(|&member| graph.is_recursive(member));
    let turn = Turn { context, members: &members, recursive };
    memory.recall(turn, &mut || component(context, graph, all, options, inspect))
}

/// Summarises the functions of one component, together when they call each other.
fn component<R: Send + Sync + Default>(
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
    let fixpoint = recursion::summarise(context, graph, &with_body, options);
    let turns = in_turn(&fixpoint.waits, |place, earlier| {
        // What a closer look has found is better than what the rounds had time for.
        let mut component = fixpoint.component.clone();
        for &other in &fixpoint.waits[place] {
            let (_, learned): &(FunctionResult<R>, Arc<Learned>) =
                earlier[other].get().expect("it was waited for");
            component.known.insert(fixpoint.order[other], learned.clone());
        }
        let result = last_turn(context, &fixpoint, &component, fixpoint.order[place], options, inspect);
        let learned = Arc::new(Learned::new(result.summary.clone(), result.facts.sizes));
        (result, learned)
    });
    let results = turns.into_iter().map(|(result, _)| result);
    let mut results: Vec<(FuncId, FunctionResult<R>)> = fixpoint.order.iter().copied().zip(results).collect();
    if let Some((_, first)) = results.first_mut() {
        first.costs += fixpoint.costs;
    }
    results
}

/// Evaluates a member of a recursive component with what the rounds have found.
fn last_turn<R: Default>(
    context: &Context<'_>,
    fixpoint: &recursion::Fixpoint,
    component: &Component,
    member: FuncId,
    options: &Options,
    inspect: &impl Fn(&mut State<'_>, &Exits) -> R,
) -> FunctionResult<R> {
    // Where nothing is acquired or released there is nothing to look at, and a closer look says no more.
    let assumed = fixpoint.assumed.contains(&member);
    let known = component.summary(member);
    let mut result = match known {
        Some(summary)
            if !assumed
                && !touches_resources(context, component, member)
                && !touches_states(context, component, member) =>
        {
            FunctionResult {
                summary: summary.clone(),
                facts: UNKNOWN,
                report: R::default(),
                given_up: fixpoint.given_up.get(&member).copied(),
                mistake: None,
                costs: Costs::default(),
            }
        }
        _ => attempt(context, component, member, options, Effort::Full, inspect),
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
