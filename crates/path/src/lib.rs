//! The path engine: bit-precise, path-sensitive, bottom-up with summaries (Saturn; see `docs/path.md`).
//!
//! In: a program and a library of models. Out: for each function a summary, and whatever the caller's
//! inspection makes of the evaluated function. Functions are evaluated bottom-up over the call graph, loops
//! unrolled a few times, all paths at once under guards; the solver is asked only about what is suspicious.
//!
//! Where things are:
//! - who takes a turn when: [`schedule`], [`recursion`]; one turn: [`analyse`], and what it costs: [`costs`]; what all
//!   share: [`context`];
//! - loops: [`unroll`], [`havoc`], [`last_pass`], and what they lose while they go on: [`iterations`];
//! - evaluation: [`eval`] over [`state`], [`value`] and [`memory`], with [`arith`], [`access`], [`copies`], [`assertions`], and the
//!   back pointers of [`closure`];
//! - calls: [`apply`], [`effects`], [`null_arguments`], those through pointers: [`targets`] with [`shapes`], [`pointers`], [`callbacks`],
//!   and what they release or fail to replace: [`released`], [`replaced`], [`vacated`];
//! - the ends of a function: [`exits`], of the process: [`ends`], and who else answers: [`owners`];
//! - summaries: [`infer`] sorts what [`observe`] sees into what [`outcome`], [`conditions`], [`ranges`], [`bits`],
//!   [`sizes`] and [`condense`] write;
//! - stories: [`witness`], [`together`], [`misuse`], [`outside`], told by `telling` in the words of
//!   `names`, and what they must not rest on: [`inventions`].

pub mod access;
pub mod analyse;
pub mod apply;
pub mod arith;
pub mod assertions;
pub mod bits;
pub mod brief;
pub mod callbacks;
pub mod closure;
pub mod condense;
pub mod conditions;
pub mod context;
pub mod copies;
pub mod costs;
pub mod effects;
pub mod ends;
pub mod eval;
pub mod exits;
pub mod havoc;
pub mod infer;
pub mod inventions;
pub mod iterations;
pub mod last_pass;
pub mod memory;
pub mod misuse;
mod names;
pub mod null_arguments;
pub mod observe;
pub mod outcome;
pub mod outside;
pub mod owners;
pub mod pointers;
pub mod ranges;
pub mod recursion;
pub mod released;
pub mod replaced;
pub mod schedule;
pub mod shapes;
pub mod sizes;
pub mod state;
pub mod targets;
mod telling;
pub mod together;
pub mod unroll;
pub mod vacated;
pub mod value;
pub mod witness;

pub use analyse::{Options, Scope};
pub use costs::Costs;
pub use schedule::{Analysis, analyse};
