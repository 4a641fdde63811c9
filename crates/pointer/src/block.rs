//! Copies of bytes: assignments of structs, `memcpy`, arguments passed by value.
//!
//! A copy instruction has an object of its own, which takes the cells of all sources and hands them to all targets.
//! So the cost follows the number of sources and targets, not their product. A cell that stands for all elements of
//! an array arrives in every element of the target.

use crate::graph::{Graph, NodeId};
use crate::layout::TypeRef;
use crate::object::{CopyId, LocId, Location, ObjectId, Origin, gcd};
use rustc_hash::FxHashSet;
use watertight_ir::{Id, Table};

/// Bytes that one object hands to another.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
struct Block {
    from: Location,
    to: LocId,
    bytes: Option<u64>,
}

/// All copies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Blocks {
    /// The object of each copy, and how many bytes it copies.
    all: Table<CopyId, (ObjectId, Option<u64>)>,
    /// What is copied out of each object.
    out: Table<ObjectId, Vec<Block>>,
    known: FxHashSet<Block>,
    /// Cells whose part in the copies of their object is still to be done.
    pending: Vec<(ObjectId, i64, NodeId)>,
}

impl Graph<'_> {
    /// A copy of so many bytes (of all there is, when absent), of a type if that is known.
    pub(crate) fn new_copy(&mut self, bytes: Option<u64>, ty: Option<TypeRef>) -> CopyId {
        let origin = Origin::Copy(self.blocks.all.next_id());
        let object = self.memory.object(origin, ty, None, ty.is_some());
        self.blocks.all.push((object, bytes))
    }

    pub(crate) fn copy_from(&mut self, copy: CopyId, from: LocId) {
        let (object, bytes) = self.blocks.all[copy];
        if let Some(to) = self.memory.at(object, 0) {
            self.copy_block(from, to, bytes);
        }
    }

    pub(crate) fn copy_to(&mut self, copy: CopyId, to: LocId) {
        let (object, bytes) = self.blocks.all[copy];
        if let Some(from) = self.memory.at(object, 0) {
            self.copy_block(from, to, bytes);
        }
    }

    /// The bytes at one location are copied to another.
    pub(crate) fn copy_block(&mut self, from: LocId, to: LocId, bytes: Option<u64>) {
        let mut source = self.memory.locations[from];
        let target = self.memory.locations[to].object;
        if from == to || !self.memory.objects[target].has_cells() {
            return;
        }
        // All of one type in the hub is one object.
        if self.is_hub(from) || self.is_hub(to) {
            self.put_in_hub(if self.is_hub(from) { target } else { source.object });
            return;
        }
        self.copied_raw(source.object, target);
        if let Some(shared) = self.cells.alias(source.object) {
            source.offset = self.memory.layouts.normal(&self.memory.objects[shared], source.offset);
            source.object = shared;
        }
        let data = &self.memory.objects[source.object];
        if data.origin == Origin::World {
            // It holds addresses of itself, wherever one looks.
            let Some(anywhere) = self.memory.strided(to, 1) else { return };
            for place in self.reached(anywhere) {
                if let Some(cell) = self.cell(place) {
                    let world = self.outside_of(cell).unwrap_or(from);
                    self.insert(cell, world);
                }
            }
            return;
        }
        let block = Block { from: source, to, bytes };
        if !data.has_cells() || !self.blocks.known.insert(block) {
            return;
        }
        while self.blocks.out.len() <= source.object.index() {
            self.blocks.out.push(Vec::new());
        }
        self.blocks.out[source.object].push(block);
        self.all_outside_contents(source.object);
        for (offset, node) in self.cells.of(source.object).to_vec() {
            self.copy_cell(&block, offset, node);
        }
    }

    /// The objects that bytes are copied to from one.
    pub(crate) fn copied_to(&self, object: ObjectId) -> Vec<ObjectId> {
        let blocks = self.blocks.out.get(object).map_or(&[][..], Vec::as_slice);
        blocks.iter().map(|block| self.memory.locations[block.to].object).collect()
    }

    /// What is copied out of an object is from now on copied out of the one whose cells it has.
    pub(crate) fn move_copies(&mut self, object: ObjectId, shared: ObjectId) {
        let Some(blocks) = self.blocks.out.get_mut(object) else { return };
        for mut block in std::mem::take(blocks) {
            block.from.object = shared;
            block.from.offset = self.memory.layouts.normal(&self.memory.objects[shared], block.from.offset);
            if !self.blocks.known.insert(block) {
                continue;
            }
            while self.blocks.out.len() <= shared.index() {
                self.blocks.out.push(Vec::new());
            }
            self.blocks.out[shared].push(block);
            for (offset, node) in self.cells.of(shared).to_vec() {
                self.copy_cell(&block, offset, node);
            }
        }
    }

    /// A new cell will take part in the copies of its object.
    pub(crate) fn copy_cell_out(&mut self, object: ObjectId, offset: i64, node: NodeId) {
        if self.blocks.out.get(object).is_some_and(|blocks| !blocks.is_empty()) {
            self.blocks.pending.push((object, offset, node));
        }
    }

    /// What the cells of an object stand for has changed.
    pub(crate) fn copy_out_again(&mut self, object: ObjectId) {
        for (offset, node) in self.cells.of(object).to_vec() {
            self.copy_cell_out(object, offset, node);
        }
    }

    /// Does what is pending.
    pub(crate) fn connect(&mut self) {
        while !self.hub.is_settled() || !self.views.pending.is_empty() {
            self.fill_hub();
            self.fill_views();
        }
        while let Some((object, offset, node)) = self.blocks.pending.pop() {
            for block in self.blocks.out[object].clone() {
                self.copy_cell(&block, offset, node);
            }
        }
    }

    fn copy_cell(&mut self, block: &Block, offset: i64, node: NodeId) {
        let Block { from, to, bytes } = *block;
        let data = &self.memory.objects[from.object];
        let fold = self.cells.fold(from.object).filter(|fold| offset >= fold.start);
        let period = gcd(self.memory.layouts.period(data, offset), fold.map_or(0, |fold| fold.stride));
        let mut distance = offset - from.offset;
        let mut stride = from.stride;
        if stride == 0 && period != 0 {
            distance = distance.rem_euclid(i64::from(period));
            let more = bytes.is_none_or(|bytes| bytes > u64::from(period));
            stride = if more { period } else { 0 };
        } else if stride != 0 {
            stride = gcd(stride, period);
            distance = distance.rem_euclid(i64::from(stride));
        }
        if distance < 0 || bytes.is_some_and(|bytes| distance as u64 >= bytes) {
            return;
        }
        let Some(mut place) = self.memory.shifted(to, distance) else { return };
        if stride != 0 {
            let Some(strided) = self.memory.strided(place, stride) else { return };
            place = strided;
        }
        for place in self.reached(place) {
            if let Some(target) = self.cell(place) {
                self.flow(node, target);
            }
        }
    }
}
