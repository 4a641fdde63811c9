//! Constants that are an address or a number: `symbol - symbol + number`.
//!
//! Almost every constant expression of C is of this form: the address of a field of a global, a cast of it,
//! a difference of labels. Folding it here means that neither bodies nor images need expressions.

use super::symbols::Symbols;
use crate::bitcode::{BinaryOp, CastOp, Constant, ConstantExpression, Type, TypeId, Value, ValueId};
use watertight_ir::Symbol;

/// `base - minus + addend`, as an integer or an address.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Linear {
    pub base: Option<Symbol>,
    pub minus: Option<Symbol>,
    pub addend: i128,
}

impl Linear {
    fn number(addend: i128) -> Linear {
        Linear { base: None, minus: None, addend }
    }
    fn symbol(base: Symbol) -> Linear {
        Linear { base: Some(base), minus: None, addend: 0 }
    }
    fn plus(self, bytes: i128) -> Linear {
        Linear { addend: self.addend.wrapping_add(bytes), ..self }
    }
}

/// Finds constants by number: those of the module and, inside a body, those of the function.
pub(super) trait Constants {
    fn value(&self, id: ValueId) -> Option<Value<'_>>;
    fn type_of(&self, id: ValueId) -> Option<TypeId>;
}

/// More steps than the expressions that people write need. Hostile bitcode can make an expression of a few
/// lines, each using the one before twice, that would take for ever.
pub(super) const MOST_STEPS: u32 = 512;

/// Folds a constant to linear form, if it has one. Nesting is bounded by the reader.
pub(super) fn fold(constants: &dyn Constants, symbols: &Symbols<'_>, id: ValueId) -> Option<Linear> {
    Folding { constants, symbols, steps: MOST_STEPS }.fold(id)
}

struct Folding<'c, 'm> {
    constants: &'c dyn Constants,
    symbols: &'c Symbols<'m>,
    /// How many more constants are looked at.
    steps: u32,
}

impl Folding<'_, '_> {
    fn fold(&mut self, id: ValueId) -> Option<Linear> {
        self.steps = self.steps.checked_sub(1)?;
        let (constants, symbols) = (self.constants, self.symbols);
        match constants.value(id)? {
            Value::GlobalVariable(global) => Some(Linear::symbol(Symbol::Global(symbols.global(global)))),
            Value::Function(function) => Some(Linear::symbol(Symbol::Func(symbols.function(function)?))),
            Value::Alias(alias) => {
                let (symbol, offset) = symbols.alias(alias)?;
                Some(Linear::symbol(symbol).plus(offset.into()))
            }
            Value::Ifunc(ifunc) => Some(Linear::symbol(Symbol::Func(symbols.ifunc(ifunc)))),
            Value::Constant(constant) => self.constant(constant, id),
            Value::Argument(_) | Value::Instruction(_) => None,
        }
    }

    fn constant(&mut self, constant: &Constant, id: ValueId) -> Option<Linear> {
        let (constants, symbols) = (self.constants, self.symbols);
        match constant {
            Constant::Null => match symbols.module.ty(constants.type_of(id)?) {
                Type::Pointer { .. } => Some(Linear::number(0)),
                _ => None,
            },
            Constant::Integer(value) => Some(Linear::number((*value).into())),
            Constant::WideInteger(words) if words.len() <= 2 => {
                let low = u128::from(words.first().copied().unwrap_or(0));
                let high = u128::from(words.get(1).copied().unwrap_or(0));
                Some(Linear::number((low | high << 64) as i128))
            }
            Constant::BlockAddress { function, block } => match constants.value(*function)? {
                Value::Function(function) => {
                    Some(Linear::symbol(symbols.label(symbols.function(function)?, *block)))
                }
                _ => None,
            },
            Constant::DsoLocalEquivalent(target) | Constant::NoCfi(target) => self.fold(*target),
            Constant::PointerAuthentication(signed) => self.fold(signed.pointer),
            Constant::Expression(expression) => self.expression(expression, id),
            _ => None,
        }
    }

