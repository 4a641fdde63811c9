//! C types, across units, as far as they say where addresses lie.
//!
//! In: the debug information of all units. Out: one id for every type, equal for the `struct conn` of all units, and
//! answers about layout: what begins at an offset, where the first element of the array around an offset is, and
//! which types the program casts into each other.
//!
//! Types are a filter, never a source: what is not described is [`Types::UNKNOWN`], which may be anything. `char` is
//! storage for anything, too.

use crate::object::Trust;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use watertight_ir::ctype::described;
use watertight_ir::{DebugType, DebugTypeId, Id, Program, RecordKind, Table, UnitId};

watertight_ir::define_ids! {
    /// A type.
    TypeId "type";
    /// A struct or union.
    RecordId "record";
}

/// What a type is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Shape {
    /// `void`, and everything that is not described.
    Unknown,
    /// Bytes: storage for anything.
    Bytes,
    /// A number of so many bytes.
    Number(u32),
    Pointer(TypeId),
    /// Elements, with their count where it is known.
    Array(TypeId, Option<u64>),
    Record(RecordId),
    Function {
        result: TypeId,
        params: Box<[TypeId]>,
    },
}

/// A struct or union.
#[derive(Clone, Debug)]
struct Record {
    name: Box<str>,
    bytes: u64,
    kind: RecordKind,
    /// Where it is described; a declaration without members until a definition is seen.
    source: (UnitId, DebugTypeId),
    complete: bool,
    members: Option<Rc<[Member]>>,
}

/// A member at a byte offset.
#[derive(Copy, Clone, Debug)]
struct Member {
    offset: u64,
    bytes: u64,
    ty: TypeId,
}

/// All types met so far.
pub struct Types<'a> {
    program: &'a Program,
    shapes: Table<TypeId, Shape>,
    interned: FxHashMap<Shape, TypeId>,
    records: Table<RecordId, Record>,
    by_name: FxHashMap<Box<str>, Vec<RecordId>>,
    known: FxHashMap<(UnitId, DebugTypeId), TypeId>,
    related: FxHashSet<(TypeId, TypeId)>,
    /// The size of the largest type that each is cast to.
    extents: FxHashMap<TypeId, u64>,
    starts: FxHashMap<(TypeId, u64), Rc<[TypeId]>>,
    holds: FxHashMap<TypeId, bool>,
}

/// Types nested deeper than this are not looked into.
const DEEPEST: u32 = 32;

impl<'a> Types<'a> {
    pub const UNKNOWN_INDEX: usize = 0;
    const BYTES_INDEX: usize = 1;

