//! Memory: objects, and locations in them.
//!
//! An object is whatever has an address of its own: a global, a function, a variable on the stack, a block acquired
//! at one place of the program. A location is an object and a byte offset, or, after a move by an amount that is not
//! known, every offset that is a multiple of a stride away from one. In objects of known type all elements of an
//! array are one (see [`crate::layout`]). Locations are numbered, so that sets of them are sets of small numbers.

use crate::layout::{Kind, Layouts, TypeRef};
use rustc_hash::FxHashMap;
use watertight_ir::{FuncId, GlobalId, InstId, Program, Table, define_ids};

define_ids! {
    /// An object.
    ObjectId "obj";
    /// An object and an offset.
    LocId "loc";
    /// A copy of bytes.
    CopyId "copy";
}

/// Where an object comes from.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Origin {
    /// All constants without addresses in them, such as text: one object, which holds nothing.
    Constants,
    Function(FuncId),
    Global(GlobalId),
    /// A variable, by the instruction that makes room for it.
    Stack(FuncId, InstId),
    /// Acquired by a call; the number tells the objects apart that one call acquires.
    Heap(FuncId, InstId, u32),
    /// The callee's copy of an argument passed by value.
    Parameter(FuncId, u32),
    /// The variable arguments of a function.
    Rest(FuncId),
    /// Memory of the outside world of one record type.
    Outside(TypeRef),
    /// Blocks of unknown type as pointers to this type see them, when there are too many to tell apart.
    Merged(TypeRef),
    /// Everything that pointers without a type point to where they point to too much (see `hub.rs`).
    Hub,
    /// All other memory of the outside world. It holds addresses of itself.
    World,
    /// Bytes on their way from one place to another.
    Copy(CopyId),
}

/// An object.
#[derive(Clone, Debug)]
pub struct Object {
    pub origin: Origin,
    /// Its declared type; of one element, when it `repeats`.
    pub ty: Option<TypeRef>,
    /// Its size, when that is fixed.
    pub bytes: Option<u64>,
    /// It is an array of who knows how many elements of the type.
    pub repeats: bool,
    /// It is this block as pointers to some kind see it; itself, when it stands for many blocks.
    pub view: Option<ObjectId>,
    /// How many locations there are in it.
    locations: u32,
}

impl Object {
    /// Whether its offsets matter and it can hold addresses.
    pub fn has_cells(&self) -> bool {
        !matches!(self.origin, Origin::Constants | Origin::Function(_) | Origin::World)
    }

    /// Whether it is a block of unknown type.
    pub fn is_raw(&self) -> bool {
        self.ty.is_none() && self.view.is_none() && matches!(self.origin, Origin::Heap(..) | Origin::Hub)
    }
}

/// An object and an offset. A stride other than 0 means every offset that is a multiple of it further on.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Location {
    pub object: ObjectId,
    pub offset: i64,
    pub stride: u32,
}

impl Location {
    /// Whether two locations may be the same byte.
    pub fn meets(&self, other: &Location) -> bool {
        if self.object != other.object {
            return false;
        }
        match gcd(self.stride, other.stride) {
            0 => self.offset == other.offset,
            stride => (self.offset - other.offset) % i64::from(stride) == 0,
        }
    }
}

/// Offsets in an object of unknown layout. Beyond, addresses in it are taken to be anywhere in it.
const MOST_LOCATIONS: u32 = 64;
/// The same in a block whose type only those know who see it as something (see [`crate::view`]).
const MOST_IN_BLOCK: u32 = 16;
/// Views that are told apart by the block.
const MOST_VIEWS: usize = 16;
/// Offsets further away than this belong to no object of a C program.
const FURTHEST: i64 = 1 << 31;

/// All objects and locations.
pub struct Memory<'a> {
    pub layouts: Layouts<'a>,
    pub objects: Table<ObjectId, Object>,
    pub locations: Table<LocId, Location>,
    by_origin: FxHashMap<Origin, ObjectId>,
    views: FxHashMap<(Option<ObjectId>, Kind), ObjectId>,
    /// The views that are told apart by the block, with the block.
    own_views: Vec<(ObjectId, ObjectId)>,
    moves: FxHashMap<(LocId, i64), (Option<LocId>, bool)>,
    strides: FxHashMap<(LocId, u32), Option<LocId>>,
    by_location: FxHashMap<Location, LocId>,
    by_offset: FxHashMap<(ObjectId, i64, u32), LocId>,
    pointer_bytes: u32,
}

