//! Abstract objects and the locations in them.
//!
//! An object stands for every block of memory that comes into being at one place of the program: a variable, a
//! global, what one call acquires. A location is an address in it: a byte offset. In an object of known type, the
//! elements of each array are one, and offsets lie in the first. In an object of unknown type a location may also be
//! all offsets that are equal modulo a stride, which is what an element at a variable index is. Stride 1 is "anywhere".
//!
//! Memory of unknown type, which allocators hand out and which comes from outside, becomes an object of its own for
//! each type that the program uses it as ([`Memory::seen_as`]): a block is used as one type, or as related ones. So
//! what a general allocator hands out is told apart by type, however it gets its memory.

use crate::set::Set;
use crate::types::{Shape, TypeId, Types};
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
    /// Memory of the outside world.
    Outside,
    /// Memory of unknown type where it is used as a type.
    As(ObjectId, TypeId),
    /// All constant data without addresses: string literals and tables of numbers.
    Constants,
}

/// An object.
#[derive(Clone, Debug)]
pub struct Object {
    pub origin: Origin,
    pub ty: TypeId,
    /// How many bytes it has, where that is known.
    pub bytes: Option<u64>,
    /// What it is known as, by type, when its own type is not known.
    pub views: Vec<ObjectId>,
    /// Offsets that were told apart.
    offsets: u32,
}

/// What an address was before a pointer of some type holds it.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Trust {
    /// A pointer to another type: the address of a struct is that of its first member.
    Typed,
    /// A pointer to anything: it is what it was before, not one of the things that begin there.
    Untyped,
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

/// What pointers to a class make of addresses.
#[derive(Clone, Debug, Default)]
struct Seen {
    /// Addresses that were looked at.
    known: Set,
    /// Those that stay what they are.
    same: Set,
    /// Those that become the object of the class.
    used: Set,
}

/// All objects and locations.
pub struct Memory<'a> {
    pub types: Types<'a>,
    pub objects: Table<ObjectId, Object>,
    pub locations: Table<LocId, Location>,
    known: FxHashMap<Origin, ObjectId>,
    interned: FxHashMap<Location, LocId>,
    seen: FxHashMap<(TypeId, Trust), Seen>,
}

/// The most offsets of one object of unknown type that are told apart; beyond, an address may point anywhere in it.
const MOST_OFFSETS: u32 = 64;

