//! Reads `CONSTANTS` blocks, of the module and of functions.
//!
//! The block sets a current type and then lists constants of it. Operands are absolute value numbers and
//! may point forwards, so whether they exist, and that no constant contains itself, is checked once all
//! values are known: see [`check`].

use super::fields::{Fields, bytes, type_id};
use super::nesting::{Part, nesting};
use super::numbers::{binary_flags, binary_op, cast_op, gep_flags, predicate};
use crate::bitcode::bitstream::{BlockInfo, BlockReader, Entry, Record, unrotate};
use crate::bitcode::codes::constants as code;
use crate::bitcode::constant::{
    Constant, ConstantExpression, InRange, InlineAssembly, PointerAuthentication,
};
use crate::bitcode::fault::Fault;
use crate::bitcode::ids::{BlockId, TypeId, ValueId};
use crate::bitcode::types::Type;

/// Deepest nesting of constants; keeps recursive walks over them safe.
const MAX_NESTING: u32 = 256;

/// Reads a block and hands over its constants in the order of their numbers.
pub(crate) fn read_constants<'a>(
    block: &mut BlockReader<'a>,
    info: &BlockInfo,
    record: &mut Record<'a>,
    types: &[Type],
    mut sink: impl FnMut(TypeId, Constant),
) -> Result<(), Fault> {
    let limit = block.remaining_bytes() + 64;
    let mut count = 0;
    let mut current = None;
    loop {
        match block.next(info, record)? {
            Entry::End => return Ok(()),
            Entry::Block(_) => continue,
            Entry::Record => {}
        }
        if record.code == code::SET_TYPE {
            current = Some(known_type(Fields::new(&record.fields).take()?, types)?);
            continue;
        }
        count += 1;
        if count > limit {
            return Err(Fault::TooMany);
        }
        let ty = current.ok_or(Fault::BadType)?;
        sink(ty, read_constant(record, ty, types)?);
    }
}

fn known_type(number: u64, types: &[Type]) -> Result<TypeId, Fault> {
    let id = type_id(number)?;
    if id.index() < types.len() { Ok(id) } else { Err(Fault::BadType) }
}

