//! Views: memory of unknown type as pointers to records see it.
//!
//! All that one place of the program acquires is one object, and where that place is an allocator for everybody, the
//! whole program meets in it. So a pointer to a record, or to a pointer, does not hold addresses of such a block
//! itself, but of the block as a place for that: an object of its own, with the same contents at the same offsets, so far
//! as the types of its members let them through. Arrays of bytes and numbers that the program casts are treated the
//! same way. Where the program casts one record to another, a view as the first is also one as the second.
//!
//! What is in the block itself is what those store there who know no type, such as copies of bytes.

use crate::graph::{ClassId, Graph};
use crate::layout::TypeRef;
use crate::object::{LocId, Origin};
use rustc_hash::FxHashSet;

/// Views of locations, and what is still to be copied between them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Views {
    linked: FxHashSet<(LocId, LocId)>,
    pub(crate) pending: Vec<(LocId, LocId)>,
}

impl Graph<'_> {
    /// The location that a pointer of a class holds for one in a block of unknown type, or in another view of it.
    pub(crate) fn view(&mut self, location: LocId, class: ClassId) -> Option<LocId> {
        if !self.masks.kinds[class].is_viewed() {
            return None;
        }
        let at = self.memory.locations[location];
        let data = &self.memory.objects[at.object];
        let raw = data.is_raw();
        let storage = self.masks.stores(class, location);
        // A record that begins with the other is the other already, and what is not cast to it is none.
        let cast =
            self.masks.holds(class, location) && data.ty.is_some_and(|ty| !self.begins_with(ty, class));
        if !raw && !cast && !storage {
            return None;
        }
        let ty =
            self.masks.types[class].filter(|&ty| self.memory.layouts.size(ty).is_some_and(|bytes| bytes > 0));
        let Some(ty) = ty else { return (raw || storage).then_some(location) };
        if self.is_hub(location) {
            let object = self.hub_as(self.masks.kinds[class], ty);
            return self.memory.at(object, 0);
        }
        let object = self.memory.view(at.object, self.masks.kinds[class], ty);
        if self.hub_has(at.object) {
            self.put_in_hub(object);
        }
        let seen = self.memory.at(object, 0)?;
        // What stands for all blocks that are seen as one type is told apart by type only, and so are the blocks.
        if raw && matches!(self.memory.objects[object].origin, Origin::Merged(_)) {
            self.put_in_hub(at.object);
            self.put_in_hub(object);
            return Some(seen);
        }
        if object != at.object {
            self.link(location, seen);
            self.link(seen, location);
        }
        Some(seen)
    }

    fn begins_with(&self, ty: TypeRef, class: ClassId) -> bool {
        let own = self.masks.kinds[class];
        self.memory.layouts.places(ty, &|kind| own.is_like(kind)).first() == Some(&0)
    }

    pub(crate) fn link(&mut self, from: LocId, to: LocId) {
        if self.views.linked.insert((from, to)) {
            self.views.pending.push((from, to));
        }
    }

    /// Blocks and their views hold the same.
    pub(crate) fn fill_views(&mut self) {
        while let Some((from, to)) = self.views.pending.pop() {
            self.copy_block(from, to, None);
        }
    }
}
