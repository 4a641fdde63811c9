//! Stories: what the solver confirms, told as a path.

pub mod annotations;
pub mod borrowed;
mod export;
pub mod inventions;
pub mod misuse;
mod names;
mod one_path;
pub mod outside;
mod repeats;
mod standard;
pub mod states;
mod telling;
pub mod together;
pub mod witness;
