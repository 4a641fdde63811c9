//! Which addresses other addresses depend on.
//!
//! In: one body. Out: for each value whether what it points to decides what anything else points to. Most addresses in
//! a program are those of numbers and text, which are only read and written. They take no part in solving: their sets
//! are worked out once, at the end.

use watertight_ir::{Body, Id, Op, Terminator, ValueId};

/// For each value of a body whether others depend on what it points to.
pub(crate) fn needed(body: &Body, carries: &dyn Fn(ValueId) -> bool) -> Vec<bool> {
    let mut needed = vec![false; body.values.len()];
    let mut open: Vec<ValueId> = Vec::new();
    for inst in body.insts.values() {
        match &inst.op {
            Op::Compare { .. } | Op::Name { .. } | Op::MemFill { .. } => {}
            // These are needed if their result is.
            Op::Offset { .. } | Op::Index { .. } | Op::Convert { .. } => {}
            Op::Load { addr, .. } => {
                if inst.result.is_some_and(carries) {
                    open.push(*addr);
                }
            }
            Op::Store { addr, value, .. } => {
                if carries(*value) {
                    open.extend([*addr, *value]);
                }
            }
            op => op.operands(|operand| open.push(operand)),
        }
    }
    for block in body.blocks.values() {
        if let Terminator::Return(Some(value)) = block.term {
            open.push(value);
        }
    }
    while let Some(value) = open.pop() {
        if !std::mem::replace(&mut needed[value.index()], true)
            && let Some(op @ (Op::Offset { .. } | Op::Index { .. } | Op::Convert { .. })) = body.def_op(value)
        {
            op.operands(|operand| open.push(operand));
        }
    }
    needed
}
