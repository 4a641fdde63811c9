//! Summaries: what callers can observe of an evaluated function, sorted into outcomes.

pub mod bits;
pub mod chains;
pub mod condense;
pub mod conditions;
pub mod infer;
pub(crate) mod latent;
pub mod observe;
mod one_of_new;
pub mod outcome;
pub mod pieces;
pub mod ranges;
pub mod sizes;
