//! All functions of a program, each in its turn.
//!
//! Components of the call graph are evaluated bottom-up, in parallel. The program alone decides who has a turn at all
//! (`wanted.rs`) and whose results one sees in it (`epochs.rs`), so results are the same for any number of threads and any
//! order of turns; when there is a choice, those go first that most others wait for (`board.rs`).

use crate::context::costs::Costs;
use crate::context::report::Report;
use crate::context::{Component, Context, Learned, View};
use crate::exits::lost::Exits;
use crate::facts::contents::Contents;
use crate::facts::passed::Passed;
use crate::facts::stored::Stored;
use crate::facts::targets::Targets;
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
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
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
    /// What was found of the whole program before anything was evaluated.
    pub whole: Option<Whole>,
}

/// What holds of the whole program.
pub struct Whole {
    /// Who calls whom, also through pointers.
    pub calls: CallGraph,
    /// What calls through pointers may reach.
    pub targets: Targets,
    pub passed: Passed,
    pub stored: Stored,
    pub contents: Contents,
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
    let context = Context::new(program, library, options.assumptions);
    let epochs = Epochs::new(program, &context.order);
    let sitting = Sitting::new(&context, &epochs, options);
    // Every ready component has one call of this, which takes whichever is the most urgent then.
    let turn = |epoch: u32| {
        let index = sitting.next()?;
        let members = sitting.members(index);
        let view = View::new(&context, &members, epoch);
        let turn =
            Turn { context: &context, members: &members, recursive: sitting.recursive(index), view: &view };
        let (results, origin) = memory.recall(turn, &mut || component(turn, options, inspect));
        Some(sitting.settle(index, epoch, results, origin))
    };
    for (epoch, components) in (0u32..).zip(epochs.iter()) {
        let ready = sitting.begin(components);
        flood(ready, &|| turn(epoch).unwrap_or(0));
    }
    let all = sitting.end();
    finish(all, context)
}

/// The turns of all components of a program: which come next, and what came of those that are over.
pub(crate) struct Sitting<'s, R> {
    context: &'s Context<'s>,
    options: &'s Options,
    wanted: Wanted<'s>,
    shared: Mutex<(Board<'s>, Analysis<R>)>,
}

impl<'s, R: Report + Send + Sync> Sitting<'s, R> {
    pub(crate) fn new(context: &'s Context<'s>, epochs: &'s Epochs, options: &'s Options) -> Sitting<'s, R> {
        let all = Analysis {
            summaries: Table::new(),
            reports: Vec::new(),
            given_up: Vec::new(),
            mistakes: Vec::new(),
            costs: Costs::default(),
            whole: None,
        };
        let board = Board::new(epochs, options.visit);
        let wanted = Wanted::new(context, &context.order);
        Sitting { context, options, wanted, shared: Mutex::new((board, all)) }
    }

    fn lock(&self) -> MutexGuard<'_, (Board<'s>, Analysis<R>)> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_wanted(&self, board: &Board<'_>, index: usize) -> bool {
        match self.options.scope {
            Scope::All => true,
            Scope::Resources => self.wanted.is_wanted(board, index),
        }
    }

    /// Begins an epoch. Says how many components can have their turn.
    pub(crate) fn begin(&self, components: &[usize]) -> usize {
        self.lock().0.begin(components, |board, index| self.is_wanted(board, index))
    }

    /// The component whose turn it is.
    pub(crate) fn next(&self) -> Option<usize> {
        self.lock().0.next()
    }

    /// The functions of a component that have a body.
    pub(crate) fn members(&self, index: usize) -> Vec<FuncId> {
        let with_body = |member: &FuncId| self.context.program.functions[*member].body.is_some();
        self.context.order.components().members(index).iter().copied().filter(with_body).collect()
    }

    /// Whether the functions of a component call each other, or one itself.
    pub(crate) fn recursive(&self, index: usize) -> bool {
        recursive(self.context, self.context.order.components().members(index))
    }

    /// The results of a component are there. Says how many more can have their turn now.
    pub(crate) fn settle(&self, index: usize, epoch: u32, results: Results<R>, origin: Origin) -> usize {
        let mut shared = self.lock();
        let (board, all) = &mut *shared;
        for (function, result) in results {
            all.add(function, &result, origin);
            all.reports.push((function, result.report));
            self.context.learn(function, epoch, result.facts, result.summary);
        }
        board.done(index, |board, index| self.is_wanted(board, index))
    }

    /// What came out of all turns.
    pub(crate) fn end(self) -> Analysis<R> {
        self.shared.into_inner().unwrap_or_else(PoisonError::into_inner).1
    }
}

/// Everything that came out for a program.
pub(crate) fn finish<R>(mut all: Analysis<R>, context: Context<'_>) -> Analysis<R> {
    all.reports.sort_by_key(|entry| entry.0);
    all.given_up.sort_unstable();
    all.mistakes.sort_unstable();
    let defined = context.program.defined().count() as u64;
    all.costs.left_out = defined - all.costs.evaluated - all.costs.reused;
    let Context { graph: calls, targets, passed, stored, contents, summaries, .. } = context;
    all.whole = Some(Whole { calls, targets, passed, stored, contents });
    all.summaries = summaries.into_values().map(|slot| slot.into_inner()).collect();
    all
}

/// Whether functions call each other, or one itself.
pub(crate) fn recursive(context: &Context<'_>, all: &[FuncId]) -> bool {
    all.len() > 1 || all.first().is_some_and(|&member| context.order.is_recursive(member))
}

/// Summarises the functions of one component, together when they call each other.
pub(crate) fn component<R: Report + Send + Sync>(
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
