//! Address computations: a `getelementptr` becomes constant offsets and scaled indices.
//!
//! An offset of an offset is one offset, so `p->a.b` is one step from `p`, as a person sees it.

use super::body::Lowering;
use crate::bitcode::{Type as LlvmType, TypeId, ValueId};
use watertight_ir::{self as ir, Const, ConvertOp, Op, Type};

impl Lowering<'_, '_> {
    pub(super) fn address(
        &mut self,
        source_type: TypeId,
        base: ValueId,
        indices: &[ValueId],
        result_type: TypeId,
        ty: Type,
    ) -> ir::ValueId {
        let mut at = self.value(base);
        if self.shared.types.is_vector(result_type) || self.out.body.ty(at) != Type::Ptr {
            let mut args = vec![at];
            args.extend(indices.iter().map(|&index| self.value(index)));
            return self.unknown("getelementptr of vectors", args, ty).unwrap_or(at);
        }
        let module = self.llvm.module;
        let layouts = self.shared.types.layouts;
        let mut pending: i64 = 0;
        let mut element = source_type;
        for (position, &index) in indices.iter().enumerate() {
            let index = self.value(index);
            let scale = if position == 0 {
                layouts.of(element).stride
            } else {
                match module.ty(element) {
                    LlvmType::Struct { fields, .. } => {
                        let field = self.out.body.bits(index).unwrap_or(0) as usize;
                        pending = pending.wrapping_add(layouts.field(element, field) as i64);
                        match fields.get(field) {
                            Some(&next) => element = next,
                            None => break,
                        }
                        continue;
                    }
                    LlvmType::Array { element: inner, .. } | LlvmType::Vector { element: inner, .. } => {
                        element = *inner;
                        layouts.of(element).stride
                    }
                    _ => break,
                }
            };
            match self.signed(index) {
                Some(number) => pending = pending.wrapping_add(number.wrapping_mul(scale as i64)),
                None => {
                    at = self.offset(at, pending);
                    pending = 0;
                    at = self.emit(Op::Index { base: at, index, scale: scale as i64 }, Type::Ptr);
                }
            }
        }
        self.offset(at, pending)
    }

    /// `base + bytes`, folded into the address that `base` is.
    pub(super) fn offset(&mut self, base: ir::ValueId, bytes: i64) -> ir::ValueId {
        if bytes == 0 {
            return base;
        }
        if let Some(&Op::Offset { base: inner, bytes: first }) = self.out.body.def_op(base) {
            return match first.wrapping_add(bytes) {
                0 => inner,
                bytes => self.emit(Op::Offset { base: inner, bytes }, Type::Ptr),
            };
        }
        match self.out.body.constant(base) {
            Some(&Const::Global { global, offset }) => {
                self.out.constant(Type::Ptr, Const::Global { global, offset: offset.wrapping_add(bytes) })
            }
            Some(Const::Undef) => base,
            _ => self.emit(Op::Offset { base, bytes }, Type::Ptr),
        }
    }

    /// The signed number of an integer constant.
    fn signed(&self, value: ir::ValueId) -> Option<i64> {
        let bits = self.out.body.bits(value)?;
        match self.out.body.ty(value) {
            Type::Int(width @ 1..=64) => Some((bits << (64 - width)) as i64 >> (64 - width)),
            _ => None,
        }
    }

    /// The integer of an address.
    pub(super) fn address_number(&mut self, address: ir::ValueId, ty: Type) -> ir::ValueId {
        self.emit(Op::Convert { op: ConvertOp::PtrToInt, value: address }, ty)
    }
}
