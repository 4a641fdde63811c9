//! The type table, and the look-ups that give instructions their result types.
//!
//! LLVM writes every type that any instruction has as its result into the table, so the type of a
//! result is found, never made. Only `void`, `i1` and `token` are added if a table lacks them.

use rustc_hash::FxHashMap;

use super::fields::{Fields, text};
use super::nesting::{Part, nesting};
use crate::bitcode::bitstream::{BlockInfo, BlockReader, Entry, Record};
use crate::bitcode::codes::types as code;
use crate::bitcode::fault::Fault;
use crate::bitcode::ids::TypeId;
use crate::bitcode::types::Type;

/// Deepest nesting of arrays and structs; keeps recursive walks over types safe.
const MAX_NESTING: u32 = 256;

/// Most parameters of a function; every body costs time for each of them.
const MAX_PARAMETERS: usize = 1 << 16;

/// Widest integer LLVM allows.
const MAX_INTEGER_BITS: u64 = 1 << 23;

/// Finds types by their shape.
#[derive(Debug)]
pub(crate) struct TypeIndex {
    pub(crate) void: TypeId,
    pub(crate) bit: TypeId,
    pub(crate) token: TypeId,
    pointers: FxHashMap<(Option<TypeId>, u32), TypeId>,
    vectors: FxHashMap<(TypeId, u64, bool), TypeId>,
    /// `{ T, i1 }` by `T`.
    exchange_results: FxHashMap<TypeId, TypeId>,
}

impl TypeIndex {
    /// The pointer type to `pointee`; where pointers are opaque that is the one of the address space.
    pub(crate) fn pointer(&self, pointee: TypeId, address_space: u32) -> Result<TypeId, Fault> {
        self.pointers
            .get(&(Some(pointee), address_space))
            .or_else(|| self.pointers.get(&(None, address_space)))
            .copied()
            .ok_or(Fault::MissingType)
    }

    pub(crate) fn vector(&self, element: TypeId, count: u64, scalable: bool) -> Result<TypeId, Fault> {
        self.vectors.get(&(element, count, scalable)).copied().ok_or(Fault::MissingType)
    }

    pub(crate) fn exchange_result(&self, value: TypeId) -> Result<TypeId, Fault> {
        self.exchange_results.get(&value).copied().ok_or(Fault::MissingType)
    }

    /// Builds the index, after adding the types every function may need.
    pub(crate) fn build(types: &mut Vec<Type>) -> Self {
        let void = find_or_add(types, Type::Void);
        let bit = find_or_add(types, Type::Integer { bits: 1 });
        let token = find_or_add(types, Type::Token);
        let mut index = Self {
            void,
            bit,
            token,
            pointers: FxHashMap::default(),
            vectors: FxHashMap::default(),
            exchange_results: FxHashMap::default(),
        };
        for (number, ty) in types.iter().enumerate() {
            let id = TypeId::new(number as u32);
            match ty {
                Type::Pointer { address_space, pointee } => {
                    index.pointers.entry((*pointee, *address_space)).or_insert(id);
                }
                Type::Vector { element, count, scalable } => {
                    index.vectors.entry((*element, *count, *scalable)).or_insert(id);
                }
                Type::Struct { name: None, packed: false, fields } => {
                    if let [value, flag] = **fields
                        && flag == bit
                    {
                        index.exchange_results.entry(value).or_insert(id);
                    }
                }
                _ => {}
            }
        }
        index
    }
}

fn find_or_add(types: &mut Vec<Type>, wanted: Type) -> TypeId {
    let found = types.iter().position(|ty| *ty == wanted).unwrap_or_else(|| {
        types.push(wanted);
        types.len() - 1
    });
    TypeId::new(found as u32)
}

/// Reads a `TYPE` block.
pub(crate) fn read_types<'a>(
    block: &mut BlockReader<'a>,
    info: &BlockInfo,
    record: &mut Record<'a>,
    types: &mut Vec<Type>,
) -> Result<(), Fault> {
    if !types.is_empty() {
        return Err(Fault::TooMany);
    }
    let limit = block.remaining_bytes() + 16;
    let mut name = None;
    loop {
        match block.next(info, record)? {
            Entry::End => break,
            Entry::Block(_) => continue,
            Entry::Record => {}
        }
        if record.code == code::STRUCT_NAME {
            name = Some(text(&record.fields));
            continue;
        }
        if record.code == code::COUNT {
            continue;
        }
        types.push(read_type(record.code, Fields::new(&record.fields), &mut name)?);
        if types.len() as u64 > limit {
            return Err(Fault::TooMany);
        }
    }
    check(types)
}

