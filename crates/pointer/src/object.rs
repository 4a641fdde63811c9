//! Abstract objects and the locations in them.
//!
//! An object stands for every block of memory that comes into being at one place of the program: a variable, a
//! global, what one call acquires. A location is an address in it: a byte offset, or all offsets that are equal
//! modulo a stride, which is what an array element at a variable index is. Stride 1 is "anywhere".
//!
//! So fields are told apart by their offset, whatever the types say; the elements of an array are one; and an array
//! of structs keeps the fields of its element apart, because they differ modulo its size.

use crate::world::WorldId;
use rustc_hash::FxHashMap;
use watertight_ir::{FuncId, GlobalId, Id, InstId, Table};

watertight_ir::define_ids! {
    /// An abstract object.
    ObjectId "obj";
    /// A location in an object.
    LocId "loc";
}

/// What an object is.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Origin {
    /// A variable in the frame of a function.
    Stack(FuncId, InstId),
    Global(GlobalId),
    /// A function; it has an address and no contents.
    Function(FuncId),
    /// What a call acquires; the number tells several apart.
    Heap(FuncId, InstId, u32),
    /// The callee's copy of an argument passed by value.
    Parameter(FuncId, u32),
    /// The variable arguments of a function.
    Rest(FuncId),
    /// Objects of the outside world.
    Outside(WorldId),
    /// All constant data without addresses: string literals and tables of numbers.
    Constants,
}

/// An object.
#[derive(Clone, Debug)]
pub struct Object {
    pub origin: Origin,
    /// How many bytes it has, where that is known.
    pub bytes: Option<u64>,
    /// Offsets that were told apart.
    offsets: u32,
}

/// A location.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Location {
    pub object: ObjectId,
    pub offset: i64,
    /// 0: exactly this offset. Otherwise every offset that equals it modulo the stride.
    pub stride: u32,
}

impl Location {
    /// Whether the two may be the same byte of memory.
    pub fn meets(&self, other: &Location) -> bool {
        if self.object != other.object {
            return false;
        }
        match (self.stride, other.stride) {
            (0, 0) => self.offset == other.offset,
            (a, b) => (self.offset - other.offset).rem_euclid(i64::from(gcd(a, b))) == 0,
        }
    }
}

/// All objects and locations.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    pub objects: Table<ObjectId, Object>,
    pub locations: Table<LocId, Location>,
    known: FxHashMap<Origin, ObjectId>,
    interned: FxHashMap<Location, LocId>,
}

/// The most offsets of one object that are told apart; beyond, an address may point anywhere in it.
const MOST_OFFSETS: u32 = 256;

impl Memory {
    /// The object of an origin.
    pub fn object(&mut self, origin: Origin, bytes: Option<u64>) -> ObjectId {
        if let Some(&object) = self.known.get(&origin) {
            return object;
        }
        let object = self.objects.push(Object { origin, bytes, offsets: 0 });
        self.known.insert(origin, object);
        object
    }

    pub fn find(&self, origin: Origin) -> Option<ObjectId> {
        self.known.get(&origin).copied()
    }

    /// The location `offset` bytes into an object. Addresses outside the object are nobody's.
    pub fn at(&mut self, object: ObjectId, offset: i64) -> Option<LocId> {
        self.location(Location { object, offset, stride: 0 })
    }

    /// A location moved by some bytes.
    pub fn shifted(&mut self, location: LocId, bytes: i64) -> Option<LocId> {
        let location = self.locations[location];
        self.location(Location { offset: location.offset.wrapping_add(bytes), ..location })
    }

    /// A location moved by any multiple of some bytes.
    pub fn strided(&mut self, location: LocId, stride: u32) -> Option<LocId> {
        let location = self.locations[location];
        let stride = gcd(location.stride, stride.max(1));
        self.location(Location { stride, ..location })
    }

    fn location(&mut self, mut location: Location) -> Option<LocId> {
        let object = &mut self.objects[location.object];
        if matches!(object.origin, Origin::Function(_) | Origin::Constants) {
            location = Location { offset: 0, stride: 0, ..location };
        }
        if location.stride == 0 {
            let outside = location.offset < 0
                || object.bytes.is_some_and(|bytes| location.offset > i64::try_from(bytes).unwrap_or(i64::MAX));
            if outside {
                return None;
            }
        } else {
            location.offset = location.offset.rem_euclid(i64::from(location.stride));
        }
        if let Some(&known) = self.interned.get(&location) {
            return Some(known);
        }
        if object.offsets >= MOST_OFFSETS && location.stride != 1 {
            return self.location(Location { offset: 0, stride: 1, ..location });
        }
        object.offsets += 1;
        let id = self.locations.push(location);
        self.interned.insert(location, id);
        Some(id)
    }

    /// The object that a member of a points-to set lies in.
    pub fn object_of(&self, location: u32) -> ObjectId {
        self.locations[LocId::new(location as usize)].object
    }
}

/// The greatest common divisor; 0 divides nothing.
pub fn gcd(mut a: u32, mut b: u32) -> u32 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_of_an_array_of_structs_are_one_with_fields_apart() {
        let mut memory = Memory::default();
        let heap = Origin::Heap(FuncId::new(0), InstId::new(0), 0);
        let object = memory.object(heap, None);
        let start = memory.at(object, 0).expect("inside");
        let element = memory.strided(start, 24).expect("inside");
        let field = memory.shifted(element, 8).expect("inside");
        let third = memory.at(object, 56).expect("inside");
        let meets = |a, b| memory.locations[a].meets(&memory.locations[b]);
        assert!(meets(field, third));
        assert!(!meets(element, third));
        assert!(!meets(element, field));
    }

    #[test]
    fn addresses_outside_an_object_are_dropped() {
        let mut memory = Memory::default();
        let object = memory.object(Origin::Global(GlobalId::new(0)), Some(8));
        assert!(memory.at(object, 8).is_some());
        assert!(memory.at(object, 9).is_none());
        assert!(memory.at(object, -1).is_none());
    }

    #[test]
    fn too_many_offsets_become_anywhere() {
        let mut memory = Memory::default();
        let object = memory.object(Origin::Heap(FuncId::new(0), InstId::new(0), 0), None);
        let last = (0..400).filter_map(|index| memory.at(object, index * 8)).last().expect("inside");
        assert_eq!(memory.locations[last].stride, 1);
    }
}
