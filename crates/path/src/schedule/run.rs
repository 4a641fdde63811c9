//! All functions of a program, each in its turn.
//!
//! Components of the call graph are evaluated bottom-up, in parallel. The program alone decides who has a turn at all
//! (`wanted.rs`) and whose results one sees in it (`epochs.rs`), so results are the same for any number of threads and any
//! order of turns; when there is a choice, those go first that most others wait for (`board.rs`).

use crate::context::costs::Costs;
use crate::context::report::Report;
use crate::context::{Component, Context, Learned, View};
use crate::exits::lost::Exits;
use crate::machine::state::State;
use crate::schedule::analyse::{
    Effort, FunctionResult, Options, Scope, UNKNOWN, attempt, touches_resources, touches_states,
};
use crate::schedule::board::Board;
use crate::schedule::epochs::Epochs;
use crate::schedule::memory::{Memory, Nothing, Origin, Results, Turn};
use crate::schedule::parallel::{flood, in_turn};
use crate::schedule::recursion;
use crate::schedule::wanted::Wanted;
use std::sync::{Arc, Mutex, PoisonError};
use watertight_ir::callgraph::CallGraph;
use watertight_ir::{FuncId, Program, Table};
use watertight_summary::Summary;
use watertight_summary::model::Models;

/// Everything that came out for a program.
pub struct Analysis<R> {
    pub summaries: Table<FuncId, Option<Summary>>,
    pub reports: Vec<(FuncId, R)>,
    pub given_up: Vec<FuncId>,
    /// Functions on which the engine failed by a mistake of its own.
    pub mistakes: Vec<(FuncId, String)>,
    pub costs: Costs,
    /// Who calls whom, also through pointers.
    pub calls: Option<CallGraph>,
}

impl<R> Analysis<R> {
    /// Counts the result of a function.
    fn add(&mut self, function: FuncId, result: &FunctionResult<R>, origin: Origin) {
        self.costs += result.costs;
        match origin {
            Origin::Evaluated => self.costs.evaluated += 1,
            Origin::Remembered => self.costs.reused += 1,
        }
        self.given_up.extend(result.given_up.then_some(function));
        self.mistakes.extend(result.mistake.iter().map(|message| (function, message.clone())));
    }
}

/// Evaluates the functions of a program bottom-up. `inspect` looks at each evaluated function; its results
/// come back in the order of functions, whatever order they were made in.
pub fn analyse<R: Report + Send + Sync>(
    program: &Program,
    library: &Models,
    options: &Options,
    inspect: &(impl Fn(&mut State<'_>, &Exits) -> R + Sync),
) -> Analysis<R> {
    analyse_with(program, library, options, &Nothing, inspect)
}

/// The same, with a memory of earlier runs.
pub fn analyse_with<R: Report + Send + Sync>(
    program: &Program,
    library: &Models,
    options: &Options,
    memory: &dyn Memory<R>,
    inspect: &(impl Fn(&mut State<'_>, &Exits) -> R + Sync),
) -> Analysis<R> {
    let context = Context::new(program, library);
    let graph = &context.order;
    let epochs = Epochs::new(program, graph);
    let wanted = Wanted::new(&context, graph);
    let is_wanted = |board: &Board<'_>, index: usize| match options.scope {
        Scope::All => true,
        Scope::Resources => wanted.is_wanted(board, index),
    };
    let all = Analysis {
        summaries: Table::new(),
        reports: Vec::new(),
        given_up: Vec::new(),
        mistakes: Vec::new(),
        costs: Costs::default(),
        calls: None,
    };
    let shared = Mutex::new((Board::new(&epochs, options.visit), all));
    let lock = || shared.lock().unwrap_or_else(PoisonError::into_inner);
    // Every ready component has one call of this, which takes whichever is the most urgent then.
    let turn = |epoch: u32| {
        let index = lock().0.next()?;
        let (results, origin) = known_or_new(&context, index, epoch, options, memory, inspect);
        let mut shared = lock();
        let (board, all) = &mut *shared;
        for (function, result) in results {
            all.add(function, &result, origin);
            all.reports.push((function, result.report));
            // They are set once; callers have their turn later.
            let _ = context.epochs[function].set(epoch);
            let _ = context.facts[function].set(result.facts);
            let _ = context.summaries[function].set(result.summary);
        }
        Some(board.done(index, is_wanted))
    };
    for (epoch, components) in (0u32..).zip(epochs.iter()) {
        let ready = lock().0.begin(components, is_wanted);
        flood(ready, &|| turn(epoch).unwrap_or(0));
    }
    let (_, mut all) = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    all.reports.sort_by_key(|entry| entry.0);
    all.given_up.sort_unstable();
    all.mistakes.sort_unstable();
    all.costs.left_out = program.defined().count() as u64 - all.costs.evaluated - all.costs.reused;
    all.calls = Some(context.graph);
    all.summaries = context.summaries.into_values().map(|slot| slot.into_inner()).collect();
    all
}

/// The results of a component: what the memory has of it, or what evaluation gives.
fn known_or_new<R: Report + Send + Sync>(
    context: &Context<'_>,
    index: usize,
    epoch: u32,
    options: &Options,
    memory: &dyn Memory<R>,
    inspect: &(impl Fn(&mut State<'_>, &Exits) -> R + Sync),
) -> (Results<R>, Origin) {
    let graph = &context.order;
    let all = graph.components().members(index);
    let with_body = |member: &FuncId| context.program.functions[*member].body.is_some();
    let members: Vec<FuncId> = all.iter().copied().filter(with_body).collect();
    let recursive = all.len() > 1 || all.first().is_some_and(|&member| graph.is_recursive(member));
    let view = View::new(context, &members, epoch);
    let turn = Turn { context, members: &members, recursive, view: &view };
    memory.recall(turn, &mut || component(turn, options, inspect))
}

/// Summarises the functions of one component, together when they call each other.
fn component<R: Report + Send + Sync>(
    turn: Turn<'_, '_>,
    options: &Options,
    inspect: &(impl Fn(&mut State<'_>, &Exits) -> R + Sync),
) -> Results<R> {
    let Turn { context, members, recursive, view } = turn;
    if !recursive {
        let alone = Component::new(&[], view);
        let result = |&member| (member, attempt(context, &alone, member, options, Effort::Full, inspect));
        return members.iter().map(result).collect();
    }
    let fixpoint = recursion::summarise(context, Component::new(members, view), options);
    let turns = in_turn(&fixpoint.waits, |place, earlier| {
        // What a closer look has found is better than what the rounds had time for.
        let mut component = fixpoint.component.clone();
        for &other in &fixpoint.waits[place] {
            let (_, learned): &(FunctionResult<R>, Arc<Learned>) =
                earlier[other].get().expect("it was waited for");
            component.hear(fixpoint.order[other], learned.clone());
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
fn last_turn<R: Report>(
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
                given_up: false,
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
