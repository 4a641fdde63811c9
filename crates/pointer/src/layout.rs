//! Layouts: which offsets of an object are elements of the same array.
//!
//! In: the declared type of an object and an offset. Out: the offset of the same place in the first element of every
//! array around it, since all elements of an array are one. Of a union the first member that is not made of bytes
//! decides, so that every offset has one form. Types come from the debug information of the units; nothing else is
//! taken from them, so wrong ones cost precision and lose no address, except that an index is taken to stay within
//! the array that it begins in.

use crate::object::Object;
use rustc_hash::FxHashMap;
use watertight_ir::{DebugType, DebugTypeId, Program, RecordKind, UnitId, ctype};

/// A type of a unit.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TypeRef {
    pub unit: UnitId,
    pub ty: DebugTypeId,
}

/// Answers about layouts.
pub struct Layouts<'a> {
    program: &'a Program,
    records: FxHashMap<&'a str, TypeRef>,
}

/// Arrays around a place that are looked at.
const DEEPEST: usize = 16;

/// Where a place is in the types around it.
struct Way {
    /// The place in the first element of every array around it.
    normal: i64,
    /// Sizes of the elements of those arrays, outermost first.
    elements: Vec<u32>,
    /// The scalar there, if the place begins one.
    scalar: Option<DebugTypeId>,
}

impl<'a> Layouts<'a> {
    pub fn new(program: &'a Program) -> Layouts<'a> {
        Layouts { program, records: FxHashMap::default() }
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
    pub fn record(&mut self, ty: TypeRef) -> Option<TypeRef> {
        let debug = &self.program.units[ty.unit].debug;
        let DebugType::Record(record) = debug.types.get(ty.ty)? else { return None };
        let Some(name) = record.name else { return Some(ty) };
        let complete = !record.members.is_empty();
        let known = self.records.entry(debug.names.get(name)).or_insert(ty);
        // The first unit may only have declared it.
        if complete && *known != ty {
            let other = self.program.units[known.unit].debug.types.get(known.ty);
            if matches!(other, Some(DebugType::Record(other)) if other.members.is_empty()) {
                *known = ty;
            }
        }
        Some(*known)
    }

    /// The form of an offset that stands for all equal elements.
    pub fn normal(&self, object: &Object, offset: i64) -> i64 {
        match object.ty {
            Some(_) => self.way(object, offset).normal,
            None => offset,
        }
    }

    /// Whether an index in steps of `stride` from an offset stays in an array whose elements are one.
    pub fn is_element(&self, object: &Object, offset: i64, stride: u32) -> bool {
        object.ty.is_some() && self.way(object, offset).elements.contains(&stride)
    }

    /// The distance of equal elements around an offset; 0 when it is not in an array.
    pub fn period(&self, object: &Object, offset: i64) -> u32 {
        match object.ty {
            Some(_) => {
                self.way(object, offset).elements.iter().fold(0, |all, &size| crate::object::gcd(all, size))
            }
            None => 0,
        }
    }

    /// The type of what a pointer at an offset of a type points to.
    pub fn pointer_at(&self, object: &Object, offset: i64) -> Option<TypeRef> {
        let unit = object.ty?.unit;
        let scalar = self.way(object, offset).scalar?;
        self.pointee(unit, Some(scalar))
    }

    /// The offsets of all pointers in a type, of the first elements of arrays.
    pub fn pointers(&self, ty: TypeRef) -> Vec<i64> {
        let mut found = Vec::new();
        self.collect(ty, 0, 0, &mut found);
        found
    }

    fn collect(&self, ty: TypeRef, base: i64, depth: usize, found: &mut Vec<i64>) {
        let debug = &self.program.units[ty.unit].debug;
        let Some(stripped) = ctype::strip(debug, Some(ty.ty)) else { return };
        if depth > DEEPEST {
            return;
        }
        let mut inner = |to: Option<DebugTypeId>, base: i64| {
            if let Some(to) = to {
                self.collect(TypeRef { unit: ty.unit, ty: to }, base, depth + 1, found);
            }
        };
        match &debug.types[stripped] {
            DebugType::Pointer { .. } => found.push(base),
            DebugType::Array { of, .. } => inner(*of, base),
            DebugType::Record(record) => {
                for member in record.members.iter().filter(|member| !member.bit_field) {
                    inner(member.ty, base + (member.offset_bits / 8) as i64);
                }
            }
            _ => {}
        }
    }

    fn way(&self, object: &Object, offset: i64) -> Way {
        let mut way = Way { normal: offset, elements: Vec::new(), scalar: None };
        let Some(ty) = object.ty else { return way };
        let debug = &self.program.units[ty.unit].debug;
        let bits = self.program.target.pointer_bits;
        let mut rest = offset;
        if object.repeats {
            let Some(size) = self.size(ty).and_then(|size| i64::try_from(size).ok()).filter(|&size| size > 0)
            else {
                return way;
            };
            rest = offset.rem_euclid(size);
            way.normal = rest;
            way.elements.push(size as u32);
        }
        let mut at = Some(ty.ty);
        for _ in 0..DEEPEST {
            let Some(stripped) = ctype::strip(debug, at) else { return way };
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
                    let mut sizes = vec![size as u32];
                    for count in counts.iter().skip(1).rev() {
                        let Some(count) = count.and_then(|count| i64::try_from(count).ok()) else { break };
                        size = size.saturating_mul(count);
                        sizes.push(size as u32);
                    }
                    sizes.reverse();
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
                            let least = i64::from(bits / 8);
                            let coarse =
                                |member: &&watertight_ir::Member| match ctype::described(debug, member.ty) {
                                    Some(DebugType::Array { of, .. }) => {
                                        ctype::size(debug, *of, bits).is_some_and(|size| size as i64 >= least)
                                    }
                                    _ => true,
                                };
                            members.find(coarse)
                        }
                        _ => members.next(),
                    };
                    let Some(member) = member else { return way };
                    rest -= (member.offset_bits / 8) as i64;
                    at = member.ty;
                }
                _ => {
                    way.scalar = (rest == 0).then_some(stripped);
                    return way;
                }
            }
        }
        way
    }
}
