//! Layouts: which offsets of an object are elements of the same array.
//!
//! In: the declared type of an object and an offset. Out: the offset of the same place in the first element of every
//! array around it, since all elements of an array are one. Of a union the first member that is not made of bytes
//! decides, so that every offset has one form. Types come from the debug information of the units; nothing else is
//! taken from them, so wrong ones cost precision and lose no address, except that an index is taken to stay within
//! the array that it begins in.

use crate::object::{Object, Origin};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::rc::Rc;
use watertight_ir::{DebugType, DebugTypeId, Program, RecordKind, Table, UnitId, ctype};

/// A type of a unit.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TypeRef {
    pub unit: UnitId,
    pub ty: DebugTypeId,
}

/// What pointers are told apart by: the kind of what they point to.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// Text, and storage for anything.
    Bytes,
    Number,
    /// A pointer.
    Pointer(Target),
    Function,
    /// A struct or union; the one type that stands for it in all units.
    Record(TypeRef),
}

/// What pointers in memory are told apart by.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Target {
    /// `void`, or not known.
    Any,
    Plain,
    Pointer,
    Function,
    Record(TypeRef),
}

impl Kind {
    /// Whether pointers to this kind see blocks of unknown type as places for it.
    pub(crate) fn is_viewed(self) -> bool {
        match self {
            Kind::Record(_) => true,
            Kind::Pointer(target) => target != Target::Any,
            _ => false,
        }
    }

    pub(crate) fn is_pointer(self) -> bool {
        matches!(self, Kind::Pointer(_))
    }

    /// Whether a pointer to this kind may hold addresses of places of another without a cast.
    pub(crate) fn is_like(self, other: Kind) -> bool {
        match (self, other) {
            (Kind::Pointer(Target::Any), Kind::Pointer(_))
            | (Kind::Pointer(_), Kind::Pointer(Target::Any)) => true,
            _ => self == other,
        }
    }

    pub(crate) fn is_plain(self) -> bool {
        matches!(self, Kind::Bytes | Kind::Number)
    }

    /// Whether a place of this kind may be what a pointer to another kind points to, which the program casts this one to.
    /// Arrays of bytes and numbers are storage for anything.
    pub(crate) fn passes_for(self, other: Kind, storage: bool) -> bool {
        match (self, other) {
            (_, Kind::Function) | (Kind::Function, _) => self == other,
            (Kind::Bytes | Kind::Number, Kind::Record(_)) => storage,
            (Kind::Pointer(_), Kind::Record(_)) => false,
            _ => true,
        }
    }
}

/// What begins in a type, each with where it does.
type Inside = Rc<[(i64, Kind)]>;

/// Answers about layouts.
pub struct Layouts<'a> {
    program: &'a Program,
    /// The one type that stands for each record, by unit.
    records: Table<UnitId, FxHashMap<DebugTypeId, TypeRef>>,
    /// The same few places of the same types are asked for again and again.
    ways: RefCell<FxHashMap<(TypeRef, bool, i64), Rc<Way>>>,
    insides: RefCell<FxHashMap<TypeRef, Inside>>,
}

/// Arrays around a place that are looked at.
const DEEPEST: usize = 16;

/// Where a place is in the types around it.
struct Way {
    /// The place in the first element of every array around it.
    normal: i64,
    /// Sizes of the elements of those arrays, outermost first.
    elements: SmallVec<[u32; 4]>,
    /// Sizes of the arrays themselves, where they are known.
    arrays: SmallVec<[Option<i64>; 4]>,
    /// The scalar there, if the place begins one.
    scalar: Option<DebugTypeId>,
    /// All types that begin there, outermost first.
    starting: SmallVec<[DebugTypeId; 4]>,
    /// Bytes or members that lie over each other: anything may begin there.
    anything: bool,
    /// The scalar there is a number by type and an address by name.
    word: bool,
}

