//! Evaluation: values, memory and guards of all paths of a function at once.

pub mod access;
pub mod arith;
pub mod assertions;
pub mod closure;
pub mod contents;
pub mod copies;
pub mod elements;
pub mod enumerations;
pub mod eval;
pub mod memory;
pub mod state;
pub(crate) mod tail;
pub mod texts;
pub mod value;
