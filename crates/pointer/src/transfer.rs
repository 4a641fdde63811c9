//! Copies of bytes: assignments of structs, `memcpy`, arguments passed by value.
//!
//! A copy is two steps: what the source points to goes, by type, to the memory that stands for all objects of that type
//! whose origin is not known, and from there to what the target points to, where the type agrees. This costs as much
//! as there are sources and targets, not their product, and bytes of one type do not appear in objects of another.

use crate::graph::{Graph, NodeId, TransferId};
use crate::object::{LocId, Location, Object, ObjectId, Origin, Trust, gcd};
use crate::types::{TypeId, Types};
use rustc_hash::FxHashSet;
use watertight_ir::Table;

/// Bytes that one object hands to another as a whole.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
struct BlockCopy {
    from: Location,
    to: Location,
    bytes: Option<u64>,
}

impl BlockCopy {
    /// Where the contents of a cell of the source go.
    fn image(&self, cell: &Location) -> Option<Location> {
        let distance = cell.offset - self.from.offset;
        if cell.stride == 0 && self.from.stride == 0 {
            let inside = distance >= 0 && self.bytes.is_none_or(|bytes| (distance as u64) < bytes);
            return inside.then_some(Location { offset: self.to.offset.wrapping_add(distance), ..self.to });
        }
        let stride = gcd(gcd(cell.stride, self.from.stride), self.to.stride);
        Some(Location { object: self.to.object, offset: self.to.offset.wrapping_add(distance), stride })
    }
}

/// A copy instruction.
#[derive(Clone, Debug)]
struct Transfer {
    bytes: Option<u64>,
    targets: Vec<LocId>,
    /// What it was seen to carry, by type.
    carries: Vec<LocId>,
    /// Sources of unknown type.
    untyped: Vec<LocId>,
}

/// All copies.
#[derive(Clone, Debug, Default)]
pub struct Transfers {
    all: Table<TransferId, Transfer>,
    /// What is copied out of each object.
    copied: Table<ObjectId, Vec<BlockCopy>>,
    /// What is copied into each object.
    received: Table<ObjectId, Vec<BlockCopy>>,
    blocks: FxHashSet<BlockCopy>,
}

impl Transfers {
    pub(crate) fn track(&mut self) {
        self.copied.push(Vec::new());
        self.received.push(Vec::new());
    }
}