impl<'a> Layouts<'a> {
    pub fn new(program: &'a Program) -> Layouts<'a> {
        let mut records: FxHashMap<&'a str, TypeRef> = FxHashMap::default();
        for (unit, data) in program.units.iter() {
            for (ty, described) in data.debug.types.iter() {
                if let DebugType::Record(record) = described
                    && let Some(name) = record.name
                {
                    let found = TypeRef { unit, ty };
                    let known = records.entry(data.debug.names.get(name)).or_insert(found);
                    // Some units only declare it.
                    let other = program.units[known.unit].debug.types.get(known.ty);
                    let declared =
                        matches!(other, Some(DebugType::Record(other)) if other.members.is_empty());
                    if declared && !record.members.is_empty() {
                        *known = found;
                    }
                }
            }
        }
        let mut known: Table<UnitId, FxHashMap<DebugTypeId, TypeRef>> = Table::new();
        for (unit, data) in program.units.iter() {
            let described = data.debug.types.iter().filter_map(|(ty, described)| match described {
                DebugType::Record(record) => Some((ty, record.name)),
                _ => None,
            });
            let stands = |ty, name: Option<_>| {
                name.and_then(|name| records.get(data.debug.names.get(name)).copied())
                    .unwrap_or(TypeRef { unit, ty })
            };
            known.push(described.map(|(ty, name)| (ty, stands(ty, name))).collect());
        }
        Layouts { program, records: known, ways: RefCell::default(), insides: RefCell::default() }
    }

    /// A type without typedefs and qualifiers.
    pub fn of(&self, unit: UnitId, ty: Option<DebugTypeId>) -> Option<TypeRef> {
        let ty = ctype::strip(&self.program.units[unit].debug, ty)?;
        Some(TypeRef { unit, ty })
    }

    /// What a pointer type points to, without typedefs and qualifiers.
    pub fn pointee(&self, unit: UnitId, ty: Option<DebugTypeId>) -> Option<TypeRef> {
        let to = ctype::pointee(&self.program.units[unit].debug, ty)?;
        self.of(unit, to)
    }

    pub fn size(&self, ty: TypeRef) -> Option<u64> {
        ctype::size(&self.program.units[ty.unit].debug, Some(ty.ty), self.program.target.pointer_bits)
    }

    /// The one type that stands for the records of this name in all units, if it is a record.
    pub fn record(&self, ty: TypeRef) -> Option<TypeRef> {
        self.records[ty.unit].get(&ty.ty).copied()
    }

    /// Whether a record ends in an array of as many elements as there is room for.
    pub fn is_flexible(&self, ty: TypeRef) -> bool {
        let debug = &self.program.units[ty.unit].debug;
        let Some(DebugType::Record(record)) = debug.types.get(ty.ty) else { return false };
        let last = record.members.last().and_then(|member| ctype::described(debug, member.ty));
        matches!(last, Some(DebugType::Array { counts, .. }) if matches!(counts.first(), None | Some(None | Some(0))))
    }

    /// The one type that stands for the equal types of all units.
    pub fn one(&self, ty: TypeRef) -> TypeRef {
        self.record(ty).unwrap_or(ty)
    }

    pub fn is_record(&self, ty: TypeRef) -> bool {
        matches!(self.program.units[ty.unit].debug.types.get(ty.ty), Some(DebugType::Record(_)))
    }

    pub(crate) fn prototype(&self, function: &watertight_ir::Function) -> Option<&'a DebugType> {
        let debug = &self.program.units[function.unit].debug;
        debug.types.get(ctype::strip(debug, function.debug_type)?)
    }

    /// The outermost type that begins at an offset of a type.
    pub(crate) fn starting(&self, ty: TypeRef, offset: i64) -> Option<TypeRef> {
        self.way_in(ty, false, offset).starting.first().map(|&found| TypeRef { unit: ty.unit, ty: found })
    }

    /// What the pointer at an offset of a type points to.
    pub(crate) fn pointer_in(&self, ty: TypeRef, offset: i64) -> Option<TypeRef> {
        let way = self.way_in(ty, false, offset);
        // Which member of a union it is, is not known.
        if way.anything {
            return None;
        }
        self.pointee(ty.unit, Some(way.scalar?))
    }

    /// What an index in steps of so many bytes from the beginning of a type leads to.
    pub(crate) fn element(&self, ty: TypeRef, stride: u64) -> Option<TypeRef> {
        if self.size(ty) == Some(stride) {
            return Some(ty);
        }
        let debug = &self.program.units[ty.unit].debug;
        let mut at = ty.ty;
        for _ in 0..DEEPEST {
            let DebugType::Array { of, .. } = debug.types.get(ctype::strip(debug, Some(at))?)? else {
                return None;
            };
            at = ctype::strip(debug, *of)?;
            if self.size(TypeRef { unit: ty.unit, ty: at }) == Some(stride) {
                return Some(TypeRef { unit: ty.unit, ty: at });
            }
        }
        None
    }

