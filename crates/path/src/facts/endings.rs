//! Calls through pointers that do not come back, because nothing that the program ever puts there does.
//!
//! `if (!p) exhausted(n);` ends the process if every function that `exhausted` may hold does, and `coder->failed(coder)` jumps
//! away if every function that a `failed` may hold jumps. What is behind such a call does not happen.
//!
//! In: what places and members may hold over the whole program ([`crate::facts::targets`], [`crate::facts::fields`]). Out: the
//! calls through pointers of which no target comes back. Which functions may come back is the least solution over the shape
//! of all bodies (`facts/returning.rs`): one that has a way from its entry to a return on which every call may come back. A function
//! of which that cannot be shown never does, so members of a recursion that is never left end the process as well.
//!
//! A target that ends the process has no effect that a caller could see, so it need not be summarised first; that keeps error
//! reports, which call half of the program, out of the recursion of whoever may fail. One that may jump is.

use crate::facts::fields::Fields;
use crate::facts::returning::{Back, Shapes};
use crate::facts::targets::{Held, Targets};
use crate::limits::CONSTANT_CALLS;
use rustc_hash::FxHashMap;
use watertight_ir::callgraph::{CallGraph, direct_callee};
use watertight_ir::{Body, Call, FuncId, InstId, Program, Table, Terminator};
use watertight_summary::model::Models;
use watertight_summary::{Summary, Way};

/// How a call that does not come back ends.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// The process ends, in this function and others.
    Ends(FuncId),
    /// This function may jump to where the program goes on.
    Jumps(FuncId),
}

/// The calls through pointers that do not come back.
#[derive(Debug, Default)]
pub struct Endings {
    sites: FxHashMap<(FuncId, InstId), Ending>,
}

impl Endings {
    /// `graph` has all direct calls.
    pub fn new(
        program: &Program,
        library: &Models,
        graph: &CallGraph,
        targets: &Targets,
        fields: &Fields,
    ) -> Endings {
        let held = |caller: FuncId, inst: InstId| -> Option<&Held> {
            let known = targets.of_call(caller, inst).or_else(|| fields.of_call(caller, inst));
            known.filter(|held| !held.open && !held.functions.is_empty())
        };
        let sites = || graph.indirect_calls().iter().map(|site| (site.caller, site.inst));
        if !sites().any(|(caller, inst)| held(caller, inst).is_some()) {
            return Endings::default();
        }
        let returning = returning(program, library, graph, &held);
        let jumping = jumping(program, library, graph);
        let ending = |(caller, inst)| {
            let functions = &held(caller, inst)?.functions;
            if functions.iter().any(|&function| returning[function]) {
                return None;
            }
            let jumps = functions.iter().find(|&&function| jumping[function]);
            let ending = jumps.map_or(Ending::Ends(functions[0]), |&function| Ending::Jumps(function));
            Some(((caller, inst), ending))
        };
        Endings { sites: sites().filter_map(ending).collect() }
    }

    /// How a call through a pointer ends, if it does not come back.
    pub fn of_call(&self, caller: FuncId, inst: InstId) -> Option<Ending> {
        self.sites.get(&(caller, inst)).copied()
    }

    /// The functions that have to be summarised before those that call them, in ascending order.
    pub fn edges(&self) -> Vec<(FuncId, FuncId)> {
        let jumps = self.sites.iter().filter_map(|(&(caller, _), ending)| match *ending {
            Ending::Jumps(function) => Some((caller, function)),
            Ending::Ends(_) => None,
        });
        let mut edges: Vec<_> = jumps.collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }
}

/// Functions that may come back.
fn returning<'h>(
    program: &Program,
    library: &Models,
    graph: &CallGraph,
    held: &dyn Fn(FuncId, InstId) -> Option<&'h Held>,
) -> Table<FuncId, bool> {
    let outside = |function: &watertight_ir::Function| {
        let told = library.functions.get(&function.name);
        function.body.is_none() && !function.attrs.no_return && told.is_none_or(may_return)
    };
    let mut returning: Table<FuncId, bool> = program.functions.values().map(outside).collect();
    let stopping = stopping(program, graph, &returning);
    // Callees first, as far as circles allow it, so that most is known after one round.
    let mut order: Vec<FuncId> =
        program.functions.ids().filter(|&id| program.functions[id].body.is_some()).collect();
    order.sort_by_key(|&function| graph.components().of(function));
    loop {
        let before = order.len();
        let mut left = Vec::new();
        for function in order {
            let back =
                |body: &Body, caller: FuncId, inst: InstId, call: &Call| match direct_callee(body, call) {
                    Some(callee) if !returning[callee] => Back::Never,
                    Some(callee) if stopping[callee] => Back::AsShaped(callee),
                    Some(_) => Back::Perhaps,
                    None => Back::perhaps(
                        held(caller, inst)
                            .is_none_or(|held| held.functions.iter().any(|&function| returning[function])),
                    ),
                };
            // The constants of one call are enough: this is asked of the whole program.
            if (Shapes { program, back: &back }).reaches_return(function, &[], CONSTANT_CALLS - 1) {
                returning[function] = true;
            } else {
                left.push(function);
            }
        }
        order = left;
        if order.len() == before {
            return returning;
        }
    }
}

pub(crate) fn may_return(summary: &Summary) -> bool {
    summary.outcomes.iter().any(|outcome| outcome.way != Way::Jumps)
}

/// Functions with a body in which a way may end without a return, or that call one.
fn stopping(program: &Program, graph: &CallGraph, returning: &Table<FuncId, bool>) -> Table<FuncId, bool> {
    let stops = |function: &watertight_ir::Function| match &function.body {
        Some(body) => body.blocks.values().any(|block| matches!(block.term, Terminator::Unreachable)),
        None => false,
    };
    let mut stopping: Table<FuncId, bool> = program.functions.values().map(stops).collect();
    for (id, function) in program.functions.iter() {
        stopping[id] |= function.body.is_none() && !returning[id];
    }
    hand_to_callers(graph, &mut stopping);
    stopping
}

/// Functions that jump, or call one that does.
pub(crate) fn jumping(program: &Program, library: &Models, graph: &CallGraph) -> Table<FuncId, bool> {
    let jumps = |function: &watertight_ir::Function| {
        let told = library.functions.get(&function.name).filter(|_| function.body.is_none());
        told.is_some_and(|summary| summary.outcomes.iter().any(|outcome| outcome.way == Way::Jumps))
    };
    let mut jumping: Table<FuncId, bool> = program.functions.values().map(jumps).collect();
    hand_to_callers(graph, &mut jumping);
    jumping
}

/// What holds of a function holds of everyone who calls it.
pub(crate) fn hand_to_callers(graph: &CallGraph, facts: &mut Table<FuncId, bool>) {
    let mut open: Vec<FuncId> = facts.ids().filter(|&function| facts[function]).collect();
    while let Some(function) = open.pop() {
        for &caller in graph.callers(function) {
            if !facts[caller] {
                facts[caller] = true;
                open.push(caller);
            }
        }
    }
}
