//! The one vocabulary of what a function does to memory and resources.
//!
//! A [`Summary`] says what a caller can observe: it is a list of [`Outcome`]s, the distinct ways in which a
//! call can come back. An outcome says under which entry values it is possible, what the result is, which
//! fresh objects exist afterwards and what became of the objects the caller handed in. No outcome means
//! that the function does not return. Inferred summaries and library models are the same values, applied
//! by the same code.
//!
//! ```text
//! int open_log(struct log **out)      outcome: result == 0, *out = fresh heap
//!                                     outcome: result == -1
//! ```

pub mod annotation;
pub mod asked;
pub mod behaviour;
pub mod effect;
pub mod kind;
pub mod model;
pub mod path;
pub mod property;
pub mod witness;
pub mod words;

pub use effect::{
    Breach, CallAt, Completeness, Effect, Fresh, KeepReason, Latent, Outcome, Piece, PieceOf, Relation, Span,
    Summary, Test, Value, Way, When,
};
pub use kind::{Kind, KindId, Kinds};
pub use path::{Path, Root, Step};
pub use witness::{Claim, Given, Got, Witness};
