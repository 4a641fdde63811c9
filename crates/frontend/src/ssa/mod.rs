//! SSA construction: local variables leave memory and become values.
//!
//! The compiler hands over code in which every C variable is an object on the stack, written and read by
//! address. [`construct`] turns what it safely can into SSA values, in five steps:
//!
//! 1. `unreachable`: blocks that no path reaches are removed;
//! 2. `split`: a small struct, union or array that is only accessed at constant offsets becomes one
//!    scalar object per part (`survey` looks at its uses, `partition` cuts it, `expand` rewrites them);
//! 3. `promote`: a scalar object that is only loaded and stored becomes values and phis (`phis` says where
//!    the phis stand, `rename` replaces the accesses, `merge` inserts the phis that are worth it);
//! 4. `compact`: what was replaced is redirected once, over all operands, and the tables are renumbered
//!    without gaps;
//! 5. when a promoted variable held the address of another local object, that object may have become
//!    accessible by constant offsets only, so steps 2 to 4 run again, a bounded number of times.
//!
//! In: a verified body, the target, the aggregate types, and the debug information of the body's unit (to
//! spell the members of split structs). Out: the same function in SSA form. What must hold:
//! - the function does the same, as the interpreter observes it; nothing is folded, and no instruction is
//!   dropped except accesses to the objects that became values;
//! - assignments to source variables stay visible: the removed store leaves an `Op::Name` at its position
//!   with its place, and a phi that merges a variable is named after the phis of its block. Only a pointer to
//!   an object that is gone has no value left that could be named;
//! - the verifier is as content after as before;
//! - the result depends on the body alone, not on what a [`Scratch`] was used for before.
//!
//! Objects stay in memory when their address escapes, when an access is volatile, atomic or out of bounds,
//! when accesses overlap in part, when their size is not fixed, and when they are not made in the entry
//! block (so that "the object" is one object per call).
//!
//! ```text
//! bb0: %v1 = stack 4 align 4      bb0: name var0, %v0
//!      store %v0 to %v1                return %v0
//!      %v2: i32 = load %v1
//!      return %v2
//! ```

mod bytes;
mod compact;
mod constants;
mod convert;
mod expand;
mod ids;
mod members;
mod merge;
mod partition;
mod phis;
mod promote;
mod rename;
mod split;
mod survey;
mod unreachable;

#[cfg(test)]
mod tests;

use watertight_ir::{AggId, Aggregate, Body, Cfg, DebugInfo, Program, Table, Target};

/// How often objects are split and promoted in one body. Each round after the first follows a local
/// pointer to a local object (`q = &p; p = &s; (*q)->x`); longer chains do not occur in code that people
/// write, and the limit keeps the time linear.
const MAX_ROUNDS: u32 = 4;

/// What the construction needs to know beside the body.
#[derive(Copy, Clone, Debug)]
pub struct Surroundings<'a> {
    pub target: &'a Target,
    /// The aggregate types that the body's values refer to.
    pub aggregates: &'a Table<AggId, Aggregate>,
}

/// Work space that is reused from body to body, so that a body costs few allocations.
#[derive(Debug, Default)]
pub struct Scratch {
    constants: constants::Constants,
    split: split::Scratch,
    promote: promote::Scratch,
    phis: phis::Scratch,
    rename: rename::Scratch,
    merge: merge::Scratch,
    compact: compact::Scratch,
    forward: compact::Forward,
}

/// What the construction did.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// Unreachable blocks removed.
    pub blocks: usize,
    /// Objects that were split into scalar parts.
    pub split: usize,
    /// Scalar objects that became values; parts of split objects count one by one.
    pub promoted: usize,
    /// Loads and stores that went away, those of split copies included.
    pub accesses: usize,
    /// Phis that were inserted and stayed.
    pub phis: usize,
    /// Instructions in blocks before and after.
    pub insts_before: usize,
    pub insts_after: usize,
}

impl std::ops::AddAssign for Stats {
    fn add_assign(&mut self, other: Stats) {
        self.blocks += other.blocks;
        self.split += other.split;
        self.promoted += other.promoted;
        self.accesses += other.accesses;
        self.phis += other.phis;
        self.insts_before += other.insts_before;
        self.insts_after += other.insts_after;
    }
}

/// Puts `body` into SSA form. `debug` is that of the unit the body belongs to; names of members of split
/// structs are added to it.
pub fn construct(
    surroundings: Surroundings<'_>,
    body: &mut Body,
    debug: &mut DebugInfo,
    scratch: &mut Scratch,
) -> Stats {
    let stats = construct_in_place(surroundings, body, debug, scratch);
    body.insts = body.insts.take();
    body.values = body.values.take();
    stats
}

/// The same for a body that is still being built, whose tables may keep spare room.
pub(crate) fn construct_in_place(
    surroundings: Surroundings<'_>,
    body: &mut Body,
    debug: &mut DebugInfo,
    scratch: &mut Scratch,
) -> Stats {
    let mut stats = Stats { insts_before: body.inst_count(), ..Stats::default() };
    if body.blocks.is_empty() {
        return stats;
    }
    let mut cfg = Cfg::new(body);
    stats.blocks = unreachable::remove(body, &cfg);
    if stats.blocks > 0 {
        cfg = Cfg::new(body);
    }
    let mut dominators = None;
    for _ in 0..MAX_ROUNDS {
        scratch.constants.forget();
        let promoted = promote::promote(surroundings, body, &cfg, &mut dominators, debug, scratch);
        stats.split += promoted.split;
        stats.promoted += promoted.slots;
        stats.accesses += promoted.accesses;
        stats.phis += promoted.phis;
        compact::compact(body, scratch);
        if !promoted.address_forwarded {
            break;
        }
    }
    stats.insts_after = body.insts.len();
    stats
}

/// Puts every body of `program` into SSA form. Debug builds verify the result.
pub fn construct_program(program: &mut Program) -> Stats {
    let mut stats = Stats::default();
    let mut scratch = Scratch::default();
    let surroundings = Surroundings { target: &program.target, aggregates: &program.aggregates };
    for index in 0..program.functions.len() {
        let function = &mut program.functions[watertight_ir::Id::new(index)];
        if let Some(body) = &mut function.body {
            stats += construct(surroundings, body, &mut program.units[function.unit].debug, &mut scratch);
        }
    }
    watertight_ir::verify::assert_valid(program, "ssa construction");
    stats
}
