//! Prints constants and other values.

use watertight_frontend::bitcode::{Constant, ConstantExpression, InRange, Type, TypeId, Value, ValueId};

use crate::slots::escape;
use crate::{BodyDump, Dump};

/// Looks values up, in a module or in a function.
pub(crate) trait Scope {
    fn dump(&self) -> &Dump<'_>;
    fn type_of(&self, id: ValueId) -> TypeId;
    fn get(&self, id: ValueId) -> Value<'_>;
    fn local(&self, id: ValueId) -> String;
    fn block_of(&self, function: ValueId, block: watertight_frontend::bitcode::BlockId) -> String;
}

impl Scope for Dump<'_> {
    fn dump(&self) -> &Dump<'_> {
        self
    }
    fn type_of(&self, id: ValueId) -> TypeId {
        self.module.value_type(id).expect("module values have types")
    }
    fn get(&self, id: ValueId) -> Value<'_> {
        self.module.value(id).expect("constants refer to module values")
    }
    fn local(&self, id: ValueId) -> String {
        format!("local {id:?}")
    }
    fn block_of(&self, _function: ValueId, block: watertight_frontend::bitcode::BlockId) -> String {
        format!("%{block:?}")
    }
}

impl Scope for BodyDump<'_> {
    fn dump(&self) -> &Dump<'_> {
        self.dump
    }
    fn type_of(&self, id: ValueId) -> TypeId {
        self.body.value_type(id)
    }
    fn get(&self, id: ValueId) -> Value<'_> {
        self.body.value(id)
    }
    fn local(&self, id: ValueId) -> String {
        self.slots.value(id).to_owned()
    }
    fn block_of(&self, _function: ValueId, block: watertight_frontend::bitcode::BlockId) -> String {
        format!("%{block:?}")
    }
}

pub(crate) fn module_value(dump: &Dump<'_>, id: ValueId) -> String {
    value(dump, id)
}

/// The value with its type in front.
pub(crate) fn typed(scope: &impl Scope, id: ValueId) -> String {
    format!("{} {}", scope.dump().ty(scope.type_of(id)), value(scope, id))
}

/// The value alone.
pub(crate) fn value(scope: &impl Scope, id: ValueId) -> String {
    match scope.get(id) {
        Value::GlobalVariable(_) | Value::Function(_) | Value::Alias(_) | Value::Ifunc(_) => {
            scope.dump().names.global(id).to_owned()
        }
        Value::Argument(_) | Value::Instruction(_) => scope.local(id),
        Value::Constant(constant) => print(scope, constant, scope.type_of(id)),
    }
}

fn print(scope: &impl Scope, constant: &Constant, ty: TypeId) -> String {
    let module = scope.dump().module;
    match constant {
        Constant::Null => match module.ty(ty) {
            Type::Pointer { .. } => "null".into(),
            Type::Token => "none".into(),
            _ => "zeroinitializer".into(),
        },
        Constant::Undef => "undef".into(),
        Constant::Poison => "poison".into(),
        Constant::Integer(number) => match module.ty(ty) {
            Type::Integer { bits: 1 } => if *number == 0 { "false" } else { "true" }.into(),
            Type::Vector { element, .. } => format!("splat ({} {number})", scope.dump().ty(*element)),
            _ => number.to_string(),
        },
        Constant::WideInteger(words) => wide(words, module.ty(ty)),
        Constant::Float(bits) => float(*bits, module.ty(ty)),
        Constant::WideFloat(bits) => match module.ty(ty) {
            Type::X86Fp80 => format!("0xK{bits:020X}"),
            Type::Fp128 => format!("0xL{:016X}{:016X}", *bits as u64, bits >> 64),
            _ => format!("0xM{:016X}{:016X}", *bits as u64, bits >> 64),
        },
        Constant::Data(bytes) => data(scope, bytes, ty),
        Constant::Aggregate(elements) => {
            let inner: Vec<_> = elements.iter().map(|&element| typed(scope, element)).collect();
            let inner = inner.join(", ");
            match module.ty(ty) {
                Type::Array { .. } => format!("[{inner}]"),
                Type::Vector { .. } => format!("<{inner}>"),
                Type::Struct { packed: true, .. } => format!("<{{ {inner} }}>"),
                _ => format!("{{ {inner} }}"),
            }
        }
        Constant::Expression(expression) => print_expression(scope, expression, ty),
        Constant::BlockAddress { function, block } => {
            format!("blockaddress({}, {})", value(scope, *function), scope.block_of(*function, *block))
        }
        Constant::DsoLocalEquivalent(inner) => format!("dso_local_equivalent {}", value(scope, *inner)),
        Constant::NoCfi(inner) => format!("no_cfi {}", value(scope, *inner)),
        Constant::PointerAuthentication(parts) => {
            format!("ptrauth ({}, {})", typed(scope, parts.pointer), typed(scope, parts.key))
        }
        Constant::InlineAssembly(assembly) => {
            let mut flags = String::new();
            for (set, name) in [
                (assembly.side_effects, "sideeffect "),
                (assembly.align_stack, "alignstack "),
                (assembly.intel_dialect, "inteldialect "),
                (assembly.can_unwind, "unwind "),
            ] {
                flags.push_str(if set { name } else { "" });
            }
            format!("asm {flags}\"{}\", \"{}\"", escape(&assembly.template), escape(&assembly.constraints))
        }
    }
}

