//! The flow engine: where acquired values go in the whole program, and on which paths they are released.
//!
//! In: a joined program, the models, and a complete points-to solution. Out: [`Leaks`], which [`story`] tells to the
//! checkers. The method is that of Saber (sparse value flow): from each call that acquires something the address is
//! followed forwards, through variables, through memory by points-to, into callees and out to callers ([`slice`]); the
//! paths on which it reaches a release are a boolean guard over branch conditions ([`control`]), and when that guard is
//! not true something is lost on the others ([`leak`]).
//!
//! Conditions are names: two different comparisons are independent, whatever they compare. So what this engine says is
//! a candidate, which the path engine may or may not confirm.
//!
//! See `docs/flow.md` for how this departs from the paper.

pub mod control;
pub mod facts;
pub mod leak;
pub mod slice;
pub mod source;
pub mod story;

pub use leak::{Leak, Leaks};
use watertight_ir::Program;
use watertight_pointer::PointsTo;
use watertight_summary::model::Models;

/// Everything that the program loses. Nothing when the points-to solution is not complete.
#[must_use]
pub fn leaks(program: &Program, models: &Models, points_to: &PointsTo<'_>) -> Option<Leaks> {
    if !points_to.complete {
        return None;
    }
    let mut facts = facts::Facts::new(program, models, points_to);
    let sources = source::sources(&mut facts);
    Some(leak::leaks(&mut facts, &sources))
}