    fn expression(&mut self, expression: &ConstantExpression, id: ValueId) -> Option<Linear> {
        let (constants, symbols) = (self.constants, self.symbols);
        let module = symbols.module;
        let bits_of = |id: TypeId| symbols.layouts.of(id).bits;
        match expression {
            ConstantExpression::Cast { op, value, source_type } => {
                let inner = self.fold(*value)?;
                let symbolic = inner.base.is_some() || inner.minus.is_some();
                let target_type = constants.type_of(id)?;
                let (from, to) = (bits_of(*source_type), bits_of(target_type));
                match op {
                    CastOp::BitCast | CastOp::AddrSpaceCast => {
                        let scalar =
                            |id| matches!(module.ty(id), Type::Pointer { .. } | Type::Integer { .. });
                        (scalar(*source_type) && scalar(target_type)).then_some(inner)
                    }
                    CastOp::PtrToInt | CastOp::IntToPtr | CastOp::PtrToAddr => {
                        if symbolic {
                            (to >= from.min(symbols.layouts.data.pointer_bits.into())).then_some(inner)
                        } else {
                            Some(Linear::number(cut(inner.addend, from.min(to))))
                        }
                    }
                    CastOp::Trunc if symbolic => inner.minus.is_some().then_some(inner),
                    CastOp::Trunc => Some(Linear::number(extend(inner.addend, to))),
                    CastOp::ZExt if !symbolic => Some(Linear::number(cut(inner.addend, from))),
                    CastOp::SExt if !symbolic => Some(Linear::number(extend(inner.addend, from))),
                    _ => None,
                }
            }
            ConstantExpression::Binary { op, left, right, .. } => {
                let left = self.fold(*left)?;
                let right = self.fold(*right)?;
                match op {
                    BinaryOp::Add if right.base.is_none() && right.minus.is_none() => {
                        Some(left.plus(right.addend))
                    }
                    BinaryOp::Add if left.base.is_none() && left.minus.is_none() => {
                        Some(right.plus(left.addend))
                    }
                    BinaryOp::Sub if right.minus.is_none() && left.minus.is_none() => {
                        let addend = left.addend.wrapping_sub(right.addend);
                        // The difference of addresses in one object is a number.
                        match (left.base, right.base) {
                            (Some(a), Some(b)) if a == b => Some(Linear::number(addend)),
                            (base, minus) => Some(Linear { base, minus, addend }),
                        }
                    }
                    _ => None,
                }
            }
            ConstantExpression::GetElementPointer { source_type, base, indices, .. } => {
                let start = self.fold(*base)?;
                let mut offset: i128 = 0;
                let mut ty = *source_type;
                for (position, &index) in indices.iter().enumerate() {
                    let index = self.fold(index)?;
                    if index.base.is_some() || index.minus.is_some() {
                        return None;
                    }
                    let index = index.addend;
                    if position == 0 {
                        offset =
                            offset.wrapping_add(index.wrapping_mul(symbols.layouts.of(ty).stride.into()));
                        continue;
                    }
                    match module.ty(ty) {
                        Type::Struct { fields, .. } => {
                            let field = usize::try_from(index).ok()?;
                            offset = offset.wrapping_add(symbols.layouts.field(ty, field).into());
                            ty = *fields.get(field)?;
                        }
                        Type::Array { element, .. } | Type::Vector { element, .. } => {
                            offset = offset
                                .wrapping_add(index.wrapping_mul(symbols.layouts.of(*element).stride.into()));
                            ty = *element;
                        }
                        _ => return None,
                    }
                }
                Some(start.plus(offset))
            }
            _ => None,
        }
    }
}

/// The low bits, as a non-negative number.
pub(super) fn cut(value: i128, bits: u64) -> i128 {
    if bits >= 128 { value } else { value & ((1u128 << bits) - 1) as i128 }
}

/// The low bits, as a signed number.
pub(super) fn extend(value: i128, bits: u64) -> i128 {
    if bits == 0 || bits >= 128 { value } else { value << (128 - bits) >> (128 - bits) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_cut_at_any_width() {
        for bits in [1, 8, 63, 64, 65, 126, 127] {
            assert_eq!(cut(-1, bits), ((1u128 << bits) - 1) as i128);
            assert_eq!(extend(-1, bits), -1);
        }
        assert_eq!(cut(-1, 128), -1);
        assert_eq!(cut(-1, 0), 0);
    }
}
