//! Results of an earlier run, used again where nothing that they depend on has changed.
//!
//! The schedule asks a [`Memory`] before a component of the call graph is evaluated, and tells it what came out. A
//! [`Recollection`] is a memory over any [`Shelf`] of bytes: it gives each component a key over all that its results
//! depend on ([`key`]), and keeps results in a form that does not depend on the numbers of one program
//! ([`portable`]).
//!
//! What must hold: a component with the same key has the same results, to the letter, but for the lines where things are.
//! Callers see only summaries and facts, so when those come out as before, the keys of callers are as before.

mod content;
pub(crate) mod kept;
pub(crate) mod key;
pub(crate) mod portable;
pub(crate) mod symbols;
mod types;
pub(crate) mod words;

use crate::context::Context;
use crate::reuse::key::{Keyed, Keys};
use crate::reuse::portable::Portable;
use crate::schedule::memory::Memory;
use crate::schedule::memory::Origin;
use crate::schedule::memory::Results;
use crate::schedule::memory::Turn;
use crate::stories::witness::Stories;
use std::sync::Mutex;
use std::sync::OnceLock;
use std::sync::PoisonError;
use watertight_ir::FuncId;

/// Bytes under keys.
pub trait Shelf: Sync {
    fn get(&self, key: &[u8; 32]) -> Option<Vec<u8>>;
    fn put(&self, key: [u8; 32], value: Vec<u8>);
    /// Makes sure that what was put is found again when this process ends now.
    fn secure(&self) {}
}

/// A memory over a shelf.
pub struct Recollection<'s> {
    shelf: &'s dyn Shelf,
    /// A hash over options and the version of the engine.
    base: Vec<u8>,
    keys: OnceLock<Keys>,
    /// The keys of functions that had their turn.
    met: Mutex<Vec<(FuncId, [u8; 32])>>,
}

impl<'s> Recollection<'s> {
    /// `base` stands for everything that holds for the whole run: options, and the version of the engine.
    #[must_use]
    pub fn new(shelf: &'s dyn Shelf, base: Vec<u8>) -> Recollection<'s> {
        Recollection { shelf, base, keys: OnceLock::new(), met: Mutex::new(Vec::new()) }
    }

    pub(crate) fn shelf(&self) -> &'s dyn Shelf {
        self.shelf
    }

    pub(crate) fn keys(&self, context: &Context<'_>) -> &Keys {
        self.keys.get_or_init(|| Keys::new(context, &self.base))
    }

    /// Notes the key of functions that have their turn.
    pub(crate) fn note(&self, members: &[FuncId], key: [u8; 32]) {
        let mut met = self.met.lock().unwrap_or_else(PoisonError::into_inner);
        met.extend(members.iter().map(|&member| (member, key)));
    }

    /// The keys of all functions that had their turn, by function.
    #[must_use]
    pub fn met(&self) -> Vec<(FuncId, [u8; 32])> {
        let mut met = self.met.lock().unwrap_or_else(PoisonError::into_inner).clone();
        met.sort_unstable();
        met
    }
}

impl Memory<Stories> for Recollection<'_> {
    fn recall(
        &self,
        turn: Turn<'_, '_>,
        evaluate: &mut dyn FnMut() -> Results<Stories>,
    ) -> (Results<Stories>, Origin) {
        let Turn { context, members, view, .. } = turn;
        let keys = self.keys(context);
        let keyed: Keyed = keys.of(turn);
        self.note(members, keyed.key);
        let portable = Portable { keys, context, view, keyed: &keyed, members };
        let remembered = self.shelf.get(&keyed.key).and_then(|bytes| portable.read(&bytes));
        match remembered {
            Some(results) => (results, Origin::Remembered),
            None => {
                let results = evaluate();
                if let Some(bytes) = portable.write(&results) {
                    self.shelf.put(keyed.key, bytes);
                }
                (results, Origin::Evaluated)
            }
        }
    }
}
