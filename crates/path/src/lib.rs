//! The path engine: bit-precise, path-sensitive, bottom-up with summaries (Saturn; see `docs/path.md`).
//!
//! In: a program and a library of models. Out: for each function a summary, and whatever the caller's
//! inspection makes of the evaluated function. Functions are evaluated bottom-up over the call graph, loops
//! unrolled a few times, all paths at once under guards; the solver is asked only about what is suspicious.
//!
//! Its folders stand in one order, and each imports only what stands before it (`cargo xtask tidy` reads the order from here):
//! - [`facts`]: what the whole program says, before anything is evaluated;
//! - [`beliefs`]: what the program believes of code that is not in sight;
//! - [`plan`]: a loop-free graph of copies of blocks;
//! - [`context`]: what all functions share while they are evaluated, summaries of callees above all;
//! - [`machine`]: values and memory of all paths at once, and the journal of what happened;
//! - [`calls`]: summaries applied, functions behind pointers, and what calls release or fail to replace;
//! - [`exits`]: the ends of a function and of the process, what is lost, and who else answers;
//! - [`outcomes`]: what callers can observe, sorted into outcomes;
//! - [`states`]: finite-state properties of objects;
//! - [`stories`]: what the solver confirms, told step by step, and what it must not rest on;
//! - [`members`]: after all functions, what is taken out of containers of the program and dropped;
//! - [`owners`]: which members own what they hold, and who releases or overwrites the owner without it;
//! - [`schedule`]: who is evaluated when, what one turn is and what it costs;
//! - [`reuse`]: what an earlier run found out, where it still holds;
//! - [`elsewhere`]: components that other processes evaluate.
//!
//! How far each of them goes is in [`limits`], which assumptions a run can do without in [`assumptions`]; [`dump`] prints what they make.

pub mod assumptions;
pub mod beliefs;
pub mod calls;
pub mod context;
pub mod dump;
pub mod elsewhere;
pub mod exits;
pub mod facts;
pub mod limits;
pub mod machine;
pub mod members;
pub mod outcomes;
pub mod owners;
pub mod plan;
pub mod reuse;
pub mod schedule;
pub mod states;
pub mod stories;

pub use context::costs::Costs;
pub use schedule::analyse::{Options, Scope};
pub use schedule::run::{Analysis, Whole, analyse, analyse_with};
