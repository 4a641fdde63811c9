//! From LLVM bitcode to the IR. The only crate that knows LLVM.
//!
//! `bitcode` reads bytes into an LLVM-level module, `lower` turns it into a program of one unit, `ssa` turns
//! variables into values, `join` puts units together by the rules of C linkage.

pub mod bitcode;
pub mod join;
mod labels;
pub mod lower;
mod retain;
mod rivals;
pub mod ssa;
mod twins;
mod unused;