fn read_constant(record: &Record<'_>, id: TypeId, types: &[Type]) -> Result<Constant, Fault> {
    let ty = &types[id.index()];
    let mut fields = Fields::new(&record.fields);
    let constant = match record.code {
        code::NULL => match ty {
            Type::Integer { bits } if *bits <= 64 => Constant::Integer(0),
            Type::Integer { bits } => Constant::WideInteger(vec![0; bits.div_ceil(64) as usize].into()),
            _ => match ty.float_bits() {
                Some(bits) if bits <= 64 => Constant::Float(0),
                Some(_) => Constant::WideFloat(0),
                None => Constant::Null,
            },
        },
        code::UNDEF => Constant::Undef,
        code::POISON => Constant::Poison,
        code::INTEGER => {
            let bits = integer_bits(ty, types)?;
            Constant::Integer(sign_extend(unrotate(fields.take()?), bits))
        }
        code::WIDE_INTEGER => {
            let words = (integer_bits(ty, types)?.div_ceil(64)) as usize;
            wide_integer(fields, words)?
        }
        code::FLOAT => float(fields, ty, types)?,
        code::AGGREGATE => Constant::Aggregate(values(fields.rest())?),
        code::STRING => Constant::Data(bytes(fields.rest())),
        code::C_STRING => {
            let mut text = bytes(fields.rest()).into_vec();
            text.push(0);
            Constant::Data(text.into())
        }
        code::DATA => data(fields, ty, types)?,
        code::CAST => {
            let op = cast_op(fields.take()?)?;
            let source_type = known_type(fields.take()?, types)?;
            let value = value(fields.take()?)?;
            expression(ConstantExpression::Cast { op, value, source_type })
        }
        code::BINARY => {
            let number = fields.take()?;
            let (left, right) = (value(fields.take()?)?, value(fields.take()?)?);
            let op = binary_op(number, scalar(ty, types).is_float())?;
            let flags = binary_flags(op, fields.optional().unwrap_or(0));
            expression(ConstantExpression::Binary { op, flags, left, right })
        }
        code::UNARY => {
            if fields.take()? != 0 {
                return Err(Fault::Unsupported("an unknown unary operation"));
            }
            expression(ConstantExpression::Unary { value: value(fields.take()?)? })
        }
        code::GEP_OLD
        | code::GEP_IN_BOUNDS_OLD
        | code::GEP_IN_RANGE_INDEX
        | code::GEP_IN_RANGE
        | code::GEP => address(record.code, fields, types)?,
        code::SELECT => {
            let condition = value(fields.take()?)?;
            let (if_true, if_false) = (value(fields.take()?)?, value(fields.take()?)?);
            expression(ConstantExpression::Select { condition, if_true, if_false })
        }
        code::EXTRACT_ELEMENT => {
            fields.take()?;
            let vector = value(fields.take()?)?;
            skip_index_type(&mut fields)?;
            expression(ConstantExpression::ExtractElement { vector, index: value(fields.take()?)? })
        }
        code::INSERT_ELEMENT => {
            let (vector, element) = (value(fields.take()?)?, value(fields.take()?)?);
            skip_index_type(&mut fields)?;
            expression(ConstantExpression::InsertElement { vector, element, index: value(fields.take()?)? })
        }
        code::SHUFFLE_VECTOR | code::SHUFFLE_VECTOR_EXTENDED => {
            if record.code == code::SHUFFLE_VECTOR_EXTENDED {
                fields.take()?;
            }
            let (left, right) = (value(fields.take()?)?, value(fields.take()?)?);
            expression(ConstantExpression::ShuffleVector { left, right, mask: value(fields.take()?)? })
        }
        code::COMPARE => {
            let operand_type = known_type(fields.take()?, types)?;
            let (left, right) = (value(fields.take()?)?, value(fields.take()?)?);
            let predicate = predicate(fields.take()?)?;
            expression(ConstantExpression::Compare { predicate, left, right, operand_type })
        }
        code::BLOCK_ADDRESS => {
            fields.take()?;
            let function = value(fields.take()?)?;
            Constant::BlockAddress { function, block: BlockId::new(fields.take32()?) }
        }
        code::DSO_LOCAL_EQUIVALENT => {
            fields.take()?;
            Constant::DsoLocalEquivalent(value(fields.take()?)?)
        }
        code::NO_CFI => {
            fields.take()?;
            Constant::NoCfi(value(fields.take()?)?)
        }
        code::POINTER_AUTHENTICATION | code::POINTER_AUTHENTICATION_2 => {
            let mut next = || value(fields.take()?);
            let (pointer, key, discriminator, address_discriminator) = (next()?, next()?, next()?, next()?);
            let deactivation = if record.code == code::POINTER_AUTHENTICATION { None } else { Some(next()?) };
            Constant::PointerAuthentication(Box::new(PointerAuthentication {
                pointer,
                key,
                discriminator,
                address_discriminator,
                deactivation,
            }))
        }
        code::INLINE_ASSEMBLY
        | code::INLINE_ASSEMBLY_OLD
        | code::INLINE_ASSEMBLY_OLD_2
        | code::INLINE_ASSEMBLY_OLD_3 => inline_assembly(record.code, fields, ty, types)?,
        other => return Err(Fault::UnknownRecord(other)),
    };
    Ok(constant)
}

fn expression(expression: ConstantExpression) -> Constant {
    Constant::Expression(Box::new(expression))
}

pub(crate) fn value(number: u64) -> Result<ValueId, Fault> {
    match u32::try_from(number) {
        Ok(number) if number != u32::MAX => Ok(ValueId::new(number)),
        _ => Err(Fault::BadValue),
    }
}

fn values(numbers: &[u64]) -> Result<Box<[ValueId]>, Fault> {
    numbers.iter().map(|&number| value(number)).collect()
}

/// Since LLVM 3.8 the index carries a type of its own.
fn skip_index_type(fields: &mut Fields<'_>) -> Result<(), Fault> {
    if fields.len() == 2 {
        fields.take()?;
    }
    Ok(())
}

/// The type of the elements of a vector, any other type itself.
fn scalar<'t>(ty: &'t Type, types: &'t [Type]) -> &'t Type {
    match ty {
        Type::Vector { element, .. } => &types[element.index()],
        other => other,
    }
}

