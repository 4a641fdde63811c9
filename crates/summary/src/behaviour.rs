//! The behaviours of a function, each in a word.
//!
//! In: a summary. Out: the kinds of things it does to the heap, without their conditions: a quick word for what
//! [`crate::words`] says at length.

use crate::effect::{Effect, Outcome, Summary, Value};
use crate::path::Root;

/// A kind of thing that a function does to the heap.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Behaviour {
    /// It returns something that it acquired, by itself or inside a struct.
    ReturnHeapObj,
    /// It leaves something that it acquired in a global.
    MallocGlobal,
    /// It puts something that it acquired where an argument points to.
    MallocArg,
    /// It releases what a global leads to.
    FreeGlobal,
    /// It releases an argument or what it leads to.
    FreeArg,
}

impl Behaviour {
    /// The name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Behaviour::ReturnHeapObj => "returns-memory",
            Behaviour::MallocGlobal => "allocates-into-global",
            Behaviour::MallocArg => "allocates-into-argument",
            Behaviour::FreeGlobal => "frees-global",
            Behaviour::FreeArg => "frees-argument",
        }
    }
}

/// The behaviours of a function; none if it does nothing of the sort.
#[must_use]
pub fn behaviours(summary: &Summary) -> Vec<Behaviour> {
    let mut found: Vec<Behaviour> = summary.outcomes.iter().flat_map(of_outcome).collect();
    found.sort_unstable();
    found.dedup();
    found
}

fn of_outcome(outcome: &Outcome) -> Vec<Behaviour> {
    let mut found = Vec::new();
    if hands_out(&outcome.result) {
        found.push(Behaviour::ReturnHeapObj);
    }
    for effect in &outcome.effects {
        match effect {
            Effect::Store { place, value: Value::Fresh { .. } } => match place.root {
                Root::Global(_) => found.push(Behaviour::MallocGlobal),
                Root::Param(_) => found.push(Behaviour::MallocArg),
                _ => {}
            },
            Effect::Release { value, .. } => match value.root {
                Root::Global(_) => found.push(Behaviour::FreeGlobal),
                Root::Param(_) | Root::Rest(_) => found.push(Behaviour::FreeArg),
                _ => {}
            },
            _ => {}
        }
    }
    found
}

fn hands_out(result: &Value) -> bool {
    match result {
        Value::Fresh { .. } => true,
        Value::Parts(parts) => parts.iter().any(hands_out),
        _ => false,
    }
}
