//! Allocation wrappers: functions that do nothing with what they acquire but fill it and return it.
//!
//! All objects that come from one place in the program are one abstract object, so without care everything that
//! `xmalloc` hands out would be the same. Each call of a wrapper makes an object of its own instead. A function is a
//! wrapper when every value it returns is null or the result of an acquiring function or another wrapper, and that
//! result is stored nowhere. (Saber, section 2.3.)

use watertight_ir::callgraph::{CallGraph, direct_callee};
use watertight_ir::{
    Body, Call, Callee, Const, FuncId, Id, Op, Program, Symbol, Table, Terminator, Type, ValueId,
};
use watertight_summary::Value;
use watertight_summary::model::Models;

/// Which functions are allocation wrappers.
pub(crate) fn wrappers(program: &Program, models: &Models) -> Table<FuncId, bool> {
    let mut wrappers = Table::filled(program.functions.len(), false);
    let graph = CallGraph::new(program);
    for members in graph.components().iter() {
        if let &[function] = members
            && !graph.is_recursive(function)
            && let Some(body) = &program.functions[function].body
            && program.functions[function].result == Type::Ptr
        {
            let acquires = |callee: FuncId| {
                wrappers[callee]
                    || program.functions[callee].body.is_none() && returns_fresh(program, models, callee)
            };
            wrappers[function] = wraps(program, body, &acquires);
        }
    }
    wrappers
}

/// Whether a model says that the result is fresh or null.
fn returns_fresh(program: &Program, models: &Models, function: FuncId) -> bool {
    let Some(summary) = models.functions.get(&program.functions[function].name) else { return false };
    let results = || summary.outcomes.iter().map(|outcome| &outcome.result);
    results().any(|value| matches!(value, Value::Fresh { .. }))
        && results().all(|value| matches!(value, Value::Fresh { .. } | Value::Number(0)))
}

/// The function that a call names, or that the global variable whose value it calls holds at first: programs that let
/// their users replace `malloc` keep it in one.
fn first_callee(program: &Program, body: &Body, call: &Call) -> Option<FuncId> {
    if let Some(callee) = direct_callee(body, call) {
        return Some(callee);
    }
    let Callee::Pointer(pointer) = call.callee else { return None };
    let Some(Op::Load { addr, .. }) = body.def_op(pointer) else { return None };
    let Some(Const::Global { global, offset }) = body.constant(*addr) else { return None };
    let image = program.globals[*global].image.as_ref()?;
    let found =
        image.relocations.iter().find(|relocation| i64::try_from(relocation.offset) == Ok(*offset))?;
    match found.target {
        Symbol::Func(function) => Some(function),
        _ => None,
    }
}

fn wraps(program: &Program, body: &Body, acquires: &impl Fn(FuncId) -> bool) -> bool {
    // What is returned, through merges, has to be fresh.
    let mut open: Vec<ValueId> = Vec::new();
    for block in body.blocks.values() {
        if let Terminator::Return(Some(value)) = block.term {
            open.push(value);
        }
    }
    let mut returned = vec![false; body.values.len()];
    let mut fresh = false;
    while let Some(value) = open.pop() {
        if std::mem::replace(&mut returned[value.index()], true) {
            continue;
        }
        match body.def_op(value) {
            Some(Op::Phi { incoming }) => open.extend(incoming.iter().map(|entry| entry.1)),
            Some(Op::Select { then, other, .. }) => open.extend([*then, *other]),
            Some(Op::Call(call)) => match first_callee(program, body, call) {
                Some(callee) if acquires(callee) => fresh = true,
                _ => return false,
            },
            Some(_) => return false,
            None if body.bits(value) == Some(0) => {}
            None => return false,
        }
    }
    fresh
        && !body.blocks.values().flat_map(|block| &block.insts).any(|&inst| {
            // Stored or handed on, it may be found in another way than through the result.
            match &body.insts[inst].op {
                Op::Store { value, .. } => returned[value.index()],
                Op::Pack { parts } => parts.iter().any(|part| returned[part.index()]),
                Op::Call(call) => {
                    direct_callee(body, call).is_none() && call.args.iter().any(|arg| returned[arg.index()])
                }
                _ => false,
            }
        })
}
