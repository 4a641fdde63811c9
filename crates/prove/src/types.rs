//! C types as the regions need them: one id for equal types of all units, and what lies at an offset.
//!
//! In: types of the debug information. Out: [`TypeId`]s that are equal when the types are, so that a `struct list *` of
//! one unit and of another are the same; and for an offset in a type the scalar there with the innermost record around
//! it. Types between which the program casts pointers are united ([`Types::unite`]), unless one begins with the other.
//!
//! Debug information comes from outside, so every walk is bounded.

use crate::limits::TYPE_DEPTH;
use rustc_hash::{FxHashMap, FxHashSet};
use watertight_ir::{
    DebugType, DebugTypeId, Encoding, Id as _, NameId, Program, RecordKind, UnitId, ctype, define_ids,
};

define_ids! {
    /// A C type, the same for equal types of all units.
    TypeId "type";
}

/// What a type is.
#[derive(Clone, PartialEq, Debug)]
pub enum Shape {
    /// Not known, or without a size.
    Opaque,
    Function,
    /// A number of so many bytes. One byte is text or storage for anything.
    Number {
        bytes: u64,
    },
    /// A pointer, to `void` when absent.
    Pointer {
        to: Option<TypeId>,
    },
    /// Of a union all members lie at the beginning.
    Record {
        fields: Vec<Field>,
        bytes: u64,
        union: bool,
    },
    Array {
        of: TypeId,
        bytes: u64,
    },
}

/// A member of a record.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Field {
    pub offset: i64,
    pub bytes: u64,
    pub ty: TypeId,
    /// In the debug information of a unit; anonymous members have none.
    pub name: Option<(UnitId, NameId)>,
}

/// The field that an offset lies in; of several that begin there, the last.
fn field_at(fields: &[Field], offset: i64) -> Option<&Field> {
    fields.iter().rfind(|field| {
        let end = field.offset + i64::try_from(field.bytes).unwrap_or(i64::MAX);
        field.offset <= offset && (offset < end || field.bytes == 0)
    })
}

/// A scalar in memory.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Scalar {
    /// The innermost record around it and where in it, if it is in one; all elements of an array are one.
    pub field: Option<(TypeId, i64)>,
    pub ty: TypeId,
    /// Other members of a union lie over it.
    pub overlaid: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Key {
    Opaque,
    Function,
    Number(u64),
    Pointer(Option<TypeId>),
    Array(TypeId, u64),
    /// By name in all units, or a type of one unit.
    Named(Box<str>),
    Own(UnitId, DebugTypeId),
}

/// All types met so far.
pub struct Types<'p> {
    program: &'p Program,
    shapes: Vec<Shape>,
    keys: FxHashMap<Key, TypeId>,
    known: FxHashMap<(UnitId, DebugTypeId), TypeId>,
    /// Union-find over types that are cast into each other.
    united: Vec<TypeId>,
    every_record: Option<Vec<TypeId>>,
    /// Types from pointers to which the program finds back to what lies before: `container_of`.
    led_back: FxHashSet<TypeId>,
    /// Types of which pointers are indexed, so that blocks of memory may hold several.
    repeated: FxHashSet<TypeId>,
}

