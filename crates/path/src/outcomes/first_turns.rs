//! What the first iteration of a loop has stored, it has stored however many more there are.
//!
//! Where one iteration stands for any (`havoc.rs`), a choice says whether it is the first one, with the addresses that the loop
//! starts with, or another, of which nothing is known. On the paths of another one the first one has been there all the
//! same, and has gone on: `do { append(list, p); p = next; } while (p)` has put its argument into the list. What it did to
//! numbers may be undone by later iterations; what it put somewhere is at least somebody else's to care for. An element that is
//! stored behind a loop, once that has found its place, or on some paths only, is no such thing.
//!
//! In: observations. Out: the same, and what is kept by a first iteration that goes on.

use crate::machine::memory::Origin;
use crate::machine::state::State;
use crate::machine::value::Leaf;
use crate::outcomes::observe::{Observation, Observed};
use rustc_hash::FxHashMap;
use watertight_logic::guard::{Condition, Guard};
use watertight_summary::{Path, Root};

pub(crate) fn kept_in_first_turn(state: &mut State<'_>, list: &mut Vec<Observed>) {
    let mut more: Vec<Observed> = Vec::new();
    let turns = std::mem::take(&mut state.journal.first_turns);
    // The variables of a loop have one choice each, and are all at their start in the first iteration.
    for turns in turns.chunk_by(|a, b| a.0 == b.0) {
        let Some(next) = state.unrolled.in_iteration(turns[0].0, 1) else { continue };
        let mut goes_on = state.entered[next];
        let mut choices: Vec<Condition> = Vec::new();
        for &(_, first) in turns {
            goes_on = state.and(goes_on, first);
            choices.extend(state.formulas.guards.branch(first).map(|(condition, ..)| condition));
        }
        if goes_on.is_false() {
            continue;
        }
        let when = state.project(goes_on, &choices, &mut FxHashMap::default());
        for observed in list.iter() {
            // What is not done on every path that goes on is perhaps done by a later iteration, or after the loop.
            if let Some(path) = given_and_kept(state, &observed.what)
                && state.formulas.guards.entails(goes_on, observed.when)
            {
                let what = Observation::Keep { path, assumed: false };
                more.push(Observed { what, when, vacuous: Guard::FALSE, splits: false });
            }
        }
    }
    list.append(&mut more);
}

/// What the caller gave, where it is kept.
fn given_and_kept(state: &State<'_>, what: &Observation) -> Option<Path> {
    let path = match what {
        Observation::Keep { path, assumed: false } => path,
        Observation::Store { leaf: Leaf::Address(object, _), .. } => match &state.objects[*object].origin {
            Origin::Entry(path) => path,
            _ => return None,
        },
        _ => return None,
    };
    matches!(path.root, Root::Param(_)).then(|| path.clone())
}
