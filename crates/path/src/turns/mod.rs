//! Whose turn it is: the order of functions, and what one turn is.

pub mod analyse;
pub mod context;
pub mod costs;
mod parallel;
pub mod recursion;
mod returning;
pub mod schedule;
