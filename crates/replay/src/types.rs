//! C types of memory cells: what the debug information says lies at an offset.
//!
//! In: the type of an object and an offset in it. Out: the type of the scalar there, if it is known. An object may be the
//! first of an array, so offsets beyond its size lead into the next element.

use crate::limits::TYPE_LEVELS;
use watertight_ir::spell::SourceType;
use watertight_ir::{DebugInfo, DebugType, DebugTypeId, Program, ctype};

fn debug(program: &Program, ty: SourceType) -> &DebugInfo {
    &program.units[ty.unit].debug
}

fn size(program: &Program, debug: &DebugInfo, ty: Option<DebugTypeId>) -> Option<u64> {
    ctype::size(debug, ty, program.target.pointer_bits).filter(|&bytes| bytes > 0)
}

/// The scalar at an offset of what a pointer to this type points to.
pub(crate) fn cell(program: &Program, ty: SourceType, offset: i64) -> Option<SourceType> {
    let debug = debug(program, ty);
    let mut at = u64::try_from(offset).ok()?;
    let mut current = Some(ty.ty);
    if let Some(bytes) = size(program, debug, current) {
        at %= bytes;
    }
    for _ in 0..TYPE_LEVELS {
        let stripped = ctype::strip(debug, current)?;
        match debug.types.get(stripped)? {
            DebugType::Record(record) => {
                // Of the members of a union the first that is large enough speaks for all.
                let member = record.members.iter().find(|member| {
                    let begin = member.offset_bits / 8;
                    let bytes = size(program, debug, member.ty).unwrap_or(1);
                    !member.bit_field && begin <= at && at < begin + bytes
                })?;
                at -= member.offset_bits / 8;
                current = member.ty;
            }
            DebugType::Array { of, .. } => {
                let bytes = size(program, debug, *of)?;
                at %= bytes;
                current = *of;
            }
            _ => return (at == 0).then_some(SourceType { unit: ty.unit, ty: stripped }),
        }
    }
    None
}

/// What a pointer type points to.
pub(crate) fn pointee(program: &Program, ty: SourceType) -> Option<SourceType> {
    let debug = debug(program, ty);
    let to = ctype::strip(debug, ctype::pointee(debug, Some(ty.ty))?)?;
    Some(SourceType { unit: ty.unit, ty: to })
}

pub(crate) fn is_pointer(program: &Program, ty: SourceType) -> bool {
    matches!(ctype::described(debug(program, ty), Some(ty.ty)), Some(DebugType::Pointer { .. }))
}

pub(crate) fn is_record(program: &Program, ty: SourceType) -> bool {
    matches!(ctype::described(debug(program, ty), Some(ty.ty)), Some(DebugType::Record(_)))
}

/// How many parameters functions of this type have; nothing if it is no function.
pub(crate) fn parameters(program: &Program, ty: SourceType) -> Option<usize> {
    match ctype::described(debug(program, ty), Some(ty.ty))? {
        DebugType::Function { params, .. } => Some(params.len()),
        _ => None,
    }
}

/// Bytes of a scalar.
pub(crate) fn bytes(program: &Program, ty: SourceType) -> Option<u64> {
    size(program, debug(program, ty), Some(ty.ty))
}
