//! The model language: what library functions do with memory and resources, written by hand.
//!
//! Input: text files, described in `docs/models.md`. Output: the same [`crate::Summary`] values that are
//! inferred for functions in sight, so that a model and an inferred summary are applied by the same code.
//! The language can say what a summary can say, except that it cannot name globals, and [`print`] writes
//! summaries back into it.
//!
//! ```text
//! kind file "stream" released by fclose
//!
//! malloc(size) -> fresh heap | null
//! fopen, fopen64(path, mode) -> fresh file | null
//! asprintf(out, format, ...) -> > 0, *out = fresh heap | -1, *out = any
//! realloc(old, size) {
//!     when size == 0 and old != null: -> null, releases old
//!     otherwise: -> fresh heap as new, copies old to new, releases old | null
//! }
//! ```

pub(crate) mod condition;
pub(crate) mod cursor;
pub(crate) mod error;
mod file;
pub(crate) mod lex;
mod library;
mod lists;
mod outcome;
mod parse;
mod print;
#[cfg(test)]
mod tests;
mod value;

pub use error::ModelError;
pub use file::{Model, ModelFile};
pub use library::{Models, Origin, PACKS, shipped, shipped_among, shipped_for};
pub use lists::Lists;
pub use parse::parse;
pub(crate) use print::returns_address;
pub use print::{Spelling, print};
