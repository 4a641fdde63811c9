//! At the exits of a function: what became of each object that was acquired.
//!
//! An object escapes when the result, something of the caller's, a global, or an escaping object holds it, or
//! when a callee keeps it. Escape is the least solution of that: objects that only hold each other do not
//! escape. What exists at an exit, is not released and does not escape is lost.

use crate::memory::{ObjectId, Origin};
use crate::state::State;
use crate::value::{Leaf, Sym};
use watertight_ir::Table;
use watertight_logic::guard::Guard;

/// When each object escapes, and when something is lost.
pub struct Exits {
    /// When control leaves by a return.
    pub returned: Guard,
    /// Escape without assumptions about unknown callees.
    pub escapes: Table<ObjectId, Guard>,
    /// Escape if unknown callees keep what they are given.
    pub assumed: Table<ObjectId, Guard>,
    pub lost: Vec<Lost>,
}

/// An object that is lost on some paths.
#[derive(Clone, Copy, Debug)]
pub struct Lost {
    pub object: ObjectId,
    /// When it is lost whatever unknown callees do.
    pub surely: Guard,
    /// When it is lost if unknown callees keep nothing.
    pub perhaps: Guard,
}

pub fn exits(state: &mut State<'_>) -> Exits {
    let returned = state.returns.clone().iter().fold(Guard::FALSE, |all, entry| state.or(all, entry.1));
    let escapes = escape(state, false);
    let assumed = escape(state, true);
    let mut lost = Vec::new();
    for object in state.objects.ids() {
        if !state.objects[object].is_fresh() {
            continue;
        }
        let (exists, released) = (state.objects[object].exists, state.objects[object].released);
        let guards = &mut state.formulas.guards;
        let live = guards.and(exists, returned);
        let live = guards.and_not(live, released);
        let perhaps = guards.and_not(live, escapes[object]);
        let surely = guards.and_not(perhaps, assumed[object]);
        if !perhaps.is_false() {
            lost.push(Lost { object, surely, perhaps });
        }
    }
    Exits { returned, escapes, assumed, lost }
}

fn escape(state: &mut State<'_>, with_assumptions: bool) -> Table<ObjectId, Guard> {
    let mut escapes: Table<ObjectId, Guard> = Table::filled(state.objects.len(), Guard::FALSE);
    let mut open: Vec<ObjectId> = Vec::new();
    for object in state.objects.ids() {
        let entry = &state.objects[object];
        if entry.past {
            continue;
        }
        let root = match entry.origin {
            Origin::Entry(_) | Origin::Global(_) | Origin::Elsewhere => Guard::TRUE,
            _ if with_assumptions => {
                let (kept, assumed) = (entry.kept, entry.assumed_kept);
                state.formulas.guards.or(kept, assumed)
            }
            _ => entry.kept,
        };
        if !root.is_false() {
            escapes[object] = root;
            open.push(object);
        }
    }
    for (_, guard, sym) in state.returns.clone() {
        if let Some(sym) = sym {
            escape_value(state, &sym, guard, &mut escapes, &mut open);
        }
    }
    while let Some(object) = open.pop() {
        // What a released object held is not reachable through it any more.
        let (reach, released) = (escapes[object], state.objects[object].released);
        let reach = match state.objects[object].origin {
            Origin::Fresh(_) | Origin::Entry(_) => state.formulas.guards.and_not(reach, released),
            _ => reach,
        };
        let held: Vec<(Guard, ObjectId)> = state.objects[object].held().collect();
        for (guard, next) in held {
            let guard = state.and(reach, guard);
            raise(state, &mut escapes, &mut open, next, guard);
        }
    }
    escapes
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

fn raise(
    state: &mut State<'_>,
    escapes: &mut Table<ObjectId, Guard>,
    open: &mut Vec<ObjectId>,
    object: ObjectId,
    guard: Guard,
) {
    let all = state.or(escapes[object], guard);
    if all != escapes[object] {
        escapes[object] = all;
        open.push(object);
    }
}
