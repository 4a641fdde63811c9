//! Summaries: what callers can observe of an evaluated function, sorted into outcomes.

pub mod bits;
pub mod chains;
pub mod condense;
pub mod conditions;
pub mod infer;
pub mod observe;
pub mod outcome;
pub mod ranges;
pub mod sizes;
