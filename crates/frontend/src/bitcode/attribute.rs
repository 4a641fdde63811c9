//! Attributes of functions, results, parameters and calls.
//!
//! A function or a call names one attribute list; a list holds groups, each for the function, the result
//! or one parameter. Attributes the analyses use have a name in [`AttributeKind`], all others keep
//! LLVM's number.

use super::ids::TypeId;

/// One attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum Attribute<'a> {
    /// A mere mark, such as `noreturn`.
    Flag(AttributeKind),
    /// A mark with a number, such as `align` or `dereferenceable`.
    Integer(AttributeKind, u64),
    /// A mark with a type, such as `byval`.
    Type(AttributeKind, Option<TypeId>),
    /// A mark with one or several ranges of integers, such as `range`; the bounds are not kept.
    Range(AttributeKind),
    /// Free text, such as `"alloc-family"="malloc"`.
    Text { key: &'a str, value: &'a str },
}

impl Attribute<'_> {
    /// The kind; text has none.
    pub fn kind(&self) -> Option<AttributeKind> {
        match *self {
            Attribute::Flag(kind)
            | Attribute::Integer(kind, _)
            | Attribute::Type(kind, _)
            | Attribute::Range(kind) => Some(kind),
            Attribute::Text { .. } => None,
        }
    }
}

/// What an attribute belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AttributePlace {
    Function,
    Result,
    /// Counted from 0.
    Parameter(u32),
}

macro_rules! kinds {
    ($($name:ident = $number:literal,)*) => {
        /// The kind of an attribute.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum AttributeKind {
            $($name,)*
            /// Any other, by LLVM's number.
            Other(u32),
        }

        impl AttributeKind {
            pub(crate) fn from_number(number: u64) -> Self {
                match number {
                    $($number => AttributeKind::$name,)*
                    other => AttributeKind::Other(u32::try_from(other).unwrap_or(u32::MAX)),
                }
            }

            /// LLVM's number of the kind.
            pub fn number(self) -> u32 {
                match self {
                    $(AttributeKind::$name => $number,)*
                    AttributeKind::Other(number) => number,
                }
            }
        }
    };
}

kinds! {
    Align = 1,
    AlwaysInline = 2,
    ByVal = 3,
    InReg = 5,
    Naked = 7,
    Nest = 8,
    NoAlias = 9,
    NoBuiltin = 10,
    NoCapture = 11,
    NoInline = 14,
    NoReturn = 17,
    NoUnwind = 18,
    ReadNone = 20,
    ReadOnly = 21,
    Returned = 22,
    ReturnsTwice = 23,
    SignExtend = 24,
    StructReturn = 29,
    ZeroExtend = 34,
    Builtin = 35,
    Cold = 36,
    OptimizeNone = 37,
    InAlloca = 38,
    NonNull = 39,
    Dereferenceable = 41,
    DereferenceableOrNull = 42,
    ArgumentMemoryOnly = 45,
    InaccessibleMemoryOnly = 49,
    InaccessibleOrArgumentMemoryOnly = 50,
    AllocSize = 51,
    WriteOnly = 52,
    ImmediateArgument = 60,
    WillReturn = 61,
    NoFree = 62,
    Preallocated = 65,
    NullPointerIsValid = 67,
    NoUndef = 68,
    ByRef = 69,
    ElementType = 77,
    AllocAlign = 80,
    AllocatedPointer = 81,
    AllocKind = 82,
    Memory = 86,
    Range = 92,
    Captures = 102,
}

/// The argument positions of `allocsize`, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AllocSize {
    pub element_size: u32,
    pub count: Option<u32>,
}

impl AllocSize {
    /// Unpacks the number of an [`AttributeKind::AllocSize`] attribute.
    pub fn unpack(number: u64) -> Self {
        let count = number as u32;
        Self { element_size: (number >> 32) as u32, count: (count != u32::MAX).then_some(count) }
    }
}

/// The bits of an [`AttributeKind::AllocKind`] attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AllocKind(pub u64);

impl AllocKind {
    pub fn allocates(self) -> bool {
        self.0 & 1 != 0
    }
    pub fn releases(self) -> bool {
        self.0 & 4 != 0
    }
    pub fn zeroed(self) -> bool {
        self.0 & 16 != 0
    }
    pub fn aligned(self) -> bool {
        self.0 & 32 != 0
    }
}

/// What a function may do to one kind of memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryEffect {
    pub reads: bool,
    pub writes: bool,
}

/// The number of an [`AttributeKind::Memory`] attribute (LLVM 16 on). Earlier versions say the same with
/// `ReadNone`, `ReadOnly`, `WriteOnly`, `ArgumentMemoryOnly` and their like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryEffects {
    /// Memory its arguments point to.
    pub arguments: MemoryEffect,
    /// Memory that no caller can see, such as the state of an allocator.
    pub inaccessible: MemoryEffect,
    pub errno: MemoryEffect,
    /// All other memory.
    pub other: MemoryEffect,
}

impl MemoryEffects {
    /// Unpacks the number; since LLVM 21 it carries a version, and `errno` is told apart.
    pub fn unpack(number: u64) -> Self {
        let effect = |position: u32| {
            let bits = number >> (2 * position);
            MemoryEffect { reads: bits & 1 != 0, writes: bits & 2 != 0 }
        };
        let other = if number >> 56 == 0 { 2 } else { 3 };
        Self { arguments: effect(0), inaccessible: effect(1), errno: effect(2), other: effect(other) }
    }
}
