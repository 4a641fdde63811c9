//! Vectors are integers of their total width; an element is a run of bits.
//!
//! Element 0 stands in the lowest bits, as on little-endian machines.

use super::body::Lowering;
use super::types::is_value;
use crate::bitcode::{Type as LlvmType, ValueId};
use watertight_ir::{self as ir, BinaryOp, Const, ConvertOp, Op, Type};

impl Lowering<'_, '_> {
    pub(super) fn extract_element(
        &mut self,
        vector: ValueId,
        index: ValueId,
        ty: Type,
    ) -> Option<ir::ValueId> {
        let (whole, position) = (self.value(vector), self.value(index));
        let Some((shift, element_bits, width)) = self.element(vector, position) else {
            return self.unknown("extractelement", vec![whole, position], ty);
        };
        let amount = self.wide(width, u128::from(shift));
        let shifted = self.emit(Op::Binary { op: BinaryOp::LShr, lhs: whole, rhs: amount }, Type::Int(width));
        let bits = if element_bits == width {
            shifted
        } else {
            self.emit(Op::Convert { op: ConvertOp::Truncate, value: shifted }, Type::Int(element_bits))
        };
        Some(self.bits_as(bits, ty))
    }

    pub(super) fn insert_element(
        &mut self,
        vector: ValueId,
        element: ValueId,
        index: ValueId,
        ty: Type,
    ) -> Option<ir::ValueId> {
        let (whole, inserted, position) = (self.value(vector), self.value(element), self.value(index));
        let known = self.element(vector, position);
        let Some((shift, element_bits, width)) = known.filter(|&(_, _, width)| width <= 128) else {
            return self.unknown("insertelement", vec![whole, inserted, position], ty);
        };
        let bits = self.as_bits(inserted, element_bits);
        let wide = if element_bits == width {
            bits
        } else {
            self.emit(Op::Convert { op: ConvertOp::ZeroExtend, value: bits }, Type::Int(width))
        };
        let amount = self.wide(width, u128::from(shift));
        let moved = self.emit(Op::Binary { op: BinaryOp::Shl, lhs: wide, rhs: amount }, ty);
        let ones = if element_bits >= 128 { u128::MAX } else { (1 << element_bits) - 1 };
        let mask = self.wide(width, !(ones << shift));
        let kept = self.emit(Op::Binary { op: BinaryOp::And, lhs: whole, rhs: mask }, ty);
        Some(self.emit(Op::Binary { op: BinaryOp::Or, lhs: kept, rhs: moved }, ty))
    }

    /// Bit position and width of an element at a constant position, and the width of the vector.
    fn element(&self, vector: ValueId, position: ir::ValueId) -> Option<(u32, u32, u32)> {
        let layouts = self.shared.types.layouts;
        let id = self.llvm.value_type(vector);
        let LlvmType::Vector { element, scalable: false, .. } = self.llvm.module.ty(id) else { return None };
        let element_bits = layouts.of(*element).bits;
        let shift = self.out.body.bits(position)?.checked_mul(element_bits)?;
        let width = layouts.of(id).bits;
        (element_bits > 0 && shift.checked_add(element_bits)? <= width).then_some((
            u32::try_from(shift).ok()?,
            u32::try_from(element_bits).ok()?,
            u32::try_from(width).ok()?,
        ))
    }

    /// An integer constant of any width.
    pub(super) fn wide(&mut self, width: u32, bits: u128) -> ir::ValueId {
        if width <= 64 {
            return self.out.int(width, bits as u64);
        }
        if !is_value(Type::Int(width)) {
            return self.undef(Type::Int(width));
        }
        let kept = if width < 128 { bits & ((1 << width) - 1) } else { bits };
        let mut words = vec![kept as u64, (kept >> 64) as u64];
        words.resize(width.div_ceil(64) as usize, 0);
        self.out.constant(Type::Int(width), Const::Wide(words.into()))
    }

    fn bits_as(&mut self, bits: ir::ValueId, ty: Type) -> ir::ValueId {
        match ty {
            Type::Int(_) => bits,
            Type::Ptr => self.emit(Op::Convert { op: ConvertOp::IntToPtr, value: bits }, ty),
            _ => self.emit(Op::Convert { op: ConvertOp::Reinterpret, value: bits }, ty),
        }
    }

    fn as_bits(&mut self, value: ir::ValueId, width: u32) -> ir::ValueId {
        match self.out.body.ty(value) {
            Type::Int(_) => value,
            Type::Ptr => self.emit(Op::Convert { op: ConvertOp::PtrToInt, value }, Type::Int(width)),
            _ => self.emit(Op::Convert { op: ConvertOp::Reinterpret, value }, Type::Int(width)),
        }
    }
}
