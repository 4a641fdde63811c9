//! Calls: summaries and models applied to the caller's state, and the functions behind pointers.

pub mod apply;
pub mod awaited;
pub mod believed;
pub mod callbacks;
pub mod callers;
pub mod effects;
pub mod endings;
pub mod fields;
pub mod filled;
pub mod null_arguments;
pub mod orders;
pub mod passed;
pub mod pointers;
pub mod released;
pub mod replaced;
pub mod resolve;
pub mod scanned;
pub mod shapes;
pub mod stored;
pub mod targets;
pub(crate) mod tested;
pub mod unknown;
pub mod untold;
pub mod vacated;
pub mod variable;
