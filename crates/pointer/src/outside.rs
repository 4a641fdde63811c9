//! Memory of the outside world: what callers pass to a library, and what functions without a model hand out.
//!
//! There is one object for each record type, shared by all of that type that come from outside, and its pointers
//! point to the objects of the types that they are declared with. Everything else of the outside world is one object,
//! which holds addresses of itself. What the program gives to the outside does not come back.

use crate::graph::{Graph, NodeId};
use crate::layout::{Kind, TypeRef};
use crate::object::{LocId, ObjectId, Origin};

impl Graph<'_> {
    /// The location that a pointer to a type points to when it comes from outside.
    pub(crate) fn outside(&mut self, pointee: Option<TypeRef>) -> Option<LocId> {
        let record = pointee.and_then(|ty| self.memory.layouts.record(ty));
        let complete = record.filter(|&record| self.memory.layouts.size(record).is_some());
        let object = match complete {
            Some(record) => self.memory.object(Origin::Outside(record), Some(record), None, true),
            None => self.memory.object(Origin::World, None, None, false),
        };
        self.memory.at(object, 0)
    }

    /// What a node of a declared class holds when it takes an address from the outside world.
    pub(crate) fn outside_of(&mut self, node: NodeId) -> Option<LocId> {
        let class = self.classes[self.find(node)]?;
        match self.masks.kinds[class] {
            Kind::Record(record) => self.outside(Some(record)),
            _ => None,
        }
    }

    /// A new cell of an outside object points to more of the outside.
    pub(crate) fn outside_contents(&mut self, object: ObjectId, offset: i64, node: NodeId) {
        let data = &self.memory.objects[object];
        if let Origin::Outside(_) = data.origin {
            let pointee = self.memory.layouts.pointer_at(data, offset);
            if let Some(location) = self.outside(pointee) {
                self.insert(node, location);
            }
        }
    }

    /// Brings all cells of an outside object into being, when it is copied as a whole.
    pub(crate) fn all_outside_contents(&mut self, object: ObjectId) {
        let Origin::Outside(record) = self.memory.objects[object].origin else { return };
        for offset in self.memory.layouts.places(record, &Kind::is_pointer) {
            if let Some(location) = self.memory.at(object, offset) {
                self.cell(location);
            }
        }
    }
}
