//! What the source called things: files, positions, variables and C types.
//!
//! Debug information stays with the unit it came from, so that joining units copies nothing.
//! It never changes what an instruction means; it only serves names, places and prototypes.

use crate::ids::{DebugTypeId, FileId, NameId, PlaceId, Table, ValueId};
use crate::program::Names;

/// The debug information of one unit.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct DebugInfo {
    pub names: Names,
    /// Paths as the compiler saw them, joined with their directory when relative.
    pub files: Table<FileId, Box<str>>,
    pub types: Table<DebugTypeId, DebugType>,
}

/// A source position.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    pub file: FileId,
    /// Counted from 1; 0 when the compiler made the code up.
    pub line: u32,
    /// Counted from 1; 0 when unknown.
    pub column: u32,
    /// The name of the inlined function this code belongs to, if it was inlined.
    pub inlined_function: Option<NameId>,
    /// Where it was inlined.
    pub inlined_at: Option<PlaceId>,
}

/// A local variable or parameter of a body.
#[derive(Clone, PartialEq, Debug)]
pub struct Variable {
    pub name: NameId,
    pub ty: Option<DebugTypeId>,
    /// Its declaration.
    pub place: Option<PlaceId>,
    /// Its number among the parameters of the C prototype, counted from 0.
    pub parameter: Option<u32>,
    /// The address of the object that holds it, while it lives in memory.
    pub home: Option<ValueId>,
}

/// A C type as declared.
#[derive(Clone, PartialEq, Debug)]
pub enum DebugType {
    /// A type whose description the front end does not keep.
    Opaque,
    Base {
        name: NameId,
        bits: u64,
        encoding: Encoding,
    },
    /// Pointer; to `void` when `to` is absent.
    Pointer {
        to: Option<DebugTypeId>,
    },
    Qualified {
        qualifier: Qualifier,
        of: Option<DebugTypeId>,
    },
    Typedef {
        name: NameId,
        of: Option<DebugTypeId>,
    },
    Record(Record),
    Array {
        of: Option<DebugTypeId>,
        counts: Box<[Option<u64>]>,
    },
    Enum {
        name: Option<NameId>,
        bits: u64,
        values: Box<[(NameId, i64)]>,
    },
    /// `params` excludes the final `...`.
    Function {
        result: Option<DebugTypeId>,
        params: Box<[Option<DebugTypeId>]>,
        variadic: bool,
    },
}

/// A struct, union or class.
#[derive(Clone, PartialEq, Debug)]
pub struct Record {
    pub kind: RecordKind,
    pub name: Option<NameId>,
    pub bytes: u64,
    /// In declaration order. Empty for a declaration without definition.
    pub members: Box<[Member]>,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum RecordKind {
    Struct,
    Union,
    Class,
}

/// A member of a struct or union.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Member {
    /// Absent for anonymous structs and unions.
    pub name: Option<NameId>,
    pub offset_bits: u64,
    pub bits: u64,
    pub ty: Option<DebugTypeId>,
    pub bit_field: bool,
}

impl Member {
    /// Whether a byte of the struct or union lies in it, be it in part.
    pub fn covers(&self, byte: u64) -> bool {
        let end = self.offset_bits.saturating_add(self.bits).div_ceil(8);
        self.offset_bits / 8 <= byte && byte < end
    }
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Encoding {
    Signed,
    Unsigned,
    SignedChar,
    UnsignedChar,
    Boolean,
    Float,
    Other,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Qualifier {
    Const,
    Volatile,
    Restrict,
    Atomic,
}
