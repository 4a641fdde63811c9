//! At the exits of a function: what became of each object that was acquired.
//!
//! An object escapes when the result, something of the caller's, a global, or an escaping object holds it, or
//! when a callee keeps it. Escape is the least solution of that: objects that only hold each other do not
//! escape. What exists at an exit, is not released and does not escape is lost. In `main`, what variables still hold when
//! it returns is not lost but held at the end of the process.

use crate::assumptions::Supposed;
use crate::exits::ends::{AtEnd, at_end, is_main};
use crate::exits::iterations::lost_in_loops;
use crate::limits::WAYS_TO_ESCAPE;
use crate::machine::memory::{ObjectId, Origin};
use crate::machine::state::State;
use crate::machine::value::{Leaf, Sym};
use watertight_ir::{Op, Table};
use watertight_logic::guard::Guard;
use watertight_summary::{Path, Root};

/// When each object escapes, and when something is lost.
pub struct Exits {
    /// When control leaves by a return.
    pub returned: Guard,
    /// When control leaves by a long jump to a caller.
    pub jumped: Guard,
    /// Escape without assumptions about unknown callees.
    pub escapes: Table<ObjectId, Guard>,
    /// Escape if unknown callees keep what they are given.
    pub assumed: Table<ObjectId, Guard>,
    pub lost: Vec<Lost>,
    pub end: AtEnd,
}

/// An object that is lost on some paths.
#[derive(Clone, Copy, Debug)]
pub struct Lost {
    pub object: ObjectId,
    /// When it is lost whatever unknown callees do.
    pub surely: Guard,
    /// When it is lost if unknown callees keep nothing.
    pub perhaps: Guard,
    pub by: LostBy,
}

/// What makes the last reference go away.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LostBy {
    Return,
    /// A loop goes on, perhaps for ever.
    NextIteration,
}

pub fn exits(state: &mut State<'_>) -> Exits {
    let returned = state.returns.clone().iter().fold(Guard::FALSE, |all, entry| state.or(all, entry.1));
    let end = at_end(state);
    let escapes = escape(state, Roots::SURE);
    let assumed = escape(state, Roots::ASSUMED);
    let main = is_main(state);
    // What `main` has lost by the time it exits with success is lost like what it has lost when it returns.
    let mut over = returned;
    for end in end.ends.iter().filter(|end| main && end.well) {
        over = state.or(over, end.guard);
    }
    let jumped = jumped(state);
    over = state.or(over, jumped);
    let mut lost = Vec::new();
    for object in state.objects.ids() {
        if !state.objects[object].is_fresh() {
            continue;
        }
        let live = state.live(object, over);
        let guards = &mut state.formulas.guards;
        let mut perhaps = guards.and_not(live, escapes[object]);
        if main {
            perhaps = guards.and_not(perhaps, end.reached[object]);
        }
        let surely = guards.and_not(perhaps, assumed[object]);
        if !perhaps.is_false() {
            lost.push(Lost { object, surely, perhaps, by: LostBy::Return });
        }
    }
    lost_in_loops(state, &escapes, &assumed, &mut lost);
    Exits { returned, jumped, escapes, assumed, lost, end }
}

/// When a call jumps out of the function. A function that calls `setjmp` is where jumps are taken to end
/// (ASSUME-19).
fn jumped(state: &mut State<'_>) -> Guard {
    if state.journal.jumps.is_empty() || prepares_jump(state) {
        return Guard::FALSE;
    }
    state.journal.jumps.clone().iter().fold(Guard::FALSE, |all, jump| state.or(all, jump.guard))
}

fn prepares_jump(state: &State<'_>) -> bool {
    state.assumes(Supposed::JumpsLandWherePrepared)
        && state.body.insts.values().any(|inst| match &inst.op {
            Op::Call(call) => call.returns_twice,
            _ => false,
        })
}

/// Where escape starts.
#[derive(Copy, Clone, Debug)]
pub struct Roots {
    globals: bool,
    /// What globals led to when the function was called.
    held_by_globals: bool,
    /// What the caller can name otherwise, and what nobody can.
    outside: bool,
    /// What callees were seen to keep.
    kept: bool,
    /// What unknown callees may keep.
    assumed: bool,
    result: bool,
}