impl<'p> Types<'p> {
    pub fn new(program: &'p Program) -> Types<'p> {
        Types {
            program,
            shapes: Vec::new(),
            keys: FxHashMap::default(),
            known: FxHashMap::default(),
            united: Vec::new(),
            every_record: None,
            led_back: FxHashSet::default(),
            repeated: FxHashSet::default(),
        }
    }

    /// The id of a type; `None` for `void` and what is not described.
    pub fn of(&mut self, unit: UnitId, ty: Option<DebugTypeId>) -> Option<TypeId> {
        self.look(unit, ty, TYPE_DEPTH)
    }

    fn look(&mut self, unit: UnitId, ty: Option<DebugTypeId>, depth: usize) -> Option<TypeId> {
        let debug = &self.program.units[unit].debug;
        let ty = ctype::strip(debug, ty)?;
        if let Some(&known) = self.known.get(&(unit, ty)) {
            return Some(known);
        }
        let depth = depth.checked_sub(1)?;
        let bits = self.program.target.pointer_bits;
        let id = match debug.types.get(ty)? {
            DebugType::Opaque => self.add(Key::Opaque, Shape::Opaque),
            DebugType::Function { .. } => self.add(Key::Function, Shape::Function),
            DebugType::Base { bits, encoding, .. } => {
                // Floating-point numbers are of no interest, and no number is told from another of its size.
                let bytes = if *encoding == Encoding::Boolean { 1 } else { bits.div_ceil(8) };
                self.add(Key::Number(bytes), Shape::Number { bytes })
            }
            DebugType::Enum { bits, .. } => {
                let bytes = bits.div_ceil(8);
                self.add(Key::Number(bytes), Shape::Number { bytes })
            }
            DebugType::Pointer { to } => {
                let to = self.look(unit, *to, depth);
                self.add(Key::Pointer(to), Shape::Pointer { to })
            }
            DebugType::Array { of, .. } => {
                let bytes = ctype::size(debug, Some(ty), bits).unwrap_or(0);
                let of = self.look(unit, *of, depth)?;
                self.add(Key::Array(of, bytes), Shape::Array { of, bytes })
            }
            DebugType::Record(record) => {
                let key = match record.name {
                    Some(name) => {
                        Key::Named(format!("{} {}", record.kind.name(), debug.names.get(name)).into())
                    }
                    None => Key::Own(unit, ty),
                };
                let id = match self.keys.get(&key) {
                    Some(&id) => id,
                    None => self.add(key, Shape::Record { fields: Vec::new(), bytes: 0, union: false }),
                };
                self.known.insert((unit, ty), id);
                let described = matches!(&self.shapes[id.index()], Shape::Record { bytes, .. } if *bytes > 0);
                if !described && record.bytes > 0 {
                    // The size first, so that a record that contains a pointer to itself is described once.
                    let union = record.kind == RecordKind::Union;
                    self.shapes[id.index()] =
                        Shape::Record { fields: Vec::new(), bytes: record.bytes, union };
                    let mut fields = Vec::new();
                    for member in &record.members {
                        if let Some(ty) = self.look(unit, member.ty, depth) {
                            let offset = (member.offset_bits / 8) as i64;
                            let name = member.name.map(|name| (unit, name));
                            fields.push(Field { offset, bytes: member.bits.div_ceil(8), ty, name });
                        }
                    }
                    self.shapes[id.index()] = Shape::Record { fields, bytes: record.bytes, union };
                }
                return Some(id);
            }
            DebugType::Typedef { .. } | DebugType::Qualified { .. } => return None,
        };
        self.known.insert((unit, ty), id);
        Some(id)
    }

    fn add(&mut self, key: Key, shape: Shape) -> TypeId {
        if let Some(&id) = self.keys.get(&key) {
            return id;
        }
        let id = TypeId::new(self.shapes.len());
        self.shapes.push(shape);
        self.united.push(id);
        self.keys.insert(key, id);
        id
    }

    pub fn shape(&self, ty: TypeId) -> &Shape {
        &self.shapes[ty.index()]
    }

    pub fn size(&self, ty: TypeId) -> u64 {
        match self.shape(ty) {
            Shape::Opaque | Shape::Function => 0,
            Shape::Number { bytes } | Shape::Record { bytes, .. } | Shape::Array { bytes, .. } => *bytes,
            Shape::Pointer { .. } => u64::from(self.program.target.pointer_bits / 8),
        }
    }

    /// The pointer type to a type.
    pub fn pointer_to(&mut self, to: Option<TypeId>) -> TypeId {
        self.add(Key::Pointer(to), Shape::Pointer { to })
    }

    /// The first description of a type in the debug information.
    pub fn description(&self, ty: TypeId) -> Option<(UnitId, DebugTypeId)> {
        self.known.iter().filter(|known| *known.1 == ty).map(|known| *known.0).min()
    }

    /// The one type that stands for all that are united with a type.
    pub fn class(&self, ty: TypeId) -> TypeId {
        let mut at = ty;
        while self.united[at.index()] != at {
            at = self.united[at.index()];
        }
        at
    }

    /// A pointer to one type is used as a pointer to the other.
    pub fn unite(&mut self, a: TypeId, b: TypeId) {
        let (a, b) = (self.class(a), self.class(b));
        if a == b || self.begins_with(a, b) || self.begins_with(b, a) || self.is_text(a) || self.is_text(b) {
            return;
        }
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        self.united[high.index()] = low;
    }

    /// Bytes: a pointer to them says nothing of what it points to, and they hold no address.
    pub fn is_text(&self, ty: TypeId) -> bool {
        matches!(self.shape(ty), Shape::Number { bytes: 1 })
    }

    /// Whether an object of one type has the other at its beginning, so that one address is that of both.
    pub fn begins_with(&self, whole: TypeId, part: TypeId) -> bool {
        let mut todo = vec![(whole, TYPE_DEPTH)];
        while let Some((ty, depth)) = todo.pop() {
            if self.class(ty) == self.class(part) {
                return true;
            }
            let Some(depth) = depth.checked_sub(1) else { continue };
            match self.shape(ty) {
                Shape::Record { fields, .. } => {
                    todo.extend(
                        fields.iter().filter(|field| field.offset == 0).map(|field| (field.ty, depth)),
                    );
                }
                Shape::Array { of, .. } => todo.push((*of, depth)),
                _ => {}
            }
        }
        false
    }

    /// Whether a pointer to one type and a pointer to another may be the same address. `None` is `void`.
    pub fn may_meet(&self, a: Option<TypeId>, b: Option<TypeId>) -> bool {
        let (Some(a), Some(b)) = (a, b) else { return true };
        let open = |ty| matches!(self.shape(ty), Shape::Opaque);
        open(a) || open(b) || self.begins_with(a, b) || self.begins_with(b, a)
    }

    /// An offset from the beginning of an object or of an array of them, as an offset in one of them. What lies behind an
    /// object that ends in an array may be more of that array, and is not known unless the array has no size of its own.
    fn wrapped(&self, ty: TypeId, offset: i64) -> Option<i64> {
        let size = i64::try_from(self.size(ty)).ok()?;
        if (0..size).contains(&offset) || size == 0 {
            return Some(offset);
        }
        match self.last_array(ty, TYPE_DEPTH) {
            Some((from, 0)) => Some(if offset >= from { offset } else { offset.rem_euclid(size) }),
            Some(_) => None,
            None => Some(offset.rem_euclid(size)),
        }
    }

    /// Where the array begins that an object ends in, and how large it is declared.
    fn last_array(&self, ty: TypeId, depth: usize) -> Option<(i64, u64)> {
        let Shape::Record { fields, union: false, .. } = self.shape(ty) else { return None };
        let last = fields.iter().max_by_key(|field| field.offset)?;
        match self.shape(last.ty) {
            Shape::Array { .. } => Some((last.offset, last.bytes)),
            Shape::Record { .. } => {
                let (from, bytes) = self.last_array(last.ty, depth.checked_sub(1)?)?;
                Some((last.offset + from, bytes))
            }
            _ => None,
        }
    }

    /// Whether an object of a type has pointers in it, as declared.
    pub fn has_pointers(&self, ty: TypeId) -> bool {
        self.holds(ty, TYPE_DEPTH)
    }

    fn holds(&self, ty: TypeId, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return true };
        match self.shape(ty) {
            Shape::Number { .. } | Shape::Function => false,
            Shape::Pointer { to } => !to.is_some_and(|to| matches!(self.shape(to), Shape::Function)),
            Shape::Record { fields, .. } => fields.iter().any(|field| self.holds(field.ty, depth)),
            Shape::Array { of, .. } => self.holds(*of, depth),
            Shape::Opaque => true,
        }
    }

