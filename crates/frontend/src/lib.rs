//! From LLVM bitcode to the IR.