impl Roots {
    const SURE: Roots = Roots {
        globals: true,
        held_by_globals: true,
        outside: true,
        kept: true,
        assumed: false,
        result: true,
    };
    const ASSUMED: Roots = Roots { assumed: true, ..Roots::SURE };
    pub const GLOBALS: Roots =
        Roots { held_by_globals: false, outside: false, kept: false, result: false, ..Roots::SURE };
    /// Everyone but globals, who may answer for an object after the function.
    pub const OTHERS_AND_RESULT: Roots = Roots { globals: false, ..Roots::ASSUMED };
    /// Everyone but globals and what they lead to.
    pub const BESIDES_GLOBALS: Roots = Roots { held_by_globals: false, ..Roots::OTHERS_AND_RESULT };
    /// Everyone but globals, for a function that does not return.
    pub const OTHERS: Roots = Roots { result: false, ..Roots::OTHERS_AND_RESULT };
}

/// When each object is reached from one of the roots.
pub fn escape(state: &mut State<'_>, roots: Roots) -> Table<ObjectId, Guard> {
    let mut escapes: Table<ObjectId, Guard> = Table::filled(state.objects.len(), Guard::FALSE);
    let mut open: Vec<ObjectId> = Vec::new();
    for object in state.objects.ids() {
        let entry = &state.objects[object];
        if entry.past {
            continue;
        }
        let root = match entry.origin {
            Origin::Global(_) if roots.globals => Guard::TRUE,
            Origin::Global(_) => Guard::FALSE,
            Origin::Entry(Path { root: Root::Global(_), .. }) => Guard::truth(roots.held_by_globals),
            Origin::Entry(_) | Origin::Elsewhere | Origin::Process => Guard::truth(roots.outside),
            _ => {
                let kept = if roots.kept { entry.kept } else { Guard::FALSE };
                let assumed = if roots.assumed { entry.assumed_kept } else { Guard::FALSE };
                state.formulas.guards.or(kept, assumed)
            }
        };
        if !root.is_false() {
            escapes[object] = root;
            open.push(object);
        }
    }
    for (_, guard, sym) in state.returns.clone() {
        if let Some(sym) = sym.filter(|_| roots.result) {
            escape_value(state, &sym, guard, &mut escapes, &mut open);
        }
    }
    spread(state, &mut escapes, open);
    escapes
}

/// What a reached object holds is reached too. One that is reached in yet another way again and again, as in a web of many
/// structures that point to each other, counts as always reached: each way would be a step for all that it leads to.
pub fn spread(state: &mut State<'_>, escapes: &mut Table<ObjectId, Guard>, mut open: Vec<ObjectId>) {
    let mut ways: Table<ObjectId, u32> = Table::filled(state.objects.len(), 0);
    while let Some(object) = open.pop() {
        ways[object] += 1;
        if ways[object] > WAYS_TO_ESCAPE {
            escapes[object] = Guard::TRUE;
        }
        // What a released object held is not reachable through it any more.
        let (reach, released) = (escapes[object], state.objects[object].released);
        let reach = match state.objects[object].origin {
            Origin::Fresh(_) | Origin::Entry(_) => state.formulas.guards.and_not(reach, released),
            _ => reach,
        };
        let held: Vec<(Guard, ObjectId)> = state.objects[object].held().collect();
        for (guard, next) in held {
            let guard = state.and(reach, guard);
            raise(state, escapes, &mut open, next, guard);
        }
    }
}

fn escape_value(
    state: &mut State<'_>,
    sym: &Sym,
    guard: Guard,
    escapes: &mut Table<ObjectId, Guard>,
    open: &mut Vec<ObjectId>,
) {
    match sym {
        Sym::Leaves(leaves) => {
            for &(when, leaf) in leaves {
                if let Leaf::Address(object, _) = leaf {
                    let when = state.and(guard, when);
                    raise(state, escapes, open, object, when);
                }
            }
        }
        Sym::Parts(parts) => {
            for part in parts {
                escape_value(state, part, guard, escapes, open);
            }
        }
        Sym::Truth(_) => {}
    }
}

pub fn raise(
    state: &mut State<'_>,
    escapes: &mut Table<ObjectId, Guard>,
    open: &mut Vec<ObjectId>,
    object: ObjectId,
    guard: Guard,
) {
    let all = joined(state, escapes[object], guard);
    if all != escapes[object] {
        escapes[object] = all;
        open.push(object);
    }
}

/// Either of two guards, for a solution that grows until it stays. Guards that have become too large get a new name
/// each time and would grow for ever; then it is always.
pub fn joined(state: &mut State<'_>, before: Guard, more: Guard) -> Guard {
    let named = state.formulas.guards.definition_count();
    let all = state.or(before, more);
    let grows = state.formulas.guards.definition_count() > named;
    if all != before && grows { Guard::TRUE } else { all }
}
