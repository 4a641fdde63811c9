//! Stories: what the solver confirms, told as a path.

pub mod annotations;
pub mod inventions;
pub mod misuse;
mod names;
pub mod outside;
pub mod states;
mod telling;
pub mod together;
pub mod witness;