    pub fn new(program: &'a Program) -> Types<'a> {
        let mut types = Types {
            program,
            shapes: Table::new(),
            interned: FxHashMap::default(),
            records: Table::new(),
            by_name: FxHashMap::default(),
            known: FxHashMap::default(),
            related: FxHashSet::default(),
            extents: FxHashMap::default(),
            starts: FxHashMap::default(),
            holds: FxHashMap::default(),
        };
        types.intern(Shape::Unknown);
        types.intern(Shape::Bytes);
        types
    }

    /// The type of which nothing is known.
    pub fn unknown() -> TypeId {
        TypeId::new(Self::UNKNOWN_INDEX)
    }

    /// Bytes: text, or storage for anything.
    pub fn bytes_type() -> TypeId {
        TypeId::new(Self::BYTES_INDEX)
    }

    pub fn intern(&mut self, shape: Shape) -> TypeId {
        if let Some(&known) = self.interned.get(&shape) {
            return known;
        }
        let id = self.shapes.push(shape.clone());
        self.interned.insert(shape, id);
        id
    }

    pub fn shape(&self, ty: TypeId) -> &Shape {
        &self.shapes[ty]
    }

    pub fn pointer(&mut self, to: TypeId) -> TypeId {
        self.intern(Shape::Pointer(to))
    }

    /// What a pointer points to; nothing known for others.
    pub fn pointee(&self, ty: TypeId) -> TypeId {
        match self.shapes[ty] {
            Shape::Pointer(to) => to,
            _ => Self::unknown(),
        }
    }

    /// The type that debug information describes.
    pub fn of(&mut self, unit: UnitId, ty: Option<DebugTypeId>) -> TypeId {
        self.resolve(unit, ty, DEEPEST)
    }

    fn resolve(&mut self, unit: UnitId, ty: Option<DebugTypeId>, depth: u32) -> TypeId {
        let debug = &self.program.units[unit].debug;
        // Numbers that are meant to be addresses say so.
        if let Some(DebugType::Typedef { name, .. }) = ty.and_then(|ty| debug.types.get(ty))
            && debug.names.get(*name).contains("ptr_t")
        {
            return self.intern(Shape::Pointer(Self::unknown()));
        }
        let Some(ty) = watertight_ir::ctype::strip(debug, ty) else {
            return Self::unknown();
        };
        if let Some(&known) = self.known.get(&(unit, ty)) {
            return known;
        }
        let Some(depth) = depth.checked_sub(1) else { return Self::unknown() };
        let program = self.program;
        let debug = &program.units[unit].debug;
        let shape = match described(debug, Some(ty)) {
            Some(DebugType::Base { bits, .. }) if *bits <= 8 => Shape::Bytes,
            Some(DebugType::Base { bits, .. } | DebugType::Enum { bits, .. }) => {
                Shape::Number(u32::try_from(bits.div_ceil(8)).unwrap_or(8))
            }
            Some(DebugType::Pointer { to }) => Shape::Pointer(self.resolve(unit, *to, depth)),
            Some(DebugType::Array { of, counts }) => {
                let count = counts.iter().try_fold(1u64, |product, count| product.checked_mul((*count)?));
                Shape::Array(self.resolve(unit, *of, depth), count)
            }
            Some(DebugType::Function { result, params, .. }) => Shape::Function {
                result: self.resolve(unit, *result, depth),
                params: params.iter().map(|&param| self.resolve(unit, param, depth)).collect(),
            },
            Some(DebugType::Record(record)) => Shape::Record(self.record(unit, ty, record)),
            _ => Shape::Unknown,
        };
        let id = self.intern(shape);
        self.known.insert((unit, ty), id);
        id
    }

    /// The record of all units that this one describes.
    fn record(&mut self, unit: UnitId, ty: DebugTypeId, record: &watertight_ir::Record) -> RecordId {
        let debug = &self.program.units[unit].debug;
        let name: Box<str> = match record.name {
            Some(name) => debug.names.get(name).into(),
            // A record without a name is known by its members.
            None => {
                let mut text = String::from("{");
                for member in &record.members {
                    text.push_str(member.name.map_or("", |name| debug.names.get(name)));
                    text.push(' ');
                }
                text.push('}');
                text.into()
            }
        };
        let complete = !record.members.is_empty();
        let data = Record {
            name: name.clone(),
            bytes: record.bytes,
            kind: record.kind,
            source: (unit, ty),
            complete,
            members: None,
        };
        let named = self.by_name.entry(name).or_default();
        for &known in named.iter() {
            let other = &mut self.records[known];
            if !complete || other.complete && other.bytes == record.bytes && other.kind == record.kind {
                return known;
            }
            // A definition says more than a declaration in another unit.
            if !other.complete {
                *other = data;
                return known;
            }
        }
        let id = self.records.push(data);
        named.push(id);
        id
    }

    fn members(&mut self, record: RecordId) -> Rc<[Member]> {
        if let Some(members) = &self.records[record].members {
            return members.clone();
        }
        let (unit, ty) = self.records[record].source;
        let program = self.program;
        let mut members = Vec::new();
        if let Some(DebugType::Record(described)) = program.units[unit].debug.types.get(ty) {
            for member in &described.members {
                let ty = self.resolve(unit, member.ty, DEEPEST);
                let bytes = self.size(ty).unwrap_or(0);
                members.push(Member { offset: member.offset_bits / 8, bytes, ty });
            }
        }
        if self.records[record].kind != RecordKind::Union {
            members.sort_by_key(|member| member.offset);
        }
        let members: Rc<[Member]> = members.into();
        self.records[record].members = Some(members.clone());
        members
    }

    /// Bytes of a type, where they are known.
    pub fn size(&self, ty: TypeId) -> Option<u64> {
        match self.shapes[ty] {
            Shape::Unknown | Shape::Function { .. } => None,
            Shape::Bytes => Some(1),
            Shape::Number(bytes) => Some(u64::from(bytes)),
            Shape::Pointer(_) => Some(u64::from(self.program.target.pointer_bits / 8)),
            Shape::Array(of, count) => self.size(of)?.checked_mul(count?),
            Shape::Record(record) => {
                let record = &self.records[record];
                record.complete.then_some(record.bytes)
            }
        }
    }

    /// Whether nothing can be said about what lies in objects of this type.
    pub fn is_storage(&self, ty: TypeId) -> bool {
        match self.shapes[ty] {
            Shape::Unknown | Shape::Bytes => true,
            Shape::Record(record) => !self.records[record].complete,
            _ => false,
        }
    }

    /// The member around an offset, for structs; the one member of a union that holds addresses, if only one does.
    fn around(&mut self, record: RecordId, offset: u64) -> Option<Member> {
        let members = self.members(record);
        if self.records[record].kind == RecordKind::Union {
            let mut holding = members.iter().filter(|member| self.holds_addresses(member.ty, DEEPEST));
            let one = holding.next().copied();
            return one.filter(|one| offset < one.bytes && holding.next().is_none());
        }
        let last = members.last().copied()?;
        let found = members.iter().rev().find(|member| {
            member.offset <= offset && (offset - member.offset < member.bytes || member.offset == offset)
        });
        // What follows a struct that ends in an array belongs to the array.
        let flexible =
            matches!(self.shapes[last.ty], Shape::Array(_, None | Some(0 | 1))) && offset >= last.offset;
        if flexible { Some(last) } else { found.copied() }
    }

    fn holds_addresses(&mut self, ty: TypeId, depth: u32) -> bool {
        if let Some(&known) = self.holds.get(&ty) {
            return known;
        }
        let Some(depth) = depth.checked_sub(1) else { return true };
        let holds = match self.shapes[ty] {
            Shape::Unknown | Shape::Pointer(_) | Shape::Function { .. } => true,
            Shape::Bytes => false,
            Shape::Number(bytes) => bytes == self.program.target.pointer_bits / 8,
            Shape::Array(of, _) => self.holds_addresses(of, depth),
            Shape::Record(record) => {
                let members = self.members(record);
                members.iter().any(|member| self.holds_addresses(member.ty, depth))
            }
        };
        self.holds.insert(ty, holds);
        holds
    }

    /// Where the address at an offset is found when the elements of each array are one: in its first element.
    pub fn canonical(&mut self, ty: TypeId, offset: u64) -> u64 {
        let (mut ty, mut left, mut base) = (ty, offset, 0u64);
        for _ in 0..DEEPEST {
            match self.shapes[ty] {
                Shape::Array(of, _) => match self.size(of) {
                    Some(bytes) if bytes > 0 => {
                        left %= bytes;
                        ty = of;
                    }
                    _ => return base,
                },
                Shape::Record(record) => match self.around(record, left) {
                    Some(member) => {
                        base += member.offset;
                        left -= member.offset;
                        ty = member.ty;
                    }
                    // Members of a union that lie over each other are one place.
                    None if self.records[record].kind == RecordKind::Union
                        && !self.is_plain_union(record) =>
                    {
                        return base;
                    }
                    None => return base + left,
                },
                _ => return base + left,
            }
        }
        base + left
    }

    /// Whether an array of bytes that is large enough for an address lies around an offset.
    pub fn is_buffer(&mut self, ty: TypeId, offset: u64) -> bool {
        let (mut ty, mut left) = (ty, offset);
        for _ in 0..DEEPEST {
            match self.shapes[ty] {
                Shape::Array(of, count) => {
                    if self.shapes[of] == Shape::Bytes {
                        return count.is_none_or(|count| count >= 8);
                    }
                    let Some(bytes) = self.size(of).filter(|&bytes| bytes > 0) else { return true };
                    left %= bytes;
                    ty = of;
                }
                Shape::Record(record) => {
                    let Some(member) = self.around(record, left) else {
                        return self.records[record].kind == RecordKind::Union
                            && self.records[record].bytes >= 8;
                    };
                    left -= member.offset;
                    ty = member.ty;
                }
                _ => return false,
            }
        }
        true
    }

    /// A union of scalars.
    fn is_plain_union(&mut self, record: RecordId) -> bool {
        self.members(record)
            .iter()
            .all(|member| !matches!(self.shapes[member.ty], Shape::Array(..) | Shape::Record(_)))
    }

    /// The types that begin at an offset, the outermost first. Storage among them means that anything may.
    pub fn starts(&mut self, ty: TypeId, offset: u64) -> Rc<[TypeId]> {
        if let Some(known) = self.starts.get(&(ty, offset)) {
            return known.clone();
        }
        let mut found = Vec::new();
        self.collect(ty, offset, DEEPEST, &mut found);
        let found: Rc<[TypeId]> = found.into();
        self.starts.insert((ty, offset), found.clone());
        found
    }

    fn collect(&mut self, ty: TypeId, offset: u64, depth: u32, found: &mut Vec<TypeId>) {
        let Some(depth) = depth.checked_sub(1) else { return };
        match self.shapes[ty] {
            Shape::Unknown | Shape::Bytes => found.push(ty),
            Shape::Array(of, _) => match self.size(of) {
                Some(bytes) if bytes > 0 => self.collect(of, offset % bytes, depth, found),
                _ => found.push(Self::unknown()),
            },
            Shape::Record(record) => {
                if offset == 0 {
                    found.push(ty);
                }
                if !self.records[record].complete {
                    return found.push(Self::unknown());
                }
                if self.records[record].kind != RecordKind::Union {
                    if let Some(member) = self.around(record, offset) {
                        self.collect(member.ty, offset - member.offset, depth, found);
                    }
                    return;
                }
                if !self.is_plain_union(record) && self.around(record, offset).is_none() {
                    found.push(Self::bytes_type());
                }
                for member in self.members(record).iter() {
                    if offset < member.bytes {
                        self.collect(member.ty, offset, depth, found);
                    }
                }
            }
            _ => {
                if offset == 0 {
                    found.push(ty);
                }
            }
        }
    }

    /// The type that tells apart what a pointer may point to: all numbers are one, and all pointers.
    pub fn class(&mut self, ty: TypeId) -> TypeId {
        match self.shapes[ty] {
            Shape::Unknown | Shape::Bytes | Shape::Record(_) => ty,
            Shape::Number(_) => self.intern(Shape::Number(8)),
            Shape::Pointer(_) => self.intern(Shape::Pointer(Self::unknown())),
            Shape::Function { .. } => {
                self.intern(Shape::Function { result: Self::unknown(), params: Box::new([]) })
            }
            Shape::Array(of, _) => self.class(of),
        }
    }

    /// The program casts a pointer to one into a pointer to the other. That a struct is looked at as bytes does not
    /// make bytes a struct.
    pub fn relate(&mut self, a: TypeId, b: TypeId) {
        let (a, b) = (self.class(a), self.class(b));
        // A record that begins with another is one without a cast.
        let records = matches!((self.shape(a), self.shape(b)), (Shape::Record(_), Shape::Record(_)));
        let nested = records && (self.nests(a, b) || self.nests(b, a));
        if a != b && a != Self::unknown() && b != Self::unknown() && !nested {
            self.related.insert((a, b));
            if b != Self::bytes_type() {
                self.related.insert((b, a));
            }
            for (one, other) in [(a, b), (b, a)] {
                let bytes = self.size(other).unwrap_or(0);
                let extent = self.extents.entry(one).or_insert(0);
                *extent = bytes.max(*extent);
            }
        }
    }

    /// Whether one type begins with the other.
    pub fn nests(&mut self, outer: TypeId, inner: TypeId) -> bool {
        let inner = self.class(inner);
        let starts = self.starts(outer, 0);
        starts.iter().any(|&start| self.class(start) == inner)
    }

    /// Whether the same memory may be used as both types.
    pub fn are_kin(&mut self, a: TypeId, b: TypeId) -> bool {
        let records = matches!((self.shape(a), self.shape(b)), (Shape::Record(_), Shape::Record(_)));
        self.related.contains(&(a, b)) || records && (self.nests(a, b) || self.nests(b, a))
    }

    /// Whether an address at an offset of a type can be one of a class.
    pub fn fits(&mut self, ty: TypeId, offset: u64, class: TypeId) -> bool {
        let starts = self.starts(ty, offset);
        starts.iter().any(|&start| self.is_storage(start) || self.same_class(start, class))
    }

    /// Like [`Types::fits`], for the outermost type that begins there and the records that it begins with.
    pub fn fits_whole(&mut self, ty: TypeId, offset: u64, class: TypeId) -> bool {
        let starts = self.starts(ty, offset);
        let record = matches!(self.shapes[class], Shape::Record(_));
        let count = if record { starts.len() } else { starts.len().min(1) };
        starts[..count].iter().any(|&start| self.is_storage(start) || self.same_class(start, class))
    }

    /// Like [`Types::fits`], counting casts between types.
    pub fn fits_by_cast(&mut self, ty: TypeId, offset: u64, class: TypeId, trust: Trust) -> bool {
        let starts = self.starts(ty, offset);
        starts.iter().any(|&start| {
            // That some number is looked at as bytes does not mean that every number is.
            if trust == Trust::Untyped && !matches!(self.shapes[start], Shape::Record(_)) {
                return false;
            }
            let start = self.class(start);
            self.related.contains(&(start, class))
        })
    }

    fn same_class(&mut self, a: TypeId, b: TypeId) -> bool {
        let word = u64::from(self.program.target.pointer_bits / 8);
        match (&self.shapes[a], &self.shapes[b]) {
            (Shape::Number(_), Shape::Number(_)) | (Shape::Pointer(_), Shape::Pointer(_)) => true,
            // Addresses are kept in integers as wide.
            (Shape::Number(bytes), Shape::Pointer(_)) => u64::from(*bytes) == word,
            (Shape::Pointer(_), Shape::Number(_)) => true,
            _ => self.class(a) == b,
        }
    }

    /// The type of the one scalar at an offset.
    pub fn scalar(&mut self, ty: TypeId, offset: u64) -> TypeId {
        let starts = self.starts(ty, offset);
        let mut scalars =
            starts.iter().copied().filter(|&start| !matches!(self.shapes[start], Shape::Record(_)));
        let Some(first) = scalars.next() else { return Self::unknown() };
        // The pointers in a union may be of several types.
        if scalars.all(|other| other == first) { first } else { Self::unknown() }
    }

    /// The type of an address some bytes into a type: the outermost that begins there.
    pub fn inside(&mut self, ty: TypeId, offset: u64) -> TypeId {
        // Scalars are found in rows.
        if let Shape::Bytes | Shape::Number(_) | Shape::Pointer(_) = self.shapes[ty]
            && self.size(ty).is_some_and(|bytes| offset.is_multiple_of(bytes))
        {
            return ty;
        }
        if !self.reaches(ty, offset) {
            return Self::unknown();
        }
        self.starts(ty, offset).first().copied().unwrap_or(Self::unknown())
    }

    /// Whether an offset lies in a type.
    pub fn reaches(&mut self, ty: TypeId, offset: u64) -> bool {
        if let Shape::Bytes | Shape::Number(_) | Shape::Pointer(_) = self.shapes[ty] {
            return true;
        }
        match self.size(ty) {
            Some(bytes) => offset < bytes || self.is_open(ty),
            None => matches!(self.shapes[ty], Shape::Array(..)),
        }
    }

    /// Whether a struct ends in an array of any length.
    pub fn is_open(&mut self, ty: TypeId) -> bool {
        let Shape::Record(record) = self.shapes[ty] else { return false };
        let members = self.members(record);
        members.last().is_some_and(|last| match self.shapes[last.ty] {
            Shape::Array(_, count) => matches!(count, None | Some(0 | 1)),
            Shape::Record(_) => self.is_open(last.ty),
            _ => false,
        })
    }

    /// The type of elements of some size that begin at the start of a type.
    pub fn element(&mut self, ty: TypeId, bytes: u64) -> TypeId {
        let starts = self.starts(ty, 0);
        let found = starts.iter().copied().find(|&start| self.size(start) == Some(bytes));
        found.unwrap_or(Self::unknown())
    }

    /// How far accesses reach when the program casts pointers to this type into pointers to larger ones.
    pub fn extent(&self, ty: TypeId) -> u64 {
        self.size(ty).unwrap_or(0).max(self.extents.get(&ty).copied().unwrap_or(0))
    }

    /// What the result of calling through a pointer of this type is.
    pub fn result(&self, pointer: TypeId) -> TypeId {
        match &self.shapes[self.pointee(pointer)] {
            Shape::Function { result, .. } => *result,
            _ => Self::unknown(),
        }
    }

    /// The parameters of the function that a pointer of this type points to.
    pub fn params(&self, pointer: TypeId) -> &[TypeId] {
        match &self.shapes[self.pointee(pointer)] {
            Shape::Function { params, .. } => params,
            _ => &[],
        }
    }

    /// The name of a type, for people.
    pub fn name(&self, ty: TypeId) -> String {
        match &self.shapes[ty] {
            Shape::Unknown => "something".to_owned(),
            Shape::Bytes => "char".to_owned(),
            Shape::Number(_) => "number".to_owned(),
            Shape::Pointer(to) if *to == Self::unknown() => "pointer".to_owned(),
            Shape::Pointer(to) => format!("{} *", self.name(*to)),
            Shape::Array(of, _) => format!("{}[]", self.name(*of)),
            Shape::Record(record) => {
                let record = &self.records[*record];
                format!("{} {}", record.kind.name(), record.name)
            }
            Shape::Function { .. } => "function".to_owned(),
        }
    }
}
