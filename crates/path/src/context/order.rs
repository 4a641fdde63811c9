//! Who comes before whom: functions before those that call them, and before those that may come to call them through a
//! pointer.

use rustc_hash::FxHashSet;
use watertight_ir::callgraph::CallGraph;
use watertight_ir::{Body, Callee, Const, Def, FuncId, GlobalId, Op, Program, Symbol, Table, ValueId};

/// Functions that calls through pointers may reach, for bodies that name them.
pub(crate) type Named = Table<FuncId, Vec<FuncId>>;

/// For each function what it may call through a pointer whose value it sees.
pub(crate) fn named(program: &Program, constant: &Table<GlobalId, bool>) -> Named {
    let of = |function: &watertight_ir::Function| match &function.body {
        Some(body) => named_targets(program, constant, body),
        None => Vec::new(),
    };
    program.functions.values().map(of).collect()
}

/// Puts functions before those who use their addresses, for they may be called back by what these call, and before those
/// who read them from tables. `closed` are calls through members and tables.
pub(crate) fn ordered(
    program: &Program,
    graph: &CallGraph,
    named: &Named,
    closed: Vec<(FuncId, FuncId)>,
) -> CallGraph {
    let used = program.functions.iter().flat_map(|(id, function)| {
        let values = function.body.iter().flat_map(|body| body.values.values());
        values.filter_map(move |value| match value.def {
            Def::Const(Const::Func(target)) => Some((id, target)),
            _ => None,
        })
    });
    let read = named.iter().flat_map(|(id, targets)| targets.iter().map(move |&target| (id, target)));
    let order = without_circles(graph, used.collect());
    let order = without_circles(&order, read.collect());
    without_circles(&order, closed)
}

/// Adds edges to a graph, but for those that make circles.
fn without_circles(graph: &CallGraph, mut edges: Vec<(FuncId, FuncId)>) -> CallGraph {
    let mut all = graph.clone();
    all.add(&edges);
    let components = all.components();
    edges.retain(|&(user, target)| components.of(user) != components.of(target));
    let mut order = graph.clone();
    order.add(&edges);
    order
}

/// Functions that a body may call through a pointer whose value it sees: those whose address it takes, or that are in
/// a global which it reads and nobody writes. None if it calls nothing through a pointer.
fn named_targets(program: &Program, constant: &Table<GlobalId, bool>, body: &Body) -> Vec<FuncId> {
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
    for global in globals.into_iter().filter(|&global| constant[global]) {
        for relocation in program.globals[global].image.iter().flat_map(|image| &image.relocations) {
            if let Symbol::Func(function) = relocation.target {
                found.insert(function);
            }
        }
    }
    let mut found: Vec<FuncId> = found.into_iter().collect();
    found.sort_unstable();
    found
}