    /// What begins at a location of an object; `None` when anything may.
    pub(crate) fn kinds_at(&self, object: &Object, offset: i64) -> Option<Vec<Kind>> {
        match object.origin {
            Origin::Function(_) => return Some(vec![Kind::Function]),
            // Arguments are fetched from there one by one, by code that knows the machine.
            Origin::Rest(_) => return Some(vec![Kind::Bytes, Kind::Number, Kind::Pointer(Target::Any)]),
            _ => {}
        }
        let ty = object.ty?;
        let mut found = Vec::new();
        let offset = match object.repeats {
            true => offset.rem_euclid(i64::try_from(self.size(ty)?).ok().filter(|&size| size > 0)?),
            false => offset,
        };
        let known = self.kinds(ty, offset, DEEPEST, &mut found);
        found.sort_unstable();
        found.dedup();
        known.then_some(found)
    }

    /// Collects what begins at an offset of a type; says whether all of it is known.
    fn kinds(&self, ty: TypeRef, offset: i64, depth: usize, found: &mut Vec<Kind>) -> bool {
        let debug = &self.program.units[ty.unit].debug;
        let Some(stripped) = ctype::strip(debug, Some(ty.ty)) else { return false };
        let Some(depth) = depth.checked_sub(1) else { return false };
        let inner = |of: Option<DebugTypeId>| of.map(|of| TypeRef { unit: ty.unit, ty: of });
        if offset == 0
            && let Some(kind) = self.kind(TypeRef { unit: ty.unit, ty: stripped })
        {
            found.push(kind);
        }
        match &debug.types[stripped] {
            DebugType::Array { of, .. } => {
                let Some(of) = inner(*of) else { return false };
                let Some(size) = self.size(of).and_then(|size| i64::try_from(size).ok()) else {
                    return false;
                };
                size > 0 && self.kinds(of, offset.rem_euclid(size), depth, found)
            }
            DebugType::Record(record) => record.members.iter().all(|member| {
                let start = (member.offset_bits / 8) as i64;
                let end = start + (member.bits.div_ceil(8)) as i64;
                let inside = offset >= start && (offset < end || member.bits == 0);
                let Some(of) = inner(member.ty) else { return false };
                member.bit_field || !inside || self.kinds(of, offset - start, depth, found)
            }),
            DebugType::Opaque => false,
            _ => true,
        }
    }

    /// What a pointer type points to.
    fn target(&self, pointer: TypeRef) -> Target {
        let Some(to) = self.pointee(pointer.unit, Some(pointer.ty)) else { return Target::Any };
        let debug = &self.program.units[to.unit].debug;
        match debug.types.get(to.ty) {
            Some(DebugType::Base { .. } | DebugType::Enum { .. }) => Target::Plain,
            Some(DebugType::Pointer { .. }) => Target::Pointer,
            Some(DebugType::Function { .. }) => Target::Function,
            Some(DebugType::Record(_)) => self.record(to).map_or(Target::Any, Target::Record),
            _ => Target::Any,
        }
    }

    /// The kind of a type; `None` for what is not known, and for arrays.
    pub(crate) fn kind(&self, ty: TypeRef) -> Option<Kind> {
        let debug = &self.program.units[ty.unit].debug;
        match debug.types.get(ty.ty)? {
            DebugType::Base { bits: 0..=8, .. } => Some(Kind::Bytes),
            DebugType::Base { .. } | DebugType::Enum { .. } => Some(Kind::Number),
            DebugType::Pointer { .. } => Some(Kind::Pointer(self.target(ty))),
            DebugType::Function { .. } => Some(Kind::Function),
            DebugType::Record(_) => self.record(ty).map(Kind::Record),
            // A pointer to an array points to its first element.
            DebugType::Array { of, .. } => {
                let of = ctype::strip(debug, *of)?;
                match debug.types.get(of)? {
                    DebugType::Array { .. } => None,
                    _ => self.kind(TypeRef { unit: ty.unit, ty: of }),
                }
            }
            _ => None,
        }
    }

    /// The form of an offset that stands for all equal elements.
    pub fn normal(&self, object: &Object, offset: i64) -> i64 {
        match object.ty {
            Some(ty) => self.way(ty, object, offset).normal,
            None => offset,
        }
    }