    /// The part of an object that begins at an offset, the largest of those that do; of an array, what its elements are.
    pub fn part_at(&self, ty: TypeId, offset: i64) -> Option<TypeId> {
        let (mut at, mut offset) = (ty, self.wrapped(ty, offset)?);
        if offset == 0 {
            return Some(self.element(ty));
        }
        for _ in 0..TYPE_DEPTH {
            match self.shape(at) {
                Shape::Record { fields, union: false, .. } => {
                    let inside = field_at(fields, offset)?;
                    offset -= inside.offset;
                    at = inside.ty;
                    if offset == 0 {
                        return Some(self.element(at));
                    }
                }
                Shape::Array { of, .. } => {
                    let size = i64::try_from(self.size(*of)).ok().filter(|&size| size > 0)?;
                    offset = offset.rem_euclid(size);
                    at = *of;
                    if offset == 0 {
                        return Some(self.element(at));
                    }
                }
                // In the middle of a scalar or of a union.
                _ => return Some(at),
            }
        }
        None
    }

    /// What an array is made of; any other type itself.
    pub fn element(&self, ty: TypeId) -> TypeId {
        let mut at = ty;
        while let Shape::Array { of, .. } = self.shape(at) {
            at = *of;
        }
        at
    }

    /// Whether memory of one type can be used as the other without a pointer of the one being something else of the other:
    /// they are the same, one begins with the other, or neither has pointers.
    pub fn fits(&self, one: TypeId, other: TypeId) -> bool {
        let (one, other) = (self.element(one), self.element(other));
        let numbers = |ty| matches!(self.shape(ty), Shape::Number { .. });
        if self.class(one) == self.class(other) && self.agree(one, other) {
            return true;
        }
        match (self.has_pointers(one), self.has_pointers(other)) {
            (false, false) => true,
            _ if numbers(one) || numbers(other) => false,
            _ => self.begins_with(one, other) || self.begins_with(other, one),
        }
    }

