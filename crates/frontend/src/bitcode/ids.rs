//! Typed 32-bit numbers of the things in an LLVM module.
//!
//! Each id is a plain index into one numbering that the bitcode format defines, so an id printed here
//! can be looked up in the output of `llvm-bcanalyzer`. Ids are stored as index + 1, which makes an
//! optional id four bytes wide as well.
//!
//! ```
//! use watertight_frontend::bitcode::ValueId;
//! let value = ValueId::new(7);
//! assert_eq!(value.index(), 7);
//! assert_eq!(size_of::<Option<ValueId>>(), 4);
//! ```

use std::fmt;
use std::marker::PhantomData;
use std::num::NonZeroU32;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident = $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(NonZeroU32);

        impl $name {
            /// The id of the thing at `index`. The largest `u32` is not an index; it is folded onto
            /// its neighbour, which no table of a readable module reaches.
            #[inline]
            pub const fn new(index: u32) -> Self {
                match NonZeroU32::new(index.saturating_add(1)) {
                    Some(number) => Self(number),
                    None => Self(NonZeroU32::MAX),
                }
            }

            /// The position of the thing in its numbering.
            #[inline]
            pub const fn index(self) -> usize {
                (self.0.get() - 1) as usize
            }

            /// The same position as the 32-bit number the format uses.
            #[inline]
            pub const fn number(self) -> u32 {
                self.0.get() - 1
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.number())
            }
        }
    )*};
}

ids! {
    /// A type of the module's type table.
    TypeId = "ty";
    /// A value: global values first, then module constants, then (per function) arguments, function
    /// constants and instruction results, in one numbering.
    ValueId = "v";
    /// A metadata string or node: those of the module first, then (per function) those of the function.
    MetadataId = "md";
    /// A global variable, as an index into [`Module::global_variables`](super::Module::global_variables).
    GlobalVariableId = "gv";
    /// A function, declared or defined, as an index into [`Module::functions`](super::Module::functions).
    FunctionId = "fn";
    /// An alias, as an index into [`Module::aliases`](super::Module::aliases).
    AliasId = "alias";
    /// An indirect function, as an index into [`Module::ifuncs`](super::Module::ifuncs).
    IfuncId = "ifunc";
    /// A basic block of one function.
    BlockId = "bb";
    /// An instruction of one function, in layout order; every instruction has one, with or without a result.
    InstructionId = "i";
    /// A list of attributes on a function or a call: see [`Module::attributes`](super::Module::attributes).
    AttributeListId = "attr";
    /// A debug location of one function: see [`FunctionBody::location`](super::FunctionBody::location).
    LocationId = "loc";
}

/// A range of one of the pools of a [`FunctionBody`](super::FunctionBody). Operands of variable number
/// live in pools, so that an instruction needs no allocation of its own.
pub struct List<T> {
    pub(crate) start: u32,
    pub(crate) len: u32,
    marker: PhantomData<fn() -> T>,
}

impl<T> List<T> {
    /// The list of no elements.
    pub const EMPTY: Self = Self { start: 0, len: 0, marker: PhantomData };

    pub(crate) const fn new(start: u32, len: u32) -> Self {
        Self { start, len, marker: PhantomData }
    }

    /// The number of elements.
    pub const fn len(self) -> usize {
        self.len as usize
    }

    /// Whether there are no elements.
    pub const fn is_empty(self) -> bool {
        self.len == 0
    }
}

impl<T> Clone for List<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for List<T> {}

impl<T> PartialEq for List<T> {
    fn eq(&self, other: &Self) -> bool {
        (self.start, self.len) == (other.start, other.len)
    }
}

impl<T> Eq for List<T> {}

impl<T> fmt::Debug for List<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..+{}", self.start, self.len)
    }
}