    /// Whether an index in steps of `stride` from an offset stays in an array whose elements are one.
    pub fn is_element(&self, object: &Object, offset: i64, stride: u32) -> bool {
        object.ty.is_some_and(|ty| self.way(ty, object, offset).elements.contains(&stride))
    }

    /// Whether an address that moves by some bytes from an offset may come to another element of the same array.
    pub fn stays(&self, object: &Object, offset: i64, bytes: i64) -> bool {
        let Some(ty) = object.ty.filter(|_| bytes != 0) else { return false };
        let way = self.way(ty, object, offset);
        way.elements.iter().zip(&way.arrays).any(|(&element, array)| {
            bytes % i64::from(element.max(1)) == 0 && array.is_none_or(|array| bytes.abs() < array)
        })
    }

    /// The distance of equal elements around an offset; 0 when it is not in an array.
    pub fn period(&self, object: &Object, offset: i64) -> u32 {
        match object.ty {
            Some(ty) => self
                .way(ty, object, offset)
                .elements
                .iter()
                .fold(0, |all, &size| crate::object::gcd(all, size)),
            None => 0,
        }
    }

    /// The type of what a pointer at an offset of a type points to.
    pub fn pointer_at(&self, object: &Object, offset: i64) -> Option<TypeRef> {
        let ty = object.ty?;
        let scalar = self.way(ty, object, offset).scalar?;
        self.pointee(ty.unit, Some(scalar))
    }

    /// Whether the type says that there is a number at an offset, which is no address. Numbers that are meant to be
    /// addresses say so in their name.
    pub fn is_number(&self, object: &Object, offset: i64) -> bool {
        let Some(ty) = object.ty else { return false };
        let way = self.way(ty, object, offset);
        let debug = &self.program.units[ty.unit].debug;
        if way.anything || way.word {
            return false;
        }
        way.scalar.is_some_and(|scalar| {
            matches!(debug.types.get(scalar), Some(DebugType::Base { .. } | DebugType::Enum { .. }))
        })
    }

    /// Whether there is an array of bytes or numbers, with room for more, at an offset.
    pub(crate) fn is_storage(&self, object: &Object, offset: i64) -> bool {
        let Some(ty) = object.ty else { return false };
        let way = self.way(ty, object, offset);
        let debug = &self.program.units[ty.unit].debug;
        let room = i64::from(self.program.target.pointer_bits / 8);
        let plain =
            way.scalar.is_some_and(|scalar| matches!(debug.types.get(scalar), Some(DebugType::Base { .. })));
        plain && way.arrays.last().is_some_and(|array| array.is_none_or(|bytes| bytes >= room))
    }

    /// The offsets in a type where something of some kinds begins, in the first elements of arrays.
    pub(crate) fn places(&self, ty: TypeRef, wanted: &dyn Fn(Kind) -> bool) -> Vec<i64> {
        self.kinds_in(ty).iter().filter(|place| wanted(place.1)).map(|place| place.0).collect()
    }

    /// What begins in a type, each with where it does, in the first elements of arrays.
    pub(crate) fn kinds_in(&self, ty: TypeRef) -> Inside {
        if let Some(known) = self.insides.borrow().get(&ty) {
            return known.clone();
        }
        let mut found = Vec::new();
        self.collect(ty, 0, 0, &mut found);
        let found: Inside = found.into();
        self.insides.borrow_mut().insert(ty, found.clone());
        found
    }

    fn collect(&self, ty: TypeRef, base: i64, depth: usize, found: &mut Vec<(i64, Kind)>) {
        let debug = &self.program.units[ty.unit].debug;
        let Some(stripped) = ctype::strip(debug, Some(ty.ty)) else { return };
        if depth > DEEPEST {
            return;
        }
        if let Some(kind) = self.kind(TypeRef { unit: ty.unit, ty: stripped }) {
            found.push((base, kind));
        }
        let mut inner = |to: Option<DebugTypeId>, base: i64| {
            if let Some(to) = to {
                self.collect(TypeRef { unit: ty.unit, ty: to }, base, depth + 1, found);
            }
        };
        match &debug.types[stripped] {
            DebugType::Array { of, .. } => inner(*of, base),
            DebugType::Record(record) => {
                for member in record.members.iter().filter(|member| !member.bit_field) {
                    inner(member.ty, base + (member.offset_bits / 8) as i64);
                }
            }
            _ => {}
        }
    }

