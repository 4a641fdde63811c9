//! Aggregates that occur as values: taken apart when stored, put together when loaded.

use super::body::Lowering;
use super::types::is_value;
use crate::bitcode::ValueId;
use watertight_ir::{self as ir, Access, Const, Op, Type};

impl Lowering<'_, '_> {
    pub(super) fn load(&mut self, addr: ir::ValueId, ty: Type, access: Access) -> ir::ValueId {
        let Type::Agg(id) = ty else { return self.emit(Op::Load { addr, access }, ty) };
        let parts = self.shared.types.aggregates[id].parts.clone();
        let values = parts.iter().map(|&(offset, part)| {
            let addr = self.at_offset(addr, offset);
            self.emit(Op::Load { addr, access }, part)
        });
        let parts = values.collect();
        self.emit(Op::Pack { parts }, ty)
    }

    pub(super) fn store(&mut self, addr: ir::ValueId, value: ir::ValueId, access: Access) {
        let Type::Agg(id) = self.out.body.ty(value) else {
            return self.effect(Op::Store { addr, value, access });
        };
        let parts = self.shared.types.aggregates[id].parts.clone();
        for (number, &(offset, ty)) in parts.iter().enumerate() {
            let part = self.part(value, number, ty);
            let addr = self.at_offset(addr, offset);
            self.effect(Op::Store { addr, value: part, access });
        }
    }

    fn at_offset(&mut self, base: ir::ValueId, offset: u64) -> ir::ValueId {
        match i64::try_from(offset) {
            Ok(0) | Err(_) => base,
            Ok(bytes) => self.emit(Op::Offset { base, bytes }, Type::Ptr),
        }
    }

    /// Part `number` of an aggregate value; no code where the parts are known.
    pub(super) fn part(&mut self, aggregate: ir::ValueId, number: usize, ty: Type) -> ir::ValueId {
        if let Some(Op::Pack { parts }) = self.out.body.def_op(aggregate)
            && let Some(&part) = parts.get(number)
        {
            return part;
        }
        match self.out.body.constant(aggregate) {
            Some(Const::Undef) => self.undef(ty),
            Some(Const::Zero) => self.zero(ty),
            _ => self.emit(Op::Extract { aggregate, part: number as u32 }, ty),
        }
    }

    /// The value whose bits are all zero.
    pub(super) fn zero(&mut self, ty: Type) -> ir::ValueId {
        let constant = match ty {
            Type::Agg(_) => Const::Zero,
            _ if !is_value(ty) => Const::Undef,
            Type::Int(bits) if bits > 64 => Const::Wide(vec![0; bits.div_ceil(64) as usize].into()),
            Type::Float(kind) if kind.bits() > 64 => Const::Wide(vec![0; 2].into()),
            _ => Const::Bits(0),
        };
        self.out.constant(ty, constant)
    }

    pub(super) fn extract_value(&mut self, aggregate: ValueId, path: &[u32], ty: Type) -> ir::ValueId {
        let (first, _) = self.shared.types.leaf_of(self.llvm.value_type(aggregate), path);
        let whole = self.value(aggregate);
        let Type::Agg(id) = ty else {
            return if let Type::Agg(_) = self.out.body.ty(whole) {
                self.part(whole, first, ty)
            } else {
                self.undef(ty)
            };
        };
        let parts = self.shared.types.aggregates[id].parts.clone();
        let values = parts
            .iter()
            .enumerate()
            .map(|(number, part)| self.part(whole, first.saturating_add(number), part.1));
        let parts = values.collect();
        self.emit(Op::Pack { parts }, ty)
    }

    pub(super) fn insert_value(
        &mut self,
        aggregate: ValueId,
        element: ValueId,
        path: &[u32],
        ty: Type,
    ) -> ir::ValueId {
        let (first, _) = self.shared.types.leaf_of(self.llvm.value_type(aggregate), path);
        let (whole, inserted) = (self.value(aggregate), self.value(element));
        let Type::Agg(id) = ty else { return self.undef(ty) };
        let inserted: Vec<ir::ValueId> = match self.out.body.ty(inserted) {
            Type::Agg(inner) => {
                let parts = self.shared.types.aggregates[inner].parts.clone();
                parts.iter().enumerate().map(|(number, part)| self.part(inserted, number, part.1)).collect()
            }
            _ => vec![inserted],
        };
        let parts = self.shared.types.aggregates[id].parts.clone();
        let mut values = Vec::with_capacity(parts.len());
        for (number, part) in parts.iter().enumerate() {
            let replaced = number.checked_sub(first).and_then(|index| inserted.get(index));
            values.push(match replaced {
                Some(&value) => value,
                None => self.part(whole, number, part.1),
            });
        }
        self.emit(Op::Pack { parts: values.into() }, ty)
    }
}
