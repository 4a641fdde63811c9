//! Numbers that are addresses.
//!
//! In: one body. Out: which of its integers, as wide as a pointer or wider, may carry an address. Those are numbers
//! that a conversion makes from an address or an address from, with what is computed on the way; the distance of two
//! addresses is none. And numbers without a name that are only moved, from memory to memory or through calls, since structs
//! travel that way. All others are counts and sizes.

use watertight_ir::{BinaryOp, Body, Callee, ConvertOp, Def, Id, Op, Type, ValueId};

/// For each value of a body whether it is a number that may carry an address.
pub(crate) fn words(body: &Body, pointer_bits: u32) -> Vec<bool> {
    let is_wide = |value: ValueId| {
        matches!(body.ty(value), Type::Int(bits) if bits >= pointer_bits) && body.constant(value).is_none()
    };
    // Numbers that something is computed with.
    let mut computed = vec![false; body.values.len()];
    let mut words = vec![false; body.values.len()];
    let mut made = Vec::new();
    let mut used = Vec::new();
    for inst in body.insts.values() {
        match &inst.op {
            Op::Convert { op: ConvertOp::PtrToInt, .. } => made.extend(inst.result),
            Op::Convert { op: ConvertOp::IntToPtr, value } => used.push(*value),
            Op::Store { addr, .. } => computed[addr.index()] = true,
            // A number with a name is a number; parts of structs have none.
            Op::Name { value, .. } => computed[value.index()] = true,
            Op::Pack { .. } | Op::Phi { .. } => {}
            Op::Call(call) => {
                if let Callee::Pointer(pointer) = call.callee {
                    computed[pointer.index()] = true;
                }
            }
            op => op.operands(|operand| computed[operand.index()] = true),
        }
    }
    for block in body.blocks.values() {
        block.term.operands(|operand| computed[operand.index()] = true);
    }
    for value in body.values.ids() {
        let moved = match body.def_op(value) {
            Some(op) => matches!(op, Op::Load { .. } | Op::VaArg { .. } | Op::Extract { .. }),
            None => matches!(body.values[value].def, Def::Param(_)),
        };
        words[value.index()] = moved && is_wide(value) && !computed[value.index()];
    }
    while let Some(value) = used.pop() {
        if is_wide(value) && !std::mem::replace(&mut words[value.index()], true) {
            match body.def_op(value) {
                Some(op) if moves(op) => op.operands(|operand| used.push(operand)),
                _ => {}
            }
        }
    }
    for value in made {
        words[value.index()] = is_wide(value);
    }
    // What is computed from an address; a walk to a fixpoint, which takes few turns.
    loop {
        let mut changed = false;
        for inst in body.insts.values() {
            if let Some(result) = inst.result
                && is_wide(result)
                && !words[result.index()]
                && moves(&inst.op)
            {
                let mut any = false;
                inst.op.operands(|operand| any |= words[operand.index()]);
                let distance =
                    matches!(inst.op, Op::Binary { op: BinaryOp::Sub, rhs, .. } if words[rhs.index()]);
                if any && !distance {
                    words[result.index()] = true;
                    changed = true;
                }
            }
        }
        if !changed {
            return words;
        }
    }
}

/// Operations on numbers whose result may be the address that an operand is.
fn moves(op: &Op) -> bool {
    match op {
        Op::Phi { .. } | Op::Select { .. } => true,
        Op::Binary { op, .. } => {
            matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor)
        }
        _ => false,
    }
}
