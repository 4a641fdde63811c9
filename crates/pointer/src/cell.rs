//! Cells: the contents of memory at a location.
//!
//! A cell comes into being when it is read or written first. Its class follows from the declared type of what lies
//! there; numbers have no cell. Cells that may be the same bytes are one, or, between objects of types that the program
//! casts into each other, include each other.

use crate::graph::{Graph, NodeId};
use crate::object::{LocId, Location, ObjectId, Origin};
use crate::types::{Shape, TypeId, Types};
use rustc_hash::FxHashMap;
use watertight_ir::{Id, Table};

/// All cells.
#[derive(Clone, Debug, Default)]
pub struct Cells {
    /// The cell of each location; none was asked for, or there is none.
    known: Table<LocId, Option<Option<NodeId>>>,
    pub(crate) of: Table<ObjectId, Vec<(Location, NodeId)>>,
    /// Whether an object has cells at more than one offset each.
    strided: Table<ObjectId, bool>,
    /// Cells that were not connected with others yet.
    new: Vec<(Location, NodeId)>,
    /// Objects that the same memory is used as, and how many candidates were looked at.
    kin: FxHashMap<ObjectId, (usize, Vec<ObjectId>)>,
}

impl Graph<'_> {
    /// The node of the contents at a location, if it can hold addresses.
    pub fn cell(&mut self, id: LocId) -> Option<NodeId> {
        while self.cells.known.len() <= id.index() {
            self.cells.known.push(None);
        }
        if let Some(known) = self.cells.known[id] {
            return known.map(|node| self.shorten(node));
        }
        let location = self.memory.locations[id];
        self.track(location.object);
        let Some(class) = self.cell_class(&location) else {
            self.cells.known[id] = Some(None);
            return None;
        };
        let mut node = None;
        if location.stride != 0 || self.cells.strided[location.object] {
            for index in 0..self.cells.of[location.object].len() {
                let (other, known) = self.cells.of[location.object][index];
                if other.meets(&location) {
                    node = Some(node.map_or(known, |node| self.unite(node, known)));
                }
            }
        }
        let node = node.unwrap_or_else(|| self.node_of(class));
        self.cells.known[id] = Some(Some(node));
        self.cells.of[location.object].push((location, node));
        self.cells.strided[location.object] |= location.stride != 0;
        self.fill_from_outside(&location, node);
        self.cells.new.push((location, node));
        Some(self.shorten(node))
    }

    /// Connects cells that came into being with cells that are the same bytes, or copies of them.
    pub(crate) fn connect(&mut self) {
        while let Some((location, node)) = self.cells.new.pop() {
            self.share(&location, node);
            self.transfer_cell(&location, node);
        }
    }

    /// Objects in the same memory as an object that the program casts into each other.
    fn kin(&mut self, object: ObjectId, base: ObjectId, class: TypeId) -> Vec<ObjectId> {
        let (seen, mut kin) = self.cells.kin.remove(&object).unwrap_or_default();
        let views = &self.memory.objects[base].views;
        for &view in &views[seen..] {
            if let Origin::As(_, other) = self.memory.objects[view].origin
                && view != object
                && self.memory.types.are_kin(class, other)
            {
                kin.push(view);
            }
        }
        let count = views.len();
        self.cells.kin.insert(object, (count, kin.clone()));
        kin
    }

    pub(crate) fn track(&mut self, object: ObjectId) {
        while self.cells.of.len() <= object.index() {
            self.cells.of.push(Vec::new());
            self.cells.strided.push(false);
            self.transfers.track();
        }
    }

    /// What the addresses in a cell point to by its declared type; nothing when it cannot hold any.
    fn cell_class(&mut self, location: &Location) -> Option<TypeId> {
        let ty = self.memory.objects[location.object].ty;
        if matches!(
            self.memory.objects[location.object].origin,
            Origin::Function(_) | Origin::Constants | Origin::Outside
        ) {
            return None;
        }
        // What bytes are used as has objects of its own.
        if self.memory.types.class(ty) == Types::bytes_type() {
            return None;
        }
        if ty == Types::unknown() || location.stride != 0 {
            return Some(Types::unknown());
        }
        let types = &mut self.memory.types;
        let offset = u64::try_from(location.offset).unwrap_or(0);
        let starts = types.starts(ty, offset);
        let buffer = types.is_buffer(ty, offset);
        let mut class = None;
        let mut numbers = false;
        for &start in starts.iter() {
            let found = match *types.shape(start) {
                Shape::Record(_) => continue,
                Shape::Pointer(to) => types.class(to),
                Shape::Number(_) => {
                    numbers = true;
                    continue;
                }
                Shape::Bytes if !buffer => {
                    numbers = true;
                    continue;
                }
                _ => Types::unknown(),
            };
            class = match class {
                Some(known) if known != found => Some(Types::unknown()),
                _ => Some(found),
            };
        }
        match class {
            None if numbers => None,
            None => Some(Types::unknown()),
            found => found,
        }
    }

    /// Memory of the outside world holds addresses of more of it.
    fn fill_from_outside(&mut self, location: &Location, node: NodeId) {
        let Origin::As(outside, ty) = self.memory.objects[location.object].origin else { return };
        let offset = u64::try_from(location.offset).unwrap_or(0);
        let scalar = self.memory.types.scalar(ty, offset);
        let class = match *self.memory.types.shape(scalar) {
            Shape::Pointer(to) => self.memory.types.class(to),
            _ => return,
        };
        let held = match self.memory.types.shape(class) {
            Shape::Function { .. } => None,
            Shape::Unknown => self.memory.at(outside, 0),
            _ => self.memory.view(class),
        };
        if let Some(held) = held {
            self.insert(node, held);
        }
    }

    /// What is stored in memory as one type may be read as another that the program casts it to.
    fn share(&mut self, location: &Location, node: NodeId) {
        let Origin::As(base, class) = self.memory.objects[location.object].origin else { return };
        for view in self.kin(location.object, base, class) {
            self.track(view);
            for (other, known) in self.cells.of[view].clone() {
                if other.offset == location.offset || other.stride != 0 || location.stride != 0 {
                    self.exchange(node, known);
                }
            }
        }
    }

    fn exchange(&mut self, a: NodeId, b: NodeId) {
        self.flow(a, b);
        self.flow(b, a);
    }
}
