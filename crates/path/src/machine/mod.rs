//! The machine: values, memory and guards of all paths of a function at once.

pub mod access;
pub mod arith;
pub(crate) mod ask;
pub mod assertions;
pub(crate) mod callers;
pub mod cells;
pub mod closure;
pub(crate) mod comes_back;
pub mod copies;
pub mod elements;
pub mod enumerations;
pub mod eval;
pub mod havoc;
pub mod journal;
pub mod last_pass;
pub(crate) mod left_out;
pub mod memory;
pub mod provenance;
pub(crate) mod ranges;
pub(crate) mod shares;
pub(crate) mod spending;
pub mod state;
pub(crate) mod tail;
pub mod texts;
pub(crate) mod threads;
pub mod value;