/// The width of an integer; a constant of vector type stands for all elements alike.
fn integer_bits(ty: &Type, types: &[Type]) -> Result<u32, Fault> {
    match scalar(ty, types) {
        Type::Integer { bits } => Ok(*bits),
        _ => Err(Fault::BadType),
    }
}

pub(crate) fn sign_extend(value: i64, bits: u32) -> i64 {
    let unused = 64 - bits.clamp(1, 64);
    (value << unused) >> unused
}

fn wide_integer(fields: Fields<'_>, words: usize) -> Result<Constant, Fault> {
    let written = fields.rest();
    if written.is_empty() || written.len() > words {
        return Err(Fault::BadNumber);
    }
    // Only the words up to the highest one that is not zero are written.
    let mut value: Vec<u64> = written.iter().map(|&word| unrotate(word) as u64).collect();
    value.resize(words, 0);
    if words == 1 {
        return Ok(Constant::Integer(value[0] as i64));
    }
    Ok(Constant::WideInteger(value.into()))
}

fn float(mut fields: Fields<'_>, ty: &Type, types: &[Type]) -> Result<Constant, Fault> {
    let first = fields.take()?;
    match scalar(ty, types) {
        Type::Half | Type::BFloat | Type::Float | Type::Double => Ok(Constant::Float(first)),
        // The high 64 of the 80 bits are written first.
        Type::X86Fp80 => {
            Ok(Constant::WideFloat(u128::from(first) << 16 | u128::from(fields.take()? & 0xffff)))
        }
        Type::Fp128 | Type::PpcFp128 => {
            Ok(Constant::WideFloat(u128::from(first) | u128::from(fields.take()?) << 64))
        }
        _ => Err(Fault::BadType),
    }
}

fn data(fields: Fields<'_>, ty: &Type, types: &[Type]) -> Result<Constant, Fault> {
    let (Type::Array { element, .. } | Type::Vector { element, .. }) = ty else {
        return Err(Fault::BadType);
    };
    let size = match &types[element.index()] {
        Type::Integer { bits: bits @ (8 | 16 | 32 | 64) } => (*bits / 8) as usize,
        Type::Half | Type::BFloat => 2,
        Type::Float => 4,
        Type::Double => 8,
        _ => return Err(Fault::BadType),
    };
    let mut data = Vec::with_capacity(fields.len() * size);
    for element in fields.rest() {
        data.extend_from_slice(&element.to_le_bytes()[..size]);
    }
    Ok(Constant::Data(data.into()))
}

fn address(number: u32, mut fields: Fields<'_>, types: &[Type]) -> Result<Constant, Fault> {
    let old = matches!(number, code::GEP_OLD | code::GEP_IN_BOUNDS_OLD);
    if old && fields.len().is_multiple_of(2) {
        return Err(Fault::OldRecord);
    }
    let source_type = known_type(fields.take()?, types)?;
    let mut in_range = InRange::Anywhere;
    let flags = match number {
        code::GEP_OLD => 0,
        code::GEP_IN_BOUNDS_OLD => 1,
        code::GEP_IN_RANGE_INDEX => {
            let packed = fields.take()?;
            in_range = InRange::Index(u32::try_from(packed >> 1).map_err(|_| Fault::BadNumber)?);
            packed & 1
        }
        code::GEP_IN_RANGE => {
            let flags = fields.take()?;
            in_range = range(&mut fields)?;
            flags
        }
        _ => fields.take()?,
    };
    if fields.is_empty() || !fields.len().is_multiple_of(2) {
        return Err(Fault::ShortRecord);
    }
    // Each operand is written with its type, which is known anyway.
    let mut operands = fields.rest().chunks_exact(2).map(|pair| value(pair[1]));
    let base = operands.next().ok_or(Fault::ShortRecord)??;
    let indices = operands.collect::<Result<_, _>>()?;
    let flags = gep_flags(flags);
    Ok(expression(ConstantExpression::GetElementPointer { source_type, flags, in_range, base, indices }))
}

