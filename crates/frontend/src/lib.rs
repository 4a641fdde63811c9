//! From LLVM bitcode to the IR.

pub mod ssa;
