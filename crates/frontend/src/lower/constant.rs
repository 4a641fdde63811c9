//! Constants as operands: most are values without code; an expression that is no address and no number
//! becomes code where it is used.

use super::body::Lowering;
use super::linear::{Linear, cut, fold};
use super::types::is_value;
use crate::bitcode::{Constant, ConstantExpression, Type as LlvmType, TypeId, Value, ValueId};
use watertight_ir::{self as ir, BinaryOp, Const, Op, Symbol, Type};

impl Lowering<'_, '_> {
    /// Our value for a constant, and whether it may be used elsewhere too (it needed no code here).
    pub(super) fn constant(&mut self, id: ValueId) -> (ir::ValueId, bool) {
        let ty = self.type_of(id);
        if !is_value(ty) || self.is_overgrown() {
            return (self.undef(ty), true);
        }
        let llvm = self.llvm;
        let constant = match llvm.value(id) {
            Value::Constant(constant) => constant,
            _ => return self.folded(id, ty),
        };
        match constant {
            Constant::Undef | Constant::Poison => (self.undef(ty), true),
            Constant::Null if ty != Type::Ptr => (self.zero(ty), true),
            Constant::Integer(value) => {
                let Type::Int(width) = ty else { return (self.undef(ty), true) };
                (self.wide(width, *value as u128), true)
            }
            Constant::WideInteger(words) => {
                // LLVM leaves out high words that are zero.
                let mut words = words.to_vec();
                words.resize((ty.bits(0) as usize).div_ceil(64), 0);
                (self.out.constant(ty, Const::Wide(words.into())), true)
            }
            Constant::Float(bits) => (self.out.constant(ty, Const::Bits(*bits)), true),
            Constant::WideFloat(bits) => {
                let words = vec![*bits as u64, (*bits >> 64) as u64];
                (self.out.constant(ty, Const::Wide(words.into())), true)
            }
            Constant::Data(data) => self.data(data, id, ty),
            Constant::Aggregate(elements) => self.elements(elements, id, ty),
            Constant::InlineAssembly(_) => (self.undef(ty), true),
            _ => self.folded(id, ty),
        }
    }

    fn folded(&mut self, id: ValueId, ty: Type) -> (ir::ValueId, bool) {
        let symbols = self.shared.symbols;
        match fold(self.llvm, symbols, id) {
            Some(linear) => self.linear(linear, ty),
            None => match self.llvm.constant(id) {
                Some(Constant::Expression(expression)) => {
                    let value = self.expression(expression, ty);
                    (value, false)
                }
                _ => (self.undef(ty), true),
            },
        }
    }

    /// A folded constant as a value.
    fn linear(&mut self, linear: Linear, ty: Type) -> (ir::ValueId, bool) {
        let pointer_bits = self.shared.types.layouts.data.pointer_bits;
        let Some(base) = linear.base else {
            if linear.minus.is_some() {
                return (self.undef(ty), true);
            }
            return match ty {
                Type::Ptr => {
                    let bits = cut(linear.addend, pointer_bits.into()) as u64;
                    (self.out.constant(ty, Const::Bits(bits)), true)
                }
                Type::Int(width) => (self.wide(width, linear.addend as u128), true),
                _ => (self.undef(ty), true),
            };
        };
        let addend = linear.addend as i64;
        let address = match base {
            Symbol::Global(global) => self.out.constant(Type::Ptr, Const::Global { global, offset: addend }),
            Symbol::Func(function) => {
                let start = self.out.constant(Type::Ptr, Const::Func(function));
                self.offset(start, addend)
            }
            Symbol::Label(function, block) => {
                let start = self.out.constant(Type::Ptr, Const::Label(function, block));
                self.offset(start, addend)
            }
        };
        let plain = matches!(base, Symbol::Global(_)) || addend == 0;
        if ty == Type::Ptr && linear.minus.is_none() {
            return (address, plain);
        }
        let number_type = if ty == Type::Ptr { Type::Int(pointer_bits) } else { ty };
        let mut number = self.address_number(address, number_type);
        if let Some(minus) = linear.minus {
            let constant = match minus {
                Symbol::Global(global) => Const::Global { global, offset: 0 },
                Symbol::Func(function) => Const::Func(function),
                Symbol::Label(function, block) => Const::Label(function, block),
            };
            let subtracted = self.out.constant(Type::Ptr, constant);
            let rhs = self.address_number(subtracted, number_type);
            number = self.emit(Op::Binary { op: BinaryOp::Sub, lhs: number, rhs }, number_type);
        }
        (number, false)
    }

