//! Whose turn it is: the order of functions, and what one turn is.

pub mod analyse;
mod board;
pub(crate) mod epochs;
mod induction;
pub mod memory;
mod parallel;
pub mod recursion;
pub mod run;
mod wanted;