impl Graph<'_> {
    /// A copy of so many bytes (of all there is, when absent).
    pub(crate) fn transfer(&mut self, bytes: Option<u64>) -> TransferId {
        self.transfers.all.push(Transfer {
            bytes,
            targets: Vec::new(),
            carries: Vec::new(),
            untyped: Vec::new(),
        })
    }

    /// The type that is copied when bytes at a location are.
    fn copied_class(&mut self, location: &Location, bytes: Option<u64>) -> TypeId {
        let ty = self.memory.objects[location.object].ty;
        if ty == Types::unknown() || location.stride != 0 {
            return Types::unknown();
        }
        let types = &mut self.memory.types;
        let starts = types.starts(ty, u64::try_from(location.offset).unwrap_or(0));
        let sized = bytes.and_then(|bytes| starts.iter().find(|&&start| types.size(start) == Some(bytes)));
        let chosen = sized.or(starts.first()).copied();
        let class = chosen.map_or(Types::unknown(), |chosen| types.class(chosen));
        // Bytes may be anything.
        if class == Types::bytes_type() { Types::unknown() } else { class }
    }

    /// The source of a copy may be a location.
    pub(crate) fn carry_from(&mut self, id: TransferId, from: LocId) {
        let location = self.memory.locations[from];
        if matches!(self.memory.objects[location.object].origin, Origin::Function(_) | Origin::Constants) {
            return;
        }
        let bytes = self.transfers.all[id].bytes;
        let class = self.copied_class(&location, bytes);
        if class == Types::unknown() {
            // What the compiler made up has no type; it is copied as it is.
            let Object { origin, ty, .. } = self.memory.objects[location.object];
            let made_up = ty == Types::unknown() && matches!(origin, Origin::Global(_) | Origin::Stack(..));
            if made_up && !self.transfers.all[id].untyped.contains(&from) {
                self.transfers.all[id].untyped.push(from);
                for target in self.transfers.all[id].targets.clone() {
                    self.copy_block(from, target, bytes);
                }
            }
            return;
        }
        let Some(place) = self.memory.view(class) else { return };
        self.copy_block(from, place, bytes);
        if !self.transfers.all[id].carries.contains(&place) {
            self.transfers.all[id].carries.push(place);
            for target in self.transfers.all[id].targets.clone() {
                self.bring(id, place, target);
            }
        }
    }

    /// The target of a copy may be a location.
    pub(crate) fn carry_to(&mut self, id: TransferId, to: LocId) {
        self.transfers.all[id].targets.push(to);
        for place in self.transfers.all[id].carries.clone() {
            self.bring(id, place, to);
        }
        for from in self.transfers.all[id].untyped.clone() {
            self.copy_block(from, to, self.transfers.all[id].bytes);
        }
    }

    fn bring(&mut self, id: TransferId, place: LocId, to: LocId) {
        let bytes = self.transfers.all[id].bytes;
        let carried = self.memory.locations[place];
        let target = self.memory.locations[to];
        if matches!(self.memory.objects[target.object].origin, Origin::Function(_) | Origin::Constants) {
            return;
        }
        let class = self.memory.objects[carried.object].ty;
        let ty = self.memory.objects[target.object].ty;
        let to = if self.memory.is_raw(target.object) {
            self.memory.seen_as(to, class, Trust::Typed)
        } else {
            let offset = u64::try_from(target.offset).unwrap_or(0);
            let starts = self.memory.types.starts(ty, offset);
            let agrees = target.stride != 0
                || starts.iter().any(|&start| {
                    let types = &mut self.memory.types;
                    let start = types.class(start);
                    types.is_storage(start) || start == class || types.are_kin(class, start)
                });
            agrees.then_some(to)
        };
        if let Some(to) = to {
            self.copy_block(place, to, bytes);
        }
    }

    /// The bytes at one location are copied to another.
    pub(crate) fn copy_block(&mut self, from: LocId, to: LocId, bytes: Option<u64>) {
        let (from, to) = (self.memory.locations[from], self.memory.locations[to]);
        let copy = BlockCopy { from, to, bytes };
        if from == to || !self.transfers.blocks.insert(copy) {
            return;
        }
        self.track(from.object);
        self.track(to.object);
        self.transfers.copied[from.object].push(copy);
        self.transfers.received[to.object].push(copy);
        for (location, node) in self.cells.of[from.object].clone() {
            self.copy_cell(&copy, &location, node);
        }
        for (location, _) in self.cells.of[to.object].clone() {
            self.ask(&copy, &location);
        }
    }

    /// A new cell takes part in the copies of its object.
    pub(crate) fn transfer_cell(&mut self, location: &Location, node: NodeId) {
        for copy in self.transfers.copied[location.object].clone() {
            self.copy_cell(&copy, location, node);
        }
        for copy in self.transfers.received[location.object].clone() {
            self.ask(&copy, location);
        }
    }

    /// What the outside world holds comes into being when it is asked for, through whatever carries it.
    fn ask(&mut self, copy: &BlockCopy, target: &Location) {
        let from = copy.from.object;
        let base = self.memory.base(from);
        let lazy = self.memory.objects[base].origin == Origin::Outside;
        if !lazy || target.stride != 0 || copy.to.stride != 0 || copy.from.stride != 0 {
            return;
        }
        let distance = target.offset - copy.to.offset;
        if distance < 0 || copy.bytes.is_some_and(|bytes| distance as u64 >= bytes) {
            return;
        }
        if let Some(source) = self.memory.at(from, copy.from.offset.wrapping_add(distance)) {
            self.cell(source);
        }
    }

    fn copy_cell(&mut self, copy: &BlockCopy, cell: &Location, node: NodeId) {
        let Some(target) = copy.image(cell) else { return };
        let Some(mut place) = self.memory.at(target.object, target.offset) else { return };
        if target.stride != 0 {
            let Some(strided) = self.memory.strided(place, target.stride) else { return };
            place = strided;
        }
        if let Some(target) = self.cell(place) {
            self.flow(node, target);
        }
    }
}
