//! The outside world: what callers outside the program pass, and what unknown functions hand out.
//!
//! All outside objects of one record type are one object, and so is everything else out there. What the cells of a
//! record hold follows from the declared type of its member, so the world of a library is as large as its headers and
//! no larger, and two parameters of the same type may point to the same thing, as they may in truth.

use rustc_hash::FxHashMap;
use watertight_ir::ctype::{described, pointee, size};
use watertight_ir::{DebugType, DebugTypeId, FuncId, Program, RecordKind, Table, Type, UnitId};

watertight_ir::define_ids! {
    /// A type of outside objects.
    WorldId "world";
}

/// A type, in the debug information of a unit.
type Ty = (UnitId, Option<DebugTypeId>);

/// The types of outside objects, each with one of its declarations.
#[derive(Clone, Debug, Default)]
pub struct World {
    types: Table<WorldId, Option<Ty>>,
    names: FxHashMap<Box<str>, WorldId>,
    other: Option<WorldId>,
}

/// Records nested deeper than this are not looked into.
const DEEPEST: u32 = 16;

impl World {
    /// What a pointer of this type may point to out there; nothing for functions and numbers.
    pub fn behind(&mut self, program: &Program, ty: Ty) -> Option<WorldId> {
        let debug = &program.units[ty.0].debug;
        match described(debug, ty.1) {
            Some(DebugType::Pointer { .. } | DebugType::Array { .. }) => {
                let target = match described(debug, ty.1) {
                    Some(DebugType::Array { of, .. }) => *of,
                    _ => pointee(debug, ty.1).flatten(),
                };
                self.of(program, (ty.0, target))
            }
            Some(_) => None,
            None => Some(self.other()),
        }
    }

    /// The outside objects of a type.
    fn of(&mut self, program: &Program, ty: Ty) -> Option<WorldId> {
        let debug = &program.units[ty.0].debug;
        match described(debug, ty.1) {
            Some(DebugType::Record(record)) => {
                let Some(name) = record.name else { return Some(self.other()) };
                let name = debug.names.get(name);
                let complete = !record.members.is_empty();
                if let Some(&known) = self.names.get(name) {
                    // A declaration without members says less than a definition in another unit.
                    if complete && self.is_incomplete(program, known) {
                        self.types[known] = Some(ty);
                    }
                    return Some(known);
                }
                let id = self.types.push(Some(ty));
                self.names.insert(name.into(), id);
                Some(id)
            }
            Some(DebugType::Function { .. }) => None,
            _ => Some(self.other()),
        }
    }

    fn is_incomplete(&self, program: &Program, id: WorldId) -> bool {
        let Some((unit, ty)) = self.types[id] else { return false };
        matches!(described(&program.units[unit].debug, ty), Some(DebugType::Record(record)) if record.members.is_empty())
    }

    /// Objects without a record type.
    pub fn other(&mut self) -> WorldId {
        *self.other.get_or_insert_with(|| self.types.push(None))
    }

    /// What the cell at an offset of outside objects points to.
    pub fn held(&mut self, program: &Program, id: WorldId, offset: i64) -> Option<WorldId> {
        let Some((unit, ty)) = self.types[id] else { return Some(id) };
        let member = member_at(program, unit, ty, u64::try_from(offset).ok()?, DEEPEST)?;
        self.behind(program, (unit, member))
    }

    /// What a parameter of a function may point to out there.
    pub fn parameter(&mut self, program: &Program, function: FuncId, index: usize) -> Option<WorldId> {
        let data = &program.functions[function];
        let debug = &program.units[data.unit].debug;
        match described(debug, data.debug_type) {
            // Structs in registers make the signatures differ; then the types do not fit.
            Some(DebugType::Function { params, .. }) if params.len() == data.params.len() => {
                self.behind(program, (data.unit, params[index]))
            }
            _ => (data.params[index].ty == Type::Ptr).then(|| self.other()),
        }
    }

    /// What the result of a function may point to out there.
    pub fn result(&mut self, program: &Program, function: FuncId) -> Option<WorldId> {
        let data = &program.functions[function];
        let debug = &program.units[data.unit].debug;
        match described(debug, data.debug_type) {
            Some(DebugType::Function { result, .. }) => self.behind(program, (data.unit, *result)),
            _ => Some(self.other()),
        }
    }

    /// The name of a type, for people.
    pub fn name(&self, program: &Program, id: WorldId) -> String {
        match self.types[id] {
            Some((unit, ty)) => watertight_ir::ctype::name(&program.units[unit].debug, ty),
            None => "something".to_owned(),
        }
    }
}

/// The type of the scalar at an offset of a type.
fn member_at(
    program: &Program,
    unit: UnitId,
    ty: Option<DebugTypeId>,
    offset: u64,
    depth: u32,
) -> Option<Option<DebugTypeId>> {
    let debug = &program.units[unit].debug;
    let depth = depth.checked_sub(1)?;
    match described(debug, ty) {
        Some(DebugType::Record(record)) => {
            let bits = offset.checked_mul(8)?;
            let inside = |member: &&watertight_ir::Member| {
                let bits_of = size(debug, member.ty, program.target.pointer_bits).unwrap_or(0).saturating_mul(8);
                member.offset_bits <= bits && bits < member.offset_bits.saturating_add(bits_of)
            };
            let members = record.members.iter().filter(inside);
            let found = |member: &watertight_ir::Member| {
                member_at(program, unit, member.ty, offset - member.offset_bits / 8, depth)
            };
            match record.kind {
                // The member of a union that is a pointer counts.
                RecordKind::Union => members.filter_map(found).find(|&ty| pointee(debug, ty).is_some()),
                _ => members.filter_map(found).next(),
            }
        }
        Some(DebugType::Array { of, .. }) => {
            let element = size(debug, *of, program.target.pointer_bits).filter(|&bytes| bytes > 0)?;
            member_at(program, unit, *of, offset % element, depth)
        }
        _ => Some(ty),
    }
}
