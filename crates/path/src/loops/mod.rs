//! Loops: copies of blocks, what stands for any number of iterations, and what is lost while a loop goes on.

pub mod havoc;
pub mod iterations;
pub mod last_pass;
pub(crate) mod scanning;
mod steered;
pub mod unroll;