    /// Whether two types that share their regions have the same kinds of scalars at the same offsets.
    fn agree(&self, one: TypeId, other: TypeId) -> bool {
        if one == other {
            return true;
        }
        let (Some(some), Some(others)) = (self.scalars(one), self.scalars(other)) else { return false };
        let alike = |a: &(i64, Scalar, bool), b: &(i64, Scalar, bool)| {
            let same = match (self.shape(a.1.ty), self.shape(b.1.ty)) {
                (Shape::Pointer { to: one }, Shape::Pointer { to: other }) => self.may_meet(*one, *other),
                (one, other) => one == other,
            };
            a.0 == b.0 && same && a.1.overlaid == b.1.overlaid
        };
        some.iter().zip(&others).all(|(a, b)| alike(a, b))
    }

    /// The scalar at an offset of a type. Offsets beyond the end are those of further elements of an array.
    pub fn scalar_at(&self, ty: TypeId, offset: i64) -> Option<Scalar> {
        let mut at = ty;
        let mut offset = self.wrapped(ty, offset)?;
        let mut field: Option<(TypeId, i64)> = None;
        let mut overlaid = false;
        for _ in 0..TYPE_DEPTH {
            match self.shape(at) {
                Shape::Number { .. } | Shape::Pointer { .. } => {
                    return (offset == 0 || overlaid).then_some(Scalar { field, ty: at, overlaid });
                }
                Shape::Record { fields, union: true, .. } => {
                    // Which member is meant cannot be seen; the whole union is one place.
                    overlaid = true;
                    field = Some((self.class(at), 0));
                    let inside =
                        fields.iter().find(|field| matches!(self.shape(field.ty), Shape::Pointer { .. }));
                    return inside.or(fields.first()).map(|first| Scalar { field, ty: first.ty, overlaid });
                }
                Shape::Record { fields, .. } => {
                    let inside = field_at(fields, offset)?;
                    field = Some((self.class(at), inside.offset));
                    offset -= inside.offset;
                    at = inside.ty;
                }
                Shape::Array { of, .. } => {
                    let size = i64::try_from(self.size(*of)).ok().filter(|&size| size > 0)?;
                    offset = offset.rem_euclid(size);
                    at = *of;
                }
                Shape::Opaque | Shape::Function => return None,
            }
        }
        None
    }

    /// Whether a pointer may lie over a byte of an object, as declared: any member of a union may.
    pub fn may_be_pointer_at(&self, ty: TypeId, offset: i64) -> bool {
        self.pointer_at(ty, offset, TYPE_DEPTH)
    }