    /// Code for an expression. Its operands nest no deeper than the reader allows.
    fn expression(&mut self, expression: &ConstantExpression, ty: Type) -> ir::ValueId {
        let value = match expression {
            ConstantExpression::Cast { op, value, source_type } => {
                let vector = self.shared.types.is_vector(*source_type);
                let operand = self.value(*value);
                let from = self.shared.types.convert(*source_type);
                self.cast(*op, operand, from, ty, vector)
            }
            ConstantExpression::Binary { op, left, right, .. } => {
                let vector = self.is_vector(*left);
                let (lhs, rhs) = (self.value(*left), self.value(*right));
                self.binary(*op, lhs, rhs, vector, ty)
            }
            ConstantExpression::Unary { value } => {
                let value = self.value(*value);
                Some(self.emit(Op::FloatNegate { value }, ty))
            }
            ConstantExpression::GetElementPointer { source_type, base, indices, .. } => {
                // The result type only tells vectors apart, and a constant base tells that too.
                let result_type = self.llvm.value_type(*base);
                Some(self.address(*source_type, *base, indices, result_type, ty))
            }
            ConstantExpression::Select { condition, if_true, if_false } => {
                let (cond, then, other) =
                    (self.value(*condition), self.value(*if_true), self.value(*if_false));
                Some(self.emit(Op::Select { cond, then, other }, ty))
            }
            ConstantExpression::Compare { predicate, left, right, operand_type } => {
                let vector = self.shared.types.is_vector(*operand_type);
                let (lhs, rhs) = (self.value(*left), self.value(*right));
                self.compare(*predicate, lhs, rhs, vector, ty)
            }
            ConstantExpression::ExtractElement { vector, index } => self.extract_element(*vector, *index, ty),
            ConstantExpression::InsertElement { vector, element, index } => {
                self.insert_element(*vector, *element, *index, ty)
            }
            ConstantExpression::ShuffleVector { left, right, mask } => {
                let args = vec![self.value(*left), self.value(*right), self.value(*mask)];
                self.unknown("shufflevector", args, ty)
            }
        };
        value.unwrap_or_else(|| self.undef(ty))
    }

    /// A string or table of numbers as a value: a vector's bits, or the parts of an aggregate.
    fn data(&mut self, data: &[u8], id: ValueId, ty: Type) -> (ir::ValueId, bool) {
        match ty {
            Type::Int(width) => {
                let words: Vec<u64> = data.chunks(8).map(little_endian).collect();
                if width <= 64 {
                    return (self.out.int(width, words.first().copied().unwrap_or(0)), true);
                }
                (self.out.constant(ty, Const::Wide(words.into())), true)
            }
            Type::Agg(aggregate) => {
                let parts = self.shared.types.aggregates[aggregate].parts.clone();
                let width = self.element_bytes(id).max(1);
                let mut values = Vec::with_capacity(parts.len());
                for (&(_, part), bytes) in parts.iter().zip(data.chunks(width)) {
                    values.push(self.out.constant(part, Const::Bits(little_endian(bytes))));
                }
                (self.emit(Op::Pack { parts: values.into() }, ty), false)
            }
            _ => (self.undef(ty), true),
        }
    }

    fn elements(&mut self, elements: &[ValueId], id: ValueId, ty: Type) -> (ir::ValueId, bool) {
        match ty {
            Type::Agg(_) => {
                let mut values = Vec::new();
                for &element in elements {
                    let value = self.value(element);
                    match self.out.body.ty(value) {
                        Type::Agg(inner) => {
                            let parts = self.shared.types.aggregates[inner].parts.clone();
                            for (number, part) in parts.iter().enumerate() {
                                values.push(self.part(value, number, part.1));
                            }
                        }
                        _ => values.push(value),
                    }
                }
                (self.emit(Op::Pack { parts: values.into() }, ty), false)
            }
            Type::Int(width) => (self.vector_constant(elements, id, width, ty), true),
            _ => (self.undef(ty), true),
        }
    }

    /// The bits of a vector whose elements are numbers; undefined if one is not.
    fn vector_constant(&mut self, elements: &[ValueId], id: ValueId, width: u32, ty: Type) -> ir::ValueId {
        let element_bits = match self.llvm.module.ty(self.llvm.value_type(id)) {
            LlvmType::Vector { element, .. } => self.shared.types.layouts.of(*element).bits,
            _ => 0,
        };
        let mut words = vec![0u64; (width as usize).div_ceil(64)];
        for (position, &element) in elements.iter().enumerate() {
            let bits = match self.llvm.constant(element) {
                Some(Constant::Integer(value)) => *value as u64,
                Some(Constant::Float(bits)) => *bits,
                Some(Constant::Null | Constant::Undef | Constant::Poison) => 0,
                _ => return self.undef(ty),
            };
            for bit in 0..element_bits.min(64) {
                let at = (position as u64).saturating_mul(element_bits).saturating_add(bit);
                if bits >> bit & 1 == 1
                    && let Some(word) = words.get_mut((at / 64) as usize)
                {
                    *word |= 1 << (at % 64);
                }
            }
        }
        if width <= 64 {
            return self.out.int(width, words.first().copied().unwrap_or(0));
        }
        self.out.constant(ty, Const::Wide(words.into()))
    }

    fn element_bytes(&self, id: ValueId) -> usize {
        let layouts = self.shared.types.layouts;
        let bytes_of = |element: TypeId| layouts.of(element).bits.div_ceil(8) as usize;
        match self.llvm.module.ty(self.llvm.value_type(id)) {
            LlvmType::Array { element, .. } | LlvmType::Vector { element, .. } => bytes_of(*element),
            _ => 1,
        }
    }
}

fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}
