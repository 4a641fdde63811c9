//! Functions that only rearrange what they are given, ready to be followed in the memory of a caller (`calls/followed.rs`).

use crate::context::Context;
use crate::limits;
use crate::plan::unroll::{Limits, Plan, Unrolled, unroll};
use watertight_ir::cfg::Cfg;
use watertight_ir::loops::Loops;
use watertight_ir::{Body, Callee, FuncId, Op, Table, Type};

/// A function that only rearranges, ready to be followed.
pub struct Rearranging {
    pub(crate) loops: Loops,
    pub(crate) unrolled: Unrolled,
    pub(crate) plan: Plan,
}

/// The function, if it is one of those.
pub(crate) fn rearranging(context: &Context<'_>, function: FuncId) -> Option<Rearranging> {
    let data = &context.program.functions[function];
    let body = data.body.as_ref()?;
    let plain = |param: &watertight_ir::Param| {
        param.by_value.is_none() && !param.struct_result && !matches!(param.ty, Type::Agg(_))
    };
    if data.variadic
        || matches!(data.result, Type::Agg(_))
        || body.insts.len() > limits::REARRANGING
        || !data.params.iter().all(plain)
        || !body.insts.values().all(|inst| only_rearranges(&inst.op))
        || !body.insts.values().any(|inst| stores_address(body, &inst.op))
    {
        return None;
    }
    let cfg = Cfg::new(body);
    let loops = Loops::new(&cfg);
    if loops.is_empty() && !body.insts.values().any(|inst| calls(&inst.op) == Some(function)) {
        return None;
    }
    let none = Table::filled(loops.len(), false);
    let (unrolled, plan) = unroll(body, &cfg, &loops, &Limits::FOLLOWED, &none, &none)?;
    Some(Rearranging { loops, unrolled, plan })
}

fn only_rearranges(op: &Op) -> bool {
    match op {
        Op::Stack { count: None, .. }
        | Op::Load { .. }
        | Op::Store { .. }
        | Op::Offset { .. }
        | Op::Index { .. }
        | Op::Binary { .. }
        | Op::Compare { .. }
        | Op::Convert { .. }
        | Op::Select { .. }
        | Op::Phi { .. }
        | Op::Name { .. } => true,
        Op::Call(call) => matches!(call.callee, Callee::Direct(_)) && !call.no_return,
        _ => false,
    }
}

fn stores_address(body: &Body, op: &Op) -> bool {
    matches!(op, Op::Store { value, .. } if body.ty(*value) == Type::Ptr)
}

/// The function that is called, if it is known.
fn calls(op: &Op) -> Option<FuncId> {
    match op {
        Op::Call(call) => match call.callee {
            Callee::Direct(callee) => Some(callee),
            Callee::Pointer(_) => None,
        },
        _ => None,
    }
}