fn read_type(number: u32, mut fields: Fields<'_>, name: &mut Option<Box<str>>) -> Result<Type, Fault> {
    let ty = match number {
        code::VOID => Type::Void,
        code::HALF => Type::Half,
        code::BFLOAT => Type::BFloat,
        code::FLOAT => Type::Float,
        code::DOUBLE => Type::Double,
        code::X86_FP80 => Type::X86Fp80,
        code::FP128 => Type::Fp128,
        code::PPC_FP128 => Type::PpcFp128,
        code::LABEL => Type::Label,
        code::METADATA => Type::Metadata,
        code::X86_MMX => Type::X86Mmx,
        code::X86_AMX => Type::X86Amx,
        code::TOKEN => Type::Token,
        code::INTEGER => {
            let bits = fields.take()?;
            if bits == 0 || bits > MAX_INTEGER_BITS {
                return Err(Fault::BadNumber);
            }
            Type::Integer { bits: bits as u32 }
        }
        code::POINTER => {
            let pointee = Some(fields.type_id()?);
            let address_space = if fields.is_empty() { 0 } else { fields.take32()? };
            Type::Pointer { address_space, pointee }
        }
        code::OPAQUE_POINTER => Type::Pointer { address_space: fields.take32()?, pointee: None },
        code::FUNCTION => {
            let varargs = fields.flag()?;
            let result = fields.type_id()?;
            if fields.len() > MAX_PARAMETERS {
                return Err(Fault::TooMany);
            }
            Type::Function { result, parameters: type_ids(fields)?, varargs }
        }
        code::STRUCT_ANONYMOUS => {
            let packed = fields.flag()?;
            Type::Struct { name: None, packed, fields: type_ids(fields)? }
        }
        code::STRUCT_NAMED => {
            let packed = fields.flag()?;
            // A struct may have an identity of its own and yet no name; the empty name keeps it apart.
            Type::Struct { name: Some(name.take().unwrap_or_default()), packed, fields: type_ids(fields)? }
        }
        code::OPAQUE => Type::Opaque { name: name.take().unwrap_or_default() },
        code::ARRAY => {
            let count = fields.take()?;
            Type::Array { element: fields.type_id()?, count }
        }
        code::VECTOR => {
            let count = fields.take()?;
            if count == 0 {
                return Err(Fault::BadNumber);
            }
            let element = fields.type_id()?;
            Type::Vector { element, count, scalable: fields.optional().is_some_and(|flag| flag != 0) }
        }
        code::TARGET_EXTENSION => {
            let count = fields.take()?;
            let types = type_ids(Fields::new(fields.slice(count)?))?;
            let integers = fields.rest().iter().map(|&number| number as u32).collect();
            Type::TargetExtension { name: name.take().unwrap_or_default(), types, integers }
        }
        code::FUNCTION_OLD => return Err(Fault::OldRecord),
        other => return Err(Fault::UnknownRecord(other)),
    };
    Ok(ty)
}

fn type_ids(fields: Fields<'_>) -> Result<Box<[TypeId]>, Fault> {
    fields.rest().iter().map(|&number| super::fields::type_id(number)).collect()
}

/// All references exist, and no type contains itself except through a pointer or a function.
fn check(types: &[Type]) -> Result<(), Fault> {
    let in_range = |id: &TypeId| id.index() < types.len();
    for ty in types {
        let right = match ty {
            Type::Pointer { pointee, .. } => pointee.as_ref().is_none_or(in_range),
            Type::Array { element, .. } | Type::Vector { element, .. } => in_range(element),
            Type::Struct { fields, .. } => fields.iter().all(in_range),
            Type::Function { result, parameters, .. } => in_range(result) && parameters.iter().all(in_range),
            Type::TargetExtension { types: inner, .. } => inner.iter().all(in_range),
            _ => true,
        };
        if !right {
            return Err(Fault::BadType);
        }
    }
    nesting(types.len(), MAX_NESTING, |index, position| {
        Ok(parts(&types[index]).get(position).map(|part| Part::Inner(part.index())))
    })
    .map_err(|fault| fault.unwrap_or(Fault::CyclicType))
}

fn parts(ty: &Type) -> &[TypeId] {
    match ty {
        Type::Array { element, .. } | Type::Vector { element, .. } => std::slice::from_ref(element),
        Type::Struct { fields, .. } => fields,
        _ => &[],
    }
}
