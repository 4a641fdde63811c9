//! What an object holds, wherever in it.
//!
//! In: an object. Out: the addresses in it. A container that copies elements by their size (`memcpy(base + size * used,
//! element, size)`) does not know what it copies: the addresses inside the element are seen by its caller only. So what the
//! caller has put into its object is named there as a whole, `element[?]`, and who keeps that keeps all that is found
//! in the element.

use crate::calls::apply::Application;
use crate::limits::LONGEST_PATH;
use crate::machine::memory::{LinkFrom, ObjectId, Origin};
use crate::machine::state::State;
use crate::machine::value::{Leaf, Leaves, Offset};
use watertight_ir::{DebugType, ctype};
use watertight_logic::guard::Guard;
use watertight_summary::{Path, Root, Step};

impl State<'_> {
    /// The addresses that an object is seen to hold.
    pub(crate) fn held_anywhere(&self, object: ObjectId) -> Leaves {
        let held = self.objects[object].held();
        held.map(|(guard, object)| (guard, Leaf::Address(object, Offset::Somewhere))).collect()
    }

    /// The same, and what the caller has put into an object of its own, if it is copied from a certain place on. Who walks
    /// through what it copies has bytes, not an element.
    pub(crate) fn contents(&mut self, object: ObjectId, begin: Offset) -> Leaves {
        let mut held = self.held_anywhere(object);
        if let Offset::At(_) = begin
            && let Some(path) = self.unseen_contents(object)
        {
            let unseen = self.object(Origin::Entry(path));
            self.objects[unseen].several = true;
            held.push((Guard::TRUE, Leaf::Address(unseen, Offset::At(0))));
        }
        held
    }

    /// What of the caller's was copied into an object, without being looked at.
    pub(crate) fn copied_into(&mut self, object: ObjectId) -> Vec<(Guard, Path)> {
        let mut copied = Vec::new();
        for link in self.objects[object].links.clone() {
            if let LinkFrom::Object(source, _) = link.from
                && let Some(path) = self.unseen_contents(source)
            {
                copied.push((link.guard, path));
            }
        }
        copied
    }

    /// The name of what the caller has put into an object of its own. What a global led to before is not the caller's to give
    /// away.
    fn unseen_contents(&mut self, object: ObjectId) -> Option<Path> {
        let Origin::Entry(path) = self.objects[object].origin.clone() else { return None };
        let named = path.cells() < LONGEST_PATH
            && !matches!(path.root, Root::Global(_))
            && !self.holds_characters(&path);
        named.then(|| path.then(Step::Somewhere))
    }

    /// What a path means to one who keeps it. Some element of an object was kept at a place that is not known either: it
    /// may be any of them, so all are.
    pub(crate) fn resolve_kept(&mut self, path: &Path, application: &Application<'_>) -> Leaves {
        let mut kept = self.resolve_all(path, application);
        if let Some((Step::Somewhere, before)) = path.steps.split_last() {
            let base = Path { root: path.root, steps: before.to_vec() };
            for (when, leaf) in self.resolve_all(&base, application) {
                let Leaf::Address(object, _) = leaf else { continue };
                for (guard, held) in self.held_anywhere(object) {
                    kept.push((self.and(when, guard), held));
                }
            }
        }
        kept
    }

    /// Whether a path leads to a text or to numbers that are too small for a descriptor, as far as its declaration says.
    fn holds_characters(&mut self, path: &Path) -> bool {
        let Some(ty) = self.pointee(path) else { return false };
        let debug = &self.context.program.units[ty.unit].debug;
        matches!(ctype::described(debug, Some(ty.ty)), Some(DebugType::Base { bits: ..32, .. }))
    }
}
