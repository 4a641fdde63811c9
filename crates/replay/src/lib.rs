//! Replay: what an engine claims is run before it is shown.
//!
//! In: a program, the models, and a [`Witness`]: how an engine says that something gets lost in a function. Out: a
//! [`Verdict`]. The function is started at its entry and really executed, with all callees that have a body; memory of
//! the caller appears as it is touched, and library functions do what their models say. When the run is over, reachability
//! is computed as a garbage collector would: what nothing refers to and nobody released is lost.
//!
//! What must hold:
//! - the same program and witness give the same verdict, on every machine; effort is counted in runs and steps;
//! - *replayed* needs a run in which the resource of the claim is lost and nothing was shown to unknown code;
//! - *refuted* needs a run that did all that the witness says and lost nothing, whatever it left open, and no other run
//!   that did; failing to find a run never refutes anything;
//! - whatever a program does, the result is a verdict and never a panic.
//!
//! How: the witness decides first, what it leaves open is searched around it, ordinary choices before strange ones
//! (`search`), and led along its way choice by choice (`climb`). `around` is the world of one run, `fill` the memory of the caller, `answer` the library.

mod answer;
mod arguments;
mod around;
mod chance;
mod climb;
mod events;
mod explore;
mod failing;
mod fill;
mod follow;
mod hints;
mod judge;
mod known;
pub mod limits;
mod needs;
mod search;
mod steer;
mod types;
mod whole;

pub use events::{Event, What};
pub use explore::Explored;
pub use known::Known;
pub use search::{Effort, Needs, Run, Session, Verdict, Why};
pub use watertight_interpret::{How, Site, TrapKind};
pub use whole::{Functions, Held, Passed, Unknown, Whole};
