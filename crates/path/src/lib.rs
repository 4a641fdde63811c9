//! The path engine: bit-precise, path-sensitive, bottom-up with summaries (Saturn; see `docs/path.md`).
//!
//! In: a program and a library of models. Out: for each function a summary, and whatever the caller's
//! inspection makes of the evaluated function. Functions are evaluated bottom-up over the call graph, loops
//! unrolled a few times, all paths at once under guards; the solver is asked only about what is suspicious.
//!
//! Where things are, in the order in which a function goes through them:
//! - [`beliefs`]: before anything else, what the program believes of code that is not in sight;
//! - [`turns`]: who takes a turn when, what one turn is and what it costs;
//! - [`loops`]: a loop-free graph, what stands for more iterations, and what is lost while a loop goes on;
//! - [`evaluate`]: values and memory of all paths at once;
//! - [`calls`]: summaries applied, functions behind pointers, and what calls release or fail to replace;
//! - [`leaving`]: the ends of a function and of the process, and who else answers;
//! - [`summarise`]: what callers can observe, sorted into outcomes;
//! - [`members`]: after all turns, which members own what they hold, and who leaves one out;
//! - [`owners`]: the same by what is ever put into a member, and who releases or overwrites the owner without it;
//! - [`states`]: finite-state properties of objects;
//! - [`reuse`]: what an earlier run found out, where it still holds;
//! - [`stories`]: what the solver confirms, told step by step, and what it must not rest on.

pub mod beliefs;
pub mod calls;
pub mod evaluate;
pub mod leaving;
pub mod loops;
pub mod members;
pub mod owners;
pub mod reuse;
pub mod states;
pub mod stories;
pub mod summarise;
pub mod turns;

pub use turns::analyse::{Options, Scope};
pub use turns::costs::Costs;
pub use turns::schedule::{Analysis, analyse, analyse_with};
