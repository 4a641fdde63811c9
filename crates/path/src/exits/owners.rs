//! Who else answers for an object when the function returns.
//!
//! An object that a global holds, that was stored where nobody here can see it, or that a callee keeps belongs
//! to whoever that is, and so does everything it leads to. When such an object is also returned, the caller
//! borrows it. What only globals hold is told to the caller, who sees when it is overwritten there.

use crate::exits::lost::{Roots, escape, joined};
use crate::machine::memory::{ObjectId, Origin};
use crate::machine::state::State;
use watertight_ir::Table;
use watertight_logic::guard::Guard;
use watertight_summary::Root;

/// Who answers for the objects of a function.
pub struct Owners {
    /// When each object belongs to a global, or to somebody whom the summary does not name.
    pub owned: Table<ObjectId, Guard>,
    /// When somebody else than a global leads to it: the caller, or somebody who has no name.
    pub besides: Table<ObjectId, Guard>,
}

pub fn owners(state: &mut State<'_>) -> Owners {
    let owned = owned(state);
    let besides = escape(state, Roots::BESIDES_GLOBALS);
    Owners { owned, besides }
}

fn owned(state: &mut State<'_>) -> Table<ObjectId, Guard> {
    let mut owned: Table<ObjectId, Guard> = Table::filled(state.objects.len(), Guard::FALSE);
    let mut open: Vec<ObjectId> = Vec::new();
    for object in state.objects.ids() {
        let entry = &state.objects[object];
        let root = match entry.origin {
            _ if entry.past => Guard::FALSE,
            Origin::Global(_) | Origin::Elsewhere | Origin::Process => Guard::TRUE,
            // That someone may have kept it is told to whoever gets it.
            Origin::Fresh(_) => entry.kept,
            Origin::Stack(_) => {
                let (kept, assumed) = (entry.kept, entry.assumed_kept);
                state.or(kept, assumed)
            }
            // What a global leads to is the global's.
            Origin::Entry(ref path) => Guard::truth(matches!(path.root, Root::Global(_))),
        };
        if !root.is_false() {
            owned[object] = root;
            open.push(object);
        }
    }
    while let Some(object) = open.pop() {
        let reach = owned[object];
        let held: Vec<(Guard, ObjectId)> = state.objects[object].held().collect();
        for (guard, next) in held {
            let guard = state.and(reach, guard);
            let all = joined(state, owned[next], guard);
            // What the caller named before stays its own.
            if all != owned[next] && !matches!(state.objects[next].origin, Origin::Entry(_)) {
                owned[next] = all;
                open.push(next);
            }
        }
    }
    owned
}

/// The objects and all that they lead to on some path of a class.
pub fn reached_from(state: &mut State<'_>, mut objects: Vec<ObjectId>, class: Guard) -> Vec<ObjectId> {
    let mut next = 0;
    while let Some(&object) = objects.get(next) {
        let held: Vec<(Guard, ObjectId)> = state.objects[object].held().collect();
        for (guard, held) in held {
            if !objects.contains(&held) && !state.formulas.guards.disjoint(guard, class) {
                objects.push(held);
            }
        }
        next += 1;
    }
    objects
}
