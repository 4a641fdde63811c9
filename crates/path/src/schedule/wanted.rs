//! Who need not have a turn: functions that neither touch resources nor are called by one that does.
//!
//! Only functions that touch resources have anything to report, and only what they call, in any number of steps, says
//! something that matters to them; of all others nobody asks, and they are left out. Whether a function touches
//! resources is known when its callees are: a callee that acquires or releases is wanted itself, so it had its turn.

use crate::context::Context;
use crate::schedule::board::Board;
use watertight_ir::callgraph::CallGraph;
use watertight_ir::{FuncId, Table};

/// Tells which components are wanted.
pub(crate) struct Wanted<'a> {
    context: &'a Context<'a>,
    graph: &'a CallGraph,
    /// Functions from which something can be reached that acquires or releases.
    reaching: Table<FuncId, bool>,
}

impl<'a> Wanted<'a> {
    pub(crate) fn new(context: &'a Context<'a>, graph: &'a CallGraph) -> Wanted<'a> {
        Wanted { context, graph, reaching: reaching(context, graph) }
    }

    /// Whether a component has something to report: a member acquires or releases something, or calls a function
    /// through a pointer that may be known once it is evaluated.
    pub(crate) fn is_wanted(&self, board: &Board<'_>, index: usize) -> bool {
        let members = self.graph.components().members(index).iter().copied();
        let mut bodies = members.filter(|&member| self.context.program.functions[member].body.is_some());
        bodies.any(|member| {
            self.context.acquires(member)
                || self.context.named[member].iter().any(|&target| self.reaching[target])
                || self.graph.callees(member).iter().any(|&callee| self.touches(board, callee))
        })
    }

    /// Whether a call is known to acquire or release something. A body that is not known does neither, whatever a model
    /// says of its name.
    fn touches(&self, board: &Board<'_>, callee: FuncId) -> bool {
        let known = self.context.program.functions[callee].body.is_none()
            || board.is_known(self.graph.components().of(callee));
        self.context.has_events(callee) || known && is_told_to_touch(self.context, callee)
    }
}

/// Whether what is told of a function acquires or releases something.
fn is_told_to_touch(context: &Context<'_>, function: FuncId) -> bool {
    context.summary(function).is_some_and(|summary| summary.touches_resources() || summary.touches_states())
}

/// Functions that acquire or release something, or call one that may.
fn reaching(context: &Context<'_>, graph: &CallGraph) -> Table<FuncId, bool> {
    let named = &context.named;
    let modelled = |id: FuncId| {
        context.has_events(id)
            || context.acquires(id)
            || context.program.functions[id].body.is_none() && is_told_to_touch(context, id)
    };
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
