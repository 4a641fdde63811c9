//! Bit-vector terms, guards and satisfiability.
pub mod budget;
pub mod cone;
pub mod eval;
pub mod guard;
pub mod print;
pub mod semantics;
mod simplify;
mod table;
pub mod term;
pub mod width;
