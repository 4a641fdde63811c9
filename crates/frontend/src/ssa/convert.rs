//! The same bits seen as another type.
//!
//! Memory is untyped: a program may store a pointer and load an integer of the same width. Once the object
//! is a value, the change of type must be written down. Addresses go to and from numbers by way of an
//! integer, so that no conversion hides an address in a float.

use watertight_ir::{Body, ConvertOp, Def, Inst, InstId, Op, PlaceId, Type, Value, ValueId};

/// The value with the bits of `value` and type `to`; both types have the same width. Instructions that are
/// needed for it are appended to `out`.
pub(super) fn reinterpret(
    body: &mut Body,
    value: ValueId,
    to: Type,
    pointer_bits: u32,
    place: Option<PlaceId>,
    out: &mut Vec<InstId>,
) -> ValueId {
    let from = body.ty(value);
    if from == to {
        return value;
    }
    let mut convert = |op, value, ty| {
        let (inst, result) = append(body, Op::Convert { op, value }, ty, place);
        out.push(inst);
        result
    };
    match (from, to) {
        (Type::Ptr, Type::Int(_)) => convert(ConvertOp::PtrToInt, value, to),
        (Type::Int(_), Type::Ptr) => convert(ConvertOp::IntToPtr, value, to),
        (Type::Ptr, _) => {
            let number = convert(ConvertOp::PtrToInt, value, Type::Int(pointer_bits));
            convert(ConvertOp::Reinterpret, number, to)
        }
        (_, Type::Ptr) => {
            let number = convert(ConvertOp::Reinterpret, value, Type::Int(pointer_bits));
            convert(ConvertOp::IntToPtr, number, to)
        }
        _ => convert(ConvertOp::Reinterpret, value, to),
    }
}

/// Adds an instruction that stands in no block yet, with a result of type `ty`.
pub(super) fn append(body: &mut Body, op: Op, ty: Type, place: Option<PlaceId>) -> (InstId, ValueId) {
    let inst = body.insts.next_id();
    let result = body.values.push(Value { ty, def: Def::Inst(inst) });
    body.insts.push(Inst { op, result: Some(result), place });
    (inst, result)
}

/// Adds an instruction without result that stands in no block yet.
pub(super) fn append_effect(body: &mut Body, op: Op, place: Option<PlaceId>) -> InstId {
    body.insts.push(Inst { op, result: None, place })
}
