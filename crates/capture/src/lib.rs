//! From a build to LLVM bitcode.