fn wide(words: &[u64], ty: &Type) -> String {
    let [low, high] = *words else { return format!("{words:x?}") };
    let value = u128::from(low) | u128::from(high) << 64;
    match ty {
        Type::Integer { bits: bits @ 65..=128 } => {
            let unused = 128 - bits;
            (((value << unused) as i128) >> unused).to_string()
        }
        _ => format!("{words:x?}"),
    }
}

fn float(bits: u64, ty: &Type) -> String {
    match ty {
        Type::Half => format!("0xH{bits:04X}"),
        Type::BFloat => format!("0xR{bits:04X}"),
        Type::Float => format!("0x{:016X}", widen(bits as u32)),
        _ => format!("0x{bits:016X}"),
    }
}

/// The bits of a double of the same value, keeping the payload of a NaN.
fn widen(bits: u32) -> u64 {
    let value = f32::from_bits(bits);
    if value.is_nan() {
        let sign = u64::from(bits >> 31) << 63;
        return sign | 0x7ff << 52 | u64::from(bits & 0x7f_ffff) << 29;
    }
    f64::from(value).to_bits()
}

fn data(scope: &impl Scope, bytes: &[u8], ty: TypeId) -> String {
    let module = scope.dump().module;
    let (element, is_array) = match module.ty(ty) {
        Type::Array { element, .. } => (*element, true),
        Type::Vector { element, .. } => (*element, false),
        _ => unreachable!("data has array or vector type"),
    };
    let element_type = module.ty(element);
    if is_array && *element_type == (Type::Integer { bits: 8 }) {
        return format!("c\"{}\"", escape(bytes));
    }
    let size = match element_type {
        Type::Integer { bits } => *bits as usize / 8,
        other => other.float_bits().expect("data holds numbers") as usize / 8,
    };
    let name = scope.dump().ty(element);
    let inner: Vec<_> = bytes
        .chunks_exact(size)
        .map(|chunk| {
            let mut word = [0; 8];
            word[..size].copy_from_slice(chunk);
            let word = u64::from_le_bytes(word);
            match element_type {
                Type::Integer { bits } => {
                    let unused = 64 - bits;
                    format!("{name} {}", ((word << unused) as i64) >> unused)
                }
                other => format!("{name} {}", float(word, other)),
            }
        })
        .collect();
    let inner = inner.join(", ");
    if is_array { format!("[{inner}]") } else { format!("<{inner}>") }
}

fn print_expression(scope: &impl Scope, expression: &ConstantExpression, ty: TypeId) -> String {
    match expression {
        ConstantExpression::Cast { op, value, .. } => {
            format!("{} ({} to {})", op.name(), typed(scope, *value), scope.dump().ty(ty))
        }
        ConstantExpression::Binary { op, flags, left, right } => {
            let mut words = String::new();
            for (set, name) in
                [(flags.no_unsigned_wrap, " nuw"), (flags.no_signed_wrap, " nsw"), (flags.exact, " exact")]
            {
                words.push_str(if set { name } else { "" });
            }
            format!("{}{words} ({}, {})", op.name(), typed(scope, *left), typed(scope, *right))
        }
        ConstantExpression::Unary { value } => format!("fneg ({})", typed(scope, *value)),
        ConstantExpression::GetElementPointer { source_type, flags, in_range, base, indices } => {
            let mut words = crate::instructions::gep_flags(*flags);
            if let InRange::Bytes { lower, upper, .. } = in_range {
                words += &format!(" inrange({}, {})", lower[0] as i64, upper[0] as i64);
            }
            let mut inner = vec![scope.dump().ty(*source_type), typed(scope, *base)];
            for (position, &index) in indices.iter().enumerate() {
                let mark = match in_range {
                    InRange::Index(marked) if *marked as usize == position => "inrange ",
                    _ => "",
                };
                inner.push(format!("{mark}{}", typed(scope, index)));
            }
            format!("getelementptr{words} ({})", inner.join(", "))
        }
        ConstantExpression::Select { condition, if_true, if_false } => format!(
            "select ({}, {}, {})",
            typed(scope, *condition),
            typed(scope, *if_true),
            typed(scope, *if_false)
        ),
        ConstantExpression::ExtractElement { vector, index } => {
            format!("extractelement ({}, {})", typed(scope, *vector), typed(scope, *index))
        }
        ConstantExpression::InsertElement { vector, element, index } => format!(
            "insertelement ({}, {}, {})",
            typed(scope, *vector),
            typed(scope, *element),
            typed(scope, *index)
        ),
        ConstantExpression::ShuffleVector { left, right, mask } => format!(
            "shufflevector ({}, {}, {})",
            typed(scope, *left),
            typed(scope, *right),
            typed(scope, *mask)
        ),
        ConstantExpression::Compare { predicate, left, right, .. } => {
            let name = if predicate.is_float() { "fcmp" } else { "icmp" };
            let predicate = crate::instructions::predicate(*predicate);
            format!("{name} {predicate} ({}, {})", typed(scope, *left), typed(scope, *right))
        }
    }
}
