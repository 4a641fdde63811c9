//! Calls: summaries and models applied to the caller's state, and the functions behind pointers.

pub(crate) mod answers;
pub mod apply;
pub mod believed;
pub mod callbacks;
pub mod contents;
mod counted;
pub mod effects;
mod errno;
pub mod filled;
pub mod followed;
pub mod latent;
pub mod nodes;
pub mod null_arguments;
pub mod orders;
pub mod pointers;
pub mod released;
pub mod replaced;
pub mod resolve;
pub mod unknown;
pub mod untold;
pub mod vacated;
pub mod variable;