impl<'a> Memory<'a> {
    pub fn new(program: &'a Program) -> Memory<'a> {
        Memory {
            layouts: Layouts::new(program),
            objects: Table::new(),
            locations: Table::new(),
            by_origin: FxHashMap::default(),
            views: FxHashMap::default(),
            own_views: Vec::new(),
            moves: FxHashMap::default(),
            strides: FxHashMap::default(),
            by_location: FxHashMap::default(),
            by_offset: FxHashMap::default(),
            pointer_bytes: program.target.pointer_bits / 8,
        }
    }

    /// The object of an origin. Type and size are those of the first who asks.
    pub fn object(
        &mut self,
        origin: Origin,
        ty: Option<TypeRef>,
        bytes: Option<u64>,
        repeats: bool,
    ) -> ObjectId {
        let objects = &mut self.objects;
        *self
            .by_origin
            .entry(origin)
            .or_insert_with(|| objects.push(Object { origin, ty, bytes, repeats, view: None, locations: 0 }))
    }

    /// A block as pointers to a kind see it, of a type of that kind. The block may be a view itself. When there are too
    /// many, all blocks that are seen as one kind are one.
    pub(crate) fn view(&mut self, block: ObjectId, kind: Kind, ty: TypeRef) -> ObjectId {
        let data = &self.objects[block];
        let origin = data.origin;
        let block = data.view.unwrap_or(block);
        if let Some(&known) = self.views.get(&(Some(block), kind)) {
            return known;
        }
        if self.views.len() >= MOST_VIEWS {
            return self.shared(kind, ty);
        }
        let view = Some(block);
        let id = self.objects.push(Object {
            origin,
            ty: Some(ty),
            bytes: None,
            repeats: true,
            view,
            locations: 0,
        });
        self.views.insert((view, kind), id);
        self.own_views.push((block, id));
        id
    }

    /// The object that stands for all blocks that are seen as a kind.
    pub(crate) fn shared(&mut self, kind: Kind, ty: TypeRef) -> ObjectId {
        let objects = &mut self.objects;
        *self.views.entry((None, kind)).or_insert_with(|| {
            let origin = Origin::Merged(ty);
            let id = objects.push(Object {
                origin,
                ty: Some(ty),
                bytes: None,
                repeats: true,
                view: None,
                locations: 0,
            });
            objects[id].view = Some(id);
            id
        })
    }

    /// The views of a block that are told apart from those of others.
    pub(crate) fn views_of(&self, block: ObjectId) -> Vec<ObjectId> {
        self.own_views.iter().filter(|view| view.0 == block).map(|view| view.1).collect()
    }

    pub fn known(&self, origin: Origin) -> Option<ObjectId> {
        self.by_origin.get(&origin).copied()
    }

    /// The location at an offset of an object, in the form that stands for all equal elements.
    pub fn at(&mut self, object: ObjectId, offset: i64) -> Option<LocId> {
        self.intern(object, offset, 0)
    }

    fn intern(&mut self, object: ObjectId, offset: i64, stride: u32) -> Option<LocId> {
        if let Some(&known) = self.by_offset.get(&(object, offset, stride)) {
            return Some(known);
        }
        let location = self.form(object, offset, stride)?;
        let id = self.number(location);
        self.by_offset.insert((object, offset, stride), id);
        Some(id)
    }

    /// The location that stands for all that are the same.
    fn form(&self, object: ObjectId, offset: i64, stride: u32) -> Option<Location> {
        let data = &self.objects[object];
        if !data.has_cells() {
            return Some(Location { object, offset: 0, stride: 0 });
        }
        if data.origin == Origin::Hub {
            return Some(Location { object, offset: 0, stride: 0 });
        }
        // An address further out than one past the end means nothing in C.
        let outside = data.bytes.is_some_and(|bytes| offset < 0 || offset as u64 > bytes);
        if outside || offset.abs() > FURTHEST {
            return None;
        }
        let anywhere = Location { object, offset: 0, stride: 1 };
        let normal = Location { object, offset: self.layouts.normal(data, offset), stride };
        if data.ty.is_some() {
            let end = data.bytes == Some(offset as u64);
            let begins = |kinds: Option<Vec<_>>| kinds.is_none_or(|kinds| !kinds.is_empty());
            return match stride == 0 && (end || begins(self.layouts.kinds_at(data, normal.offset))) {
                true => Some(normal),
                false => Some(anywhere),
            };
        }
        let most = if data.is_raw() { MOST_IN_BLOCK } else { MOST_LOCATIONS };
        let full = data.locations >= most;
        if full && !self.by_location.contains_key(&normal) {
            let word = self.pointer_bytes;
            let aligned = offset % i64::from(word) == 0 && stride.is_multiple_of(word);
            return Some(if aligned { Location { stride: word, ..anywhere } } else { anywhere });
        }
        Some(normal)
    }

    fn number(&mut self, location: Location) -> LocId {
        let locations = &mut self.locations;
        let objects = &mut self.objects;
        *self.by_location.entry(location).or_insert_with(|| {
            objects[location.object].locations += 1;
            locations.push(location)
        })
    }

    /// Whether a location stands for elements of an array between which an address may move by some bytes.
    pub fn stays(&self, location: LocId, bytes: i64) -> bool {
        let Location { object, offset, stride } = self.locations[location];
        stride == 0 && self.layouts.stays(&self.objects[object], offset, bytes)
    }

    /// Where an address is that moved by some bytes: some bytes further on, and whether also where it was, since all
    /// elements of an array are one.
    pub(crate) fn moved(&mut self, location: LocId, bytes: i64) -> (Option<LocId>, bool) {
        if let Some(&known) = self.moves.get(&(location, bytes)) {
            return known;
        }
        let found = (self.shifted(location, bytes), self.stays(location, bytes));
        self.moves.insert((location, bytes), found);
        found
    }

    /// A location some bytes further on.
    pub fn shifted(&mut self, location: LocId, bytes: i64) -> Option<LocId> {
        let Location { object, offset, stride } = self.locations[location];
        self.intern(object, offset.checked_add(bytes)?, stride)
    }

    /// Anywhere in the object of a location, unless there is but one place in it.
    pub(crate) fn anywhere(&mut self, location: LocId) -> Option<LocId> {
        let Location { object, .. } = self.locations[location];
        let data = &self.objects[object];
        let one = data.bytes.is_some_and(|bytes| bytes <= u64::from(self.pointer_bytes));
        match one || !data.has_cells() {
            true => Some(location),
            false => self.intern(object, 0, 1),
        }
    }

    /// A location an unknown multiple of `stride` bytes away.
    pub fn strided(&mut self, location: LocId, stride: u32) -> Option<LocId> {
        if let Some(&known) = self.strides.get(&(location, stride)) {
            return known;
        }
        let found = self.find_strided(location, stride);
        self.strides.insert((location, stride), found);
        found
    }

    fn find_strided(&mut self, location: LocId, stride: u32) -> Option<LocId> {
        let Location { object, offset, stride: before } = self.locations[location];
        let data = &self.objects[object];
        if !data.has_cells() || before == 0 && self.layouts.is_element(data, offset, stride) {
            return Some(location);
        }
        let stride = gcd(before, stride);
        // There is no second element.
        if before == 0 && data.bytes.is_some_and(|bytes| offset + i64::from(stride) >= bytes as i64) {
            return Some(location);
        }
        self.intern(object, offset, stride)
    }
}

/// The greatest common divisor; 0 is a multiple of everything.
pub fn gcd(a: u32, b: u32) -> u32 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Whether a program has a `main` function, and so no other callers than itself.
pub(crate) fn has_main(program: &Program) -> bool {
    program.function_named("main").is_some_and(|main| program.functions[main].body.is_some())
}