    fn way(&self, ty: TypeRef, object: &Object, offset: i64) -> Rc<Way> {
        self.way_in(ty, object.repeats, offset)
    }

    fn way_in(&self, ty: TypeRef, repeats: bool, offset: i64) -> Rc<Way> {
        let key = (ty, repeats, offset);
        if let Some(known) = self.ways.borrow().get(&key) {
            return known.clone();
        }
        let way = Rc::new(self.find_way(ty, repeats, offset));
        self.ways.borrow_mut().insert(key, way.clone());
        way
    }

    fn find_way(&self, ty: TypeRef, repeats: bool, offset: i64) -> Way {
        let mut way = Way {
            normal: offset,
            elements: SmallVec::new(),
            arrays: SmallVec::new(),
            scalar: None,
            starting: SmallVec::new(),
            anything: false,
            word: false,
        };
        let debug = &self.program.units[ty.unit].debug;
        let bits = self.program.target.pointer_bits;
        let mut rest = offset;
        if repeats {
            let Some(size) = self.size(ty).and_then(|size| i64::try_from(size).ok()).filter(|&size| size > 0)
            else {
                return way;
            };
            rest = offset.rem_euclid(size);
            way.normal = rest;
            way.elements.push(size as u32);
            way.arrays.push(None);
        }
        let mut at = Some(ty.ty);
        for _ in 0..DEEPEST {
            if let Some(DebugType::Typedef { name, .. }) = at.and_then(|at| debug.types.get(at)) {
                way.word = debug.names.get(*name).contains("ptr");
            }
            let Some(stripped) = ctype::strip(debug, at) else {
                way.anything = true;
                return way;
            };
            if rest == 0 {
                way.starting.push(stripped);
            }
            match &debug.types[stripped] {
                DebugType::Array { of, counts } => {
                    let Some(element) =
                        ctype::size(debug, *of, bits).and_then(|size| i64::try_from(size).ok())
                    else {
                        return way;
                    };
                    // All dimensions at once: the innermost element stands for all.
                    let count = counts
                        .iter()
                        .try_fold(1i64, |all, count| all.checked_mul(i64::try_from((*count)?).ok()?));
                    let inside = rest >= 0 && count.is_none_or(|count| rest < count.saturating_mul(element));
                    if element <= 0 || !inside {
                        return way;
                    }
                    let mut size = element;
                    let mut sizes: SmallVec<[u32; 4]> = SmallVec::new();
                    sizes.push(size as u32);
                    for count in counts.iter().skip(1).rev() {
                        let Some(count) = count.and_then(|count| i64::try_from(count).ok()) else { break };
                        size = size.saturating_mul(count);
                        sizes.push(size as u32);
                    }
                    sizes.reverse();
                    let whole = count.map(|count| count.saturating_mul(element));
                    way.arrays.extend(sizes.iter().map(|_| whole));
                    way.elements.extend(sizes);
                    way.normal -= rest - rest % element;
                    rest %= element;
                    at = *of;
                }
                DebugType::Record(record) => {
                    let inside = |member: &&watertight_ir::Member| {
                        let start = (member.offset_bits / 8) as i64;
                        let end = start + (member.bits.div_ceil(8)) as i64;
                        // A member without a size at the end has as many elements as there is room for.
                        let open = member.bits == 0 && start + 1 > 0 && rest >= record.bytes as i64;
                        rest >= start && (rest < end || open)
                    };
                    let mut members = record.members.iter().filter(|member| !member.bit_field).filter(inside);
                    let member = match record.kind {
                        RecordKind::Union => {
                            way.anything = true;
                            let least = i64::from(bits / 8);
                            let coarse =
                                |member: &&watertight_ir::Member| match ctype::described(debug, member.ty) {
                                    Some(DebugType::Array { of, .. }) => {
                                        ctype::size(debug, *of, bits).is_some_and(|size| size as i64 >= least)
                                    }
                                    _ => true,
                                };
                            members.clone().find(coarse).or_else(|| members.next())
                        }
                        _ => members.next(),
                    };
                    let Some(member) = member else { return way };
                    rest -= (member.offset_bits / 8) as i64;
                    at = member.ty;
                }
                found => {
                    way.scalar = (rest == 0).then_some(stripped);
                    way.anything |= matches!(found, DebugType::Base { bits: 8, .. } | DebugType::Opaque);
                    return way;
                }
            }
        }
        way
    }
}
