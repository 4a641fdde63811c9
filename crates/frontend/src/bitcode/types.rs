//! The types of an LLVM module.
//!
//! The type table of a module is a plain vector; types refer to each other by [`TypeId`]. LLVM keeps
//! structural types unique, so two ids of unnamed types are equal exactly when the types are.
//! Up to clang 14 pointers name what they point to; later ones do not. The reader normalises
//! instructions, so nothing after it needs a pointee.

use super::ids::TypeId;

/// One entry of the type table.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    Void,
    Half,
    BFloat,
    Float,
    Double,
    X86Fp80,
    Fp128,
    PpcFp128,
    Label,
    Metadata,
    Token,
    X86Mmx,
    X86Amx,
    Integer {
        bits: u32,
    },
    Pointer {
        address_space: u32,
        pointee: Option<TypeId>,
    },
    Array {
        element: TypeId,
        count: u64,
    },
    Vector {
        element: TypeId,
        count: u64,
        scalable: bool,
    },
    Struct {
        name: Option<Box<str>>,
        packed: bool,
        fields: Box<[TypeId]>,
    },
    /// A struct that is declared and never defined.
    Opaque {
        name: Box<str>,
    },
    Function {
        result: TypeId,
        parameters: Box<[TypeId]>,
        varargs: bool,
    },
    TargetExtension {
        name: Box<str>,
        types: Box<[TypeId]>,
        integers: Box<[u32]>,
    },
}

impl Type {
    /// Whether the type is one of the floating point kinds.
    pub fn is_float(&self) -> bool {
        self.float_bits().is_some()
    }

    /// The width in bits of a floating point type, without padding.
    pub fn float_bits(&self) -> Option<u32> {
        match self {
            Type::Half | Type::BFloat => Some(16),
            Type::Float => Some(32),
            Type::Double => Some(64),
            Type::X86Fp80 => Some(80),
            Type::Fp128 | Type::PpcFp128 => Some(128),
            _ => None,
        }
    }
}
