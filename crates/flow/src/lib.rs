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

mod calls;
mod confirm;
pub mod context;
mod control;
pub mod dump;
pub mod facts;
mod given;
pub mod leak;
pub mod limits;
mod loads;
pub mod memory;
mod question;
pub mod slice;
pub mod source;
mod sparse;
pub mod story;
mod terms;
mod witness;

pub use leak::{Leak, Leaks};
use std::time::Instant;
use watertight_ir::{FuncId, Program};
use watertight_pointer::PointsTo;
use watertight_summary::model::Models;

/// Everything that the program loses. Nothing when the points-to solution is not complete. The clock is for statistics.
#[must_use]
pub fn leaks(
    program: &Program,
    models: &Models,
    points_to: &PointsTo<'_>,
    clock: fn() -> Instant,
) -> Option<Leaks> {
    if !points_to.complete {
        return None;
    }
    let start = clock();
    let facts = facts::Facts::new(program, models, points_to);
    let sources = source::sources(&facts);
    let footprints = clock() - start;
    let mut leaks = leak::leaks(&facts, &sources, clock);
    leaks.figures.footprints = footprints;
    Some(leaks)
}

/// The memory SSA of a function, as text; nothing if it has no body.
#[must_use]
pub fn memory_ssa(
    program: &Program,
    models: &Models,
    points_to: &PointsTo<'_>,
    function: FuncId,
    form: dump::Form,
) -> Option<String> {
    dump::memory_ssa(&facts::Facts::new(program, models, points_to), function, form)
}

/// The value flow of what a function acquires, as text.
#[must_use]
pub fn value_flow(
    program: &Program,
    models: &Models,
    points_to: &PointsTo<'_>,
    function: FuncId,
    form: dump::Form,
) -> String {
    let facts = facts::Facts::new(program, models, points_to);
    let sources = source::sources(&facts);
    leak::value_flow(&facts, &sources, function, form)
}
