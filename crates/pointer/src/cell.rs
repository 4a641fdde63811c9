//! Cells: the contents of memory at a location.
//!
//! A cell comes into being when an address is first read or written there. An access at an offset that is not exactly
//! known makes the cells that it may reach one: the object is folded from there on. Folding only ever goes on, and
//! locations that were told apart before then have the same cell.

use crate::graph::{Graph, NodeId};
use crate::object::{LocId, Location, Memory, ObjectId, Origin, gcd};
use rustc_hash::FxHashMap;
use watertight_ir::Table;

/// From `start` on, offsets that are a multiple of `stride` apart are the same.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Fold {
    pub start: i64,
    pub stride: u32,
}

impl Fold {
    pub fn apply(self, offset: i64) -> i64 {
        match offset >= self.start {
            true => self.start + (offset - self.start) % i64::from(self.stride),
            false => offset,
        }
    }
    fn and(self, other: Fold) -> Fold {
        let apart = u32::try_from((self.start - other.start).unsigned_abs()).unwrap_or(1);
        Fold { start: self.start.min(other.start), stride: gcd(gcd(self.stride, other.stride), apart).max(1) }
    }
}

/// All cells.
#[derive(Clone, Debug, Default)]
pub struct Cells {
    known: FxHashMap<(ObjectId, i64), NodeId>,
    of: Table<ObjectId, Vec<(i64, NodeId)>>,
    folds: FxHashMap<ObjectId, Fold>,
    /// Objects whose cells are those of another.
    aliases: FxHashMap<ObjectId, ObjectId>,
    /// The cells of locations that were asked for: 0 when it is not known, 1 for none, and the node plus 2.
    at: Vec<u32>,
}

impl Cells {
    /// The cells of an object, by offset.
    pub fn of(&self, object: ObjectId) -> &[(i64, NodeId)] {
        self.of_itself(self.alias(object).unwrap_or(object))
    }
    /// The cells of an object before it had those of another.
    pub(crate) fn of_itself(&self, object: ObjectId) -> &[(i64, NodeId)] {
        self.of.get(object).map_or(&[], Vec::as_slice)
    }
    /// The object whose cells an object has.
    pub(crate) fn alias(&self, object: ObjectId) -> Option<ObjectId> {
        self.aliases.get(&object).copied()
    }
    pub(crate) fn make_alias(&mut self, object: ObjectId, of: ObjectId) {
        self.aliases.insert(object, of);
    }
    /// Forgets the cells that were asked for.
    pub(crate) fn forget(&mut self) {
        self.at.clear();
    }
    pub fn fold(&self, object: ObjectId) -> Option<Fold> {
        self.folds.get(&object).copied()
    }
    /// The offset of the cell that an access at a location reads or writes, after all folds so far.
    pub fn offset(&self, location: &Location) -> i64 {
        self.fold(location.object).map_or(location.offset, |fold| fold.apply(location.offset))
    }
    pub(crate) fn nodes_mut(&mut self) -> impl Iterator<Item = &mut NodeId> {
        self.of.values_mut().flatten().map(|(_, node)| node)
    }
}

impl Memory<'_> {
    pub(crate) fn is_world(&self, location: LocId) -> bool {
        self.objects[self.locations[location].object].origin == Origin::World
    }
}

impl Graph<'_> {
    /// The node of the contents at a location, if there can be addresses.
    pub(crate) fn cell(&mut self, id: LocId) -> Option<NodeId> {
        if let Some(&known) = self.cells.at.get(id.index())
            && known != 0
        {
            return (known > 1).then(|| self.shorten(NodeId::new(known as usize - 2)));
        }
        let found = self.find_cell(id);
        let location = self.memory.locations[id];
        // Only these do not change: cells of other objects may be made one.
        if location.stride == 0 && self.memory.objects[location.object].ty.is_some() {
            if self.cells.at.len() <= id.index() {
                self.cells.at.resize(id.index() + 1, 0);
            }
            self.cells.at[id.index()] = found.map_or(1, |node| node.index() as u32 + 2);
        }
        found
    }

    fn find_cell(&mut self, id: LocId) -> Option<NodeId> {
        let location = self.memory.locations[id];
        if let Some(shared) = self.cells.alias(location.object) {
            let normal = self.memory.layouts.normal(&self.memory.objects[shared], location.offset);
            let there = self.memory.at(shared, normal)?;
            return self.cell(there);
        }
        let data = &self.memory.objects[location.object];
        let inside = location.offset >= 0 && data.bytes.is_none_or(|bytes| (location.offset as u64) < bytes);
        if !data.has_cells() || !inside && !matches!(data.origin, Origin::Copy(_)) {
            return None;
        }
        if location.stride != 0 {
            self.fold(location.object, Fold { start: location.offset, stride: location.stride });
        }
        let offset = self.cells.offset(&location);
        let data = &self.memory.objects[location.object];
        if self.cells.fold(location.object).is_none() && self.memory.layouts.is_number(data, offset) {
            return None;
        }
        Some(self.cell_at(location.object, offset))
    }

    /// The node of a cell, by its offset after folding.
    fn cell_at(&mut self, object: ObjectId, offset: i64) -> NodeId {
        if let Some(&node) = self.cells.known.get(&(object, offset)) {
            return self.shorten(node);
        }
        let data = &self.memory.objects[object];
        let folded = self.cells.fold(object).is_some_and(|fold| offset >= fold.start);
        let pointee = match folded {
            true => None,
            false => self.memory.layouts.pointer_at(data, offset),
        };
        let class = self.class(pointee);
        let node = self.node_of(class);
        self.cells.known.insert((object, offset), node);
        while self.cells.of.len() <= object.index() {
            self.cells.of.push(Vec::new());
        }
        self.cells.of[object].push((offset, node));
        self.outside_contents(object, offset, node);
        self.copy_cell_out(object, offset, node);
        self.open_new_cell(object, node);
        self.shorten(node)
    }

    fn fold(&mut self, object: ObjectId, fold: Fold) {
        let before = self.cells.fold(object);
        let after = before.map_or(fold, |before| before.and(fold));
        if before == Some(after) {
            return;
        }
        self.cells.folds.insert(object, after);
        if self.memory.objects[object].ty.is_some() {
            self.cells.at.clear();
        }
        let Some(cells) = self.cells.of.get_mut(object) else { return };
        let cells = std::mem::take(cells);
        for (offset, node) in cells {
            let folded = after.apply(offset);
            if folded == offset {
                self.cells.of[object].push((offset, node));
                continue;
            }
            let target = self.cell_at(object, folded);
            self.unite(target, node);
            self.cells.known.insert((object, offset), target);
        }
        self.copy_out_again(object);
    }
}

use watertight_ir::Id;
