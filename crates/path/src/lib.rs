//! The path engine: bit-precise, path-sensitive, bottom-up with summaries (Saturn; see `docs/path.md`).
//!
//! In: a program and a library of models. Out: for each function a summary, and whatever the caller's
//! inspection makes of the evaluated function. Functions are evaluated bottom-up over the call graph, loops
//! unrolled a few times, all paths at once under guards; the solver is asked only about what is suspicious.

pub mod access;
pub mod analyse;
pub mod apply;
pub mod arith;
pub mod context;
pub mod ends;
pub mod eval;
pub mod exits;
pub mod havoc;
pub mod infer;
pub mod memory;
pub mod state;
pub mod unroll;
pub mod value;
pub mod witness;

pub use analyse::{Analysis, Options, analyse};