impl<'a> Memory<'a> {
    pub fn new(types: Types<'a>) -> Memory<'a> {
        Memory {
            types,
            objects: Table::new(),
            locations: Table::new(),
            known: FxHashMap::default(),
            interned: FxHashMap::default(),
            seen: FxHashMap::default(),
        }
    }

    /// The object of an origin.
    pub fn object(&mut self, origin: Origin, ty: TypeId, bytes: Option<u64>) -> ObjectId {
        if let Some(&object) = self.known.get(&origin) {
            return object;
        }
        let object = self.objects.push(Object { origin, ty, bytes, views: Vec::new(), offsets: 0 });
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
    pub fn strided(&mut self, id: LocId, stride: u32) -> Option<LocId> {
        let location = self.locations[id];
        let ty = self.objects[location.object].ty;
        if ty == Types::unknown() {
            let stride = gcd(location.stride, stride.max(1));
            return self.location(Location { stride, ..location });
        }
        // The elements of an array are one already; a pointer that is indexed points to one of its elements.
        let offset = u64::try_from(location.offset).unwrap_or(0);
        let starts = self.types.starts(ty, offset);
        let is_element = starts.iter().any(|&start| match self.types.size(start) {
            Some(bytes) => bytes > 0 && u64::from(stride) % bytes == 0,
            None => true,
        });
        is_element.then_some(id)
    }

    fn location(&mut self, mut location: Location) -> Option<LocId> {
        let object = &self.objects[location.object];
        let ty = object.ty;
        let opaque = ty != Types::bytes_type() && self.types.is_storage(ty) && ty != Types::unknown();
        if opaque || matches!(object.origin, Origin::Function(_) | Origin::Constants) {
            location = Location { offset: 0, stride: 0, ..location };
        } else if location.stride != 0 {
            location.offset = location.offset.rem_euclid(i64::from(location.stride));
        } else if ty != Types::unknown() {
            location.offset = self.canonical(location.object, location.offset)?;
        } else {
            let outside = location.offset < 0
                || object
                    .bytes
                    .is_some_and(|bytes| location.offset > i64::try_from(bytes).unwrap_or(i64::MAX));
            if outside {
                return None;
            }
        }
        if let Some(&known) = self.interned.get(&location) {
            return Some(known);
        }
        let object = &mut self.objects[location.object];
        if ty == Types::unknown() && object.offsets >= MOST_OFFSETS && location.stride != 1 {
            return self.location(Location { offset: 0, stride: 1, ..location });
        }
        object.offsets += 1;
        let id = self.locations.push(location);
        self.interned.insert(location, id);
        Some(id)
    }

    /// The offset in an object of known type that stands for an offset.
    fn canonical(&mut self, object: ObjectId, offset: i64) -> Option<i64> {
        let Object { origin, ty, bytes, .. } = self.objects[object];
        let mut offset = offset;
        if matches!(origin, Origin::Stack(..) | Origin::Global(_) | Origin::Parameter(..)) {
            let is_array = matches!(self.types.shape(ty), Shape::Array(..));
            let outside = offset < 0 || bytes.is_some_and(|bytes| offset as u64 >= bytes.max(1));
            if outside && !is_array {
                return None;
            }
        }
        // There may be several in a row, unless the type only says how a larger one begins.
        let size = self.types.size(ty).and_then(|bytes| i64::try_from(bytes).ok()).filter(|&bytes| bytes > 0);
        if let Some(size) = size
            && (offset < 0 || offset >= size)
        {
            // What is used as the larger type has an object of its own where the type is not known from the start.
            let extent = match origin {
                Origin::As(..) => 0,
                _ if ty == Types::bytes_type() => 0,
                _ => i64::try_from(self.types.extent(ty)).unwrap_or(i64::MAX),
            };
            let open = offset >= 0 && (self.types.is_open(ty) || offset < extent);
            if !open {
                offset = offset.rem_euclid(size);
            }
        }
        let offset = u64::try_from(offset).ok()?;
        let offset = self.types.canonical(ty, offset);
        // An address between two fields is nobody's.
        if self.types.starts(ty, offset).is_empty() && offset < self.types.size(ty).unwrap_or(0) {
            return None;
        }
        i64::try_from(offset).ok()
    }

    /// What an address is when a pointer to a class of types holds it: the same, the object of that type in memory of
    /// unknown type, or nothing, when the object is known to be of a type that has nothing to do with it.
    pub fn seen_as(&mut self, id: LocId, class: TypeId, trust: Trust) -> Option<LocId> {
        let one: Set = [id.index() as u32].into_iter().collect();
        self.sieve(&one, class, trust).iter().next().map(|location| LocId::new(location as usize))
    }

    /// [`Memory::seen_as`] for many addresses at once.
    pub fn sieve(&mut self, arrived: &Set, class: TypeId, trust: Trust) -> Set {
        let mut seen = self.seen.remove(&(class, trust)).unwrap_or_default();
        for location in arrived.minus(&seen.known).iter() {
            let id = LocId::new(location as usize);
            match self.look(id, class, trust) {
                Some(same) if same == id => seen.same.insert(location),
                Some(_) => seen.used.insert(location),
                None => false,
            };
            seen.known.insert(location);
        }
        let mut through = arrived.common(&seen.same);
        // Everything that is seen as something else is seen as the one object of the class.
        if arrived.meets(&seen.used)
            && let Some(view) = self.view(class)
        {
            through.insert(view.index() as u32);
        }
        self.seen.insert((class, trust), seen);
        through
    }

    fn look(&mut self, id: LocId, class: TypeId, trust: Trust) -> Option<LocId> {
        let location = self.locations[id];
        let Object { origin, ty, .. } = self.objects[location.object];
        let is_function = matches!(self.types.shape(class), Shape::Function { .. });
        match origin {
            Origin::Function(_) => return is_function.then_some(id),
            _ if is_function => return None,
            Origin::Constants => return Some(id),
            _ => {}
        }
        let offset = u64::try_from(location.offset).unwrap_or(0);
        if ty == Types::unknown() {
            return match origin {
                Origin::Heap(..) | Origin::Outside => self.view(class),
                _ => Some(id),
            };
        }
        // Bytes are storage for what the program casts them to.
        if self.types.class(ty) == Types::bytes_type() && class != Types::bytes_type() {
            let base = self.base(location.object);
            let general = self.objects[base].ty == Types::unknown()
                && matches!(self.objects[base].origin, Origin::Heap(..) | Origin::Outside);
            let used = general || trust == Trust::Typed && self.types.are_kin(Types::bytes_type(), class);
            return if used { self.view(class) } else { None };
        }
        let fits = match trust {
            Trust::Typed => self.types.fits(ty, offset, class),
            Trust::Untyped => self.types.fits_whole(ty, offset, class),
        };
        if location.stride != 0 || fits {
            return Some(id);
        }
        match origin {
            Origin::As(base, _) => {
                let general = self.objects[base].ty == Types::unknown()
                    && matches!(self.objects[base].origin, Origin::Heap(..));
                let other = !general
                    && class != Types::bytes_type()
                    && !self.types.fits_by_cast(ty, offset, class, trust)
                    && !self.types.are_kin(ty, class);
                if other { None } else { self.view(class) }
            }
            _ => self.types.fits_by_cast(ty, offset, class, trust).then_some(id),
        }
    }

    /// Memory of which neither type nor origin is known.
    pub fn raw(&mut self) -> ObjectId {
        self.object(Origin::Outside, Types::unknown(), None)
    }

    /// Memory of unknown type, used as a type.
    pub fn view(&mut self, class: TypeId) -> Option<LocId> {
        let base = self.raw();
        let origin = Origin::As(base, class);
        let view = match self.find(origin) {
            Some(view) => view,
            None => {
                let view = self.object(origin, class, None);
                self.objects[base].views.push(view);
                view
            }
        };
        self.at(view, 0)
    }

    /// Whether a location is in memory of the outside world whose type is not known.
    pub fn is_outside(&self, location: LocId) -> bool {
        self.objects[self.locations[location].object].origin == Origin::Outside
    }

    /// Whether an object is memory that is used as objects of other types.
    pub fn is_raw(&mut self, object: ObjectId) -> bool {
        let ty = self.objects[object].ty;
        ty == Types::unknown() || self.types.class(ty) == Types::bytes_type()
    }

    /// The object that a member of a points-to set lies in.
    pub fn object_of(&self, location: u32) -> ObjectId {
        self.locations[LocId::new(location as usize)].object
    }

    /// The memory that an object is in, whatever it is used as.
    pub fn base(&self, object: ObjectId) -> ObjectId {
        match self.objects[object].origin {
            Origin::As(base, _) => base,
            _ => object,
        }
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
    use watertight_ir::Program;

    fn memory(program: &Program) -> Memory<'_> {
        Memory::new(Types::new(program))
    }

    #[test]
    fn elements_of_an_array_of_structs_are_one_with_fields_apart() {
        let program = Program::default();
        let mut memory = memory(&program);
        let heap = Origin::Heap(FuncId::new(0), InstId::new(0), 0);
        let object = memory.object(heap, Types::unknown(), None);
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
        let program = Program::default();
        let mut memory = memory(&program);
        let object = memory.object(Origin::Global(GlobalId::new(0)), Types::unknown(), Some(8));
        assert!(memory.at(object, 8).is_some());
        assert!(memory.at(object, 9).is_none());
        assert!(memory.at(object, -1).is_none());
    }

    #[test]
    fn too_many_offsets_become_anywhere() {
        let program = Program::default();
        let mut memory = memory(&program);
        let object = memory.object(Origin::Heap(FuncId::new(0), InstId::new(0), 0), Types::unknown(), None);
        let last = (0..400).filter_map(|index| memory.at(object, index * 8)).last().expect("inside");
        assert_eq!(memory.locations[last].stride, 1);
    }
}
