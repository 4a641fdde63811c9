//! Whose turn it is: the order of functions, and what one turn is.

pub mod analyse;
mod board;
pub mod context;
pub mod costs;
mod epochs;
mod induction;
mod order;
mod parallel;
pub mod recursion;
pub(crate) mod returning;
pub mod schedule;
mod wanted;
