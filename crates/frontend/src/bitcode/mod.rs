//! LLVM bitcode, read in pure Rust: bytes in, an LLVM-level [`Module`] out.
//!
//! The data types are the contract with the lowering: [`Module`] (globals, constants, metadata),
//! [`FunctionBody`] (blocks and instructions of one function), [`Type`], [`Constant`], [`Metadata`],
//! [`Attribute`]. `docs/bitcode.md` says what is read, what is skipped, and how LLVM versions differ.
//!
//! What must hold: hostile bytes give an [`Error`], never a panic, a hang or an allocation out of
//! proportion to the input; a record that matters and is not known is an error that names the LLVM version.

mod attribute;
mod bitstream;
mod body;
pub(crate) mod codes;
mod constant;
mod counts;
mod error;
mod fault;
mod ids;
mod instruction;
mod metadata;
mod module;
mod read;
mod types;
#[cfg(test)]
pub(crate) mod writer;

pub use attribute::*;
pub use body::{Block, DebugRecord, DebugRecordKind, DebugValue, FunctionBody};
pub use constant::{Constant, ConstantExpression, InRange, InlineAssembly, PointerAuthentication};
pub use counts::Counts;
pub use error::{Error, NEWEST_LLVM};
pub use ids::*;
pub use instruction::*;
pub use metadata::*;
pub use module::{
    Alias, Function, GlobalVariable, Linkage, Module, NamedMetadata, ThreadLocal, Value, Visibility,
};
pub use types::Type;
