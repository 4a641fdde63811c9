//! Which functions do nothing but look at what they are given.
//!
//! A function *only looks* if it stores nothing but in variables of its own, calls only functions that look only, and reads nothing but what
//! its arguments lead to and what never changes; of library functions the declaration says so (`pure`). One that calls itself is not asked about.

use crate::facts::cells::base_of;
use watertight_ir::callgraph::CallGraph;
use watertight_ir::{Access, Body, Callee, Const, Def, FuncId, Op, Program, Table, ValueId};

/// Which functions of a program only look.
pub(crate) fn looking(program: &Program, graph: &CallGraph) -> Table<FuncId, bool> {
    let mut looking = Table::filled(program.functions.len(), false);
    // Callees come first.
    for component in graph.components().iter() {
        let &[id] = component else { continue };
        let function = &program.functions[id];
        let given = !function.params.is_empty() && !function.variadic;
        looking[id] = given
            && match &function.body {
                None => function.attrs.read_only || function.attrs.no_memory,
                Some(body) => !graph.is_recursive(id) && body_looks(program, body, &looking),
            };
    }
    looking
}

fn body_looks(program: &Program, body: &Body, looking: &Table<FuncId, bool>) -> bool {
    let fixed = |value: &watertight_ir::Value| match &value.def {
        Def::Const(Const::Global { global, .. }) => program.globals[*global].constant,
        Def::Const(Const::Func(_)) => false,
        _ => true,
    };
    body.values.values().all(fixed)
        && body.insts.values().all(|inst| match &inst.op {
            Op::Load { access: Access::Plain, .. } | Op::Stack { count: None, .. } => true,
            Op::Store { addr, access: Access::Plain, .. } => is_own(body, *addr),
            Op::Call(call) => {
                matches!(call.callee, Callee::Direct(callee) if looking[callee]) && !call.args.is_empty()
            }
            Op::Offset { .. } | Op::Index { .. } | Op::Binary { .. } | Op::Compare { .. } => true,
            Op::Float { .. } | Op::FloatNegate { .. } | Op::FloatCompare { .. } => true,
            Op::Convert { .. } | Op::Select { .. } | Op::Phi { .. } | Op::Bits { .. } => true,
            Op::Pack { .. } | Op::Extract { .. } | Op::Name { .. } => true,
            _ => false,
        })
}

/// Whether an address is one of a variable of the function.
fn is_own(body: &Body, address: ValueId) -> bool {
    matches!(body.def_op(base_of(body, address)), Some(Op::Stack { .. }))
}
