//! What the whole program says, found before any function is evaluated: who calls whom and passes what, what variables and
//! fields ever hold, which functions pointers lead to, and what never comes back.

pub(crate) mod awaited;
pub mod callers;
pub(crate) mod cells;
pub mod contents;
pub(crate) mod counts;
pub mod endings;
pub mod ever;
pub mod fields;
pub(crate) mod looking;
pub mod nesting;
pub mod passed;
pub(crate) mod places;
pub(crate) mod raw;
pub(crate) mod returning;
pub mod scanned;
pub mod shapes;
pub mod stored;
pub mod targets;
pub(crate) mod tested;
pub(crate) mod types;
pub(crate) mod values;
