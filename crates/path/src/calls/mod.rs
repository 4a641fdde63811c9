//! Calls: summaries and models applied to the caller's state, and the functions behind pointers.

pub mod apply;
pub mod awaited;
pub mod callbacks;
pub mod effects;
pub mod filled;
pub mod null_arguments;
pub mod pointers;
pub mod released;
pub mod replaced;
pub mod resolve;
pub mod shapes;
pub mod targets;
pub mod unknown;
pub mod untold;
pub mod vacated;