    fn pointer_at(&self, ty: TypeId, offset: i64, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return true };
        let size = i64::try_from(self.size(ty)).unwrap_or(0);
        match self.shape(ty) {
            Shape::Pointer { to } => {
                let function = to.is_some_and(|to| matches!(self.shape(to), Shape::Function));
                !function && (0..size).contains(&offset)
            }
            Shape::Number { .. } | Shape::Function | Shape::Opaque => false,
            Shape::Record { fields, .. } => {
                let Some(offset) = self.wrapped(ty, offset) else { return self.holds(ty, depth) };
                fields.iter().any(|field| {
                    let end = field.offset + i64::try_from(field.bytes).unwrap_or(i64::MAX);
                    ((field.offset..end).contains(&offset) || (field.bytes == 0 && offset >= field.offset))
                        && self.pointer_at(field.ty, offset - field.offset, depth)
                })
            }
            Shape::Array { of, .. } => {
                let each = i64::try_from(self.size(*of)).unwrap_or(0);
                each > 0 && self.pointer_at(*of, offset.rem_euclid(each), depth)
            }
        }
    }

    /// Whether some record has a type inside, but not at its beginning: a pointer to the type may then lead into the
    /// middle of a block.
    pub fn is_embedded(&mut self, ty: TypeId) -> bool {
        let all = self.records();
        let Shape::Record { .. } = self.shape(ty) else { return false };
        all.into_iter().any(|record| self.is_inside(record, 0, ty, TYPE_DEPTH))
    }

    fn is_inside(&self, whole: TypeId, base: i64, part: TypeId, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        match self.shape(whole) {
            Shape::Record { fields, .. } => fields.iter().any(|field| {
                let at = base + field.offset;
                (at > 0 && self.class(field.ty) == self.class(part))
                    || self.is_inside(field.ty, at, part, depth)
            }),
            Shape::Array { of, .. } => self.is_inside(*of, base, part, depth),
            _ => false,
        }
    }

    /// Whether objects of a type may lead back to objects of the type by pointers, so that they can be in a circle.
    pub fn is_circular(&self, ty: TypeId) -> bool {
        let mut seen = FxHashSet::default();
        let mut todo = vec![ty];
        let mut first = true;
        while let Some(at) = todo.pop() {
            let class = self.class(at);
            if !first && class == self.class(ty) {
                return true;
            }
            if !first && !seen.insert(at) {
                continue;
            }
            first = false;
            match self.shape(at) {
                Shape::Pointer { to: Some(to) } => todo.push(*to),
                // Anything may be behind these.
                Shape::Pointer { to: None } => return true,
                Shape::Array { of, .. } => todo.push(*of),
                Shape::Record { fields, .. } => todo.extend(fields.iter().map(|field| field.ty)),
                _ => {}
            }
        }
        false
    }

    /// What C calls the member at an offset: `next`, `head.first`, `names[0]`.
    pub fn member_name(&self, ty: TypeId, offset: i64) -> Option<String> {
        let (mut at, mut offset) = (ty, offset);
        let mut name = String::new();
        for _ in 0..TYPE_DEPTH {
            match self.shape(at) {
                Shape::Record { fields, .. } => {
                    let inside = field_at(fields, offset)?;
                    if let Some((unit, inner)) = inside.name {
                        if !name.is_empty() {
                            name.push('.');
                        }
                        name.push_str(self.program.units[unit].debug.names.get(inner));
                    }
                    offset -= inside.offset;
                    at = inside.ty;
                }
                Shape::Array { of, .. } if !name.is_empty() => {
                    let size = i64::try_from(self.size(*of)).ok().filter(|&size| size > 0)?;
                    name.push_str(&format!("[{}]", offset / size));
                    offset %= size;
                    at = *of;
                }
                _ => break,
            }
        }
        (!name.is_empty()).then_some(name)
    }

    /// All scalars of an object of a type, with the offsets of those in the first elements of arrays, and whether each
    /// is the only one of its kind. `None` when something in it is not known.
    pub fn scalars(&self, ty: TypeId) -> Option<Vec<(i64, Scalar, bool)>> {
        let mut found = Vec::new();
        self.collect(ty, 0, None, true, TYPE_DEPTH, &mut found).then_some(found)
    }

    fn collect(
        &self,
        ty: TypeId,
        base: i64,
        field: Option<(TypeId, i64)>,
        single: bool,
        depth: usize,
        found: &mut Vec<(i64, Scalar, bool)>,
    ) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        match self.shape(ty) {
            Shape::Number { .. } | Shape::Pointer { .. } => {
                found.push((base, Scalar { field, ty, overlaid: false }, single));
                true
            }
            Shape::Record { union: true, .. } => {
                let Some(scalar) = self.scalar_at(ty, 0) else { return true };
                found.push((base, scalar, false));
                true
            }
            Shape::Record { fields, bytes, .. } => {
                *bytes > 0
                    && fields.iter().all(|inner| {
                        let field = Some((self.class(ty), inner.offset));
                        self.collect(inner.ty, base + inner.offset, field, single, depth, found)
                    })
            }
            Shape::Array { of, .. } => self.collect(*of, base, field, false, depth, found),
            Shape::Opaque => false,
            Shape::Function => true,
        }
    }

    /// The records that begin with a type: an object that is declared as the one may be the other.
    pub fn extensions(&mut self, ty: TypeId) -> Vec<TypeId> {
        let all = self.records();
        all.into_iter().filter(|&record| record != ty && self.begins_with(record, ty)).collect()
    }

    /// Whether an object of a type has one of the other type somewhere in it, or is one.
    pub fn contains(&self, whole: TypeId, part: TypeId) -> bool {
        self.has_part(whole, part, TYPE_DEPTH)
    }

    fn has_part(&self, whole: TypeId, part: TypeId, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return true };
        self.class(whole) == self.class(part)
            || match self.shape(whole) {
                Shape::Record { fields, .. } => {
                    fields.iter().any(|field| self.has_part(field.ty, part, depth))
                }
                Shape::Array { of, .. } => self.has_part(*of, part, depth),
                _ => false,
            }
    }

    /// Whether an index in steps of so many bytes, from an offset of an object, stays in an array that is a part of it.
    pub fn is_array_at(&self, ty: TypeId, offset: i64, scale: u64) -> bool {
        let mut at = ty;
        let Some(mut offset) = self.wrapped(ty, offset) else { return false };
        // From the beginning of an object, bytes of an array and bytes of several such objects are counted alike.
        if offset == 0 {
            return false;
        }
        for _ in 0..TYPE_DEPTH {
            match self.shape(at) {
                Shape::Record { fields, union: false, .. } => {
                    let inside = field_at(fields, offset);
                    let Some(inside) = inside else { return false };
                    offset -= inside.offset;
                    at = inside.ty;
                }
                Shape::Array { of, .. } => {
                    let each = self.size(*of);
                    if each > 0 && scale.is_multiple_of(each) {
                        return true;
                    }
                    offset = offset.rem_euclid(i64::try_from(each.max(1)).unwrap_or(i64::MAX));
                    at = *of;
                }
                _ => return false,
            }
        }
        false
    }

    /// A pointer to a type is indexed.
    pub fn repeat(&mut self, ty: TypeId) {
        self.repeated.insert(ty);
    }

    /// A pointer to a type is led back to what lies before it.
    pub fn lead_back(&mut self, ty: TypeId) {
        self.led_back.insert(self.class(ty));
    }

    /// Whether the program does that anywhere.
    pub fn is_led_back(&self, ty: TypeId) -> bool {
        self.led_back.iter().any(|&known| self.class(known) == self.class(ty))
    }

    /// Whether the program indexes pointers to a type.
    pub fn is_repeated(&self, ty: TypeId) -> bool {
        self.repeated.contains(&ty)
    }

    /// Every record of the program.
    pub fn records(&mut self) -> Vec<TypeId> {
        if self.every_record.is_none() {
            let mut all = Vec::new();
            for (unit, data) in self.program.units.iter() {
                for (ty, described) in data.debug.types.iter() {
                    if matches!(described, DebugType::Record(_)) {
                        all.extend(self.of(unit, Some(ty)));
                    }
                }
            }
            all.sort_unstable();
            all.dedup();
            self.every_record = Some(all);
        }
        self.every_record.clone().unwrap_or_default()
    }
}
