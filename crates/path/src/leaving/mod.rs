//! The ends of a function and of the process, and who answers for what is left then.

pub mod ends;
pub mod exits;
pub mod owners;