/// A range of integers with its width: `[bits, lower, upper]`, longer for wide integers.
fn range(fields: &mut Fields<'_>) -> Result<InRange, Fault> {
    let bits = fields.take32()?;
    let (lower, upper) = range_bounds(fields, bits)?;
    Ok(InRange::Bytes { bits, lower, upper })
}

type Words = Box<[u64]>;

/// The bounds of a range of integers of this width.
pub(crate) fn range_bounds(fields: &mut Fields<'_>, bits: u32) -> Result<(Words, Words), Fault> {
    let (lower_words, upper_words) = if bits > 64 {
        let packed = fields.take()?;
        (packed & u64::from(u32::MAX), packed >> 32)
    } else {
        (1, 1)
    };
    let mut words = |count| -> Result<Words, Fault> {
        Ok(fields.slice(count)?.iter().map(|&word| unrotate(word) as u64).collect())
    };
    Ok((words(lower_words)?, words(upper_words)?))
}

fn inline_assembly(
    number: u32,
    mut fields: Fields<'_>,
    ty: &Type,
    types: &[Type],
) -> Result<Constant, Fault> {
    let function_type = match (number, ty) {
        (code::INLINE_ASSEMBLY, _) => known_type(fields.take()?, types)?,
        // Earlier the type was that of the pointer, which named its pointee.
        (_, Type::Pointer { pointee: Some(pointee), .. }) => *pointee,
        _ => return Err(Fault::BadType),
    };
    if !matches!(types[function_type.index()], Type::Function { .. }) {
        return Err(Fault::BadType);
    }
    let flags = fields.take()?;
    let template_length = fields.take()?;
    let template = bytes(fields.slice(template_length)?);
    let constraints_length = fields.take()?;
    let constraints = bytes(fields.slice(constraints_length)?);
    Ok(Constant::InlineAssembly(Box::new(InlineAssembly {
        function_type,
        template,
        constraints,
        side_effects: flags & 1 != 0,
        align_stack: flags & 2 != 0,
        intel_dialect: flags & 4 != 0,
        can_unwind: flags & 8 != 0,
    })))
}

/// All operands exist and no constant contains itself. `resolve` says what a number stands for.
pub(crate) fn check(
    constants: &[Constant],
    resolve: impl Fn(ValueId) -> Result<Part, Fault>,
) -> Result<(), Fault> {
    let part = |index: usize, position| operand(&constants[index], position).map(&resolve).transpose();
    nesting(constants.len(), MAX_NESTING, part).map_err(|fault| fault.unwrap_or(Fault::CyclicConstant))
}

/// The operand at a position, `None` after the last one.
fn operand(constant: &Constant, position: usize) -> Option<ValueId> {
    let pick = |operands: &[ValueId]| operands.get(position).copied();
    match constant {
        Constant::Aggregate(elements) => pick(elements),
        Constant::BlockAddress { function: value, .. }
        | Constant::DsoLocalEquivalent(value)
        | Constant::NoCfi(value) => pick(&[*value]),
        Constant::PointerAuthentication(parts) => {
            let first = [parts.pointer, parts.key, parts.discriminator, parts.address_discriminator];
            pick(&first).or_else(|| parts.deactivation.filter(|_| position == first.len()))
        }
        Constant::Expression(expression) => match &**expression {
            ConstantExpression::Cast { value, .. } | ConstantExpression::Unary { value } => pick(&[*value]),
            ConstantExpression::Binary { left, right, .. }
            | ConstantExpression::Compare { left, right, .. }
            | ConstantExpression::ExtractElement { vector: left, index: right } => pick(&[*left, *right]),
            ConstantExpression::GetElementPointer { base, indices, .. } => match position {
                0 => Some(*base),
                _ => indices.get(position - 1).copied(),
            },
            ConstantExpression::Select { condition: a, if_true: b, if_false: c }
            | ConstantExpression::InsertElement { vector: a, element: b, index: c }
            | ConstantExpression::ShuffleVector { left: a, right: b, mask: c } => pick(&[*a, *b, *c]),
        },
        Constant::Null
        | Constant::Undef
        | Constant::Poison
        | Constant::Integer(_)
        | Constant::WideInteger(_)
        | Constant::Float(_)
        | Constant::WideFloat(_)
        | Constant::Data(_)
        | Constant::InlineAssembly(_) => None,
    }
}
