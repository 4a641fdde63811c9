//! Plans: the loop-free graph of copies of blocks in which a function is evaluated.

pub(crate) mod scanning;
mod steered;
pub mod unroll;
