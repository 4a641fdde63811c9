//! Functions whose results stay whose they were.
//!
//! In: a program. Out: the functions that return something for others to look at: what they return points to what must not be changed, as their
//! declaration says, and no caller releases it; or every call is in sight and nobody releases, keeps or returns what it gives, but for another of them.

use super::Known;
use super::accesses::NUMBER;
use super::derived::{Fate, Uses};
use super::shape::Shapes;
use crate::limits::LENDING_ROUNDS;
use rustc_hash::FxHashSet;
use watertight_ir::callgraph::{CallGraph, direct_callee};
use watertight_ir::{DebugType, FuncId, Op, Program, Qualifier, Table, Type, ValueId, ctype};
use watertight_summary::Summary;
use watertight_summary::model::Models;

/// The functions that lend what they return.
pub(super) fn lenders(
    program: &Program,
    library: &Models,
    summaries: &Table<FuncId, Option<Summary>>,
    graph: &CallGraph,
) -> FxHashSet<FuncId> {
    let of_callers = |lenders: &FxHashSet<FuncId>, done: fn(Fate) -> bool| {
        // What is made of functions depends on who lends.
        let shapes = Shapes::default();
        of_callers(Known { program, library, summaries, graph, lenders, shapes: &shapes }, done)
    };
    let released = of_callers(&FxHashSet::default(), |fate| fate.released);
    let to_look_at = |function: &FuncId| returns_constant(program, *function) && !released.contains(function);
    let mut found: FxHashSet<FuncId> = program.defined().filter(to_look_at).collect();
    for _ in 0..LENDING_ROUNDS {
        let taken = of_callers(&found, Fate::is_cared_for);
        let before = found.len();
        found.extend(program.defined().filter(|function| {
            !graph.call_sites(*function).is_empty()
                && !graph.address_taken().contains(function)
                && !taken.contains(function)
        }));
        if found.len() == before {
            break;
        }
    }
    found
}

/// The functions with whose results some caller does this.
fn of_callers(known: Known<'_>, done: fn(Fate) -> bool) -> FxHashSet<FuncId> {
    let mut taken = FxHashSet::default();
    for caller in known.program.defined() {
        let Some(body) = &known.program.functions[caller].body else { continue };
        let mut uses = None;
        for &inst in body.blocks.values().flat_map(|block| &block.insts) {
            let Op::Call(call) = &body.insts[inst].op else { continue };
            let may_own = |&result: &ValueId| matches!(body.ty(result), Type::Ptr | NUMBER);
            let Some(result) = body.insts[inst].result.filter(may_own) else { continue };
            let callee = direct_callee(body, call);
            let Some(callee) = callee.filter(|&callee| known.program.functions[callee].body.is_some()) else {
                continue;
            };
            if taken.contains(&callee) || known.lenders.contains(&callee) {
                continue;
            }
            let uses = uses.get_or_insert_with(|| Uses::new(known, caller, body));
            if done(uses.fate(result, &|_| false)) {
                taken.insert(callee);
            }
        }
    }
    taken
}

/// Whether a function returns the address of something that must not be changed.
fn returns_constant(program: &Program, function: FuncId) -> bool {
    let data = &program.functions[function];
    let debug = &program.units[data.unit].debug;
    let Some(DebugType::Function { result, .. }) = ctype::described(debug, data.debug_type) else {
        return false;
    };
    let Some(Some(mut to)) = ctype::pointee(debug, *result) else { return false };
    loop {
        match debug.types.get(to) {
            Some(DebugType::Qualified { qualifier: Qualifier::Const, .. }) => return true,
            Some(DebugType::Qualified { of: Some(of), .. } | DebugType::Typedef { of: Some(of), .. }) => {
                to = *of
            }
            _ => return false,
        }
    }
}
