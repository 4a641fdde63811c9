//! The ends of a function and of the process: what escapes, what is lost, and who answers for what is left.

pub mod ends;
pub mod iterations;
pub mod lost;
pub mod owners;
pub mod replaced;
